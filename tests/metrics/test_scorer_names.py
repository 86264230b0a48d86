"""Every scorer name of scikit-learn: which path it takes, and that every kind of method works.

The table below is the one in the docs. A name that scikit-learn adds fails here until it is
given its line.
"""

import numpy as np
import pytest
from sklearn.metrics import get_scorer_names

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import BBC, BBCF
from sklearn_bbc.metrics import as_metric

N = 60
RNG = np.random.default_rng(0)

# kind of target -> family -> names
PATHS = {
    "binary": {
        "accuracy": "accuracy",
        "average_precision": "average_precision",
        "balanced_accuracy": "balanced_accuracy",
        "brier": "neg_brier_score",
        "d2_brier": "d2_brier_score",
        "d2_log_loss": "d2_log_loss_score",
        "log_loss": "neg_log_loss",
        "matthews": "matthews_corrcoef",
        "precision_recall": "f1 jaccard precision recall",
        "roc_auc": "roc_auc",
        "replay": "neg_negative_likelihood_ratio positive_likelihood_ratio",
    },
    "multiclass": {
        "precision_recall": "f1_macro f1_micro f1_weighted jaccard_macro jaccard_micro "
        "jaccard_weighted precision_macro precision_micro precision_weighted recall_macro "
        "recall_micro recall_weighted",
        "roc_auc_ovo": "roc_auc_ovo roc_auc_ovo_weighted",
        "roc_auc_ovr": "roc_auc_ovr roc_auc_ovr_weighted",
        "top_k": "top_k_accuracy",
        "replay": "adjusted_mutual_info_score adjusted_rand_score completeness_score "
        "fowlkes_mallows_score homogeneity_score mutual_info_score normalized_mutual_info_score "
        "rand_score v_measure_score",
    },
    "multilabel": {"replay": "f1_samples jaccard_samples precision_samples recall_samples"},
    "regression": {
        "d2_absolute_error": "d2_absolute_error_score",
        "explained_variance": "explained_variance",
        "max_error": "neg_max_error",
        "mean_error": "neg_mean_absolute_error neg_mean_absolute_percentage_error "
        "neg_mean_gamma_deviance neg_mean_poisson_deviance neg_mean_squared_error "
        "neg_mean_squared_log_error",
        "median_absolute_error": "neg_median_absolute_error",
        "r2": "r2",
        "root_mean_error": "neg_root_mean_squared_error neg_root_mean_squared_log_error",
    },
}
FAMILY = {
    name: (kind, family)
    for kind, families in PATHS.items()
    for family, names in families.items()
    for name in names.split()
}
# Younger than the oldest scikit-learn that we support.
NEW = {"d2_brier_score", "d2_log_loss_score"}


def classes_data(n_classes, skill):
    y = np.arange(N) % n_classes
    proba = RNG.dirichlet(np.ones(n_classes), size=(2, N)) + skill * np.eye(n_classes)[y]
    proba /= proba.sum(axis=2, keepdims=True)
    return OOFPredictions.from_rows(
        y_true=y,
        responses={"predict": proba.argmax(axis=2), "predict_proba": proba},
        fold=np.arange(N) // n_classes % 5,
    )


def regression_data():
    y = RNG.gamma(2.0, size=N) + 0.1
    pred = y * RNG.gamma(20.0, 0.05, size=(2, N))
    return OOFPredictions.from_rows(y_true=y, responses={"predict": pred}, fold=np.arange(N) % 5)


def multilabel_data():
    y = RNG.integers(2, size=(N, 3))
    y[:, 0] |= ~y.any(axis=1)
    pred = np.where(RNG.random((2, N, 3)) < 0.8, y, 1 - y)
    return OOFPredictions.from_rows(y_true=y, responses={"predict": pred}, fold=np.arange(N) % 5)


DATA = {
    "binary": classes_data(2, 0.2),  # errors of both kinds, or likelihood ratios are undefined
    "multiclass": classes_data(4, 0.6),
    "multilabel": multilabel_data(),
    "regression": regression_data(),
}
METHODS = [
    BBC(n_bootstraps=20, random_state=0),
    BBCF(),
]


def check_every_method(scoring, oof, methods):
    low, high = as_metric(scoring).bounds
    for method in methods:
        result = method.estimate(oof, scoring)
        assert np.isfinite([result.estimate, *result]).all()
        assert result.low <= result.high
        assert low <= result.estimate <= high
        if result.draws is not None:
            assert low <= result.low and result.high <= high


def test_every_name_has_its_line():
    names = set(get_scorer_names())
    assert names - set(FAMILY) <= {"max_error"}  # the old name of neg_max_error
    assert set(FAMILY) - names <= NEW


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", sorted(set(FAMILY) & set(get_scorer_names())))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_path_and_methods(name):
    kind, family = FAMILY[name]
    assert as_metric(name).bind(DATA[kind]).family == family
    # Draws of samples call a scorer without kernel many times: see intervals/test_every_scorer.py.
    check_every_method(name, DATA[kind], METHODS[family == "replay" :])
