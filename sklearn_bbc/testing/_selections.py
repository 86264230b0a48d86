"""The contract of rules of selection."""

from __future__ import annotations

import inspect
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.base import clone
from sklearn.utils import check_random_state

from ..intervals import BBC
from ..metrics import as_metric
from ..predictions import OOFPredictions
from ..selection import BoundSelection, Outcome, Selection, registered_selections
from ._common import assert_refused, assert_same
from ._data import example_predictions
from ._documentation import SECTION


def check_selection(
    selection: Selection, scoring: Any = None, oof: OOFPredictions | None = None
) -> None:
    """Run the contract of rules of selection.

    It covers the name, parameters, pickling, that each draw is chosen for on its own, failed
    configurations, scores, what is reported of the choice on all samples, batches and
    workers, needs, and the docstring.

    Parameters
    ----------
    selection : Selection
        Rule to check.
    scoring : str, scorer or Metric, default=None
        Metric to select by; None takes ``"roc_auc"``.
    oof : OOFPredictions, default=None
        Predictions to try it on; None makes those of `example_predictions`, with one
        parameter ``"depth"`` per configuration.

    Raises
    ------
    AssertionError
        If a promise is broken; the message says which one.

    See Also
    --------
    selection_checks : The same as a list, one test each.

    Examples
    --------
    >>> from sklearn_bbc.selection import BestScore
    >>> from sklearn_bbc.testing import check_selection
    >>> check_selection(BestScore())
    """
    for check in selection_checks():
        check(selection, scoring, oof)


def selection_checks() -> list[Callable[..., None]]:
    """List the checks of `check_selection`, for parametrised tests.

    Returns
    -------
    list of callable
        Each takes ``(selection, scoring=None, oof=None)`` and raises AssertionError.

    Examples
    --------
    >>> from sklearn_bbc.selection import SimplestTied
    >>> from sklearn_bbc.testing import selection_checks
    >>> for check in selection_checks():
    ...     check(SimplestTied("depth"))
    """
    return list(_CHECKS)


def _example(failed: Any = None, **changed: Any) -> OOFPredictions:
    oof = example_predictions()
    given: dict[str, Any] = {
        "y_true": oof.y_true,
        "responses": dict(oof.responses),
        "fold": oof.fold,
        "params": [{"depth": depth} for depth in range(oof.n_configs)],
        "failed": failed,
    }
    return OOFPredictions(**{**given, **changed})


def _bound(
    selection: Selection, scoring: Any, oof: OOFPredictions | None
) -> tuple[BoundSelection, OOFPredictions]:
    oof = _example() if oof is None else oof
    kernel = as_metric("roc_auc" if scoring is None else scoring).bind(oof)
    return clone(selection).bind(oof, kernel), oof


def _counts(oof: OOFPredictions, n_draws: int = 8) -> np.ndarray:
    rng = np.random.default_rng(0)
    n = oof.n_samples
    return rng.multinomial(n, np.full(n, 1 / n), n_draws).astype(np.uint8)


def _assert_equal(one: Outcome, other: Outcome, what: str) -> None:
    assert list(one.columns) == list(other.columns), f"{what}: other columns"
    for name, column in one.columns.items():
        np.testing.assert_array_equal(column, other[name], err_msg=f"{what}: {name} differs")


def check_rule_registration(selection: Any, scoring: Any = None, oof: Any = None) -> None:
    """The name leads to the class, and a second class cannot take it."""
    cls = type(selection)
    assert registered_selections().get(cls.name) is cls, f"{cls.name!r} does not lead to {cls}"
    assert cls.name == cls.name.lower() and cls.name.isidentifier(), "names are like_this"
    assert_refused(lambda: type("Other", (cls,), {"name": cls.name}), "taken", "a taken name")
    assert clone(selection).get_params().keys() == selection.get_params().keys()


def check_rule_outcome(selection: Any, scoring: Any = None, oof: Any = None) -> None:
    """There is a choice and a score for every draw; nothing that was given is changed."""
    rule, oof = _bound(selection, scoring, oof)
    counts = _counts(oof)
    kept = counts.copy()
    outcome = rule.choose(counts)
    assert isinstance(outcome, Outcome) and len(outcome) == len(counts), "one entry per draw"
    assert "config" in outcome.columns, "the outcome has no column 'config'"
    config = outcome["config"]
    assert config.dtype.kind == "i" and (config >= -1).all() and (config < oof.n_configs).all()
    scores = rule.score(outcome, counts == 0)
    assert scores.shape == (len(counts),) and np.isfinite(scores).any(), "one score per draw"
    np.testing.assert_array_equal(counts, kept, err_msg="the counts were changed")
    assert len(rule.on_all()) == 1, "on_all is one draw of all samples"
    assert rule.same(outcome, rule.on_all()).shape == (len(counts),)
    low, high = rule.metric.bounds
    assert (scores >= low - 1e-12).all() and (scores <= high + 1e-12).all(), "out of range"


