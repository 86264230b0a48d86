"""Studies drawn from predictions: by plain loops, by formulas; refusals."""

import pickle

import numpy as np
import pytest
from scipy.stats import norm, t
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

from sklearn_bbc import (
    BBC,
    BBCSearchCV,
    OOFPredictions,
    compare,
    samples_for_power,
    samples_for_width,
)
from sklearn_bbc.comparison import Side
from sklearn_bbc.exceptions import IntervalWarning, SlowMetricWarning, UndefinedIntervalError
from sklearn_bbc.intervals import ShrunkenBBC
from sklearn_bbc.results import SampleSizeResult
from sklearn_bbc.selection import OneStandardError
from sklearn_bbc.testing import example_predictions

QUICK = {"n_studies": 20, "n_bootstraps": 40, "random_state": 0}


def scores_of(n=80, n_configs=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return y, rng.normal(size=(n, n_configs)) + y[:, None]


def picks_of(k, size, n_units, entropy=0):
    """Pick the units of study k as the documentation says: doubles times their number."""
    seed = np.random.SeedSequence(entropy, spawn_key=(37, k))
    return (np.random.Generator(np.random.PCG64(seed)).random(size) * n_units).astype(int)


def seed_of(k, entropy=0):
    words = np.random.SeedSequence(entropy, spawn_key=(37, k, 0)).generate_state(1, np.uint64)
    return int(words[0] >> np.uint64(1))


def unbiased(fewest):
    """Factor by which widths of studies drawn from so few units are too small."""
    return np.sqrt(fewest / (fewest - 1))


@pytest.mark.parametrize("size", [30, 80, 130])
def test_widths_by_a_plain_loop(size):
    y, scores = scores_of()
    oof = OOFPredictions(y_true=y, y_pred=scores)
    result = samples_for_width(oof, n_samples=size, scoring="roc_auc", **QUICK)
    widths = []
    for k in range(20):
        picks = picks_of(k, size, len(y))
        study = OOFPredictions(y_true=y[picks], y_pred=scores[picks])
        low, high = BBC(n_bootstraps=40, random_state=seed_of(k)).estimate(study, "roc_auc")
        widths.append(unbiased(40) * (high - low))  # 40 samples of each class
    assert result.widths[0] == pytest.approx(widths, abs=1e-12)
    row = result.frame().loc[size]
    assert row["width"] == pytest.approx(np.median(widths))
    assert row["width_low"] == pytest.approx(np.quantile(widths, 0.1))
    assert row["width_high"] == pytest.approx(np.quantile(widths, 0.9))
    assert (result.value, result.n_samples) == (row["width"], size)
    at_hand = BBC(random_state=0).estimate(oof, "roc_auc")
    assert result.at_hand == at_hand.width
    assert row["root_n"] == pytest.approx(at_hand.width * np.sqrt(80 / size))


RARE = np.repeat([1, 0], [12, 68])
TIMES = np.random.default_rng(3).exponential(size=80)
SURVIVAL = np.array(list(zip(RARE == 1, TIMES, strict=True)), [("event", bool), ("time", float)])


@pytest.mark.parametrize(
    ("metric", "y", "fewest"),
    [("accuracy", RARE, 80), ("f1", RARE, 12), ("concordance_index", SURVIVAL, 12)],
)
def test_few_units_are_those_that_the_metric_needs(metric, y, fewest):
    scores = np.random.default_rng(1).normal(size=(80, 2)) + RARE[:, None]
    predicted = scores if y is SURVIVAL else (scores > 0.8).astype(int)
    oof = OOFPredictions(y_true=y, y_pred=predicted)
    result = samples_for_width(oof, n_samples=90, scoring=metric, **QUICK)
    picks = picks_of(0, 90, 80)
    study = OOFPredictions(y_true=y[picks], y_pred=predicted[picks])
    width = BBC(n_bootstraps=40, random_state=seed_of(0)).estimate(study, metric).width
    assert result.widths[0, 0] == pytest.approx(unbiased(fewest) * width, abs=1e-12)


def test_groups_are_drawn_whole_and_weights_go_along():
    y, scores = scores_of(60)
    rng = np.random.default_rng(1)
    groups = rng.permutation(np.arange(60) % 15)
    weight = rng.random(60)
    oof = OOFPredictions(y_true=y, y_pred=scores, groups=groups, sample_weight=weight)
    result = samples_for_width(oof, n_samples=100, scoring="roc_auc", **QUICK)
    widths = []
    for k in range(20):
        drawn = [np.flatnonzero(groups == unit) for unit in picks_of(k, 25, 15)]
        rows = np.concatenate(drawn)
        study = OOFPredictions(
            y_true=y[rows], y_pred=scores[rows], sample_weight=weight[rows],
            groups=np.concatenate([np.full(len(each), g) for g, each in enumerate(drawn)]),
        )  # fmt: skip
        result_k = BBC(n_bootstraps=40, random_state=seed_of(k)).estimate(study, "roc_auc")
        widths.append(
            unbiased(min(len(set(groups[y == label])) for label in (0, 1))) * result_k.width
        )
    assert result.widths[0] == pytest.approx(widths, abs=1e-12)
    frame = result.frame()
    assert frame.index.tolist() == [100] and frame["n_groups"].tolist() == [25]
    assert "100 samples in 25 groups" in str(result)
    assert any("15 groups of 4.00 samples" in note for note in result.details["notes"])


def test_repeats_and_samples_that_were_never_held_out():
    y, _ = scores_of(40)
    rng = np.random.default_rng(0)
    sample = np.concatenate([rng.permutation(35)[:30], rng.permutation(35)[:30]])
    pred = rng.normal(size=(2, 60)) + y[sample]
    repeat = np.repeat([0, 1], 30)
    oof = OOFPredictions.from_rows(
        y_true=y, responses={"plain": pred}, sample=sample, fold=repeat, repeat=repeat
    )
    result = samples_for_width(oof, n_samples=30, scoring="neg_mean_squared_error", **QUICK)
    tested = np.flatnonzero(oof.tested)
    assert result.n_at_hand == len(tested) < 40
    for k in range(3):
        chosen = tested[picks_of(k, 30, len(tested))]
        rows = [
            (new, row) for new, old in enumerate(chosen) for row in np.flatnonzero(sample == old)
        ]
        new, old = np.array(rows).T
        study = OOFPredictions.from_rows(
            y_true=y[chosen], responses={"plain": pred[:, old]}, sample=new, fold=repeat[old],
            repeat=repeat[old],
        )  # fmt: skip
        method = BBC(n_bootstraps=40, random_state=seed_of(k))
        width = method.estimate(study, "neg_mean_squared_error").width
        expected = unbiased(len(tested)) * width
        assert result.widths[0, k] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("width", [0.3, 0.1])
def test_the_number_of_a_known_formula(width):
    right = np.repeat([1, 0], [70, 30])
    oof = OOFPredictions(y_true=np.ones(100, int), y_pred=right[:, None], classes=[0, 1])
    result = samples_for_width(oof, width, scoring="accuracy", method="wald",
                               n_studies=20, random_state=0)  # fmt: skip
    expected = 0.7 * 0.3 * (2 * norm.ppf(0.975) / width) ** 2
    assert result.n_samples == pytest.approx(expected, rel=0.06)
    assert result.target == width and result.value == pytest.approx(width, rel=0.06)
    frame = result.frame()
    assert frame.index.is_monotonic_increasing and 100 in frame.index
    assert frame["width"].to_numpy() == pytest.approx(frame["root_n"].to_numpy(), rel=0.1)


def test_beyond_ten_times_the_square_root_law_holds():
    right = np.repeat([1, 0], [70, 30])
    oof = OOFPredictions(y_true=np.ones(100, int), y_pred=right[:, None], classes=[0, 1])
    with pytest.warns(IntervalWarning, match="More than 10 times the 100 samples at hand"):
        result = samples_for_width(
            oof, 0.02, scoring="accuracy", method="wald", n_studies=20, random_state=0
        )
    last = result.frame()["width"]
    assert last.index[-1] == 1000
    assert result.n_samples == np.ceil(1000 * (last[1000] / 0.02) ** 2)
    assert result.value == 0.02


@pytest.mark.long
def test_more_assurance_takes_more_samples():
    oof = example_predictions()
    half, most = (
        samples_for_width(oof, 0.15, scoring="roc_auc", assurance=share, **QUICK)
        for share in (0.5, 0.9)
    )
    assert half.n_samples < most.n_samples
    assert "90% of the studies of that size have one" in str(most)
    widths = most.widths[most.sizes.tolist().index(60)]
    assert most.frame()["reached"][60] == pytest.approx(np.quantile(widths, 0.9))


def test_a_wide_interval_takes_the_fewest_that_are_looked_at():
    result = samples_for_width(example_predictions(), 0.9, scoring="accuracy", **QUICK)
    assert result.n_samples == 10
    assert "smaller ones were not looked at" in result.details["notes"][-1]


@pytest.mark.long
def test_threads_and_seeds():
    oof = example_predictions()
    given = {**QUICK, "scoring": "roc_auc", "n_bootstraps": 50, "n_samples": [40, 80]}
    one = samples_for_width(oof, **given)
    assert one == samples_for_width(oof, n_jobs=2, **given)
    assert one != samples_for_width(oof, **{**given, "random_state": 1})
    again = pickle.loads(pickle.dumps(one))
    assert again == one and hash(again) == hash(one)


@pytest.mark.long
def test_a_search_is_asked_for_its_metric_and_rule():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    y = (X[:, 0] + rng.normal(size=80) > 0).astype(int)
    grid = {"C": [0.001, 0.1, 10]}
    rule = OneStandardError(complexity="C")
    search = BBCSearchCV(
        LogisticRegression(), grid, scoring="roc_auc", refit=rule, random_state=0
    ).fit(X, y)
    result = samples_for_width(search, n_samples=60, **QUICK)
    direct = samples_for_width(
        Side(oof=search.oof_, selection=rule), n_samples=60, scoring="roc_auc", **QUICK
    )
    assert (result.metric, result.method) == ("roc_auc", "bbc")
    assert np.array_equal(result.widths, direct.widths)
    plain = samples_for_width(search.oof_, n_samples=60, scoring="roc_auc", **QUICK)
    assert not np.array_equal(result.widths, plain.widths), "the rule is repeated"
    assert result.at_hand == search.ci_.width
    other = samples_for_width(search, n_samples=60, scoring="accuracy", **QUICK)
    assert other.metric == "accuracy"


def test_systems_have_their_own_method_and_words():
    rng = np.random.default_rng(0)
    table = (rng.random((100, 4)) < 0.6).astype(int)
    oof = OOFPredictions.from_scores(table)
    result = samples_for_width(oof, n_samples=150, **QUICK)
    assert result.method == ShrunkenBBC.name and "150 items" in str(result)
    oof = OOFPredictions.from_scores(1.0 - table, greater_is_better=False)
    losses = samples_for_width(oof, n_samples=150, **QUICK)
    assert losses.widths == pytest.approx(result.widths)


def test_methods_keep_their_parameters():
    oof = example_predictions()
    method = BBC(confidence_level=0.8, n_bootstraps=300)
    result = samples_for_width(oof, n_samples=60, scoring="roc_auc", method=method, n_studies=20,
                               random_state=0)  # fmt: skip
    assert result.confidence_level == 0.8
    wider = samples_for_width(oof, n_samples=60, scoring="roc_auc", **QUICK)
    assert result.value < wider.value
    assert method.random_state is None, "it was copied"
    side = Side(oof=oof, config=1)
    of_one = samples_for_width(side, n_samples=60, scoring="roc_auc", method="delong",
                               n_studies=20, random_state=0)  # fmt: skip
    assert of_one.method == "delong"
    with pytest.raises(ValueError, match="BBC takes no config"):
        samples_for_width(side, n_samples=60, scoring="roc_auc", **QUICK)


# --- power ---------------------------------------------------------------------------------------


def ratings(n=60, seed=0):
    rng = np.random.default_rng(seed)
    common = rng.normal(size=n)
    return common + rng.normal(size=n) + 0.35, common + rng.normal(size=n)


@pytest.mark.long
def test_power_by_a_plain_loop():
    one, other = ratings(12)
    given = {"n_samples": [12, 25], "method": "paired_t", "n_studies": 40, "random_state": 0}
    result = samples_for_power(one, other, **given)
    true, unmoved = (one - other).mean(), []
    for size, power in result.frame()["power"].items():
        drawn = [(one - other)[picks_of(k, size, 12)] for k in range(40)]
        half = t.ppf(0.975, size - 1) / np.sqrt(size)
        lows = np.array([each.mean() - half * each.std(ddof=1) for each in drawn])
        moved = true + unbiased(12) * (lows - true)
        assert power == np.mean(moved > 0)
        unmoved.append(np.mean(lows > 0))
    assert result.frame()["power"].tolist() != unmoved
    assert result.value == result.frame()["power"][25]
    turned = samples_for_power(other, one, **{**given, "n_samples": 25})
    assert np.array_equal(turned.excludes[0], result.excludes[1])


@pytest.mark.long
def test_the_number_for_a_power():
    one, other = ratings()
    result = samples_for_power(one, other, method="paired_t", n_studies=100, random_state=0)
    difference = one - other
    effect = difference.mean() / difference.std()
    expected = ((norm.ppf(0.975) + norm.ppf(0.8)) / effect) ** 2
    assert result.n_samples == pytest.approx(expected, rel=0.15)
    assert result.value == pytest.approx(0.8, abs=0.05)
    assert "excludes zero with a probability of" in str(result)
    assert "taken as the true one" in result.details["notes"][0]


def test_sides_that_were_tuned_are_compared_as_by_compare():
    y, scores = scores_of(80, 4)
    tuned = OOFPredictions(y_true=y, y_pred=scores + 0.8 * y[:, None])
    alone = OOFPredictions(y_true=y, y_pred=scores_of(80, 1, seed=1)[1])
    given = {"scoring": "roc_auc", **QUICK}
    result = samples_for_power(tuned, alone, n_samples=40, **given)
    assert result.method == "bbc_difference"
    at_hand = compare(tuned, alone, "roc_auc", random_state=0)
    assert result.details["difference"] == at_hand.difference
    assert result.at_hand == at_hand.width
    studies = [
        compare(
            *(
                OOFPredictions(y_true=y[drawn], y_pred=oof.responses["plain"].T[drawn])
                for oof in (tuned, alone)
            ),
            "roc_auc", n_bootstraps=40, random_state=seed_of(k),
        )
        for k, drawn in enumerate(picks_of(k, 40, 80) for k in range(20))
    ]  # fmt: skip
    true = at_hand.difference
    moved = [[true + unbiased(40) * (bound - true) for bound in study] for study in studies]
    np.testing.assert_allclose(result.widths[0], [high - low for low, high in moved], atol=1e-12)
    assert result.excludes[0].tolist() == [low > 0 for low, _ in moved]
    assert 0 < result.value < 1


# --- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"width": 1.0}, "asks for nothing: roc_auc is between 0 and 1"),
        ({"width": 1e-5}, "more than 1,000 times the 60 at hand"),
        ({"width": 0.2, "n_samples": 50}, "Give width=0.2 or n_samples, not both"),
        ({"n_samples": 9}, "n_samples must be at least 10 samples, got 9"),
        ({"n_samples": []}, "n_samples must be a whole number"),
        ({"scoring": None}, "scoring must be given"),
        ({"method": BBC(alternative="greater")}, "A one-sided interval has no width"),
        ({"method": "delongg"}, "Did you mean"),
        ({"predictions": example_predictions(8, n_folds=2)}, "only 8 samples at hand"),
    ],
)
def test_bad_input(given, message):
    given = {"predictions": example_predictions(), "scoring": "roc_auc", **QUICK, **given}
    with pytest.raises(ValueError, match=message):
        samples_for_width(given.pop("predictions"), **given)


