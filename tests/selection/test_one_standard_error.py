"""OneStandardError against a plain loop, by hand, and on draws of folds."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import BBC, BBCF
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.selection import FoldTable, OneStandardError
from tests.selection.draws import draws, predictions, scores_by_fold


def by_a_loop(table, depths):
    """The rule on the fold scores of one draw, written plainly."""
    table = table[~np.isnan(table).all(axis=1)]
    means = table.mean(axis=0)
    best = int(np.argmax(means))
    error = table[:, best].std(ddof=1) / np.sqrt(len(table))
    good = [k for k in range(len(means)) if means[k] >= means[best] - error]
    return min(good, key=lambda k: (depths[k], -means[k], k))


@pytest.mark.parametrize("scoring", ["roc_auc", "neg_brier_score"])
@pytest.mark.parametrize("n_repeats", [1, 2])
def test_equal_to_a_plain_loop_on_repeated_rows(scoring, n_repeats):
    oof = predictions(n_repeats=n_repeats)
    depths = [each["depth"] for each in oof.params]
    counts = draws(oof, 25)
    rule = OneStandardError("depth").bind(oof, as_metric(scoring).bind(oof))
    expected = [by_a_loop(scores_by_fold(scoring, oof, count), depths) for count in counts]
    found = rule.choose(counts)["config"]
    assert len(set(expected)) > 1, "the example is too easy"
    np.testing.assert_array_equal(found, expected)


def test_by_hand():
    # Means 0.70 and 0.68; the best one has the standard error 0.1 / sqrt(4 * 3) * 2 = 0.0577.
    scores = np.array([[0.6, 0.6], [0.8, 0.76], [0.6, 0.6], [0.8, 0.76]])
    oof = OOFPredictions(
        y_true=[], classes=None, fold_scores={"accuracy": scores}, params=[{"d": 2}, {"d": 1}]
    )
    table = FoldTable(as_metric("accuracy"), scores)
    everything = np.ones((1, 4), dtype=int)
    assert OneStandardError("d").bind(oof, table).choose(everything)["config"].tolist() == [1]
    # Without spread there is no margin.
    flat = np.array([[0.70, 0.68]] * 4)
    rule = OneStandardError("d").bind(oof, FoldTable(as_metric("accuracy"), flat))
    assert rule.choose(everything)["config"].tolist() == [0]


def test_equally_simple_ones_go_by_score_then_by_order():
    scores = np.array([[0.60, 0.61, 0.61], [0.80, 0.80, 0.80]])
    oof = OOFPredictions(y_true=[], classes=None, fold_scores={"a": scores}, params=[{"d": 1}] * 3)
    rule = OneStandardError("d").bind(oof, FoldTable(as_metric("accuracy"), scores))
    assert rule.choose(np.ones((1, 2), dtype=int))["config"].tolist() == [1]


def test_bbcf_equals_a_loop_over_all_draws_of_folds():
    rng = np.random.default_rng(1)
    scores = rng.normal(0.7, 0.05, size=(5, 4)) + [0.02, 0, 0.01, 0.03]
    params = [{"d": d} for d in (4, 1, 2, 3)]
    oof = OOFPredictions(y_true=[], classes=None, fold_scores={"accuracy": scores}, params=params)
    result = BBCF(selection=OneStandardError("d")).estimate(oof, "accuracy")
    total, n = 0.0, 0
    for draw in np.ndindex(*[5] * 5):
        left_out = np.setdiff1d(np.arange(5), draw)
        if len(left_out) == 0:
            continue
        chosen = by_a_loop(scores[list(draw)], [4, 1, 2, 3])
        total, n = total + scores[left_out, chosen].mean(), n + 1
    assert result.estimate == pytest.approx(total / n, rel=1e-12)
    assert result.details["winner"] == by_a_loop(scores, [4, 1, 2, 3])
    assert result.details["winner_by"] == "one standard error"


def test_details_count_folds_and_name_the_winner_of_the_rule():
    oof = predictions(n_samples=24, n_folds=6).with_selected(0)
    method = BBC(selection=OneStandardError("depth"), n_bootstraps=100, random_state=0)
    result = method.estimate(oof, "roc_auc")
    assert 2 < result.details["mean_folds"] < 6, "some folds lack a class in some draws"
    everything = scores_by_fold("roc_auc", oof, np.ones(24, dtype=int))
    depths = [each["depth"] for each in oof.params]
    assert result.details["winner"] == by_a_loop(everything, depths)
    assert result.details["rule"] == "one standard error"
    assert any("the rule selects configuration 5" in note for note in result.details["notes"])
    folds = BBCF(selection=OneStandardError("depth")).estimate(oof, "accuracy")
    assert any("(given) is configuration 0" in note for note in folds.details["notes"])


def test_weighted_folds_are_refused():
    oof = predictions()
    with pytest.raises(ValueError, match="weight_folds=True is not possible"):
        BBCF(weight_folds=True, selection=OneStandardError("depth")).estimate(oof, "accuracy")


def test_with_one_fold_that_has_a_score_the_best_is_selected():
    """Only one fold keeps both classes in these draws: there is no standard error."""
    oof = predictions(n_samples=20, n_folds=5)
    kernel = as_metric("roc_auc").bind(oof)
    counts = ((oof.fold == 2) | (oof.y_true == 1))[None].astype(np.uint8)
    rule = OneStandardError("depth").bind(oof, kernel)
    outcome = rule.choose(counts)
    assert outcome["n_folds"].tolist() == [1]
    scores = scores_by_fold("roc_auc", oof, counts[0])[2]
    equal = np.flatnonzero(scores == scores.max())  # the last one is the simplest
    assert outcome["config"].tolist() == [equal[-1]]
    assert rule.describe(outcome)["n_without_error"] == 1
    nothing = rule.choose(oof.y_true[None, :].astype(np.uint8))
    assert nothing["config"].tolist() == [-1], "no fold has a score"
    assert np.isnan(rule.score(nothing, np.ones((1, 20)))).all()
