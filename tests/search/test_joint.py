"""Joint limits: in subgroups, as of BBC where the metric sees one group; of several metrics."""

import pickle
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import f1_score, make_scorer, roc_auc_score
from sklearn.model_selection import GroupKFold
from sklearn.neighbors import KNeighborsClassifier

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.display import IntervalsDisplay
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import BBC
from sklearn_bbc.selection import OneStandardError, WithThreshold
from tests.search.small_search import OftenWithoutRisks

N = 120
RNG = np.random.default_rng(3)
X = RNG.normal(size=(N, 4))
Y = (X[:, 0] + RNG.normal(size=N) > 0).astype(int)
VALUES = X[:, 0] + RNG.normal(size=N)  # all different, so that a metric can know its samples
SITE = np.array(["east", "north", "west"])[np.arange(N) % 3]
BY = pd.DataFrame({"site": SITE, "old": X[:, 1] > 0})
FEW = {"n_bootstraps": 100}


@pytest.fixture(scope="module")
def fitted():
    scoring = ["roc_auc", "accuracy", "f1", "neg_brier_score"]
    grid = {"n_neighbors": [1, 5, 15, 25]}
    search = BBCSearchCV(
        KNeighborsClassifier(), grid, scoring=scoring, refit="roc_auc", random_state=0, ci=[]
    )
    return search.fit(X, Y)


@pytest.mark.parametrize("refit", [True, OneStandardError("alpha")])
def test_scores_and_differences_are_those_of_bbc_with_a_metric_of_the_group(refit):
    scoring = "neg_mean_absolute_error"
    search = BBCSearchCV(Ridge(), {"alpha": [0.1, 50, 200, 500]}, scoring=scoring, refit=refit,
                         random_state=0, ci=[])  # fmt: skip
    search.fit(X, VALUES)
    result = search.subgroups(SITE, method=BBC(**FEW))
    order = np.argsort(VALUES)
    for k, name in enumerate(["east", "north", "west"]):

        def error(y, pred, name=name, gap=False):
            own = SITE[order][np.searchsorted(VALUES[order], y)] == name
            errors = np.abs(y - pred)
            return errors[own].mean() - (errors[~own].mean() if gap else 0)

        for found, gap in ((result.scores, False), (result.differences, True)):
            metric = make_scorer(error, greater_is_better=False, gap=gap)
            expected = search.interval(BBC(**FEW), scoring=metric)
            assert found["estimate"][k] == pytest.approx(expected.estimate, rel=1e-12)
            ends = np.quantile(expected.draws, [0.025, 0.975])
            np.testing.assert_allclose([found["low"][k], found["high"][k]], ends, rtol=1e-12)
            predicted = search.oof_.matrix("predict")[:, search.best_index_]
            assert found["apparent"][k] == pytest.approx(-error(VALUES, predicted, gap=gap))
    assert result.details["winner"] == search.best_index_


