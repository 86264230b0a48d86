"""The kernel of the binary area under the ROC curve, against scikit-learn and exact values."""

import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import make_scorer, roc_auc_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import as_metric
from tests.made import made
from tests.metrics.ranking.ranked import (
    FEW,
    MANY,
    draw_counts,
    draw_weights,
    make_data,
    settings_of_data,
    some_data,
)

pytestmark = pytest.mark.usefixtures("kernels")


def bind(y, scores, scoring="roc_auc", **kwargs):
    return as_metric(scoring).bind(made(y_true=y, y_pred=scores, **kwargs))


def expected(y, scores, weight):
    """scikit-learn's value, NaN where a class has no weight."""
    if len(np.unique(y[weight > 0])) < 2:
        return np.nan
    return roc_auc_score(y, scores, sample_weight=weight)


@given(**settings_of_data)
def test_scores_equal_scikit_learn_on_any_weights(**how):
    y, scores, rng = some_data(**how)
    weights = draw_weights(rng, MANY, len(y))
    found = bind(y, scores).scores(weights)
    for draw in range(2):
        for config in (1, 4, 5):
            value = expected(y, scores[:, config], weights[draw])
            assert found[draw, config] == pytest.approx(value, abs=1e-12, nan_ok=True)


def test_a_tie_that_is_known_half_way_still_goes_to_the_first():
    # Both lose at their lowest positives only. The first is worse on one more sample,
    # which is in no draw, and so has its turn after the second.
    y = np.repeat([0, 1], 100)
    second = np.arange(200.0)
    second[100:110] = 50.5
    first = second.copy()
    first[150] = -1
    counts = draw_counts(np.random.default_rng(28), MANY, 200)
    counts[:, 150] = 0
    kernel = bind(y, np.column_stack([first, second]))
    assert kernel.winners(np.ones((MANY, 200), np.uint8)).tolist() == [1] * MANY
    assert kernel.winners(counts).tolist() == [0] * MANY


def test_equal_ranks_are_a_tie_and_the_first_wins():
    y, scores = make_data(4, 40, 3)
    alike = np.column_stack([scores[:, 0] * 0, scores[:, 1], np.exp(scores[:, 1]), scores[:, 1]])
    kernel = bind(y, alike)
    for weights in (
        draw_counts(np.random.default_rng(5), MANY, 40),
        draw_weights(np.random.default_rng(5), MANY, 40),
    ):
        values = kernel.scores(weights)
        np.testing.assert_array_equal(values[:, 1], values[:, 2])
        assert set(kernel.winners(weights)) <= {0, 1}


def test_constant_scores_are_worth_one_half_and_perfect_ones_one():
    y, _ = make_data(6, 40)
    constant = np.zeros(40)
    kernel = bind(y, np.column_stack([constant, constant + 3, y, -y]))
    for draw in (draw_counts, draw_weights):
        weights = draw(np.random.default_rng(7), MANY, 40)
        expected_scores = np.tile([0.5, 0.5, 1.0, 0.0], (MANY, 1))
        found = kernel.scores(weights)
        np.testing.assert_allclose(found, expected_scores, rtol=0, atol=1e-14)
        assert found.min() >= 0
        assert (found[:, 2] == 1).all()


def test_missing_class_is_undefined_and_leaves_other_draws_alone():
    y, scores = make_data(8, 30, 4)
    counts = draw_counts(np.random.default_rng(9), MANY, 30)
    kernel = bind(y, scores)
    values, winners = kernel.scores(counts), kernel.winners(counts)
    broken = counts.copy()
    broken[3, y == 1] = 0
    broken[7, y == 0] = 0
    broken[11] = 0
    bad = [3, 7, 11]
    for weights in (broken, broken.astype(float)):
        found = kernel.scores(weights)
        assert np.isnan(found[bad]).all()
        np.testing.assert_array_equal(
            np.delete(found, bad, axis=0), np.delete(values, bad, axis=0)
        )
        assert (kernel.winners(weights)[bad] == -1).all()
        np.testing.assert_array_equal(
            np.delete(kernel.winners(weights), bad), np.delete(winners, bad)
        )
        assert np.isnan(kernel.score_of(weights, 0)[bad]).all()
    assert np.isnan(kernel.scores(broken[bad])).all()
    assert (kernel.winners(broken[bad]) == -1).all()


