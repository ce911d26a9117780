"""Write `python/rowhaul/agents.py` from the catalogue, `src/catalogue/agents.json` (`make agents`).

python python/generate_agents.py            writes the file
python python/generate_agents.py --check    says whether it is as it should be
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
CATALOGUE = ROOT / "src/catalogue/agents.json"
MODULE = ROOT / "python/rowhaul/agents.py"

HEAD = '''"""The nine agents of the specification's section 4.7 as dataclasses: requests with typed, documented parameters.

Each is a `Request` and goes wherever one does. Fields are the parameters in snake_case, with the specification's defaults;
they are checked when the request is built, and stand in it normalised: lists as tuples, addresses as text.

>>> from rowhaul.agents import Events
>>> Events(search_queries=["jazz berlin"], max_results=5)
Events(search_queries=('jazz berlin',), start_urls=(), max_results=5)

Written by `make agents` from `src/catalogue/agents.json`; change that file instead of this one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from ._request import AgentRequest

__all__ = {names}


def __dir__() -> list[str]:
    """List what is exported, without what it was made with."""
    return __all__


#: One text, or several.
Texts: TypeAlias = str | Sequence[str]
#: One address, or several, each a text or an object with the one key `url`.
Urls: TypeAlias = str | Sequence[str | Mapping[str, str]]
'''


def main() -> int:
    text = module(json.loads(CATALOGUE.read_text())["agents"])
    if "--check" in sys.argv[1:]:
        same = MODULE.exists() and MODULE.read_text() == text
        print(
            "agents.py is as the catalogue says" if same else "agents.py differs from the catalogue: run `make agents`"
        )
        return 0 if same else 1
    MODULE.write_text(text)
    return 0


def module(agents: list[dict[str, Any]]) -> str:
    """Give the whole module."""
    names = "[\n" + "".join(f'    "{name}",\n' for name in sorted(map(class_name, agents))) + "]"
    return HEAD.replace("{names}", names) + "".join("\n\n" + agent_class(agent) for agent in agents)


def agent_class(agent: dict[str, Any]) -> str:
    """Give one dataclass."""
    parameters = sorted(agent["parameters"], key=lambda parameter: not is_asked_for(parameter))
    names = ", ".join(f'"{snake(p["name"])}": "{p["name"]}"' for p in agent["parameters"])
    names_line = f"    _names: ClassVar[Mapping[str, str]] = {{{names}}}"
    if len(names_line) > 120:
        body = "".join(f'        "{snake(p["name"])}": "{p["name"]}",\n' for p in agent["parameters"])
        names_line = f"    _names: ClassVar[Mapping[str, str]] = {{\n{body}    }}"
    return (
        f"@dataclass(frozen=True, kw_only=True, eq=False)\nclass {class_name(agent)}(AgentRequest):\n"
        + docstring(agent, parameters)
        + f'    _agent_name: ClassVar[str] = "{agent["group"]}/{agent["slug"]}"\n{names_line}\n\n'
        + "".join(f"    {snake(p['name'])}: {annotation(p)}\n" for p in parameters)
    )


def docstring(agent: dict[str, Any], parameters: list[dict[str, Any]]) -> str:
    """Give the docstring of a dataclass: what it does, what it costs, what its fields mean."""
    price = agent.get("price_per_1k_usd")
    cost = (
        f"{price} USD for 1000 {agent['unit']}"
        if price
        else f"{agent['credits_per_row']} credit for each row (`client.estimate` says what that is in USD)"
    )
    lines = [f'"""{agent["description"]}', ""]
    lines += wrapped(
        f"Runs `{agent['group']}/{agent['slug']}` (section 4.7 of the specification), which costs {cost}.", "", ""
    )
    if agent.get("one_of"):
        fields = " and ".join(f"`{snake(name)}`" for name in agent["one_of"])
        lines += wrapped(f"At least one of {fields} must hold something.", "", "")
    lines += ["", "Parameters", "----------"]
    for parameter in parameters:
        lines += wrapped(f"{snake(parameter['name'])} : {meaning(parameter)}", "", "    ")
    lines += ["", '"""', ""]
    return "".join(f"    {line}\n" if line else "\n" for line in lines)


def meaning(parameter: dict[str, Any]) -> str:
    """Give one line for a field."""
    text = parameter["description"].rstrip(".")
    text = text[0].lower() + text[1:] if not text[:2].isupper() else text
    text = text.replace("uRLs", "URLs")
    if "default" in parameter:
        text += f"; default {parameter['default']}"
    if "maximum" in parameter:
        text += f", at most {parameter['maximum']}"
    return text


def annotation(parameter: dict[str, Any]) -> str:
    """Give the type of a field, and its default."""
    kind, items = parameter["type"], parameter.get("items")
    if kind == "array":
        name = "Texts" if items == "string" else "Urls"
        return name if parameter["required"] else f"{name} = ()"
    if "options" in parameter:
        name = f"Literal[{', '.join(json.dumps(option) for option in parameter['options'])}]"
    else:
        name = {"integer": "int", "string": "str"}[kind]
    if "default" in parameter:
        return f"{name} = {parameter['default']!r}"
    return name if parameter["required"] else f"{name} | None = None"


def is_asked_for(parameter: dict[str, Any]) -> bool:
    """Say whether a caller must give it."""
    return parameter["required"] and "default" not in parameter


def class_name(agent: dict[str, Any]) -> str:
    """Give the name of the dataclass: `channel-scraper` is `ChannelScraper`."""
    return "".join(part.capitalize() for part in agent["slug"].split("-"))


def snake(name: str) -> str:
    """Give the field's name: `maxResults` is `max_results`."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


def wrapped(text: str, first: str, later: str) -> list[str]:
    """Break a line so that it fits, indented, into 120 columns."""
    return textwrap.wrap(text, 112, initial_indent=first, subsequent_indent=later)


if __name__ == "__main__":
    sys.exit(main())