def test_a_metric_of_classes_and_all_samples_together(fitted):
    result = fitted.subgroups(BY, method=BBC(**FEW))
    whole = fitted.interval(BBC(**FEW))
    assert result.overall == pytest.approx(whole.estimate, rel=1e-12)
    assert result.details["won"] == whole.details["won"]
    proba = fitted.oof_.matrix("predict_proba")[:, fitted.best_index_]
    frame = result.frame()
    assert frame["n"].tolist() == [40, 40, 40, *np.bincount(X[:, 1] > 0)]
    for variable, value in frame.index:
        own = BY[variable] == value
        areas = [roc_auc_score(Y[mask], proba[mask]) for mask in (own, ~own)]
        row = frame.loc[(variable, value)]
        assert row["apparent"] == pytest.approx(areas[0], rel=1e-12)
        assert row["difference_apparent"] == pytest.approx(areas[0] - areas[1], rel=1e-9)
    old = frame.loc["old"]  # of two groups
    np.testing.assert_allclose(old["difference"][False], -old["difference"][True], rtol=1e-12)
    for before in ("", "difference_"):
        assert (frame[f"{before}low_joint"] <= frame[f"{before}low"]).all()
        assert (frame[f"{before}high_joint"] >= frame[f"{before}high"]).all()
    assert frame["low_joint"].min() >= 0 and frame["high_joint"].max() <= 1
    rows = result.intervals()
    assert [*rows][:2] == ["site east (n = 40)", "site north (n = 40)"]
    assert [*rows["site east (n = 40)"]] == frame.iloc[0][["low_joint", "high_joint"]].tolist()
    plotted = IntervalsDisplay.from_results(rows).frame()
    assert plotted["estimate"].tolist() == frame["estimate"].tolist()
    alone = fitted.subgroups(BY["site"], method=BBC(**FEW))
    assert alone.frame().index.name == "site"
    np.testing.assert_array_equal(alone.scores["estimate"], result.scores["estimate"][:3])
    reach, joint = (r.scores["high_joint"][0] for r in (alone, result))
    assert reach <= joint  # more groups at once
    assert (
        fitted.subgroups(BY, method=BBC(n_jobs=2, **FEW))
        == result
        == pickle.loads(pickle.dumps(result))
    )
    assert fitted.subgroups(BY, method=BBC(random_state=1, **FEW)) != result


def test_small_groups_are_named_and_stay(fitted):
    rare = np.array(["many"] * N, dtype=object)
    rare[np.flatnonzero(Y == 0)[:22]] = "healthy"
    rare[[*np.flatnonzero(Y == 1)[:3], *np.flatnonzero(Y == 0)[22:27]]] = "few"
    rare[-5:] = None
    kinds = ["few", "healthy", "many", "nobody"]
    by = pd.Series(pd.Categorical(rare, categories=kinds), name="kind")
    result = fitted.subgroups(by, method=BBC(n_bootstraps=500))
    frame = result.frame()
    assert frame.index.tolist() == kinds
    # Draws without one of the 3 positives are more than a tenth.
    assert frame["apparent"].notna().tolist() == [True, False, True, False]
    assert frame["estimate"].notna().tolist() == [False, False, True, False]
    assert frame["difference"].isna().all()  # of "many" to the few others
    # A sample is left out with a probability of 1 / e: some of 3 positives, some of 5 negatives.
    lacking = 1 - (1 - (1 - np.exp(-1)) ** 3) * (1 - (1 - np.exp(-1)) ** 5)
    assert frame["undefined"].tolist() == [pytest.approx(lacking, abs=0.05), 1, 0, 1]
    notes = " ".join(result.details["notes"])
    for words in (
        "5 samples without a value of kind",
        "kind few has 3 samples of class 1, and a score in only 6",
        "of the draws: below 90% there are no estimate and no limits",
        "kind healthy has 0 samples of class 1, and no score",
        "kind nobody has 0",
    ):
        assert words in notes
    assert "kind many has no difference: the other samples are too few" in notes
    text = result.summary()
    assert "kind healthy (n = 22): none" in text and "No group differs" in text
    assert "Too few samples to judge that: kind few, kind healthy, kind many, kind nobody" in text
    # By convention F1 is 0 without a positive: no score of the model, so not among the draws.
    own = rare == "few"
    labels = fitted.oof_.matrix("predict")[own, fitted.best_index_]
    of_f1 = fitted.subgroups(by, scoring="f1", method=BBC(n_bootstraps=500))
    assert of_f1.undefined[0] == result.undefined[0]
    assert of_f1.scores["apparent"][0] == pytest.approx(f1_score(Y[own], labels))
    assert np.isnan(of_f1.scores["estimate"][0])
    most = fitted.oof_.matrix("predict")[rare == "many", fitted.best_index_]
    assert of_f1.scores["estimate"][2] == pytest.approx(f1_score(Y[rare == "many"], most), abs=0.1)
    assert str(of_f1).startswith(
        "F1 score of the configuration selected by ROC AUC in 4 subgroups"
    )
    of_accuracy = fitted.subgroups(by, scoring="accuracy", method=BBC(**FEW))
    assert of_accuracy.frame()["estimate"].notna().tolist() == [True, True, True, False]
    right = fitted.oof_.matrix("predict")[:, fitted.best_index_] == Y
    gap = right[rare == "many"].mean() - right[np.isin(rare, ["few", "healthy"])].mean()
    assert of_accuracy.differences["apparent"][2] == pytest.approx(gap)
    assert "kind healthy has no sample of class 1" in " ".join(of_accuracy.details["notes"])


