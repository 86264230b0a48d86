"""Optimism in two parts: pooling of the folds, and selection."""

import math

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import get_scorer

from sklearn_bbc import BBCSearchCV, ConfidenceInterval
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import as_metric, within_folds
from sklearn_bbc.search._estimate import with_optimism
from tests.search.small_search import FEW, X, Y, search


def shrunk(C, seed=7):
    """Design of the example: 80 samples, 10 folds, a logistic regression."""
    data = make_classification(80, 20, n_informative=2, flip_y=0.5, random_state=seed)
    found = BBCSearchCV(
        LogisticRegression(max_iter=1000),
        {"C": C},
        scoring="roc_auc",
        cv=10,
        ci=FEW,
        random_state=0,
    )
    return found.fit(*data)


def explained(
    mean, pooled=np.nan, estimate=0.7, folds=(), metric="roc_auc", draws=None, **details
):
    """Details of a result with an interval from 0.6 to 0.8 and one note, when it is explained."""
    given = ConfidenceInterval(
        estimate=estimate, low=0.6, high=0.8, confidence_level=0.95, alternative="two-sided",
        method="bbc", metric=metric, estimand="", draws=draws,
        n_bootstraps=None if draws is None else len(draws),
        details={"pooled_score": pooled, "notes": ["first"], **details},
    )  # fmt: skip
    found = with_optimism(given, as_metric(metric), mean, np.asarray(folds)).details
    assert found["notes"][0] == "first"
    return found


def spread(error):
    """Four scores whose mean has this standard error."""
    return np.array([-1, 1, -1, 1]) * error * math.sqrt(3)


@pytest.mark.parametrize(
    ("pooling", "selection", "error", "expected"),
    [
        (0.06, 0.04, 0.05, True),
        (0.06, 0.04, 0.0601, False),  # within a standard error
        (0.06, 0.07, 0.01, False),  # less than half
        (0.0625, 0.0625, 0.01, False),  # exactly half
        (0.06, -0.04, 0.01, True),
        (-0.06, 0.01, 0.01, True),  # pooling hides something
    ],
)
def test_when_pooling_is_the_larger_part(pooling, selection, error, expected):
    pooled = 0.5 + selection
    found = explained(pooled + pooling, pooled, 0.5, spread(error))
    assert found["mostly_pooling"] is expected
    assert found["optimism_parts"] == pytest.approx({"pooling": pooling, "selection": selection})
    (*_, said) = found["notes"]
    assert said.startswith("Mostly pooling") == (expected and pooling > 0)
    assert not explained(0.56, 0.5, 0.5, [0.56])["mostly_pooling"]  # one fold has no error


def test_the_parts_add_up_and_are_what_they_are_called():
    found = search().fit(X, Y)
    parts = found.optimism_parts_
    assert list(parts) == ["pooling", "selection"]
    assert sum(parts.values()) == pytest.approx(found.optimism_, abs=1e-12)
    matrix = found.oof_.matrix("roc_auc")[:, found.best_index_]
    pooled = get_scorer("roc_auc")._score_func(Y, matrix)
    assert parts["pooling"] == pytest.approx(found.best_score_ - pooled, abs=1e-12)
    assert parts["selection"] == pytest.approx(pooled - found.bbc_score_, abs=1e-12)
    assert found.ci_.details["pooled_score"] == pytest.approx(pooled, abs=1e-12)


def test_a_mean_over_samples_has_no_pooling_with_folds_of_one_size():
    found = search(scoring="accuracy", cv=5).fit(X, Y)
    assert found.optimism_parts_["pooling"] == 0
    assert not found.ci_.details["mostly_pooling"]
    assert "pooling" not in found.summary()


