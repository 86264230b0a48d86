"""Inner draws: what picks say one by one, for any batch, width of counts and unit."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import _replicate
from sklearn_bbc.intervals._replicate import inner_patterns, inner_standard_errors
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.resampling import IID, Units

N = 45
Y = (np.arange(N) % 9 == 0).astype(int)  # rare enough that inner draws lack it
PRED = np.random.default_rng(0).normal(size=N) + Y


def one_by_one(counts, units, patterns, score):
    """Each inner draw from the list of the picks of its outer draw."""
    first = [np.flatnonzero(units.of_sample == k)[0] for k in range(units.n_units)]
    errors = []
    for of_units in counts[:, first]:
        picks = np.repeat(np.arange(units.n_units), of_units)
        inner = [np.bincount(picks, weights=p, minlength=units.n_units) for p in patterns]
        values = score(units.expand(np.array(inner).astype(np.int64)))
        values = values[~np.isnan(values)]
        errors.append(values.std(ddof=1) if len(values) > 1 else 0.0)
    return np.array(errors)


@pytest.mark.parametrize("scoring", ["roc_auc", "accuracy", "f1"])
@pytest.mark.parametrize("by", ["sample", "group"])
@pytest.mark.parametrize("times", [1, 100])
@pytest.mark.parametrize("at_once", [1, 2**14])
def test_inner_draws_as_picks_say(scoring, by, times, at_once, monkeypatch):
    monkeypatch.setattr(_replicate, "COUNTS_AT_ONCE", at_once)
    groups = {"groups": np.arange(N) // 3, "fold": np.arange(N) // 9} if by == "group" else {}
    pred = PRED if scoring == "roc_auc" else (PRED > 0.5).astype(int)
    oof = OOFPredictions(y_true=Y, y_pred=pred, **groups)
    kernel, units = as_metric(scoring).bind(oof), Units.of(oof)
    counts = units.expand(IID(units.n_units).draw(np.random.default_rng(1), 40))
    # A hundred times as many need two bytes each.
    patterns = inner_patterns(units.n_units, 7).astype(np.int64) * times

    def score(weights):
        return kernel.score_of(weights, np.zeros(len(weights), dtype=np.intp))

    found = inner_standard_errors(counts, units, patterns, score)
    np.testing.assert_array_equal(found, one_by_one(counts, units, patterns, score))
    assert (found > 0).sum() > 30


def test_errors_of_draws_with_undefined_inner_ones():
    nothing, one, some = [np.nan] * 4, [np.nan, 0.5, np.nan, np.nan], [0.1, np.nan, 0.2, 0.4]
    found = _replicate.standard_deviations(np.array([nothing, one, some]))
    np.testing.assert_array_equal(found, [0, 0, np.std([0.1, 0.2, 0.4], ddof=1)])