def test_scores_per_fold_are_not_enough():
    oof = OOFPredictions.from_fold_scores({"accuracy": np.random.default_rng(0).random((5, 3))})
    with pytest.raises(ValueError, match=r"only scores per fold.*from_search\(search, X, y\)"):
        samples_for_width(oof, scoring="accuracy")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}).fit(X, X[:, 0] > 0)
    with pytest.raises(ValueError, match="only scores per fold"):
        samples_for_width(search, scoring="accuracy")


def test_blocks_are_refused():
    y, scores = scores_of()
    oof = OOFPredictions(y_true=y, y_pred=scores).with_blocks(4)
    message = "The predictions have blocks: a longer series"
    with pytest.raises(ValueError, match=message):
        samples_for_width(oof, scoring="roc_auc")
    with pytest.raises(ValueError, match=message):
        samples_for_power(oof, Side(oof=oof, config=0), scoring="roc_auc")


def test_too_few_of_a_class():
    y = (np.arange(100) < 3).astype(int)
    scores = np.random.default_rng(0).normal(size=(100, 2)) + y[:, None]
    oof = OOFPredictions(y_true=y, y_pred=scores)
    with pytest.raises(UndefinedIntervalError, match="have no interval: the metric needs more"):
        samples_for_width(oof, n_samples=15, scoring="roc_auc", **QUICK)
    result = samples_for_width(oof, n_samples=100, scoring="roc_auc", **QUICK)
    assert "Class 1 has 3 samples at hand" in result.details["notes"][1]
    undefined = [y[picks_of(k, 100, 100)].sum() < 2 for k in range(20)]
    assert np.isnan(result.widths[0]).tolist() == undefined
    assert result.frame()["undefined"][100] == np.mean(undefined) > 0


