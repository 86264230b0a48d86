"""Draws by their normal approximation: their law, what they give, and where they are refused."""

from math import e

import numpy as np
import pytest
from sklearn.metrics import make_scorer, roc_auc_score

from sklearn_bbc import BBC, OOFPredictions, ScoreMoments
from sklearn_bbc.contest._score_moments import moments_are_known, moments_of
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import ShrunkenBBC
from sklearn_bbc.intervals._normal_draws import ENOUGH_UNITS, NormalDraws, of_left_out
from sklearn_bbc.metrics import as_metric, within_folds
from sklearn_bbc.selection import SelectedBy

MANY = {"n_bootstraps": 20_000, "random_state": 0}


def right(n, n_configs=8, seed=0, share=0.75):
    """Answers of systems that have much in common, 1 where right."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(n, 1)) + rng.normal(size=(n, n_configs))
    return (noise < np.quantile(noise, share)).astype(float)


def chances_of_empty(n):
    """Probability that k of n cells are empty after n throws, (n + 1,), throw by throw."""
    chance = np.zeros(n + 1)
    chance[n] = 1.0
    k = np.arange(n + 1)
    for _ in range(n):
        hit = chance * k / n
        chance -= hit
        chance[:-1] += hit[1:]
    return chance


@pytest.mark.parametrize("n", [25, 60, 200])
def test_the_law_out_of_bag_is_that_of_multinomial_counts(n):
    chance = chances_of_empty(n)
    chance, k = chance[1:] / chance[1:].sum(), np.arange(1, n + 1)
    # In units of S / n. A mean of k units at random of n varies by S n / (n - 1) (1 / k - 1 / n).
    out_of_bag = n * n / (n - 1) * (chance @ (1 / k) - 1 / n)
    # What is drawn is spread evenly over the n - k others, whose mean is -k / (n - k) times that.
    both = -n * n / (n - 1) * (chance @ (k / (n - k + (k == n)) * (1 / k - 1 / n)))
    slope, rest = of_left_out(n)
    assert both == pytest.approx(-slope, rel=1e-12)
    assert out_of_bag == pytest.approx(slope**2 + rest, rel=30 / n**3)


def test_the_law_out_of_bag_is_that_of_draws():
    rng, n = np.random.default_rng(0), 40
    values = rng.normal(size=n)
    values -= values.mean()
    counts = rng.multinomial(n, np.full(n, 1 / n), size=100_000)
    left_out = counts == 0
    in_bag, out_of_bag = counts @ values / n, left_out @ values / left_out.sum(axis=1)
    slope, rest = of_left_out(n)
    unit = values.var() / n
    assert in_bag.var() == pytest.approx(unit, rel=0.03)
    assert np.mean(in_bag * out_of_bag) == pytest.approx(-slope * unit, rel=0.03)
    assert out_of_bag.var() == pytest.approx((slope**2 + rest) * unit, rel=0.03)


def test_with_many_units_the_rest_is_e_minus_2():
    assert of_left_out(10**9) == (pytest.approx(1), pytest.approx(e - 2))


def test_draws_in_bag_have_mean_and_covariance_of_the_sums():
    scores = np.random.default_rng(1).normal(size=(600, 4)) @ np.triu(np.ones((4, 4)))
    moments = ScoreMoments(4).update(scores)
    (drawn,) = NormalDraws(moments, 50_000, 0).map(lambda each: (each,))
    unit = np.sqrt(moments.variances / 600)
    np.testing.assert_allclose((drawn.mean(axis=0) - moments.means) / unit, 0, atol=0.02)
    wanted = moments.covariance / 600 / np.multiply.outer(unit, unit)
    found = np.cov(drawn.T) / np.multiply.outer(unit, unit)
    np.testing.assert_allclose(found, wanted, atol=0.02)


def of_rows(scores, groups=None, weight=None):
    return OOFPredictions.from_scores(scores, groups=groups, sample_weight=weight), None


def of_areas(scores, groups=None, weight=None):
    rng = np.random.default_rng(5)
    y = rng.integers(2, size=len(scores))
    values = rng.normal(size=scores.shape) + y[:, None]
    return OOFPredictions(y_true=y, y_pred=values, groups=groups, sample_weight=weight), "roc_auc"


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("predictions", "grouped", "weighted"),  # every pair of these
    [(of_rows, 0, 0), (of_rows, 1, 1), (of_areas, 0, 1), (of_areas, 1, 0)],
)
def test_intervals_are_those_of_draws_of_samples(predictions, grouped, weighted):
    n = 1200
    oof, scoring = predictions(
        right(n),
        np.arange(n) // 2 if grouped else None,
        np.random.default_rng(2).integers(1, 4, size=n) if weighted else None,
    )
    samples, normal = (
        BBC(draws=draws, **MANY).estimate(oof, scoring) for draws in ("samples", "normal")
    )
    found = np.subtract([normal.estimate, *normal], [samples.estimate, *samples]) / samples.width
    assert np.abs(found).max() < 0.05
    assert normal.details["winner"] == samples.details["winner"]
    assert normal.details["unit"] == samples.details["unit"]
    assert abs(normal.details["winner_share"] - samples.details["winner_share"]) < 0.05


def test_means_over_repeats_are_drawn_too():
    rng = np.random.default_rng(3)
    y = rng.integers(2, size=800)
    labels = np.where(rng.random((2, 800, 6)) < 0.7, y[None, :, None], 1 - y[None, :, None])
    oof = OOFPredictions(y_true=y, y_pred=labels, fold=np.tile(np.arange(800) % 5, (2, 1)))
    found = [BBC(draws=draws, **MANY).estimate(oof, "accuracy") for draws in ("samples", "normal")]
    apart = np.subtract(*[[each.estimate, *each] for each in found]) / found[0].width
    assert np.abs(apart).max() < 0.05


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("method", "grouped", "weighted"),  # every pair of these
    [(BBC, 0, 0), (BBC, 1, 1), (ShrunkenBBC, 0, 1), (ShrunkenBBC, 1, 0)],
)
def test_sums_give_what_rows_give(method, grouped, weighted):
    scores, n = right(1200), 1200
    groups = np.arange(n) // 2 if grouped else None
    weight = np.random.default_rng(4).random(n) + 0.5 if weighted else None
    rows = method(**MANY).estimate(of_rows(scores, groups, weight)[0])
    moments = ScoreMoments(8).update(scores, groups=groups, sample_weight=weight)
    sums = method(**MANY).estimate(moments)
    apart = np.subtract([rows.estimate, *rows], [sums.estimate, *sums]) / rows.width
    assert np.abs(apart).max() < 0.05
    for name in ("winner", "unit", "n_configs", "n_valid", "noun", "winner_name"):
        assert rows.details[name] == sums.details[name]
    assert (rows.estimand, rows.metric) == (sums.estimand, sums.metric)
    if method is ShrunkenBBC:
        assert sums.details["scale"] == rows.details["scale"] == "arcsine"
        assert sums.details["standard_error"] == pytest.approx(
            rows.details["standard_error"], rel=0.01
        )


@pytest.mark.parametrize("method", [BBC, ShrunkenBBC])
def test_sums_of_predictions_are_about_trained_models(method):
    rng = np.random.default_rng(5)
    y = rng.integers(2, size=1500)
    labels = np.where(rng.random((1500, 5)) < 0.7, y[:, None], 1 - y[:, None])
    rows = method(**MANY).estimate(OOFPredictions(y_true=y, y_pred=labels), "accuracy")
    moments = ScoreMoments.from_predictions({"y_true": y, "y_pred": labels}, "accuracy")
    sums = method(**MANY).estimate(moments)
    assert np.abs(np.subtract([*rows], [*sums])).max() < 0.05 * rows.width
    assert sums.estimand == rows.estimand
    text = str(sums)
    assert "normal approximation of the draws: 20,000 of samples, seed 0" in text
    assert "the accuracy is" in text


def test_losses_are_printed_as_losses():
    losses = np.random.default_rng(6).exponential(size=(2000, 3)) + [0.5, 0.0, 0.5]
    moments = ScoreMoments(3, ["a", "b", "c"], greater_is_better=False).update(losses)
    result = BBC(random_state=0).estimate(moments)
    assert result.high < 0
    assert "the mean loss is 1.0" in str(result) or "the mean loss is 0.9" in str(result)
    assert result.details["winner_name"] == "b"


def test_equal_configurations_win_as_one():
    scores = right(1000, 4)
    scores[:, 3] = scores[:, 1]
    found = BBC(random_state=0).estimate(ScoreMoments(4).update(scores)).details["won"]
    assert 3 not in found
    same = BBC(random_state=0).estimate(ScoreMoments(3).update(scores[:, :3])).details["won"]
    assert found == same


def test_the_same_seed_gives_the_same_draws_whatever_the_parts():
    scores = right(1000, 5)
    parts = sum(ScoreMoments(5).update(each) for each in np.split(scores, [130, 700]))
    one, other = (
        BBC(random_state=3).estimate(each) for each in (parts, ScoreMoments(5).update(scores))
    )
    np.testing.assert_allclose(one.draws, other.draws, rtol=0, atol=1e-6 * one.width)
    assert one.details["won"] == other.details["won"]


def test_scores_without_spread_give_a_point_with_a_note():
    result = BBC(random_state=0).estimate(ScoreMoments(3).update(np.ones((600, 3))))
    assert (result.low, result.estimate, result.high) == (1, 1, 1)
    assert "no width" in result.details["no_width"]


def heavy(n=2000):
    return np.random.default_rng(7).standard_t(3, size=(n, 5)) ** 2


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (right(400), "There are 400 items, and it takes 500 at least"),
        (heavy(), "of the variance of a score that wins draws"),
        (right(3000, share=0.99), "too skewed for the normal law"),
    ],
)
def test_where_the_law_does_not_hold_it_is_refused(scores, message):
    moments = ScoreMoments(scores.shape[1], greater_is_better=False).update(scores)
    oof = OOFPredictions.from_scores(scores, greater_is_better=False)
    for method, given in ((BBC(), moments), (ShrunkenBBC(), moments), (BBC(draws="normal"), oof)):
        with pytest.raises(UndefinedIntervalError, match=message):
            method.estimate(given)


def test_a_heavy_tail_of_what_never_wins_does_not_matter():
    scores = right(2000, 6)
    scores[:, 5] = -heavy()[:, 0]
    assert BBC(random_state=0).estimate(ScoreMoments(6).update(scores)).details["winner"] < 5


@pytest.mark.parametrize(
    ("method", "arguments", "message"),
    [
        (BBC(draws="samples"), {}, "draws='samples' needs the samples"),
        (BBC(below_median=True), {}, "no use for below_median"),
        (BBC(selection=SelectedBy("f1")), {}, "selects by the best mean"),
        (BBC(), {"selected_by": "accuracy"}, "selects by the best mean"),
        (ShrunkenBBC(), {"scoring": "accuracy"}, "cannot be computed from sums of mean_score"),
        (BBC(draws="other"), {}, "draws must be one of"),
    ],
)  # fmt: skip
def test_what_sums_cannot_answer_is_told(method, arguments, message):
    moments = ScoreMoments(2).update(right(600, 2))
    with pytest.raises(ValueError, match=message):
        method.estimate(moments, **arguments)


PARTIAL = make_scorer(roc_auc_score, response_method="predict_proba", max_fpr=0.2)


@pytest.mark.parametrize(
    ("scoring", "has_law"),
    [
        ("accuracy", True), ("neg_log_loss", True), ("neg_brier_score", True), ("roc_auc", True),
        (within_folds("roc_auc"), False), (within_folds("neg_log_loss"), True),
        ("average_precision", False), ("balanced_accuracy", True), ("f1", True), (PARTIAL, False),
        (within_folds("f1"), False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("shape", ["plain", "groups and weights", "repeats", "other class"])
def test_moments_are_those_of_the_score_that_is_reported(scoring, has_law, shape):
    rng = np.random.default_rng(8)
    y, fold = rng.integers(2, size=90), np.arange(90) // 3 % 3
    values = np.clip(0.5 + 0.2 * rng.normal(size=(90, 4)) + 0.1 * fold[:, None], 0.01, 0.99)
    given = {"groups": np.arange(90) // 3, "sample_weight": rng.random(90) + 0.1}
    if shape == "repeats":
        fold, values = np.stack([fold, rng.permutation(fold)]), np.stack([values, values**2])
    of_labels = "accuracy" in str(scoring) or "f1" in str(scoring)
    if of_labels:
        values = (values > 0.5).astype(int)
    turned = shape == "other class" and not of_labels
    oof = OOFPredictions(
        y_true=y, y_pred=values, fold=fold, pos_label=0 if turned else None,
        **(given if shape == "groups and weights" else {}),
    )  # fmt: skip
    kernel = as_metric(scoring).bind(oof)
    assert moments_are_known(kernel) == has_law
    if has_law:
        means = moments_of(kernel, np.arange(4)).means
        np.testing.assert_allclose(means, kernel.on_data(), rtol=1e-10)


@pytest.mark.parametrize(
    ("scoring", "settings", "message"),
    [
        ("average_precision", {}, "not for average_precision"),
        ("accuracy", {"selection": SelectedBy("f1")}, "the best score as rule"),
        ("accuracy", {"below_median": True}, "below_median=True asks"),
    ],
)
def test_other_questions_need_samples(scoring, settings, message):
    y = np.tile([0, 1], 400)
    labels = np.where(right(800, 2) > 0, y[:, None], 1 - y[:, None])
    oof = OOFPredictions(y_true=y, y_pred=labels, fold=np.arange(800) % 5)
    with pytest.raises(ValueError, match=message):
        BBC(draws="normal", **settings).estimate(oof, scoring)


@pytest.mark.parametrize(
    ("n_samples", "settings", "is_normal"),
    [
        (ENOUGH_UNITS, {}, True),
        (ENOUGH_UNITS, {"draws": "samples"}, False),
        (ENOUGH_UNITS - 1, {}, False),
        (ENOUGH_UNITS, {"below_median": True}, False),
        (ENOUGH_UNITS - 1, {"draws": "normal"}, True),
    ],
)
def test_draws_are_normal_by_themselves_from_many_samples_on(n_samples, settings, is_normal):
    oof = OOFPredictions.from_scores(right(n_samples, 3))
    result = BBC(n_bootstraps=200, random_state=0, **settings).estimate(oof)
    assert ("draws" in result.details) == is_normal
    assert ("normal approximation of the draws" in str(result)) == is_normal


def one_in(n, every):
    return (np.arange(n) % every == 0).astype(float)


def flipped(n, n_flips, seed=0):
    """Three systems that differ in few answers."""
    scores = np.repeat(right(n, 1, seed), 3, axis=1)
    for system in (1, 2):
        rows = np.random.default_rng(system).permutation(n)[:n_flips]
        scores[rows, system] = 1 - scores[rows, system]
    return scores


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("scores", "weight", "is_normal"),
    [
        (right(ENOUGH_UNITS, 3), None, True),
        (right(ENOUGH_UNITS, 3), one_in(ENOUGH_UNITS, 2), True),
        # As few that count as would be refused were they alone.
        (right(ENOUGH_UNITS, 3, share=0.5), one_in(ENOUGH_UNITS, 120), False),
        # Of systems that differ in few answers many draws find several to be equal.
        (flipped(ENOUGH_UNITS, 10), None, False),
        (flipped(ENOUGH_UNITS, 4000), None, True),
        (np.repeat(right(ENOUGH_UNITS, 1), 3, axis=1), None, True),
    ],
)
def test_many_samples_of_which_few_count_are_drawn_themselves(scores, weight, is_normal):
    oof = OOFPredictions.from_scores(scores, sample_weight=weight)
    found, samples = (
        BBC(n_bootstraps=400, random_state=0, draws=draws).estimate(oof)
        for draws in (None, "samples")
    )
    assert ("draws" in found.details) == is_normal
    assert found.details["winner_share"] == pytest.approx(samples.details["winner_share"], abs=0.1)
    assert is_normal or tuple(found) == tuple(samples)


@pytest.mark.parametrize(("n_positive", "is_normal"), [(120, False), (600, True)])
def test_areas_with_few_positives_are_of_samples_that_are_drawn(n_positive, is_normal):
    y = np.zeros(ENOUGH_UNITS, dtype=int)
    y[:n_positive] = 1
    values = np.random.default_rng(0).random((ENOUGH_UNITS, 2))
    oof = OOFPredictions(y_true=y, y_pred=values, fold=np.arange(ENOUGH_UNITS) % 5)
    result = BBC(n_bootstraps=100, random_state=0).estimate(oof, "roc_auc")
    assert ("draws" in result.details) == is_normal


def test_normal_draws_need_units_that_count():
    weight = one_in(3000, 60)
    x = np.random.default_rng(0).uniform(-1, 1, size=(3000, 3))
    moments = ScoreMoments(3).update(x, sample_weight=weight)
    oof = OOFPredictions.from_scores(x, sample_weight=weight)
    for method, given in ((BBC(), moments), (ShrunkenBBC(), moments), (BBC(draws="normal"), oof)):
        with pytest.raises(UndefinedIntervalError, match="weigh as much as 50 of equal weight"):
            method.estimate(given)
    y = (np.arange(3000) % 60 == 0).astype(int)
    oof = OOFPredictions(y_true=y, y_pred=x, fold=np.arange(3000) % 5)
    with pytest.raises(UndefinedIntervalError, match="of the rarest class weigh as much as 50"):
        BBC(draws="normal").estimate(oof, "roc_auc")


def test_many_samples_with_a_heavy_tail_are_drawn_themselves():
    oof = OOFPredictions.from_scores(heavy(ENOUGH_UNITS), greater_is_better=False)
    assert "draws" not in BBC(n_bootstraps=50, random_state=0).estimate(oof).details


@pytest.mark.parametrize(("n_positive", "is_normal"), [(1500, False), (2500, True)])
def test_labels_with_few_positives_are_of_samples_that_are_drawn(n_positive, is_normal):
    y = (np.arange(ENOUGH_UNITS) < n_positive).astype(int)
    labels = np.where(np.random.default_rng(0).random((ENOUGH_UNITS, 2)) < 0.1, 0, y[:, None])
    labels[-n_positive // 4 :, 0] = labels[-n_positive // 3 : -n_positive // 12, 1] = 1
    oof = OOFPredictions(y_true=y, y_pred=labels, fold=np.arange(ENOUGH_UNITS) % 5)
    result = BBC(n_bootstraps=100, random_state=0).estimate(oof, "f1")
    assert ("draws" in result.details) == is_normal