def test_a_class_that_no_sample_has():
    _, scores = make_data(27, 30, 3)
    for y in (np.zeros(30, int), np.ones(30, int)):
        kernel = bind(y, scores, classes=[0, 1])
        for counts in (np.ones((2, 30), np.uint8), np.ones((MANY, 30), np.uint8)):
            assert np.isnan(kernel.scores(counts)).all()
            assert (kernel.winners(counts) == -1).all()


def test_monotone_transforms_and_relabelling_change_nothing():
    y, scores = make_data(10, 50, 4, levels=3)
    counts = draw_counts(np.random.default_rng(11), MANY, 50)
    kernel = bind(y, scores)
    moved = bind(y, np.column_stack([np.exp(scores[:, 0]), scores[:, 1] ** 3, scores[:, 2:] - 9]))
    turned = bind(1 - y, -scores)
    order = np.random.default_rng(12).permutation(50)
    shuffled = bind(y[order], scores[order])
    for other, weights in ((moved, counts), (turned, counts), (shuffled, counts[:, order])):
        np.testing.assert_array_equal(other.scores(weights), kernel.scores(counts))
        np.testing.assert_array_equal(other.winners(weights), kernel.winners(counts))


def test_more_pairs_than_32_bits_can_count():
    # Twice the number of misplaced pairs is 2 * 35,000^2, above 2^31.
    y = np.arange(70_000) % 2
    wrong = -y + np.random.default_rng(17).choice([0.0, 1.0], len(y), p=[0.9, 0.1])
    kernel = bind(y, np.column_stack([wrong, -y, wrong]))
    counts = draw_counts(np.random.default_rng(18), MANY, len(y))
    found = kernel.scores(counts)
    assert found[0, 0] == pytest.approx(
        roc_auc_score(y, wrong, sample_weight=counts[0]), abs=1e-12
    )
    assert (found[:, 1] == 0).all()
    np.testing.assert_array_equal(found[:FEW], kernel.scores(counts[:FEW]))
    assert (kernel.winners(counts) == 0).all()


@pytest.mark.parametrize(
    "labels", [("healthy", "ill"), (False, True), (-1, 1), (1, 2), (0.0, 1.0)]
)
def test_second_class_is_positive(labels):
    y, scores = make_data(19, 30, 2)
    kernel = bind(np.array(labels)[y], scores)
    assert kernel.family == "roc_auc"
    assert kernel.strata_names == [f"class {label}" for label in labels]
    assert kernel.scores(np.ones((1, 30)))[0, 0] == pytest.approx(roc_auc_score(y, scores[:, 0]))


def test_predicted_labels_as_scores():
    y, scores = make_data(20, 30, 2)
    predicted = (scores > 0.5).astype(int)
    oof = OOFPredictions.from_rows(
        y_true=y, responses={"predict": predicted.T}, fold=np.arange(30) % 5, sample=np.arange(30)
    )
    kernel = as_metric(make_scorer(roc_auc_score)).bind(oof)
    assert kernel.family == "roc_auc"
    assert kernel.scores(np.ones((1, 30)))[0, 1] == pytest.approx(
        roc_auc_score(y, predicted[:, 1])
    )


def test_loss_orientation_looks_for_the_smallest_area():
    y, scores = make_data(21, 60, 8)
    scorer = make_scorer(
        roc_auc_score, greater_is_better=False, response_method="decision_function"
    )
    counts = draw_counts(np.random.default_rng(22), MANY, 60)
    kernel = bind(y, scores, scorer)
    np.testing.assert_array_equal(
        kernel.winners(counts), bind(y, scores).scores(counts).argmin(axis=1)
    )
    assert (kernel.scores(counts) <= 0).all()


def test_partial_area_goes_another_way():
    y, scores = make_data(23, 40, 2)
    for max_fpr, family in ((0.3, "replay"), (1.0, "roc_auc"), (None, "roc_auc")):
        scorer = make_scorer(roc_auc_score, response_method="decision_function", max_fpr=max_fpr)
        kernel = bind(y, scores, scorer)
        assert kernel.family == family
        assert kernel.scores(np.ones((1, 40), int))[0, 0] == pytest.approx(
            roc_auc_score(y, scores[:, 0], max_fpr=max_fpr)
        )


def test_a_class_with_one_sample_is_named():
    y, scores = make_data(26, 20, 2, n_positive=1)
    with pytest.raises(
        UndefinedIntervalError, match="cannot bootstrap roc_auc: class 1 has 1 sam"
    ):
        BBC(random_state=0).estimate(OOFPredictions(y_true=y, y_pred=scores), "roc_auc")
