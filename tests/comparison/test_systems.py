"""The best of several systems that are fixed: plain loops, exact cases, words, bad input."""

import pickle
import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from scipy.stats import norm, t, ttest_rel
from statsmodels.stats.proportion import proportion_confint

from sklearn_bbc import BBC, OOFPredictions, best_of, compare, holdout_interval
from sklearn_bbc.comparison import Side, tied_with_best
from sklearn_bbc.comparison._base import registered as comparisons
from sklearn_bbc.contest import Question
from sklearn_bbc.display import SelectionFrequencyDisplay, TiedSetDisplay
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import BBCF, ShrunkenBBC, Wald
from sklearn_bbc.intervals._base import contest_for
from sklearn_bbc.intervals._base import registered as methods

RNG = np.random.default_rng(1)
SHARED = RNG.normal(size=(40, 1))
SCORES = SHARED + RNG.normal(size=(40, 6)) + np.linspace(0, 0.6, 6)
NAMES = list("abcdef")
FEW = {"n_bootstraps": 300, "random_state": 0}


def drawn_counts(scores, **given):
    """The counts of items in the draws of all methods."""
    oof = OOFPredictions.from_scores(scores, **given)
    kernel_counts = []
    method = BBC(**FEW)
    contest = contest_for(method, Question(oof=oof, metric=None))
    method.draws_for(contest).map(lambda counts: kernel_counts.append(counts.copy()) or counts)
    return np.concatenate(kernel_counts)


def correction(scores, counts):
    """Estimate, winners of the draws, best column and the share it wins, by loops."""
    n, n_systems = scores.shape
    mean = [sum(scores[:, c]) / n for c in range(n_systems)]
    best = max(range(n_systems), key=lambda c: mean[c])
    winners, coupled = [], 0.0
    for count in counts:
        drawn = [sum(count * scores[:, c]) / n for c in range(n_systems)]
        winners.append(max(range(n_systems), key=lambda c: drawn[c]))
        lead = drawn[winners[-1]] - drawn[best] + 2 * (mean[best] - mean[winners[-1]])
        coupled += (mean[best] - lead) / len(counts)
    near = []
    for c in range(n_systems):
        apart = scores[:, best] - scores[:, c]
        if c == best or apart.mean() <= 2 * apart.std() / np.sqrt(n):
            near.append(c)
    middle = sum(mean[c] for c in near) / len(near)
    spread = sum((mean[c] - middle) ** 2 for c in near) / len(near)
    noise = sum(scores[i, near].var() for i in range(n)) / n - np.var([mean[c] for c in near])
    factor = max(0, 1 - noise / n / spread) if spread else 0
    shrunken = middle + factor * (mean[best] - middle)
    weight = min(0.5, 1.5 / np.sqrt(len(near)))
    share = sum(winner == best for winner in winners) / len(winners)
    return coupled + weight * (shrunken - coupled), winners, best, share


def by_formula(scores, counts, level=0.95):
    """Estimate and bounds of the selected column of scores without limits, by loops."""
    n = len(scores)
    estimate, winners, best, share = correction(scores, counts)
    error = np.sqrt(sum(scores[:, c].std() ** 2 / n for c in winners) / len(winners))
    reach = t.ppf((1 + level) / 2, n - 1) * error
    upper = scores[:, best].mean() + norm.ppf(level) * np.sqrt(min(1, 2 * share)) * error
    return estimate, estimate - reach, max(estimate + reach, upper)


