"""Questions that need predictions which a search has not kept: `record_again` records them."""

import copy
import functools
import re
import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from sklearn_bbc import BBCSearchCV, compare, samples_for_width
from sklearn_bbc.exceptions import RecordingWarning
from sklearn_bbc.intervals import BBC, Wald
from sklearn_bbc.predictions import OOFPredictions
from sklearn_bbc.search import DropClearlyWorse
from sklearn_bbc.selection import OneStandardError

X, y = make_classification(120, 6, n_informative=3, flip_y=0.2, random_state=0)
GROUPS = np.repeat(np.arange(30), 4)
WEIGHT = np.random.default_rng(0).uniform(0.2, 3, size=120)
CS = {"C": [0.0005, 0.01, 1]}
N_DRAWS = 40
N_FOLDS = 3


def search_of(model=None, grid=None, **options):
    defaults = {"cv": N_FOLDS, "scoring": "roc_auc", "ci": BBC(n_bootstraps=N_DRAWS)}
    model = LogisticRegression() if model is None else model
    return BBCSearchCV(model, grid or CS, **{**defaults, "random_state": 0, **options})


def curve_of(name):
    def ask(search):
        return search.curve(name, method=BBC(n_bootstraps=N_DRAWS)).frame().to_numpy()

    return ask


def interval_of(scoring, method=None, **options):
    def ask(search):
        by = BBC(n_bootstraps=N_DRAWS) if method is None else method
        result = search.interval(by, scoring=scoring, **options)
        return np.array([result.estimate, result.low, result.high])

    return ask


def stability(search):
    return search.prediction_stability(method=BBC(n_bootstraps=N_DRAWS)).frame().to_numpy()


def threshold(search):
    result = search.threshold("f1", method=BBC(n_bootstraps=N_DRAWS))
    assert result.estimator.response_method == "predict_proba"
    return np.array([result.threshold, result.apparent_score, result.ci.low, result.ci.high])


def subgroups(search):
    by = np.arange(len(X)) % 2
    method = BBC(n_bootstraps=N_DRAWS)
    result = search.subgroups(by, scoring="neg_brier_score", method=method)
    return result.frame().to_numpy()


QUESTIONS = {
    "calibration": curve_of("calibration"),
    "net_benefit": curve_of("net_benefit"),
    "slope": interval_of("calibration_slope"),
    "brier": interval_of("neg_brier_score"),
    "brier_config": interval_of("neg_brier_score", config=1),
    "brier_wald": interval_of("neg_brier_score", Wald()),
    "brier_bbcf": interval_of("neg_brier_score", "bbcf"),
    "brier_tuned": interval_of("neg_brier_score", tuned_by="neg_brier_score"),
    "stability": stability,
    "threshold": threshold,
    "subgroups": subgroups,
    "tied": lambda s: s.tied_with_best(scoring="neg_brier_score").frame()["score"].to_numpy(),
    "optimism": lambda s: s.optimism_curve(scoring="neg_brier_score").frame().to_numpy(),
    "compare": lambda s: np.array(
        [*s.compare((s.best_index_ + 1) % 3, scoring="neg_brier_score")]
    ),
}
NEEDED = {  # what is not about winners of draws
    "brier_config": [1], "brier_bbcf": "all", "brier_tuned": "all", "tied": "all",
    "optimism": "all", "compare": "all",
}  # fmt: skip
MODELS = {
    "logistic": (LogisticRegression(), CS, {}, {}),
    "pipeline": (
        make_pipeline(StandardScaler(), LogisticRegression()),
        {"logisticregression__C": CS["C"]}, {}, {},
    ),
    "labels_scored": (DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 4]},
                      {"scoring": "accuracy"}, {}),
    "sgd_shuffled": (
        SGDClassifier("log_loss", random_state=0), {"alpha": [1e-3, 0.1]},
        {"cv": ShuffleSplit(3, test_size=0.25)}, {},
    ),
    "unseeded_repeats": (
        LogisticRegression(), CS, {"cv": RepeatedStratifiedKFold(n_splits=3, n_repeats=2)}, {},
    ),
    "generator": (LogisticRegression(), CS, {"cv": lambda: KFold(3).split(X)}, {}),
    "groups": (LogisticRegression(), CS, {"cv": GroupKFold(3)}, {"groups": GROUPS}),
    "weights": (LogisticRegression(), CS, {}, {"sample_weight": WEIGHT}),
    "drop": (LogisticRegression(), CS, {"drop": DropClearlyWorse(), "cv": StratifiedKFold(5)}, {}),
    "refit_false": (LogisticRegression(), CS, {"refit": False}, {}),
    "two_metrics": (
        LogisticRegression(), CS, {"scoring": ["roc_auc", "accuracy"], "refit": "roc_auc"}, {},
    ),
    "duplicates": (LogisticRegression(), {"C": [0.1, 0.1, 0.1]}, {}, {}),
    "failed": (LogisticRegression(), {"C": [-1.0, 0.1, 1]}, {}, {}),
    "models_by_step": (
        make_pipeline(StandardScaler(), LogisticRegression()),
        {"logisticregression": [LogisticRegression(C=0.01), LinearDiscriminantAnalysis(),
                                DecisionTreeClassifier(max_depth=3, random_state=0)]}, {}, {},
    ),
}  # fmt: skip


