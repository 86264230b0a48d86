"""D2 of log loss and Brier score: a single class, and what is replayed."""

import numpy as np
import pytest
from sklearn import metrics
from sklearn.metrics import d2_log_loss_score, make_scorer

from sklearn_bbc import OOFPredictions
from sklearn_bbc.metrics import as_metric

d2_brier_score = getattr(metrics, "d2_brier_score", None)


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
    scorer = make_scorer(d2_log_loss_score, labels=[0, 1, 2], response_method="predict_proba")
    pred = np.random.default_rng(0).dirichlet(np.ones(3), size=(3, 20))
    oof = OOFPredictions.from_rows(y_true=np.arange(20) % 3, responses={"plain": pred})
    assert as_metric(scorer).bind(oof).family == "replay"
