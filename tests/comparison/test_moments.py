"""Differences of two sides and tied sets from sums: the same as from rows."""

import numpy as np
import pytest

from sklearn_bbc import BBC, OOFPredictions, ScoreMoments
from sklearn_bbc.comparison import BBCDifference, Side, tied_with_best
from sklearn_bbc.exceptions import UndefinedIntervalError

MANY = {"n_bootstraps": 20_000, "random_state": 0}
NAMES = tuple("abcdef")


def right(n=1500, n_configs=6, seed=0):
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(n, 1)) + rng.normal(size=(n, n_configs))
    return (noise < np.linspace(0.9, 1.0, n_configs)).astype(float)


def predictions(scoring, n=1500):
    """Arguments of predictions of trained models."""
    rng = np.random.default_rng(1)
    if scoring in ("r2", "neg_mean_squared_error"):
        y = rng.normal(size=n)
        return {"y_true": y, "y_pred": y[:, None] + 0.5 * rng.normal(size=(n, 6))}
    y = rng.integers(2, size=n)
    if scoring == "roc_auc":
        return {"y_true": y, "y_pred": y[:, None] + rng.normal(size=(n, 6))}
    return {"y_true": y, "y_pred": np.where(right(n) > 0, y[:, None], 1 - y[:, None])}


def apart(one, other):
    """Differences of two results in units of the width of the first."""
    return np.subtract([one.difference, *one], [other.difference, *other]) / (one.high - one.low)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "sides", [([0, 1, 2], [3, 4, 5]), ([0, 1, 2, 3], [2, 3, 4]), ([4], [0, 1])]
)
@pytest.mark.parametrize("grouped", [False, True])
def test_a_difference_of_systems_is_that_of_rows(sides, grouped):
    scores, groups = right(), np.arange(1500) // 2 if grouped else None
    oof = [OOFPredictions.from_scores(scores[:, side], groups=groups) for side in sides]
    rows = BBCDifference(**MANY).compare(*oof)
    moments = ScoreMoments(6).update(scores, groups=groups)
    sums = BBCDifference(**MANY).compare(*(moments.part(side) for side in sides))
    assert np.abs(apart(rows, sums)).max() < 0.04
    assert abs(rows.p_value - sums.p_value) < 0.03
    np.testing.assert_allclose(rows.details["scores"], sums.details["scores"], atol=0.001)
    np.testing.assert_allclose(
        rows.details["winner_shares"], sums.details["winner_shares"], atol=0.03
    )
    assert [side[k] for side, k in zip(sides, rows.details["winners"])] == sums.details["winners"]
    assert (rows.estimand, rows.assumptions) == (sums.estimand, sums.assumptions)
    for key in ("n_configs", "unit", "n_samples"):
        assert rows.details[key] == sums.details[key]


@pytest.mark.long
@pytest.mark.parametrize("scoring", ["accuracy", "neg_mean_squared_error", "f1", "r2", "roc_auc"])
def test_a_difference_of_tuned_sides_is_that_of_rows(scoring):
    given = predictions(scoring)
    y, pred = given["y_true"], given["y_pred"]
    one, other = (OOFPredictions(y_true=y, y_pred=pred[:, k]) for k in (slice(4), slice(4, 6)))
    rows = BBCDifference(**MANY).compare(one, other, scoring)
    moments = ScoreMoments.from_predictions(given, scoring)
    parts = moments.part(range(4)), moments.part([4, 5])
    sums = BBCDifference(**MANY).compare(*parts)
    assert np.abs(apart(rows, sums)).max() < 0.05
    assert rows.names == sums.names
    assert (rows.estimand, rows.assumptions, rows.metric) == (
        sums.estimand, sums.assumptions, sums.metric,
    )  # fmt: skip
    one_sided = BBCDifference(alternative="greater", random_state=0)
    assert one_sided.compare(*parts).high == one_sided.compare(one, other, scoring).high


def test_a_fixed_side_is_named():
    moments = ScoreMoments(6, NAMES).update(right())
    result = BBCDifference(random_state=0).compare(moments.part(["b", "c"]), moments.part(["a"]))
    assert result.names == ("the best of 2 systems", "a")
    assert "normal" in result.details["draws"]


def test_a_part_is_what_sums_of_its_columns_are():
    scores, groups = right(), np.arange(1500) // 3
    part = ScoreMoments(6, NAMES).update(scores, groups=groups).part(["e", "b"])
    alone = ScoreMoments(2, ["e", "b"]).update(scores[:, [4, 1]], groups=groups)
    for name in ("means", "variances", "covariance", "largest_shares", "skewness"):
        np.testing.assert_allclose(getattr(part, name), getattr(alone, name), rtol=1e-11)
    results = [str(BBC(random_state=0).estimate(each)) for each in (part, alone)]
    assert results[0] == results[1]
    assert part.columns.tolist() == [4, 1]


