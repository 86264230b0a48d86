"""Select by one metric, report another: against plain loops over scikit-learn, and in print."""

import itertools
import re

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV, OOFPredictions
from sklearn_bbc.comparison import Side, compare, tied_with_best
from sklearn_bbc.contest._contest import Contest
from sklearn_bbc.display import ForestDisplay, IntervalsDisplay, SelectionFrequencyDisplay
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import (
    BBC,
    BBCF,
    DeLong,
    LearnEvaluate,
    TibshiraniTibshirani,
    optimism_curve,
)
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.selection import OneStandardError, SelectedBy, WithThreshold
from tests.selection.draws import area, f1

X, Y = make_classification(
    70, n_features=12, n_informative=3, weights=[0.7], flip_y=0.2, random_state=3
)
C = [1e-4, 1e-3, 0.1, 10.0]
SCORING = {"auc": "roc_auc", "f1": "f1", "brier": "neg_brier_score", "loss": "neg_log_loss"}
PLAIN = {
    "auc": area,
    "f1": lambda y, p: f1(y, p > 0.5),
    "brier": lambda y, p: -brier_score_loss(y, p),
    "loss": lambda y, p: -log_loss(y, p, labels=[0, 1]),
}


def steady(results):
    """The best F1 among configurations whose AUC is not the worst."""
    allowed = results["rank_test_auc"] < results["rank_test_auc"].max()
    return int(np.where(allowed, results["mean_test_f1"], -np.inf).argmax())


def best_auc(columns):
    mean = columns["auc"].mean(axis=0)
    return int((mean >= mean.max() - 1e-13).argmax())  # within rounding the first one wins


def one_standard_error(columns):
    mean = columns["auc"].mean(axis=0)
    error = columns["auc"].std(axis=0, ddof=1) / np.sqrt(len(columns["auc"]))
    best = mean.argmax()
    return int(np.flatnonzero(mean >= mean[best] - error[best] - 1e-12)[0])  # smaller C is simpler


def steady_again(columns):
    mean = {name: scores.mean(axis=0) for name, scores in columns.items()}
    worst = mean["auc"] <= mean["auc"].min() + 1e-15
    return int(np.where(worst, -np.inf, mean["f1"]).argmax())


REFITS = {
    "metric": ("auc", best_auc),
    "rule": (SelectedBy("auc", OneStandardError("C")), one_standard_error),
    "callable": (steady, steady_again),
}
_FITTED = {}


def fitted(kind):
    if kind not in _FITTED:
        _FITTED[kind] = BBCSearchCV(
            LogisticRegression(), {"C": C}, scoring=SCORING, refit=REFITS[kind][0], cv=5,
            random_state=0, ci=[],
        ).fit(X, Y)  # fmt: skip
    return _FITTED[kind]


def fold_columns(search):
    n = search.n_splits_
    return {
        name: np.array([search.cv_results_[f"split{k}_test_{name}"] for k in range(n)])
        for name in SCORING
    }


def plain_winner(kind, p, fold, inside):
    """Configuration that is selected on samples, some of them several times."""
    if kind == "metric":
        return int(np.argmax([area(Y[inside], each[inside]) for each in p]))
    folds = [inside[fold[inside] == k] for k in range(5)]
    folds = [here for here in folds if len(np.unique(Y[here])) == 2]
    columns = {
        name: np.array([[PLAIN[name](Y[here], each[here]) for each in p] for here in folds])
        for name in (["auc"] if kind == "rule" else ["auc", "f1"])
    }
    return REFITS[kind][1](columns)


_WINNERS = {}  # the same draws serve every metric


def plain_bbc(search, kind, name, counts):
    oof = search.oof_
    assert len(oof.sample) == len(Y)
    row_of = np.argsort(oof.sample)
    p, fold = oof.responses["predict_proba"][:, row_of], oof.fold[row_of]
    scores = []
    for count in counts:
        key = kind, count.tobytes()
        if key not in _WINNERS:
            _WINNERS[key] = plain_winner(kind, p, fold, np.repeat(np.arange(len(Y)), count))
        out = np.flatnonzero(count == 0)
        scores.append(PLAIN[name](Y[out], p[_WINNERS[key], out]))
    return np.array(scores)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", SCORING)
