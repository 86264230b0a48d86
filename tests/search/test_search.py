"""The drop-in promise: scikit-learn's own results, and the predictions that its models made.

Every input kind is one entry of `SCENARIOS`. For each of them BBCSearchCV must equal
GridSearchCV in everything but times, and what it recorded must equal the predictions of models
that are fitted here once more, on the same splits.
"""

import ast
import inspect
import re
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import loguniform
from sklearn.base import clone, is_classifier
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.datasets import (
    make_blobs,
    make_classification,
    make_multilabel_classification,
    make_regression,
)
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import (
    accuracy_score,
    f1_score,
    make_scorer,
    mean_absolute_error,
    recall_score,
)
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
    check_cv,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sklearn_bbc import BBCSearchCV

RNG = np.random.RandomState(0)
X, Y = make_classification(n_samples=60, n_features=6, flip_y=0.2, random_state=0)
TEXT = np.where(Y == 1, "sick", "healthy")
X3, Y3 = make_blobs(n_samples=60, centers=3, cluster_std=4, random_state=0)
XR, YR = make_regression(n_samples=50, n_features=5, noise=20, random_state=0)
XM, YM = make_multilabel_classification(n_samples=60, n_classes=3, random_state=0)
GROUPS = np.arange(60) // 4
FRAME = pd.DataFrame(X, columns=list("abcdef")).assign(kind=np.where(X[:, 0] > 0, "u", "v"))
KERNEL = X @ X.T
PREDEFINED = np.where(np.arange(60) < 10, -1, np.arange(60) % 4)

TREE = DecisionTreeClassifier(random_state=0)
DEPTHS = {"max_depth": [1, 3]}
LOGREG = LogisticRegression()
STRENGTHS = {"C": [0.01, 1.0]}
PIPE = Pipeline([("scale", StandardScaler()), ("model", LogisticRegression())])


@dataclass
class Scenario:
    estimator: Any
    grid: Any
    X: Any = field(default_factory=lambda: X)
    y: Any = field(default_factory=lambda: Y)
    fit: dict = field(default_factory=dict)
    options: dict = field(default_factory=dict)
    responses: tuple = ("predict",)


def accuracy_of_a_converted_array(estimator, X, y):
    return accuracy_score(y, estimator.predict(np.asarray(X)))


def two_scores(estimator, X, y):
    predicted = estimator.predict(X)
    return {"acc": accuracy_score(y, predicted), "f1": f1_score(y, predicted)}


def scenario(estimator, grid, *data, responses=("predict",), fit=None, **options):
    return Scenario(
        estimator, grid, *data, responses=responses, fit=fit or {}, options={"cv": 2, **options}
    )


