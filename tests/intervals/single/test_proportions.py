"""Intervals for proportions at the ends of the range; which metrics are proportions of rows."""

import numpy as np
import pytest
from sklearn.metrics import make_scorer, recall_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals._analytic import PROPORTION_FORMS, row_values
from sklearn_bbc.metrics import as_metric

STATSMODELS = {
    "normal": "normal",
    "wilson": "wilson",
    "clopper-pearson": "beta",
    "agresti-coull": "agresti_coull",
}  # of Jeffreys' form it keeps the quantiles at the ends
KEEPS_A_WIDTH = sorted(set(PROPORTION_FORMS) - {"normal"})


@pytest.mark.parametrize("form", STATSMODELS)
@pytest.mark.parametrize("successes, n", [(0, 20), (1, 20), (19, 20), (20, 20), (0, 1), (1, 1)])
def test_the_ends_of_the_range_are_those_of_statsmodels(form, successes, n):
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    low, high = PROPORTION_FORMS[form](successes, n, 0.05)
    expected = proportion.proportion_confint(successes, n, 0.1, STATSMODELS[form])
    assert np.clip((low, high), 0, 1) == pytest.approx(np.clip(expected, 0, 1), abs=1e-12)


@pytest.mark.parametrize("form", KEEPS_A_WIDTH)
def test_bounds_at_the_ends_are_exact_and_mirror_each_other(form):
    function = PROPORTION_FORMS[form]
    for n in range(1, 60):
        low, high = function(0, n, 0.025)
        assert low == 0 and 0 < high <= 1
        mirrored_low, mirrored_high = function(n, n, 0.025)
        assert mirrored_high == 1 and mirrored_low == pytest.approx(1 - high, abs=1e-12)


@pytest.fixture
def oof():
    return OOFPredictions(y_true=[0, 1, 1, 1, 0, 1], y_pred=[0, 1, 0, 1, 1, 1])


def test_recall_is_a_mean_over_the_rows_of_its_class(oof):
    values, counted = row_values(as_metric("recall").bind(oof), 0)
    assert values.tolist() == [1, 1, 0, 1, 0, 1]
    assert counted.tolist() == [False, True, True, True, False, True]
    other = as_metric(make_scorer(recall_score, pos_label=0)).bind(oof)
    assert row_values(other, 0)[1].tolist() == [True, False, False, False, True, False]
