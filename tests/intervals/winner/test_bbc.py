"""BBC against enumerations; its properties, degenerate data and notes."""

import math
import re
from itertools import combinations_with_replacement

import numpy as np
import pytest
from sklearn.metrics import make_scorer, roc_auc_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.contest._contest import (
    Contest,
    other_choice,
    scores_of_draws,
    selection_details,
)
from sklearn_bbc.contest._notes import pooling_note
from sklearn_bbc.contest._strata import DrawStrata
from sklearn_bbc.intervals import BBC, ShrunkenBBC
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.resampling import IID, Draws, Units
from sklearn_bbc.selection import SimplestTied
from sklearn_bbc.testing import example_predictions
from tests.made import made


class EveryDraw:
    """Stands for `Draws`: every equally likely sequence of as many units as there are.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions of few samples.
    kernel : BoundMetric
        The metric, whose strata each draw needs in-bag and out-of-bag.
    """

    entropy = n_lacking = 0

    def __init__(self, oof, kernel):
        units, strata = Units.of(oof), kernel.strata
        self.strata = DrawStrata.of(kernel, units)
        n = units.n_units
        counts = np.array(
            [
                np.bincount(sequence, minlength=n)
                for sequence in combinations_with_replacement(range(n), n)
            ]
        )
        times = np.array([math.factorial(n) // np.prod([math.factorial(c) for c in row])
                          for row in counts])  # fmt: skip
        indicator = units.indicator(strata).astype(int)
        distinct = (counts > 0) @ indicator
        accepted = ((distinct > 0) & (distinct < indicator.sum(axis=0))).all(axis=1)
        self.n_redrawn = int(times[~accepted].sum())
        self.n_accepted = int(times[accepted].sum())
        self.times = times[accepted]
        self.counts = units.expand(counts[accepted].astype(np.uint8))

    def map(self, function):
        """Results of all sequences; equal counts are computed once."""
        results = function(self.counts)
        if isinstance(results, tuple):
            return tuple(np.repeat(part, self.times, axis=0) for part in results)
        return np.repeat(results, self.times, axis=0)


def estimate_exactly(method, oof, scoring):
    """What `method.estimate` converges to as the number of draws grows."""
    kernel = as_metric(scoring).bind(oof)
    method.draws_for = lambda contest: EveryDraw(oof, kernel)
    return method._estimate(Contest(kernel, method.selection))


Y6 = np.array([0, 0, 0, 1, 1, 1])
SCORES6 = np.array([[0.1, 0.4, 0.35, 0.8, 0.4, 0.9], [0.5, 0.2, 0.3, 0.6, 0.7, 0.25]]).T


def noisy(seed, n_samples=60, n_configs=5, shift=0.8, **fields):
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % 2
    scores = rng.normal(size=(n_samples, n_configs)) + shift * y[:, None]
    return made(y_true=y, y_pred=scores, fold=np.arange(n_samples) // 2 % 5, **fields)


CORRECT = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1], [1, 1, 1], [0, 0, 1]])
Y5 = np.array([1, 0, 1, 0, 1])


def of_correctness(correct, y=Y5, **fields):
    labels = np.where(correct == 1, y[:, None], 1 - y[:, None])
    return made(y_true=y, y_pred=labels, **fields)


# --- exact -------------------------------------------------------------------------------


def test_every_draw_of_five_correctness_rows():
    oof = of_correctness(CORRECT, fold=np.arange(5))
    draws = EveryDraw(oof, as_metric("accuracy").bind(oof))
    assert (draws.n_accepted, draws.n_redrawn) == (3005, 120)
    result = estimate_exactly(BBC(n_bootstraps=3005, alternative="greater"), oof, "accuracy")
    assert result.estimate == pytest.approx(0.4019134775, abs=5e-11)
    assert result.low == 0.0
    assert result.high == 1.0
    assert result.details["winner"] == 2


def test_every_draw_of_six_scores():
    oof = OOFPredictions(y_true=Y6, y_pred=SCORES6)
    kernel = as_metric("roc_auc").bind(oof)
    np.testing.assert_allclose(
        kernel.scores(np.ones((1, 6), dtype=np.uint8))[0], [17 / 18, 7 / 9], rtol=1e-15
    )
    draws = EveryDraw(oof, kernel)
    assert (draws.n_accepted, draws.n_redrawn) == (24318, 6**6 - 24318)
    result = estimate_exactly(BBC(alternative="greater"), oof, "roc_auc")
    assert result.estimate == pytest.approx(0.7704580969, abs=5e-11)
    assert result.low == 0.0


