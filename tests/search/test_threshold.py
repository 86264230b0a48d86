"""The threshold of a finished search, ready to predict and corrected."""

from copy import copy
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import (
    class_likelihood_ratios,
    confusion_matrix,
    f1_score,
    make_scorer,
    precision_score,
    recall_score,
)
from sklearn.model_selection import FixedThresholdClassifier, StratifiedGroupKFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import ConfidenceInterval
from sklearn_bbc.curves import ThresholdResult
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import BBC, BBCF
from sklearn_bbc.predictions._predictions import with_fields
from sklearn_bbc.selection import MeanCost, OneStandardError, SensitivityAt, WithThreshold
from tests.search.mixed_in import by_training
from tests.search.small_search import FEW, X, Y, search


@pytest.fixture(scope="module")
def fitted():
    return search().fit(X, Y)


@pytest.fixture(scope="module")
def decisions():
    return search(LinearSVC(), {"C": [0.01, 1]}).fit(X, Y)


def labels_at(result, scores):
    return (scores >= result.threshold).astype(int)


def test_threshold_estimator_and_apparent_score_are_about_the_best_estimator(fitted):
    result = fitted.threshold("f1", method=FEW)
    scores = fitted.oof_.matrix("predict_proba")[:, fitted.best_index_]
    assert result.apparent_score == pytest.approx(f1_score(Y, labels_at(result, scores)))
    tried = [*np.unique(scores), np.inf]
    assert result.apparent_score == pytest.approx(max(f1_score(Y, scores >= t) for t in tried))
    probability = fitted.best_estimator_.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(result.estimator.predict(X), labels_at(result, probability))
    assert result.ci.details["winner"] == fitted.best_index_
    assert result.luck == result.apparent_score - result.ci.estimate > 0
    assert f"{result.luck:.3f} of the apparent score was luck." in str(result)
    assert FEW.selection is None


def test_it_is_the_rule_repeated_in_every_draw(fitted):
    rule = WithThreshold("balanced_accuracy", thresholds=30)
    method = BBC(n_bootstraps=40, confidence_level=0.8, alternative="greater", random_state=0)
    direct = BBC(**{**method.get_params(deep=False), "selection": rule})
    expected = direct.estimate(fitted.oof_, "roc_auc")
    result = fitted.threshold("balanced_accuracy", thresholds=30, method=method)
    assert (result.ci.estimate, result.ci.low) == (expected.estimate, expected.low)
    assert "one-sided 80% confidence interval: at least" in result.summary()


RATES = {
    "sensitivity": (recall_score, 1),
    "specificity": (recall_score, 0),
    "positive predictive value": (precision_score, 1),
    "negative predictive value": (precision_score, 0),
}


def test_the_table_at_a_fixed_threshold_is_what_bbc_gives_for_each_measure(fitted):
    few, draws = BBC(n_bootstraps=200), []
    # Of a probability of 0.5 a model is negative.
    result = fitted.threshold("f1", thresholds=[0.5 + 1e-9], method=few)
    table = result.table()
    for name, (function, label) in RATES.items():
        ci = fitted.interval(few, scoring=make_scorer(function, pos_label=label))
        draws.append(ci.draws)
        ends = [ci.estimate, *np.quantile(ci.draws, [0.025, 0.975])]
        np.testing.assert_allclose(table.loc[name, ["estimate", "low", "high"]], ends, rtol=1e-12)
    labels = labels_at(result, fitted.oof_.matrix("predict_proba")[:, fitted.best_index_])
    ratios = class_likelihood_ratios(Y, labels)
    np.testing.assert_allclose(table["apparent"][4:].tolist(), ratios, rtol=1e-12)
    up, down = table["estimate"][:2]
    np.testing.assert_allclose(table["estimate"][4:], [up / (1 - down), (1 - up) / down])
    hits, spared = draws[:2]
    draws += [hits / (hits + 1 - spared), (1 - hits) / (1 - hits + spared)]  # r / (1 + r)
    mean, sd = np.mean(draws, axis=1), np.std(draws, axis=1)
    largest = (np.abs(np.transpose(draws) - mean) / sd).max(axis=1)
    reach = np.quantile(largest, 0.95) * sd
    low, high = np.quantile(draws, [0.025, 0.975], axis=1)
    low, high = np.fmin(low, mean - reach).clip(0), np.fmax(high, mean + reach).clip(max=1)
    for name, end in (("low_joint", low), ("high_joint", high)):
        np.testing.assert_allclose(table[name][:4], end[:4], rtol=1e-12)
        shares = table[name][4:].tolist()
        shares = [1 if np.isinf(ratio) else ratio / (1 + ratio) for ratio in shares]
        np.testing.assert_allclose(shares, end[4:], rtol=1e-12)
    assert (table["undefined"] == 0).all()


