"""The notebooks run offline, and what they show is what they keep."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))


def texts(notebook):
    """What each cell shows as text; pictures are named by an object's address and left out."""
    shown = [output.get("data", {}).get("text/plain") for cell in notebook.cells for output in cell.get("outputs", [])]
    return [text for text in shown if text and not text.startswith("<Figure")]


@pytest.mark.timeout(180)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_it_keeps(path, tmp_path):
    kept = nbformat.read(path, as_version=4)
    again = nbformat.read(path, as_version=4)
    NotebookClient(again, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert texts(again) == texts(kept), "run `make notebooks` and look at what changed"


def test_there_is_a_notebook():
    assert NOTEBOOKS