@pytest.mark.parametrize(
    "oof, scoring, mean",
    [
        (of_correctness(CORRECT), "accuracy", 0.4019134775),
        (OOFPredictions(y_true=Y6, y_pred=SCORES6), "roc_auc", 0.7704580969),
    ],
    ids=["accuracy", "roc_auc"],
)
def test_random_draws_converge_to_all_of_them(oof, scoring, mean):
    result = BBC(n_bootstraps=40_000, random_state=0).estimate(oof, scoring)
    assert abs(result.estimate - mean) < 4 * result.draws.std() / 200
    accepted = EveryDraw(oof, as_metric(scoring).bind(oof))
    expected = accepted.n_redrawn / accepted.n_accepted
    assert result.details["n_redrawn"] / 40_000 == pytest.approx(expected, rel=0.1)


# --- groups ------------------------------------------------------------------------------


def test_a_group_is_in_the_bag_or_out_of_it():
    groups = np.arange(60) // 4
    oof = noisy(0, groups=groups)
    kernel = as_metric("roc_auc").bind(oof)
    draws = BBC(n_bootstraps=128, random_state=0).draws_for(Contest(kernel))
    counts = draws.map(lambda counts: counts)
    per_group = counts.reshape(128, 15, 4)
    assert (per_group == per_group[:, :, :1]).all()
    assert (per_group[:, :, 0].sum(axis=1) == 15).all()


# --- repeats -----------------------------------------------------------------------------


def test_repeats_share_the_draw_and_average_the_scores():
    """One draw of samples for all repeats, or an out-of-bag sample is in-bag elsewhere."""
    rng = np.random.default_rng(0)
    stack = rng.random((3, 6, 2)) + 0.3 * Y6[:, None]
    oof = OOFPredictions(y_true=Y6, y_pred=stack)
    kernel = as_metric("roc_auc").bind(oof)
    counts = EveryDraw(oof, kernel).counts

    def mean_score(rows, config):
        return np.mean([roc_auc_score(Y6[rows], part[rows, config]) for part in stack])

    for draw in counts[::17]:
        in_bag, left_out = np.repeat(np.arange(6), draw), np.flatnonzero(draw == 0)
        in_bag_scores = [mean_score(in_bag, config) for config in range(2)]
        np.testing.assert_allclose(kernel.scores(draw[None])[0], in_bag_scores, atol=1e-14)
        winner = kernel.winners(draw[None])
        assert in_bag_scores[winner[0]] == pytest.approx(max(in_bag_scores), abs=1e-14)
        score = kernel.score_of(draw[None] == 0, winner)[0]
        assert score == pytest.approx(mean_score(left_out, winner[0]), abs=1e-14)


# --- weights -----------------------------------------------------------------------------


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc"])
def test_a_weight_of_two_is_a_sample_twice(scoring):
    oof = noisy(0)
    scores = oof.matrix("roc_auc") if scoring == "roc_auc" else (oof.matrix("roc_auc") > 0) * 1
    weight = 1 + np.arange(60) % 2
    weighted = OOFPredictions(y_true=oof.y_true, y_pred=scores, sample_weight=weight)
    rows = np.repeat(np.arange(60), weight)
    repeated = OOFPredictions(y_true=oof.y_true[rows], y_pred=scores[rows], groups=rows)
    method = BBC(n_bootstraps=100, random_state=0)
    expected, found = (method.estimate(each, scoring) for each in (repeated, weighted))
    np.testing.assert_allclose(found.draws, expected.draws, rtol=1e-12)


# --- degenerate data ---------------------------------------------------------------------


def test_a_class_with_one_sample():
    y = np.array([1] + [0] * 9)
    oof = OOFPredictions(y_true=y, y_pred=np.arange(10.0), fold=np.arange(10) % 5)
    with pytest.raises(ValueError, match=r"class 1 has 1 sample.*At least 2 samples"):
        BBC().estimate(oof, "roc_auc")
    assert (
        0
        <= BBC(n_bootstraps=50)
        .estimate(oof, make_scorer(lambda y, pred: float(np.mean(pred))))
        .estimate
        <= 9
    )


def test_leave_one_out_has_a_winner_although_no_fold_has_an_auc():
    oof = OOFPredictions(y_true=Y6, y_pred=SCORES6[:, ::-1], fold=np.arange(6))
    with np.errstate(all="raise"):
        result = BBC(n_bootstraps=50, random_state=0).estimate(oof, "roc_auc")
    assert result.details["winner"] == 1


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_undefined_predictions_never_win(value):
    oof = noisy(0, n_configs=2)
    scores = np.array(oof.matrix("roc_auc"))
    scores[:, 0] = oof.y_true  # perfect, but for one sample
    scores[7, 0] = value
    result = BBC(n_bootstraps=64, random_state=0).estimate(
        OOFPredictions(y_true=oof.y_true, y_pred=scores, fold=oof.fold), "roc_auc"
    )
    assert result.details["winner"] == 1
    assert result.details["winner_share"] == 1.0
    assert (result.details["n_configs"], result.details["n_valid"]) == (2, 1)


