"""The public names: there as users know them, alike in both clients, documented and exported."""

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

#: What users call by name, in the README and beyond it.
NAMES = {
    rh: "LocalService Client AsyncClient Request agents errors read_json concat",
    rh.Client: "run run_many iter_many start job jobs resume reconcile adopt dismiss forget forget_all estimate groups agents agent balance close",
    rh.AsyncClient: "run run_many iter_many start job jobs resume reconcile adopt dismiss forget forget_all estimate groups agents agent balance close",
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
def test_each_name_that_users_call_is_there(owner):
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
            assert name.startswith("__") or documented(exported), name
            if inspect.isclass(exported):
                for method, member in inspect.getmembers(exported):
                    if not method.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
                        assert inspect.getdoc(member), f"{name}.{method}"


def documented(exported):
    """Say whether something has a text of its own: not one that is inherited, and not the one of a bare dataclass."""
    if not inspect.isclass(exported):
        return bool(inspect.getdoc(exported))
    own = exported.__dict__.get("__doc__") or ""
    return bool(own) and not own.startswith(f"{exported.__name__}(")


PACKAGE = Path(rh.__file__).parent
EXAMPLES = [
    ".".join(("rowhaul", *file.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
    for file in sorted(PACKAGE.rglob("*.py"))
    if ">>> " in file.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", EXAMPLES)
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


def test_python_can_ask_about_a_slip_in_the_name_of_a_function():
    with pytest.raises(AttributeError, match="module 'rowhaul' has no attribute 'read_jsn'") as told:
        rh.read_jsn  # noqa: B018
    assert (told.value.name, told.value.obj) == ("read_jsn", rh)
