"""The kernel of the binary area under the ROC curve, against scikit-learn and exact values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import make_scorer, roc_auc_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import as_metric

pytestmark = pytest.mark.usefixtures("kernels")

# Above and below the number of draws from which draws lie side by side.
MANY, FEW = 40, 3


def make_data(seed, n_samples=30, n_configs=6, levels=None, n_positive=None):
    """Labels and scores; `levels` rounds the scores so that they tie."""
    rng = np.random.default_rng(seed)
    n_positive = n_samples // 2 if n_positive is None else n_positive
    y = np.zeros(n_samples, dtype=int)
    y[rng.permutation(n_samples)[:n_positive]] = 1
    scores = rng.normal(size=(n_samples, n_configs)) + y[:, None] * rng.uniform(-1, 2, n_configs)
    if levels is not None:
        scores = np.round(scores * levels) / levels
    return y, scores


def bind(y, scores, scoring="roc_auc", **kwargs):
    return as_metric(scoring).bind(OOFPredictions(y_true=y, y_pred=scores, **kwargs))


def draw_counts(rng, n_draws, n_samples):
    picks = rng.integers(n_samples, size=(n_draws, n_samples))
    return np.stack([np.bincount(row, minlength=n_samples) for row in picks]).astype(np.uint8)


def draw_weights(rng, n_draws, n_samples):
    """Weights over ten orders of magnitude, some of them 0."""
    weights = 10 ** rng.uniform(-5, 5, size=(n_draws, n_samples))
    weights[rng.random(weights.shape) < 0.2] = 0
    return weights


def expected(y, scores, weight):
    """scikit-learn's value, NaN where a class has no weight."""
    if len(np.unique(y[weight > 0])) < 2:
        return np.nan
    return roc_auc_score(y, scores, sample_weight=weight)


settings_of_data = {
    "seed": st.integers(0, 10**6),
    "n_samples": st.integers(4, 60),
    "levels": st.sampled_from([None, 4, 1, 0.3]),
    "share": st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]),
}


def some_data(seed, n_samples, levels, share):
    n_positive = int(np.clip(round(share * n_samples), 1, n_samples - 1))
    y, scores = make_data(seed, n_samples, 6, levels, n_positive)
    scores[:, 2] = scores[:, 1]
    scores[:, 3] = 0.5
    scores[:, 4] = y
    return y, scores, np.random.default_rng(seed)


@given(**settings_of_data)
def test_scores_equal_scikit_learn_on_weights_and_on_repeated_rows(**how):
    y, scores, rng = some_data(**how)
    counts = draw_counts(rng, MANY, len(y))
    kernel = bind(y, scores)
    assert kernel.family == "roc_auc"
    found = kernel.scores(counts)
    for draw in range(2):
        repeated = np.repeat(np.arange(len(y)), counts[draw])
        for config in (0, 3, 5):
            of_weights = expected(y, scores[:, config], counts[draw])
            assert found[draw, config] == pytest.approx(of_weights, abs=1e-12, nan_ok=True)
            if not np.isnan(of_weights):
                of_rows = roc_auc_score(y[repeated], scores[repeated, config])
                assert found[draw, config] == pytest.approx(of_rows, abs=1e-12)


@given(**settings_of_data)
def test_scores_equal_scikit_learn_on_any_weights(**how):
    y, scores, rng = some_data(**how)
    weights = draw_weights(rng, MANY, len(y))
    found = bind(y, scores).scores(weights)
    for draw in range(2):
        for config in (1, 4, 5):
            value = expected(y, scores[:, config], weights[draw])
            assert found[draw, config] == pytest.approx(value, abs=1e-12, nan_ok=True)


@given(whole=st.booleans(), **settings_of_data)
def test_winner_is_the_first_of_the_best(whole, **how):
    y, scores, rng = some_data(**how)
    weights = (draw_counts if whole else draw_weights)(rng, MANY, len(y))
    kernel = bind(y, scores)
    values = kernel.scores(weights)
    best = np.where(np.isnan(values).all(axis=1), -1, np.argmax(np.nan_to_num(values), axis=1))
    np.testing.assert_array_equal(kernel.winners(weights), best)
    np.testing.assert_array_equal(kernel.winners(weights[:FEW]), best[:FEW])


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
    oof = OOFPredictions(
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


def every_draw(n_samples):
    """All sequences of picks with replacement, as counts."""
    picks = np.stack(np.meshgrid(*[np.arange(n_samples)] * n_samples, indexing="ij"), axis=-1)
    picks = picks.reshape(-1, n_samples)
    return (picks[:, :, None] == np.arange(n_samples)).sum(axis=1).astype(np.uint8)


# Six samples of which the published reference enumerates every draw (methods 6.1).
SMALL_Y = np.array([0, 0, 0, 1, 1, 1])
SMALL_SCORES = np.array([[0.1, 0.4, 0.35, 0.8, 0.4, 0.9], [0.5, 0.2, 0.3, 0.6, 0.7, 0.25]]).T


def test_bootstrap_over_every_draw_has_its_exact_mean():
    kernel = bind(SMALL_Y, SMALL_SCORES)
    np.testing.assert_array_equal(kernel.scores(np.ones((1, 6)))[0], [17 / 18, 7 / 9])
    counts = every_draw(6)
    assert len(counts) == 46656
    in_bag = (counts > 0).astype(int) @ kernel.strata.T
    counts = counts[((in_bag > 0) & (in_bag < 3)).all(axis=1)]
    assert len(counts) == 24318
    scores = kernel.score_of(counts == 0, kernel.winners(counts))
    assert scores.mean() == pytest.approx(0.7704580969, abs=5e-11)
    assert np.sort(scores)[int(0.05 * len(scores))] == 0


def test_bbc_converges_to_the_exact_mean():
    oof = OOFPredictions(y_true=SMALL_Y, y_pred=SMALL_SCORES)
    result = BBC(n_bootstraps=20_000, random_state=0).estimate(oof, "roc_auc")
    # Standard deviation of a draw is below 0.31.
    assert result.estimate == pytest.approx(0.7704580969, abs=4 * 0.31 / np.sqrt(20_000))
    # About 48 of 100 sequences leave a class out.
    assert result.details["n_redrawn"] == pytest.approx(20_000 * 22338 / 24318, rel=0.05)