def shares_by_formula(right, counts, level=0.95):
    """The same for right and wrong: limits on the arcsine scale, at least those of Wilson."""
    n = len(right)
    estimate, winners, best, share = correction(right, counts)
    mean = [sum(right[:, c]) / n for c in range(right.shape[1])]
    variance = sum(mean[c] * (1 - mean[c]) / n for c in winners) / len(winners)
    # d score / d scale is 2 sqrt(p (1 - p)).
    slope = sum(4 * mean[c] * (1 - mean[c]) for c in winners) / len(winners)
    error = max(np.sqrt(variance / slope), 0.5 / np.sqrt(n))
    scale = np.arcsin(np.sqrt(estimate))
    reach = t.ppf((1 + level) / 2, n - 1) * error
    upper = np.arcsin(np.sqrt(mean[best])) + norm.ppf(level) * np.sqrt(min(1, 2 * share)) * error
    low, high = np.sin(scale - reach) ** 2, np.sin(max(scale + reach, upper)) ** 2
    least = proportion_confint(estimate * n, n, method="wilson")
    return estimate, min(low, least[0]), max(high, least[1])


def difference_by_formula(first, second, counts, level=0.95):
    """Difference of what is selected among the columns of two tables, and bounds, by loops."""
    n = len(first)
    (one, winners, best, share), (other, rivals, rival, of_rival) = (
        correction(scores, counts) for scores in (first, second)
    )
    pairs = zip(winners, rivals)
    error = np.sqrt(sum((first[:, c] - second[:, d]).var() / n for c, d in pairs) / len(counts))
    reach = t.ppf((1 + level) / 2, n - 1) * error
    low, high = one - other - reach, one - other + reach
    up = norm.ppf(level) * np.sqrt(min(1, 2 * share)) * error
    down = norm.ppf(level) * np.sqrt(min(1, 2 * of_rival)) * error
    if first.shape[1] > 1:
        high = max(high, first[:, best].mean() - other + up)
    if second.shape[1] > 1:
        low = min(low, one - second[:, rival].mean() - down)
    return one - other, low, high


MANY = np.random.default_rng(3).normal(size=(40, 30))


@pytest.mark.parametrize("scores", [SCORES[:, :2], SCORES, MANY], ids=["2", "6", "30 equal"])
def test_the_interval_is_that_of_a_plain_loop(scores):
    result = best_of(scores, **FEW).interval
    expected = by_formula(scores, drawn_counts(scores))
    assert (result.estimate, *result) == pytest.approx(expected, rel=1e-10)


RATINGS = np.clip(np.round(3 + SCORES), 1, 5)
RUNS = SCORES[..., None] + np.random.default_rng(4).normal(size=(40, 6, 3))
OF_RUNS = np.array([[sum(RUNS[i, c]) / 3 for c in range(6)] for i in range(40)])


@pytest.mark.parametrize(
    ("given", "loss", "values"),
    [(SCORES, False, SCORES), (RATINGS, False, RATINGS), (SCORES**2, True, -(SCORES**2)),
     (RUNS, False, OF_RUNS)],
    ids=["scores", "ratings", "losses", "runs"],
)  # fmt: skip
def test_all_numbers_are_those_of_plain_loops(given, loss, values):
    result = best_of(given, names=NAMES, baseline="b", greater_is_better=not loss, **FEW)
    counts = drawn_counts(given, greater_is_better=not loss)
    interval = result.interval
    expected = by_formula(values, counts)
    assert (interval.estimate, *interval) == pytest.approx(expected, rel=1e-10)
    best = NAMES.index(result.selected)
    found = result.versus_runner_up
    expected = difference_by_formula(values, np.delete(values, best, axis=1), counts)
    assert (found.difference, *found) == pytest.approx(expected, rel=1e-10)
    found = result.versus_baseline
    expected = difference_by_formula(np.delete(values, 1, axis=1), values[:, [1]], counts)
    assert (found.difference, *found) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("cut", [0.3, -1.2], ids=["half", "nearly all"])
def test_limits_of_right_and_wrong_are_those_of_a_plain_loop(cut):
    right = (SCORES > cut).astype(int)
    result = best_of(right, **FEW).interval
    expected = shares_by_formula(right, drawn_counts(right))
    assert (result.estimate, *result) == pytest.approx(expected, rel=1e-10)