def test_an_interval_at_hand_that_is_a_point():
    oof = OOFPredictions(y_true=np.arange(40) % 2, y_pred=(np.arange(40) % 2)[:, None])
    with pytest.raises(UndefinedIntervalError, match="at hand is 0, so nothing can be said"):
        samples_for_width(oof, scoring="accuracy", **QUICK)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"power": 0.9, "n_samples": 50}, "Give power=0.9 or n_samples, not both"),
        ({"second": ratings()[1] + 0.35 + 1e-3}, "too small to plan with"),
    ],
)
def test_bad_input_for_power(given, message):
    one, other = ratings()
    if message == "too small to plan with":
        given = {"second": one - np.random.default_rng(0).permutation(np.tile([1.0, -0.99], 30))}
    given = {"first": one, "second": other, "n_studies": 20, "random_state": 0, **given}
    with pytest.raises(ValueError, match=message):
        samples_for_power(given.pop("first"), given.pop("second"), **given)


def test_long_times_are_announced(monkeypatch):
    monkeypatch.setattr("sklearn_bbc.planning._from_predictions.SLOW_SECONDS", 1e-9)
    with pytest.warns(SlowMetricWarning, match="for about 20 studies: expect about"):
        samples_for_width(example_predictions(), n_samples=30, scoring="roc_auc", **QUICK)


def test_what_is_printed():
    result = SampleSizeResult(
        target=0.1, n_samples=640, value=0.1, sizes=[100, 640], at_hand=0.2513, n_at_hand=100,
        widths=[[0.25, 0.26, np.nan], [0.09, 0.1, 0.11]], metric="neg_log_loss", method="bbc",
        confidence_level=0.95, details={"notes": ["A note."]},
    )  # fmt: skip
    assert str(result) == (
        "For a 95% interval of the log loss by bootstrap bias correction (BBC) that is at most "
        "0.1 wide it takes about 640 samples: half of the studies of that size have one. With the "
        "100 samples at hand it is 0.251 wide. A note."
    )
    assert result.frame()["width"].tolist() == pytest.approx([0.26, 0.1])
    assert np.isinf(result.frame()["width_high"][100])
    assert repr(result).startswith("SampleSizeResult(n_samples=640, width=0.1")
    assert "640 samples" in result._repr_html_()
    with pytest.raises(AttributeError, match=r"SampleSizeDisplay.from_results\(result\)"):
        _ = result.plot