AUC = {"scoring": "roc_auc", "responses": ("decision_function",)}
AUC_BY_PROBABILITIES = {"scoring": "roc_auc", "responses": ("predict_proba",)}
SCENARIOS = {
    # scoring
    "own score": scenario(TREE, DEPTHS),
    "name": scenario(TREE, DEPTHS, scoring="balanced_accuracy"),
    "decision function": scenario(LOGREG, STRENGTHS, **AUC),
    "probabilities": scenario(
        LOGREG, STRENGTHS, scoring="neg_log_loss", responses=("predict_proba",)
    ),
    "list": scenario(
        TREE, DEPTHS, scoring=["accuracy", "roc_auc"], refit="roc_auc",
        responses=("predict", "predict_proba"),
    ),
    "tuple, no refit": scenario(TREE, DEPTHS, scoring=("accuracy", "recall"), refit=False),
    "dict": scenario(
        LOGREG, STRENGTHS, scoring={"auc": "roc_auc", "f2": make_scorer(recall_score)},
        refit="auc", responses=("predict", "decision_function"),
    ),
    "callable": scenario(TREE, DEPTHS, scoring=accuracy_of_a_converted_array),
    "callable, several": scenario(TREE, DEPTHS, scoring=two_scores, refit="f1"),
    "callable refit": scenario(TREE, DEPTHS, refit=lambda results: 1),
    "no refit": scenario(TREE, DEPTHS, refit=False),
    "train scores of several": scenario(
        TREE, DEPTHS, scoring=["accuracy", "f1"], refit="f1", return_train_score=True
    ),
    # splitters
    "k-fold": scenario(TREE, DEPTHS, cv=KFold(4, shuffle=True, random_state=1)),
    "groups": scenario(TREE, DEPTHS, cv=GroupKFold(4), fit={"groups": GROUPS}),
    "repeated": scenario(
        TREE, DEPTHS, cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    ),
    "shuffle": scenario(TREE, DEPTHS, cv=ShuffleSplit(4, test_size=0.2, random_state=0)),
    "predefined": scenario(TREE, DEPTHS, cv=PredefinedSplit(PREDEFINED)),
    "leave one out": scenario(
        GaussianNB(), {"var_smoothing": [1e-9, 0.1]}, X[:12], Y[:12], cv=LeaveOneOut()
    ),
    "time series": scenario(TREE, DEPTHS, cv=TimeSeriesSplit(4)),
    "iterable": scenario(
        TREE, DEPTHS, cv=[(np.arange(20, 60), np.arange(20)), (np.arange(40), np.arange(40, 60))]
    ),
    "masks": scenario(TREE, DEPTHS, cv=[(PREDEFINED != k, PREDEFINED == k) for k in range(3)]),
    # data
    "text labels": scenario(TREE, DEPTHS, X, TEXT),
    "text labels, scores": scenario(LOGREG, STRENGTHS, X, TEXT, **AUC),
    "boolean labels": scenario(TREE, DEPTHS, X, Y == 1),
    "labels in a column": scenario(DecisionTreeRegressor(random_state=0), DEPTHS, XR, YR[:, None]),
    "frame": scenario(
        make_pipeline(
            ColumnTransformer([("kind", OneHotEncoder(), ["kind"])], remainder="passthrough"), TREE
        ),
        {"decisiontreeclassifier__max_depth": [1, 3]},
        FRAME, pd.Series(TEXT, index=np.arange(100, 160)),
    ),
    "sparse": scenario(LinearSVC(random_state=0), STRENGTHS, sparse.csr_matrix(X), Y, **AUC),
    "precomputed kernel": scenario(SVC(kernel="precomputed"), STRENGTHS, KERNEL, Y, **AUC),
    "three classes": scenario(
        LOGREG, STRENGTHS, X3, Y3, scoring="roc_auc_ovr", responses=("predict_proba",)
    ),
    "three classes, labels": scenario(TREE, DEPTHS, X3, Y3, scoring="f1_macro"),
    "multilabel": scenario(KNeighborsClassifier(), {"n_neighbors": [1, 3]}, XM, YM),
    "multilabel, probabilities": scenario(
        RandomForestClassifier(3, random_state=0), {"max_depth": [2, 4]}, XM, YM,
        **AUC_BY_PROBABILITIES,
    ),
    "regression": scenario(Ridge(), {"alpha": [0.1, 10]}, XR, YR),
    "regression, loss": scenario(
        KNeighborsRegressor(), {"n_neighbors": [1, 5]}, XR, YR,
        scoring=make_scorer(mean_absolute_error, greater_is_better=False),
    ),
    "several outputs": scenario(
        LinearRegression(), {"fit_intercept": [True, False]}, XR, np.column_stack([YR, YR**2])
    ),
    "outliers": scenario(
        IsolationForest(n_estimators=3, random_state=0), {"max_samples": [0.5, 1.0]}, X,
        np.where(Y == 1, 1, -1), cv=KFold(3), **AUC,
    ),
    # estimators
    "pipeline": scenario(PIPE, {"model__C": [0.1, 1], "scale__with_mean": [True, False]}),
    "several families": scenario(
        PIPE,
        [
            {"model": [LogisticRegression()], "model__C": [0.1, 1]},
            {"model": [GaussianNB(), DummyClassifier()]},
        ],
        scoring=["accuracy", "roc_auc"], refit="accuracy",
        responses=("predict", "decision_function", "predict_proba"),
    ),
    "inner search": scenario(
        GridSearchCV(TREE, {"min_samples_leaf": [1, 5]}, cv=2), {"estimator__max_depth": [1, 3]}
    ),
    "transformed target": scenario(
        TransformedTargetRegressor(Ridge(), func=np.arcsinh, inverse_func=np.sinh),
        {"regressor__alpha": [0.1, 10]}, XR, YR / 100,
    ),
    "sample weights in fit": scenario(TREE, DEPTHS, fit={"sample_weight": RNG.uniform(1, 3, 60)}),
}  # fmt: skip