def test_groups_of_equal_sizes_are_items_with_their_means():
    groups = np.arange(40) // 4
    means = np.array([SCORES[4 * g : 4 * g + 4].sum(axis=0) / 4 for g in range(10)])
    result = best_of(SCORES, groups=groups, **FEW)
    counts = drawn_counts(SCORES, groups=groups)
    counts = counts[:, ::4] if counts.shape[1] == 40 else counts
    expected = by_formula(means, counts)
    assert (result.interval.estimate, *result.interval) == pytest.approx(expected, rel=1e-10)
    best = NAMES.index("abcdef"[int(means.mean(axis=0).argmax())])
    found = result.versus_runner_up
    expected = difference_by_formula(means, np.delete(means, best, axis=1), counts)
    assert (found.difference, *found) == pytest.approx(expected, rel=1e-10)


def test_moments_of_groups_are_those_of_draws():
    """Exact moments of group totals against the moments that very many draws show."""
    groups = np.arange(40) // 4
    oof = OOFPredictions.from_scores(SCORES, groups=groups)
    fixed = ShrunkenBBC(n_bootstraps=20000, random_state=0).estimate(oof)
    contest = contest_for(BBC(), Question(oof=oof, metric=None))
    kernel = contest.scored
    drawn = BBC(n_bootstraps=20000, random_state=0).draws_for(contest).map(kernel.scores)
    won = np.bincount(kernel.first_best(drawn), minlength=6) / len(drawn)
    error = np.sqrt(won @ drawn.var(axis=0))
    assert fixed.details["standard_error"] == pytest.approx(error, rel=0.02)
    assert fixed.details["unit"] == "group"


def test_losses_are_scores_turned():
    one = best_of(SCORES, names=NAMES, baseline="b", **FEW)
    other = best_of(-SCORES, names=NAMES, baseline="b", greater_is_better=False, **FEW)
    assert other.selected == one.selected
    assert other.tied == one.tied
    assert (other.interval.estimate, *other.interval) == pytest.approx(
        (one.interval.estimate, *one.interval)
    )
    assert other.versus_baseline.difference == pytest.approx(one.versus_baseline.difference)
    frame = other.frame()
    np.testing.assert_allclose(frame["score"], -one.frame()["score"])
    assert (frame["low"] <= frame["score"]).all()
    assert (frame["score"] <= frame["high"]).all()
    np.testing.assert_allclose(frame["difference"], one.frame()["difference"])
    assert "mean loss" in other.summary()


def test_right_or_wrong_turned_is_the_same_on_the_arcsine():
    right = (SCORES > 0.3).astype(int)
    one = best_of(right, **FEW).interval
    other = best_of(1 - right, greater_is_better=False, **FEW).interval
    assert one.details["scale"] == other.details["scale"] == "arcsine"
    assert (other.estimate, *other) == pytest.approx((one.estimate - 1, one.low - 1, one.high - 1))


def test_rows_are_those_of_other_packages():
    right = (SCORES > 0.3).astype(int)
    binary = best_of(right, names=NAMES, baseline="a", **FEW)
    expected = [proportion_confint(k, 40, method="wilson") for k in right.sum(axis=0)]
    np.testing.assert_allclose(np.stack([binary.low, binary.high], axis=1), expected, atol=1e-12)

    result = best_of(SCORES, names=NAMES, baseline="a", **FEW)
    best = NAMES.index(result.selected)
    for k, name in enumerate(NAMES):
        own = t.interval(0.95, 39, SCORES[:, k].mean(), SCORES[:, k].std(ddof=1) / np.sqrt(40))
        assert (result.low[k], result.high[k]) == pytest.approx(own, rel=1e-12)
        if k != best:
            p = 5 * ttest_rel(SCORES[:, best], SCORES[:, k], alternative="greater").pvalue
            assert result.p_values[k] == pytest.approx(min(1, p), rel=1e-10)
            assert (name in result.tied) == (p > 0.05)
        if name != "a":
            test = ttest_rel(SCORES[:, k], SCORES[:, 0])
            joint = test.confidence_interval(1 - 0.05 / 5)
            assert result.difference_p[k] == pytest.approx(min(1, 5 * test.pvalue), rel=1e-10)
            assert result.difference_low[k] == pytest.approx(joint.low, rel=1e-10)
            assert result.difference_high[k] == pytest.approx(joint.high, rel=1e-10)
    assert np.isnan(result.difference[0])
    assert result.versus_runner_up.names == tuple(result.frame().index[:2])
    errors = [(SCORES[:, k] - SCORES[:, 0]).std(ddof=1) / np.sqrt(40) for k in range(1, 6)]
    assert result.smallest_difference == pytest.approx(
        (t.ppf(0.975, 39) + norm.ppf(0.8)) * np.median(errors)
    )