def fitted(model, grid, options, params, target=y, **more):
    options = {name: value() if callable(value) else value for name, value in options.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return search_of(model, grid, **options, **more).fit(X, target, **params)


@functools.cache
def fitted_once(case, record=True):
    """A search of MODELS, with seeded splits. Ask a copy: a search keeps what it fits again."""
    model, grid, options, params = MODELS[case]
    if hasattr(options.get("cv"), "split"):
        options = {**options, "cv": clone(options["cv"], safe=False)}
        options["cv"].random_state = 0
    return fitted(model, grid, options, params, record=record)


@pytest.mark.one_in(4)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("case", ["logistic", "unseeded_repeats"])
def test_numbers_are_those_of_a_search_that_recorded(case, question):
    search = copy.deepcopy(fitted_once(case))
    assert "predict_proba" not in search.oof_.responses
    asked = QUESTIONS[question]
    expected = asked(fitted_once(case, "predict_proba"))
    configs = NEEDED.get(question, "winners")
    assert search.record_again(X, y, "predict_proba", configs=configs) is search
    np.testing.assert_array_equal(asked(search), expected)
    everything = search.record_again(X, y, ["predict_proba"], configs="all")
    assert "predict_proba" in everything.oof_.responses
    np.testing.assert_array_equal(asked(everything), expected)


@pytest.mark.one_in(4)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("case", "labels"),
    [*((case, ("z", "a")) for case in MODELS), ("logistic", (0, 1)), ("labels_scored", (0, 1))],
)
def test_predictions_are_those_of_the_recorded_splits(case, labels):
    """By a loop over the splits that the search used, unseeded, repeated or given."""
    model, grid, options, params = MODELS[case]
    target = np.asarray(labels)[y]
    pairs = []

    class Listed:
        """Splitter that notes what it gave, since nobody can ask an unseeded one again."""

        def split(self, *args, **kwargs):
            cv = options["cv"]() if callable(options.get("cv")) else options.get("cv")
            cv = StratifiedKFold(3) if cv is None else cv
            pairs[:] = cv.split(X, y, GROUPS) if hasattr(cv, "split") else cv
            return iter(pairs)

        def get_n_splits(self, *args, **kwargs):
            return {"unseeded_repeats": 6, "drop": 5}.get(case, 3)

    search = fitted(model, grid, {**options, "cv": Listed()}, params, target)
    splits = list(pairs)
    oof = OOFPredictions.from_search(search, X, target, record="predict_proba", **params)
    classes = np.unique(target)
    np.testing.assert_array_equal(oof.classes_, classes)
    for config, values in enumerate(search.cv_results_["params"]):
        if search.oof_.failed[config]:
            continue
        expected = np.full(oof.n_rows, np.nan)
        for split, (train, _) in enumerate(splits):
            one = clone(model).set_params(**clone(values, safe=False))
            weight = {"sample_weight": WEIGHT[train]} if "sample_weight" in params else {}
            one.fit(X[train], target[train], **weight)
            risk = one.predict_proba(X)[:, list(one.classes_).index(classes[1])]
            rows = oof.fold == split
            expected[rows] = risk[oof.sample[rows]]
        np.testing.assert_allclose(oof.responses["predict_proba"][config], expected, atol=1e-12)
    for name, scores in search.oof_.fold_scores.items():
        np.testing.assert_array_equal(oof.fold_scores[name], scores)


@pytest.fixture(scope="module")
def search_of_many():
    return fitted(LogisticRegression(), {"C": [1e-6, 0.001, 0.01, 0.1, 1, 10]}, {}, {})


class Counted(LogisticRegression):
    """Model that remembers which of its kind were fitted."""

    n_fits = []

    def fit(self, X, y):
        self.n_fits.append(self.C)
        return super().fit(X, y)