def test_the_cells_of_the_table_are_those_of_the_threshold_of_each_draw(fitted):
    result = fitted.threshold("f1", method=FEW)
    details, table = result.ci.details, result.table()
    _, fp, fn, tp = details["cells_left_out"][:, 0].T
    np.testing.assert_allclose(2 * tp / (2 * tp + fp + fn), result.ci.draws, rtol=1e-12)
    scores = fitted.oof_.matrix("predict_proba")[:, fitted.best_index_]
    cells = confusion_matrix(Y, labels_at(result, scores)).ravel()
    np.testing.assert_array_equal(details["cells"][0], cells)
    assert (table["low_joint"] <= table["low"]).all()
    assert (table["high"] <= table["high_joint"]).all()


def test_a_measure_that_no_draw_has_stays_in_the_table(fitted):
    table = fitted.threshold("accuracy", thresholds=[np.inf], method=FEW).table()
    nobody = table.loc[["positive predictive value", "positive likelihood ratio"]]
    assert (nobody.pop("undefined") == 1).all() and nobody.isna().all(axis=None)
    assert table.loc["specificity", "low"] == table.loc["negative likelihood ratio", "high"] == 1


def separated(n_positive, n_negative, cv=5, groups=None):
    """A model whose risks are 0.1 for all negatives and 0.9 for all positives."""
    y = np.repeat([0, 1], [n_negative, n_positive])
    model = search(KNeighborsClassifier(3), {"n_neighbors": [3]}, ci=None, cv=cv)
    return model.fit(np.where(y == 1, 5.0, -5.0)[:, None], y, groups=groups)


@pytest.mark.parametrize("joint", ["", "_joint"])
def test_limits_where_all_draws_agree_hold_what_was_not_seen(joint):
    result = separated(60, 70).threshold("f1", thresholds=[0.5], method=BBC(n_bootstraps=40))
    found = result.table()
    assert (found["estimate"][:4] == 1).all() and (found["high" + joint][:4] == 1).all()
    exact = [0.025 ** (1 / n) for n in (60, 70, 60, 70)]
    np.testing.assert_allclose(found["low" + joint][:4], exact, rtol=1e-12)
    missed, alarms = 1 - exact[0], 1 - exact[1]
    assert found.loc["positive likelihood ratio", "low" + joint] == pytest.approx(
        exact[0] / alarms
    )
    assert found.loc["negative likelihood ratio", "high" + joint] == pytest.approx(
        missed / exact[1]
    )


def test_units_behind_a_rate_are_groups():
    fitted = separated(60, 70, cv=StratifiedGroupKFold(5), groups=np.arange(130) // 2)
    result = fitted.threshold("f1", thresholds=[0.5], method=BBC(n_bootstraps=40))
    assert result.ci.details["class_sizes"] == {0: 35, 1: 30}
    assert result.table().loc["specificity", "low"] == pytest.approx(0.025 ** (1 / 35))


@pytest.mark.parametrize("scoring", ["roc_auc", "f1"])
@pytest.mark.parametrize(("n", "noted"), [(10, True), (25, False)])
def test_few_samples_of_a_class_are_noted_once(scoring, n, noted):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [80, n])
    model = search(grid={"max_depth": [2]}, scoring=[scoring, "neg_brier_score"], refit=scoring)
    notes = model.fit(rng.normal(size=(len(y), 6)) + y[:, None], y).threshold("f1", method=FEW)
    notes = [each for each in notes.ci.details["notes"] if f"Class 1 has {n} samples" in each]
    assert len(notes) == noted