@pytest.mark.parametrize("kind", REFITS)
@pytest.mark.filterwarnings("ignore")
def test_bbc_equals_a_plain_loop(kind, name):
    search = fitted(kind)
    method = BBC(n_bootstraps=20, random_state=0)
    result = search.interval(method, scoring=name)
    kernels = [as_metric(SCORING[each]).bind(search.oof_) for each in (name, "auc")]
    counts = method.draws_for(Contest(*kernels[:1]), *kernels[1:]).map(np.copy)
    expected = plain_bbc(search, kind, name, counts)
    np.testing.assert_allclose(result.draws, expected, rtol=1e-12, atol=1e-12)
    assert result.estimate == pytest.approx(expected.mean(), rel=1e-12)
    assert result.details["winner"] == search.best_index_


@pytest.mark.parametrize("name", SCORING)
@pytest.mark.parametrize("kind", REFITS)
@pytest.mark.filterwarnings("ignore")
def test_bbcf_equals_a_plain_loop(kind, name):
    search, choose = fitted(kind), REFITS[kind][1]
    columns = fold_columns(search)
    scores = []
    for drawn in itertools.combinations_with_replacement(range(5), 5):
        left = [k for k in range(5) if k not in drawn]
        if not left:
            continue
        ways = np.prod(np.arange(1, 6)) // np.prod(
            [np.prod(np.arange(1, n + 1)) for n in np.bincount(drawn, minlength=5)]
        )
        winner = choose({each: rows[list(drawn)] for each, rows in columns.items()})
        scores.append((columns[name][left, winner].mean(), ways))
    value, ways = np.array(scores).T
    result = search.interval(BBCF(), scoring=name)
    assert result.estimate == pytest.approx(np.average(value, weights=ways), rel=1e-12)
    assert result.details["winner"] == search.best_index_


# --- arrays -----------------------------------------------------------------------------------
OOF = OOFPredictions(
    y_true=Y,
    y_pred=np.random.default_rng(0).normal(size=(70, 9)) * 2 + Y[:, None] - 0.5,
    fold=np.arange(70) % 7,
)


def test_arrays_take_the_metric_that_selected():
    by_rule = BBC(selection=SelectedBy("roc_auc"), random_state=0).estimate(
        OOF, "average_precision"
    )
    by_name = BBC(random_state=0).estimate(OOF, "average_precision", selected_by="roc_auc")
    np.testing.assert_array_equal(by_rule.draws, by_name.draws)
    own = BBC(random_state=0).estimate(OOF, "average_precision")
    assert by_name.details["winner"] == BBC().estimate(OOF, "roc_auc").details["winner"]
    assert by_name.details["selected_by"] == "roc_auc" and "selected_by" not in own.details
    assert not np.array_equal(own.draws, by_name.draws)


def test_draws_hold_what_both_metrics_need():
    # The area needs both classes in-bag; the average precision alone needs only positives.
    y = np.r_[np.ones(9, int), np.zeros(2, int)]
    oof = OOFPredictions(y_true=y, y_pred=np.random.default_rng(1).normal(size=(11, 4)))
    result = BBC(n_bootstraps=400, random_state=0).estimate(
        oof, "average_precision", selected_by="roc_auc"
    )
    assert result.details["n_undefined"] == 0
    assert result.details["n_redrawn"] > 0


def test_a_learn_part_selects_by_the_metric_that_selected():
    method = DeLong(selection=LearnEvaluate(random_state=0))
    result = method.estimate(OOF, "roc_auc", selected_by="average_precision")
    step = LearnEvaluate(random_state=0)
    expected = step.select(as_metric("average_precision").bind(OOF))
    assert result.details["config"] == expected.reported


