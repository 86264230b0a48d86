"""The sentence on the level: once in the source, in every docstring that has the parameter."""

import subprocess
import sys
from pathlib import Path

import pytest

import sklearn_bbc
from sklearn_bbc import comparison, intervals
from sklearn_bbc.intervals._base import LEVEL, PLACEHOLDER, says_level

WITH_SCORE = [intervals.BBC, intervals.Wald, intervals.NestedCV, sklearn_bbc.bbc]
WITH_DIFFERENCE = [comparison.PairedT, sklearn_bbc.compare, sklearn_bbc.BBCSearchCV.compare]


@pytest.mark.parametrize(
    ("documented", "what"),
    [
        *((each, "score") for each in WITH_SCORE),
        *((each, "difference") for each in WITH_DIFFERENCE),
    ],
    ids=lambda value: getattr(value, "__qualname__", value),
)
def test_a_docstring_says_what_the_interval_should_hold(documented, what):
    assert documented.__doc__.count(LEVEL.format(what=what)) == 1


def test_the_source_says_it_once_and_no_reader_meets_the_placeholder():
    folder = Path(sklearn_bbc.__file__).parent
    found = [path for path in folder.rglob("*.py") if LEVEL.split("{")[0] in path.read_text()]
    assert [path.name for path in found] == ["_base.py"]
    for kind in (intervals, comparison):
        for name in kind.__all__:
            assert PLACEHOLDER not in (getattr(kind, name).__doc__ or ""), name


def test_a_method_of_ones_own_may_use_it_or_not():
    class WithIt(intervals.BBC):
        """A method.

        {level}
        """

    class Without(intervals.BBC):
        """Another one."""

    assert LEVEL.format(what="score") in WithIt.__doc__
    assert Without.__doc__ == "Another one."
    assert says_level("score")(type("Bare", (), {})).__doc__ is None


def test_python_without_docstrings_imports_the_package():
    code = "import sklearn_bbc; print(sklearn_bbc.bbc.__doc__)"
    done = subprocess.run(
        [sys.executable, "-OO", "-W", "ignore", "-c", code], capture_output=True, text=True
    )
    assert done.stdout.strip() == "None", done.stderr
