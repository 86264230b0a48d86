"""Notes of results, and the winner that they name."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import make_scorer, roc_auc_score, zero_one_loss
from sklearn.model_selection import (
    GroupKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
)

from sklearn_bbc import BBCSearchCV, OOFPredictions
from sklearn_bbc.contest._notes import caveats, notes_on_splits
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import (
    BBC,
    BBCF,
    BayleCV,
    CorrectedT,
    DeLong,
    HierarchicalBootstrap,
    PooledBootstrap,
    ShrunkenBBC,
    Wald,
)
from sklearn_bbc.intervals._notes import note_degenerate
from sklearn_bbc.metrics import as_metric, concordance_index_score, within_folds
from sklearn_bbc.search import DropClearlyWorse
from tests.made import made

N = 60
Y = np.tile([0, 1], N // 2)
FOLD = np.arange(N) // 6 % 5
RNG = np.random.default_rng(0)
SCORES = RNG.normal(size=(N, 4)) + Y[:, None]
REVERSED = -(SCORES + Y[:, None])
METHODS = [BBC(n_bootstraps=30), BBCF(), DeLong(), CorrectedT(), ShrunkenBBC(n_bootstraps=30)]


def plain(y_pred=SCORES, **fields):
    return made(**{"y_true": Y, "y_pred": y_pred, "fold": FOLD, **fields})


def notes_of(oof, metric="roc_auc"):
    return caveats(as_metric(metric).bind(oof))


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


def test_scores_that_rank_in_reverse():
    (note,) = notes_of(plain(REVERSED))
    best = max(roc_auc_score(Y, column) for column in REVERSED.T)
    assert f"the best ROC AUC is {best:.3g}, clearly below 0.5" in note
    assert not notes_of(plain(np.column_stack([REVERSED, SCORES[:, 0]]))), "one is right"
    assert not notes_of(plain(REVERSED), "average_precision"), "chance is not one half"


def test_scores_in_reverse_may_be_probabilities_of_the_predicted_class():
    reverse = 1 / (1 + np.exp(-REVERSED))
    (note,) = notes_of(plain(0.5 + reverse / 2))
    assert "no pos_label puts them right" in note
    (note,) = notes_of(plain(reverse))
    assert "no pos_label" not in note


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


@pytest.mark.parametrize(
    "seen, start",
    [
        ({"around": "0.5"}, "No spread can be seen around 0.5: the interval is"),
        (
            {"seen": "All 5 folds score the same"},
            "All 5 folds score the same: no spread can be seen, the",
        ),
    ],
)
def test_an_interval_without_width_is_said_once_to_be_wrong(seen, start):
    details = {"notes": ["earlier"]}
    with pytest.warns(IntervalWarning, match=f"^Method: {start}") as caught:
        for _ in range(2):  # as the repeats of cross-validation do
            note_degenerate(details, "Method", True, hint="Do that.", **seen)
    assert len(caught) == 1
    assert details["degenerate"] is True
    earlier, note = details["notes"]
    assert earlier == "earlier" and note.startswith(start)
    assert note.endswith("a point and certainly wrong. Do that.")


# --- where chance ends -------------------------------------------------------------------


@pytest.mark.parametrize(
    "n, n_concordant, noted",
    [
        # sqrt(29 / (18 * 12 * 11)) = 0.11048: below 0.16856, 11.1 of 66 pairs.
        (12, 11, True), (12, 12, False),
        # sqrt(45 / (18 * 20 * 19)) = 0.08111: below 0.25667, 48.8 of 190 pairs.
        (20, 48, True), (20, 49, False),
    ],
)  # fmt: skip
def test_three_standard_errors_of_a_concordance_without_signal(n, n_concordant, noted):
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
    oof = OOFPredictions(y_true=y, y_pred=risk, fold=np.arange(n + 2) % 2)
    value = as_metric("concordance_index").bind(oof).on_data()[0]
    assert value == pytest.approx(n_concordant / (n * (n - 1) / 2))
    assert any("reverse" in note for note in notes_of(oof, "concordance_index")) == noted


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
    return made(y_true=y, y_pred=pred, fold=np.arange(n) // 2 % 4, **fields)


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


@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
@pytest.mark.parametrize(
    "method",
    [BBC(n_bootstraps=200), ShrunkenBBC(n_bootstraps=200), BBCF(), Wald(),
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


@pytest.mark.parametrize("metric", ["accuracy", "balanced_accuracy", "f1"])
def test_a_target_of_one_class_is_named(metric):
    oof = OOFPredictions(y_true=np.zeros(20, int), y_pred=np.zeros((20, 2), int), fold=FOLD[:20])
    notes = BBC(n_bootstraps=200, random_state=0).estimate(oof, metric).details["notes"]
    assert len([note for note in notes if note.startswith("Every held-out sample is of")]) == 1
    assert not any("held-out sample is of" in note for note in notes_of(without_error(8), "f1"))


# --- ordinary results ----------------------------------------------------------------------


def test_splits_are_described_as_they_are():
    one = plain(fold=np.where(np.arange(N) < 20, 0, -1))
    (note,) = notes_on_splits(one)
    assert note == (
        "The result rests on the 20 of 60 samples that were held out; cross-validation would use "
        "all of them."
    )
    assert notes_on_splits(plain()) == []


@pytest.mark.long
@pytest.mark.parametrize("metric", ["roc_auc", "accuracy"])
def test_ordinary_results_have_at_most_two_notes(metric):
    """Small searches: whoever reads five notes on each reads none."""
    n_notes, n_pooled = [], 0
    for seed in range(5):
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
    assert n_pooled < 3


ORDINARY = {
    "rare class": ({"y": np.arange(120) % 8 == 0, "cv": 5}, "f1"),
    "few samples": ({"n": 24, "cv": 4}, "balanced_accuracy"),
    "groups": ({"groups": np.arange(120) // 3, "cv": GroupKFold(5)}, "average_precision"),
    "repeats": ({"cv": RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0)}, "f1"),
    "random splits": ({"cv": ShuffleSplit(4, random_state=0)}, "neg_brier_score"),
    "one split": ({"cv": [(np.arange(80), np.arange(80, 120))]}, "accuracy"),
    "multiclass": ({"y": np.arange(120) % 3, "cv": 5}, "f1_macro"),
    "weights": ({"sample_weight": 1 + np.arange(120) % 3, "cv": 5}, "neg_log_loss"),
    "regression": ({"y": np.arange(120.0) % 7, "model": Ridge(), "cv": 5}, "r2"),
    "ties": ({"X": np.arange(480).reshape(120, 4) % 2, "cv": 5}, "roc_auc"),
    "dropped": ({"drop": DropClearlyWorse(confidence_level=0.9), "cv": 10}, "accuracy"),
    "separated": ({"X": np.arange(120)[:, None] % 2 * np.ones(4), "cv": 5}, "f1"),
    "unaware": ({"cv": 5, "ci": "corrected_t"}, "accuracy"),
}  # fmt: skip


@pytest.mark.one_in(4)
@pytest.mark.parametrize("case", ORDINARY)
@pytest.mark.filterwarnings("ignore")
def test_varied_results_have_few_notes_and_none_twice(case):
    given, metric = ORDINARY[case]
    n, rng = given.get("n", 120), np.random.default_rng(0)
    y = given.get("y", np.arange(n) % 2)
    X = given.get("X", rng.normal(size=(n, 4)) + np.asarray(y)[:, None])
    options = {name: given[name] for name in ("drop", "ci") if name in given}
    model = given.get("model", LogisticRegression())
    grid = {"alpha" if "model" in given else "C": [1e-4, 0.1, 100]}
    fit = {name: given[name] for name in ("groups", "sample_weight") if name in given}
    search = BBCSearchCV(model, grid, scoring=metric, cv=given["cv"], random_state=0,
                         **{"ci": BBC(n_bootstraps=100), **options}).fit(X, y, **fit)  # fmt: skip
    notes = search.ci_.details["notes"]
    assert len(notes) <= 2, notes
    page = search._report_facts().notes
    assert len(page) <= 2 and all(note[0].isupper() and note.endswith(".") for note in page)
