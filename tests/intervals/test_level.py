"""The sentence on the level: once in the source, in every docstring that has the parameter."""

import subprocess
import sys
from pathlib import Path

import sklearn_bbc
from sklearn_bbc import comparison, intervals
from sklearn_bbc.intervals._base import LEVEL, PLACEHOLDER


def test_the_source_says_it_once_and_no_reader_meets_the_placeholder():
    folder = Path(sklearn_bbc.__file__).parent
    found = [path for path in folder.rglob("*.py") if LEVEL.split("{")[0] in path.read_text()]
    assert [path.name for path in found] == ["_base.py"]
    for kind in (intervals, comparison):
        for name in kind.__all__:
            assert PLACEHOLDER not in (getattr(kind, name).__doc__ or ""), name


def test_python_without_docstrings_imports_the_package():
    code = "import sklearn_bbc; print(sklearn_bbc.bbc.__doc__)"
    done = subprocess.run(
        [sys.executable, "-OO", "-W", "ignore", "-c", code], capture_output=True, text=True
    )
    assert done.stdout.strip() == "None", done.stderr