@pytest.mark.filterwarnings("ignore")
def test_what_wins_draws_is_fitted_once_and_answers_every_question(search_of_many, capsys):
    search, grid = copy.deepcopy(search_of_many), search_of_many.param_grid["C"]
    won = set(search.interval(BBC(n_bootstraps=N_DRAWS)).details["won"])
    assert 1 <= len(won) < 6
    search.estimator = Counted()
    Counted.n_fits.clear()
    search.record_again(X, y, "predict_proba")
    assert sorted(Counted.n_fits) == sorted(N_FOLDS * [grid[k] for k in won])
    said = capsys.readouterr()
    assert not said.out
    assert f"Fitting {len(won)} configuration" in said.err
    assert f"{N_FOLDS * len(won)} fits" in said.err
    for question in QUESTIONS.keys() - NEEDED.keys():
        QUESTIONS[question](search)
    search.record_again(X, y, "predict_proba")
    assert len(Counted.n_fits) == N_FOLDS * len(won)
    # The others only, then, and the predictions of the search have them.
    assert set(search.oof_.responses) == {"decision_function"}
    search.record_again(X, y, "predict_proba", configs="all")
    assert sorted(Counted.n_fits) == sorted(N_FOLDS * grid)
    assert np.isfinite(search.oof_.responses["predict_proba"]).all()
    assert f"{N_FOLDS * (6 - len(won))} fits" in capsys.readouterr().err


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_winners_are_those_of_the_draws_of_the_search(search_of_many):
    """By its first BBC without a rule of its own, or by `BBC()`."""
    own = BBC(n_bootstraps=200, random_state=3, selection=OneStandardError(["C"]))
    for ci, method in {
        BBC(n_bootstraps=N_DRAWS): BBC(n_bootstraps=N_DRAWS), "bbcf": BBC(), own: BBC(),
    }.items():  # fmt: skip
        search = search_of(grid=search_of_many.param_grid, ci=[ci]).fit(X, y)
        expected = {*search.interval(method).details["won"], search.best_index_}
        search.record_again(X, y, "predict_proba")
        assert {config for config, _ in search._finished.again} == expected