def test_what_the_winners_of_many_draws_lack_has_no_limits():
    """As `interval` refuses it; a few such draws are left out and counted."""

    def searched(cut):
        grid = [{"cut": [0.1]}, {"cut": cut, "with_risks": [False]}]
        search = BBCSearchCV(OftenWithoutRisks(), grid, scoring="accuracy", random_state=0, ci=[],
                             record="predict_proba").fit(X, Y)  # fmt: skip
        lacking = 1 - search.interval(BBC(**FEW)).details["won"][0]
        return search, lacking, {"scoring": "neg_brier_score", "method": BBC(**FEW)}

    search, lacking, asked = searched([0.3, -0.3])
    assert search.best_index_ == 0 and lacking == pytest.approx(0.12)
    for ask in (
        lambda: search.interval(BBC(**FEW), scoring="neg_brier_score"),
        lambda: search.subgroups(SITE, **asked),
    ):
        with pytest.raises(UndefinedIntervalError, match="undefined in 12 of 100 draws"):
            ask()
    search, lacking, asked = searched([0.2])
    result = search.subgroups(SITE, **asked)
    assert 0 < result.details["n_undefined"] == round(100 * lacking) < 10
    assert np.isfinite(result.scores["low_joint"]).all()


def test_a_group_in_which_the_model_fails_differs():
    bad = np.arange(N) % 4 == 0
    search = BBCSearchCV(KNeighborsClassifier(), {"n_neighbors": [9, 15]}, random_state=0, ci=[],
                         scoring="neg_brier_score").fit(X[:, :1], (X[:, 0] > 0) ^ bad)  # fmt: skip
    result = search.subgroups(pd.Series(bad, name="bad"))
    assert result.differ.all() and result.differences["high_joint"][1] < 0
    assert "bad False, bad True differ from the rest" in str(result)
    assert str(result).startswith("Brier score of the selected configuration in 2 subgroups")
    assert "(n = 30): 0." in str(result)  # a loss, printed without the minus


def test_clusters_are_drawn_as_wholes():
    clusters = np.arange(N) // 4
    search = BBCSearchCV(Ridge(), {"alpha": [1, 100]}, cv=GroupKFold(5), random_state=0, ci=[],
                         scoring="neg_mean_squared_error")  # fmt: skip
    search.fit(X, VALUES, groups=clusters)
    result = search.subgroups(clusters < 2, method=BBC(**FEW))
    assert result.details["unit"] == "group"
    assert "group True has 2 groups, and no score" in " ".join(result.details["notes"])
    assert result.sizes.tolist() == [N - 8, 8]


REFUSALS = [
    (SITE[:10], "by has 10 values, but there are 120 samples"),
    ("site", r"such as df\['sex'\].*got 'site'"),
    (None, "got None"),
    (BY.to_numpy(), "be a DataFrame"),
    (BY[[]], "without columns"),
    ([[1], [1, 2]] * 60, "one value per sample, .* got a list"),
    (pd.Series([[1]] * N, name="site"), r"text or numbers as site, .*unhashable type: 'list'"),
    ([f"patient {k}" for k in range(N)], "120 different values as group, none of them for 3"),
    (pd.date_range("2026-01-01", periods=N), r"120 different dates as group.*pd\.cut"),
    (SimpleNamespace(columns=["site"]), "got namespace"),  # a frame that is not computed yet
    (np.ones(N), "fewer than 2 different values as group"),
    (pd.Series(X[:, 1], name="age"), r"120 different numbers as age.*pd\.cut"),
]


class Table:
    """Columns and values as those of a polars frame."""

    def __init__(self, frame):
        self.frame, self.columns = frame, frame.columns.tolist()

    def __len__(self):
        return len(self.frame)

    def __getitem__(self, name):
        return self.frame[name].tolist()


