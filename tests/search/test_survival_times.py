"""A search of survival models: what is recorded, scored, and computed from it later."""

import functools
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import (
    dynamic_auc,
    neg_integrated_brier_score,
    neg_survival_brier_score,
    uno_concordance,
)

TIMES = [0.3, 0.6, 0.9]
FEW = {"n_bootstraps": 200}


class RiskOnly(BaseEstimator):
    """Exponential survival times; the hazard grows with a weighted sum of the features."""

    def __init__(self, strength=1.0):
        self.strength = strength

    def fit(self, X, y):
        event, time = (y[name] for name in y.dtype.names)
        slope = np.linalg.lstsq(np.asarray(X), -np.log(time), rcond=None)[0]
        self.slope_ = self.strength * slope
        self.hazard_ = event.sum() / (time * np.exp(X @ self.slope_)).sum()
        self.end_ = time.max()
        return self

    def predict(self, X):
        return X @ self.slope_


class Functions(RiskOnly):
    """A function of time per sample, as in scikit-survival."""

    def predict_survival_function(self, X):
        return [lambda t, h=h: np.exp(-h * np.asarray(t))
                for h in self.hazard_ * np.exp(self.predict(X))]  # fmt: skip


class Frame(RiskOnly):
    """A table of times and samples, as in lifelines: steps at each hundredth."""

    def predict_survival_function(self, X):
        times = np.linspace(0, 1, 101)
        return pd.DataFrame(
            np.exp(-np.outer(times, self.hazard_ * np.exp(self.predict(X)))), index=times
        )


class AtTimes(RiskOnly):
    """An array for the times that are asked for."""

    def predict_survival_function(self, X, times):
        return np.exp(-np.outer(self.hazard_ * np.exp(self.predict(X)), times))


class Rising(AtTimes):
    def predict_survival_function(self, X, times):
        return 1 - super().predict_survival_function(X, times)


def make_data(n_samples=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, 3))
    time, end = rng.exponential(np.exp(-X[:, 0])), rng.exponential(2.0, n_samples)
    y = np.empty(n_samples, dtype=[("dead", bool), ("years", float)])
    y["dead"], y["years"] = time <= end, np.minimum(time, end)
    return X, y


def scorers(y=None):
    return {
        "brier": neg_survival_brier_score(0.6, censoring=y),
        "integral": neg_integrated_brier_score(TIMES, censoring=y),
        "auc": dynamic_auc(TIMES, censoring=y),
        "uno": uno_concordance(0.9, censoring=y),
    }


def search(model, scoring, y, **kwargs):
    X, _ = make_data()
    cv = KFold(4, shuffle=True, random_state=0)
    grid = {"strength": [0.0, 1.0, 2.0]}
    if hasattr(model, "steps"):
        grid = {f"{model.steps[-1][0]}__strength": grid["strength"]}
    several = isinstance(scoring, dict)
    kwargs = {"refit": "brier" if several else True, "random_state": 0, **kwargs}
    ci = BBC(n_bootstraps=50)
    return BBCSearchCV(model, grid, scoring=scoring, cv=cv, ci=ci, **kwargs).fit(X, y)


@functools.cache
def searched(given):
    """The search of four metrics, fitted once, to be looked at; `given` as below."""
    _, y = make_data()
    return search(AtTimes(), scorers(y if given else None), y)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("given", [False, True], ids=["censoring of folds", "given"])
@pytest.mark.parametrize("model", [
    Functions(), Frame(), AtTimes(), make_pipeline(StandardScaler(), Functions()),
])  # fmt: skip
def test_what_is_recorded_is_what_was_scored(model, given):
    X, y = make_data()
    scoring = scorers(y if given else None)
    found = search(model, scoring, y)
    assert set(found.oof_.responses) == {
        "predict", "predict_survival_function(0.6)", "predict_survival_function(0.3,0.6,0.9)",
    }  # fmt: skip
    assert found.oof_.responses["predict_survival_function(0.3,0.6,0.9)"].shape == (3, 120, 3)
    # A risk, one time and three of them, and never whole functions.
    assert sum(each.nbytes for each in found.oof_.responses.values()) == 3 * 120 * 8 * (1 + 1 + 3)
    plain = GridSearchCV(
        found.estimator, found.param_grid, scoring=scoring, cv=found.cv, refit=False
    ).fit(X, y)  # fmt: skip
    for name in scoring:
        result = found.ci_results_[name]["bbc"]
        assert np.isfinite([result.low, result.high, result.estimate]).all()
        assert result.details["kernel"] == (
            {"auc": "dynamic_auc", "uno": "uno_concordance"}.get(name)
            or ("survival_brier_mean" if given else "survival_brier_per_draw")
        )
        key = f"mean_test_{name}"
        np.testing.assert_array_equal(plain.cv_results_[key], found.cv_results_[key])
    assert found.score(X, y) == scoring["brier"](found.best_estimator_, X, y)
    # The best strength is 1, and everything that takes a metric takes these.
    assert 0 not in found.tied_with_best(scoring="auc", draws=BBC(**FEW))
    baseline = found.compare(0, scoring="uno", **FEW)
    assert baseline.low > 0


@pytest.mark.long
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_stored_fits_and_processes_change_nothing(tmp_path, n_jobs):
    _, y = make_data()
    first = search(AtTimes(), scorers(y), y, store=tmp_path / "fits", n_jobs=n_jobs)
    again = search(AtTimes(), scorers(y), y, store=tmp_path / "fits")
    plain = searched(True)
    assert first.oof_ == again.oof_ == plain.oof_
    assert first.ci_.low == again.ci_.low == plain.ci_.low