def test_a_rate_that_most_draws_lack_has_no_limits_and_is_said(fitted, tmp_path):
    result = fitted.threshold("f1", thresholds=[0.01], method=FEW)
    table = result.table()
    tn, _, fn, _ = result.ci.details["cells_left_out"][:, 0].T
    share = np.mean(tn + fn == 0)
    assert table.loc["negative predictive value", "undefined"] == share
    rare = fitted.threshold(
        lambda tn, fp, fn, tp: tp / (tp + fn) - 0.001 * (tn + fn > 0), method=FEW
    )
    lacking = rare.table().loc["negative predictive value"]
    assert lacking["undefined"] > 0.1
    assert lacking[["estimate", "low", "high", "low_joint", "high_joint"]].isna().all()
    (said,) = (each for each in rare.ci.details["notes"] if "negative predictive value" in each)
    assert "so it has no corrected value" in said
    page = tmp_path / "report.html"
    page = fitted.report(page, tied=False, show=(), threshold=rare).read_text("utf-8")
    assert said in page and "undefined in draws" in page


@pytest.mark.parametrize("wrong", [[1.5], [0.5, -0.1], [50]])
def test_thresholds_that_no_probability_has_are_refused(fitted, decisions, wrong):
    with pytest.raises(ValueError, match=r"between 0 and 1, .*, got (1\.5|-0\.1|50)\."):
        fitted.threshold("f1", thresholds=wrong, method=FEW)
    assert decisions.threshold("f1", thresholds=wrong, method=FEW).threshold in wrong


def test_a_decision_value_is_called_that(fitted, decisions):
    result = decisions.threshold("f1", method=FEW)
    words = "(a decision value, not a probability) the F1 score is"
    assert words in result.summary() and "decision value" in result._repr_html_()
    result = fitted.threshold("f1", method=FEW)
    assert "decision value" not in result.summary() + result._repr_html_()


def test_a_cost_matrix_and_a_specificity(fitted):
    scores = fitted.oof_.matrix("predict_proba")[:, fitted.best_index_]
    costs = np.array([[0, 1], [5, 0]])
    result = fitted.threshold(costs, method=FEW)
    found = (confusion_matrix(Y, labels_at(result, scores)) * costs).sum() / len(Y)
    assert result.apparent_score == pytest.approx(-found)
    again = fitted.threshold(MeanCost(costs), method=FEW)
    assert (again.ci.metric, again.ci.low) == ("neg_mean_cost", result.ci.low)
    kept = fitted.threshold(SensitivityAt(0.8), method=FEW)
    (tn, fp), (fn, tp) = confusion_matrix(Y, labels_at(kept, scores))
    assert tn / (tn + fp) >= 0.8 and kept.apparent_score == pytest.approx(tp / (tp + fn))
    assert kept.ci.low >= 0


def test_decision_values_and_another_positive_label():
    y = np.where(Y == 1, "sick", "well")  # the positive one comes first
    model = search(LinearSVC(), {"C": [0.01, 1]}).fit(X, y)
    scoring = make_scorer(f1_score, pos_label="sick")
    result = model.threshold(scoring, method=FEW)
    values = -model.best_estimator_.decision_function(X)
    expected = np.where(values >= result.threshold, "sick", "well")
    np.testing.assert_array_equal(result.estimator.predict(X), expected)
    assert result.estimator.response_method == "decision_function"


class SinglePrecision(KNeighborsClassifier):
    def predict_proba(self, X):
        return super().predict_proba(X).astype(np.float32)


