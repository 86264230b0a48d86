"""ShrunkenBBC: agrees with a slow implementation; degenerate data; refusals; coverage."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm, t
from sklearn.metrics import get_scorer, make_scorer

from sklearn_bbc import BBCSearchCV, OOFPredictions
from sklearn_bbc.contest._contest import Contest
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import BBC, ShrunkenBBC
from sklearn_bbc.intervals._shrunken_bbc import (
    MomentsOfDraws,
    Scale,
    corrected,
    mean_correlation,
)
from sklearn_bbc.metrics import as_metric, within_folds
from sklearn_bbc.resampling import Draws
from sklearn_bbc.selection import GreedyEnsemble, OneStandardError, WithThreshold
from tests.made import made

FEW = {"n_bootstraps": 200, "random_state": 0}


def predictions(n_samples=60, n_configs=12, seed=0, shift=1.0, **fields):
    """Scores of configurations that share half of their noise, some better than others."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % 2
    noise = rng.normal(size=(n_samples, 1)) + rng.normal(size=(n_samples, n_configs))
    worth = np.linspace(0.5, 1, n_configs) * shift
    fields = {"fold": np.arange(n_samples) // 2 % 5, **fields}
    return made(y_true=y, y_pred=noise + worth * y[:, None], **fields)


def derived(oof, **fields):
    """The same predictions with other fields."""
    fields = {"fold": oof.fold, **fields}
    return made(y_true=oof.y_true, y_pred=oof.matrix("roc_auc"), **fields)


def labels(oof, **fields):
    fields = {"fold": oof.fold, **fields}
    return made(y_true=oof.y_true, y_pred=(oof.matrix("roc_auc") > 0.5).astype(int), **fields)


def regression(error, n_configs=4, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.normal(size=60)
    pred = y[:, None] + error * rng.normal(size=(60, n_configs)) * np.linspace(1, 2, n_configs)
    return OOFPredictions(y_true=y, y_pred=pred, fold=np.arange(60) % 5)


def agrees(oof, scoring, scale, degrees, **options):
    """Compare the result with the formula over the metric's scores of the draws."""
    kernel = as_metric(scoring).bind(oof)
    drawn = BBC(**FEW).draws_for(Contest(kernel)).map(kernel.scores)[:, kernel.distinct]
    on_all = kernel.on_data()[kernel.distinct].tolist()
    weight = np.ones(60) if oof.sample_weight is None else oof.sample_weight
    n_samples = weight.sum() ** 2 / (weight**2).sum()
    expected = by_formula(on_all, drawn.tolist(), scale, degrees, n_samples=n_samples)
    expected["contenders"] = kernel.distinct[expected["contenders"]].tolist()
    assert_agrees(ShrunkenBBC(**FEW, **options).estimate(oof, scoring), expected)


def by_formula(full, drawn, scale, degrees, *, level=0.95, n_samples=100):
    n_draws, n_configs = len(drawn), len(full)
    forward, backward, slope = {
        "arcsine": (
            lambda s: np.arcsin(np.sqrt(s)),
            lambda u: np.sin(min(max(u, 0), np.pi / 2)) ** 2,
            lambda s: 2 * np.sqrt(s * (1 - s)),
        ),
        "loss": (lambda s: -np.log(-s), lambda u: -np.exp(-u), lambda s: -s),
        "r2": (lambda s: -np.log(1 - s), lambda u: 1 - np.exp(-u), lambda s: 1 - s),
    }[scale]
    # Scores that only rounding parts tie, and the first one wins.
    best = max(range(n_configs), key=lambda c: round(full[c], 11))
    winners = [max(range(n_configs), key=lambda c: round(row[c], 11)) for row in drawn]
    means = [sum(row[c] for row in drawn) / n_draws for c in range(n_configs)]
    noise = [[row[c] - means[c] for c in range(n_configs)] for row in drawn]
    coupled = sum(full[w] - e[w] for w, e in zip(winners, noise)) / n_draws
    rivals = []
    for c in range(n_configs):
        sd = np.sqrt(sum((e[best] - e[c]) ** 2 for e in noise) / n_draws)
        if full[best] - full[c] <= 2 * sd + 1e-12:
            rivals.append(c)
    middle = sum(full[c] for c in rivals) / len(rivals)
    spread = sum((full[c] - middle) ** 2 for c in rivals) / len(rivals)
    by_noise = 0.0
    for e in noise:
        centre = sum(e[c] for c in rivals) / len(rivals)
        by_noise += sum((e[c] - centre) ** 2 for c in rivals) / len(rivals) / n_draws
    factor = max(0, 1 - by_noise / spread) if spread > 0 else 0
    bayes = middle + factor * (full[best] - middle)
    estimate = (coupled + bayes) / 2
    share = [winners.count(c) / n_draws for c in range(n_configs)]
    variances = [sum(e[c] ** 2 for e in noise) / n_draws for c in range(n_configs)]
    error = np.sqrt(
        sum(p * v for p, v in zip(share, variances))
        / sum(p * slope(s) ** 2 for p, s in zip(share, full))
    )
    if scale == "arcsine":
        error = max(error, 1 / (2 * np.sqrt(n_samples)))
    together = pairs = 0.0
    for i in range(n_configs):
        for j in range(n_configs):
            if i != j and share[i] * share[j]:
                r = sum(e[i] * e[j] for e in noise) / n_draws
                together += share[i] * share[j] * r / np.sqrt(variances[i] * variances[j])
                pairs += share[i] * share[j]
    rho = min(max(together / pairs, 0), 1) if pairs else 1.0
    found = {"estimate": estimate, "coupled": coupled, "empirical_bayes": bayes, "rho": rho,
             "standard_error": error, "contenders": rivals}  # fmt: skip
    for side, tail in (
        ("two-sided", (1 - level) / 2),
        ("greater", 1 - level),
        ("less", 1 - level),
    ):
        reach = t.ppf(1 - tail, degrees) * error * np.sqrt(1 + rho)
        low = backward(forward(estimate) - reach)
        top = max(forward(estimate) + reach, forward(full[best]) + norm.ppf(level) * error)
        found[side] = low, backward(top)
    return found


def assert_agrees(result, expected):
    assert result.estimate == pytest.approx(expected["estimate"], abs=1e-10)
    for name in ("coupled", "empirical_bayes", "rho", "standard_error", "contenders"):
        assert result.details[name] == pytest.approx(expected[name], abs=1e-10)
    low, high = expected[result.alternative]
    if result.alternative != "less":
        assert result.low == pytest.approx(low, abs=1e-10)
    if result.alternative != "greater":
        assert result.high == pytest.approx(high, abs=1e-10)


def probabilities(oof):
    pred = 1 / (1 + np.exp(-oof.matrix("roc_auc")))
    return OOFPredictions(y_true=oof.y_true, y_pred=pred, fold=oof.fold)


WEIGHT = np.random.default_rng(1).integers(1, 4, 60) / 2


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize(
    ("oof", "scoring", "scale", "degrees"),
    [
        (predictions(), "roc_auc", "arcsine", 29),
        (predictions(sample_weight=WEIGHT), "roc_auc", "arcsine", 29),
        (regression(0.6), "r2", "r2", 59),
        # Accuracies tie within rounding: then the first wins in both.
        (labels(predictions()), "accuracy", "arcsine", 59),
        (labels(predictions()), "balanced_accuracy", "arcsine", 29),
        (labels(predictions()), "f1", "arcsine", 29),
        (probabilities(predictions()), "neg_log_loss", "loss", 59),
    ],
)
def test_agrees_with_the_slow_formula(oof, scoring, scale, degrees, alternative):
    agrees(oof, scoring, scale, degrees, alternative=alternative)


def of_draws(on_all, drawn, winners, selecting=None):
    """Correct the score of the first configuration from draws (n_draws, n_configs)."""
    selecting = drawn if selecting is None else selecting
    of_winners = drawn[np.arange(len(drawn)), winners]
    return corrected(
        on_all, MomentsOfDraws(drawn, selecting, 0), of_winners, np.array(winners), 0,
        gaps=on_all - on_all[0],
    )  # fmt: skip


def test_estimate_by_hand():
    """Two configurations, four draws; J = 0."""
    on_all = np.array([0.8, 0.7])
    drawn = np.array([[0.9, 0.6], [0.7, 0.8], [0.9, 0.8], [0.7, 0.6]])
    found = of_draws(on_all, drawn, [0, 1, 0, 0])
    # Means 0.8 and 0.7: e = +-0.1; scores less noise 0.7, 0.6, 0.7, 0.9.
    assert found.coupled == pytest.approx(2.9 / 4)
    # Differences 0.3, -0.1, 0.1, 0.1: sd 0.1414, so both compete; S has variance 0.0025,
    # noise within draws 0.01, 0.01, 0, 0: all of it is noise.
    assert found.contenders.tolist() == [0, 1]
    assert found.empirical_bayes == pytest.approx(0.75)
    assert found.estimate == pytest.approx((0.725 + 0.75) / 2)
    assert found.share.tolist() == [0.75, 0.25]
    assert found.variance == pytest.approx(0.01)
    assert found.rho == 0


@pytest.mark.parametrize(("size", "factor"), [(1.1, 0), (0.55, 1 - 0.55**2)])
def test_shrinks_by_the_share_of_the_variance_that_is_noise(size, factor):
    on_all = np.array([0.9, 0.7, 0.8])
    noise = np.array([[0.1, 0, -0.1], [-0.1, 0, 0.1]])
    found = of_draws(on_all, on_all + size * noise, [0, 2], on_all + 1.1 * noise)
    # Differences to 0 have sd 0.11 and 0.22; v = 0.02 / 3, d = 0.02 / 3 * size**2.
    assert found.contenders.tolist() == [0, 1, 2]
    assert found.empirical_bayes == pytest.approx(0.8 + factor * 0.1)


def test_far_configurations_do_not_compete():
    """Whatever they are: nothing is shrunken towards them."""
    oof = predictions(n_configs=2)
    poor = np.column_stack([oof.matrix("roc_auc"), -oof.matrix("roc_auc")])
    with_poor = OOFPredictions(y_true=oof.y_true, y_pred=poor, fold=oof.fold)
    few, many = (ShrunkenBBC(**FEW).estimate(each, "roc_auc") for each in (oof, with_poor))
    assert few.details["contenders"] == many.details["contenders"]
    assert tuple(few) == pytest.approx(tuple(many))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), shift=st.sampled_from([0.0, 1.0, 4.0]))
