"""What columns of predictions on a test set are, and which method judges them."""

import numpy as np
import pytest
from sklearn.metrics import fbeta_score, make_scorer

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import DeLong, HanleyMcNeil, Takahashi, Wald
from sklearn_bbc.intervals._bootstrap import Roles
from sklearn_bbc.intervals._holdout import choose, formula_for, systems_of
from sklearn_bbc.metrics import as_metric

Y = np.tile([0, 1], 10)
SCORES = np.random.default_rng(0).random((20, 2))
ONE, PAIR, SEEDS = Roles(1, False), Roles(1, True), Roles(3, False)


def oof(pred=SCORES[:, 0], **fields):
    return OOFPredictions(y_true=Y, y_pred=pred, **fields)


def test_columns_of_one_of_two_and_of_seeds():
    columns, roles = systems_of(SCORES[:, 0], None, False, 20)
    assert (columns.shape, roles) == ((20, 1), ONE)
    columns, roles = systems_of(SCORES[:, 0], SCORES[:, 1], False, 20)
    np.testing.assert_array_equal(columns, SCORES)
    assert roles == PAIR
    columns, roles = systems_of(SCORES, SCORES, True, 20)
    assert (columns.shape, roles) == ((20, 4), Roles(2, True))
    assert [ONE.plain, PAIR.plain, SEEDS.plain] == [True, False, False]
    assert len({ONE.estimand, PAIR.estimand, SEEDS.estimand}) == 3


@pytest.mark.parametrize(
    ("pred", "other", "pool", "message"),
    [
        (SCORES[:9, 0], None, False, r"y_pred has shape \(9,\), but there are 20 samples"),
        (SCORES[:, 0], SCORES[:9, 0], False, r"y_pred_other has shape \(9,\)"),
        (SCORES[:, 0], None, True, "pool_seeds=True needs y_pred of shape"),
        (SCORES, SCORES[:, :1], True, "must be predictions of the same samples"),
    ],
)
def test_columns_that_do_not_fit_are_named(pred, other, pool, message):
    with pytest.raises(ValueError, match=message):
        systems_of(pred, other, pool, 20)


@pytest.mark.parametrize(
    ("scoring", "roles", "expected"),
    [
        ("roc_auc", ONE, "delong"),
        ("roc_auc", PAIR, "delong"),
        ("accuracy", ONE, "wilson"),
        ("accuracy", PAIR, None),
        ("recall", ONE, "wilson"),
        ("f1", ONE, "takahashi"),
        ("neg_brier_score", ONE, None),
        (make_scorer(fbeta_score, beta=2), ONE, None),
    ],
)
def test_the_formula_for_a_metric(scoring, roles, expected):
    metric = as_metric(scoring)
    labels = metric.response_method == ("predict",)
    data = oof((SCORES[:, 0] > 0.5).astype(int) if labels else SCORES[:, 0])
    assert formula_for(metric, data, roles) == expected


def chosen(method, roles=ONE, data=None, bootstrap="cluster"):
    return choose(method, as_metric("roc_auc"), data or oof(), roles, bootstrap)


def test_auto_takes_a_formula_only_where_it_holds():
    assert isinstance(chosen("auto"), DeLong)
    assert chosen("auto", SEEDS) == "percentile"
    assert chosen("auto", data=oof(groups=np.arange(20) // 2)) == "percentile"
    assert chosen("auto", data=oof(sample_weight=np.ones(20))) == "percentile"


def test_names_and_objects():
    assert isinstance(chosen("hanley-mcneil"), HanleyMcNeil)
    assert isinstance(chosen("takahashi"), Takahashi)
    assert chosen("wilson").form == "wilson" and isinstance(chosen("wald"), Wald)
    assert chosen("bca") == "bca"
    given = DeLong(logit=True)
    assert chosen(given) is given


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("guess",), "method must be 'auto'"),
        (("wald", PAIR), "'wald' is for one model"),
        (("delong", SEEDS), "'delong' is for one model or a pair"),
        (("delong", ONE, None, "two-stage"), "is for bootstraps, but method='delong' is a form"),
        (("bca", SEEDS), "pooled seeds spread between training runs"),
        (("studentised", ONE, None, "two-stage"), "draws groups and then samples"),
        ((Wald(), PAIR), "is for one model"),
        ((DeLong(logit=True), PAIR), "leave logit, config and selection"),
    ],
)
def test_what_would_be_dropped_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        chosen(*arguments)