MISSING = np.arange(N) < 8
THIRDS = np.arange(N) % 3
SOME_SITES = np.where(MISSING, None, SITE)


@pytest.mark.parametrize(
    ("by", "as_if"),
    [
        (Table(BY), BY),
        (list(SITE), SITE),
        (np.arange(N) % 3, pd.Series(np.arange(N) % 3, dtype="Int64")),
        (
            np.ma.masked_array(np.arange(N) % 3, MISSING),
            np.where(MISSING, np.nan, np.arange(N) % 3),
        ),
        (
            pd.Series(np.where(MISSING, None, SITE)).astype("category"),
            np.where(MISSING, None, SITE),
        ),
        (
            pd.Series(SITE, dtype="string").mask(MISSING),
            np.where(MISSING, np.nan, SITE.astype(object)),
        ),
    ],
)
def test_groups_are_the_same_whatever_holds_them(fitted, by, as_if):
    result, expected = (fitted.subgroups(each, method=BBC(**FEW)) for each in (by, as_if))
    assert result.groups == expected.groups
    np.testing.assert_array_equal(result.sizes, expected.sizes)
    np.testing.assert_array_equal(result.scores["estimate"], expected.scores["estimate"])


@pytest.mark.parametrize(("by", "message"), REFUSALS)
def test_what_is_no_group_is_refused(fitted, by, message):
    with pytest.raises(ValueError, match=message):
        fitted.subgroups(by)


def test_subgroups_with_several_labels_for_each_sample():
    labels = np.stack([Y, np.arange(N) % 7 < 3], axis=1).astype(int)
    search = BBCSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, scoring="f1_macro",
                         random_state=0, ci=[])  # fmt: skip
    result = search.fit(X, labels).subgroups(SITE, method=BBC(**FEW))
    assert np.isfinite(result.scores["estimate"]).all() and not result.undefined.any()


SCORING = ["roc_auc", "accuracy", "neg_brier_score"]


def searched(ci, **options):
    given = {"scoring": SCORING, "refit": "roc_auc", "random_state": 0, **options}
    search = BBCSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5, 15]}, ci=ci, **given)
    return search.fit(X, Y)


@pytest.mark.parametrize("refit", ["roc_auc", False])
def test_joint_limits_of_metrics_are_the_maximum_over_shared_draws(refit):
    search = searched([BBC(**FEW, confidence_level=0.9), "bbcf"], refit=refit)
    frame = search.intervals_frame(joint=True)
    pd.testing.assert_frame_equal(frame.iloc[:, :-2], search.intervals_frame())
    assert frame[frame["method"] == "bbcf"][["low_joint", "high_joint"]].isna().all(axis=None)
    own = frame[frame["method"] == "bbc"].set_index("metric")
    draws = np.stack([search.ci_results_[name]["bbc"].draws for name in SCORING], axis=1)
    mean, sd = draws.mean(axis=0), draws.std(axis=0)
    reach = np.quantile((np.abs(draws - mean) / sd).max(axis=1), 0.9) * sd
    ends = [1, 1, 0]  # of the best scores
    np.testing.assert_allclose(own["low_joint"], np.minimum(own["low"], mean - reach))
    np.testing.assert_allclose(
        own["high_joint"], np.maximum(own["high"], np.minimum(mean + reach, ends))
    )


def test_limits_of_a_single_metric_are_joint_and_others_are_refused():
    one = searched(BBC(**FEW), scoring="accuracy", refit=True).intervals_frame(joint=True)
    assert (one["low_joint"] <= one["low"]).all() and (one["high"] <= one["high_joint"]).all()
    for ci in (
        "bbcf",
        BBC(**FEW, alternative="greater"),
        BBC(**FEW, selection=WithThreshold("f1")),
    ):
        with pytest.raises(ValueError, match="joint=True needs a two-sided interval of BBC"):
            searched(ci, scoring="roc_auc", refit=True).intervals_frame(joint=True)
