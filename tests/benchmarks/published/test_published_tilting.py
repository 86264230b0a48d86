"""Switches of the published tilting code: the same numbers as before, each one on its own."""

from itertools import product

import numpy as np
import pytest

from benchmarks.published import replication as _published_tilting
from benchmarks.published.replication import (
    MABT,
    BootstrapTilting,
    LearnEvaluate,
    PublishedTilting,
)
from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import _tilting as _steps

SWITCHES = ("across_classes", "by_regression", "coarse_search", "resampled_bound")
OFF = dict.fromkeys((*SWITCHES, "self_normalised"), False)
METHODS = (BootstrapTilting, MABT)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")


def scores(share=0.2, n_samples=160):
    rng = np.random.default_rng(7)
    y = (np.arange(n_samples) >= share * n_samples).astype(int)
    pred = rng.normal(size=(n_samples, 30)) + 1.2 * y[:, None]
    return OOFPredictions(y_true=y, y_pred=pred, fold=np.arange(n_samples) % 5)


def answers():
    rng = np.random.default_rng(7)
    y = np.arange(120) % 2
    pred = np.where(rng.random((120, 30)) < 0.75, y[:, None], 1 - y[:, None])
    return OOFPredictions(y_true=y, y_pred=pred, fold=np.arange(120) // 24)


def one_positive():
    rng = np.random.default_rng(0)
    y = (np.arange(40) == 3).astype(int)
    return OOFPredictions(y_true=y, y_pred=rng.normal(size=40) + y)


def run(method, oof, scoring="roc_auc", replicate=None, n_bootstraps=400, **options):
    options = {"random_state": 3, **options}
    return method(n_bootstraps=n_bootstraps, replicate=replicate, **options).estimate(oof, scoring)


def alone(**switches):
    """Only what is named deviates."""
    return PublishedTilting(**{**OFF, **switches})


# Bounds and tau of the former `literal=True` (and `within_classes=True`, for the last ones), one
# switch for everything, computed at commit ce9182e.
@pytest.mark.parametrize(
    ("method", "oof", "scoring", "switches", "bounds", "taus"),
    [
        (BootstrapTilting, scores(), "roc_auc", {}, (0.8122625732421875, 0.9423089599609376),
         (-1.11444091796875, -1.2803955078125)),
        (BootstrapTilting, answers(), "accuracy", {}, (0.7869098633043996, 0.9127576316052325),
         (-0.4951171875, -0.5462646484375)),
        # Drawn within classes since then, which has these bounds but for noise.
        (BootstrapTilting, answers(), "balanced_accuracy", {}, (0.7869375000000001, 0.9108125),
         (-0.98321533203125, -1.09051513671875)),
        (BootstrapTilting, one_positive(), "roc_auc", {}, (0.804551282051282, 0.9780128205128206),
         (-1.05462646484375, -1.35491943359375)),
        (MABT, scores(), "roc_auc", {}, (0.60768, 0.97564),
         (-2.6195800781250003, -2.594052124023438)),
        (MABT, scores(0.5), "roc_auc", {}, (0.7441040100250627, 0.9792982456140351),
         (-3.383056640625, -3.3142150878906254)),
        (MABT, answers(), "accuracy", {}, (0.6942447287757892, 0.977894664959882),
         (-1.3771850585937502, -1.5923583984375003)),
        (MABT, scores(), "roc_auc", {"across_classes": False},
         (0.6040133333333333, 0.9748133333333334), (-1.03138427734375, -1.0624511718750003)),
        (MABT, scores(0.5), "roc_auc", {"across_classes": False},
         (0.7361466165413535, 0.9786904761904762), (-1.7332946777343752, -1.64881591796875)),
    ],
)  # fmt: skip
def test_numbers_of_the_one_switch_that_was_there_before(
    method, oof, scoring, switches, bounds, taus
):
    result = run(method, oof, scoring, PublishedTilting(**switches))
    np.testing.assert_allclose(tuple(result.details["tau"].values()), taus, rtol=1e-9)
    np.testing.assert_allclose(tuple(result), bounds, atol=1e-6)


@pytest.mark.parametrize(
    ("method", "oof"),
    [(BootstrapTilting, scores()), (MABT, scores()), (BootstrapTilting, one_positive())],
)
def test_without_any_deviation_it_is_the_default(method, oof):
    published, default = run(method, oof, replicate=PublishedTilting(**OFF)), run(method, oof)
    np.testing.assert_array_equal(tuple(published), tuple(default))
    assert repr(published.details) == repr(default.details)


@pytest.mark.parametrize("method", METHODS)
def test_every_combination_has_bounds_and_no_switch_is_without_effect(method):
    oof, seen = scores(), set()
    for flags in product((False, True), repeat=5):
        replicate = PublishedTilting(**dict(zip((*SWITCHES, "self_normalised"), flags)))
        result = run(method, oof, replicate=replicate, n_bootstraps=200)
        assert 0.5 < result.low < result.estimate < result.high < 1, replicate
        seen.add((tuple(result), tuple(result.details["tau"].values())))
    assert len(seen) == 32


def test_regression_is_noisier_and_needs_more_resamples_than_samples():
    oof, replicate = scores(), alone(by_regression=True)
    fitted, exact = run(BootstrapTilting, oof, replicate=replicate), run(BootstrapTilting, oof)
    assert fitted.low != exact.low
    np.testing.assert_allclose(tuple(fitted), tuple(exact), atol=0.005)
    with pytest.raises(ValueError, match=r"by_regression=True .* 160 samples .*=160\. Draw more"):
        run(BootstrapTilting, oof, replicate=replicate, n_bootstraps=160)
    run(BootstrapTilting, oof, replicate=replicate, n_bootstraps=161)
    run(BootstrapTilting, oof, replicate=PublishedTilting(by_regression=False), n_bootstraps=160)
    # The quarter that is evaluated counts.
    run(MABT, oof, replicate=replicate, n_bootstraps=41)


@pytest.mark.parametrize(
    ("method", "oof", "scoring", "step", "end"),
    [
        (BootstrapTilting, scores(), "roc_auc", 1.0, -20),
        (BootstrapTilting, answers(), "accuracy", 1.0, -10),
        (MABT, scores(), "roc_auc", 0.1, -20),
        (MABT, answers(), "accuracy", 0.1, -10),
    ],
)
def test_coarse_search_has_the_published_grid(monkeypatch, method, oof, scoring, step, end):
    grids = []

    def watch(module, name):
        search = getattr(module, name)

        def watched(tail, alpha, grid, **more):
            grids.append((name, grid, more))
            return search(tail, alpha, grid, **more)

        monkeypatch.setattr(module, name, watched)

    watch(_published_tilting, "coarse_root")
    watch(_steps, "largest_root")
    run(method, oof, scoring, alone(coarse_search=True), alternative="greater")
    run(method, oof, scoring, PublishedTilting(coarse_search=False), alternative="greater")
    (published, coarse, as_published), (default, fine, as_default) = grids
    assert (published, default) == ("coarse_root", "largest_root")
    np.testing.assert_allclose(np.diff(coarse), -step)
    assert coarse[0] == 0 and coarse[-1] == pytest.approx(end)
    assert as_published == {"tolerance": 1.2e-4}
    assert len(fine) == 201 and as_default["tolerance"] < 1e-5


def test_coarse_search_has_a_rule_of_its_own_for_when_there_is_a_bound():
    oof, level = scores(), {"confidence_level": 0.7, "alternative": "greater"}
    only = alone(coarse_search=True)
    refused = run(BootstrapTilting, oof, replicate=only, **level)
    assert np.isnan(refused.low)
    assert "not above 0.6" in refused.details["reason"]
    for replicate in (None, PublishedTilting(coarse_search=False)):
        assert run(BootstrapTilting, oof, replicate=replicate, **level).low < refused.estimate
    # One sample of a class has no spread within it, which published code does not ask about.
    assert run(BootstrapTilting, one_positive(), replicate=only).low > 0
    published_else = PublishedTilting(coarse_search=False)
    refused = run(BootstrapTilting, one_positive(), replicate=published_else)
    assert "a single sample" in refused.details["reason"]


def test_fine_search_does_not_take_rounding_errors_of_a_regression_for_influence():
    separable = OOFPredictions(y_true=np.repeat([0, 1], 15), y_pred=np.arange(30.0))
    for across in (False, True):
        replicate = alone(by_regression=True, across_classes=across)
        result = run(BootstrapTilting, separable, replicate=replicate)
        assert np.isnan(tuple(result)).all()
        assert "moves the score alike" in result.details["reason"]


@pytest.mark.parametrize("method", METHODS)
def test_resamples_are_turned_as_pROC_does(method):
    rng = np.random.default_rng(5)
    y = np.arange(80) % 2
    oof = OOFPredictions(
        y_true=y, y_pred=rng.normal(size=(80, 8)) + 0.4 * y[:, None], fold=np.arange(80) // 2 % 4
    )
    step = LearnEvaluate(random_state=1, auto_direction=True)
    fixed = run(method, oof, replicate=alone(), selection=step)
    turned = run(method, oof, replicate=alone(auto_direction=True), selection=step)
    assert turned.estimate == fixed.estimate
    smaller, larger = np.sort([fixed.draws, turned.draws], axis=0)
    flipped = fixed.draws != turned.draws
    assert 0.01 < flipped.mean() < 0.5
    np.testing.assert_allclose(smaller[flipped] + larger[flipped], 1, atol=1e-12)
    assert tuple(turned) != tuple(fixed)


def test_turned_resamples_give_the_bound_too():
    rng = np.random.default_rng(5)
    y = np.arange(40) % 2
    oof = OOFPredictions(y_true=y, y_pred=rng.normal(size=40) + 0.5 * y)
    bounds = [
        run(BootstrapTilting, oof, replicate=alone(resampled_bound=True, auto_direction=flag)).low
        for flag in (False, True)
    ]
    assert bounds[1] > bounds[0] + 0.01, "areas below one half are turned"


@pytest.mark.parametrize(
    ("oof", "scoring", "message"),
    [
        (answers(), "accuracy", "reverses scores of roc_auc of two classes, got the metric acc"),
        (OOFPredictions(y_true=[0, 1] * 20, y_pred=-np.arange(40.0) % 7 - 9 * np.tile([0, 1], 20)),
         "roc_auc", r"already on the samples themselves .* LearnEvaluate\(auto_direction=True\)"),
    ],
)  # fmt: skip
def test_where_resamples_cannot_be_turned(oof, scoring, message):
    with pytest.raises(ValueError, match=message):
        run(BootstrapTilting, oof, scoring, alone(auto_direction=True))