def test_one_shrunk_model_is_all_pooling_and_everybody_says_so():
    found = shrunk([0.001])
    parts = found.optimism_parts_
    assert parts["pooling"] > 0.04 > abs(parts["selection"])
    (note,) = [n for n in found.ci_.details["notes"] if n.startswith("Mostly pooling")]
    assert f"Of that, {parts['pooling']:.3f} comes from scoring" in note
    assert "within_folds('roc_auc')" in note and "within_folds('roc_auc')" in found.summary()
    # What the note advises does what it says.
    by_folds = found.interval(FEW, scoring=within_folds("roc_auc"))
    assert abs(by_folds.estimate - found.best_score_) < parts["pooling"] / 2
    assert "optimism_parts" not in by_folds.details  # not a score of the search
    assert note in found.interval(FEW).details["notes"]
    alone = found.interval(FEW, config=0)
    assert note not in alone.details["notes"]


def test_less_shrunk_models_are_not_reported():
    assert not shrunk([0.1, 1]).ci_.details["mostly_pooling"]


@pytest.mark.parametrize("mean, pooled", [(np.nan, 0.8), (0.8, np.nan), (-np.inf, 0.8)])
def test_without_one_of_the_scores_there_are_no_parts(mean, pooled):
    found = explained(mean, pooled, folds=[0.7, 0.8])
    assert "optimism_parts" not in found and found["notes"] == ["first"]
    assert "optimism_parts" not in explained(0.9, 0.8, np.inf)


@pytest.mark.parametrize(
    "options", [{"ci": []}, {"record": False}, {"scoring": ["roc_auc", "f1"], "refit": False}]
)
def test_both_are_missing_together_and_say_why(options):
    found = search(grid={"max_depth": [1, 4]}, **options).fit(X, Y)
    reasons = []
    for name in ("optimism_", "optimism_parts_"):
        with pytest.raises(AttributeError, match=f"no {name}: ") as caught:
            getattr(found, name)
        reasons.append(str(caught.value).split(": ", 1)[1])
    assert reasons[0] == reasons[1]


def test_a_threshold_does_not_become_the_corrected_score_of_the_search():
    """A method with a rule of its own is not what `bbc_score_` is about."""
    from sklearn_bbc.selection import WithThreshold

    found = search(ci=BBC(n_bootstraps=40, selection=WithThreshold("f1"))).fit(X, Y)
    assert found.ci_.metric == "f1"
    assert found.bbc_score_ == found.interval("bbc", scoring="roc_auc").estimate
    assert found.optimism_ == found.best_score_ - found.bbc_score_


BETTER = "The estimate of 0.700 is better than the cross-validated "
FOLDS = (
    " within_folds of sklearn_bbc.metrics scores each fold by itself: "
    "interval(scoring=within_folds('f1'))."
)


def why(mean=0.69, pooled=0.71, metric="f1", **given):
    """What is said of an estimate of 0.7."""
    found = explained(mean, pooled, metric=metric, **given)
    said = found.get("why_better")
    if said is not None:
        advised = metric == "f1" and "Scored on all" in said
        assert found["notes"] == ["first", said + FOLDS * advised]
    return said


@pytest.mark.parametrize(
    ("metric", "name", "constant"),
    [
        ("r2", "R²", "mean"),
        ("explained_variance", "explained variance", "mean"),
        ("d2_absolute_error_score", "D² for the absolute error", "median"),
    ],
)
def test_metrics_that_compare_with_a_constant_say_which(metric, name, constant):
    assert why(metric=metric) == (
        f"{BETTER}{name} of 0.690 because of how the two are computed: the cross-validated one "
        f"compares the predictions for each fold with the {constant} of that fold; the estimate "
        f"compares all predictions with one {constant}, which is easier to beat. Scored on "
        "all predictions together, the same configuration has 0.710."
    )


def test_other_metrics_are_of_the_folds_or_of_all_samples():
    pooled = (
        f"{BETTER}F1 score of 0.690 because of how the two are computed: the cross-validated one "
        "is the mean over the folds, and the estimate scores the predictions of all folds "
        "together. Scored on all predictions together, the same configuration has "
    )
    assert why() == pooled + "0.710."
    assert why(pooled=0.6951) == pooled + "0.695."
    assert why(pooled=0.7) == pooled + "0.700."