WHOLE = ScoreMoments(6, NAMES).update(right())


@pytest.mark.parametrize(
    ("sides", "message"),
    [
        (lambda: (WHOLE, WHOLE.part(["a"])), "must be parts of the same ScoreMoments"),
        (lambda: (WHOLE.part(["a"]), WHOLE.copy().part(["b"])), "parts of the same ScoreMoments"),
        (lambda: (WHOLE.part(["a"]), OOFPredictions.from_scores(right())), "must be parts"),
        (lambda: (WHOLE.part(["a", "b"]), WHOLE.part(["b", "a"])), "the same configurations"),
        (lambda: (WHOLE.part(["g"]), WHOLE.part(["a"])), "got 'g'"),
        (lambda: (WHOLE.part([6]), WHOLE.part(["a"])), "0 to 5, got 6"),
        (lambda: (WHOLE.part(["a", 0]), WHOLE.part(["b"])), "must be different"),
        (lambda: (WHOLE.part([]), WHOLE.part(["b"])), "must be different"),
        (lambda: (WHOLE.part(range(6)), WHOLE.part([WHOLE.winner])), "nothing to compare"),
    ],
)
def test_sides_that_cannot_be_compared_are_told(sides, message):
    with pytest.raises(ValueError, match=message):
        BBCDifference(random_state=0).compare(*sides())


def test_nothing_is_added_to_a_part():
    part = WHOLE.part(["a", "b"])
    for add in (lambda: part.update(right()[:, :2]), lambda: part + part):
        with pytest.raises(ValueError, match="some configurations of other sums"):
            add()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("scoring", [None, "accuracy", "neg_mean_squared_error", "r2"])
def test_a_tied_set_is_that_of_rows(scoring):
    if scoring is None:
        scores = right()
        scores[:, 2] = scores[:, 5]
        oof = OOFPredictions.from_scores(scores, names=NAMES)
        moments = ScoreMoments(6, NAMES).update(scores)
    else:
        given = predictions(scoring)
        oof, moments = OOFPredictions(**given), ScoreMoments.from_predictions(given, scoring)
    draws = BBC(**MANY)
    rows, sums = tied_with_best(oof, scoring, draws=draws), tied_with_best(moments, draws=draws)
    assert rows.members.tolist() == sums.members.tolist()
    assert rows.best == sums.best
    np.testing.assert_allclose(rows.scores, sums.scores, rtol=1e-9)
    # Leaving out one sample is the influence, but for terms of the order 1 / n.
    close = 1e-9 if scoring != "r2" else 0.02
    np.testing.assert_allclose(rows.p_values, sums.p_values, atol=close)
    assert rows.details["best_p_value"] == pytest.approx(sums.details["best_p_value"], abs=close)
    np.testing.assert_allclose(rows.won, sums.won, atol=0.03)
    width = (rows.high - rows.low).max()
    for name in ("difference", "low", "high"):
        one, other = getattr(rows, name), getattr(sums, name)
        np.testing.assert_allclose(one, other, atol=0.05 * width)
    assert str(rows) == str(sums)
    assert rows.params == sums.params


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"method": "model_confidence_set"}, ValueError, "needs the scores of each sample"),
        ({"family": "C"}, ValueError, "know their names only"),
        ({"scoring": "accuracy"}, ValueError, "cannot be computed from sums"),
        ({"draws": BBC(draws="samples")}, ValueError, "no use for draws"),
    ],
)
def test_a_tied_set_that_needs_samples_is_told(given, error, message):
    with pytest.raises(error, match=message):
        tied_with_best(WHOLE, **given)


def test_few_samples_have_no_tied_set():
    with pytest.raises(UndefinedIntervalError, match="There are 30 items"):
        tied_with_best(ScoreMoments(2).update(right(30, 2)))


def test_a_single_system_ties_with_nothing():
    tied = tied_with_best(ScoreMoments(1).update(right(600, 1)), draws=BBC(random_state=0))
    assert tied.members.tolist() == [0]
    assert np.isnan(tied.details["best_p_value"])


def test_fixed_sides_are_those_of_sides():
    scores = right()
    oof = OOFPredictions.from_scores(scores)
    sides = [Side(oof=oof, config=k) for k in (5, 0)]
    rows = BBCDifference(**MANY).compare(*sides)
    moments = ScoreMoments(6).update(scores)
    sums = BBCDifference(**MANY).compare(moments.part([5]), moments.part([0]))
    assert np.abs(apart(rows, sums)).max() < 0.04