def check_rule_draws(selection: Any, scoring: Any = None, oof: Any = None) -> None:
    """Each draw is chosen for and scored on its own, and the same twice, bit for bit."""
    rule, oof = _bound(selection, scoring, oof)
    counts = _counts(oof)
    state = check_random_state(None).get_state(legacy=False)["state"]["key"]
    outcome = rule.choose(counts)
    _assert_equal(rule.choose(counts), outcome, "a second time")
    alone = [rule.choose(count[None]) for count in counts]
    _assert_equal(Outcome.concatenated(alone), outcome, "draw by draw")
    scores = rule.score(outcome, counts == 0)
    one_by_one = [rule.score(one, count[None] == 0)[0] for one, count in zip(alone, counts)]
    np.testing.assert_array_equal(one_by_one, scores, err_msg="a score depends on other draws")
    backwards = rule.score(outcome.take(np.arange(len(counts))[::-1]), counts[::-1] == 0)
    np.testing.assert_array_equal(backwards[::-1], scores, err_msg="the order of draws matters")
    after = check_random_state(None).get_state(legacy=False)["state"]["key"]
    assert np.array_equal(state, after), "numpy's global random state was used"


def check_rule_failures(selection: Any, scoring: Any = None, oof: Any = None) -> None:
    """A configuration that failed is never chosen."""
    if oof is not None:
        return  # predictions of your own may be of any kind
    for failed in (0, 3):
        example = _example(failed=np.arange(4) == failed)
        rule, _ = _bound(selection, scoring, example)
        outcome = rule.choose(_counts(example))
        assert not (outcome["config"] == failed).any(), "a failed configuration was chosen"


def check_rule_in_bbc(selection: Any, scoring: Any = None, oof: Any = None) -> None:
    """BBC repeats it: batches and workers change no bit, pickling neither."""
    _, oof = _bound(selection, scoring, oof)
    scoring = "roc_auc" if scoring is None else scoring
    method = BBC(selection=clone(selection), n_bootstraps=130, random_state=0)

    def run(method: BBC) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return method.estimate(oof, scoring)

    expected = run(method)
    with config_context(working_memory=0.001):  # MiB: one block of draws at a time
        assert_same(run(method), expected, "in small batches")
    assert_same(run(clone(method).set_params(n_jobs=2)), expected, "with two workers")
    copied = pickle.loads(pickle.dumps(method))
    assert_same(run(copied), expected, "after pickling")
    rule, _ = _bound(selection, scoring, oof)
    assert expected.metric == rule.metric.name, "the result is not about the rule's metric"
    details = expected.details
    if rule.by:
        assert details["winner_by"] == rule.by, "details do not say by what was selected"
        assert details["winner"] == rule.on_all()["config"][0], "not the winner on all samples"
    described = rule.describe(rule.choose(_counts(oof)))
    assert described.keys() <= details.keys(), "what the rule describes is not in details"
    assert 0 <= details["winner_share"] <= 1


def check_rule_refusals(selection: Any, scoring: Any = None, oof: Any = None) -> None:
    """What a rule needs and does not get is one ValueError that names it."""
    needs, scoring = selection.needs, "roc_auc" if scoring is None else scoring

    def bind(**changed: Any) -> Any:
        example = _example(**changed)
        return lambda: clone(selection).bind(example, as_metric(scoring).bind(example))

    if oof is not None:
        return
    if "folds" in needs:
        assert_refused(bind(fold=np.zeros(60, dtype=int)), "fold", "a single fold")
    if "params" in needs:
        assert_refused(bind(params=None), "params", "configurations without parameters")
    if "two classes" in needs:
        three = example_predictions(n_classes=3)
        kernel = as_metric("roc_auc_ovr").bind(three)
        assert_refused(lambda: clone(selection).bind(three, kernel), "2 classes", "3 classes")


def check_rule_documentation(selection: Any, scoring: Any = None, oof: Any = None) -> None:
    """The docstring has a summary, notes, an example, all parameters and all details."""
    cls = type(selection)
    assert cls.__dict__.get("__doc__"), f"{cls.__name__} has no docstring"
    text = inspect.getdoc(cls) or ""
    parts = SECTION.split(text)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert text.split("\n\n")[0].endswith("."), "the summary does not end with a full stop"
    for section in ("Notes", "Examples"):
        assert section in sections, f"the docstring of {cls.__name__} has no {section!r}"
    for name in selection.get_params(deep=False):
        assert f"{name} : " in sections.get("Parameters", ""), f"{name} is not described"
    rule, oof = _bound(selection, scoring, oof)
    for key in rule.describe(rule.choose(_counts(oof))):
        assert f"``{key}``" in text, f"the docstring does not mention details[{key!r}]"


_CHECKS: tuple[Callable[..., None], ...] = (
    check_rule_registration,
    check_rule_outcome,
    check_rule_draws,
    check_rule_failures,
    check_rule_in_bbc,
    check_rule_refusals,
    check_rule_documentation,
)