@pytest.mark.parametrize("seed", range(4))
def test_the_corrected_score_is_never_above_the_best(seed):
    """Also of few draws, whose own noise is no reason to correct upwards."""
    rng = np.random.default_rng(seed)
    for scores in (rng.normal(size=(30, 5)), rng.random((30, 3)) < 0.8, rng.normal(size=(30, 1))):
        result = best_of(scores, n_bootstraps=30, random_state=seed)
        assert result.interval.estimate <= result.scores.max() + 1e-12
    ahead = rng.normal(size=(30, 3)) + [0, 0, 50]
    result = best_of(ahead, baseline="system 0", n_bootstraps=30, random_state=seed)
    assert result.interval.estimate == pytest.approx(ahead[:, 2].mean(), rel=1e-12)
    found = result.versus_baseline
    assert found.difference == pytest.approx((ahead[:, 2] - ahead[:, 0]).mean(), rel=1e-12)


def test_one_winner_on_both_sides_of_every_draw_is_not_certain():
    """Of two groups a draw holds one twice, in which the winner of all items is never the best."""
    scores, groups = SCORES[:, :3] / 10, np.arange(40) // 20
    scores[:, 0] += np.where(groups == 0, 2.0, 0.0)
    scores[:, 1] += np.where(groups == 1, 2.0, 0.0)
    scores[:, 2] += 1.1
    result = best_of(scores, groups=groups, baseline="system 0", **FEW)
    assert result.selected == "system 2"
    assert result.won[2] == 0
    found, means = result.versus_runner_up, np.array([scores[:20].mean(0), scores[20:].mean(0)])
    behind = 0 if means.mean(axis=0)[0] > means.mean(axis=0)[1] else 1
    error = (means[:, 2] - means[:, behind]).std() / np.sqrt(2)
    assert found.details["standard_error"] == pytest.approx(error)
    assert found.p_value > 0.05
    assert 0 in found


def test_differences_without_spread_are_said_to_be_uncertain():
    with pytest.warns(IntervalWarning, match="no spread can be seen"):
        result = best_of(np.tile([0.1, 0.5, 0.9], (20, 1)), baseline="system 0", **FEW)
    notes = [note for note in result.details["notes"] if "certainly wrong" in note]
    assert [note.partition(":")[0] for note in notes] == [
        "system 2 against system 1", "system 2 against system 0",
    ]  # fmt: skip
    assert "would be found" not in result.summary()


def test_the_smallest_difference_is_found_in_80_percent():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(2000, 50, 2))
    errors = (noise[..., 1] - noise[..., 0]).std(axis=1, ddof=1) / np.sqrt(50)
    size = (t.ppf(0.975, 49) + norm.ppf(0.8)) * errors
    found = ttest_rel(noise[..., 1] + size[:, None], noise[..., 0], axis=1).pvalue < 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("lead", [-0.5, 0.0, 0.4])
def test_interval_and_p_value_of_a_difference_agree(alternative, lead):
    one = OOFPredictions.from_scores(SCORES + lead)
    other = OOFPredictions.from_scores(SHARED + RNG.normal(size=(40, 4)) + 0.5)
    result = compare(one, other, alternative=alternative, **FEW)
    assert result.method == "shrunken_difference"
    assert (0 in result) == (result.p_value > 0.05)
    at = compare(
        one, other, alternative=alternative, confidence_level=1 - result.p_value - 1e-6, **FEW
    ) if 1e-4 < result.p_value < 0.9 else None  # fmt: skip
    assert at is None or 0 not in at