def test_never_better_than_the_uncorrected_score(seed, shift):
    result = ShrunkenBBC(n_bootstraps=200, random_state=0).estimate(
        predictions(30, 6, seed, shift), "roc_auc"
    )
    best = as_metric("roc_auc").bind(predictions(30, 6, seed, shift)).on_data().max()
    assert result.estimate <= best + 1e-12
    assert result.low <= result.estimate <= best <= result.high


def test_one_configuration_has_its_own_score():
    result = ShrunkenBBC(**FEW).estimate(predictions(n_configs=1), "roc_auc")
    assert result.estimate == pytest.approx(result.details["pooled_score"])
    assert (result.details["rho"], result.details["contenders"]) == (1, [0])
    assert any("draws repeat no selection" in note for note in result.details["notes"])
    assert result.draws is None and result.n_bootstraps == 200


def test_equal_configurations_count_once():
    oof = predictions(n_configs=5)
    twice = np.concatenate([oof.matrix("roc_auc")] * 2, axis=1)
    twice = OOFPredictions(y_true=oof.y_true, y_pred=twice, fold=oof.fold)
    once, both = (ShrunkenBBC(**FEW).estimate(each, "roc_auc") for each in (oof, twice))
    assert tuple(once) == tuple(both) and once.estimate == both.estimate
    assert max(both.details["contenders"]) < 5