def test_all_configurations_undefined():
    oof = OOFPredictions(y_true=Y6, y_pred=np.full((6, 2), np.nan))
    with pytest.raises(ValueError, match="No configuration has a complete, finite prediction"):
        BBC().estimate(oof, "roc_auc")
    oof = made(y_true=Y6, y_pred=SCORES6, failed=[True, True])
    with pytest.raises(ValueError, match="No configuration"):
        BBC().estimate(oof, "roc_auc")


def test_splits_that_are_no_partition():
    """Shuffle splits: rows of a sample are pooled, untested samples are not resampled."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    sample = np.concatenate([rng.permutation(30)[:12] for _ in range(4)])
    oof = OOFPredictions.from_rows(
        y_true=y,
        responses={"predict_proba": rng.random((3, 48)) + 0.2 * y[sample]},
        sample=sample,
        fold=np.repeat(np.arange(4), 12),
    )
    result = BBC(n_bootstraps=64, random_state=0).estimate(oof, "roc_auc")
    assert result.details["unit"] == "sample"
    assert result.details["n_untested"] == 40 - len(np.unique(sample))
    assert "The splits overlap: samples were held out 0 to 4 times" in result.details["notes"][0]
    counts = BBC(n_bootstraps=64).draws_for(Contest(as_metric("roc_auc").bind(oof))).map(np.copy)
    assert (counts[:, 30:] == 0).all()
    assert (counts.sum(axis=1) == len(np.unique(sample))).all()


N = 60
Y = np.arange(N) % 2
FOLD = np.arange(N) // 2 % 5


def scores(seed=0, shift=1.0):
    """Every fold has a scale of its own."""
    values = np.random.default_rng(seed).normal(size=(N, 3)) + shift * Y[:, None]
    return values + 2.0 * FOLD[:, None]


def notes_of(scoring, pred, y=Y, fold=FOLD, method=BBC, **fields):
    oof = made(y_true=y, y_pred=pred, fold=fold, **fields)
    return method(n_bootstraps=40, random_state=0).estimate(oof, scoring).details["notes"]


def pooling(notes):
    return [note for note in notes if "different folds are compared" in note]


@pytest.mark.parametrize("method", [BBC, ShrunkenBBC])
def test_the_gap_between_pooled_and_fold_scores_is_reported(method):
    pred = scores()
    by_folds = np.array(
        [[roc_auc_score(Y[FOLD == f], pred[FOLD == f, c]) for c in range(3)] for f in range(5)]
    ).mean(axis=0)
    winner = by_folds.argmax()
    (note,) = pooling(notes_of("roc_auc", pred, method=method))
    figures = [float(x) for x in re.findall(r"\d\.\d{3}", note)]
    pooled = roc_auc_score(Y, pred[:, winner])
    assert figures == [pytest.approx(pooled, abs=5e-4), pytest.approx(by_folds[winner], abs=5e-4)]
    assert pooled < by_folds[winner] - 0.1  # the scales of the folds


def test_a_difference_within_a_standard_error_is_not_reported():
    """The difference of pooled score and mean of folds, beside the spread of the folds."""
    noted = set()
    for scale in (0.0, 0.1, 0.3, 0.6, 1.0):
        pred = scores() - (2.0 - scale) * FOLD[:, None]
        oof = OOFPredictions(y_true=Y, y_pred=pred, fold=FOLD)
        kernel = as_metric("roc_auc").bind(oof)
        for config in range(3):
            of_folds = [roc_auc_score(Y[FOLD == f], pred[FOLD == f, config]) for f in range(5)]
            gap = abs(np.mean(of_folds) - roc_auc_score(Y, pred[:, config]))
            beyond = gap > np.std(of_folds, ddof=1) / np.sqrt(5)
            assert (pooling_note(kernel, config) is not None) == beyond
            noted.add(bool(beyond))
    assert noted == {True, False}


@pytest.fixture
def oof():
    made = example_predictions()
    return OOFPredictions.from_rows(
        y_true=made.y_true,
        responses=dict(made.responses),
        fold=made.fold,
        params=[{"depth": depth} for depth in (3, 1, 2, 4)],
    )


def test_the_winner_is_that_of_the_rule_and_another_one_is_reported(oof):
    kernel, simplest = as_metric("roc_auc").bind(oof), SimplestTied("depth", margin=1.0)
    rule = simplest.bind(kernel)  # all tie: depth 1 always
    _, outcome = scores_of_draws(rule, Draws(IID(60), 10, 0))
    found = selection_details(Contest(kernel, simplest), [(outcome, None)])
    assert (found["winner"], found["winner_by"], found["winner_share"]) == (1, rule.by, 1.0)
    assert other_choice(oof, rule) == []
    assert other_choice(oof.with_selected(1), rule) == []
    (note,) = other_choice(oof.with_selected(0, by="the search"), rule)
    assert "configuration 0 (depth=3), the rule selects configuration 1 (depth=1)" in note
    contest = Contest(kernel.with_predictions(oof.with_selected(0)), simplest)
    details = selection_details(contest, [(outcome, None)])
    assert details["winner"] == 1 and any("configuration 1" in each for each in details["notes"])