@pytest.fixture(params=SCENARIOS, scope="module")
def case(request):
    return SCENARIOS[request.param]


@pytest.fixture(scope="module")
def searches(case):
    plain = GridSearchCV(case.estimator, case.grid, **case.options)
    ours = BBCSearchCV(case.estimator, case.grid, ci=[], **case.options)
    return [search.fit(case.X, case.y, **case.fit) for search in (plain, ours)]


def assert_same_results(ours, plain, X):
    assert set(ours.cv_results_) == set(plain.cv_results_)
    for name, expected in plain.cv_results_.items():
        if name == "params":
            assert [set(params) for params in ours.cv_results_[name]] == [set(p) for p in expected]
        elif not name.endswith("_time") and not name.startswith("param_"):
            np.testing.assert_array_equal(ours.cv_results_[name], expected, err_msg=name)
    fitted = {name for name in vars(plain) if name.endswith("_")}
    assert fitted <= set(vars(ours))
    for name in fitted & {"best_score_", "best_index_", "n_splits_", "multimetric_"}:
        assert getattr(ours, name) == getattr(plain, name)
    if plain.refit and X is not None:
        np.testing.assert_array_equal(ours.predict(X), plain.predict(X))


@pytest.mark.one_in(2)
def test_results_are_those_of_grid_search(searches, case):
    assert_same_results(searches[1], searches[0], case.X)


@pytest.mark.one_in(2)
def test_the_scorer_is_handed_back_plain(searches):
    plain, ours = searches
    assert type(ours.scorer_) is type(plain.scorer_)
    assert "Recording" not in repr(ours.scorer_)


@pytest.mark.one_in(2)
def test_recorded_responses_are_those_of_models_fitted_again(searches, case):
    oof = searches[1].oof_
    assert set(oof.responses) == set(case.responses)
    splitter = check_cv(case.options["cv"], case.y, classifier=is_classifier(case.estimator))
    splits = list(splitter.split(case.X, case.y, case.fit.get("groups")))
    target = np.asarray(case.y)
    checked = 0
    for split, (train, test) in enumerate(splits):
        train, test = positions(train), positions(test)
        assert oof.train_size[split] == len(train)
        rows = np.flatnonzero(oof.fold == split)
        rows = rows[np.argsort(oof.sample[rows])]
        assert list(oof.sample[rows]) == sorted(test)
        test = np.sort(test)
        for config, params in enumerate(oof.params):
            model = clone(case.estimator).set_params(**clone(params, safe=False))
            weights = {k: take(v, train) for k, v in case.fit.items() if k == "sample_weight"}
            square = getattr(model, "kernel", None) == "precomputed"
            X_train = case.X[np.ix_(train, train)] if square else take(case.X, train)
            X_test = case.X[np.ix_(test, train)] if square else take(case.X, test)
            model.fit(X_train, target[train], **weights)
            for method in case.responses:
                if (
                    hasattr(model, method)
                    and not np.isnan(
                        np.asarray(oof.responses[method][config, rows], dtype=float)
                    ).all()
                ):
                    answer = getattr(model, method)(X_test)
                    expected = as_kept(answer, method, oof.classes_)
                    np.testing.assert_array_equal(oof.responses[method][config, rows], expected)
                    checked += 1
    assert checked >= len(splits) * len(oof.params)