def test_the_bias_of_tibshirani_is_of_what_the_other_metric_selects():
    auc = np.array([[0.7, 0.6], [0.5, 0.8], [0.9, 0.7]])
    f1 = np.array([[0.1, 0.2], [0.3, 0.5], [0.4, 0.9]])
    oof = OOFPredictions.from_fold_scores({"auc": auc, "f1": f1})
    by_hand = f1[:, 0].mean() - np.mean([0.1 - 0.1, 0.5 - 0.3, 0.4 - 0.4])
    found = TibshiraniTibshirani().estimate(oof.with_selected(0), "f1", selected_by=None)
    assert found.estimate != pytest.approx(by_hand)
    method = TibshiraniTibshirani()
    method.selection = SelectedBy(as_fold_metric("auc"))
    assert method.estimate(oof.with_selected(0), "f1").estimate == pytest.approx(by_hand)


def as_fold_metric(name):
    from sklearn_bbc.intervals._base import only_fold_scores
    from sklearn_bbc.metrics import Metric

    return Metric(name=name, scorer=only_fold_scores)


@pytest.mark.parametrize("rule", [WithThreshold("f1"), SelectedBy("roc_auc")])
def test_rules_with_a_metric_of_their_own_are_refused(rule):
    with pytest.raises(ValueError, match="Leave out selected_by"):
        BBC(selection=rule).estimate(OOF, "roc_auc", selected_by="average_precision")


def test_a_winner_that_cannot_be_scored_gives_no_number_of_another():
    pred = OOF.responses["plain"].T.copy()
    pred[3, 8] = np.nan
    oof = OOFPredictions(y_true=Y, y_pred=pred, fold=np.arange(70) % 7)
    for method in (BBC(), BBCF()):
        with pytest.raises(UndefinedIntervalError, match=r"selected configuration.*8"):
            method.estimate(oof.with_selected(8), "roc_auc")


def test_the_curve_of_optimism_selects_by_the_other_metric():
    method = BBC(n_bootstraps=500, random_state=0)
    curve = optimism_curve(OOF, "average_precision", selected_by="roc_auc", method=method)
    result = method.estimate(OOF, "average_precision", selected_by="roc_auc")
    assert curve.corrected[-1, 0] == pytest.approx(result.estimate, rel=1e-12)
    area, precision = (as_metric(name).bind(OOF).on_data() for name in
                       ("roc_auc", "average_precision"))  # fmt: skip
    assert curve.best[-1, 0] == precision[area.argmax()]


def test_differences_and_tied_sets_select_by_the_other_metric():
    side = Side(oof=OOF, selection=SelectedBy("roc_auc"))
    winner = BBC().estimate(OOF, "roc_auc").details["winner"]
    fixed = Side(oof=OOF, config=(winner + 1) % 9)
    result = compare(side, fixed, scoring="average_precision", random_state=0)
    assert result.details["winners"][0] == winner
    tied = tied_with_best(
        OOF, "average_precision", draws=BBC(selection=SelectedBy("roc_auc"), random_state=0)
    )
    assert tied.details["selected"] == winner
    won = BBC(n_bootstraps=1000, random_state=0).estimate(OOF, "roc_auc").details["won"]
    assert dict(enumerate(tied.won))[winner] == pytest.approx(won[winner], abs=0.05)


# --- in print ---------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def lopsided():
    """A search whose AUC selects a model that never says yes: F1 is 0 in every fold."""
    X, y = make_classification(120, n_features=20, n_informative=3, weights=[0.8], random_state=1)
    return BBCSearchCV(
        LogisticRegression(max_iter=2000), {"C": C}, scoring=["roc_auc", "f1", "neg_brier_score"],
        refit="roc_auc", cv=5, random_state=0, ci=["bbc", "bbcf", "corrected_t"],
    ).fit(X, y)  # fmt: skip