def test_a_difference_of_two_sides_turns_with_them():
    one = OOFPredictions.from_scores(SCORES)
    other = OOFPredictions.from_scores(SHARED + RNG.normal(size=(40, 4)) + 0.5)
    here, there = compare(one, other, **FEW), compare(other, one, **FEW)
    assert (here.difference, *here) == pytest.approx((-there.difference, -there.high, -there.low))
    assert here.p_value == pytest.approx(there.p_value)
    scores = [ShrunkenBBC(**FEW).estimate(each).estimate for each in (one, other)]
    assert here.difference == pytest.approx(scores[0] - scores[1])


def test_against_one_fixed_system_by_hand():
    """Without a selection the difference is that of the means, up to the noise of the draws."""
    one = OOFPredictions.from_scores(SCORES)
    result = compare(Side(oof=one, config=0), one, n_bootstraps=20000, random_state=0)
    best = best_of(SCORES, n_bootstraps=20000, random_state=0).interval.estimate
    assert result.difference == pytest.approx(SCORES[:, 0].mean() - best, abs=0.01)
    assert "train" not in result.summary()


def test_the_best_of_the_others_is_compared_with_the_baseline():
    scores = SCORES.copy()
    scores[:, 2] += 3
    result = best_of(scores, names=NAMES, baseline="c", **FEW)
    assert result.selected == "c"
    assert result.versus_baseline.names[1] == "c"
    assert result.versus_baseline.names[0] != "c"
    assert result.versus_baseline.high < 0
    assert result.tied == ("c",)
    assert "the only one of them that may be the best" in result.summary()


