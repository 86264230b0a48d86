"""Notes of results, and the winner that they name."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer, roc_auc_score, zero_one_loss
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV, OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import (
    BBC,
    BBCF,
    BayleCV,
    CorrectedT,
    DeLong,
    DirectBootstrap,
    HierarchicalBootstrap,
    NaiveBootstrap,
    PooledBootstrap,
    ShrunkenBBC,
    TibshiraniTibshirani,
    Wald,
    holdout_interval,
)
from sklearn_bbc.intervals._notes import (
    MeanOverFolds,
    PooledScore,
    caveats,
    caveats_of_folds,
    no_spread,
    notes_on_splits,
    selected_configuration,
    selection_details,
    shares_won,
    tell_degenerate,
)
from sklearn_bbc.metrics import as_metric, concordance_index_score, within_folds

N = 60
Y = np.tile([0, 1], N // 2)
FOLD = np.arange(N) // 6 % 5
RNG = np.random.default_rng(0)
SCORES = RNG.normal(size=(N, 4)) + Y[:, None]
REVERSED = -(SCORES + Y[:, None])
METHODS = [BBC(n_bootstraps=30), BBCF(), DeLong(), CorrectedT(), ShrunkenBBC(n_bootstraps=30),
           NaiveBootstrap(n_bootstraps=30)]  # fmt: skip


def plain(y_pred=SCORES, **fields):
    return OOFPredictions._quietly(**{"y_true": Y, "y_pred": y_pred, "fold": FOLD, **fields})


def notes_of(oof, metric="roc_auc"):
    return caveats(oof, as_metric(metric).bind(oof))


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_method_repeats_the_notes_of_the_predictions(method):
    missing = SCORES.copy()
    missing[3, 1] = np.nan
    oof = plain(
        missing,
        groups=np.arange(N) // 10,
        notes=["samples of one clinic"],
        failed=[False, False, True, False],
    )
    notes = method.estimate(oof, "roc_auc").details["notes"]
    for expected in (
        "samples of one clinic",
        "6 of 6 groups are split between folds",
        "Configuration 1 is left out: a prediction is missing (NaN)",
        "Configuration 2 is left out, since there are not scores of every fold.",
    ):
        assert sum(note.startswith(expected) for note in notes) == 1, expected


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_nothing_is_said_of_sound_predictions(method):
    notes = method.estimate(plain(), "roc_auc").details["notes"]
    assert not any("split between" in n or "configurations" in n or "reverse" in n for n in notes)


def test_many_undefined_configurations_are_counted():
    oof = plain(np.where(np.arange(12) < 9, np.nan, RNG.random((N, 12))))
    (note,) = notes_of(oof)
    assert note.startswith("9 of 12 configurations (0; 1; 2, ...) are left out: a prediction is")


def test_one_configuration_of_a_search_is_looked_at_without_the_others():
    failed = np.array([True, True, False, True])
    looked_at = plain()._with_fields(failed=failed, selected=2, selected_by="given")
    assert not notes_of(looked_at)
    (note,) = notes_of(looked_at.with_selected(2, by="the search"))
    assert note.startswith("3 of 4 configurations (0; 1; 3) are left out, since there are not")


def test_scores_that_rank_in_reverse():
    (note,) = notes_of(plain(REVERSED))
    best = max(roc_auc_score(Y, column) for column in REVERSED.T)
    assert f"the best ROC AUC is {best:.3g}, clearly below 0.5" in note
    assert not notes_of(plain(np.column_stack([REVERSED, SCORES[:, 0]]))), "one is right"
    assert not notes_of(plain(REVERSED), "average_precision"), "chance is not one half"


def test_a_metric_of_the_other_class_turns_the_order():
    scorer = make_scorer(lambda y, p: roc_auc_score(1 - y, p), response_method="decision_function")
    assert not notes_of(plain(REVERSED), scorer)


@given(st.integers(0, 2**32 - 1), st.sampled_from([20, 60, 200]), st.integers(1, 3))
def test_chance_is_no_reverse_order(seed, n, n_configs):
    """Three standard errors below chance, all configurations at once: 1 in 700 for one."""
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], n // 2)
    oof = OOFPredictions(y_true=y, y_pred=rng.normal(size=(n, n_configs)))
    best = max(roc_auc_score(y, column) for column in oof.matrix("roc_auc").T)
    spread = np.sqrt((n + 1) / (3 * n * n))
    assert bool(notes_of(oof)) == (best < 0.5 - 3 * spread)


@pytest.mark.parametrize("predicts", ["risk", "time"])
def test_risks_that_are_times(predicts):
    time = RNG.exponential(size=N)
    y = np.zeros(N, dtype=[("event", "?"), ("time", "<f8")])
    y["event"], y["time"] = RNG.random(N) < 0.7, time
    predicted = time[:, None] + RNG.normal(scale=0.3, size=(N, 3))
    scorer = make_scorer(concordance_index_score, predicts=predicts)
    right = predicted if predicts == "time" else -predicted
    assert not notes_of(plain(right, y_true=y), scorer)
    (note,) = notes_of(plain(-right, y_true=y), scorer)
    other = "predicts='time'" if predicts == "risk" else "predicts='risk'"
    assert "ranks in reverse" in note and other in note


def test_repeats_do_not_make_the_order_clearer():
    """The spread is that of the samples, however often they are predicted."""
    noise = np.random.default_rng(1).normal(size=N)
    shifted = (noise - shift * Y for shift in np.linspace(0, 2, 200))
    weak = next(scores for scores in shifted if roc_auc_score(Y, scores) < 0.36)[:, None]
    assert not notes_of(plain(weak)), "two standard errors below chance"
    repeated = OOFPredictions._quietly(
        y_true=Y, y_pred=np.stack([weak] * 9), fold=np.stack([FOLD] * 9)
    )
    assert not notes_of(repeated)


def test_scores_per_fold_alone():
    oof = OOFPredictions(
        y_true=[], classes=None, fold_scores={"r2": np.zeros((4, 3))}, notes=["published"]
    )
    assert caveats_of_folds(oof, np.array([True, True, True])) == ["published"]
    assert len(caveats_of_folds(oof, np.array([True, False, True]))) == 2


def test_an_order_that_cannot_be_scored_is_no_reversed_one(recwarn):
    """Two times that were both censored: no pair can be compared, every index is NaN."""
    y = np.array([(False, 1.0), (False, 2.0)], dtype=[("event", bool), ("time", float)])
    oof = OOFPredictions(y_true=y, y_pred=np.zeros((2, 1)), fold=[0, 0])
    assert not any("reverse" in note for note in notes_of(oof, "concordance_index"))
    assert not recwarn.list


@pytest.mark.parametrize(
    "seen, start",
    [
        ("around 0.5", "No spread can be seen around 0.5: the interval is"),
        ("All 5 folds score the same", "All 5 folds score the same: no spread can be seen, the"),
    ],
)
def test_an_interval_without_width_is_said_once_to_be_wrong(seen, start):
    details = {"notes": ["earlier"]}
    with pytest.warns(IntervalWarning, match=f"^Method: {start}") as caught:
        for _ in range(2):  # as the repeats of cross-validation do
            tell_degenerate(details, "Method", True, seen, hint="Do that.")
    assert len(caught) == 1
    assert details["degenerate"] is True
    earlier, note = details["notes"]
    assert earlier == "earlier" and note.startswith(start)
    assert note.endswith("a point and certainly wrong. Do that.")


def test_an_interval_with_width_is_left_alone():
    details = {"notes": []}
    tell_degenerate(details, "Method", False, "around 0.5")
    assert details == {"notes": [], "degenerate": False}


@pytest.mark.parametrize("around", [-3.0, 1.0, 1e6])
def test_a_spread_of_rounding_errors_is_none(around):
    assert no_spread(0.0, around)
    assert no_spread(np.spacing(abs(around)), around)
    assert not no_spread(1e-9 * abs(around), around)
    assert no_spread(np.nan, around)


# --- where chance ends -------------------------------------------------------------------


def scores_of_area(n_concordant, n_negative, n_positive):
    """One configuration with so many pairs in the right order."""
    below = np.full(n_positive, n_concordant // n_positive)
    below[: n_concordant % n_positive] += 1
    y = np.repeat([0, 1], [n_negative, n_positive])
    return y, np.r_[np.arange(n_negative), below - 0.5][:, None]


@pytest.mark.parametrize("n_repeats", [1, 2])
@pytest.mark.parametrize("n_concordant, told", [(31, True), (32, False)])
def test_three_standard_errors_of_an_area_without_signal(n_concordant, told, n_repeats):
    """sqrt(31 / (12 * 20 * 10)) = 0.11365, so the limit is 0.15906: 31.8 of 200 pairs."""
    y, pred = scores_of_area(n_concordant, 20, 10)
    assert roc_auc_score(y, pred) == pytest.approx(n_concordant / 200)
    fold = np.stack([np.arange(30) % 5] * n_repeats)
    oof = OOFPredictions._quietly(y_true=y, y_pred=np.stack([pred] * n_repeats), fold=fold)
    assert bool(notes_of(oof)) == told


@pytest.mark.parametrize(
    "n, n_concordant, told",
    [
        # sqrt(29 / (18 * 12 * 11)) = 0.11048: below 0.16856, 11.1 of 66 pairs.
        (12, 11, True), (12, 12, False),
        # sqrt(45 / (18 * 20 * 19)) = 0.08111: below 0.25667, 48.8 of 190 pairs.
        (20, 48, True), (20, 49, False),
    ],
)  # fmt: skip
def test_three_standard_errors_of_a_concordance_without_signal(n, n_concordant, told):
    y = np.zeros(n + 2, dtype=[("event", bool), ("time", float)])
    y["time"], y["event"][:n] = np.arange(1.0, n + 3), True
    y["time"][n:] = 0.5  # censored before any event: in no pair
    left, order = n_concordant, []
    waiting = list(range(n))
    while waiting:  # a permutation with so many pairs in decreasing order
        step = min(left, len(waiting) - 1)
        left -= step
        order.append(waiting.pop(step))
    risk = np.r_[np.array(order, dtype=float), 0, 0][:, None]
    oof = OOFPredictions._quietly(y_true=y, y_pred=risk, fold=np.arange(n + 2) % 2)
    value = as_metric("concordance_index").bind(oof).on_data()[0]
    assert value == pytest.approx(n_concordant / (n * (n - 1) / 2))
    assert any("reverse" in note for note in notes_of(oof, "concordance_index")) == told


def test_undefined_configurations_do_not_hide_that_the_others_are_reversed():
    missing = REVERSED.copy()
    missing[2, 1] = np.nan
    left_out, reverse = notes_of(plain(missing))
    assert (
        left_out.startswith("Configuration 1 is left out: a prediction is missing")
        and "ranks in reverse" in reverse
    )


def test_only_ranks_of_two_classes_have_a_direction():
    values = OOFPredictions._quietly(
        y_true=np.arange(60.0), y_pred=-np.arange(60.0), fold=FOLD, classes=None
    )
    assert notes_of(values, "r2") == []
    three = np.tile([0, 1, 2], 20)
    proba = np.eye(3)[(three + 1) % 3][:, None, :] * 0.8 + 0.2 / 3
    oof = OOFPredictions._quietly(y_true=three, y_pred=proba, fold=np.arange(60) % 5)
    assert notes_of(oof, "roc_auc_ovr") == []


@pytest.mark.parametrize(
    "n_missing, which", [(2, "(0; 1)"), (3, "(0; 1; 2)"), (4, "(0; 1; 2, ...)")]
)
def test_three_configurations_are_named(n_missing, which):
    (note,) = notes_of(plain(np.where(np.arange(8) < n_missing, np.nan, RNG.random((N, 8)))))
    assert note.startswith(f"{n_missing} of 8 configurations {which} are left out: ")


# --- intervals without width ---------------------------------------------------------------


def without_error(n, kind="labels", **fields):
    """Predictions that are all right, of one configuration and one that is all wrong."""
    y = np.tile([0, 1], n // 2)
    pred = np.column_stack([y, 1 - y])
    pred = pred if kind == "labels" else pred + 0.25
    return OOFPredictions(y_true=y, y_pred=pred, fold=np.arange(n) // 2 % 4, **fields)


WRONG_COUNT = make_scorer(zero_one_loss, greater_is_better=False)


@pytest.mark.parametrize(
    ("metric", "oof", "n_units", "units"),
    [
        ("accuracy", without_error(40), 40, "40 samples"),
        ("accuracy", without_error(12), 12, "12 samples"),
        ("accuracy", without_error(8), 8, "8 samples"),
        (WRONG_COUNT, without_error(40), 40, "40 samples"),
        ("accuracy", without_error(40, groups=np.arange(40) // 2 % 4), 4, "4 groups"),
        ("balanced_accuracy", without_error(40), 20, "20 samples of class 0"),
        ("recall", without_error(40), 20, "20 samples of class 1"),
        ("recall_macro", without_error(40), 20, "20 samples of class 0"),
        ("roc_auc", without_error(40, "scores"), 20, "20 samples of class 0"),
        ("roc_auc", without_error(4, "scores"), 2, "2 samples of class 0"),
        (within_folds("accuracy"), without_error(40), 40, "40 samples"),
        ("f1", without_error(40), None, None),
        ("accuracy", without_error(40, sample_weight=np.arange(1.0, 41)), None, None),
    ],
)
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_an_interval_without_width_says_what_it_excludes(metric, oof, n_units, units, alternative):
    method = BBC(n_bootstraps=200, random_state=0, alternative=alternative)
    details = method.estimate(oof, metric).details
    (note,) = [note for note in details["notes"] if "no width" in note]
    assert details["no_width"] == note and note.startswith(
        "The interval has no width, since every"
    )
    if n_units is None:
        assert "binomial" not in note and "exact_bounds" not in details
        return
    tail = 0.025 if alternative == "two-sided" else 0.05
    bound = tail ** (1 / n_units)  # of n without an error
    bounds = (bound - 1, 0) if metric is WRONG_COUNT else (bound, 1)
    assert details["exact_bounds"] == pytest.approx(bounds)
    low, high = (0, 1 - bound) if metric is WRONG_COUNT else (bound, 1)
    assert f"interval for {units} goes from {low:.3f} to {high:.3f}." in note
    assert ("one-sided" in note) == (alternative != "two-sided")
    if (metric, n_units, alternative) == ("accuracy", 40, "two-sided"):
        assert "goes from 0.912 to 1.000" in note


def test_the_middle_without_width_has_both_exact_bounds():
    """Constant scores of four patients: an AUC of 0.500 (0.500 to 0.500)."""
    constant = np.full((4, 1), 0.5)
    oof = OOFPredictions(y_true=[0, 1, 0, 1], y_pred=constant, fold=[0, 0, 1, 1])
    result = BBC(n_bootstraps=200, random_state=0).estimate(oof, "roc_auc")
    assert tuple(result) == (0.5, 0.5)
    exact = binomtest(1, 2).proportion_ci(method="exact")
    assert result.details["exact_bounds"] == pytest.approx((exact.low, exact.high))


@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
@pytest.mark.parametrize(
    "method",
    [BBC(n_bootstraps=200), ShrunkenBBC(n_bootstraps=200), BBCF(), NaiveBootstrap(), Wald(),
     PooledBootstrap(n_bootstraps=200), BayleCV(), CorrectedT(),
     HierarchicalBootstrap(n_bootstraps=200)],
    ids=lambda method: method.name,
)  # fmt: skip
def test_every_method_says_it_once(method):
    result = method.estimate(without_error(40), "accuracy")
    if result.low < result.estimate:
        assert method.name == "shrunken_bbc" and "no_width" not in result.details
        return
    notes = [n for n in result.details["notes"] if "Clopper-Pearson" in n]
    assert len(notes) == 1 and "goes from 0.912 to 1.000" in notes[0]


@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
def test_tests_sets_and_refits_say_it_too():
    y = np.tile([0, 1], 20)
    test_set = holdout_interval(y, y, "accuracy", method="percentile", random_state=0)
    assert test_set.details["exact_bounds"] == pytest.approx((0.025 ** (1 / 40), 1))
    pair = holdout_interval(y, y, "accuracy", y_pred_other=y, random_state=0)
    assert "no_width" in pair.details and "exact_bounds" not in pair.details
    tree = DecisionTreeClassifier(random_state=0)
    refits = DirectBootstrap(n_bootstraps=20, random_state=0).estimate(tree, y[:, None], y)
    assert refits.details["exact_bounds"] == test_set.details["exact_bounds"]


@pytest.mark.parametrize("metric", ["accuracy", "balanced_accuracy", "f1"])
def test_a_target_of_one_class_is_named(metric):
    oof = OOFPredictions(y_true=np.zeros(20, int), y_pred=np.zeros((20, 2), int), fold=FOLD[:20])
    notes = BBC(n_bootstraps=200, random_state=0).estimate(oof, metric).details["notes"]
    assert len([note for note in notes if note.startswith("Every held-out sample is of")]) == 1
    assert not any("held-out sample is of" in note for note in notes_of(without_error(8), "f1"))


def test_an_interval_with_width_has_no_such_note():
    details = BBC(n_bootstraps=200, random_state=0).estimate(plain(), "roc_auc").details
    assert not {"no_width", "exact_bounds"} & set(details)


# --- ordinary results ----------------------------------------------------------------------


def test_splits_are_described_as_they_are():
    one = plain(fold=np.where(np.arange(N) < 20, 0, -1))
    (note,) = notes_on_splits(one)
    assert note == (
        "The result rests on the 20 of 60 samples that were held out; the other 40 never were."
    )
    assert notes_on_splits(plain()) == []


@pytest.mark.parametrize("metric", ["roc_auc", "accuracy"])
def test_ordinary_results_have_at_most_two_notes(metric):
    """Forty small searches: whoever reads five notes on each reads none."""
    n_notes, n_pooled = [], 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n, shift = int(rng.integers(40, 160)), rng.uniform(0, 1.5)
        X = rng.normal(size=(n, 4))
        y = (X[:, 0] * shift + rng.normal(size=n) > rng.uniform(-0.5, 0.5)).astype(int)
        search = BBCSearchCV(
            LogisticRegression(), {"C": [0.001, 0.1, 10]}, scoring=metric, cv=5, random_state=seed,
            ci=BBC(n_bootstraps=200),
        ).fit(X, y)  # fmt: skip
        notes = search.ci_.details["notes"]
        n_notes.append(len(notes))
        of_folds = search.oof_.fold_scores[metric][:, search.best_index_]
        error = of_folds.std(ddof=1) / np.sqrt(len(of_folds))
        gap = abs(of_folds.mean() - search.ci_.details["pooled_score"])
        pooled = [n for n in notes if "different folds" in n or "Mostly pooling" in n]
        assert gap > error or not pooled
        n_pooled += bool(pooled)
        assert "chance" not in search.summary()
    assert max(n_notes) <= 2
    assert n_pooled < 10


GENERATOR = np.random.default_rng(3)
LABELS = np.arange(40) % 2
THREE_SCORES = GENERATOR.normal(size=(40, 6)) + 0.8 * LABELS[:, None]


def winner(fold, pred=THREE_SCORES, **fields):
    oof = OOFPredictions(y_true=LABELS, y_pred=pred, fold=fold, **fields)
    kernel = as_metric("roc_auc").bind(oof)
    return *selected_configuration(oof, kernel), kernel


def test_the_best_mean_over_the_folds():
    fold = np.arange(40) // 2 % 5
    found, how, kernel = winner(fold)
    assert found == kernel.fold_scores().mean(axis=0).argmax()
    assert how == "mean over folds"


def test_the_best_score_on_all_samples_where_a_fold_lacks_a_class():
    fold = np.arange(40) % 4  # even folds hold one class, odd ones the other
    found, how, kernel = winner(fold)
    pooled = kernel.scores(np.ones((1, 40), dtype=np.uint8))[0]
    assert np.isnan(kernel.fold_scores()).any()
    assert found == pooled.argmax()
    assert how == "pooled score"


def test_recorded_fold_scores_come_first():
    recorded = np.tile([0.5, 0.6, 0.9, 0.1, 0.2, 0.3], (5, 1))
    assert winner(np.arange(40) // 2 % 5, fold_scores={"roc_auc": recorded})[0] == 2


def test_the_choice_of_the_search_comes_before_everything():
    assert winner(np.arange(40) // 2 % 5, selected=4)[:2] == (4, "given")


@pytest.mark.parametrize("lacking", [False, True])
def test_undefined_configurations_are_not_selected(lacking):
    pred = THREE_SCORES.copy()
    fold = np.arange(40) % 4 if lacking else np.arange(40) // 2 % 5
    best = winner(fold)[0]
    pred[3, best] = np.nan
    assert winner(fold, pred)[0] != best


@pytest.mark.parametrize(
    "method", [BBC(n_bootstraps=20), BBCF(), DeLong(), CorrectedT(), TibshiraniTibshirani()]
)
def test_results_say_by_what_the_winner_was_selected(method):
    oof = OOFPredictions(y_true=LABELS, y_pred=THREE_SCORES, fold=np.arange(40) // 2 % 5)
    assert method.estimate(oof, "roc_auc").details["winner_by"] == "mean over folds"
    named = method.estimate(oof.with_selected(3), "roc_auc").details
    assert (named["winner"], named["winner_by"]) == (3, "given")


def test_a_single_configuration_is_the_only_one():
    fold = np.arange(40) // 2 % 5
    assert winner(fold, THREE_SCORES[:, [0]])[:2] == (0, "the only one")
    two = winner(fold, THREE_SCORES[:, [0, 0]])
    assert two[:2] == (0, "mean over folds")


def test_where_no_configuration_has_a_score_the_first_one_is_named(monkeypatch):
    for rule in (MeanOverFolds, PooledScore):
        monkeypatch.setattr(rule, "winner", lambda self, oof, kernel: None)
    assert winner(np.arange(40) // 2 % 5)[:2] == (0, "pooled score")


def details(y_pred=THREE_SCORES, scoring="roc_auc", winners=(0,), **fields):
    given = {"fold": np.arange(40) // 2 % 5, **fields}
    oof = OOFPredictions(
        y_true=LABELS, **({"y_pred": y_pred} if y_pred is not None else {}), **given
    )
    return selection_details(oof, as_metric(scoring).bind(oof), np.array(winners))


def test_the_unit_is_the_group_where_there_are_groups():
    assert details()["unit"] == "sample"
    groups = np.arange(40) // 2
    assert details(groups=groups)["unit"] == "group"


ALONE = "Only one configuration was tried, so there is no selection to correct for."
DERIVED = "Labels were derived from the recorded scores."
POOLED = "all held-out predictions of a sample are scored together."


def told(found, text):
    return any(text in note for note in found["notes"])


def test_a_single_defined_configuration_is_told_to_need_no_correction():
    one_left = np.where(np.arange(6) == 2, THREE_SCORES, np.nan)
    assert told(details(THREE_SCORES[:, [0]]), ALONE) and not told(details(one_left), ALONE)
    assert told(details(one_left), "Of 6 configurations only one can be scored here")
    assert not told(details(THREE_SCORES[:, :2]), ALONE) and not told(details(), ALONE)
    assert details(one_left)["n_valid"] == 1 and details(one_left)["n_configs"] == 6


def test_derived_labels_are_told():
    probabilities = {"responses": {"predict_proba": 1 / (1 + np.exp(-THREE_SCORES.T))}}
    assert told(details(None, "accuracy", **probabilities), DERIVED)
    assert not told(details(None, "roc_auc", **probabilities), DERIVED)
    assert not told(details((THREE_SCORES > 0).astype(int), "accuracy"), DERIVED)


def test_splits_that_do_not_test_every_sample_once_are_told():
    drawn = np.r_[np.arange(40), np.arange(10)]
    found = details(
        None, responses={"decision_function": THREE_SCORES[drawn].T}, sample=drawn,
        fold=np.r_[np.arange(40) // 2 % 4, np.full(10, 4)],
    )  # fmt: skip
    assert told(found, POOLED)
    assert not told(details(), POOLED)


def test_shares_of_draws_that_count_more_than_once():
    winners = np.array([3, 1, -1, 3])
    assert shares_won(winners, np.array([1, 5, 2, 2])) == {1: 0.5, 3: 0.3}
    assert list(shares_won(winners, np.array([1, 5, 2, 2]))) == [1, 3]
    assert list(shares_won(winners, np.array([1, 2, 2, 1]))) == [1, 3], "the first on ties"
    assert shares_won(np.array([-1])) == {}
