"""Metrics within folds: against scikit-learn fold by fold, and pairs counted one by one."""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, f1_score, make_scorer, r2_score

from sklearn_bbc import OOFPredictions, _native
from sklearn_bbc.intervals import BBC, BBCF, PooledBootstrap, ShrunkenBBC
from sklearn_bbc.metrics import as_metric, concordance_index_score, within_folds

from .repeated_rows import check_consistency, draw_counts

pytestmark = pytest.mark.usefixtures("kernels")


def binary(rng, n=40, n_configs=4, n_folds=4, levels=None):
    y = rng.permutation(np.arange(n) % 2)
    scores = y + rng.normal(size=(n_configs, n)) + 3 * np.arange(n)[None] / n
    if levels:
        scores = np.floor(scores * levels) / levels
    return y, scores, rng.permutation(np.arange(n) % n_folds)


def pairs_counted(y, score, fold, weight):
    """Share of the pairs of one fold in the right order, from a table of all pairs."""
    positive, negative = np.flatnonzero(y == 1)[:, None], np.flatnonzero(y == 0)
    pairs = weight[positive] * weight[negative] * (fold[positive] == fold[negative])
    right = (score[positive] > score[negative]) + 0.5 * (score[positive] == score[negative])
    return (pairs * right).sum() / pairs.sum() if pairs.any() else np.nan


@given(seed=st.integers(0, 10**6), levels=st.sampled_from([None, 2]))
def test_auc_is_the_share_of_the_pairs_of_one_fold(seed, levels):
    rng = np.random.default_rng(seed)
    y, scores, fold = binary(rng, n=24, n_configs=2, levels=levels)
    oof = OOFPredictions(y_true=y, y_pred=scores.T, fold=fold)
    kernel = within_folds("roc_auc").bind(oof)
    counts = draw_counts(rng, 8, len(y))
    expected = [[pairs_counted(y, s, fold, count) for s in scores] for count in counts]
    np.testing.assert_allclose(kernel.scores(counts), expected, rtol=1e-12)
    weights = counts * rng.random(len(y))
    expected = [[pairs_counted(y, s, fold, weight) for s in scores] for weight in weights]
    np.testing.assert_allclose(kernel.scores(weights), expected, rtol=1e-12, atol=1e-12)
    check_consistency(kernel, counts)
    check_consistency(kernel, weights)


def weighted_mean(function, y, pred, fold, weight, size):
    """Mean over the folds of a function with sample weights, by hand."""
    total = norm = 0.0
    for each in np.unique(fold):
        rows = fold == each
        if (share := size(y[rows], weight[rows])) > 0:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                total += share * function(y[rows], pred[rows], sample_weight=weight[rows])
            norm += share
    return total / norm if norm else np.nan


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("scoring", "function", "labels", "size"),
    [
        ("average_precision", average_precision_score, False, lambda y, w: w[y == 1].sum()),
        ("f1", f1_score, True, lambda y, w: w.sum()),
        ("r2", r2_score, False, lambda y, w: w.sum()),
    ],
)
def test_other_metrics_are_weighted_means_over_folds(scoring, function, labels, size):
    rng = np.random.default_rng(1)
    y, scores, fold = binary(rng, n=60, n_configs=3)
    pred = (scores > 1.5).astype(int) if labels else scores
    target = y + rng.normal(size=60) if scoring == "r2" else y
    oof = OOFPredictions(y_true=target, y_pred=pred.T, fold=fold)
    kernel = within_folds(scoring).bind(oof)
    counts = np.vstack([np.ones(60, dtype=int), rng.multinomial(60, np.full(60, 1 / 60), size=2)])
    for weights in (counts, counts * rng.random(60)):
        expected = [
            [weighted_mean(function, target, p, fold, w, size) for p in pred] for w in weights
        ]
        np.testing.assert_allclose(kernel.scores(weights), expected, rtol=1e-11, atol=1e-12)
        check_consistency(kernel, weights)