def test_words_speak_of_systems():
    result = best_of(SCORES, names=NAMES, groups=np.arange(40) // 2, **FEW)
    text = str(result)
    assert "train" not in text
    assert "configuration" not in text
    assert "Of 6 systems" in text
    assert "40 items in 20 groups" in text
    assert result.frame().index[0] == result.selected
    assert result.selected in result._repr_html_()
    many = best_of(np.random.default_rng(0).random((30, 40)), **FEW)
    assert "and 28 more systems" in str(many)
    assert pickle.loads(pickle.dumps(result)) == result


def test_one_system_has_no_rival():
    result = best_of(SCORES[:, :1], names=["only"], **FEW)
    assert result.selected == "only"
    assert result.versus_runner_up is None
    assert "No other system was compared" in result.summary()
    assert SCORES[:, 0].mean() == pytest.approx(result.interval.estimate, abs=0.05)


def test_equal_systems_are_all_tied():
    scores = np.repeat(SCORES[:, :1], 3, axis=1)
    result = best_of(scores, baseline="system 1", **FEW)
    assert result.tied == ("system 0", "system 1", "system 2")
    assert result.versus_runner_up.difference == 0
    assert result.versus_baseline.difference == 0
    assert result.versus_baseline.p_value == 1
    assert np.nanmax(result.difference_p) == 1
    assert any("All systems have the same score" in note for note in result.details["notes"])


def test_everything_right_is_not_certain():
    low, high = proportion_confint(50, 50, method="wilson")
    result = best_of(np.ones((50, 3)), **FEW)
    assert tuple(result.interval) == pytest.approx((low, high))
    assert result.low == pytest.approx([low] * 3)
    turned = best_of(np.zeros((50, 3)), greater_is_better=False, **FEW)
    assert tuple(turned.interval) == pytest.approx((low - 1, high - 1))


def test_bad_baselines_and_predictions_are_refused():
    with pytest.raises(ValueError, match="baseline='g' is none of the 6 systems: 'a', 'b'"):
        best_of(SCORES, names=NAMES, baseline="g")
    with pytest.raises(ValueError, match="Did you mean 'gpt-4o'"):
        best_of(SCORES[:, :2], names=["gpt-4o", "x"], baseline="gpt4o")
    trained = OOFPredictions(y_true=np.arange(40) % 2, y_pred=SCORES)
    with pytest.raises(ValueError, match="predictions of models, which need a metric"):
        best_of(trained)
    with pytest.raises(ValueError, match="belong to a table"):
        best_of(OOFPredictions.from_scores(SCORES), names=NAMES)
    with pytest.raises(ValueError, match="hold scores of which a greater one is better"):
        best_of(OOFPredictions.from_scores(SCORES), greater_is_better=False)
    assert best_of(OOFPredictions.from_scores(SCORES), **FEW) == best_of(SCORES, **FEW)


def test_order_of_items_and_threads_do_not_matter():
    one = best_of(pd.DataFrame(SCORES, columns=NAMES), **FEW)
    many = best_of(pd.DataFrame(SCORES, columns=NAMES), n_jobs=2, **FEW)
    assert one == many
    turned = best_of(SCORES[:, ::-1], names=NAMES[::-1], **FEW)
    assert turned.selected == one.selected
    assert turned.interval.estimate == pytest.approx(one.interval.estimate)


@pytest.mark.long
def test_the_winner_of_many_equal_systems_is_not_believed():
    """Fifty-seven of sixty intervals should hold the truth; the usual one holds it rarely."""
    rng = np.random.default_rng(0)
    held = usual = 0
    for _ in range(60):
        scores = rng.normal(size=(60, 30))
        result = best_of(scores, n_bootstraps=100, random_state=0)
        best = int(scores.mean(axis=0).argmax())
        held += 0 in result.interval
        usual += result.low[best] <= 0 <= result.high[best]
    assert held >= 54
    assert usual < 36


def test_frozen_models_on_one_test_set_share_the_path():
    """A single loss, a pair of losses and a table of losses are the same values."""
    groups, weight = np.arange(40) // 4, np.linspace(1, 2, 40)
    given = {"groups": groups, "sample_weight": weight}
    one = holdout_interval(None, SCORES[:, 0], random_state=0)
    assert one.metric == "mean_score"
    assert one.estimand == "score on new items of a frozen model"
    assert "samples" not in one.summary()
    assert one.estimate == pytest.approx(sum(SCORES[:, 0]) / 40)
    of_table = OOFPredictions.from_scores(SCORES, names=NAMES)
    pair = compare(SCORES[:, 0], SCORES[:, 1])
    same = compare(Side(oof=of_table, config=0), Side(oof=of_table, config=1))
    by_scipy = ttest_rel(SCORES[:, 0], SCORES[:, 1])
    assert pair.method == same.method == "paired_t"
    assert (pair.difference, *pair, pair.p_value) == (same.difference, *same, same.p_value)
    assert pair.p_value == pytest.approx(by_scipy.pvalue)
    assert pair.details["why"].startswith("Two systems on the same items; mean_score is a mean")
    beside = compare(of_table, SCORES[:, 1], **FEW)  # a table against the scores of one more
    known = compare(of_table, Side(oof=of_table, config=1), **FEW)
    assert (beside.difference, *beside) == pytest.approx((known.difference, *known))
    drawn = compare(SCORES[:, 0], SCORES[:, 1], **given, **FEW)
    assert "groups of items" in drawn.details["why"]
    with pytest.raises(ValueError, match="but there are 40 items"):
        compare(of_table, SCORES[:5, 1])


def test_a_tied_set_of_a_table_speaks_of_systems():
    oof = OOFPredictions.from_scores(SCORES, names=NAMES)
    tied = tied_with_best(oof, draws=BBC(random_state=0))
    frame = tied.frame()
    assert frame.index.name == "system"
    assert set(frame.index) == set(NAMES)
    assert "family" not in frame
    lonely = tied_with_best(OOFPredictions.from_scores(SCORES[:, :1], names=["only"]))
    frequency = SelectionFrequencyDisplay.from_results(tied).plot()
    of_interval = SelectionFrequencyDisplay.from_results(ShrunkenBBC(**FEW).estimate(oof)).plot()
    words = [
        *(label.get_text() for label in frequency.ax_.get_yticklabels()),
        *(label.get_text() for label in of_interval.ax_.get_yticklabels()),
        *(label.get_text() for label in TiedSetDisplay(tied=tied).plot().ax_.get_yticklabels()),
    ]
    assert {"f", "system 5", "all systems"} <= set(words)
    for text in (
        tied.summary(), repr(tied), tied._repr_html_(), str(tied.details["notes"]),
        str(lonely.details["notes"]), lonely.summary(), " ".join(words),
    ):  # fmt: skip
        for wrong in ("onfiguration", "train", "fold ", "folds", "samples"):
            assert wrong not in text, text


WRONG = re.compile("train|fold |folds|onfiguration|tuning|tuned|cross-validated", re.I)


@pytest.mark.parametrize("groups", [None, np.arange(40) // 2], ids=["items", "groups"])
@pytest.mark.parametrize("scores", [SCORES, (SCORES > 0).astype(int)], ids=["normal", "right"])
def test_every_method_speaks_of_systems_and_items(scores, groups):
    oof = OOFPredictions.from_scores(scores, names=NAMES, groups=groups)
    sides = Side(oof=oof, config=0), Side(oof=oof, config=1)
    single, pairs = (  # other tests register classes of their own
        {name: cls for name, cls in kind().items() if cls.__module__.startswith("sklearn_bbc.")}
        for kind in (methods, comparisons)
    )
    runs = {
        **{name: cls().estimate for name, cls in single.items()},
        **{
            f"{name}, {what}": partial(cls().compare, second=second)
            for name, cls in pairs.items()
            for what, second in (("two", sides[1]), ("best", Side(oof=oof, config=2)))
        },
    }
    done = set()
    for name, run in runs.items():
        first = sides[0] if name.endswith(", two") else oof
        try:
            found = run(first)
        except ValueError as error:  # needs folds, a metric of its own, single items
            assert "Pass the fold" not in str(error)
            continue
        done.add(name)
        notes = [*found.details["notes"], *getattr(found, "assumptions", ())]
        for text in (found.summary(), found._repr_html_(), found.estimand, *notes):
            assert not WRONG.search(text), (name, text)
        assert "sample" not in found.summary() + found.estimand
    assert {"bbc", "shrunken_bbc", "pooled_bootstrap", "paired_bootstrap, two"} <= done
    assert "bbc_difference, best" in done


def test_what_needs_folds_says_that_a_table_has_none():
    oof = OOFPredictions.from_scores(SCORES)
    with pytest.raises(ValueError, match=r"BBCF needs the folds of .*a table of scores does not"):
        BBCF().estimate(oof)
    with pytest.raises(ValueError, match="Wald takes every item as independent"):
        Wald().estimate(OOFPredictions.from_scores(SCORES, groups=np.arange(40) // 2))
    with pytest.raises(ValueError, match="Give another system, or another table"):
        compare(Side(oof=oof, config=1), Side(oof=oof, config=1))


@pytest.mark.filterwarnings("ignore:.*runs of .* missing")
def test_missing_runs_are_shown_for_each_system():
    """A system that has no score where it would be wrong does not win in silence."""
    runs = (np.random.default_rng(0).random((100, 2, 4)) < 0.9).astype(float)
    failed = runs.copy()
    failed[:, 1][failed[:, 1] == 0] = np.nan
    n_lacking = int(np.isnan(failed).sum())
    with pytest.raises(ValueError, match=rf"those of 'timeouts' \({n_lacking}\)"):
        best_of(failed, names=["steady", "timeouts"], **FEW)
    result = best_of(failed, names=["steady", "timeouts"], missing="drop_items", **FEW)
    assert result.details["n_missing"] == {"steady": 0, "timeouts": n_lacking}
    assert result.frame()["missing"].to_dict() == {"steady": 0, "timeouts": n_lacking}
    assert f"most are lacked by timeouts {n_lacking}." in result.summary()
    kept = ~np.isnan(failed).any(axis=(1, 2))
    assert result.details["n_items"] == kept.sum()
    assert result.scores == pytest.approx(runs[kept].mean(axis=(0, 2)))
    whole = best_of(runs, **FEW)
    assert "missing" not in whole.frame()
    assert "left out" not in whole.summary()
    alone = best_of(failed[:, 1:], missing="drop_items", **FEW)
    assert f"most are lacked by system 0 {n_lacking}. No other system" in alone.summary()


@pytest.mark.parametrize("sign", [1, -1])
def test_a_p_value_of_one_beside_a_difference_is_explained(sign):
    explained = 0
    for seed in range(12):
        right = np.random.default_rng(seed).random((60, 5)) < 0.5
        scores = right if sign == 1 else ~right
        found = best_of(
            scores.astype(float), greater_is_better=sign == 1, random_state=0, n_bootstraps=50
        )
        pair = found.versus_runner_up
        sentence = pair.details.get("sentence", "")
        assert bool(sentence) == (pair.p_value == 1 and pair.difference != 0)
        if sentence:
            explained += 1
            better = int(pair.difference < 0)
            name = pair.names[1 - better]
            mean = found.frame().loc[name, "score"]
            assert sentence.startswith("The interval of every level holds 0, hence p = 1: ")
            assert f" that of {name} before its correction, {mean:.3f}" in sentence
            assert sentence in str(found)
            assert pair.details["scores"][better] <= sign * mean
    assert 0 < explained < 12


def differing(n_items, error=1.0):
    """Two systems whose differences have a standard deviation of `error`."""
    rng = np.random.default_rng(0)
    apart = rng.normal(size=n_items)
    apart = (apart - apart.mean()) / apart.std(ddof=1) * error
    first = rng.normal(size=n_items)
    return np.stack([first, first + apart + 0.1], axis=1)


def test_items_for_a_difference_are_those_of_the_paired_t_test():
    result = best_of(differing(50), random_state=0)
    # t of 33 degrees of freedom at 0.975 is 2.0345; with z = 0.8416, divided by sqrt(34), 0.4932.
    # That of 32 degrees is 2.0369; divided by sqrt(33) it is 0.5011.
    assert result.items_for(0.5) == 34
    # 1.9600 + 1.2816 = 3.2416 squared is 10.508: of 0.1 by the normal distribution 1,051.
    assert result.items_for(0.1, power=0.9) == 1053
    assert result.items_for(result.smallest_difference) == 50
    for groups, n in ((np.arange(50) // 2, 25), (None, 50)):
        of_groups = best_of(differing(50), groups=groups, random_state=0)
        assert of_groups.details["n_units"] == n
        assert of_groups.items_for(of_groups.smallest_difference) == 50


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"difference": 0}, "difference must be a number above 0"),
        ({"difference": "small"}, "difference must be a number above 0"),
        ({"difference": np.nan}, "difference must be a number above 0"),
        ({"difference": 0.1, "power": 1}, "power must be a number strictly between 0 and 1"),
        ({"difference": 1e-9}, "more than 1,000,000,000,000 items"),
    ],
)
def test_items_for_what_cannot_be_found_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        best_of(differing(50), random_state=0).items_for(**given)


def test_systems_without_differences_say_nothing_about_items():
    same = np.repeat(differing(50)[:, :1], 2, axis=1)
    with pytest.raises(ValueError, match="no spread of differences"):
        best_of(same, random_state=0).items_for(0.1)


@pytest.mark.slow
def test_items_for_a_difference_find_it_as_often_as_promised():
    rng, error = np.random.default_rng(0), 0.6
    pilot = best_of(differing(200, error), random_state=0)
    for difference, power in ((0.15, 0.8), (0.3, 0.9)):
        n = pilot.items_for(difference, power=power)
        apart = rng.normal(difference, error, size=(20_000, n))
        found = scipy.stats.ttest_1samp(apart, 0, axis=1).pvalue < 0.05
        assert found.mean() == pytest.approx(power, abs=0.015)
