"""`best_of` on sums, and of many systems: the same as on the table of scores."""

import numpy as np
import pytest

from sklearn_bbc import ScoreMoments, best_of
from sklearn_bbc.comparison import _systems
from sklearn_bbc.exceptions import UndefinedIntervalError

ARRAYS = (
    "scores", "low", "high", "p_values", "difference", "difference_low", "difference_high",
    "difference_p",
)  # fmt: skip


def right(n=1000, n_systems=6, seed=0):
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(n, 1)) + rng.normal(size=(n, n_systems))
    return (noise < np.linspace(0.6, 1.0, n_systems)).astype(float)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("baseline", [None, "system 1"])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("losses", [False, True])
def test_sums_give_the_table_that_scores_give(baseline, grouped, losses):
    scores = 1 - right() if losses else right()
    scores[:, 4] = scores[:, 3]
    groups = np.arange(1000) // 2 if grouped else None
    given = {"baseline": baseline, "n_bootstraps": 20_000, "random_state": 0}
    moments = ScoreMoments(6, greater_is_better=not losses).update(scores, groups=groups)
    rows = best_of(scores, groups=groups, greater_is_better=not losses, **given)
    sums = best_of(moments, **given)
    for name in ARRAYS:
        one, other = getattr(rows, name), getattr(sums, name)
        assert (one is None) == (other is None)
        if one is not None:
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
    assert (rows.selected, rows.tied, rows.names) == (sums.selected, sums.tied, sums.names)
    assert rows.smallest_difference == pytest.approx(sums.smallest_difference)
    np.testing.assert_allclose(rows.won, sums.won, atol=0.02)
    np.testing.assert_allclose([*rows.interval], [*sums.interval], atol=0.04 * rows.interval.width)
    for name in ("versus_runner_up", "versus_baseline"):
        one, other = getattr(rows, name), getattr(sums, name)
        if one is not None:
            width = one.high - one.low
            found = np.subtract([one.difference, *one], [other.difference, *other]) / width
            assert np.abs(found).max() < 0.04
            assert one.names == other.names
            for key in ("winners", "n_configs", "unit", "n_samples"):
                assert one.details[key] == other.details[key]
    assert "normal approximation of the draws: 20,000 of" in sums.summary()


def test_names_and_a_single_system():
    result = best_of(ScoreMoments(2, ["a", "b"]).update(right(n_systems=2)), random_state=0)
    assert result.names == ("a", "b")
    one = best_of(ScoreMoments(1).update(right(n_systems=1)), random_state=0)
    assert one.versus_runner_up is None
    assert "No other system was compared" in one.summary()


@pytest.mark.parametrize(
    ("moments", "given", "error", "message"),
    [
        (lambda: ScoreMoments(2).update(right(n_systems=2)), {"groups": [1]}, ValueError,
         "ScoreMoments have their own"),
        (lambda: ScoreMoments(2).update(right(n_systems=2)), {"baseline": "c"}, ValueError,
         "none of the 2 systems"),
        (lambda: ScoreMoments.from_predictions(
            {"y_true": np.arange(600) % 2, "y_pred": np.zeros((600, 2), int)}, "accuracy"
        ), {}, ValueError, r"use BBC\(\).estimate\(moments\)"),
        (lambda: ScoreMoments(2).update(right(30, 2)), {}, UndefinedIntervalError,
         "There are 30 items"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_told(moments, given, error, message):
    with pytest.raises(error, match=message):
        best_of(moments(), random_state=0, **given)


@pytest.mark.parametrize("baseline", [None, "system 0", "system 39"])
def test_systems_that_cannot_win_change_nothing(baseline, monkeypatch):
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(300, 1)) + rng.normal(size=(300, 40)) + np.linspace(0, 3, 40)
    given = {"baseline": baseline, "n_bootstraps": 500, "random_state": 0}
    whole = best_of(scores, **given)
    monkeypatch.setattr(_systems, "MANY_SYSTEMS", 3)
    drawn = []
    taken = _systems.taken

    def noted(oof, configs):
        drawn.append(configs)
        return taken(oof, configs=configs)

    monkeypatch.setattr(_systems, "taken", noted)
    less = best_of(scores, **given)
    assert len(drawn[0]) < 30
    for name in (*ARRAYS, "won"):
        one, other = getattr(whole, name), getattr(less, name)
        if one is not None:
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
    assert (whole.selected, whole.tied) == (less.selected, less.tied)
    for name in ("estimate", "low", "high"):
        assert getattr(less.interval, name) == pytest.approx(getattr(whole.interval, name))
    for name in ("winner", "won", "contenders", "n_configs", "n_valid", "winner_name"):
        assert less.interval.details[name] == whole.interval.details[name]
    for name in ("versus_runner_up", "versus_baseline"):
        if getattr(whole, name) is not None:
            one, other = getattr(whole, name), getattr(less, name)
            assert (one.difference, *one) == pytest.approx((other.difference, *other))
            assert one.names == other.names
