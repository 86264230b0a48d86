"""Two models that are equally good: the tests of level 5% reject in about 5% of data sets."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, norm

from sklearn_bbc import OOFPredictions
from sklearn_bbc.comparison import McNemar, PairedBootstrap, PairedDeLong, PairedT, Side
from sklearn_bbc.intervals._bootstrap import FORMS

N_DATA_SETS = 200


def rejections(method, scoring, n_samples, labels=False):
    """How many of the data sets reject; models share half of their errors."""
    count = 0
    for seed in range(N_DATA_SETS):
        rng = np.random.default_rng([7, seed])
        y = np.arange(n_samples) % 2
        shared, own = rng.normal(size=(n_samples, 1)), rng.normal(size=(n_samples, 2))
        scores = y[:, None] + shared + own
        pred = (scores > 0.5).astype(int) if labels else 1 / (1 + np.exp(0.5 - scores))
        oof = OOFPredictions(y_true=y, y_pred=pred)
        one, other = Side(oof=oof, config=0), Side(oof=oof, config=1)
        count += method.compare(one, other, scoring).p_value <= 0.05
    return count


@pytest.mark.parametrize(
    ("method", "scoring", "labels"),
    [
        (PairedT(), "neg_log_loss", False),
        (PairedDeLong(), "roc_auc", False),
        (McNemar(), "accuracy", True),
        (PairedBootstrap(form="studentised", n_bootstraps=200, random_state=0), "accuracy", True),
    ],
    ids=lambda value: getattr(value, "name", None),
)
@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
def test_equal_models_are_rarely_called_different(method, scoring, labels):
    count = rejections(method, scoring, 80, labels)
    low, high = binom.ppf([0.0015, 0.9985], N_DATA_SETS, 0.05)
    assert count <= high
    # Counts of few samples are conservative, but a test that never rejects would be broken.
    assert count >= (2 if labels else low)


def held(method, scoring, truth, draw):
    """How many of the data sets have an interval that holds the true difference."""
    count = 0
    for seed in range(N_DATA_SETS):
        y, pred = draw(np.random.default_rng([8, seed]))
        oof = OOFPredictions(y_true=y, y_pred=pred)
        result = method.compare(Side(oof=oof, config=0), Side(oof=oof, config=1), scoring)
        count += truth in result
    return count


def two_markers(rng):
    y = np.arange(80) % 2
    shared, own = rng.normal(size=(80, 1)), rng.normal(size=(80, 2))
    return y, y[:, None] * [1.5, 0.8] + (shared + own) / np.sqrt(2)


def two_regressions(rng):
    y = rng.normal(size=80)
    return y, y[:, None] + rng.normal(scale=[0.5, 0.8], size=(80, 2))


@pytest.mark.parametrize(
    ("method", "scoring", "truth", "draw"),
    [
        (PairedDeLong(), "roc_auc", float(np.ptp(norm.cdf([1.5 / 2**0.5, 0.8 / 2**0.5]))),
         two_markers),
        (PairedT(), "neg_mean_squared_error", 0.8**2 - 0.5**2, two_regressions),
    ],
    ids=["delong", "t"],
)  # fmt: skip
def test_intervals_hold_a_difference_that_is_there(method, scoring, truth, draw):
    low, high = binom.ppf([0.0015, 0.9985], N_DATA_SETS, 0.95)
    assert low <= held(method, scoring, truth, draw) <= high


def undecided(seed, n_samples, share):
    """Labels and probabilities of two equally good models, for `share` positive samples."""
    rng = np.random.default_rng([3, seed])
    y = (np.arange(n_samples) < share * n_samples).astype(int)
    scores = 1.2 * y[:, None] + rng.normal(size=(n_samples, 1)) + rng.normal(size=(n_samples, 2))
    return y, 1 / (1 + np.exp(0.6 - scores))


@pytest.mark.slow
@pytest.mark.parametrize(("n_samples", "share"), [(40, 0.5), (100, 0.2)])
@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
def test_how_often_each_form_of_the_bootstrap_rejects(n_samples, share, capsys):
    """The table behind the default form; ``-m slow -s`` prints it."""
    forms, metrics = list(FORMS), ("roc_auc", "accuracy", "neg_log_loss")
    rejected = pd.DataFrame(0, index=forms, columns=metrics)
    n_data_sets = 500
    for seed in range(n_data_sets):
        y, proba = undecided(seed, n_samples, share)
        for metric in metrics:
            pred = (proba > 0.5).astype(int) if metric == "accuracy" else proba
            oof = OOFPredictions(y_true=y, y_pred=pred)
            sides = Side(oof=oof, config=0), Side(oof=oof, config=1)
            for form in forms:
                method = PairedBootstrap(form=form, n_bootstraps=400, random_state=seed)
                rejected.loc[form, metric] += method.compare(*sides, metric).p_value <= 0.05
    with capsys.disabled():
        print(f"\n{n_samples} samples, {share:g} positive: share rejected at 5%")
        print((rejected / n_data_sets).to_string())
    assert (rejected.loc[PairedBootstrap().form] <= binom.ppf(0.9985, n_data_sets, 0.05)).all()
    assert (rejected <= 0.1 * n_data_sets).all(axis=None)
