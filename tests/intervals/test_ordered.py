"""Blocks of samples that follow each other, in every method that draws or has a formula."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, TimeSeriesSplit

from sklearn_bbc import BBC, BBCSearchCV, OOFPredictions, bbc, compare, holdout_interval
from sklearn_bbc._blocks import Blocks, best_block_length
from sklearn_bbc.comparison import (
    BBCDifference,
    Bonferroni,
    DieboldMariano,
    ModelConfidenceSet,
    PairedBootstrap,
    PairedDeLong,
    PairedT,
    Side,
    tied_with_best,
)
from sklearn_bbc.curves import corrected_curve
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import (
    BBCF,
    CVAUC,
    MABT,
    BayleCV,
    BootstrapTilting,
    DeLong,
    HierarchicalBootstrap,
    PooledBootstrap,
    ShrunkenBBC,
    Wald,
    optimism_curve,
)
from sklearn_bbc.resampling import Draws
from sklearn_bbc.selection import SimplestTied

N, LENGTH = 120, 5
FEW = {"n_bootstraps": 300, "random_state": 0}
RNG = np.random.default_rng(4)
NOISE = RNG.normal(size=N)
for t in range(1, N):
    NOISE[t] += 0.7 * NOISE[t - 1]
TARGET = RNG.normal(size=N)
VALUES = TARGET[:, None] + NOISE[:, None] + RNG.normal(size=(N, 4)) * [1.0, 0.4, 0.6, 0.5]
LABELS = (TARGET + 0.3 * NOISE > 0).astype(int)
FOLD = np.arange(N) // 24
MSE = "neg_mean_squared_error"


def numbers(**given):
    return OOFPredictions(y_true=TARGET, y_pred=VALUES, fold=FOLD, **given)


def classes(**given):
    return OOFPredictions(y_true=LABELS, y_pred=VALUES, fold=FOLD, **given)


def same(one, other):
    np.testing.assert_allclose([one.estimate, *one], [other.estimate, *other], rtol=1e-12)


def drawn(kind="circular", order=None, n_draws=300):
    places = np.arange(N) if order is None else np.argsort(order)
    draws = Draws(Blocks(LENGTH, [places], kind), n_draws, 0)
    return draws.map(lambda counts: counts.astype(int))


@pytest.mark.parametrize("kind", ["circular", "moving", "stationary"])
def test_bbc_is_that_of_a_loop_over_blocks(kind):
    result = BBC(**FEW).estimate(numbers().with_blocks(LENGTH, kind=kind), MSE)
    losses, scores = (VALUES - TARGET[:, None]) ** 2, []
    for counts in drawn(kind):
        in_bag = [-np.average(losses[:, c], weights=counts) for c in range(4)]
        scores.append(-losses[counts == 0, int(np.argmax(in_bag))].mean())
    np.testing.assert_allclose(result.draws, scores, rtol=1e-12)
    assert result.estimate == pytest.approx(np.mean(scores))
    assert (result.details["unit"], result.details["n_blocks"]) == ("block", 24)
    assert result.details["block_kind"] == kind
    assert "2,000 bootstrap draws" not in result.summary()
    assert "300 bootstrap draws of blocks of 5 samples, seed 0" in result.summary()


def test_auc_of_blocks_in_the_order_of_times():
    order = RNG.permutation(N)
    result = BBC(**FEW).estimate(classes().with_blocks(LENGTH, order=order), "roc_auc")
    for counts, score in zip(drawn(order=order)[:40], result.draws):
        areas = [
            roc_auc_score(np.repeat(LABELS, counts), np.repeat(VALUES[:, c], counts))
            for c in range(4)
        ]
        out = counts == 0
        best = roc_auc_score(LABELS[out], VALUES[out, int(np.argmax(areas))])
        assert score == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("method", [BBC(**FEW), ShrunkenBBC(**FEW), PooledBootstrap(**FEW)])
def test_blocks_of_one_sample_are_single_samples(method):
    for oof, scoring in ((numbers(), MSE), (classes(), "roc_auc")):
        same(method.estimate(oof.with_blocks(1), scoring), method.estimate(oof, scoring))


METHODS = [
    (ShrunkenBBC(**FEW), numbers, MSE), (PooledBootstrap(**FEW), numbers, MSE),
    (BBC(**FEW), numbers, MSE), (PooledBootstrap(form="bca", **FEW), numbers, MSE),
    (PooledBootstrap(form="studentised", **FEW), numbers, MSE), (DeLong(), classes, "roc_auc"),
    (CVAUC(), classes, "roc_auc"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "make", "scoring"), METHODS)
def test_blocks_side_by_side_are_groups(method, make, scoring):
    """What is drawn, and what a formula takes as independent, are whole blocks."""
    blocks = np.arange(N) // LENGTH
    one = method.estimate(make().with_blocks(LENGTH, kind="consecutive"), scoring)
    same(one, method.estimate(make(groups=blocks), scoring))
    assert one.details["n_blocks"] == 24
    assert any("blocks of 5 samples, 24 blocks in all" in note for note in one.details["notes"])


@pytest.mark.parametrize("method", [DeLong(), CVAUC()])
def test_formulas_take_blocks_side_by_side_whatever_the_draws(method):
    kinds = ("circular", "moving", "stationary", "consecutive")
    results = [
        method.estimate(classes().with_blocks(LENGTH, kind=kind), "roc_auc") for kind in kinds
    ]
    for other in results[1:]:
        same(results[0], other)
    assert results[0].width != method.estimate(classes(), "roc_auc").width


@pytest.mark.parametrize(
    ("comparison", "make", "scoring"),
    [
        (PairedT(), numbers, MSE), (PairedDeLong(), classes, "roc_auc"),
        (PairedBootstrap(**FEW), numbers, MSE), (BBCDifference(**FEW), numbers, MSE),
    ],
)  # fmt: skip
def test_comparisons_of_blocks_side_by_side_are_those_of_groups(comparison, make, scoring):
    results = []
    for oof in (
        make().with_blocks(LENGTH, kind="consecutive"), make(groups=np.arange(N) // LENGTH)
    ):  # fmt: skip
        results.append(
            comparison.compare(Side(oof=oof, config=0), Side(oof=oof, config=1), scoring)
        )
    one, other = results
    np.testing.assert_allclose(
        [one.difference, one.low, one.high, one.p_value],
        [other.difference, other.low, other.high, other.p_value],
        rtol=1e-12,
    )
    assert (one.details["unit"], one.details["n_blocks"]) == ("block", 24)


def test_differences_of_winners_are_those_of_a_loop_over_blocks():
    one = numbers().with_blocks(LENGTH)
    found = BBCDifference(**FEW).compare(one, Side(oof=one, config=0), MSE)
    losses, differences = (VALUES - TARGET[:, None]) ** 2, []
    for counts in drawn():
        winner = int(np.argmin([np.average(losses[:, c], weights=counts) for c in range(4)]))
        out = counts == 0
        differences.append(losses[out, 0].mean() - losses[out, winner].mean())
    assert found.difference == pytest.approx(np.mean(differences))
    assert "300 draws of blocks of 5 samples" in found.summary()


@pytest.mark.parametrize(
    "method", [Bonferroni(), ModelConfidenceSet(n_bootstraps=200, random_state=0)]
)
def test_tied_sets_compare_by_blocks(method):
    one = tied_with_best(
        numbers().with_blocks(LENGTH),
        MSE,
        method=method,
        draws=BBC(n_bootstraps=200, random_state=0),
    )
    groups = np.arange(N) // LENGTH
    other = tied_with_best(
        numbers(groups=groups), MSE, method=method, draws=BBC(n_bootstraps=200, random_state=0)
    )
    np.testing.assert_allclose(one.p_values, other.p_values)
    assert (one.details["n_units"], one.details["n_blocks"]) == (24, 24)


# ------------------------------------------------------------------------------ chosen lengths
def test_auto_is_the_length_for_the_losses_of_the_winner():
    oof = numbers()
    result = BBC(**FEW).estimate(oof.with_blocks(), MSE)
    losses = (VALUES - TARGET[:, None]) ** 2
    winner = int(np.argmin(losses.reshape(5, 24, 4).mean(axis=(0, 1))))
    expected = int(np.ceil(best_block_length([losses[:, winner]])))
    assert result.details["block_length"] == expected > 1
    same(result, BBC(**FEW).estimate(oof.with_blocks(expected), MSE))
    assert any("chosen by the autocorrelation" in note for note in result.details["notes"])


def test_auto_of_a_metric_without_losses_takes_what_each_sample_contributes():
    oof = classes().with_selected(2)
    result = BBC(**FEW).estimate(oof.with_blocks(), "roc_auc")
    whole = roc_auc_score(LABELS, VALUES[:, 2])
    without = [roc_auc_score(np.delete(LABELS, k), np.delete(VALUES[:, 2], k)) for k in range(N)]
    expected = best_block_length([(N - 1) * (whole - np.array(without))])
    assert result.details["block_length"] == int(np.ceil(expected))


def test_auto_of_a_difference_is_that_of_the_difference():
    sides = [Side(oof=numbers().with_blocks(), config=config) for config in (1, 3)]
    losses = (VALUES - TARGET[:, None]) ** 2
    expected = int(np.ceil(best_block_length([losses[:, 1] - losses[:, 3]])))
    for method in (PairedBootstrap(**FEW), BBCDifference(**FEW), PairedT()):
        assert method.compare(*sides, MSE).details["block_length"] == expected


def test_auto_pools_the_series_of_groups():
    groups = np.tile([0, 1], N // 2)
    result = BBC(**FEW).estimate(numbers(groups=groups).with_blocks().with_selected(1), MSE)
    losses = (VALUES[:, 1] - TARGET) ** 2
    expected = best_block_length([losses[groups == 0], losses[groups == 1]])
    assert result.details["block_length"] == int(np.ceil(expected))
    assert any("within each of 2 series" in note for note in result.details["notes"])


def test_auto_is_no_longer_than_half_of_a_series():
    trend, groups = np.arange(66.0), np.repeat([0, 1], [60, 6])
    oof = OOFPredictions(y_true=np.zeros(66), y_pred=np.c_[trend, trend + 1], groups=groups)
    assert best_block_length([trend[:60] ** 2, trend[60:] ** 2]) > 3
    result = BBC(**FEW).estimate(oof.with_blocks().with_selected(0), MSE)
    assert result.details["block_length"] == 3  # half of the shorter one


# ------------------------------------------------------------------- few blocks, what is refused
def test_few_blocks_are_noted_and_warned_of():
    with pytest.warns(IntervalWarning, match="BBC: Only 12 blocks of 10 samples.*too narrow"):
        few = BBC(**FEW).estimate(numbers().with_blocks(10), MSE)
    assert few.details["n_blocks"] == 12
    assert any("Only 12 blocks" in note for note in few.details["notes"])


def test_a_score_that_changes_over_time_is_noted_and_warned_of():
    rng, n = np.random.default_rng(0), 200
    losses = rng.random((n, 3)) + 1
    steady = OOFPredictions(y_true=np.zeros(n), y_pred=losses).with_blocks(4)
    scoring = "neg_mean_absolute_error"
    notes = BBC(**FEW).estimate(steady, scoring).details["notes"]
    assert not any("first half" in note for note in notes)
    later = losses + np.where(np.arange(n) < 100, 0, 1)[:, None]
    winner = int(later.mean(axis=0).argmin())
    for order in (None, rng.permutation(n)):
        place = np.arange(n) if order is None else order
        oof = OOFPredictions(y_true=np.zeros(n), y_pred=later[place])
        with pytest.warns(IntervalWarning, match="changes over time"):
            result = BBC(**FEW).estimate(oof.with_blocks(4, order=order), scoring)
        (note,) = [each for each in result.details["notes"] if "first half" in each]
        assert f"is {later[:100, winner].mean():.2f} in the first half" in note
        assert f"and {later[100:, winner].mean():.2f} in the second" in note


@pytest.mark.parametrize("method", [Wald(), BayleCV(), MABT(**FEW), BootstrapTilting(**FEW)])
def test_methods_of_single_samples_refuse_blocks(method):
    with pytest.raises(ValueError, match="but the predictions have blocks of samples"):
        method.estimate(numbers().with_blocks(LENGTH), MSE)


def test_blocks_are_drawn_within_folds():
    method = HierarchicalBootstrap(form="percentile", **FEW)
    single, ones = (method.estimate(numbers().with_blocks(k), MSE) for k in (None, 1))
    same(ones, single)
    blocks = method.estimate(numbers().with_blocks(LENGTH), MSE)
    assert blocks.width > single.width
    assert blocks.details["n_blocks"] == 24
    with pytest.raises(ValueError, match="block_length=13 is more than half of the 24 samples"):
        method.estimate(numbers().with_blocks(13), MSE)


def test_forms_that_draw_single_samples_inside_are_refused():
    with pytest.raises(ValueError, match=r"form='studentised' draws single samples"):
        PooledBootstrap(form="studentised", **FEW).estimate(numbers().with_blocks(LENGTH), MSE)
    with pytest.raises(ValueError, match=r"stratify=True draws .* but there are blocks"):
        PooledBootstrap(stratify=True, **FEW).estimate(classes().with_blocks(LENGTH), "roc_auc")
    rule = SimplestTied(lambda params: 0, margin=Bonferroni())
    oof = numbers(params=[{"a": k} for k in range(4)])
    with pytest.raises(ValueError, match=r"circular blocks begin anywhere.*'consecutive'"):
        BBC(selection=rule, **FEW).estimate(oof.with_blocks(LENGTH), MSE)
    one = Side(oof=numbers().with_blocks(LENGTH), config=0)
    for oof, words in ((numbers(), "only one has"), (numbers().with_blocks(3), "they have diff")):
        with pytest.raises(ValueError, match=rf"{words}.* block_length, {LENGTH} and (None|3)\."):
            compare(one, Side(oof=oof, config=1), MSE)


def test_folds_are_drawn_as_ever():
    for length in (LENGTH, "auto"):
        same(BBCF().estimate(numbers().with_blocks(length), MSE), BBCF().estimate(numbers(), MSE))


# ---------------------------------------------------------------------------------- on arrays
def test_arrays_take_blocks():
    oof = numbers().with_blocks(LENGTH, order=NOISE)
    same(
        bbc(TARGET, VALUES, MSE, fold=FOLD, block_length=LENGTH, order=NOISE, **FEW),
        BBC(**FEW).estimate(oof, MSE),
    )
    one = holdout_interval(TARGET, VALUES[:, 0], MSE, block_length=LENGTH, **FEW)
    alone = OOFPredictions(y_true=TARGET, y_pred=VALUES[:, 0]).with_blocks(LENGTH)
    same(one, PooledBootstrap(**FEW).estimate(alone, MSE))
    assert one.details["n_blocks"] == 24
    two = holdout_interval(
        TARGET, VALUES[:, 0], MSE, y_pred_other=VALUES[:, 1], block_length="auto", **FEW
    )
    losses = (VALUES - TARGET[:, None]) ** 2
    best = best_block_length([losses[:, 1] - losses[:, 0]])
    assert two.details["block_length"] == int(np.ceil(best))
    pair = compare(VALUES[:, 0], VALUES[:, 1], MSE, y_true=TARGET, block_length="auto", **FEW)
    assert pair.method == "paired_bootstrap"
    assert pair.details["block_length"] == two.details["block_length"]
    given = compare(losses[:, 0], losses[:, 1], block_length=LENGTH, **FEW)
    assert given.details["n_blocks"] == 24
    with pytest.raises(ValueError, match="Leave one of them out"):
        holdout_interval(
            TARGET, VALUES[:, 0], MSE, block_length=5, groups=FOLD, group_bootstrap="two-stage"
        )


def test_curves_and_subsets_draw_blocks():
    oof = classes().with_blocks()
    curve = corrected_curve(oof, "roc_auc", "roc", method=BBC(**FEW))
    length = BBC(**FEW).estimate(oof, "roc_auc").details["block_length"]
    assert curve.details["block_length"] == length
    assert f"300 draws of blocks of {length} sample" in curve.summary()
    subsets = optimism_curve(
        oof, "roc_auc", n_subsets=3, method=BBC(n_bootstraps=100, random_state=0)
    )
    assert subsets.details["unit"] == "block"


def test_diebold_and_mariano_take_the_order_and_no_blocks():
    order = RNG.permutation(N)
    by_time = [
        DieboldMariano(horizon=3).compare(
            *(Side(oof=each, config=config) for config in (0, 1)), MSE
        )
        for each in (
            OOFPredictions(y_true=TARGET[order], y_pred=VALUES[order]).with_blocks(5, order=order),
            OOFPredictions(y_true=TARGET, y_pred=VALUES),
        )
    ]
    assert by_time[0].statistic == pytest.approx(by_time[1].statistic)
    assert by_time[0].details["unit"] == "sample"
    with pytest.raises(ValueError, match="the predictions have groups"):
        compare(
            VALUES[:, 0], VALUES[:, 1], MSE, y_true=TARGET, groups=FOLD, method=DieboldMariano()
        )


# ---------------------------------------------------------------------------------- in a search
X = np.c_[TARGET + 0.5 * RNG.normal(size=N), RNG.normal(size=(N, 2))]
Y = TARGET + NOISE


def searched(**given):
    given = {"cv": TimeSeriesSplit(4), "ci": BBC(**FEW), "random_state": 0, **given}
    return BBCSearchCV(Ridge(), {"alpha": [0.1, 10, 1000]}, scoring=MSE, **given)


def test_a_search_in_time_says_what_to_write_and_is_quiet_with_blocks(recwarn):
    with pytest.warns(IntervalWarning, match="Pass block_length='auto' to the search") as caught:
        single = searched().fit(X, Y)
    assert len([each for each in caught if "block_length" in str(each.message)]) == 1
    assert any("takes samples as independent" in note for note in single.ci_.details["notes"])
    recwarn.clear()
    blocks = searched(block_length="auto").fit(X, Y)
    assert not [each for each in recwarn if "block_length" in str(each.message)]
    notes = blocks.ci_.details["notes"]
    assert not any("takes samples as independent" in note for note in notes)
    assert any("samples that come before those it predicts" in note for note in notes)
    assert blocks.ci_.details["unit"] == "block"
    assert blocks.best_index_ == single.best_index_
    same(
        blocks.ci_,
        BBC(**FEW).estimate(single.oof_.with_blocks(), MSE),
    )
    single.oof_ = single.oof_.with_blocks()  # afterwards
    same(single.interval(), blocks.ci_)


def test_everything_of_a_search_draws_blocks():
    search = searched(block_length=4, cv=KFold(5)).fit(X, Y)
    assert "draws of blocks of 4 samples" in search.summary()
    groups = np.where(np.arange(N) < 60, "early", "late")
    assert search.subgroups(groups).details["n_blocks"] == 30
    assert search.prediction_stability().details["n_blocks"] == 30
    assert search.tied_with_best().details["n_blocks"] == 30
    baseline = search.compare(Ridge(alpha=1e6), X, Y)
    assert baseline.details["n_blocks"] == 30


def test_a_search_refuses_before_the_first_fit():
    with pytest.raises(ValueError, match="record=False does not keep them"):
        searched(block_length=3, record=False).fit(X, Y)


def test_a_block_too_long_costs_no_search():
    with pytest.warns(
        IntervalWarning, match="block_length=70 is more than half of the 96 samples"
    ):
        search = searched(block_length=70).fit(X, Y)
    assert np.isnan(search.ci_.estimate)
    assert search.best_score_ < 0
