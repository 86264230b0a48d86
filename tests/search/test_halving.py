"""Successive halving: ``cv_results_`` has all rounds, from scikit-learn 1.10 on the last one."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import HalvingGridSearchCV, HalvingRandomSearchCV, KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import BBC, BBCF
from sklearn_bbc.search import BBCSearchMixin
from tests.last_round import LastRoundGrid, LastRoundRandom, SamplesOnly

X, Y = make_classification(n_samples=180, n_features=6, flip_y=0.2, random_state=0)
SMOOTHING = {"var_smoothing": np.logspace(-9, 0, 7)}
LEAVES = {"min_samples_leaf": [1, 2, 4, 8, 16, 32]}
TREE = DecisionTreeClassifier(random_state=0)
DEPTH = {"resource": "max_depth", "min_resources": 1, "max_resources": 4}
OPTIONS = {"factor": 2, "cv": KFold(3), "random_state": 0, "scoring": "roc_auc"}


def recorded(kind, model=None, grid=SMOOTHING, **options):
    search = type("Halving", (BBCSearchMixin, kind), {})(
        GaussianNB() if model is None else model, grid, **{**OPTIONS, **options}
    )
    with pytest.warns(IntervalWarning, match="looking at the scores of earlier ones"):
        return search.fit(X, Y)


def in_last_round(search):
    """Mask of the predictions of the last round."""
    rounds = np.asarray(search.cv_results_["iter"])
    return rounds == rounds.max()


SIDES = [
    (HalvingGridSearchCV, LastRoundGrid, {"min_resources": 60}),
    (HalvingGridSearchCV, SamplesOnly, {"min_resources": 60}),
    # One configuration in the last round.
    (HalvingGridSearchCV, SamplesOnly, {"factor": 7, "min_resources": 24, "scoring": "accuracy"}),
    (HalvingRandomSearchCV, LastRoundRandom, {"n_candidates": 7, "min_resources": 60}),
]


@pytest.mark.long
@pytest.mark.parametrize(("now", "soon", "options"), SIDES)
def test_results_rest_on_the_last_round_either_way(now, soon, options):
    now, soon = recorded(now, **options), recorded(soon, **options)
    n_tried = len(soon.all_cv_results_["params"])
    n_last = len(soon.cv_results_["params"])
    assert soon.oof_.n_configs == n_last < n_tried
    # All positions are those in `cv_results_`.
    assert soon.oof_.selected == soon.best_index_
    assert list(soon.oof_.params) == soon.cv_results_["params"]
    assert soon.best_params_ == now.best_params_ == soon.oof_.params[soon.best_index_]
    # The numbers are the same.
    last = in_last_round(now)
    for name, values in now.oof_.responses.items():
        np.testing.assert_array_equal(soon.oof_.responses[name], values[last])
    for name, scores in now.oof_.fold_scores.items():
        np.testing.assert_array_equal(soon.oof_.fold_scores[name], scores[:, last])
    assert soon.bbc_score_ == now.bbc_score_ and tuple(soon.ci_) == tuple(now.ci_)
    assert soon.best_score_ == now.best_score_
    one, other = (each.interval(config=each.best_index_) for each in (now, soon))
    assert tuple(one) == tuple(other)
    # What was left out is told.
    assert f"The best of {n_tried} configurations" in soon.summary()
    left_out = f"{n_tried - n_last} of the {n_tried} configurations were evaluated in earlier"
    assert f"{left_out} rounds and left out." in soon.summary()
    notes = " ".join(soon.ci_.details["notes"])
    assert f"{n_tried - n_last} of {n_tried} configurations are left out" in notes
    assert "looking at the scores of earlier ones" in notes
    assert ("There is only one configuration" in notes) is (n_last == 1)


def test_rounds_on_all_samples():
    """The resource is a parameter of the model, so every round has the same splits."""
    search = recorded(LastRoundGrid, TREE, LEAVES, **DEPTH)
    assert {params["max_depth"] for params in search.oof_.params} == {4}
    # The last round alone, as a search of its own.
    expected = BBC(random_state=0).estimate(
        OOFPredictions(
            y_true=Y, y_pred=search.oof_.responses["predict_proba"].T, fold=search.oof_.fold
        ),
        "roc_auc",
    )
    assert tuple(search.ci_) == tuple(expected)
    assert "other splits" not in search.summary()
    assert "were evaluated in earlier rounds and left out" in search.summary()


@pytest.mark.long
@pytest.mark.parametrize("kind", [LastRoundGrid, SamplesOnly])
def test_what_is_asked_afterwards(kind, tmp_path, without_pictures):
    pytest.importorskip("jinja2")
    search = recorded(kind, min_resources=60)
    n_last = len(search.cv_results_["params"])
    assert search.record_again(X, Y, "predict_proba").interval(scoring="neg_log_loss").estimate < 0
    assert search.tied_with_best().n_configs == n_last
    assert search.prediction_stability().details["winner"] == search.best_index_
    with pytest.raises(ValueError, match="the baseline is the winner itself"):
        search.compare(search.best_index_)
    page = search.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "evaluated in earlier rounds" in page
    with pytest.raises(ValueError, match=rf"0 to {n_last - 1}"):
        search.interval(config=n_last)
    # A position of all rounds is never taken for one of the last round.
    earlier = dict(search.all_cv_results_["params"][0])
    if earlier not in search.cv_results_["params"]:
        with pytest.raises(ValueError, match="config"):
            search.interval(config=earlier)


@pytest.mark.parametrize("kind", [HalvingGridSearchCV, LastRoundGrid, SamplesOnly])
def test_a_search_that_kept_no_predictions(kind):
    search = kind(GaussianNB(), SMOOTHING, min_resources=60, **OPTIONS).fit(X, Y)
    every = getattr(search, "all_cv_results_", search.cv_results_)
    n_tried, n_last = len(every["params"]), int(in_last_round(search).sum())
    oof = OOFPredictions.from_search(search)
    assert int((~oof.failed).sum()) == n_last and oof.selected == search.best_index_
    assert f"{n_tried - n_last} of {n_tried} configurations" in " ".join(oof.notes)
    assert oof.params[oof.selected] == search.best_params_
    expected = BBCF().estimate(
        OOFPredictions.from_fold_scores({"roc_auc": oof.fold_scores["roc_auc"][:, ~oof.failed]}),
        "roc_auc",
    )
    assert tuple(BBCF().estimate(oof, "roc_auc")) == tuple(expected)
    with pytest.raises(ValueError, match="fitted its configurations on parts of the samples"):
        OOFPredictions.from_search(search, X, Y)
