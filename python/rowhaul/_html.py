"""How values look in a notebook."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from html import escape
from typing import TYPE_CHECKING, Any

from ._counted import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ._agent import Agent, AgentSummary, Estimate
    from ._any_client import AnyClient
    from ._haul import Haul
    from ._job import AsyncJob, Job
    from ._ledger import Jobs
    from ._notes import Note
    from ._outcome import Outcome
    from ._rows import Rows
    from .service import LocalService

#: Rows and columns of a table that are shown, characters of a cell, and of a value that stands alone, such as a path.
_ROWS, _COLUMNS, _CELL, _FACT = 10, 40, 60, 400


def rows(table: Rows) -> str:
    """Show the first rows, the types, and the notes."""
    names = table.columns
    shown = names[:_COLUMNS]
    types = table.schema
    head = [f"{escape(name)}<br><small>{escape(shortened(types[name]))}</small>" for name in shown]
    first = table[:_ROWS]
    cells = first.to_dicts()
    # Python's own times have no nanoseconds.
    fine = [name for name in shown if types[name].startswith("timestamp[ns")]
    for row, texts in zip(cells, first._core.texts(fine), strict=True):  # noqa: SLF001
        row.update(zip(fine, texts, strict=True))
    body = _table(head, [[escape(_cell(row[name])) for name in shown] for row in cells])
    parts = [f"{_ROWS} rows"] * (len(table) > _ROWS) + [f"{_COLUMNS} columns"] * (len(names) > _COLUMNS)
    more = f"; the first {' and '.join(parts)} shown" if parts else ""
    size = f"<p>{counted(len(table), 'row')} × {counted(len(names), 'column')}{more}</p>"
    told = notes(table.notes)
    return (
        size
        + body
        + (f"<details><summary>{counted(len(table.notes), 'note')}</summary>{told}</details>" if told else "")
    )


def notes(notes: Sequence[Note]) -> str:
    """Show what was widened, and why; nothing where nothing was."""
    items = "".join(
        f"<li>{'' if note.column is None else f'<code>{escape(note.column)}</code>: '}{escape(note.message)}</li>"
        for note in notes
    )
    return items and f"<ul>{items}</ul>"


def client(client: AnyClient) -> str:
    """Show where a client sends its requests, what it may spend, where it writes it down, and which jobs it waits for."""
    ledger = {"off": "none", None: "in the user's data directory"}.get(client._ledger, client._ledger)  # noqa: SLF001
    cap = "no cap" if client._cap is None else f"{client._cap} USD"  # noqa: SLF001
    waits = client._core.waited_for()  # noqa: SLF001
    shown = ", ".join(waits[:_ROWS]) + ", …" * (len(waits) > _ROWS)
    return _facts(
        [
            ("address", client.base_url),
            ("may spend", cap),
            ("ledger", ledger),
            ("waits for", f"{counted(len(waits), 'job')}: {shown}" if waits else "nothing"),
        ]
    )


def job(job: Job | AsyncJob) -> str:
    """Show what is known of a job."""
    names = ("id", "status", "agent", "row_count", "cost_usd", "created_at", "expires_at")
    return _facts((name, getattr(job, name)) for name in names)


def jobs(jobs: Jobs, shown: int, to_do: Iterable[str]) -> str:
    """Show the newest entries of the ledger, and what is to be done about them."""
    names = ("created_at", "id", "agent", "status", "row_count", "cost_usd", "fetched_at", "expires_at")
    head = f"<p>{counted(len(jobs), 'job')}{f', the newest {shown} shown' * (len(jobs) > shown)}</p>"
    body = [
        [
            *(escape(_cell(_moment(getattr(job, name)))) for name in names),
            *(escape(_cell(text, _FACT)) for text in (job._asked, job.note)),  # noqa: SLF001
        ]
        for job in jobs[:shown]
    ]
    table = _table((*names, "params", "note"), body)
    return head + table + "".join(f"<p><b>{escape(sentence)}</b></p>" for sentence in to_do)


def agents(agents: Sequence[AgentSummary]) -> str:
    """Show what can be run, and what it costs."""
    head = ("agent", "USD for 1000 rows", "name", "description")
    body = [
        [
            f"<code>{escape(agent.id)}</code>",
            *(escape(_cell(cell, _FACT)) for cell in (agent.price_per_1k_usd, agent.name, agent.description)),
        ]
        for agent in agents
    ]
    return _table(head, body)


def agent(agent: Agent) -> str:
    """Show an agent: what it does, what it costs, its parameters."""
    price = (
        "unknown" if agent.price_per_1k_usd is None else f"{agent.price_per_1k_usd} USD for 1000 {agent.unit or 'rows'}"
    )
    head = ["parameter", "type", "required", "default", "options", "description"]
    body = [
        [
            *(
                escape(_cell(cell))
                for cell in (
                    name,
                    told.type,
                    "yes" if told.required else "no",
                    told.default,
                    ", ".join(map(str, told.options)),
                )
            ),
            escape(told.description or ""),
        ]
        for name, told in agent.parameters.items()
    ]
    title = f"<p><b>{escape(agent.name or agent.id)}</b> <code>{escape(agent.id)}</code><br>"
    return f"{title}{escape(agent.description or '')}<br>Price: {escape(price)}</p>{_table(head, body)}"


def estimate(value: Estimate) -> str:
    """Show what a run may cost."""
    return _facts(
        [
            ("rows at most", "unbounded or unknown" if value.max_rows is None else f"{value.max_rows:,}"),
            ("USD for 1000 rows", "unknown" if value.price_per_1k_usd is None else value.price_per_1k_usd),
            ("USD at most", "unknown" if value.max_cost_usd is None else value.max_cost_usd),
            ("USD in the account", "unknown" if value.balance_usd is None else value.balance_usd),
        ]
    )


def haul(haul: Haul) -> str:
    """Show what many runs came to, what failed, and the first rows."""
    cost = "unknown" if haul.cost_usd is None else haul.cost_usd
    facts = _facts([("runs", f"{len(haul):,}"), ("failed", f"{len(haul.failures):,}"), ("USD", cost)])
    return facts + (outcomes(haul.failures) if haul.failures else "") + rows(haul.rows)


def outcomes(outcomes: Sequence[Outcome]) -> str:
    """Show the first of some outcomes: what was asked for, the job, what it brought and cost, or why it failed."""
    head = ("request", "job", "rows", "USD", "error")
    body = [
        (one.request, one.job_id, None if one.rows is None else f"{len(one.rows):,}", one.cost_usd, one.error)
        for one in outcomes[:_ROWS]
    ]
    more = f"; the first {_ROWS} shown" if len(outcomes) > _ROWS else ""
    size = f"<p>{counted(len(outcomes), 'outcome')}{more}</p>"
    return size + _table(head, [[escape(_cell(cell)) for cell in line] for line in body])


def service(service: LocalService) -> str:
    """Show where a local service is, by which clock it goes, and what has happened there. Its key is not shown."""
    charged = sum((charge.amount_usd for charge in service.charges), Decimal(0))
    return _facts(
        [
            ("address", service.url),
            ("clock", service.clock),
            ("requests", f"{len(service.requests):,}"),
            ("runs", f"{len(service.starts):,}"),
            ("USD charged", charged),
            ("USD left", service.balance_usd),
        ]
    )


def _facts(facts: Iterable[tuple[str, Any]]) -> str:
    lines = "".join(f"<tr><th>{escape(name)}</th><td>{escape(_cell(value, _FACT))}</td></tr>" for name, value in facts)
    return f"<table>{lines}</table>"


def _table(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    top = "".join(f"<th>{cell}</th>" for cell in head)
    lines = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in line) + "</tr>" for line in body)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>"


def _moment(value: Any) -> Any:
    """Cut a time to the second."""
    return value.isoformat(" ", "seconds") if isinstance(value, datetime) else value


def _cell(value: Any, most: int = _CELL) -> str:
    if isinstance(value, float):
        # A column of numbers may hold fractions elsewhere; a whole number in it is shown as one.
        return str(value).removesuffix(".0")
    return "–" if value is None else shortened(str(value), most)


def shortened(text: str, most: int = _CELL) -> str:
    """Cut a text where it is longer than `most` characters."""
    return text if len(text) <= most else text[: most - 1] + "…"