class OneMinus(KNeighborsClassifier):
    def predict_proba(self, X):
        """Take one class as the rest: 1 - 0.9 is a little less than 0.1."""
        risk = super().predict_proba(X)[:, 1]
        return np.column_stack([1 - risk, risk])


NEIGHBOURS, WORDS = KNeighborsClassifier(10), ["well", "sick"]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("model", "labels"),
    [
        (NEIGHBOURS, [0, 1]),
        (NEIGHBOURS, WORDS),
        (NEIGHBOURS, [False, True]),
        (SinglePrecision(10), WORDS),
        (OneMinus(10), WORDS),
        (RandomForestClassifier(10, random_state=0), WORDS),
    ],
    ids=["numbers", "words", "truth values", "single precision", "one minus", "forest"],
)
@pytest.mark.parametrize("place", [0, 1], ids=["first class", "second class"])
def test_table_and_estimator_are_one_model_where_scores_equal_the_threshold(model, labels, place):
    """Probabilities are multiples of 1 / k, so many of them equal a threshold up to rounding."""
    y, (other, positive) = np.array(labels)[Y], sorted(labels)[:: 1 if place else -1]
    folds = list(StratifiedKFold(3).split(X, y))
    tuned = search(model, {"n_jobs": [1]}, cv=folds).fit(X, y)
    models = [clone(model).fit(X[train], y[train]) for train, _ in folds]
    everything = (tuned.best_estimator_, np.arange(len(y)))
    # 1 - 0.9 and 0.1 differ, and so on.
    for given in np.array([[0, 0.1, 0.7], [0.1, 0.3, 1]])[place]:
        result = tuned.threshold(
            make_scorer(f1_score, pos_label=positive), thresholds=[given], method=FEW
        )
        assert result.threshold == given
        expected = []
        for trained, test in [everything, *zip(models, (test for _, test in folds))]:
            risks = trained.predict_proba(X[test])[:, place].astype(float)
            decided = np.where(risks.round(6) >= given.round(6), positive, other)
            fixed = FixedThresholdClassifier(
                FrozenEstimator(trained), threshold=result.estimator.threshold, pos_label=positive
            )
            np.testing.assert_array_equal(fixed.fit(X, y).predict(X[test]), decided)
            expected.append(confusion_matrix(y[test], decided, labels=[other, positive]).ravel())
        np.testing.assert_array_equal(result.ci.details["cells"][0], np.sum(expected[1:], axis=0))


@pytest.mark.parametrize("scoring", ["roc_auc", ["roc_auc", "neg_brier_score"]])
def test_heavy_tailed_scores_have_a_threshold_that_is_worth_it(scoring):
    """Equal steps between the extremes leave nearly all scores between two of them."""
    rng = np.random.default_rng(0)
    y = (np.arange(300) % 10 < 3).astype(int)
    X = rng.standard_t(1.5, size=(300, 4)) * np.where(y[:, None], 4, 1)
    model = search(QuadraticDiscriminantAnalysis(), {"reg_param": [0.0, 0.5]}, scoring=scoring,
                   refit="roc_auc").fit(X, y)  # fmt: skip
    method = "predict_proba" if isinstance(scoring, list) else "decision_function"
    scores = model.oof_.matrix(method)[:, model.best_index_]

    def cost(labels):
        return (labels & (y == 0)).mean() + 5 * (~labels & (y == 1)).mean()

    tuned = model.threshold([[0, 1], [5, 0]], method=FEW)
    assert tuned.estimator.response_method == method
    own = cost(scores > (0.5 if method == "predict_proba" else 0))
    best = min(cost(scores >= t) for t in [*scores, np.inf])
    assert -tuned.apparent_score == pytest.approx(best) and best < own - 0.05
    assert tuned.threshold == tuned.ci.details["threshold"]
    kept = model.threshold(SensitivityAt(0.8), method=FEW)
    (tn, fp), (fn, tp) = confusion_matrix(y, scores >= kept.threshold)
    false_alarms = np.sort(scores[y == 0])[::-1]
    attainable = (scores[y == 1] > false_alarms[42]).mean()  # 42 of the 210 negatives are 20%
    assert tn / (tn + fp) >= 0.8 and tp / (tp + fn) == kept.apparent_score == attainable


