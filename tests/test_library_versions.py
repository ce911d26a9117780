"""Libraries that take rows: how old they may be."""

import re
import sys
import tomllib
import types
from pathlib import Path

import pytest

import rowhaul as rh
from rowhaul._receivers import OLDEST, wanted


@pytest.mark.parametrize(("library", "version"), [("pandas", "2.3.3"), ("polars", "1.29.0"), ("pyarrow", "19.0.1")])
def test_a_library_that_is_too_old_is_told_with_its_version(library, version, monkeypatch):
    rows = rh.read_json(b'[{"a": 1}]')
    old = types.ModuleType(library)
    old.__version__ = version
    monkeypatch.setitem(sys.modules, library, old)
    ways = {"pandas": rows.to_pandas, "polars": rows.to_polars, "pyarrow": rows.to_arrow}
    with pytest.raises(ImportError, match=f"this needs {library} .* or newer, and {version} is installed"):
        ways[library]()


def test_the_oldest_versions_that_are_taken_are_those_that_are_asked_for():
    extras = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
    asked = dict(re.findall(r"(\w+)>=([\d.]+)", str(extras["optional-dependencies"])))
    for library, (major, minor) in OLDEST.items():
        assert asked[library] in {f"{major}", f"{major}.{minor}"}


@pytest.mark.parametrize("version", ["0+unknown", "3.0.0rc1", "", None])
def test_a_library_that_may_be_new_enough_is_taken(version, monkeypatch):
    library = types.ModuleType("pandas")
    if version is not None:
        library.__version__ = version
    monkeypatch.setitem(sys.modules, "pandas", library)
    assert wanted("pandas") is library
