"""The contracts of kernels, of rules of selection and of methods for tied sets."""

import numpy as np
import pytest
from sklearn.metrics import make_scorer, roc_auc_score

from sklearn_bbc.comparison import Bonferroni, TiedMethod
from sklearn_bbc.comparison._tied_methods import _TIED_METHODS as TIED
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.metrics._base import _FAMILIES, MetricKernel
from sklearn_bbc.selection import BoundSelection, Outcome, Selection
from sklearn_bbc.selection._base import _SELECTIONS as SELECTIONS
from sklearn_bbc.testing import (
    check_contract,
    check_metric,
    example_predictions,
)


@pytest.fixture(autouse=True)
def own_registries(monkeypatch):
    monkeypatch.setattr("sklearn_bbc.selection._base._SELECTIONS", dict(SELECTIONS))
    monkeypatch.setattr("sklearn_bbc.comparison._tied_methods._TIED_METHODS", dict(TIED))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_sizes_folds_and_skill(n_classes):
    oof = example_predictions(n_samples=90, n_configs=3, n_folds=5, n_classes=n_classes, seed=1)
    assert (oof.n_samples, oof.n_configs, oof.n_splits, len(oof.classes_)) == (90, 3, 5, n_classes)
    for fold in range(5):
        held = np.bincount(oof.y_true[oof.fold == fold], minlength=n_classes)
        assert held.min() == held.max()
    proba = oof.responses["predict_proba"]
    scores = [roc_auc_score(oof.y_true, each, multi_class="ovr") for each in proba]
    assert 0.6 < scores[0] < scores[-1] < 1


def test_the_seed_makes_them():
    one, same, other = (example_predictions(seed=seed) for seed in (0, 0, 1))
    assert one == same and one != other


def accuracy(y_true, y_pred):
    return float(np.mean(y_true == y_pred))


@pytest.fixture
def wrong_kernel(monkeypatch):
    """A family for `accuracy` above, broken in the way asked for."""

    def make(**methods):
        def scores(self, weights, configs):
            right = (self.rows.y == self.rows.classes[self.rows.pred[configs]]).astype(float)
            weights = weights.astype(float)
            return weights @ right.T / weights.sum(axis=1, keepdims=True)

        monkeypatch.setattr("sklearn_bbc.metrics._base._FAMILIES", dict(_FAMILIES))
        body = {"name": "wrong", "score_funcs": {accuracy: (0.0, 1.0)}, "scores": scores}
        type("Wrong", (MetricKernel,), {**body, **methods})
        return make_scorer(accuracy)

    return make


def test_a_right_kernel_passes(wrong_kernel):
    scoring = wrong_kernel()
    oof = example_predictions()
    assert as_metric(scoring).bind(oof).family == "wrong"
    check_metric(scoring, oof)


@pytest.mark.parametrize(
    "methods",
    [
        {"scores": lambda self, weights, configs: np.full((len(weights), len(configs)), 0.5)},
        {"winners": lambda self, weights, sign: np.zeros(len(weights), dtype=np.intp)},
        {"score_of": lambda self, weights, configs: np.zeros(len(weights))},
    ],
    ids=["scores", "winners", "score_of"],
)
def test_a_wrong_kernel_is_found(wrong_kernel, methods):
    with pytest.raises(AssertionError):
        check_metric(wrong_kernel(**methods), example_predictions())


def test_undefined_scores_are_compared_too():
    """With two samples of a class some resamples lack it."""
    oof = example_predictions(n_samples=8)
    check_metric("roc_auc", oof, n_draws=40)


def test_check_metric_needs_a_function():
    with pytest.raises(AssertionError, match="hidden"):
        check_metric(lambda estimator, X, y: 0.0, example_predictions())


def rule(choose):
    bound = type("Bound", (BoundSelection,), {"by": "own rule", "choose": choose})
    doc = """Own.\n\nNotes\n-----\nNone.\n\nExamples\n--------\n>>> Own()\nOwn()\n"""
    body = {"name": "own_rule", "__doc__": doc, "_bind": lambda self, scored: bound(scored)}
    made = type("Own", (Selection,), {**body, "__module__": __name__})
    globals()["Own"] = made  # where pickle looks for it
    return made


def best(self, weights):
    scores = np.nan_to_num(self.scored.scores(weights), nan=-np.inf)
    return Outcome({"config": scores.argmax(axis=1)})


def by_the_batch(self, weights):
    config = self.scored.scores(weights).mean(axis=0).argmax()
    return Outcome({"config": np.full(len(weights), config)})


def any_config(self, weights):
    n_configs = self.scored.scores(weights[:1]).shape[1]
    return Outcome({"config": np.random.default_rng().integers(n_configs, size=len(weights))})


def failed_ones_too(self, weights):
    return Outcome({"config": np.zeros(len(weights), dtype=int)})


def test_a_right_rule_passes():
    check_contract(rule(best)())


@pytest.mark.parametrize("choose", [by_the_batch, any_config, failed_ones_too])
def test_broken_choices_are_found(choose):
    with pytest.raises(AssertionError):
        check_contract(rule(choose)())


def method(p_values, **body):
    def init(self, *, confidence_level=0.95):
        self.confidence_level = confidence_level

    usual = {
        "name": "own", "meant_for": "tests", "cost": "nothing", "limits": "none",
        "__doc__": "Own.", "__init__": init, "_p_values": p_values, "__module__": __name__,
    }  # fmt: skip
    return type("Own", (TiedMethod,), {**usual, **body})


def right(self, values, fold):
    return Bonferroni()._p_values(values, fold)


def all_equal(self, values, fold):
    return np.ones(values.shape[1])


def none_at_all(self, values, fold):
    return np.zeros(values.shape[1])


def at_random(self, values, fold):
    return np.random.default_rng().random(values.shape[1])


def too_large(self, values, fold):
    return 2 * right(self, values, fold)


def too_few(self, values, fold):
    return right(self, values, fold)[:1]


def test_a_right_method_passes():
    check_contract(method(right))


@pytest.mark.parametrize("broken", [all_equal, none_at_all, at_random, too_large, too_few])
def test_broken_p_values_are_found(broken):
    with pytest.raises((AssertionError, IndexError)):
        check_contract(method(broken))


@pytest.mark.parametrize(
    "body", [{"limits": ""}, {"cost": "a | b"}, {"__doc__": None}, {"p_values": right}]
)
def test_what_is_missing_is_found(body):
    with pytest.raises((AssertionError, TypeError)):
        check_contract(method(right, **body))


def test_a_parameter_by_position_is_found():
    def init(self, confidence_level=0.95):
        self.confidence_level = confidence_level

    with pytest.raises(AssertionError, match="by keyword"):
        check_contract(method(right, __init__=init))