@pytest.mark.parametrize("scoring", ["roc_auc_ovr", "roc_auc_ovo", "roc_auc_ovr_weighted"])
def test_several_classes_compare_each_part_within_folds(scoring):
    rng = np.random.default_rng(2)
    n, fold = 60, np.arange(60) // 3 % 4
    y = np.arange(n) % 3
    raw = rng.random((3, n, 3)) + (y[:, None] == np.arange(3)) * 0.3
    proba = raw / raw.sum(axis=2, keepdims=True)
    oof = OOFPredictions.from_rows(y_true=y, responses={"predict_proba": proba}, fold=fold)
    kernel = within_folds(scoring).bind(oof)
    counts = rng.multinomial(n, np.full(n, 1 / n), size=8)
    for count in counts:
        for config, p in enumerate(proba):
            if scoring == "roc_auc_ovo":
                parts = [(a, b) for a in range(3) for b in range(3) if a != b]
                shares = np.ones(len(parts))
            else:
                parts, shares = [(a, None) for a in range(3)], np.ones(3)
                if scoring.endswith("weighted"):
                    shares = np.array([count[y == a].sum() for a in range(3)])
            scores = []
            for a, b in parts:
                rows = np.ones(n, dtype=bool) if b is None else np.isin(y, (a, b))
                scores.append(
                    pairs_counted((y[rows] == a).astype(int), p[rows, a], fold[rows], count[rows])
                )
            expected = np.average(scores, weights=shares)
            assert kernel.scores(count[None])[0, config] == pytest.approx(expected, rel=1e-12)
    check_consistency(kernel, counts)


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_average_precision_of_several_classes(average):
    rng = np.random.default_rng(3)
    n, fold = 60, np.arange(60) // 3 % 4
    y = np.arange(n) % 3
    raw = rng.random((2, n, 3)) + (y[:, None] == np.arange(3)) * 0.3
    proba = raw / raw.sum(axis=2, keepdims=True)
    oof = OOFPredictions.from_rows(y_true=y, responses={"predict_proba": proba}, fold=fold)
    scorer = make_scorer(average_precision_score, response_method="predict_proba", average=average)
    counts = rng.multinomial(n, np.full(n, 1 / n), size=6)
    kernel = within_folds(scorer).bind(oof)

    def of_rows(*rows):
        return weighted_mean(average_precision_score, *rows, lambda y, w: w[y == 1].sum())

    for count in counts:
        has = (y[:, None] == np.arange(3)).astype(int)
        if average == "micro":
            three_times = np.repeat(fold, 3), np.repeat(count, 3)
            expected = of_rows(has.ravel(), proba[0].ravel(), *three_times)
        else:
            expected = np.mean([of_rows(has[:, k], proba[0][:, k], fold, count) for k in range(3)])
        assert kernel.scores(count[None])[0, 0] == pytest.approx(expected, rel=1e-12)
    check_consistency(kernel, counts)


def test_concordance_counts_folds_by_their_comparable_pairs():
    rng = np.random.default_rng(4)
    n, fold = 40, np.arange(40) % 4
    time, event = rng.integers(1, 12, size=n).astype(float), rng.random(n) < 0.7
    risk = -time + rng.normal(size=(3, n)) * 3 + 5 * fold
    y = np.column_stack([event, time])
    oof = OOFPredictions(y_true=y, y_pred=risk.T, fold=fold, classes=None)
    metric = within_folds(make_scorer(concordance_index_score))
    kernel = metric.bind(oof)
    for count in rng.multinomial(n, np.full(n, 1 / n), size=10):
        right = pairs = 0.0
        for i in np.flatnonzero(event):
            for j in np.flatnonzero(fold == fold[i]):
                if time[j] > time[i] or (time[j] == time[i] and not event[j]):
                    pairs += count[i] * count[j]
                    ordered = (risk[0, i] > risk[0, j]) + 0.5 * (risk[0, i] == risk[0, j])
                    right += count[i] * count[j] * ordered
        assert kernel.scores(count[None])[0, 0] == pytest.approx(right / pairs, rel=1e-12)
    check_consistency(kernel, rng.multinomial(n, np.full(n, 1 / n), size=20))


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss", "neg_mean_squared_error"])
def test_a_mean_over_samples_is_itself(scoring):
    rng = np.random.default_rng(5)
    y, scores, fold = binary(rng)
    proba = 1 / (1 + np.exp(-scores))
    oof = OOFPredictions.from_rows(y_true=y, responses={"predict_proba": proba}, fold=fold)
    if scoring == "neg_mean_squared_error":
        oof = OOFPredictions(y_true=y + 0.5, y_pred=scores.T, fold=fold)
    counts = draw_counts(rng, 8, len(y))
    np.testing.assert_array_equal(
        within_folds(scoring).bind(oof).scores(counts), as_metric(scoring).bind(oof).scores(counts)
    )


