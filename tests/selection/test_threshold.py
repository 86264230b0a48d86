"""A threshold with the configuration, its metrics, and what it must keep."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import (
    f1_score,
    get_scorer,
    make_scorer,
    precision_score,
    recall_score,
)

from sklearn_bbc import BBCSearchCV, OOFPredictions
from sklearn_bbc.comparison import BBCDifference, Side
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import BBC, BBCF, DirectBootstrap, ShrunkenBBC
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.selection import MeanCost, OneStandardError, SensitivityAt, WithThreshold
from sklearn_bbc.selection._threshold import CellMetric
from tests.intervals.refit_helpers import two_classes
from tests.search.small_search import TREE
from tests.selection.draws import area, balanced_accuracy, draws, f1, predictions


def cut_points(proba, own=0.5):
    """Every way to split the scores in two, and one threshold for each; 0.5 where it is one."""
    values = sorted(set(proba.tolist()))
    for low, high in pairwise([-np.inf, *values, np.inf]):
        yield own if low < own < high else (low + high) / 2


def best_pair(oof, count, thresholds, score, configs):
    """Best configuration and threshold of a draw by a loop over repeated rows."""
    rows = np.repeat(np.arange(oof.n_rows), count[oof.sample])
    y = oof.y_true[oof.sample[rows]]
    best, chosen = (-np.inf, -1, -1.0), []
    for config in configs:
        proba = oof.responses["predict_proba"][config]
        for t in cut_points(proba) if isinstance(thresholds, int) else thresholds:
            labels = (proba[rows] >= t).astype(int)
            value = score(y, labels)
            if value > best[0]:
                best, chosen, run = (value, config, t), labels, []
            if isinstance(thresholds, int) and best[1] == config and (chosen == labels).all():
                run.append(t)  # nothing of the draw lies between these
                best = (best[0], config, run[(len(run) - 1) // 2])
    return best


@pytest.mark.parametrize(
    ("name", "score", "jointly", "thresholds"),
    [("f1", f1, False, 500), ("balanced_accuracy", balanced_accuracy, True, 500),
     ("f1", f1, True, np.linspace(0.1, 0.9, 15))],
    ids=["cuts", "cuts jointly", "given"],
)  # fmt: skip
def test_equal_to_a_plain_loop(name, score, jointly, thresholds):
    oof = predictions(n_configs=4)
    counts = draws(oof, 5)
    rule = WithThreshold(name, thresholds=thresholds, jointly=jointly)
    bound = rule.bind(as_metric("roc_auc").bind(oof))
    outcome = bound.choose(counts)
    scores = bound.score(outcome, counts == 0)
    proba = oof.responses["predict_proba"]
    for draw, count in enumerate(counts):
        configs = range(4)
        if not jointly:
            areas = [
                area(oof.y_true.repeat(count), proba[c][oof.sample].repeat(count)) for c in configs
            ]
            configs = [int(np.argmax(areas))]
        _, config, threshold = best_pair(oof, count, thresholds, score, configs)
        assert outcome["config"][draw] == config
        assert outcome["threshold"][draw] == pytest.approx(threshold, rel=1e-12)
        out = count == 0
        expected = score(oof.y_true[out], (proba[config][out] >= threshold).astype(int))
        assert scores[draw] == pytest.approx(expected, rel=1e-12)


def test_thresholds_that_are_equally_good_tie_and_the_first_is_taken():
    """Shares of 0.7 and 0.1 are as good as 0.5 and 0.3, though their sums differ by a last bit."""
    n, grid = 40, np.arange(1, 10) / 10
    y = np.arange(n) % 2
    for seed in range(40):
        risks = np.random.default_rng(seed).integers(0, 11, (3, n)) / 10
        oof = predictions(n, 3, y_true=y, responses={"predict_proba": risks})
        rule = WithThreshold("balanced_accuracy", thresholds=grid, jointly=True)
        bound = rule.bind(as_metric("roc_auc").bind(oof))
        outcome = bound.choose(np.ones((1, n), dtype=np.uint8))
        right = [
            [((risk >= t - 1e-9) == (y == 1)).sum() for t in grid] for risk in risks
        ]  # as many of both classes, so whole numbers say the same
        config, place = np.unravel_index(np.argmax(right), (3, 9))
        assert (outcome["config"][0], outcome["threshold"][0]) == (config, grid[place])


def test_one_threshold_is_the_metric_at_that_threshold():
    """No threshold to choose at 0.5: the labels of the models themselves, draw by draw."""
    oof = predictions()
    few = {"n_bootstraps": 150, "random_state": 0}
    rule = WithThreshold("accuracy", thresholds=[0.5], jointly=True)
    result = BBC(selection=rule, **few).estimate(oof, "accuracy")
    expected = BBC(**few).estimate(oof, "accuracy")
    np.testing.assert_allclose(result.draws, expected.draws, rtol=1e-12)
    assert result.details["threshold"] == 0.5


def test_the_positive_label_turns_scores_around():
    oof = predictions(n_configs=3)
    turned = predictions(
        n_configs=3, y_true=1 - oof.y_true,
        responses={"predict_proba": 1 - np.asarray(oof.responses["predict_proba"])},
    )  # fmt: skip
    counts = draws(oof, 8)
    grid = np.linspace(0.05, 0.95, 10)
    plain = WithThreshold(make_scorer(f1_score), thresholds=grid)
    other = WithThreshold(make_scorer(f1_score, pos_label=0), thresholds=grid)
    one = plain.bind(as_metric("roc_auc").bind(oof))
    two = other.bind(as_metric("roc_auc").bind(turned))
    first, second = one.choose(counts), two.choose(counts)
    np.testing.assert_array_equal(first["config"], second["config"])
    np.testing.assert_allclose(first["threshold"], second["threshold"])
    np.testing.assert_allclose(one.score(first, counts == 0), two.score(second, counts == 0))
    assert two.describe(second)["pos_label"] == 0


def test_sample_weights_and_repeats():
    weight = np.random.default_rng(5).random(60)
    oof = predictions(n_configs=2, n_repeats=2, sample_weight=weight)
    bound = WithThreshold("recall", thresholds=[0.3, 0.6]).bind(as_metric("roc_auc").bind(oof))
    counts = draws(oof, 5)
    outcome = bound.choose(counts)
    scores = bound.score(outcome, counts == 0)
    for draw, count in enumerate(counts):
        config, threshold = outcome["config"][draw], outcome["threshold"][draw]
        assert threshold == 0.3, "recall never falls with a lower threshold"
        each = []
        for repeat in range(2):
            rows = np.flatnonzero((oof.repeat == repeat) & (count[oof.sample] == 0))
            labels = oof.responses["predict_proba"][config, rows] >= threshold
            sample = oof.sample[rows]
            each.append(recall_score(oof.y_true[sample], labels, sample_weight=weight[sample]))
        assert scores[draw] == pytest.approx(np.mean(each), rel=1e-12)


def test_details_and_a_cost():
    oof = predictions(n_samples=100)

    def cost(tn, fp, fn, tp):
        return -(fp + 10 * fn) / (tn + fp + fn + tp)

    result = BBC(selection=WithThreshold(cost), random_state=0, n_bootstraps=200).estimate(
        oof, "roc_auc"
    )
    details = result.details
    low, high = details["threshold_range"]
    assert result.metric == "cost" and low <= details["threshold"] <= high
    labels = oof.responses["predict_proba"][details["winner"]] >= details["threshold"]
    y = oof.y_true
    apparent = -((labels & (y == 0)).sum() + 10 * (~labels & (y == 1)).sum()) / 100
    assert details["apparent_score"] == pytest.approx(apparent)
    assert details["selected_by_metric"] == "roc_auc"
    assert details["winner_by"] == "best score, then threshold by cost"
    assert result.estimate < apparent


def test_the_winner_is_that_of_the_own_rule_whatever_the_predictions_name():
    oof = predictions()
    rule = WithThreshold("f1", configuration=OneStandardError("depth"))
    method = BBC(selection=rule, n_bootstraps=40, random_state=0)
    free = method.estimate(oof, "roc_auc").details
    named = method.estimate(oof.with_selected(0, by="the search"), "roc_auc").details
    assert free["winner"] == named["winner"] != 0
    assert free["apparent_score"] == named["apparent_score"]
    assert "the rule selects configuration" in named["notes"][-1]


def test_where_it_makes_no_sense_it_is_refused():
    oof, rule = predictions(), WithThreshold("f1")
    with pytest.raises(ValueError, match=r"ShrunkenBBC needs the scores.*Use BBC"):
        ShrunkenBBC(selection=rule).estimate(oof, "roc_auc")
    table = {"roc_auc": as_metric("roc_auc").fold_scores(oof)}
    only_scores = OOFPredictions.from_fold_scores(table)
    with pytest.raises(ValueError, match=r"predictions of single samples.*only scores per fold"):
        BBCF(selection=rule).estimate(only_scores, "roc_auc")
    labels = (np.asarray(oof.responses["predict_proba"]) > 0.5).astype(int)
    only_labels = predictions(responses={"predict": labels})
    with pytest.raises(ValueError, match="needs predict_proba or decision_function"):
        BBC(selection=rule).estimate(only_labels, "accuracy")


def bound_to(oof, thresholds=500, scoring="f1"):
    return WithThreshold(scoring, thresholds=thresholds).bind(as_metric("roc_auc").bind(oof))


AT_ZERO = make_scorer(f1_score, pos_label=0)
P, D = "predict_proba", "decision_function"


@pytest.mark.parametrize(
    ("responses", "scoring", "expected"),
    [
        ({P: [0.1, 0.3, 0.3, 0.9]}, "f1", [-np.inf, 0.2, 0.5, np.inf]),
        ({P: [0.1, 0.2, 0.3, 0.4]}, "f1", [-np.inf, 0.15, 0.25, 0.35, 0.5]),
        ({P: [0.6, 0.7, 0.8, 0.9]}, "f1", [0.5, 0.65, 0.75, 0.85, np.inf]),
        # A model calls 0.5 negative, the first label: the cut above it is its own.
        ({P: [0.1, 0.5, 0.5, 0.9]}, "f1", [-np.inf, 0.3, 0.7, np.inf]),
        ({P: [0.1, 0.5, 0.5, 0.9]}, AT_ZERO, [-np.inf, 0.5, 0.7, np.inf]),
        ({D: [-1e300, -1.0, 3.0, 1e300]}, "f1", [-np.inf, -5e299, 0, 5e299, np.inf]),
        ({D: [-1.0, 0.0, 3.0, 4.0]}, "f1", [-np.inf, -0.5, 1.5, 3.5, np.inf]),
        ({D: [-1.0, 0.0, 3.0, 4.0]}, AT_ZERO, [-np.inf, -3.5, 0, 0.5, np.inf]),
        ({P: [0.1, 0.2, 0.3, 0.4], D: [-4.0, -3, -2, -1]}, "f1", [-np.inf, 0.15, 0.25, 0.35, 0.5]),
        ({"plain": [0.1, 0.2, 0.6, 0.9]}, "f1", [-np.inf, 0.15, 0.5, 0.75, np.inf]),
        ({"plain": [-4, 0.2, 0.6, 0.9]}, "f1", [-np.inf, 0, 0.4, 0.75, np.inf]),
        # Nothing lies between neighbours in floating point: the upper one is the cut.
        ({D: [1, np.nextafter(1, 2), 3, 3]}, "f1", [0, np.nextafter(1, 2), 2, np.inf]),
    ],
)  # fmt: skip
def test_candidates_are_the_cut_points_the_own_threshold_and_both_ends(
    responses, scoring, expected
):
    responses = {name: np.array([row], dtype=float) for name, row in responses.items()}
    oof = OOFPredictions.from_rows(y_true=[0, 1, 0, 1], responses=responses)
    np.testing.assert_allclose(bound_to(oof, scoring=scoring).thresholds[0], expected, rtol=1e-15)


def test_many_scores_have_quantiles_and_the_ends_are_close():
    rng = np.random.default_rng(0)
    scores = np.sort(rng.standard_cauchy((1, 4000)))
    oof = OOFPredictions.from_rows(y_true=rng.integers(2, size=4000), responses={D: scores})
    for most in (500, 60):
        (found,) = bound_to(oof, most).thresholds
        assert 0.7 * most < len(found) <= most + 3 and 0 in found
        ranks = np.searchsorted(scores[0], found)
        assert np.diff(ranks).max() <= 2.1 * 4000 / most + 1
        assert ranks[:3].tolist() == [0, 1, 2] and ranks[-3:].tolist() == [3998, 3999, 4000]
    ties = OOFPredictions.from_rows(y_true=[0, 1] * 20, responses={P: np.full((1, 40), 0.3)})
    assert bound_to(ties).thresholds.tolist() == [[-np.inf, 0.5]]


def test_each_configuration_has_the_own_threshold_of_its_kind_of_scores():
    """Decision values of the second one turn around with a minus, not as one minus the score."""
    rng = np.random.default_rng(0)
    proba, values = rng.random((2, 60)), 5 * rng.normal(size=(2, 60))
    proba[1] = values[0] = np.nan
    for scoring, sign in (("f1", 1), (AT_ZERO, -1)):
        oof = predictions(n_configs=2, responses={P: proba, D: values})
        found = bound_to(oof, scoring=scoring).thresholds
        assert 0.5 in found[0] and 0 in found[1] and 0 not in found[0]
        at = np.searchsorted(np.sort(sign * values[1]), found[1])
        assert at.tolist() == list(range(61))


def test_given_thresholds_are_the_only_ones():
    oof = predictions(n_configs=2)
    assert bound_to(oof, [0.9, 0.2, 0.2, -np.inf]).thresholds.tolist() == [[-np.inf, 0.2, 0.9]] * 2


def test_a_note_says_where_the_threshold_of_the_models_is_better():
    oof, said = predictions(n_samples=100), "0.5, is better on all samples than the chosen one"
    for thresholds, worse in (([0.98, 0.99], True), ([0.5, 0.99], False), (500, False)):
        rule = WithThreshold("f1", thresholds=thresholds)
        method = BBC(n_bootstraps=40, random_state=0, selection=rule)
        details = method.estimate(oof, "roc_auc").details
        assert any(said in note for note in details["notes"]) == worse
        assert details.get("better_own_threshold") == (0.5 if worse else None)


@pytest.mark.parametrize("n_repeats", [1, 3])
def test_a_threshold_is_never_worse_than_that_of_the_models_on_all_samples(n_repeats):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        weight = rng.random(40) if seed % 2 else None
        oof = predictions(
            n_samples=40, n_configs=1, n_repeats=n_repeats, sample_weight=weight,
            responses={D: rng.standard_cauchy((1, 40 * n_repeats)) ** 3},
        )  # fmt: skip
        own = bound_to(oof, [0.0], "accuracy").score_on_all()
        assert bound_to(oof, scoring="accuracy").score_on_all() >= own - 1e-12


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ([[1, 0], [10, 0]], r"a false positive \(0\) is cheaper than a true negative \(1\)"),
        ([[0, 1], [1, 3]], r"a false negative \(1\) is cheaper than a true positive \(3\)"),
        ([[0, -1], [-10, 0]], r"false positive \(-1\).*gains are costs below 0"),
        *[
            (wrong, "cost matrix must be four finite numbers")
            for wrong in ([1, 2], [[0, 1, 2]], [[0, np.nan], [1, 0]], [["a", 1], [1, 0]])
        ],
    ],
)
def test_a_cost_matrix_of_another_kind_is_refused(costs, message):
    with pytest.raises(ValueError, match=message):
        MeanCost(costs)
    assert MeanCost([[-1, 0], [0, -10]]).costs[1, 1] == -10
    assert MeanCost([[0, 0], [1, 1]]).costs[1, 1] == 1


def test_a_matrix_of_costs_is_a_metric():
    costs = [[0, 1], [10, 0]]
    one, other = (
        BBC(selection=WithThreshold(given), n_bootstraps=40, random_state=0)
        for given in (costs, MeanCost(costs))
    )
    oof = predictions()
    assert one.estimate(oof, "roc_auc") == other.estimate(oof, "roc_auc")


SCORINGS = ["accuracy", "balanced_accuracy", "f1", "precision", "recall", "jaccard", "f1_macro",
            "matthews_corrcoef"]  # fmt: skip


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("scoring", SCORINGS)
def test_equal_to_the_metric_on_the_rows(scoring):
    rng = np.random.default_rng(0)
    y, labels = rng.integers(2, size=(20, 15)), rng.integers(2, size=(20, 15))
    scorer = get_scorer(scoring)
    cells = np.array([np.bincount(2 * a + b, minlength=4) for a, b in zip(y, labels)])
    found = CellMetric(scoring, np.array([0, 1])).report(cells)
    expected = [scorer._score_func(a, b, **scorer._kwargs) for a, b in zip(y, labels)]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_words_as_labels_and_the_positive_one():
    classes = np.array(["ill", "well"])
    metric = CellMetric(make_scorer(recall_score, pos_label="ill"), classes)
    assert metric.positive == "ill"
    np.testing.assert_allclose(metric.report(np.array([[5, 3, 1, 3]])), [0.75])
    loss = CellMetric(
        make_scorer(precision_score, greater_is_better=False, pos_label="well"), classes
    )
    np.testing.assert_allclose(loss.report(np.array([[5, 3, 1, 1]])), [-0.25])
    with pytest.raises(ValueError, match=r"f1 has pos_label=1, but the classes are \['ill'"):
        CellMetric("f1", classes)
    assert CellMetric("f1_macro", classes).report(np.array([[4, 0, 0, 4]])) == 1


def test_a_function_of_the_cells():
    metric = CellMetric(lambda tn, fp, fn, tp: -(fp + 5 * fn), np.array([0, 1]))
    scores = metric.report(np.array([[1, 2, 3, 4], [0, 0, 0, 0]]))
    assert scores[0] == -17 and np.isnan(scores[1])
    wrong = CellMetric(lambda tn, fp, fn, tp: 0.0, np.array([0, 1]))
    with pytest.raises(ValueError, match="one score per confusion matrix"):
        wrong.report(np.ones((3, 4)))


@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss", lambda estimator, X, y: 1.0])
def test_metrics_that_no_threshold_changes_are_refused(scoring):
    with pytest.raises(ValueError, match="must be a metric of labels"):
        CellMetric(scoring, np.array([0, 1]))


CELLS = tuple(
    np.array(cell, dtype=float) for cell in ([9, 8, 5], [1, 2, 5], [3, 0, 1], [7, 10, 9])
)


def test_the_cost_of_each_decision_is_looked_up_in_the_matrix():
    costs = np.array([[-1.0, 2.0], [5.0, -3.0]])
    y = np.repeat([0, 0, 1, 1], [9, 1, 3, 7])
    said = np.repeat([0, 1, 0, 1], [9, 1, 3, 7])
    assert MeanCost(costs)(*CELLS)[0] == pytest.approx(-costs[y, said].mean())


def test_the_best_sensitivity_of_those_that_keep_the_specificity():
    choice = SensitivityAt(0.8)
    y = np.repeat([0, 0, 1, 1], [9, 1, 3, 7])
    said = np.repeat([0, 1, 0, 1], [9, 1, 3, 7])
    scores = choice(*CELLS)
    assert scores[0] == pytest.approx(recall_score(y, said))
    assert scores[1] == 1  # 8 of 10: reached in spite of rounding
    assert scores[2] == pytest.approx(-0.5)  # below every sensitivity


FEW = {"n_bootstraps": 60, "random_state": 0}
REACHED = WithThreshold(SensitivityAt(0.8))
GIVEN = np.linspace(0, 0.999, 50)  # the crowd is positive at all of them
NOT_REACHED = "No threshold reaches the demanded specificity of 0.9 on all samples"
ELSEWHERE = "lower: SensitivityAt(0.8, report='specificity') reports it there"


def crowded():
    """Five of the 30 negatives have the highest score: specificity is at most 25/30."""
    oof = predictions()
    proba = np.array(oof.responses["predict_proba"])
    proba[:, np.flatnonzero(oof.y_true == 0)[:5]] = 0.999
    proba[:, np.flatnonzero(oof.y_true == 1)[:5]] = 0.999
    return predictions(responses={"predict_proba": proba})


def without_warnings(call):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return call()


def test_with_repeats_the_specificity_is_kept_on_average():
    """Against a plain loop over the thresholds."""
    oof = predictions(n_configs=1, n_repeats=2)
    rule = WithThreshold(SensitivityAt(0.7), thresholds=40)
    bound = rule.bind(as_metric("roc_auc").bind(oof))
    proba = oof.responses["predict_proba"][0].reshape(2, -1)
    best = (-1.0, None, None)
    for t in bound.thresholds[0]:
        rates = [[recall_score(oof.y_true, p >= t, pos_label=k) for p in proba] for k in (0, 1)]
        if np.mean(rates[0]) >= 0.7 and np.mean(rates[1]) > best[0]:
            best = (np.mean(rates[1]), t, np.mean(rates[0]))
    one = bound.on_all()
    assert (one["threshold"][0], bool(one["reached"][0])) == (best[1], True)
    assert bound.describe(one)["demand"]["reached"] == pytest.approx(best[2])


@pytest.mark.parametrize("jointly", [False, True])
def test_the_share_of_draws_in_which_it_is_reached(jointly):
    oof = crowded()
    rule = WithThreshold(SensitivityAt(0.84), thresholds=GIVEN, jointly=jointly)
    bound = rule.bind(as_metric("roc_auc").bind(oof))
    counts = draws(oof, 25)
    outcome = bound.choose(counts)
    reached = [
        recall_score(
            oof.y_true, oof.responses["predict_proba"][config] >= t,
            pos_label=0, sample_weight=count,
        ) >= 0.84 - 1e-12
        for config, t, count in zip(outcome["config"], outcome["threshold"], counts)
    ]  # fmt: skip
    assert 0 < np.mean(reached) < 1
    np.testing.assert_array_equal(outcome["reached"], reached)
    noted = bound.describe(outcome)["demand"]
    assert noted["share_reached"] == np.mean(reached)
    assert noted["reached"] == pytest.approx(25 / 30) and not noted["is_reached"]


def test_both_reports_are_about_the_same_thresholds():
    """report="specificity" gives the specificity on samples left out, as the note says."""
    oof = predictions()
    of_positives, of_negatives = (
        WithThreshold(SensitivityAt(0.9, report=report)).bind(as_metric("roc_auc").bind(oof))
        for report in ("sensitivity", "specificity")
    )
    assert of_positives.by == of_negatives.by
    assert of_positives.by == "best score, then threshold by sensitivity at a specificity of 0.9"
    counts = draws(oof, 20)
    outcome = of_positives.choose(counts)
    np.testing.assert_array_equal(outcome["threshold"], of_negatives.choose(counts)["threshold"])
    left_out = [
        recall_score(
            oof.y_true[out], oof.responses["predict_proba"][config][out] >= t, pos_label=0
        )
        for config, t, out in zip(outcome["config"], outcome["threshold"], counts == 0)
    ]
    scores = of_negatives.score(outcome, counts == 0)
    np.testing.assert_allclose(scores, left_out, rtol=1e-12)
    assert np.mean(scores) < 0.9, "lower than demanded, on average"


def test_bbc_says_when_it_is_not_reached():
    oof, rule = crowded(), WithThreshold(SensitivityAt(0.9), thresholds=GIVEN)
    with pytest.warns(IntervalWarning, match=NOT_REACHED):
        result = BBC(selection=rule, **FEW).estimate(oof, "roc_auc")
    notes = " ".join(result.details["notes"])
    assert f"{NOT_REACHED}: the best of those tried has 0.833, and was chosen." in notes
    assert "report='specificity'" in notes
    assert "of the draws no threshold reached" in notes


def test_bbc_says_that_it_may_be_missed_elsewhere():
    method = BBC(selection=REACHED, **FEW)
    result = without_warnings(lambda: method.estimate(predictions(), "roc_auc"))
    assert result.details["demand"]["is_reached"]
    assert not any("No threshold reaches" in note for note in result.details["notes"])
    assert any(ELSEWHERE in note for note in result.details["notes"])


def test_without_a_demand_nothing_is_said():
    result = BBC(selection=WithThreshold("f1"), **FEW).estimate(predictions(), "roc_auc")
    assert "demand" not in result.details and result.details["notes"] == []


def test_differences_of_searches():
    oof = crowded()
    rule = WithThreshold(SensitivityAt(0.9), thresholds=GIVEN)
    other = Side(oof=oof, selection=rule, name="one")
    side = Side(oof=oof, selection=clone(rule).set_params(jointly=True), name="two")
    with pytest.warns(IntervalWarning, match=NOT_REACHED):
        result = BBCDifference(**FEW).compare(other, side, "roc_auc")
    assert any(NOT_REACHED in note for note in result.details["notes"])


@pytest.mark.long
def test_the_direct_bootstrap_counts_the_draws_that_reach_it():
    X, y = two_classes()
    few = {"n_bootstraps": 20, "random_state": 0, "verbose": 0}
    grid = {"max_depth": [1, 2]}
    model = BBCSearchCV(TREE, grid, cv=2, scoring="neg_brier_score")
    shares = []
    for specificity in (0.05, 0.99):
        rule = WithThreshold(SensitivityAt(specificity), thresholds=np.linspace(0, 1, 20))
        result = DirectBootstrap(selection=rule, **few).estimate(model, X, y)
        demand = result.details["demand"]
        assert demand["reached"] is None and demand["is_reached"] is None
        notes = [note for note in result.details["notes"] if "specificity" in note]
        assert ("of the draws no threshold reached" in notes[0]) == (demand["share_reached"] < 1)
        assert "report='specificity'" in notes[-1]
        shares.append(demand["share_reached"])
    assert shares[0] == 1 > shares[1]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_one_minus_a_probability_reaches_a_small_threshold(kind):
    """1 - 0.998 is below 0.002 by rounding, in single precision by much more than 0.002 has."""
    y = np.arange(20) % 2
    risk = np.where(np.arange(20) < 5, 0.999, 0.998).astype(kind)[:, None]
    rule = WithThreshold(make_scorer(f1_score, pos_label=0), thresholds=[0.002])
    method = BBC(selection=rule, n_bootstraps=20, random_state=0)
    result = method.estimate(OOFPredictions(y_true=y, y_pred=risk), "neg_brier_score")
    tn, fp, fn, tp = result.details["cells"][0]
    assert (tn, fp) == (2, 8) and (fn, tp) == (3, 7)  # the first five are 1, 0 of class 0, 1


@pytest.mark.parametrize(("positive", "better"), [(0, True), (1, False)])
def test_one_half_is_the_first_class_for_the_model_itself(positive, better):
    y = np.arange(20) % 2
    risk = np.where(y == positive, 0.5, 0.8 if positive == 0 else 0.2)[:, None]
    rule = WithThreshold(make_scorer(f1_score, pos_label=positive), thresholds=[0.9])
    method = BBC(selection=rule, n_bootstraps=20, random_state=0)
    result = method.estimate(OOFPredictions(y_true=y, y_pred=risk), "neg_brier_score")
    assert result.details.get("better_own_threshold") == (0.5 if better else None)
