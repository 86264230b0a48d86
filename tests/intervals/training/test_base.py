"""What all methods that train models share: validation, cost, metric, registry, seeds."""

import contextlib

import numpy as np
import pytest
from joblib import parallel_config
from scipy.stats import loguniform
from sklearn.base import clone
from sklearn.ensemble import VotingClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LinearRegression, LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.exceptions import IntervalWarning, UndefinedIntervalError
from sklearn_bbc.intervals import (
    BatesNestedCV,
    ConservativeZ,
    DirectBootstrap,
    NestedCV,
)
from sklearn_bbc.intervals._refit_base import metric_of
from tests.intervals.refit_helpers import CountingClassifier, small_search, two_classes

# Models and scores made up to count fits are constant, which has tests of its own.
pytestmark = pytest.mark.filterwarnings("ignore:.*No spread can be seen")

SMALL = {
    "bates_nested_cv": BatesNestedCV(n_folds=3, n_repetitions=2, random_state=0, verbose=0),
    "conservative_z": ConservativeZ(n_outer=2, n_inner=3, random_state=0, verbose=0),
    "direct_bootstrap": DirectBootstrap(n_bootstraps=20, random_state=0, verbose=0),
    "nested_cv": NestedCV(cv=3, corrected_t=True, verbose=0),
}


@pytest.fixture(params=SMALL)
def method(request):
    return SMALL[request.param]


def test_the_number_of_fits_is_what_was_printed(method, capsys):
    X, y = two_classes()
    X[:, 0] = np.arange(len(X))
    CountingClassifier.trained_on.clear()
    result = clone(method).set_params(verbose=1).estimate(CountingClassifier(), X, y)
    assert len(CountingClassifier.trained_on) == result.details["n_fits"]
    noted = capsys.readouterr().out
    assert f"{result.details['n_fits']} fits of CountingClassifier" in noted


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:The total space of parameters")
def test_fits_of_random_searches_and_of_halving(capsys):
    X, y = two_classes()
    for space, n_iter, expected in (
        ({"C": [0.1, 1, 10]}, 2, 2), ({"C": [0.1, 1]}, 9, 2), ({"C": loguniform(0.1, 10)}, 4, 4),
    ):  # fmt: skip
        for cls in (RandomizedSearchCV, BBCSearchCV):
            search = cls(LogisticRegression(), space, n_iter=n_iter, cv=2, random_state=0)
            result = NestedCV(cv=2, verbose=0).estimate(search, X, y)
            assert result.details["n_fits"] == 2 * (2 * expected + 1)
    halving = HalvingGridSearchCV(LogisticRegression(), {"C": [0.1, 1]}, cv=2)
    result = NestedCV(cv=2).estimate(halving, X, y)
    assert result.details["n_fits"] is None and 0 <= result.estimate <= 1
    assert "an unknown number of fits" in capsys.readouterr().out


def test_any_search_is_taken_and_left_as_it_was():
    X, y = two_classes()
    for search in (
        small_search(),
        RandomizedSearchCV(LogisticRegression(), {"C": [0.1, 1, 10]}, n_iter=2, random_state=0),
        BBCSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, cv=3),
    ):
        result = SMALL["nested_cv"].estimate(search, X, y)
        assert 0 <= result.estimate <= 1
        assert not hasattr(search, "best_params_")


@pytest.mark.long
def test_the_metric_of_the_search_is_taken():
    X, y = two_classes()
    assert SMALL["nested_cv"].estimate(small_search(scoring="roc_auc"), X, y).metric == "roc_auc"
    piped = make_pipeline(StandardScaler(), small_search(scoring="roc_auc"))
    assert SMALL["nested_cv"].estimate(piped, X, y).metric == "roc_auc"
    own = LogisticRegressionCV(scoring="warn")
    assert metric_of(own, None).name == "accuracy"
    several = small_search(scoring=["roc_auc", "neg_log_loss"], refit="neg_log_loss")
    assert SMALL["nested_cv"].estimate(several, X, y).metric == "neg_log_loss"
    assert SMALL["nested_cv"].estimate(LogisticRegression(), X, y).metric == "accuracy"
    with pytest.raises(ValueError, match="none of them selects"):
        SMALL["nested_cv"].estimate(small_search(scoring=["roc_auc"], refit=False), X, y)