def test_constant_scores_have_the_least_error():
    """An AUC of 0.5 in every draw: the spread of a share is known all the same."""
    oof = OOFPredictions(
        y_true=np.arange(50) % 2, y_pred=np.zeros((50, 3)), fold=np.arange(50) % 5
    )
    result = ShrunkenBBC(**FEW).estimate(oof, "roc_auc")
    assert result.estimate == 0.5 and result.details["standard_error"] == 0.5 / np.sqrt(50)
    reach = t.ppf(0.975, 24) * 0.5 / np.sqrt(50) * np.sqrt(2)
    assert result.low == pytest.approx(np.sin(np.pi / 4 - reach) ** 2)


def test_perfect_scores_keep_a_proportions_standard_error():
    y = np.arange(50) % 2
    oof = OOFPredictions(y_true=y, y_pred=np.column_stack([y, 2 * y]), fold=np.arange(50) // 10)
    result = ShrunkenBBC(**FEW).estimate(oof, "roc_auc")
    assert (result.estimate, result.high, result.details["rho"]) == (1, 1, 1)
    reach = t.ppf(0.975, 24) * np.sqrt(2) / (2 * np.sqrt(50))
    assert result.low == pytest.approx(np.sin(np.pi / 2 - reach) ** 2)


@pytest.mark.parametrize("scoring", ["neg_mean_squared_error", "r2", "neg_mean_absolute_error"])
def test_a_loss_of_zero_is_a_point_with_a_note(scoring):
    result = ShrunkenBBC(**FEW).estimate(regression(0.0), scoring)
    best = float(scoring == "r2")
    assert (result.estimate, *result) == (best, best, best)
    assert "no width" in result.details["no_width"]


@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_the_unit_of_the_target_does_not_matter(unit):
    oof = regression(0.5)
    other = OOFPredictions(y_true=oof.y_true * unit, y_pred=oof.matrix("r2") * unit, fold=oof.fold)
    one = ShrunkenBBC(**FEW).estimate(oof, "neg_mean_absolute_error")
    scaled = ShrunkenBBC(**FEW).estimate(other, "neg_mean_absolute_error")
    assert np.array([scaled.estimate, *scaled]) / unit == pytest.approx([one.estimate, *one])
    assert scaled.details["rho"] == pytest.approx(one.details["rho"])


def test_draws_without_a_score_of_a_contender():
    """They tell nothing about that one; the others are as if it had lost there."""

    def sometimes(y_true, y_pred):
        if len(y_true) == 60 and abs(y_pred[0]) < 1e-9 and np.mean(y_true) > 0.5:
            return np.nan
        return np.mean((y_true == 1) == (y_pred > 0.5))

    oof = predictions(n_configs=3)
    scorer = make_scorer(sometimes, response_method="decision_function")
    method = ShrunkenBBC(bounds=(0, 1), **FEW)
    result = method.estimate(oof, scorer)
    drawn = np.array([[0.9, np.nan], [0.7, 0.8], [0.8, 0.6], [0.8, 0.7]])
    found = of_draws(np.array([0.8, 0.7]), drawn, [0, 1, 0, 0])
    # Noise of the second: 0.1, -0.1, 0 around 0.7; of the first 0.1, -0.1, 0, 0.
    assert found.coupled == pytest.approx((0.7 + 0.6 + 0.8 + 0.8) / 4)
    assert found.variance == pytest.approx(0.75 * 0.005 + 0.25 * 0.02 / 3)
    assert np.isfinite([result.estimate, *result]).all()


def test_too_many_draws_without_a_winner_are_refused():
    def seldom(y_true, y_pred):
        return np.nan if y_true.sum() > 30 else np.mean(y_true == (y_pred > 0.5))

    scorer = make_scorer(seldom, response_method="decision_function")
    with pytest.raises(UndefinedIntervalError, match="it is undefined in"):
        ShrunkenBBC(bounds=(0, 1), **FEW).estimate(predictions(), scorer)


def difference(y_true, y_pred):
    return float(np.mean(y_pred[y_true == 1]) - np.mean(y_pred[y_true == 0]))


@pytest.mark.parametrize(
    ("parameters", "scoring", "message"),
    [
        ({}, difference, r"range of the metric.*Give it as bounds=\(low, high\)"),
        ({"bounds": (0, 1)}, "neg_mean_squared_error", r"bounds=\(0, 1\) does not hold every"),
        ({"bounds": (-np.inf, 0)}, "r2", "r2 can be 1"),
        ({"bounds": (0, 0.1)}, difference, "does not hold every score"),
        ({"selection": GreedyEnsemble()}, "r2", r"GreedyEnsemble\(\) reports.*Use BBC"),
        (
            {"selection": WithThreshold("f1")},
            "roc_auc",
            r"WithThreshold\(.* reports the score of some",
        ),
    ],
)
def test_refused_before_any_draw(parameters, scoring, message, monkeypatch):
    monkeypatch.setattr(Draws, "map", None)
    oof = predictions() if scoring in (difference, "roc_auc") else regression(1.0)
    if scoring is difference:
        scoring = make_scorer(difference, response_method="decision_function")
    with pytest.raises(ValueError, match=message):
        ShrunkenBBC(**FEW, **parameters).estimate(oof, scoring)


def test_scores_without_any_limit_take_the_identity():
    scorer = make_scorer(difference, response_method="decision_function")
    result = ShrunkenBBC(bounds=(-np.inf, np.inf), **FEW).estimate(predictions(), scorer)
    reach = t.ppf(0.975, 29) * result.details["standard_error"]
    reach *= np.sqrt(1 + result.details["rho"])
    assert result.low == pytest.approx(result.estimate - reach)
    assert result.details["scale"] == "identity"


@pytest.mark.parametrize(
    ("bounds", "name"),
    [((0, 1), "arcsine"), ((-1, 1), "arcsine"), ((-1, 0), "logarithm"),
     ((-np.inf, 0), "logarithm"), ((-np.inf, 1), "logarithm"), ((-np.inf, np.inf), "identity")],
)  # fmt: skip
def test_scales(bounds, name):
    scale = Scale(*map(float, bounds))
    assert scale.name == name
    low, high = max(bounds[0], -50), min(bounds[1], 50)
    for score in np.linspace(low, high, 23)[1:-1]:
        value, step = scale.forward(score), 1e-6
        assert scale.backward(value) == pytest.approx(score, abs=1e-9)
        change = (scale.backward(value + step) - scale.backward(value - step)) / (2 * step)
        assert scale.slope(np.array([score]))[0] == pytest.approx(change, rel=1e-4)
    if np.isfinite(bounds[1]):
        assert scale.backward(scale.forward(high)) == pytest.approx(high, abs=0)
        assert scale.backward(900.0) == high and np.isfinite(scale.forward(high + 1))


def test_mean_correlation_by_hand():
    a, b = np.array([-1.5, -0.5, 0.5, 1.5]), np.array([-0.5, -1.5, 1.5, 0.5])
    noise = np.column_stack([a, b, np.zeros(4)])
    assert mean_correlation(noise, np.array([0.6, 0.3, 0.1]), 1.0) == pytest.approx(0.6)
    # A constant score, or the only one that wins, has none to be correlated with.
    assert mean_correlation(noise[:, [0, 2]], np.array([0.5, 0.5]), 1.0) == 1
    assert mean_correlation(noise[:, [0]], np.array([1.0]), 1.0) == 1
    assert mean_correlation(np.column_stack([a, -a]), np.array([0.5, 0.5]), 1.0) == 0
    assert mean_correlation(1e-15 * noise, np.array([0.6, 0.3, 0.1]), 1.0) == 1
    assert mean_correlation(1e-15 * noise, np.array([0.6, 0.3, 0.1]), 1e-15) == pytest.approx(0.6)


def test_another_metric_selects():
    """Winners and contenders by the AUC, scores by the accuracy."""
    oof = predictions(60, 5)
    decision = oof.matrix("roc_auc")
    method = ShrunkenBBC(**FEW)
    centred = OOFPredictions(y_true=oof.y_true, y_pred=decision - 0.5, fold=oof.fold)
    scorer = make_scorer(lambda y, s: np.mean(y == (s > 0)), response_method="decision_function")
    result = ShrunkenBBC(bounds=(0, 1), **FEW).estimate(centred, scorer, selected_by="roc_auc")
    auc, accuracy = (as_metric(each).bind(centred) for each in ("roc_auc", scorer))
    draws = method.draws_for(Contest(accuracy), auc)
    counts = draws.map(lambda each: each)
    winners, drawn = auc.winners(counts), accuracy.scores(counts)
    on_all, aucs = accuracy.on_data(), auc.scores(counts)
    noise = drawn - drawn.mean(axis=0)
    coupled = np.mean(on_all[winners] - noise[np.arange(200), winners])
    assert result.details["coupled"] == pytest.approx(coupled, abs=1e-10)
    best = auc.on_data().argmax()
    gap = auc.on_data()[best] - auc.on_data()
    near = gap <= 2 * (aucs[:, [best]] - aucs).std(axis=0)
    assert result.details["contenders"] == np.flatnonzero(near).tolist()
    middle, spread = on_all[near].mean(), on_all[near].var()
    factor = max(0, 1 - noise[:, near].var(axis=1).mean() / spread)
    expected = middle + factor * (on_all[best] - middle)
    assert result.details["empirical_bayes"] == pytest.approx(expected, abs=1e-10)
    assert result.details["selected_by"] == "roc_auc"


def test_rules_select_what_they_select():
    oof = derived(predictions(), params=[{"rank": rank} for rank in np.arange(12)[::-1]])
    rule = OneStandardError(lambda params: params["rank"])
    result = ShrunkenBBC(selection=rule, **FEW).estimate(oof, "roc_auc")
    kernel = as_metric("roc_auc").bind(oof)
    bound = rule.bind(kernel)
    counts = BBC(**FEW).draws_for(Contest(kernel)).map(lambda each: each)
    winners, drawn = bound.choose(counts)["config"], kernel.scores(counts)
    expected = kernel.on_data()[winners] - (drawn - drawn.mean(axis=0))[np.arange(200), winners]
    assert result.details["coupled"] == pytest.approx(expected.mean(), abs=1e-10)
    assert result.details["winner"] == bound.on_all()["config"][0]
    assert result.details["winner_by"] == "one standard error"
    assert result.low < result.estimate < result.high


def test_repeats_groups_and_folds():
    oof = predictions(60, 4)
    matrix = oof.matrix("roc_auc")
    repeated = OOFPredictions(
        y_true=oof.y_true, y_pred=np.stack([matrix, matrix + np.sin(matrix)]),
        fold=np.stack([oof.fold, (oof.fold + oof.y_true) % 5]),
    )  # fmt: skip
    agrees(repeated, "roc_auc", "arcsine", 29)
    grouped = derived(oof, groups=np.arange(60) // 4, fold=np.arange(60) // 4 % 5)
    agrees(grouped, "roc_auc", "arcsine", 14)
    agrees(oof, within_folds("roc_auc"), "arcsine", 29)


def test_a_replayed_metric_is_called_no_more_often_than_by_bbc():
    oof, calls = labels(predictions(n_configs=4)), []

    def counted(y_true, y_pred):
        calls.append(1)
        return np.mean(y_true == y_pred)

    numbers = []
    for method in (BBC(**FEW), ShrunkenBBC(bounds=(0, 1), **FEW)):
        calls.clear()
        method.estimate(oof, make_scorer(counted))
        numbers.append(len(calls))
    assert numbers[1] <= numbers[0]


def test_in_a_search():
    from sklearn.datasets import load_breast_cancer
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_breast_cancer(return_X_y=True)
    found = BBCSearchCV(
        DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3]},
        scoring=["roc_auc", "f1"], refit="roc_auc", ci="shrunken_bbc", random_state=0,
    ).fit(X[::5], y[::5])  # fmt: skip
    assert found.ci_.method == "shrunken_bbc"
    assert "bootstrap bias correction with shrinkage" in found.summary()
    assert found.ci_results_["f1"]["shrunken_bbc"].details["selected_by"] == "roc_auc"


def test_same_draws_as_bbc():
    """So that the two differ by the method alone."""
    one, other = (
        method(**FEW).estimate(predictions(), "roc_auc") for method in (BBC, ShrunkenBBC)
    )
    for name in ("winner", "winner_share", "won", "n_redrawn", "seed", "pooled_score"):
        assert one.details[name] == other.details[name]
    assert get_scorer("roc_auc")._sign == 1
