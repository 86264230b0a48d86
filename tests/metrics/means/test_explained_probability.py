"""D2 of log loss and Brier score: equal to scikit-learn on repeated rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.metrics import d2_log_loss_score, make_scorer

from sklearn_bbc import OOFPredictions
from sklearn_bbc.metrics import as_metric
from tests.metrics.repeated_rows import check_kernel, with_weights

SEEDS = st.integers(0, 2**32 - 1)
some = settings(max_examples=max(1, settings().max_examples // 3))
d2_brier_score = getattr(metrics, "d2_brier_score", None)
PROBABILITIES = {"response_method": "predict_proba"}


def data(seed, n_classes):
    """Labels of every class and probabilities (n_configs, n, n_classes)."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 30))
    y = rng.permutation(np.arange(n) % n_classes)
    pred = rng.dirichlet(np.ones(n_classes), size=(3, n))
    return rng, y, pred


@some
@given(SEEDS, st.sampled_from([2, 3]))
def test_log_loss(seed, n_classes):
    rng, y, pred = data(seed, n_classes)
    pred = pred[:, :, 1] if n_classes == 2 else pred
    scorer = make_scorer(d2_log_loss_score, **PROBABILITIES)
    oof = OOFPredictions.from_rows(y_true=y, responses={"plain": pred})
    kernel, counts, scores = check_kernel(scorer, oof, pred, family="d2_log_loss", rng=rng)
    assert kernel.strata_names == [f"class {k}" for k in range(n_classes)]
    assert not kernel.is_pointwise and kernel.pointwise(0) is None
    expected = with_weights(as_metric(scorer), y, pred, counts)
    there = ~np.isnan(scores)
    np.testing.assert_allclose(scores[there], expected[there], rtol=1e-12, atol=1e-12)


@pytest.mark.skipif(d2_brier_score is None, reason="this release has no d2_brier_score")
@some
@given(SEEDS, st.sampled_from([2, 3]), st.booleans())
def test_brier(seed, n_classes, given_argument):
    rng, y, pred = data(seed, n_classes)
    if n_classes == 2:
        pred, kwargs = pred[:, :, 1], {"pos_label": 1}
    else:
        kwargs = {"labels": [0, 1, 2]}
    scorer = make_scorer(d2_brier_score, **PROBABILITIES, **(kwargs if given_argument else {}))
    oof = OOFPredictions.from_rows(y_true=y, responses={"plain": pred})
    # scikit-learn divides by zero where a draw holds one class.
    kernel, *_ = check_kernel(scorer, oof, pred, family="d2_brier", rng=rng, constant=False)
    assert (kernel.strata is None) == (n_classes == 3 and given_argument)


@pytest.mark.skipif(d2_brier_score is None, reason="this release has no d2_brier_score")
@pytest.mark.parametrize("n_classes", [1, 2])
def test_a_single_class_has_no_brier_score_to_explain(n_classes):
    y = np.arange(10) % n_classes
    kernel = as_metric("d2_brier_score").bind(OOFPredictions(y_true=y, y_pred=np.full(10, 0.4)))
    one_class = (y == 0)[None].astype(np.uint8)
    assert np.isnan(kernel.scores(one_class)).all()
    assert np.isnan(kernel.score_of(one_class, 0)).all()
    assert np.isnan(kernel.scores(one_class * 0.5)).all()


def test_with_labels_it_is_replayed():
    _, y, pred = data(0, 3)
    scorer = make_scorer(d2_log_loss_score, labels=[0, 1, 2], **PROBABILITIES)
    oof = OOFPredictions.from_rows(y_true=y, responses={"plain": pred})
    assert as_metric(scorer).bind(oof).family == "replay"
