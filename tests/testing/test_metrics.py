"""The contract of kernels: right ones pass, broken ones are found."""

import numpy as np
import pytest
from sklearn.metrics import make_scorer

from sklearn_bbc.metrics import as_metric
from sklearn_bbc.metrics._base import _FAMILIES, MetricKernel
from sklearn_bbc.testing import check_metric, example_predictions


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
        body = {"name": "wrong", "score_funcs": {accuracy: (0.0, 1.0)}, "_scores": scores}
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
        {"_scores": lambda self, weights, configs: np.full((len(weights), len(configs)), 0.5)},
        {"_winners": lambda self, weights, sign: np.zeros(len(weights), dtype=np.intp)},
        {"_score_of": lambda self, weights, configs: np.zeros(len(weights))},
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