def test_one_metric_alone_and_its_words():
    X, y = make_data()
    found = search(AtTimes(), neg_integrated_brier_score(TIMES, censoring=y), y)
    assert "integrated Brier score" in found.summary()
    assert found.ci_.estimate < 0
    assert -0.25 < found.score(X, y) < 0


class Untrained(AtTimes):
    """Refuses to be fitted."""

    def fit(self, X, y):
        raise AssertionError("a model was fitted")


@pytest.mark.parametrize(
    ("change", "scoring", "words"),
    [
        (lambda y: np.column_stack([np.arange(120) % 3, y["years"]]), "concordance_index",
         "Competing risks (events of several kinds)"),
        (lambda y: np.column_stack([y["dead"], 0 * y["years"], y["years"]]),
         {"uno": uno_concordance(), "brier": neg_survival_brier_score(0.6)},
         "left truncation (times of entry)"),
        (lambda y: y, dynamic_auc(99), "There is no event up to 99, or no sample was followed"),
        (lambda y: y, neg_survival_brier_score(99), "No sample was followed beyond 99"),
        (lambda y: y, neg_integrated_brier_score([0.5, 99]), "No sample was followed beyond 99"),
        (lambda y: y[~y["dead"]], uno_concordance(), "has no value on all samples together"),
        (lambda y: y[~y["dead"]], "concordance_index", "there is no event that another sample"),
    ],
)  # fmt: skip
def test_targets_that_no_fold_can_be_scored_with_are_refused_before_the_first_fit(
    change, scoring, words
):
    X, y = make_data()
    y = change(y)
    refit = "uno" if isinstance(scoring, dict) else True
    with pytest.raises(ValueError, match=re.escape(words)):
        BBCSearchCV(Untrained(), {"strength": [1.0]}, scoring=scoring, refit=refit).fit(
            X[: len(y)], y
        )


def test_events_and_follow_up_are_said():
    _, y = make_data()
    found = searched(True)
    n_events = int(y["dead"].sum())
    # Censoring takes the place of events, and as many as half are left.
    left, median = 1.0, None
    for time in np.unique(y["years"]):
        at_risk = (y["years"] >= time).sum() - ((y["years"] == time) & y["dead"]).sum()
        left *= 1 - ((y["years"] == time) & ~y["dead"]).sum() / max(at_risk, 1)
        if left <= 0.5:
            median = time
            break
    said = f"The event was seen in {n_events} samples; {120 - n_events} were censored."
    length = f"The median follow-up was {median:.2f} (reverse Kaplan-Meier estimate"
    assert said in found.summary() and f"{length})." in found.summary()
    methods = found.summary("methods")
    assert said in methods and re.search(re.escape(length) + r" \[\d\]\)\.", methods)
    assert "M. Schemper, T. L. Smith" in methods
    assert "censoring weights, estimated by Kaplan-Meier from all samples at once." in methods
    each_draw = searched(False).summary("methods")
    assert "from the samples that are scored, in each fold and draw." in each_draw
    items = found.tripod_ai().set_index("item")["text"]
    assert (
        f"(events: {n_events}; censored: {120 - n_events}; median follow-up: {median:.2f} "
        in (items["21"])
    )


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (lambda n: n > 0, "The event was seen in 119 samples; 1 was censored. The median "
         "follow-up was not reached"),
        (lambda n: n >= 0, "The event was seen in 120 samples; none was censored."),
    ],
)  # fmt: skip
def test_follow_up_without_censoring(event, words):
    _, y = make_data()
    order = np.argsort(np.argsort(y["years"]))
    y["dead"] = event(order)
    assert words in search(AtTimes(), uno_concordance(), y).summary()


def test_names_of_results_have_the_times():
    _, y = make_data()
    assert (
        "Brier score of survival (t = 0.6)"
        in search(AtTimes(), neg_survival_brier_score(0.6), y).summary()
    )
    found = search(AtTimes(), dynamic_auc(TIMES), y, record="predict")
    assert found.ci_.metric == "dynamic_auc_score_from_0.3_to_0.9"
    assert "cumulative/dynamic AUC (t = 0.3 to 0.9)" in str(found.table())
    uno = found.interval(scoring=uno_concordance(0.5))
    assert "the Uno concordance index (t < 0.5) is" in str(uno)


def test_two_columns_are_a_target_too():
    _, y = make_data()
    columns = np.column_stack([y["dead"], y["years"]])

    class OfColumns(AtTimes):
        def fit(self, X, y):
            pairs = np.empty(len(y), dtype=[("dead", bool), ("years", float)])
            pairs["dead"], pairs["years"] = y.T
            return super().fit(X, pairs)

    one, other = searched(False), search(OfColumns(), scorers(), columns)
    assert one.ci_.low == other.ci_.low
    assert one.summary() == other.summary()


@pytest.mark.parametrize(
    ("model", "scorer", "words"),
    [
        (RiskOnly(), neg_survival_brier_score(0.5), "RiskOnly has no predict_survival_function"),
        (Frame(), neg_survival_brier_score(1.5), "ends at 1, the last time of its training data"),
        (Rising(), neg_integrated_brier_score(TIMES), "must not rise with time"),
    ],
)
def test_models_that_cannot_be_scored_say_why(model, scorer, words):
    X, y = make_data()
    with pytest.raises((ValueError, AttributeError), match=re.escape(words)):
        scorer(model.fit(X, y), X, y)


def test_a_metric_at_other_times_than_were_recorded_is_refused():
    found = searched(False)
    with pytest.raises(ValueError, match="record='predict_survival_function"):
        found.interval("bbc", scoring=neg_survival_brier_score(0.5))
    # Risks serve for any time.
    assert np.isfinite(found.interval("bbc", scoring=dynamic_auc(0.5)).low)