def test_draws_that_score_higher_than_all_samples():
    drawn = (
        f"{BETTER}F1 score of 0.690 because of how the two are computed: the cross-validated one "
        "is the mean over the folds, and the estimate is the mean over draws, "
    )
    assert why(pooled=0.694) == drawn + "each scored on the samples that it leaves out."
    grouped = why(pooled=0.694, unit="group", winner_share=0.5)
    assert grouped == drawn + "each scored on the groups that it leaves out."
    by_folds = why(pooled=np.nan, unit="fold")
    assert by_folds == drawn + "each scored on the folds that it leaves out."
    for pooled in (0.694, 0.69):
        other = why(pooled=pooled, winner_share=0.2)
        assert other == drawn + "of which 80% select another configuration."
    assert why(pooled=np.nan, unit="sample") is None  # nobody knows how it was made


def test_an_estimate_without_draws_is_none_of_their_means():
    said = why(pooled=0.694, coupled=0.7, draws=None)
    assert "the estimate is made of the scores of all configurations in the draws" in said


def test_two_standard_errors_of_the_draws_are_chance():
    """Draws of 0.7 +- 0.1: a standard error of 0.1 / sqrt(400) = 0.005."""
    draws = np.tile([0.6, 0.8], 200)
    assert why(0.6901, 0.6901, draws=draws) is None
    assert why(0.6901, 0.6901, draws=np.r_[draws, np.nan]) is None
    assert "each scored on" in why(0.6899, 0.6899, draws=draws)
    assert "all folds together" in why(0.6901, 0.7101, draws=draws)


@pytest.mark.parametrize("mean", [0.7, 0.6996, 0.71, np.nan])
def test_what_is_not_better_in_print_is_not_explained(mean):
    assert why(mean) is None
    assert why(mean, np.nan, unit="fold") is None


def test_one_note_on_pooling_is_enough():
    """Where the parts cancel out, the note on the larger one stays."""
    _, note = explained(0.65, 0.8, folds=[0.65] * 5)["notes"]
    assert note.startswith("The estimate of 0.700 is better")
    _, note = explained(0.6999, 0.8, folds=[0.6999] * 5)["notes"]
    assert note.startswith("Mostly pooling")


def test_losses_are_better_when_smaller():
    given = {"metric": "neg_log_loss", "estimate": -0.7}
    said = explained(-0.71, -0.69, **given)["why_better"]
    assert "0.700 is better than the cross-validated log loss of 0.710" in said
    assert "why_better" not in explained(-0.69, -0.67, **given)


@pytest.mark.parametrize(
    ("method", "scoring"), [("bbc", "r2"), ("bbc", None), ("shrunken_bbc", "r2")]
)
def test_a_pooled_r2_is_explained_wherever_it_is_shown(
    method, scoring, tmp_path, without_pictures
):
    """One mean of all samples is easier to beat than those of folds of six."""
    data = make_regression(60, 8, noise=150, random_state=3)
    found = BBCSearchCV(
        Ridge(), {"alpha": [1, 10, 100]}, scoring=scoring, cv=10, ci=method, random_state=0
    ).fit(*data)
    assert found.optimism_parts_["pooling"] < 0 and found.bbc_score_ > found.best_score_
    said = found.ci_.details["why_better"]
    estimate = f"{found.ci_.estimate:.3f}"
    assert said.startswith(f"The estimate of {estimate} is better than the cross-validated R² of")
    assert "compares the predictions for each fold with the mean of that fold;" in said
    assert said in found.summary() and "Of the difference" not in found.summary()
    (note,) = [each for each in found.ci_.details["notes"] if said in each]
    assert note == said  # within_folds would score two or three samples of a fold
    assert not [each for each in found.ci_.details["notes"] if each.startswith("Mostly pooling")]
    assert said.endswith(f"has {found.ci_.details['pooled_score']:.3f}.")
    if method == "bbc" and scoring:
        assert "is better than the cross-validated R\\textsuperscript{2}" in found.summary("latex")
        page = tmp_path / "page.html"
        page = found.report(page, tied=False, show=()).read_text(encoding="utf-8")
        assert "which is easier to beat. Scored on all predictions together" in page
