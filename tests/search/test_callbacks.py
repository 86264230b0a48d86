"""What a search sends to its workers, and what callbacks hear of it."""

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.model_selection import _search as sklearn_search
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.fixes import parse_version

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.recording._recording import _has_callbacks
from sklearn_bbc.search import DropClearlyWorse

X, Y = make_classification(n_samples=80, n_features=5, flip_y=0.2, random_state=0)
TREE = DecisionTreeClassifier(random_state=0)
DEPTHS = {"max_depth": [1, 2, 3]}
needs_callbacks = pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.9"),
    reason="callbacks came with scikit-learn 1.9",
)


def search(estimator=TREE, grid=DEPTHS, **options):
    return BBCSearchCV(estimator, grid, **{"cv": 4, "ci": [], **options})


def test_the_recording_stays_at_home():
    states = []

    class Travelling(BBCSearchCV):
        def _format_results(self, *args, **kwargs):
            states.append(pickle.loads(pickle.dumps(self)))
            return super()._format_results(*args, **kwargs)

    globals()["Travelling"] = Travelling  # pickle looks for the class here
    Travelling.__qualname__ = "Travelling"
    try:
        Travelling(TREE, DEPTHS, cv=4, ci=[]).fit(X, Y)
    finally:
        del globals()["Travelling"]
    assert len(states) == 1
    assert not {"_recording", "_run_search"} & set(vars(states[0]))


@pytest.mark.one_in(2)
@needs_callbacks
@pytest.mark.parametrize("n_configs", [2, 50])
def test_without_callbacks_no_context_is_sent(monkeypatch, n_configs):
    sizes = []
    original = sklearn_search._fit_and_score

    def measured(*args, callback_ctx=None, **kwargs):
        assert callback_ctx is None
        sizes.append(len(pickle.dumps((args, kwargs))))
        return original(*args, callback_ctx=callback_ctx, **kwargs)

    monkeypatch.setattr(sklearn_search, "_fit_and_score", measured)
    grid = {"var_smoothing": np.logspace(-9, 0, n_configs)}
    search(GaussianNB(), grid).fit(X, Y)
    assert len(sizes) == 4 * n_configs
    assert max(sizes) < 15_000  # 80 samples of 5 features, and the grid; no tree of contexts


@needs_callbacks
@pytest.mark.parametrize(
    "listener", ["search", "estimator", "candidate"], ids="callback of the {}".format
)
def test_callbacks_hear_what_they_hear_from_grid_search(listener):
    captured = []
    for kind in (GridSearchCV, BBCSearchCV):
        callback = Callback()
        model = LogisticRegression()
        grid = {"C": [0.1, 1.0]}
        if listener == "estimator":
            model.set_callbacks(callback)
        if listener == "candidate":
            grid = {"estimator": [LogisticRegression().set_callbacks(callback)]}
            model = Wrapping()
        options = {"ci": []} if kind is BBCSearchCV else {}
        subject = kind(model, grid, cv=3, **options)
        if listener == "search":
            subject.set_callbacks(callback)
        subject.fit(X, Y)
        captured.append(callback.captured)
    assert captured[0] == captured[1]
    assert captured[0]


@needs_callbacks
def test_callbacks_hear_of_each_fit_that_dropping_spares_once():
    captured = []
    for drop in (None, DropClearlyWorse(min_predictions=20, min_per_class=2)):
        callback = Callback()
        found = search(grid={"max_depth": [3], "min_samples_leaf": [1, 40]}, drop=drop)
        found.set_callbacks(callback).fit(X, Y)
        captured.append(sorted(callback.captured, key=repr))
    assert found.cv_results_["n_splits_done"].min() < 4
    assert captured[0] == captured[1]


class Callback:
    """Remembers the tasks that it is told of."""

    def __init__(self):
        self.captured = []

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context, *, X=None, y=None):
        self.captured.append(("begin", context.task_name, context.task_id))

    def on_fit_task_end(self, estimator, context, *, X=None, y=None):
        self.captured.append(("end", context.task_name, context.task_id))


class Wrapping(ClassifierMixin, BaseEstimator):
    def __init__(self, estimator=None):
        self.estimator = estimator

    def fit(self, X, y):
        self.estimator.fit(X, y)
        self.classes_ = self.estimator.classes_
        return self

    def predict(self, X):
        return self.estimator.predict(X)


@needs_callbacks
def test_a_progress_bar_can_be_shown():
    pytest.importorskip("rich", reason="the progress bar is drawn by rich")
    from sklearn.callback import ProgressBar

    fitted = search().set_callbacks(ProgressBar()).fit(X, Y)
    assert fitted.oof_.n_configs == 3


def test_callbacks_are_looked_for_in_candidates_too():
    silent, loud = LogisticRegression(), LogisticRegression()
    loud._skl_callbacks = ["listener"]
    subject = search(Wrapping())
    assert not _has_callbacks(subject, [{"estimator": silent}, {"other": 1}])
    assert _has_callbacks(subject, [{"estimator": silent}, {"estimator": Wrapping(loud)}])
