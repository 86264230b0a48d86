"""Wrong inputs at public functions: each names the parameter, and says what would work."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, RepeatedStratifiedKFold, ShuffleSplit

from sklearn_bbc import (
    OOFPredictions,
    bbc,
    compare,
    holdout_interval,
    recommend,
    tied_with_best,
)
from sklearn_bbc.curves import corrected_curve
from sklearn_bbc.intervals import (
    BBC,
    BBCF,
    DeLong,
    NestedCV,
    NormalScoreQuantile,
    ShrunkenBBC,
    optimism_curve,
)
from sklearn_bbc.metrics import calibration_slope
from sklearn_bbc.report import ResultsTable
from sklearn_bbc.selection import OneStandardError
from sklearn_bbc.testing import example_predictions
from tests.search.small_search import X, Y, search

OOF = example_predictions()
TRUTH, SCORES = OOF.y_true, OOF.matrix("roc_auc")


@pytest.fixture(scope="module")
def fitted():
    return search(scoring="roc_auc", ci=["bbc"]).fit(X, Y)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.intervals_frame(True), "intervals_frame takes no arguments by pos"),
        (lambda s: s.table("latex"), r"'latex' is too much.*table\(\)\.to_latex\(\)"),
        (lambda s: s.tripod_ai(True), "tripod_ai takes no arguments by position"),
        (lambda s: s.report(), "report needs path"),
        (lambda s: s.interval(scoring=calibration_slope), "the name, scoring='calibration_slope'"),
        (lambda s: OOFPredictions.load(3), "path must be the name of a file, got 3"),
        (lambda s: ResultsTable([("a", "b")]), "three columns"),
        (lambda s: ResultsTable.from_frame(3), "frame must be what intervals_frame"),
        (lambda s: recommend(OOF), "recommend needs scoring. Its parameters are dynamic, fast"),
        (lambda s: bbc(TRUTH, SCORES), "scoring must be given"),
        (lambda s: bbc(None, SCORES), r"y_true must be an array, got None.*use best_of\(scores\)"),
        (lambda s: bbc(np.arange(60) % 3, SCORES, "roc_auc"),
         r"^roc_auc is for two classes, but the target has 3\. Use scoring='roc_auc_ovr' or 'roc"),
        (lambda s: bbc(np.arange(60) % 3, SCORES.astype(int) % 3, "f1"), "'f1_macro' or 'f1_weig"),
        (lambda s: s.curve("roc", grid=[-0.5, 2]), r"up to 1, got -0\.5 to 2\.$"),
        (lambda s: s.curve("roc", grid=[0, 50]), r"got 0 to 50\. In per cent\? Divide"),
        (lambda s: bbc(TRUTH, SCORES.astype(str), "roc_auc"), "roc_auc needs numbers as y_pred"),
        (lambda s: compare(), "compare needs first and second"),
        (lambda s: compare(SCORES[:, 0], ["a"] * 60, "roc_auc", y_true=TRUTH),
         "roc_auc needs numbers as y_pred, but it holds text such as 'a'"),
        (lambda s: holdout_interval(None, None), "y_pred must be an array, got None"),
        (lambda s: holdout_interval(None, ["a", "b"]), "Without y_true y_pred must hold numbers"),
        (lambda s: holdout_interval(None, SCORES), r"one score or loss per .*best_of\(scores\)"),
        (lambda s: compare(SCORES[:, 0], SCORES[:, 1], fold=TRUTH), "leave fold out"),
        (lambda s: compare(SCORES[:, 0], np.full(60, np.nan)), "second holds 60 values that"),
        (lambda s: holdout_interval(TRUTH, ["a"] * 60, "neg_mean_squared_error"), "needs numbers"),
        (lambda s: holdout_interval(TRUTH, SCORES[:, 0], "roc_auc", method=DeLong),
         r"Pass an instance, DeLong\(\)"),
        (lambda s: holdout_interval(pd.Series(pd.Categorical([*"ab", None] * 20)), SCORES[:, 0],
                                    "roc_auc"), "y_true contains 20 missing values"),
        (lambda s: NestedCV().estimate(LogisticRegression(), X), "estimate needs y"),
        (lambda s: OneStandardError(), "OneStandardError needs complexity"),
    ],
)  # fmt: skip
def test_a_wrong_input_is_told_by_name(fitted, call, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((TypeError, ValueError), match=message):
        call(fitted)
    assert not list(tmp_path.iterdir())


SETTINGS = {  # what draws -> its call, the parameter with their settings, what they cannot have
    "corrected_curve": (lambda **given: corrected_curve(OOF, "roc_auc", **given), "method", ""),
    "optimism_curve": (lambda **given: optimism_curve(OOF, "roc_auc", **given), "method",
                       "confidence_level selection"),
    "tied_with_best": (lambda **given: tied_with_best(OOF, "roc_auc", **given), "draws",
                       "confidence_level"),
    "search.curve": ("curve", "method", "selection"),
    "search.subgroups": (lambda s, **given: s.subgroups(Y, **given), "method", "selection"),
    "search.prediction_stability": ("prediction_stability", "method",
                                    "confidence_level selection"),
    "search.optimism_curve": ("optimism_curve", "method", "confidence_level selection"),
    "search.tied_with_best": ("tied_with_best", "draws", "confidence_level selection"),
    "search.threshold": (lambda s, **given: s.threshold("f1", **given), "method", "selection"),
}  # fmt: skip
VALUES = {
    "confidence_level": 0.8, "selection": OneStandardError("max_depth"), "alternative": "greater",
    "quantile": NormalScoreQuantile(), "below_median": True,
}  # fmt: skip


@pytest.mark.parametrize("what", SETTINGS)
def test_settings_of_draws_are_those_of_bbc_and_none_is_ignored(fitted, what):
    call, name, none = SETTINGS[what]
    if what.startswith("search."):
        call = getattr(fitted, call) if isinstance(call, str) else partial(call, fitted)
    asked = what.removeprefix("search.")
    for wrong in ("bbc", BBC, BBCF(), 100, {"n_bootstraps": 100}, ShrunkenBBC()):
        with pytest.raises(ValueError, match=rf"{asked}\({name}=BBC\(n_bootstraps=500, .*got "):
            call(**{name: wrong})
    for loose in ("n_bootstraps", "n_jobs", "random_state"):
        with pytest.raises(TypeError, match=rf"{asked}\(\.\.\., {name}=BBC\({loose}=\.\.\.\)\)"):
            call(**{loose: 1})
    with pytest.raises(ValueError, match="n_bootstraps must be"):
        call(**{name: BBC(n_bootstraps=3)})
    unused = [*none.split(), *(["below_median"] if asked == "threshold" else list(VALUES)[2:])]
    for each in unused:
        with pytest.raises(
            ValueError, match=rf"{asked} has no use for {each}=.*It uses .*n_bootstraps"
        ):
            call(**{name: BBC(**{each: VALUES[each]})})
    own = BBC(n_bootstraps=1000, random_state=3)
    before = own.get_params()
    call(**{name: own})
    assert own.get_params() == before


def test_a_tied_method_is_no_setting_of_draws(fitted):
    for tied in (fitted.tied_with_best, partial(tied_with_best, OOF, "roc_auc")):
        with pytest.raises(
            ValueError, match=r"tied_with_best\(\.\.\., draws=BBC\(n_bootstraps=50"
        ):
            tied(method=BBC(n_bootstraps=50))


def test_labels_in_words_are_no_text_that_is_refused():
    words, guess = np.where(TRUTH == 1, "ill", "well"), np.where(SCORES[:, 3] > 0, "ill", "well")
    result = holdout_interval(words, guess, "accuracy")
    assert result.estimate == np.mean(words == guess)


WEIGHTS = np.linspace(0.5, 2, len(Y))


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("cv", "given"),
    [
        (RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0), {}),
        (GroupKFold(3), {"groups": np.arange(len(Y)) // 6}),
        (3, {"sample_weight": WEIGHTS}),
        (ShuffleSplit(4, test_size=0.4, random_state=0), {}),
    ],
    ids=["repeats", "groups", "weights", "shuffled"],
)
@pytest.mark.parametrize("target", [Y, np.where(Y, "sick", "fit")], ids=["numbers", "text"])
@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
def test_the_curve_of_one_configuration_is_that_of_a_search_of_it_alone(cv, given, target):
    options = {"scoring": "accuracy", "cv": cv, "ci": [], "record": "predict_proba"}
    finished = search(grid={"max_depth": [1, 2, 4]}, **options).fit(X, target, **given)
    draws = {"grid": [0.2, 0.5], "method": BBC(n_bootstraps=40, random_state=0)}
    alone = search(grid={"max_depth": [2]}, **options).fit(X, target, **given)
    expected = alone.curve("roc", **draws)
    for config in (1, {"max_depth": 2}):
        result = finished.curve("roc", config=config, **draws)
        pd.testing.assert_frame_equal(result.frame(), expected.frame())
        assert result.details["unit"] == expected.details["unit"]
        assert not result.details["selection_accounted_for"]
        assert result.details["notes"][-1].startswith("Not corrected for selection")
        assert "of configuration 1 alone, not corrected (40 draws" in result.summary()
        items = finished.tripod_ai(show=[result])["text"].str.contains("corrected for the")
        assert not items.any()
    with pytest.raises(ValueError, match="config=3 is not a configuration of this search"):
        finished.curve("roc", config=3)
