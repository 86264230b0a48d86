"""Questions that need predictions which a search has not kept: fitted again, where they win."""

import copy
import functools
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, SGDClassifier
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

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.exceptions import RecordingWarning
from sklearn_bbc.intervals import BBC, Wald
from sklearn_bbc.predictions import OOFPredictions
from sklearn_bbc.search import DropClearlyWorse

X, y = make_classification(120, 6, n_informative=3, flip_y=0.2, random_state=0)
GROUPS = np.repeat(np.arange(30), 4)
WEIGHT = np.random.default_rng(0).uniform(0.2, 3, size=120)
CS = {"C": [0.0005, 0.01, 1]}
N_DRAWS = 40


def search_of(model=None, grid=None, **options):
    options = {"scoring": "roc_auc", "random_state": 0, "ci": BBC(n_bootstraps=N_DRAWS)} | options
    return BBCSearchCV(LogisticRegression() if model is None else model, grid or CS, **options)


def curve_of(name):
    def ask(search, **data):
        return search.curve(name, method=BBC(n_bootstraps=N_DRAWS), **data).frame().to_numpy()

    return ask


def interval_of(scoring, method=None, **options):
    def ask(search, **data):
        by = BBC(n_bootstraps=N_DRAWS) if method is None else method
        result = search.interval(by, scoring=scoring, **options, **data)
        return np.array([result.estimate, result.low, result.high])

    return ask


def stability(search, **data):
    return search.prediction_stability(method=BBC(n_bootstraps=N_DRAWS), **data).frame().to_numpy()


def threshold(search, **data):
    result = search.threshold("f1", method=BBC(n_bootstraps=N_DRAWS), **data)
    assert result.estimator.response_method == "predict_proba"
    return np.array([result.threshold, result.apparent_score, result.ci.low, result.ci.high])


def subgroups(search, **data):
    by = np.arange(len(X)) % 2
    result = search.subgroups(
        by, scoring="neg_brier_score", method=BBC(n_bootstraps=N_DRAWS), **data
    )
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
}
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


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("case", ["logistic", "unseeded_repeats"])
def test_numbers_are_those_of_a_search_that_recorded(case, question):
    search = copy.deepcopy(fitted_once(case))
    assert "predict_proba" not in search.oof_.responses
    asked = QUESTIONS[question]
    expected = asked(fitted_once(case, "predict_proba"))
    np.testing.assert_array_equal(asked(search, X=X, y=y), expected)


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


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("question", ["calibration", "brier", "threshold"])
def test_only_what_wins_draws_is_fitted_once(search_of_many, question, capsys):
    search = copy.deepcopy(search_of_many)
    won = set(search.interval(BBC(n_bootstraps=N_DRAWS)).details["won"])
    assert 1 <= len(won) < 6
    n_fits = []

    class Counted(LogisticRegression):
        def fit(self, X, y):
            n_fits.append(self.C)
            return super().fit(X, y)

    search.estimator = Counted()
    ask = QUESTIONS[question]
    first = ask(search, X=X, y=y)
    assert len(n_fits) == 5 * len(won)
    said = capsys.readouterr()
    assert not said.out
    assert f"Fitting {len(won)} configuration" in said.err
    assert f"{5 * len(won)} fits" in said.err
    again = ask(search, X=X, y=y)
    assert len(n_fits) == 5 * len(won)
    np.testing.assert_array_equal(first, again)


@pytest.mark.filterwarnings("ignore")
def test_what_was_fitted_answers_without_the_data(capsys):
    search = copy.deepcopy(fitted_once("logistic"))
    first = curve_of("calibration")(search, X=X, y=y)
    np.testing.assert_array_equal(first, curve_of("calibration")(search))
    assert set(search.oof_.responses) == {"decision_function"}
    assert capsys.readouterr().err.count("Fitting") == 1


@pytest.mark.parametrize(
    ("model", "other_X", "how"),
    [
        (ExtraTreeClassifier(), X, "than in the search"),
        (LogisticRegression(), X[::-1], "than in the search"),
    ],
)
@pytest.mark.filterwarnings("ignore:Note")
def test_other_models_are_noted(model, other_X, how):
    grid = {"max_depth": [2, 3]} if isinstance(model, ExtraTreeClassifier) else CS
    search = fitted(model, grid, {"scoring": "accuracy"}, {})
    with pytest.warns(RecordingWarning, match=how):
        result = search.curve("calibration", X=other_X, y=y, method=BBC(n_bootstraps=40))
    assert any("made other models" in note for note in result.details["notes"])
    # The note stays with the models.
    result = search.curve("net_benefit", X=other_X, y=y, method=BBC(n_bootstraps=40))
    assert any("made other models" in note for note in result.details["notes"])


@pytest.mark.filterwarnings("ignore")
def test_forgotten_weights_are_noted():
    search = copy.deepcopy(fitted_once("weights"))
    with pytest.warns(RecordingWarning, match=r"curve\(..., X=X, y=y, sample_weight=...\)"):
        search.curve("calibration", X=X, y=y, method=BBC(n_bootstraps=40))


ASKED = {
    "curve('calibration')": lambda s, **d: s.curve("calibration", **d),
    "curve('net_benefit')": lambda s, **d: s.curve("net_benefit", **d),
    "slope": lambda s, **d: s.interval(scoring="calibration_slope", **d),
    "brier": lambda s, **d: s.interval(scoring="neg_brier_score", **d),
    "stability": lambda s, **d: s.prediction_stability(**d),
}


@pytest.fixture(scope="module", params=[LogisticRegression(), SVC(), LinearSVC()], ids=str)
def search_by_scores(request):
    return fitted(request.param, CS, {}, {})


@pytest.mark.parametrize("asked", ASKED)
def test_one_message_that_is_right_for_the_model(search_by_scores, asked):
    search = copy.deepcopy(search_by_scores)
    ask, model = ASKED[asked], search.estimator
    has = isinstance(model, LogisticRegression)
    for data in {"without": {}, "with": {"X": X, "y": y}}.values():
        if has and data:
            continue
        with pytest.raises(ValueError, match="needs predict_proba, but only") as raised:
            ask(search, **data)
        text = str(raised.value)
        assert ("X=X, y=y" in text) == has
        assert (f"CalibratedClassifierCV({type(model).__name__}())" in text) != has
        assert "record='predict_proba'" in text


BAD = {
    "no X": (lambda s: s.curve("calibration", y=y), ValueError, "needs X, too"),
    "typo": (lambda s: s.curve("roc", random_state=1), TypeError, "method=BBC.random_state="),
    "typo 2": (lambda s: s.interval(nonsense=1), TypeError, "has no parameter 'nonsense'"),
    "other y": (lambda s: s.curve("calibration", X=X, y=1 - y), ValueError, "target values"),
    "no y": (lambda s: s.curve("calibration", X=X), ValueError, "y is missing"),
    "fewer": (lambda s: s.curve("calibration", X=X[:50], y=y[:50]), ValueError, "50 samples"),
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