@pytest.mark.parametrize(
    ("costs", "said", "card", "labels"),
    [
        ([[0, 1], [0, 0]], "With no sample called positive", "no sample positive", 0),
        ([[0, 0], [1, 0]], "With all samples called positive", "all samples positive", 1),
    ],
)
def test_nobody_and_everybody_can_be_positive(fitted, costs, said, card, labels):
    other = copy(fitted)
    scores = np.array(fitted.oof_.responses["predict_proba"])
    scores[:, Y == 0] = np.random.default_rng(0).random((len(scores), (Y == 0).sum()))
    scores[:, [np.flatnonzero(Y == 0)[0], np.flatnonzero(Y == 1)[0]]] = [1, 0]
    vars(other)["oof_"] = with_fields(fitted.oof_, responses={"predict_proba": scores})
    result = other.threshold(costs, method=FEW)
    assert result.summary().startswith(f"{said} the mean cost is 0.000")
    assert f">{card}<" in result._repr_html_()
    assert (result.estimator.predict(X) == labels).all() and result.apparent_score == 0


def test_the_rule_of_refit_chooses_the_configuration():
    rule = OneStandardError(["max_depth", ("min_samples_leaf", "larger is simpler")])
    found = search(refit=rule).fit(X, Y)
    result = found.threshold("f1", method=FEW)
    assert result.ci.details["winner"] == found.best_index_
    assert result.ci.details["rule"] == "one standard error, then threshold by F1 score"

    def second(results):
        return 1

    several = search(grid={"max_depth": [1, 2]}, scoring=["roc_auc", "accuracy"], refit=second)
    several.fit(X, Y)
    assert several.threshold("f1", method=FEW).ci.details["winner"] == 1