@pytest.mark.filterwarnings("ignore")
def test_other_winners_of_a_later_question_are_named_with_the_line(search_of_many, capsys):
    search, by = copy.deepcopy(search_of_many), BBC(n_bootstraps=500, random_state=8)
    won = search.interval(by).details["won"]
    first = search.best_index_
    others = sorted(set(won) - {first})
    assert others
    search.record_again(X, y, "predict_proba", configs=[first])
    n_draws = round(500 * sum(won[k] for k in others))
    for ask in (
        lambda: search.curve("calibration", method=by),
        lambda: search.interval(by, scoring="neg_brier_score"),
        lambda: search.prediction_stability(method=by),
        lambda: search.threshold("f1", method=by),
    ):
        with pytest.raises(ValueError, match=f"that win {n_draws} of 500 draws") as raised:
            ask()
    text = str(raised.value)
    line = re.search(r"search\.record_again\(X, y, .*?\)(?= with)", text)[0]
    n_fits = int(re.search(r"the data of the search: (\d+) fits", text)[1])
    capsys.readouterr()
    eval(line, {"search": search, "X": X, "y": y})
    assert f"{n_fits} fits" in capsys.readouterr().err
    assert np.isfinite(search.curve("calibration", method=by).estimate).any()
    assert set(won) <= {config for config, _ in search._finished.again}


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("ask", "n_fits"),
    [
        (lambda s: s.curve("calibration"), None),
        (lambda s: s.curve("calibration", config=5), N_FOLDS),
        (lambda s: s.interval(scoring="neg_brier_score", config=5), N_FOLDS),
        (lambda s: s.interval(scoring="neg_brier_score", config=s.best_index_), N_FOLDS),
        (lambda s: s.interval("bbcf", scoring="neg_brier_score"), 6 * N_FOLDS),
        (lambda s: s.tied_with_best(scoring="neg_log_loss"), 6 * N_FOLDS),
        (lambda s: s.optimism_curve(scoring="neg_log_loss"), 6 * N_FOLDS),
        (lambda s: s.compare(0, scoring="neg_brier_score"), 6 * N_FOLDS),
        # Before anything is trained.
        (
            lambda s: s.compare(LinearDiscriminantAnalysis(), X, y, scoring="neg_brier_score"),
            6 * N_FOLDS,
        ),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_the_line_of_the_message_makes_the_question_work(search_of_many, ask, n_fits, capsys):
    search = copy.deepcopy(search_of_many)
    with pytest.raises(ValueError, match="needs predict_proba, but only dec") as raised:
        ask(search)
    text = str(raised.value)
    line = re.search(r"search\.record_again\(.*?\)", text)[0]
    eval(line, {"search": search, "X": X, "y": y})
    said = capsys.readouterr().err
    won = set(search.interval(BBC(n_bootstraps=N_DRAWS)).details["won"])
    assert f"{n_fits or N_FOLDS * len(won)} fits" in said
    assert re.search(r"of the search: (\d+ fits)", text)[1] in said
    ask(search) if n_fits is not None else search.curve("roc", method=BBC(n_bootstraps=N_DRAWS))


@pytest.mark.filterwarnings("ignore")
def test_of_two_searches_that_which_lacks_predictions_is_named():
    lacks, has = copy.deepcopy(fitted_once("logistic")), fitted_once("logistic", "predict_proba")
    other = clone(has).set_params(param_grid={"C": [1e-5, 1e-4]}).fit(X, y)
    for name, ask in {
        "search": lambda: lacks.compare(other, scoring="neg_brier_score"),
        "baseline": lambda: other.compare(lacks, scoring="neg_brier_score"),
        "first": lambda: compare(lacks, other, "neg_brier_score"),
        "second": lambda: compare(other, lacks, "neg_brier_score"),
        "predictions": lambda: samples_for_width(lacks, 0.1, scoring="neg_brier_score"),
    }.items():
        with pytest.raises(ValueError, match=rf"Call {name}\.record_again\(.*: 9 fits on"):
            ask()
    lacks.record_again(X, y, "predict_proba", configs="all")
    assert np.isfinite(compare(other, lacks, "neg_brier_score").difference)


@pytest.mark.filterwarnings("ignore")
def test_what_was_recorded_of_some_is_not_asked_for_again():
    search = copy.deepcopy(fitted_once("logistic"))
    search.record_again(X, y, "predict_proba", configs=[1])
    for ask in (search.tied_with_best, search.optimism_curve, partial(search.compare, 0)):
        with pytest.raises(ValueError, match=r"configs='all'\).*: 6 fits on"):
            ask(scoring="neg_brier_score")


@pytest.mark.filterwarnings("ignore")
def test_what_a_model_cannot_answer_is_refused_whatever_else_was_recorded():
    found = search_of(LinearSVC(), scoring="accuracy").fit(X, y)
    with pytest.raises(ValueError, match=r"record_again\(X, y, 'decision_function'\).* [36] fits"):
        found.threshold("f1")
    found.record_again(X, y, "decision_function").threshold("f1", method=BBC(n_bootstraps=40))
    for _ in range(2):
        with pytest.raises(ValueError, match=r"LinearSVC has no predict_proba.*Calibrated"):
            found.record_again(X, y, "predict_proba")
    numbers = BBCSearchCV(Ridge(), {"alpha": [1, 10]}, ci=[]).fit(X, X[:, 0])
    with pytest.raises(ValueError, match=r"Ridge has no predict_proba\.$"):
        numbers.record_again(X, X[:, 0], "predict_proba")


@pytest.mark.filterwarnings("ignore")
def test_a_search_that_selects_nothing_has_no_winners():
    search = search_of(scoring=["roc_auc", "accuracy"], refit=False).fit(X, y)
    with pytest.raises(ValueError, match=r"no winners of draws.*configs='all'"):
        search.record_again(X, y, "predict_proba")
    search.record_again(X, y, "predict_proba", configs="all")
    assert np.isfinite(search.curve("calibration", scoring="roc_auc").estimate).any()


@pytest.mark.parametrize(
    ("model", "other_X", "how"),
    [
        (ExtraTreeClassifier(), X, "than in the search"),
        (LogisticRegression(), X[::-1], "than in the search"),
    ],
)
@pytest.mark.parametrize("configs", ["all", [0, 1, 2]])
@pytest.mark.filterwarnings("ignore:Note")
def test_other_models_are_noted(model, other_X, how, configs):
    grid = {"max_depth": [2, 3, 4]} if isinstance(model, ExtraTreeClassifier) else CS
    grid = {name: [*values, 5] for name, values in grid.items()}
    search = fitted(model, grid, {"scoring": "accuracy"}, {})
    with pytest.warns(RecordingWarning, match=how):
        search.record_again(other_X, y, "predict_proba", configs=configs)
    # The note stays with the models.
    for name in ("calibration", "net_benefit"):
        if configs == "all" or 3 not in search.interval(BBC(n_bootstraps=40)).details["won"]:
            result = search.curve(name, method=BBC(n_bootstraps=40))
            assert any("made other models" in note for note in result.details["notes"])


@pytest.mark.filterwarnings("ignore")
def test_forgotten_weights_are_noted():
    search = copy.deepcopy(fitted_once("weights"))
    with pytest.warns(RecordingWarning, match=r"record_again\(X, y, ..., sample_weight=...\)"):
        search.record_again(X, y, "predict_proba")


ASKED = {
    "curve('calibration')": lambda s: s.curve("calibration"),
    "curve('net_benefit')": lambda s: s.curve("net_benefit"),
    "slope": lambda s: s.interval(scoring="calibration_slope"),
    "brier": lambda s: s.interval(scoring="neg_brier_score"),
    "stability": lambda s: s.prediction_stability(),
}


@pytest.fixture(scope="module", params=[LogisticRegression(), SVC(), LinearSVC()], ids=str)
def search_by_scores(request):
    return fitted(request.param, CS, {}, {})


@pytest.mark.parametrize("asked", ASKED)
def test_one_message_that_is_right_for_the_model(search_by_scores, asked):
    search = copy.deepcopy(search_by_scores)
    model = search.estimator
    has = isinstance(model, LogisticRegression)
    recording = [] if has else [lambda s: s.record_again(X, y, "predict_proba")]
    for ask in (ASKED[asked], *recording):
        with pytest.raises(ValueError, match="needs predict_proba, but only") as raised:
            ask(search)
        text = str(raised.value)
        assert ("record_again(X, y, 'predict_proba')" in text) == has
        assert (f"CalibratedClassifierCV({type(model).__name__}())" in text) != has
        assert "record='predict_proba'" in text


BAD = {
    "no y": (lambda s: s.record_again(X, None, "predict_proba"), ValueError, "y is missing"),
    "no X": (lambda s: s.record_again(None, y, "predict"), ValueError, "X is missing"),
    "nothing": (lambda s: s.record_again(X, y), TypeError, "record_again needs record"),
    "no name": (lambda s: s.record_again(X, y, True), ValueError, "record must name what"),
    "a typo": (lambda s: s.record_again(X, y, "proba"), ValueError, "The 'record' parameter must"),
    "other y": (lambda s: s.record_again(X, 1 - y, "predict_proba"), ValueError, "target values"),
    "fewer": (
        lambda s: s.record_again(X[:50], y[:50], "predict_proba"), ValueError, "50 samples",
    ),
    "configs": (
        lambda s: s.record_again(X, y, "predict_proba", configs="best"), ValueError, "'winners', ",
    ),
    "one config": (
        lambda s: s.record_again(X, y, "predict_proba", configs=1), ValueError, "or a list of pos",
    ),
    "no config": (
        lambda s: s.record_again(X, y, "predict_proba", configs=[7]), ValueError, "known are 0 to",
    ),
    "for fit": (
        lambda s: s.record_again(X, y, "predict_proba", colour=1), ValueError, "colour",
    ),
    "data": (lambda s: s.curve("calibration", X=X, y=y), TypeError, "curve has no parameter 'X'"),
    "typo": (lambda s: s.curve("roc", random_state=1), TypeError, "method=BBC.random_state="),
    "typo 2": (lambda s: s.interval(nonsense=1), TypeError, "has no parameter 'nonsense'"),
    "unrecorded": (
        lambda s: clone(s).set_params(record=False).fit(X, y).record_again(X, y, "predict"),
        ValueError, "kept no predictions",
    ),
    "not fitted": (
        lambda s: clone(s).record_again(X, y, "predict"), NotFittedError, "not fitted",
    ),
    "record": (
        lambda s: OOFPredictions.from_search(s, record="predict_proba"), ValueError, "needs X",
    ),
    "unknown record": (
        lambda s: OOFPredictions.from_search(s, X, y, record="proba"), ValueError, "'record'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_data(case):
    ask, error, match = BAD[case]
    with pytest.raises(error, match=match):
        ask(copy.deepcopy(fitted_once("logistic")))


@pytest.mark.parametrize("record", ["predict_proba", ["predict", "predict_proba"]])
def test_from_search_of_scikit_learn_records(record):
    search = GridSearchCV(LogisticRegression(), CS, scoring="roc_auc").fit(X, y)
    oof = OOFPredictions.from_search(search, X, y, record=record)
    names = {record} if isinstance(record, str) else set(record)
    assert set(oof.responses) == {"decision_function", *names}
    for config, C in enumerate(CS["C"]):
        for name in names:
            risk = cross_val_predict(LogisticRegression(C=C), X, y, method=name)
            own = oof.responses[name][config]
            np.testing.assert_allclose(own, risk[:, 1] if risk.ndim == 2 else risk, atol=1e-12)