def printed(search, tmp_path):
    """Everything that a search says, by the name of what says it."""
    page = search.report(tmp_path / "page.html").read_text(encoding="utf-8")
    return {
        "summary": search.summary(),
        "methods": search.summary("methods"),
        "table": str(search.table()),
        "frame": search.intervals_frame().round(3).to_string(),
        "tripod": " ".join(search.tripod_ai()["text"]),
        "html": search._repr_html_(),
        "report": re.sub(r"<[^>]*>", " ", page),
        "results": str(search.ci_results_),
        "optimism": str(search.optimism_curve(scoring="f1")),
        "intervals": IntervalsDisplay.from_search(search).frame().round(3).to_string(),
        "forest": ForestDisplay.from_search(search).frame().round(3).to_string(),
    }


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_every_number_is_about_the_model_that_is_returned(lopsided, tmp_path, without_pictures):
    search = lopsided
    best = search.best_index_
    means = search.cv_results_["mean_test_f1"]
    assert means[best] == 0 and means.max() > 0.4
    for metric, by_method in search.ci_results_.items():
        for result in by_method.values():
            assert result.details["winner"] == best, (metric, result.method)
            assert "best_index" not in result.details and "tuned_by" not in result.details
    frame = search.intervals_frame().set_index("metric")
    for metric, score in frame["best_score"].items():
        assert score == search.cv_results_[f"mean_test_{metric}"][best]
    assert SelectionFrequencyDisplay.from_results(search.ci_).winner == best
    tied = search.tied_with_best(scoring="f1")
    assert tied.details["selected"] == best
    # What F1 would have selected has these numbers, which nobody asked for.
    other = [search.interval(m, scoring="f1", tuned_by="f1") for m in ("bbc", "bbcf")]
    strange = {f"{each.estimate:.3f}" for each in other}
    for where, text in printed(search, tmp_path).items():
        assert not strange & set(re.findall(r"\d\.\d{3}", text)), where


@pytest.mark.filterwarnings("ignore")
def test_what_cannot_be_repeated_gives_no_number_of_another_model():
    calls = []

    def fickle(results):
        calls.append(1)
        return 2 if len(calls) == 1 else 1

    search = BBCSearchCV(
        LogisticRegression(), {"C": C}, scoring="roc_auc", refit=fickle, random_state=0
    ).fit(X, Y)
    assert "cannot repeat how" in search.ci_.details["error"]
    assert np.isnan(search.ci_.estimate) and not hasattr(search, "bbc_score_")
    assert "cannot repeat how" in search.summary()
    assert search.interval(tuned_by="roc_auc").details["tuned_by"] == "roc_auc"
    assert search.interval("delong").details["winner"] == search.best_index_


@pytest.mark.filterwarnings("ignore")
def test_without_a_selecting_metric_each_one_selects_for_itself_and_says_so():
    search = BBCSearchCV(
        LogisticRegression(), {"C": C}, scoring=["roc_auc", "f1"], refit=False, random_state=0
    ).fit(X, Y)
    for metric, by_method in search.ci_results_.items():
        assert by_method["bbc"].details["tuned_by"] == metric
        assert "selected no model" in " ".join(by_method["bbc"].details["notes"])
    assert search.intervals_frame()["tuned_by"].tolist() == ["roc_auc", "f1"]


TREE, GRID = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}


def share_right(model, X, y):
    return float(np.mean(model.predict(X) == y))


def weighted_share(model, X, y, sample_weight=None):
    return float(np.average(model.predict(X) == y, weights=sample_weight))


@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.SlowMetricWarning")
@pytest.mark.filterwarnings("ignore:n_bootstraps=20")
@pytest.mark.parametrize("functions", [[share_right], [weighted_share], [share_right] * 2])
def test_functions_in_a_dict_have_weights_as_in_grid_search(functions):
    """Where scikit-learn's own search ends in a bare AttributeError, the error says why."""
    scoring = {f"own {k}": each for k, each in enumerate(functions)} | {"auc": "roc_auc"}
    given = {"scoring": scoring, "refit": "own 0", "cv": 3}
    weights = np.tile([1.0, 3.0], len(Y) // 2)
    search = BBCSearchCV(TREE, GRID, ci=BBC(n_bootstraps=20), **given)
    try:
        expected = GridSearchCV(TREE, GRID, **given).fit(X, Y, sample_weight=weights)
    except AttributeError:
        names = ", ".join(f"'own {k}'" for k in range(len(functions)))
        with pytest.raises(ValueError, match=f"scoring: {names} (is a|are) function") as error:
            search.fit(X, Y, sample_weight=weights)
        assert "{'own 0': make_scorer(" in str(error.value)
    else:
        search.fit(X, Y, sample_weight=weights)
        assert search.best_score_ == expected.best_score_
    assert search.fit(X, Y).best_score_ == GridSearchCV(TREE, GRID, **given).fit(X, Y).best_score_