def test_fit_parameters_per_sample_are_cut_like_x():
    X, y = two_classes()
    weight = np.where(y == 1, 100.0, 1.0)
    plain = SMALL["nested_cv"].estimate(LogisticRegression(), X, y, scoring="recall")
    weighted = SMALL["nested_cv"].estimate(
        LogisticRegression(), X, y, scoring="recall", sample_weight=weight
    )
    assert weighted.estimate > plain.estimate


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"X": np.zeros((59, 3))}, "X has 59 samples, but y has 60"),
        ({"groups": [0, 1]}, r"groups has shape \(2,\), expected \(60,\)"),
    ],
)
def test_wrong_input_is_refused_before_any_fit(method, arguments, message):
    X, y = two_classes()
    with pytest.raises(ValueError, match=message):
        method.estimate(**{"estimator": LogisticRegression(), "X": X, "y": y, **arguments})


LEAST = {"bates_nested_cv": 3, "conservative_z": 4, "direct_bootstrap": 2, "nested_cv": 2}


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc"])
def test_a_class_with_too_few_samples_is_named_before_any_fit(method, scoring):
    least = LEAST[method.name]
    X, _ = two_classes()
    for n_samples in {1, least - 1}:
        CountingClassifier.trained_on.clear()
        y = np.where(np.arange(60) < n_samples, "rare", "usual")
        with pytest.raises(UndefinedIntervalError) as error:
            method.estimate(CountingClassifier(), X, y, scoring=scoring)
        message = str(error.value)
        assert f"{type(method).__name__} cannot estimate {scoring}" in message
        assert f"class rare has {n_samples} sample" in message
        assert f"at least {least} of each class are needed" in message
        assert not CountingClassifier.trained_on


def test_a_single_class_is_refused_before_any_fit(method):
    X, _ = two_classes()
    CountingClassifier.trained_on.clear()
    with pytest.raises(UndefinedIntervalError, match="all 60 samples are of class 7"):
        method.estimate(CountingClassifier(), X, np.full(60, 7))
    assert not CountingClassifier.trained_on


def test_perfect_predictions_give_a_point_and_a_warning(method):
    X, y = two_classes()
    X[:, 0] += 1000 * y
    with pytest.warns(IntervalWarning, match=f"{type(method).__name__}: No spread.*wrong"):
        result = method.estimate(KNeighborsClassifier(3), X, y)
    assert tuple(result) == (1, 1) and result.details["degenerate"] is True
    assert any("certainly wrong" in note for note in result.details["notes"])


@pytest.mark.parametrize("where", ["alone", "pipeline", "search", "voting"])
def test_a_search_that_leaves_no_model_is_refused_before_any_fit(method, where):
    X, y = two_classes()
    search = GridSearchCV(CountingClassifier(), {"favourite": [0, 1]}, cv=3, refit=False)
    estimator = {
        "alone": search,
        "pipeline": make_pipeline(StandardScaler(), search),
        "search": GridSearchCV(search, {"cv": [2, 3]}),
        "voting": VotingClassifier([("tuned", search)]),
    }[where]
    CountingClassifier.trained_on.clear()
    with pytest.raises(ValueError, match=r"GridSearchCV.* has refit=False, .*Set refit=True"):
        method.estimate(estimator, X, y, scoring="accuracy")
    assert not CountingClassifier.trained_on


class Overflowing(LinearRegression):
    """Prediction overflows while it is computed."""

    def predict(self, X):
        return super().predict(X) + 0 * np.minimum(np.float64(1e300) * 1e10, 1)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("cls", [NestedCV, ConservativeZ, BatesNestedCV, DirectBootstrap])
def test_the_estimator_is_called_with_the_settings_of_the_caller(cls, n_jobs, recwarn):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2, 40, 1))
    quick = {"n_bootstraps": 20, "n_repetitions": 1, "n_outer": 2, "n_inner": 2, "verbose": 0,
             "n_folds": 3, "cv": 2}  # fmt: skip
    method = cls(n_jobs=n_jobs)
    method.set_params(**{k: v for k, v in quick.items() if k in method.get_params()})
    with contextlib.suppress(UndefinedIntervalError), parallel_config(backend="threading"):
        for state in ("warn", "ignore"):
            recwarn.clear()
            with np.errstate(over=state):
                method.estimate(Overflowing(), X, y[:, 0], scoring="neg_mean_absolute_error")
            noted = [w for w in recwarn if issubclass(w.category, RuntimeWarning)]
            assert bool(noted) == (state == "warn")
