"""tied_with_best: what it puts together, against plain loops; what it refuses and notes."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel
from sklearn import config_context
from sklearn.metrics import f1_score, make_scorer, median_absolute_error, roc_auc_score
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import OOFPredictions
from sklearn_bbc.comparison import (
    Bonferroni,
    CrossValidationWithConfidence,
    ModelConfidenceSet,
    SoftminLeaveOneOut,
    registered_tied,
    tied_with_best,
)
from sklearn_bbc.comparison._tied import _draw_bounds, best_p_value, family_of_each, shared
from sklearn_bbc.comparison._tied_methods import BY_SAMPLE, LEAVING_OUT
from sklearn_bbc.contest._contest import Contest
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import BBC, BBCF, OrderStatistic
from sklearn_bbc.metrics import as_metric, concordance_index_scorer, within_folds
from sklearn_bbc.metrics._placements import auc_parts
from sklearn_bbc.predictions._predictions import with_fields
from sklearn_bbc.selection import SelectedBy, SimplestTied
from sklearn_bbc.testing import check_contract, example_predictions

PARAMS = [{"kind": "tree" if k < 3 else "linear", "size": k % 3} for k in range(6)]
OOF = with_fields(example_predictions(n_configs=6), params=PARAMS)
PROBA = OOF.responses["predict_proba"]
RIGHT = ((PROBA > 0.5) == OOF.y_true).T.astype(float)
RARE = OOFPredictions.from_rows(
    y_true=np.arange(20) == 3, fold=np.arange(20) % 4,
    responses={"predict_proba": np.random.default_rng(0).random((3, 20))},
)  # fmt: skip


def tied(oof=OOF, scoring="roc_auc", *, draws=None, **options):
    draws = BBC(**{"n_bootstraps": 200, "random_state": 0} | (draws or {}))
    return tied_with_best(oof, scoring, draws=draws, **options)


def notes(*args, **options):
    return " ".join(tied(*args, **options).details["notes"])


# --- members ---


@pytest.mark.parametrize("name", sorted(registered_tied()))
def test_members_are_those_of_the_method_whatever_the_threads(name):
    result = tied(method=name, confidence_level=0.9)
    assert set(result) == set(np.flatnonzero(result.p_values > 1 - 0.9)) | {result.best}
    assert result.method == name and result.confidence_level == 0.9
    assert tied(method=name, confidence_level=0.9, draws={"n_jobs": 2}) == result
    with config_context(working_memory=1):
        assert tied(method=name, confidence_level=0.9) == result


def test_values_and_folds_reach_the_method():
    assert tied().method == Bonferroni.name
    for method in (Bonferroni(), CrossValidationWithConfidence(n_bootstraps=300, random_state=4)):
        result = tied(scoring="accuracy", method=method)
        np.testing.assert_array_equal(result.p_values, method.p_values(RIGHT, OOF.fold))
    by_name = tied(method="cvc", draws={"n_bootstraps": 150, "random_state": 3})
    own = CrossValidationWithConfidence(n_bootstraps=150, random_state=3)
    np.testing.assert_array_equal(by_name.p_values, tied(method=own).p_values)
    of_object = tied(method=ModelConfidenceSet(confidence_level=0.8, n_bootstraps=100))
    assert of_object.confidence_level == 0.8


def test_scores_and_the_best_are_those_of_all_predictions_together():
    scores = as_metric("roc_auc").bind(OOF).on_data()
    result = tied()
    np.testing.assert_array_equal(result.scores, scores)
    assert result.best == scores.argmax() and result.best in result


def test_the_simplest_is_a_member_of_the_smallest_size_with_the_best_score():
    result = tied(complexity=["size"])
    sizes = np.array([each["size"] for each in PARAMS])
    simple = [k for k in result if sizes[k] == sizes[result.members].min()]
    assert result.simplest == max(simple, key=lambda k: result.scores[k])
    assert tied().simplest is None


def test_families_and_what_members_share():
    result = tied(family="kind")
    assert result.families == ("kind=tree",) * 3 + ("kind=linear",) * 3
    alone = tied(method=SoftminLeaveOneOut(confidence_level=0.01))
    assert len(alone) == 1 and alone.details["shared"] == PARAMS[alone.best]
    assert tied(with_fields(OOF, params=None)).families == ()


def test_equal_configurations_are_all_tied_and_one_is_alone():
    same = OOFPredictions.from_rows(
        y_true=OOF.y_true, responses={"predict_proba": PROBA[[0] * 4]}, fold=OOF.fold
    )
    result = tied(same)
    assert len(result) == 4 and (result.p_values == 1).all() and (result.difference == 0).all()
    assert "every one of them may be the best" in notes(same)
    assert np.isnan(result.details["best_p_value"])
    one = OOFPredictions.from_rows(
        y_true=OOF.y_true, responses={"predict_proba": PROBA[:1]}, fold=OOF.fold
    )
    assert list(tied(one)) == [0] and tied(one).won == [1.0]
    assert "There is only one configuration" in notes(one)


def test_one_that_is_clearly_the_best_stays_alone():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    logits = rng.normal(size=(5, 120)) + 0.3 * (2 * y - 1)
    logits[2] += 4 * (2 * y - 1)
    oof = OOFPredictions(y_true=y, y_pred=1 / (1 + np.exp(-logits.T)), fold=np.arange(120) % 5)
    # (By the maximum, the model confidence set compares with the mean of equal ones.)
    methods = [name for name in registered_tied() if name != "model_confidence_set"]
    for method in [*methods, ModelConfidenceSet(statistic="range", random_state=0)]:
        result = tied(oof, method=method)
        assert list(result) == [2] and result.details["best_p_value"] < 1e-6
        assert (np.delete(result.high, 2) < 0).all() and result.won[2] == 1


@pytest.mark.filterwarnings("ignore:Configuration 5")
def test_configurations_without_a_score_are_no_members_and_win_nothing():
    failed = with_fields(OOF, failed=np.arange(6) == 5)
    assert "Configuration 5" in notes(failed) and "is left out" in notes(failed)
    missing = PROBA.copy()
    missing[5, 0] = np.nan
    for oof in (failed, with_fields(OOF, responses={"predict_proba": missing})):
        result = tied(oof)
        assert 5 not in result and result.details["n_valid"] == 5 and result.won[5] == 0
        undefined = (result.p_values, result.scores, result.difference, result.high)
        assert all(np.isnan(each[5]) and np.isfinite(each[:5]).all() for each in undefined)
        assert result.won.sum() == pytest.approx(1)


def test_the_best_is_tested_by_the_largest_two_sided_p_value():
    values = np.random.default_rng(0).normal(size=(30, 4)) + [0.0, 0.2, 0.4, 1.0]
    expected = ttest_rel(values[:, [3]], values[:, :3]).pvalue.max()
    assert best_p_value(values) == pytest.approx(expected, rel=1e-10)
    assert np.isnan(best_p_value(values[:, :1]))
    assert best_p_value(values[:, [0, 0]]) == 1.0
    assert best_p_value(values[:, [0, 0]] + [0, 1]) == 0.0


@pytest.mark.parametrize("n_equal", [2, 10])
def test_of_equal_ones_the_best_is_seldom_shown_to_be_the_best(n_equal):
    """At most 5%; of 400 data sets 20 are expected, more than 34 once in a thousand."""
    rng = np.random.default_rng(3)
    assert sum(best_p_value(rng.normal(size=(40, n_equal))) <= 0.05 for _ in range(400)) <= 34


# --- draws ---


def test_draws_are_those_of_bbc_and_equal_a_loop():
    method = BBC(n_bootstraps=130, random_state=5, confidence_level=0.9)
    details = method.estimate(OOF, "roc_auc").details
    result = tied(draws={"n_bootstraps": 130, "random_state": 5}, confidence_level=0.9)
    assert result.won[details["winner"]] == details["winner_share"]
    assert result.details["seed"] == 5 and result.details["n_bootstraps"] == 130
    kernel = as_metric("roc_auc").bind(OOF)
    differences, winners = [], []

    def look(counts):
        for count in counts:
            inside, outside = kernel.scores(count[None])[0], kernel.scores(count[None] == 0)[0]
            winners.append(int(np.argmax(inside)))
            differences.append(outside - outside[winners[-1]])
        return np.zeros(len(counts))

    method.draws_for(Contest(kernel)).map(look)
    np.testing.assert_allclose(result.won, np.bincount(winners, minlength=6) / 130)
    np.testing.assert_allclose(result.difference, np.mean(differences, axis=0), atol=1e-14)
    ranked = np.sort(differences, axis=0)
    for config in range(6):
        assert result.low[config] == OrderStatistic().between(ranked[:, config], 0.05)
        assert result.high[config] == OrderStatistic().between(ranked[:, config], 0.95)


def test_configurations_that_predict_the_same_win_together():
    twins = with_fields(OOF, responses={"predict_proba": PROBA[[3, 0, 3, 1, 2, 4]]}, selected=2)
    found = tied(twins)
    assert found.won[0] == found.won[2] and np.delete(found.won, 2).sum() == pytest.approx(1)
    assert found.difference[0] == found.difference[2] and found.low[0] == found.low[2]
    assert (0 in found) == (2 in found)


def test_predictions_that_are_rounding_beside_the_target_are_the_same():
    """Models without a coefficient, of a target that was centred."""
    y = np.random.default_rng(0).normal(size=40)
    predictions = np.broadcast_to([3e-17, 1e-17, -2e-17], (40, 3))
    found = tied(OOFPredictions(y_true=y - y.mean(), y_pred=predictions), "neg_mean_squared_error")
    assert found.won.tolist() == [1, 1, 1]


@pytest.mark.parametrize(("n_below", "excluded"), [(3, True), (6, False)])
def test_bounds_count_draws_without_a_difference_half(n_below, excluded):
    """Of 100 draws 8 show no difference: with 3 below, 7% are at or below zero, with 6, 10%."""
    draws = np.repeat([-0.1, 0.0, 0.1], [n_below, 8, 92 - n_below])[:, None]
    low, high = _draw_bounds(np.hstack([draws, -draws]), 0.08)
    assert (low[0] > 0) == (high[1] < 0) == excluded and low[0] == -high[1] < 0.1
    assert high[0] == -low[1] == 0.1


def test_a_class_in_one_sample():
    with pytest.raises(UndefinedIntervalError, match=r"undefined without class True.*has 1 "):
        tied(RARE)
    assert len(tied(RARE, "accuracy")) >= 1
    result = tied(RARE, "accuracy", draws={"selection": SelectedBy("roc_auc")})
    assert np.isnan([result.won, result.difference, result.low, result.high]).all()
    assert "could not be computed" in result.details["notes"][-1]
    assert "class True has 1 sample" in result.details["no_draws"]


# --- values of units ---


def values_of(oof, scoring):
    kernel = as_metric(scoring).bind(oof)
    found = Bonferroni().bind(kernel)
    scores = kernel.on_data()[found.configs]
    np.testing.assert_allclose(found.values.mean(axis=0), scores, rtol=1e-12)
    assert found.how == (BY_SAMPLE if kernel.is_pointwise else LEAVING_OUT)
    return found


@pytest.mark.parametrize("scoring", ["average_precision", "balanced_accuracy", "neg_log_loss"])
def test_the_mean_of_the_values_is_the_score(scoring):
    assert (values_of(OOF, scoring).values.std(axis=0) > 0).all()


def test_a_mean_over_samples_has_the_values_of_the_samples():
    found = values_of(OOF, "accuracy")
    np.testing.assert_array_equal(found.values, RIGHT)
    np.testing.assert_array_equal(found.fold, OOF.fold)


def test_area_under_the_curve_has_the_placements_of_delong():
    parts = auc_parts(PROBA, OOF.y_true == 1)
    # 30 samples of a class, 60 in all: 59 / 29 in place of 60 / 30.
    expected = parts.auc[:, None] + (parts.positive + parts.negative) * 30 * 59 / 29
    np.testing.assert_allclose(values_of(OOF, "roc_auc").values, expected.T, rtol=1e-10)


def test_any_other_metric_is_left_one_out():
    found, y = values_of(OOF, "f1").values, OOF.y_true
    for config in (0, 3):
        labels = PROBA[config] > 0.5
        full = f1_score(y, labels)
        without = [f1_score(np.delete(y, i), np.delete(labels, i)) for i in range(60)]
        pseudo = full + 59 * (full - np.array(without))
        np.testing.assert_allclose(found[:, config], pseudo + full - pseudo.mean())


def test_a_scorer_without_a_kernel_and_survival():
    def twice(estimator, X, y):
        return 2 * roc_auc_score(y, estimator.predict_proba(X)[:, 1])

    two = with_fields(
        OOF, responses={"predict_proba": PROBA[:2]}, params=None, failed=np.zeros(2, dtype=bool)
    )
    expected = 2 * values_of(two, "roc_auc").values
    np.testing.assert_allclose(values_of(two, twice).values, expected, rtol=1e-9)
    rng = np.random.default_rng(2)
    y = np.zeros(25, dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = rng.random(25) < 0.7, rng.exponential(size=25)
    oof = OOFPredictions(y_true=y, y_pred=rng.normal(size=(25, 3)), fold=np.arange(25) % 5)
    assert (values_of(oof, concordance_index_scorer).values.std(axis=0) > 0).all()


def test_weights_and_groups_are_linear():
    rng = np.random.default_rng(0)
    weight = rng.uniform(0.5, 2, size=60)
    loss = -((PROBA - OOF.y_true) ** 2)
    score = (loss @ weight / weight.sum())[:, None]
    expected = score + 60 / weight.sum() * weight * (loss - score)
    found = values_of(with_fields(OOF, sample_weight=weight), "neg_brier_score")
    np.testing.assert_allclose(found.values, expected.T, rtol=1e-12)
    groups = np.repeat(np.arange(20), [1, 2, 3, 4, 5] * 4)
    oof = with_fields(OOF, groups=groups, fold=groups % 5)
    found = values_of(oof, "accuracy")
    for group in (0, 3, 19):
        inside = (RIGHT - RIGHT.mean(axis=0))[groups == group].sum(axis=0)
        np.testing.assert_allclose(found.values[group], RIGHT.mean(axis=0) + 20 / 60 * inside)
    np.testing.assert_array_equal(found.fold, np.arange(20) % 5)
    assert values_of(oof, "roc_auc").values.shape == (20, 6)
    details = tied(oof, "accuracy").details
    assert (details["unit"], details["n_units"]) == ("group", 20)
    # A group whose samples are in different folds has none.
    assert values_of(with_fields(oof, fold=np.arange(60) % 6), "accuracy").fold is None


def test_repeats_are_averaged_and_have_no_fold():
    rng = np.random.default_rng(1)
    y = np.arange(20) % 2
    pred = rng.random((3, 20, 2))
    fold = np.array([rng.permutation(np.arange(20) % 4) for _ in range(3)])
    found = values_of(OOFPredictions(y_true=y, y_pred=pred, fold=fold), "neg_brier_score")
    expected = -((pred - y[:, None]) ** 2).mean(axis=0)
    np.testing.assert_allclose(found.values, expected, rtol=1e-12)
    assert found.fold is None
    values_of(OOFPredictions(y_true=y, y_pred=pred, fold=fold), "roc_auc")


def test_untested_samples_and_undefined_configurations_are_left_out():
    pred, keep = PROBA.copy(), np.arange(60) < 55
    pred[1, 5] = np.nan
    oof = OOFPredictions.from_rows(
        y_true=OOF.y_true, responses={"predict_proba": pred[:, keep]},
        fold=OOF.fold[keep], sample=np.flatnonzero(keep),
    )  # fmt: skip
    found = values_of(oof, "roc_auc")
    assert found.values.shape == (55, 5)
    np.testing.assert_array_equal(found.configs, [0, 2, 3, 4, 5])


def test_too_few_units_are_refused():
    with pytest.raises(UndefinedIntervalError, match="at least 3 of them, got 2"):
        tied(with_fields(OOF, groups=OOF.y_true.copy()), "accuracy")


# --- in the draws of a rule ---


def members(method, scoring, weights, oof=OOF):
    kernel = as_metric(scoring).bind(oof)
    return method.bind(kernel).members(weights, kernel.scores(weights))


@pytest.mark.parametrize("n_units", [60, 20])
def test_of_a_mean_it_is_the_set_of_the_repeated_units(n_units):
    groups = np.arange(60) // (60 // n_units)
    oof = with_fields(OOF, groups=groups, fold=groups % 5) if n_units < 60 else OOF
    counts = np.random.default_rng(0).multinomial(n_units, np.full(n_units, 1 / n_units), 20)
    found = members(Bonferroni(), "accuracy", counts[:, groups], oof)
    values = RIGHT.reshape(n_units, -1, 6).mean(axis=1)
    for draw, count in enumerate(counts):
        p_values = Bonferroni().p_values(np.repeat(values, count, axis=0))
        np.testing.assert_array_equal(found[draw], p_values > 0.05)
    assert 1 <= found.sum(axis=1).min() < found.sum(axis=1).max()


def test_the_best_of_a_draw_is_a_member_at_any_level():
    counts = np.random.default_rng(1).multinomial(60, np.full(60, 1 / 60), 10)
    found = members(SoftminLeaveOneOut(confidence_level=0.01), "accuracy", counts)
    scores = as_metric("accuracy").bind(OOF).scores(counts)
    assert found[scores == scores.max(axis=1, keepdims=True)].all()
    assert found.sum(axis=1).mean() < 2


@pytest.mark.parametrize(
    "method",
    [Bonferroni(), SoftminLeaveOneOut(), ModelConfidenceSet(n_bootstraps=100, random_state=0)],
    ids=lambda method: method.name,
)
def test_it_is_a_margin_for_the_simplest_of_the_tied(method):
    oof = with_fields(OOF, params=[{"size": k} for k in range(6)])
    rule = SimplestTied("size", margin=method)
    result = BBC(selection=rule, n_bootstraps=64, random_state=0).estimate(oof, "roc_auc")
    found = members(method, "roc_auc", np.ones((1, 60), dtype=np.uint8))[0]
    np.testing.assert_array_equal(np.flatnonzero(found), list(tied(method=method)))
    assert result.details["winner"] == np.flatnonzero(found)[0]
    assert 1 <= result.details["mean_tied"] <= 6
    assert (
        result.estimate <= BBC(n_bootstraps=64, random_state=0).estimate(oof, "roc_auc").estimate
    )


def test_draws_of_samples_repeat_the_rule_and_draws_of_folds_cannot():
    oof = with_fields(example_predictions(), params=[{"size": k} for k in range(4)])
    rule = SimplestTied("size", margin=Bonferroni())
    result = BBC(selection=rule, n_bootstraps=40, random_state=0).estimate(oof, "roc_auc")
    assert result.low <= result.estimate <= result.high
    assert result.details["winner"] == 1, "0 is simpler and not tied with the best"
    with pytest.raises(ValueError, match="needs the predictions of single samples"):
        BBCF(selection=rule).estimate(oof, "roc_auc")
    check_contract(rule, data=oof)


# --- notes ---


def test_another_winner_is_noted():
    best = tied().best
    other = (best + 1) % 6
    chosen = OOF.with_selected(other, by="the search")
    result = tied(chosen)
    assert result.best == best and result.details["selected"] == other
    assert f"The winner (the search) is configuration {other}" in notes(chosen)
    assert "The winner" not in notes(OOF.with_selected(best))
    for rule, how in ((None, "mean over folds"), (SelectedBy("f1"), "mean over folds of f1")):
        assert tied(draws={"selection": rule}).details["winner_by"] == how


def test_arrays_have_one_winner_for_intervals_and_tied_sets_and_it_is_called_by_its_name():
    rng = np.random.default_rng(4)
    y = np.tile([0, 1, 1, 0], 20)
    columns = {f"m{k}": rng.normal(size=80) + 0.5 * y + (np.arange(80) // 8) * k for k in range(6)}
    oof = OOFPredictions(y_true=y, y_pred=pd.DataFrame(columns), fold=np.arange(80) // 8)
    found = tied(oof)
    winner = BBC(n_bootstraps=20, random_state=0).estimate(oof, "roc_auc").details["winner"]
    assert winner == found.details["selected"] != found.best
    (note,) = [note for note in found.details["notes"] if note.startswith("The winner (mean")]
    assert f"is m{winner}" in note and f"that of m{found.best}" in note


def test_metrics_across_folds_and_of_single_samples_are_noted():
    # Scores of a class and its fold: no order of the pooled ones is right.
    apart = OOFPredictions.from_rows(
        y_true=OOF.y_true, responses={"decision_function": PROBA + OOF.fold}, fold=OOF.fold
    )
    assert "different folds" in notes(apart)
    assert "different folds" not in notes(apart, within_folds("roc_auc"))
    y = np.random.default_rng(1).normal(size=40)
    pred = y[:, None] + np.random.default_rng(2).normal(size=(40, 3))
    oof = OOFPredictions(y_true=y, y_pred=pred, fold=np.arange(40) % 4)
    scorer = make_scorer(median_absolute_error, greater_is_better=False)
    assert "depends on single samples" in notes(oof, scorer)
    assert "single samples" not in notes(oof, "r2")


@pytest.mark.parametrize(
    ("oof", "options", "message"),
    [
        (OOF, {"method": "mcs"}, r"Did you mean 'model_confidence_set'"),
        (OOF, {"method": Bonferroni(), "confidence_level": 0.9}, r"in one place.*own \(0\.95\)"),
        (OOF, {"complexity": "depth"}, "complexity names the parameter 'depth'"),
        (OOF, {"family": "depth"}, r"family names \['depth'\], which .* are \['kind', 'size'\]"),
        (OOF, {"scoring": None}, r"scoring must be given.*tied_with_best\(oof"),
        (RARE, {"complexity": "size"}, "complexity looks at the parameters.*params="),
        (RARE, {"family": "size"}, "family looks at the parameters.*params="),
        (OOFPredictions.from_fold_scores({"roc_auc": np.eye(3)}), {},
         "only fold scores.* BBCSearchCV keeps them"),
    ],
)  # fmt: skip
def test_refusals(oof, options, message):
    with pytest.raises(ValueError, match=message):
        tied(oof, **options)


# --- families ---

SVMS = [{"kernel": kernel, "C": c} for kernel in ("rbf", "linear") for c in (0.1, 1.0, 10.0)]
MIXED = [
    {"clf": SVC(), "clf__C": 1.0},
    {"clf": SVC(), "clf__C": 2.0},
    {"clf": DecisionTreeClassifier(), "depth": None},
    {"clf": DecisionTreeClassifier(), "depth": 3},
    {"clf": np.median},
]
LEAVES = [{"depth": d, "leaf": leaf} for d in (1, 2, 3) for leaf in (1, 5)]


@pytest.mark.parametrize(
    ("params", "by", "expected"),
    [
        (SVMS, None, ["kernel=rbf"] * 3 + ["kernel=linear"] * 3),
        (SVMS[:1], ["C", "kernel"], ["C=0.1, kernel=rbf"]),
        (SVMS[1:3], lambda params: params["C"] > 1, ["False", "True"]),
        (LEAVES, None, ["leaf=1", "leaf=5"] * 3),  # the fewest values
        ([{"depth": 2}, {"depth": 2}], None, ["all", "all"]),
        ([{"C": k / 7} for k in range(30)], None, ["all"] * 30),
        (MIXED[1:], "clf", ["clf=SVC", *["clf=DecisionTreeClassifier"] * 2, "clf=median"]),
        (MIXED[2:], None, ["clf=DecisionTreeClassifier, depth=None",
                           "clf=DecisionTreeClassifier, depth=3", "clf=median"]),
        ((), None, []),
    ],
)  # fmt: skip
def test_families(params, by, expected):
    assert list(family_of_each(params, by)) == expected


@pytest.mark.parametrize(
    ("params", "of_members", "expected"),
    [
        (SVMS, [0, 1], {"kernel": "rbf"}),
        (SVMS, [2, 5], {"C": 10.0}),
        (SVMS, [0, 5], {}),
        ([{"a": 1, "b": 2}, {"a": 1, "b": 3}], [0], {"b": 2}),
        # A parameter that the others do not have at all tells the members apart from them.
        ([{"a": 1}, {"b": 2}], [0], {"a": 1}),
        ([{"a": 1}, {"b": 2}], [0, 1], {}),
    ],
)
def test_what_members_share(params, of_members, expected):
    assert shared(params, of_members) == expected