def test_shifting_the_scores_of_a_fold_changes_nothing():
    rng = np.random.default_rng(6)
    y, scores, fold = binary(rng, n=60)
    shifted = scores + 10 * rng.normal(size=4)[fold]
    results = [
        BBC(n_bootstraps=200, random_state=0).estimate(
            OOFPredictions(y_true=y, y_pred=each.T, fold=fold), within_folds("roc_auc")
        )
        for each in (scores, shifted)
    ]
    np.testing.assert_array_equal(results[0].draws, results[1].draws)


def test_a_draw_without_a_pair_in_any_fold_is_undefined():
    y, fold = np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])
    oof = OOFPredictions(y_true=y, y_pred=np.array([[1.0, 2, 3, 4], [2, 1, 4, 3]]).T, fold=fold)
    kernel = within_folds("roc_auc").bind(oof)
    across = np.array([[1, 0, 0, 1], [1, 1, 0, 0]])  # both classes, but never in one fold
    np.testing.assert_array_equal(kernel.scores(across), [[np.nan, np.nan], [1, 0]])
    np.testing.assert_array_equal(kernel.winners(across), [-1, 0])


def test_repeats_and_weights():
    rng = np.random.default_rng(7)
    y, first, fold = binary(rng)
    second, weight = binary(rng)[1], rng.integers(1, 4, len(y))
    other = rng.permutation(fold)
    n = len(y)
    oof = OOFPredictions.from_rows(
        y_true=y,
        responses={"decision_function": np.hstack([first, second])},
        sample=np.tile(np.arange(n), 2),
        fold=np.concatenate([fold, 4 + other]),
        repeat=np.repeat([0, 1], n),
        sample_weight=weight,
    )
    count = rng.multinomial(n, np.full(n, 1 / n))
    expected = np.mean(
        [
            pairs_counted(y, first[1], fold, count * weight),
            pairs_counted(y, second[1], other, count * weight),
        ]
    )
    kernel = within_folds("roc_auc").bind(oof)
    assert kernel.scores(count[None])[0, 1] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("method", [BBC(), BBCF(), ShrunkenBBC(), PooledBootstrap()])
def test_every_method_on_predictions_takes_it(method):
    rng = np.random.default_rng(8)
    y, scores, fold = binary(rng, n=60)
    oof = OOFPredictions(y_true=y, y_pred=scores.T, fold=fold)
    if "n_bootstraps" in method.get_params():
        method.set_params(n_bootstraps=200, random_state=0)
    result = method.estimate(oof, within_folds("roc_auc"))
    assert result.metric == "roc_auc within folds"
    assert result.low <= result.estimate <= result.high


def test_names_pickles_and_asking_twice():
    metric = within_folds("roc_auc")
    assert within_folds(metric) is metric
    again = pickle.loads(pickle.dumps(metric))
    assert (again.name, again.pooled.name) == ("roc_auc within folds", "roc_auc")
    assert metric.bounds == (0.0, 1.0)


def test_recorded_scores_of_folds_are_used():
    oof = OOFPredictions.from_fold_scores({"roc_auc": np.array([[0.7, 0.8], [0.6, 0.9]])})
    np.testing.assert_array_equal(
        within_folds("roc_auc").fold_scores(oof), oof.fold_scores["roc_auc"]
    )


@pytest.mark.skipif(not _native.available(), reason=_native.status())
@given(seed=st.integers(0, 10**6), levels=st.sampled_from([None, 2]))
def test_average_precision_is_the_same_in_c_and_numpy(seed, levels):
    rng = np.random.default_rng(seed)
    n_folds = int(rng.integers(2, 12))
    y, scores, fold = binary(rng, n=30, n_configs=6, n_folds=n_folds, levels=levels)
    oof = OOFPredictions(y_true=y, y_pred=scores.T, fold=fold)
    counts = rng.multinomial(30, np.full(30, 1 / 30), size=50)
    found = []
    for native in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_native, "available", lambda native=native: native)
            kernel = within_folds("average_precision").bind(oof)
            found.append((kernel.scores(counts), kernel.winners(counts)))
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=1e-12)
    np.testing.assert_array_equal(found[0][1], found[1][1])
