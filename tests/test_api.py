"""The public names: those of the design, alike in both clients, documented and exported."""

import doctest
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import rowhaul as rh

PAIRS = [(rh.Client, rh.AsyncClient), (rh.Job, rh.AsyncJob)]

#: What the design page names.
NAMES = {
    rh: "LocalService Client AsyncClient Request agents errors read_json concat",
    rh.Client: "run run_many iter_many start job estimate groups agents agent balance",
    rh.AsyncClient: "run run_many iter_many start job estimate groups agents agent balance",
    rh.Job: "id status agent row_count cost_usd created_at expires_at extra refresh wait rows cancel stream download",
    rh.AsyncJob: "id status agent row_count cost_usd created_at expires_at extra refresh wait rows cancel stream download",
    rh.Rows: "to_pandas to_polars to_arrow to_dicts schema columns notes job __len__ __getitem__ "
    "write_parquet write_csv write_ndjson write_ipc __arrow_c_stream__ __arrow_c_schema__ _repr_html_",
    rh.Haul: "rows failures outcomes cost_usd __len__ __repr__ _repr_html_",
    rh.LocalService: "url api_key client async_client stop advance inject requests starts charges",
    rh.agents: "Events ChannelScraper CommentScraper VideoScraper ShortsScraper BestsellersScraper ProductScraper "
    "ReviewsScraper PincodeScraper",
}


@pytest.mark.parametrize("owner", NAMES, ids=lambda owner: owner.__name__)
def test_each_name_of_the_design_is_there(owner):
    missing = [name for name in NAMES[owner].split() if not hasattr(owner, name)]
    assert missing == []


@pytest.mark.parametrize(("blocking", "awaited"), PAIRS, ids=lambda cls: cls.__name__)
def test_the_twins_have_the_same_methods_with_the_same_signatures(blocking, awaited):
    def public(cls):
        return {name: member for name, member in inspect.getmembers(cls) if not name.startswith("_")}

    assert public(blocking).keys() == public(awaited).keys()
    for name, method in public(blocking).items():
        if inspect.isfunction(method):
            twin = inspect.signature(public(awaited)[name])
            told = inspect.signature(method)
            assert told.parameters == twin.parameters, name
            assert str(twin.return_annotation).replace("Async", "") == str(told.return_annotation), name
    assert inspect.signature(blocking) == inspect.signature(awaited)


def test_all_that_is_exported_is_documented():
    for owner in (rh, rh.agents, rh.errors, rh.faults, rh.service):
        for name in owner.__all__:
            exported = getattr(owner, name)
            assert name.startswith("__") or inspect.getdoc(exported), name
            if inspect.isclass(exported):
                for method, member in inspect.getmembers(exported, inspect.isfunction):
                    if not method.startswith("_"):
                        assert inspect.getdoc(member), f"{name}.{method}"


EXAMPLES = "_async_client _client _read _request _rows agents faults service._agents service._local"


@pytest.mark.parametrize("name", ["rowhaul", *(f"rowhaul.{name}" for name in EXAMPLES.split())])
def test_the_examples_in_the_docstrings_are_true(name):
    module = importlib.import_module(name)
    failed, tried = doctest.testmod(module)
    assert failed == 0
    assert tried > 0


def test_the_stub_is_as_the_core():
    check = [sys.executable, "-m", "mypy.stubtest", "rowhaul._core", "--allowlist", "tests/stubtest-allowlist.txt"]
    done = subprocess.run(check, capture_output=True, text=True, check=False, cwd=Path(__file__).parent.parent)
    assert done.returncode == 0, done.stdout


def test_the_version_is_the_packages():
    from importlib.metadata import version

    assert rh.__version__ == version("rowhaul")
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", rh.__version__)
