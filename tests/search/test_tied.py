"""search.tied_with_best: the same as on its predictions, with what the search knows."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.comparison import (
    CrossValidationWithConfidence,
    ModelConfidenceSet,
    SoftminLeaveOneOut,
    tied_with_best,
)
from sklearn_bbc.comparison._tied import tied_of
from sklearn_bbc.intervals import BBC
from sklearn_bbc.predictions._predictions import with_fields
from sklearn_bbc.search._comparison import tied_in_search
from sklearn_bbc.selection import SimplestTied

X, Y = make_classification(120, 6, n_informative=3, random_state=0)
GRID = {"max_depth": [1, 2, 4], "min_samples_leaf": [1, 10]}


def fitted(scoring="roc_auc", **options):
    tree = DecisionTreeClassifier(random_state=0)
    options = {"random_state": 3, "ci": [], **options}
    return BBCSearchCV(tree, GRID, scoring=scoring, **options).fit(X, Y)


@pytest.fixture(scope="module")
def search():
    return fitted()


def test_it_is_the_function_on_the_predictions(search):
    found = search.tied_with_best(complexity="max_depth", draws=BBC(n_bootstraps=200))
    expected = tied_with_best(
        search.oof_, "roc_auc", complexity="max_depth", draws=BBC(n_bootstraps=200, random_state=3)
    )
    assert found == expected
    assert found.params == tuple(search.cv_results_["params"])
    assert found.simplest in found


def test_level_method_and_metric(search):
    found = search.tied_with_best(
        0.8, scoring="accuracy", method="cvc", draws=BBC(n_bootstraps=150)
    )
    assert (found.confidence_level, found.metric, found.method) == (0.8, "accuracy", "cvc")
    assert len(found) <= len(search.tied_with_best(0.99, scoring="accuracy", method="cvc"))


def test_the_seed_of_the_search_is_used_where_none_is_given(search):
    method = CrossValidationWithConfidence(n_bootstraps=200)
    once, again = (
        search.tied_with_best(method=method, draws=BBC(n_bootstraps=100)) for _ in range(2)
    )
    assert once == again and method.random_state is None
    own = ModelConfidenceSet(n_bootstraps=200, random_state=8)
    np.testing.assert_array_equal(
        search.tied_with_best(method=own, draws=BBC(n_bootstraps=100)).p_values,
        tied_with_best(search.oof_, "roc_auc", method=own, draws=BBC(n_bootstraps=100)).p_values,
    )
    other = search.tied_with_best(draws=BBC(random_state=99, n_bootstraps=100))
    assert other.details["seed"] == 99


def test_several_metrics_without_a_selecting_one():
    search = fitted(scoring=["accuracy", "roc_auc"], refit=False)
    with pytest.raises(ValueError, match="scoring must be given"):
        search.tied_with_best()
    assert (
        search.tied_with_best(scoring="roc_auc", draws=BBC(n_bootstraps=100)).metric == "roc_auc"
    )


@pytest.mark.long
def test_a_rule_of_selection_can_use_the_same_method(search):
    rule = SimplestTied("max_depth", margin=SoftminLeaveOneOut())
    result = search.interval(BBC(selection=rule, n_bootstraps=200, random_state=0))
    tied = search.tied_with_best(complexity="max_depth", draws=BBC(n_bootstraps=100))
    assert result.details["winner"] == tied.simplest
    # By the scores of folds alone it cannot be decided, which is said before the search.
    with pytest.raises(ValueError, match=r"scores of the folds.*search\.interval\(BBC\(selection"):
        fitted(refit=rule)


# ---------------------------------------------------------------------- what the search knows
def test_a_failed_metric_is_refused_with_its_reason(search):
    finished = search._as_finished()
    failed = replace(finished, failures={"roc_auc": "Every score failed."})
    for scoring in ("roc_auc", "f1"):  # roc_auc would select
        with pytest.raises(ValueError, match=r"^Every score failed\.$"):
            failed.ask(scoring)
    # A metric of this name that is not one of the search has not failed.
    failed = replace(finished, failures={"f1": "other"})
    assert tied_in_search(failed, failed.ask("f1"), None, BBC(n_bootstraps=50)).metric == "f1"


def test_a_record_that_is_gone_says_why(search):
    gone = replace(search._as_finished(), oof=with_fields(search.oof_, responses={}))
    message = "tied_with_best needs out-of-fold predictions, .* only fold scores: it is gone."
    with pytest.raises(ValueError, match=message):
        tied_in_search(gone, replace(gone, why_unrecorded="it is gone").ask(), None)
    with pytest.raises(ValueError) as caught:
        tied_in_search(gone, replace(gone, why_unrecorded="").ask(), None)
    assert "only fold scores:" not in str(caught.value)


def test_what_is_left_open_is_the_search_s_and_what_is_given_is_kept(search, monkeypatch):
    given = []

    def watching(question, *, method, draws, **options):
        given.append((method, (draws.random_state, draws.n_jobs), options))
        return tied_of(question, draws=BBC(n_bootstraps=50))

    monkeypatch.setattr("sklearn_bbc.comparison.tied_of", watching)
    stage = replace(search._as_finished(), n_jobs=2)
    question = stage.ask()
    tied_in_search(stage, question, "cvc", complexity="max_depth")
    assert given[-1] == ("cvc", (3, 2), {"complexity": "max_depth"})
    tied_in_search(stage, question, None, BBC(random_state=5, n_jobs=1))
    assert given[-1] == (None, (5, 1), {})
    for own, seed in ((None, 3), (8, 8)):
        method = CrossValidationWithConfidence(random_state=own)
        tied_in_search(stage, question, method)
        assert given[-1][0] is not method and given[-1][0].random_state == seed
        assert method.random_state == own
    tied_in_search(stage, question, SoftminLeaveOneOut())
    assert "random_state" not in given[-1][0].get_params()


def test_notes_of_the_search_come_after_those_of_the_set(search):
    stage = search._as_finished()
    question = stage.ask()
    plain = tied_in_search(stage, question, None, BBC(n_bootstraps=50))
    noted = tied_in_search(replace(stage, remarks=("told",)), question, None, BBC(n_bootstraps=50))
    assert noted.details["notes"] == [*plain.details["notes"], "told"]
    np.testing.assert_array_equal(noted.members, plain.members)
