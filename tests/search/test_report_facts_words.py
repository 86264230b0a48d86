"""How searches, pipelines, spaces, targets and calls are put into words."""

from importlib.metadata import PackageNotFoundError
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import loguniform, randint, uniform
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import RandomizedSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from sklearn_bbc import OOFPredictions
from sklearn_bbc.search import BBCSearchMixin
from sklearn_bbc.search import _reporting as _report_facts
from sklearn_bbc.search._reporting import (
    _code,
    _estimator,
    _space,
    _spaces,
    _strategy,
    _target,
    _versions,
)

from .small_search import GRID, TREE, search


def test_searches_that_nobody_knows_have_their_own_name():
    class Evolution:
        pass

    class Random(BBCSearchMixin, RandomizedSearchCV):
        pass

    assert _strategy(Evolution()) == "Evolution"
    assert _strategy(Random(TREE, GRID)) == "random search"


@pytest.mark.parametrize(
    ("steps", "spaces", "words"),
    [
        (["passthrough"], [], "A pipeline"),
        ([Ridge()], [], "A pipeline of Ridge"),
        (["passthrough", Ridge()], [], "A pipeline of Ridge"),
        ([None, Ridge()], [], "A pipeline of Ridge"),
        ([StandardScaler(), MinMaxScaler(), Ridge()], [],
         "A pipeline of StandardScaler, MinMaxScaler and Ridge"),
        ([StandardScaler(), Ridge()], [{"step0": [None, "passthrough"]}], "A pipeline of Ridge"),
        ([StandardScaler(), Ridge()], [{"step0": [None, MinMaxScaler(), MinMaxScaler()]}],
         "A pipeline of no step or MinMaxScaler and Ridge"),
        ([StandardScaler(), Ridge()], [{"step1": uniform(0, 1)}],
         "A pipeline of StandardScaler and Ridge"),
    ],
)  # fmt: skip
def test_pipelines_in_words(steps, spaces, words):
    named = [(f"step{number}", step) for number, step in enumerate(steps)]
    assert _estimator(Pipeline(named), spaces) == words


def test_spaces_of_every_kind_of_search():
    grid = {"a": [1]}
    assert _spaces(SimpleNamespace(param_grid=grid)) == [grid]
    assert _spaces(SimpleNamespace(param_grid=(grid, grid))) == [grid, grid]
    assert _spaces(SimpleNamespace(param_grid=None, param_distributions=grid)) == [grid]
    assert _spaces(SimpleNamespace()) == []
    assert _space([grid]) == (("a", "1"),)
    assert _space([grid, {"b": [2]}]) == (("a (space 1)", "1"), ("b (space 2)", "2"))


def test_distributions_in_words():
    class Own:
        """Draws, and is none of scipy's."""

        def rvs(self, random_state=None):
            return 1

        def __str__(self):
            return "one,  always"

    space = {
        "a": randint(1, 2_000_000),
        "b": uniform(0.25, 1 / 3),
        "c": loguniform(a=0.5, b=10),
        "d": Own(),
        "e": [1 / 3, np.float32(2 / 3), 7, None],
    }
    assert dict(_space([space])) == {
        "a": "distribution randint(1, 2000000)",
        "b": "distribution uniform(0.25, 0.333333)",
        "c": "distribution loguniform(a=0.5, b=10)",
        "d": "one, always",
        "e": "0.3333, 0.6667, 7, None",
    }


def of_target(y):
    return _target(OOFPredictions(y_true=y, y_pred=np.zeros((len(y), 1))), np.ones(len(y), bool))


def test_many_classes_are_counted():
    twenty = of_target(np.repeat(np.arange(20), 2).astype(str))
    assert len(twenty) == 20 and twenty[0] == ("class 0", "2")
    labels = np.repeat(np.arange(21), 3).astype(str)[1:]
    assert of_target(labels) == (("classes", "21"), ("smallest class", "2"))


def test_a_target_is_printed_as_its_largest_value_needs():
    y = np.array([-0.01234, 500.5, 1234.5, 3.25])
    oof = OOFPredictions(y_true=y, y_pred=y[:, None], classes=None)
    assert _target(oof, oof.tested) == (("target", "0 to 1,234, mean 435"),)
    oof = OOFPredictions(y_true=-y, y_pred=y[:, None], classes=None)
    assert _target(oof, oof.tested) == (("target", "-1,234 to 0, mean -435"),)


def test_versions_of_what_has_metadata(monkeypatch):
    def version(name):
        if name in ("scikit-learn", "scipy"):
            raise PackageNotFoundError(name)
        return "1.2"

    monkeypatch.setattr(_report_facts, "version", version)
    found = _versions()
    assert list(found) == ["sklearn-bbc", "Python", "numpy", "pandas"]
    assert found["numpy"] == "1.2"


def test_the_call_is_whole_and_can_be_repeated():
    """scikit-learn leaves out what is long, and of a list what comes after 30 values."""
    grid = {"C": [float(number) for number in range(400)], "tol": [1e-4]}
    made = search(LogisticRegression(), grid)
    code = _code(made, 3)
    assert "..." not in code
    names = {"BBCSearchCV": type(made), "LogisticRegression": LogisticRegression}
    from sklearn_bbc.intervals import BBC

    call = code.split("\n" + "search.fit(X, y)")[0].removeprefix("search = ")
    assert eval(call, {**names, "BBC": BBC}).param_grid == grid
    assert code.endswith("\n" + "search.fit(X, y)")
    # In lines as scikit-learn breaks them.
    nested = make_pipeline(StandardScaler(with_mean=False), LogisticRegression(C=0.125))
    short = search(nested, {"logisticregression__C": [1 / 3, 2 / 3, 4 / 3, 5 / 3, 7 / 3] * 2})
    assert "..." not in repr(short) and repr(short).count("\n") > 5
    assert _code(short, 3) == f"search = {short!r}\nsearch.fit(X, y)"
    unseeded = _code(search(random_state=None), 3)
    assert unseeded.endswith("# random_state was not a number. The seed of the draws was 3.")
    assert "seed of" not in _code(search(random_state=np.int64(3)), 3)
