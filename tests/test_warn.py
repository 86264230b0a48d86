import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

import sklearn_bbc
from sklearn_bbc import BBCSearchCV, _warn
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import HierarchicalBootstrap, PooledBootstrap, Wald


def test_the_warning_points_here():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _warn.warn_user("message", UserWarning)
    assert caught[0].filename == __file__
    assert str(caught[0].message) == "message"


def test_lines_of_the_package_are_passed_over():
    inside = {"__name__": "sklearn_bbc.somewhere", "warn": _warn.warn_user}
    exec(compile("def fit(): warn('deep', UserWarning)", "package.py", "exec"), inside)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        inside["fit"]()
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "method",
    [Wald(), PooledBootstrap(n_bootstraps=20), HierarchicalBootstrap(n_bootstraps=20)],
    ids=lambda method: method.name,
)
def test_warnings_of_a_search_point_to_the_call_of_fit(method):
    """Labels that are always right leave no spread to be seen."""
    search = BBCSearchCV(
        DummyClassifier(), {"strategy": ["most_frequent"]}, scoring="accuracy", ci=[method], cv=3
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search.fit(np.zeros((30, 1)), np.zeros(30, dtype=int))
    ours = [w for w in caught if issubclass(w.category, IntervalWarning)]
    assert ours
    assert {w.filename for w in ours} == {__file__}


def test_nobody_counts_stack_levels():
    """A fixed level is right from one place only: a method is called by users and by searches."""
    package = Path(sklearn_bbc.__file__).parent
    counting = [
        path.name
        for path in package.rglob("*.py")
        if path.name != "_warn.py" and "warnings.warn(" in path.read_text(encoding="utf-8")
    ]
    assert counting == []
