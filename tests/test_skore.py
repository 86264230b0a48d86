"""The check for reports of skore; where skore is not installed, without its reports."""

import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV, OOFPredictions
from sklearn_bbc.intervals import BBCF
from sklearn_bbc.skore import TunedWithoutCorrection
from tests.last_round import LastRoundGrid

GRID = {"max_depth": [1, 2, 5], "min_samples_leaf": [1, 8]}
X, y = make_classification(n_samples=80, n_informative=3, flip_y=0.3, random_state=0)


def tuned(search=GridSearchCV, grid=GRID, **settings):
    return search(DecisionTreeClassifier(random_state=0), grid, **settings).fit(X, y)


def explanation(model):
    return TunedWithoutCorrection().check_function(SimpleNamespace(estimator_=model))


class NotApplicable(Exception):
    """In place of skore's, where that is not installed."""


@pytest.fixture
def not_applicable(monkeypatch):
    try:
        import skore
    except ImportError:
        stand_in = SimpleNamespace(CheckNotApplicable=NotApplicable)
        monkeypatch.setitem(sys.modules, "skore", stand_in)
        return NotApplicable
    return skore.CheckNotApplicable


@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss", None])
def test_the_best_score_is_reported_beside_the_corrected_one(scoring):
    search = tuned(scoring=scoring)
    oof = OOFPredictions.from_search(search)
    expected = BBCF(random_state=0).estimate(oof, next(iter(oof.fold_scores)))
    text = explanation(search)
    assert text.startswith("The best of 6 configurations")
    printed = [float(number) for number in re.findall(r"\d+\.\d+", text)]
    bounds = sorted([abs(expected.low), abs(expected.high)])
    all_of_it = [abs(search.best_score_), abs(expected.estimate), *bounds]
    np.testing.assert_allclose(printed, all_of_it, atol=0.006)
    assert "BBCSearchCV in place of GridSearchCV" in text


def test_of_several_metrics_that_of_the_refit_counts():
    several = tuned(scoring=["accuracy", "roc_auc"], refit="roc_auc")
    assert explanation(several) == explanation(tuned(scoring="roc_auc"))


def cost(y_true, y_pred):
    return 10 * float(np.mean(y_true != y_pred))


@pytest.mark.parametrize("scoring", ["single", "several"])
def test_a_scorer_of_ones_own_is_turned_by_its_sign(scoring):
    scorer = make_scorer(cost, greater_is_better=False)
    given = {"scoring": scorer}
    if scoring == "several":
        given = {"scoring": {"accuracy": "accuracy", "cost": scorer}, "refit": "cost"}
    search = tuned(**given)
    assert search.best_score_ < 0
    assert f"cost of {-search.best_score_:.2f}. " in explanation(search)


def test_a_search_at_the_end_of_a_pipeline():
    pipeline = make_pipeline(StandardScaler(), GridSearchCV(DecisionTreeClassifier(), GRID))
    assert "The best of 6 configurations" in explanation(pipeline.fit(X, y))


def test_the_last_round_of_halving_is_not_all_that_was_tried():
    options = {"factor": 2, "min_resources": 40, "random_state": 0}
    search = LastRoundGrid(DecisionTreeClassifier(random_state=0), GRID, **options).fit(X, y)
    n_tried, n_last = (
        len(results["params"]) for results in (search.all_cv_results_, search.cv_results_)
    )
    assert n_last < n_tried
    assert f"The best of {n_tried} configurations" in explanation(search)


def test_a_search_that_corrects_itself_passes():
    assert explanation(tuned(BBCSearchCV, random_state=0)) is None


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (DecisionTreeClassifier(), "not a search"),
        (GridSearchCV(DecisionTreeClassifier(), {"max_depth": [2]}), "one configuration only"),
    ],
    ids=["no search", "one configuration"],
)
def test_where_nothing_was_selected_it_does_not_apply(model, reason, not_applicable):
    with pytest.raises(not_applicable, match=reason):
        explanation(model.fit(X, y))


def test_what_cannot_be_corrected_is_still_reported():
    """Scores that are all undefined, or a search that keeps no scores per fold."""
    search = tuned(scoring="roc_auc")
    for k in range(5):
        del search.cv_results_[f"split{k}_test_score"]
    text = explanation(search)
    assert "too high on average. It cannot be corrected" in text and "split0_test_score" in text


def test_notes_on_the_correction_are_passed_on():
    """Whoever chose configurations by looking at scores is told that some optimism may remain."""

    class Adaptive:
        def __init__(self, search):
            for name in ("cv_results_", "best_index_", "scoring", "cv", "refit"):
                setattr(self, name, getattr(search, name))

    assert "some optimism may remain" in explanation(Adaptive(tuned(scoring="roc_auc")))


def test_it_runs_in_a_report_of_skore():
    skore = pytest.importorskip("skore", reason="needs skore, of the extra 'skore'")
    assert isinstance(TunedWithoutCorrection(), skore.Check)
    model = GridSearchCV(DecisionTreeClassifier(random_state=0), GRID, scoring="roc_auc")
    for splitter, section in [(0.3, "tip"), (3, "not_applicable")]:
        report = skore.evaluate(model, X, y, splitter=splitter)
        report.checks.add([TunedWithoutCorrection()])
        found = report.checks.summarize(fast_mode=True).frame().set_index("code")
        assert found.loc["BBC001", "section"] == section
        if section == "tip":
            assert found.loc["BBC001", "explanation"] == explanation(report.estimator_)