@pytest.mark.parametrize(
    ("options", "arguments", "message"),
    [
        ({"refit": False}, {}, "needs the best estimator, which refit=False did not fit"),
        ({"scoring": "accuracy"}, {}, r"record_again\(X, y, 'predict_proba'\).*\d fits"),
        ({"record": False}, {}, "needs out-of-fold predictions"),
        ({}, {"scoring": "roc_auc"}, "must be a metric of labels"),
        ({}, {"scoring": [[0, 1]]}, "cost matrix must be"),
        ({}, {"method": BBCF()}, r"threshold\(method=BBC\(n_bootstraps=500"),
        ({"refit": by_training, "return_train_score": True}, {}, "of `refit` cannot be repeated"),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
def test_what_is_missing_is_named(fitted, options, arguments, message):
    found = search(grid={"max_depth": [1, 4]}, **options).fit(X, Y) if options else fitted
    with pytest.raises(ValueError, match=message):
        found.threshold(**{"scoring": "f1", "method": FEW, **arguments})


def test_two_classes_only():
    found = search(DecisionTreeClassifier(), {"max_depth": [1, 2]}, scoring="roc_auc_ovr")
    with pytest.raises(ValueError, match="2 classes, got 3 classes"):
        found.fit(*load_iris(return_X_y=True)).threshold("f1_macro")


def test_a_sum_over_samples_is_warned_of(fitted):
    with pytest.warns(UserWarning, match="depends on the number of samples"):
        fitted.threshold(lambda tn, fp, fn, tp: tp - fp, method=FEW)


# ---------------------------------------------------------------------- each part by itself
def tuned(apparent, corrected, alternative="two-sided"):
    ci = ConfidenceInterval(
        estimate=corrected, low=0.25, high=0.75, confidence_level=0.9, alternative=alternative,
        method="bbc", metric="f1", estimand="",
    )  # fmt: skip
    return ThresholdResult(threshold=0.5, apparent_score=apparent, ci=ci, estimator=None)


@pytest.mark.parametrize(
    ("apparent", "corrected", "ending"),
    [
        (0.75, 0.5, ". 0.250 of the apparent score was luck."),
        (2.75, 0.5, ". 2.250 of the apparent score was luck."),
        (0.50001, 0.5, ". The apparent score was not too good: there was no luck to take off."),
        (0.5, 0.5, ". The apparent score was not too good: there was no luck to take off."),
        (0.25, 0.5, ". The apparent score was not too good: there was no luck to take off."),
    ],
)
def test_luck_is_what_is_taken_off(apparent, corrected, ending):
    result = tuned(apparent, corrected)
    assert result.luck == apparent - corrected
    assert str(result).endswith(ending)
    assert "At the threshold 0.500 the F1 score is" in str(result)
    assert "(90% confidence interval 0.250 to 0.750)" in str(result)


@pytest.mark.parametrize(
    ("alternative", "bounds"), [("greater", "at least 0.250"), ("less", "at most 0.750")]
)
def test_one_sided_bounds_are_said_as_one(alternative, bounds):
    assert (
        f"(one-sided 90% confidence interval: {bounds})" in tuned(0.75, 0.5, alternative).summary()
    )


def test_a_configuration_that_is_not_the_best_has_no_corrected_threshold(fitted):
    other = copy(fitted)
    vars(other)["best_index_"] = int(np.argmin(fitted.cv_results_["mean_test_score"]))
    with pytest.raises(ValueError, match=r"Configuration \d, .* does not have the best mean sc"):
        other.threshold("f1", method=FEW)


def test_the_best_configuration_without_complete_scores_has_no_threshold(fitted):
    other = copy(fitted)
    oof = fitted.oof_
    values = oof.responses["predict_proba"].copy()
    values[fitted.best_index_, 3] = np.nan
    vars(other)["oof_"] = with_fields(oof, responses={"predict_proba": values}, selected=None)
    with pytest.raises(ValueError, match=r"only configuration \d has complete scores"):
        other.threshold("f1", method=FEW)


def test_card_for_notebooks():
    ci = ConfidenceInterval(
        estimate=-23.4, low=-30.1, high=-20.2, confidence_level=0.95, alternative="two-sided",
        method="bbc", metric="mean_cost", estimand="winner",
        details={"threshold_range": (0.2, 0.45), "notes": ["<few> positives"]},
    )  # fmt: skip
    result = ThresholdResult(threshold=0.31, apparent_score=-18.0, ci=ci, estimator=None)
    card = result._repr_html_()
    assert ">positive from 0.310 on<" in card and ">0.200 to 0.450 (5% to 95%)<" in card
    assert (
        ">corrected mean cost<" in card and ">23.4, 95% confidence interval 20.2 to 30.1<" in card
    )
    assert ">18.0, on the data that chose it<" in card and ">5.4<" in card
    assert "&lt;few&gt; positives" in card and "<few>" not in card
    lucky = replace(result, apparent_score=-25.0, ci=replace(ci, details={}))._repr_html_()
    assert ">none to take off<" in lucky and "in the draws" not in lucky


def test_a_specificity_that_no_threshold_reaches_is_reported(fitted):
    kept = fitted.threshold(SensitivityAt(0.5), method=FEW)
    assert "At the threshold" in str(kept) and "No threshold reaches" not in str(kept)
    assert "the sensitivity at a specificity of 0.5 is" in str(kept)
    assert "SensitivityAt(0.5, report='specificity') reports it there." in str(kept)
    with pytest.warns(IntervalWarning, match="No threshold reaches the demanded spec"):
        missed = fitted.threshold(
            SensitivityAt(0.5, report="specificity"), thresholds=[0.0], method=FEW
        )
    assert missed.apparent_score == 0
    assert "demanded specificity of 0.5 on all samples: the best of those tried has 0, " in str(
        missed
    )
    assert "In 100% of the draws no threshold reached" in str(missed)
    assert "The specificity itself is reported" in missed._repr_html_()
    assert "_" not in str(missed) + str(kept)