def positions(indices):
    return np.flatnonzero(indices) if np.asarray(indices).dtype == bool else indices


def take(data, rows):
    return data.iloc[rows] if hasattr(data, "iloc") else data[rows]


def as_kept(answer, method, classes):
    """The answer of a model that saw every class, in the form of OOFPredictions."""
    if isinstance(answer, list):
        return np.column_stack([probabilities[:, 1] for probabilities in answer])
    if classes is not None and method == "predict":
        return np.searchsorted(classes, answer)
    if classes is not None and len(classes) == 2 and method == "predict_proba":
        return answer[:, 1]
    return answer[:, 0] if answer.ndim == 2 and answer.shape[1] == 1 else answer


@pytest.mark.one_in(2)
def test_scores_per_fold_are_kept_by_metric(searches, case):
    _, ours = searches
    names = [name[10:] for name in ours.cv_results_ if name.startswith("mean_test_")]
    assert len(ours.oof_.fold_scores) == len(names)
    for name, scores in zip(names, ours.oof_.fold_scores.values()):
        assert scores.shape == (ours.n_splits_, len(ours.cv_results_["params"]))
        np.testing.assert_allclose(scores.mean(axis=0), ours.cv_results_[f"mean_test_{name}"])


@pytest.mark.parametrize("seed", [3, np.random.RandomState(3)], ids=["integer", "generator"])
def test_random_mode_is_randomized_search(seed):
    distributions = [{"C": loguniform(1e-3, 1e3)}, {"C": [1.0, 2.0], "fit_intercept": [False]}]
    options = {"n_iter": 4, "scoring": "roc_auc", "cv": 3}
    plain = RandomizedSearchCV(LOGREG, distributions, random_state=deepcopy(seed), **options)
    ours = BBCSearchCV(LOGREG, distributions, random_state=deepcopy(seed), ci=[], **options)
    plain.fit(X, Y), ours.fit(X, Y)
    assert_same_results(ours, plain, X)
    assert ours.cv_results_["params"] == plain.cv_results_["params"]


def test_a_distribution_without_n_iter_is_explained():
    with pytest.raises(TypeError) as caught:
        BBCSearchCV(LOGREG, {"C": loguniform(1e-3, 1e3)}).fit(X, Y)
    assert "n_iter" in caught.value.__notes__[0]


def test_unsupervised_search_equals_grid_search_and_keeps_scores_only():
    plain = GridSearchCV(KMeans(random_state=0), {"n_clusters": [2, 3]}, cv=4).fit(X)
    ours = BBCSearchCV(KMeans(random_state=0), {"n_clusters": [2, 3]}, cv=4, ci=[]).fit(X)
    assert_same_results(ours, plain, X)
    assert not ours.oof_.responses
    assert ours.oof_.fold_scores["score"].shape == (4, 2)


def test_parameters_are_kept_and_their_defaults_are_those_of_the_docstring():
    for parameter in inspect.signature(BBCSearchCV).parameters.values():
        given = object()
        kept = BBCSearchCV(**{"estimator": LOGREG, "param_grid": {}, parameter.name: given})
        assert getattr(kept, parameter.name) is given
        if parameter.default is not parameter.empty:
            noted = re.search(
                rf"^{parameter.name} : .*, +default=(.+)$", inspect.getdoc(BBCSearchCV), re.M
            )
            assert noted, f"the docstring gives no default of {parameter.name}"
            default = np.nan if noted[1] == "np.nan" else ast.literal_eval(noted[1])
            assert default is parameter.default or default == parameter.default


def test_one_configuration_is_enough():
    one = BBCSearchCV(LOGREG, {"C": [0.1, 1]}, n_iter=1, cv=3, ci=[], random_state=0).fit(X, Y)
    assert len(one.cv_results_["params"]) == 1
