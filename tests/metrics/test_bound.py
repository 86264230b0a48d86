"""BoundMetric: repeats, weights, signs, failed and equal configurations, strata, folds."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.metrics import (
    average_precision_score,
    f1_score,
    log_loss,
    make_scorer,
    mean_squared_error,
    roc_auc_score,
)

from sklearn_bbc import OOFPredictions, _native
from sklearn_bbc.contest._question import metric_for
from sklearn_bbc.exceptions import SlowMetricWarning
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.predictions._predictions import with_fields
from sklearn_bbc.testing import example_predictions
from tests.made import made

N = 30
Y = np.arange(N) % 2
RNG = np.random.default_rng(0)
SCORES = RNG.normal(size=(N, 4)) + Y[:, None]
ONES = np.ones((1, N), dtype=np.uint8)


def plain(y_pred=SCORES, **fields):
    return made(**{"y_true": Y, "y_pred": y_pred, "fold": np.arange(N) // 2 % 5, **fields})


def draws(n=6):
    return RNG.multinomial(N, np.full(N, 1 / N), n).astype(np.uint8)


def test_scores_are_those_of_scikit_learn():
    kernel = as_metric("roc_auc").bind(plain())
    expected = [roc_auc_score(Y, column) for column in SCORES.T]
    np.testing.assert_allclose(kernel.scores(ONES)[0], expected, atol=1e-15)
    assert kernel.family == "roc_auc"
    assert kernel.response == "plain"


def test_losses_are_negative_and_the_smallest_wins():
    y = RNG.normal(size=N)
    pred = y[:, None] + RNG.normal(size=(N, 4)) * [2, 0.5, 1, 3]
    kernel = as_metric("neg_mean_squared_error").bind(plain(pred, y_true=y))
    expected = [-mean_squared_error(y, column) for column in pred.T]
    np.testing.assert_allclose(kernel.scores(ONES)[0], expected, rtol=1e-12)
    assert kernel.winners(ONES)[0] == 1
    np.testing.assert_allclose(kernel.score_of(ONES, 1), expected[1], rtol=1e-12)


def test_failed_and_undefined_configurations():
    scores = np.array(SCORES)
    scores[3, 1] = np.nan
    kernel = as_metric("roc_auc").bind(plain(scores, failed=[True, False, False, False]))
    np.testing.assert_array_equal(kernel.valid, [False, False, True, True])
    np.testing.assert_array_equal(np.isnan(kernel.scores(ONES)[0]), ~kernel.valid)
    assert kernel.winners(ONES)[0] in (2, 3)
    np.testing.assert_array_equal(kernel.score_of(ONES, 0), np.nan)
    np.testing.assert_array_equal(kernel.score_of(ONES, np.array([-1])), np.nan)
    assert np.isnan(kernel.fold_scores()[:, :2]).all()


def test_undefined_draws():
    kernel = as_metric("roc_auc").bind(plain())
    one_class = (Y == 1)[None]
    assert np.isnan(kernel.scores(one_class)).all()
    assert kernel.winners(one_class)[0] == -1
    assert np.isnan(kernel.score_of(one_class, 0)[0])


def test_repeats_are_averaged():
    stack = np.stack([SCORES, SCORES[:, ::-1], RNG.normal(size=(N, 4))])
    kernel = as_metric("roc_auc").bind(plain(stack, fold=None))
    weights = draws()
    parts = [as_metric("roc_auc").bind(plain(part)).scores(weights) for part in stack]
    np.testing.assert_allclose(kernel.scores(weights), np.mean(parts, axis=0), atol=1e-15)
    np.testing.assert_array_equal(kernel.winners(weights), np.mean(parts, axis=0).argmax(axis=1))


def test_rows_find_their_samples():
    """Rows in any order, samples with several rows or none."""
    sample = np.array([3, 3, 7, 0, 12, 12, 12, 25, 26])
    responses = {"decision_function": RNG.normal(size=(2, 9))}
    oof = OOFPredictions.from_rows(
        y_true=Y, responses=responses, sample=sample, fold=np.arange(9) % 3
    )
    kernel = as_metric("roc_auc").bind(oof)
    weights = draws(1)
    rows = np.repeat(np.arange(9), weights[0][oof.sample])
    expected = roc_auc_score(Y[oof.sample[rows]], oof.matrix("roc_auc")[rows, 0])
    assert kernel.scores(weights)[0, 0] == pytest.approx(expected, abs=1e-15)


def test_sample_weights_multiply():
    weight = RNG.random(N)
    kernel = as_metric("roc_auc").bind(plain(sample_weight=weight))
    weights = draws(1)
    expected = [roc_auc_score(Y, column, sample_weight=weight * weights[0]) for column in SCORES.T]
    np.testing.assert_allclose(kernel.scores(weights)[0], expected, atol=1e-13)


def test_strata_are_about_samples():
    kernel = as_metric("roc_auc").bind(plain())
    names = dict(zip(kernel.strata_names, kernel.strata))
    np.testing.assert_array_equal(names["class 1"], Y == 1)
    np.testing.assert_array_equal(names["class 0"], Y == 0)
    assert as_metric("accuracy").bind(plain((SCORES > 0) * 1)).strata is None


def test_samples_without_weight_are_in_no_stratum():
    weight = (np.arange(N) < 10) * 1.0
    kernel = as_metric("roc_auc").bind(plain(sample_weight=weight))
    assert not kernel.strata[:, 10:].any()
    kernel = as_metric("accuracy").bind(plain((SCORES > 0) * 1, sample_weight=weight))
    np.testing.assert_array_equal(kernel.strata, [weight > 0])


def test_fold_scores_are_those_of_each_fold():
    oof = plain()
    expected = [
        [roc_auc_score(Y[oof.fold == k], column[oof.fold == k]) for column in SCORES.T]
        for k in range(5)
    ]
    np.testing.assert_allclose(as_metric("roc_auc").bind(oof).fold_scores(), expected, atol=1e-15)
    np.testing.assert_allclose(as_metric("roc_auc").fold_scores(oof), expected, atol=1e-15)


def test_fold_scores_with_weights_and_undefined_folds():
    weight = RNG.random(N)
    fold = np.where(Y == 1, np.arange(N) % 4, 4)  # the last fold has one class, as all have
    fold[:8] = 5
    kernel = as_metric("roc_auc").bind(plain(fold=fold, sample_weight=weight))
    scores = kernel.fold_scores()
    defined = ~np.isnan(scores).all(axis=1)
    assert defined.sum() == 1
    expected = roc_auc_score(Y[:8], SCORES[:8, 2], sample_weight=weight[:8])
    assert scores[defined][0, 2] == pytest.approx(expected, abs=1e-13)


def test_recorded_fold_scores_come_first():
    recorded = RNG.random((5, 4))
    oof = plain(fold_scores={"roc_auc": recorded})
    np.testing.assert_array_equal(as_metric("roc_auc").fold_scores(oof), recorded)
    with pytest.raises(ValueError, match=r"no fold scores of 'f1'; known are \['roc_auc'\]"):
        as_metric("f1").fold_scores(OOFPredictions.from_fold_scores({"roc_auc": recorded}))


# --- the positive class ------------------------------------------------------------------

LABELS = np.array(["no", "yes"])


def recorded(classes=LABELS, methods=("predict", "predict_proba", "decision_function")):
    proba = 1 / (1 + np.exp(-SCORES.T))
    responses = {
        "predict": (SCORES.T > 0).astype(int),
        "predict_proba": proba,
        "decision_function": SCORES.T,
    }
    return OOFPredictions.from_rows(
        y_true=classes[Y], responses={name: responses[name] for name in methods}
    )


@pytest.mark.parametrize("pos_label", ["no", "yes"])
@pytest.mark.parametrize("response_method", ["predict_proba", "decision_function"])
def test_scores_turn_towards_the_positive_label(pos_label, response_method):
    scorer = make_scorer(
        average_precision_score, response_method=response_method, pos_label=pos_label
    )
    kernel = as_metric(scorer).bind(recorded())
    sign = 1 if pos_label == "yes" else -1
    expected = [average_precision_score(Y == (sign > 0), sign * column) for column in SCORES.T]
    np.testing.assert_allclose(kernel.scores(ONES)[0], expected, atol=1e-12)


def test_a_default_positive_label_counts_too():
    """average_precision_score takes 1 by default, the first of the classes 1 and 2."""
    kernel = as_metric("average_precision").bind(recorded(np.array([1, 2])))
    expected = [average_precision_score(Y == 0, -column) for column in SCORES.T]
    np.testing.assert_allclose(kernel.scores(ONES)[0], expected, atol=1e-12)


def test_a_positive_label_that_is_no_class():
    with pytest.raises(ValueError, match=r"pos_label=1, but the classes are.*make_scorer"):
        as_metric("average_precision").bind(recorded())


def test_labels_have_their_own_positive_label():
    scorer = make_scorer(f1_score, pos_label="no")
    kernel = as_metric(scorer).bind(recorded())
    expected = [f1_score(Y == 0, column <= 0) for column in SCORES.T]
    np.testing.assert_allclose(kernel.scores(ONES)[0], expected, atol=1e-12)


def test_probabilities_of_the_positive_class_are_enough_for_log_loss():
    kernel = as_metric("neg_log_loss").bind(recorded())
    expected = [-log_loss(Y, 1 / (1 + np.exp(-column))) for column in SCORES.T]
    np.testing.assert_allclose(kernel.scores(ONES)[0], expected, rtol=1e-12)


# --- time --------------------------------------------------------------------------------


def test_kernels_take_no_time_worth_a_warning(recwarn):
    as_metric("roc_auc").bind(plain()).warn_if_slow(10**12)
    assert not recwarn.list


def test_a_slow_metric_is_announced_once():
    def slow(y_true, y_pred):
        return float(np.mean(y_pred))

    kernel = as_metric(make_scorer(slow)).bind(plain())
    kernel.seconds_per_score = 0.002
    kernel.warn_if_slow(2000, n_jobs=1)
    with pytest.warns(SlowMetricWarning, match=r"slow .* 300,000 times, 2 ms each.*10 minutes"):
        kernel.warn_if_slow(300_000, n_jobs=1)
    with pytest.warns(UserWarning, match="the only one") as seen:
        kernel.warn_if_slow(300_000, n_jobs=1)
        warnings.warn("the only one", stacklevel=1)
    assert len(seen) == 1


def test_fold_scores_of_some_configurations():
    oof = plain()
    kernel = as_metric("roc_auc").bind(oof)
    everything = kernel.fold_scores()
    some = kernel.fold_scores(configs=np.array([2, 0]))
    np.testing.assert_array_equal(some[:, [0, 2]], everything[:, [0, 2]])
    assert np.isnan(some[:, [1, 3]]).all()


PREVALENCE_FREE = ["roc_auc", "balanced_accuracy", "roc_auc_ovo"]
PREVALENCE = [
    "accuracy", "f1", "average_precision", "neg_log_loss", "neg_brier_score", "matthews_corrcoef",
    "roc_auc_ovo_weighted", "roc_auc_ovr", "roc_auc_ovr_weighted",
]  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", PREVALENCE_FREE + PREVALENCE)
def test_conditions_on_class_where_counting_a_class_twice_changes_nothing(name):
    rng = np.random.default_rng(0)
    n_classes = 3 if "_ov" in name else 2
    y = rng.integers(n_classes, size=60)
    proba = rng.dirichlet(np.ones(n_classes), size=60)
    labels = name in ("balanced_accuracy", "accuracy", "f1", "matthews_corrcoef")
    pred = proba.argmax(axis=1) if labels else proba
    response = "predict" if labels else "predict_proba"
    oof = OOFPredictions.from_rows(y_true=y, responses={response: pred[None]})
    metric = as_metric(name)
    kernel = metric.bind(oof)
    counts = np.stack([1 + (y == k) for k in range(-1, n_classes)]).astype(np.uint8)
    scores = kernel.scores(counts)[:, 0]
    unchanged = np.allclose(scores, scores[0], rtol=1e-12)
    assert kernel.conditions_on_class == unchanged == (name in PREVALENCE_FREE)

    def unknown(y_true, y_pred, **kwargs):
        return metric.score_func(y_true, y_pred, **kwargs)

    scorer = make_scorer(unknown, response_method=response, **metric.kwargs)
    replayed = as_metric(scorer).bind(oof)
    assert replayed.family == "replay"
    assert replayed.conditions_on_class == unchanged


def test_a_score_that_is_equal_in_both_classes_does_not_look_like_one_within_classes():
    y = np.repeat([0, 1], 20)
    pred = np.where(np.arange(40) % 4 == 0, 1 - y, y)  # 3 of 4 right in either class
    oof = OOFPredictions(y_true=y, y_pred=pred)
    own = make_scorer(lambda a, b: float(np.mean(a == b)))
    assert not as_metric(own).bind(oof).conditions_on_class
    values = OOFPredictions(y_true=np.linspace(0, 1, 9), y_pred=np.ones(9))
    assert not as_metric(own).bind(values).conditions_on_class


def test_overflow_in_a_kernel_brings_no_warning(recwarn):
    y = np.linspace(0, 1, 12)
    y_pred = y[:, None] + [1e300, -1e300]
    oof = OOFPredictions(y_true=y, y_pred=y_pred, classes=None, sample_weight=1e60 * y)
    for scoring in ("neg_mean_squared_error", "neg_mean_absolute_error", "r2"):
        kernel = as_metric(scoring).bind(oof)
        counts = np.ones((2, 12), dtype=np.uint8)
        kernel.scores(counts), kernel.winners(counts), kernel.score_of(counts, np.array([0, 1]))
        kernel.fold_scores(), kernel.pointwise(0)
    assert not recwarn.list


@pytest.mark.parametrize("scoring", ["roc_auc", "accuracy", "matthews_corrcoef"])
def test_scores_on_the_data_take_every_sample_once(scoring):
    oof = example_predictions(n_samples=30, n_configs=4)
    failed = np.arange(4) == 1
    kernel = as_metric(scoring).bind(with_fields(oof, failed=failed))
    expected = kernel.scores(np.ones((1, 30), dtype=np.uint8))[0]
    np.testing.assert_array_equal(kernel.on_data(), expected)
    assert np.isnan(expected[1]) and not np.isnan(expected[[0, 2, 3]]).any()
    for config in (0, 2):
        alone = kernel.score_of(np.ones((1, 30), dtype=np.uint8), np.array([config]))[0]
        assert kernel.score_on_data(config) == alone


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_splits", [5, 12, 90])
@pytest.mark.parametrize("scoring", ["neg_log_loss", "r2", "neg_root_mean_squared_error", "f1"])
def test_scores_on_the_data_do_not_hang_on_what_is_asked_first(scoring, n_splits, weighted):
    rng = np.random.default_rng(1)
    y, n = np.arange(720) % 2, 720
    pred = np.clip(0.3 * y[:, None] + 0.7 * rng.random((n, 37)), 0, 1)
    pred = (pred > 0.5).astype(int) if scoring == "f1" else pred
    weight = rng.random(n) if weighted else None
    oof = OOFPredictions(y_true=y, y_pred=pred, fold=np.arange(n) // 4 % n_splits,
                         sample_weight=weight)  # fmt: skip
    one, other = (as_metric(scoring).bind(oof) for _ in range(2))
    on_data, of_folds = one.on_data(), other.fold_scores()
    np.testing.assert_array_equal(on_data, other.on_data())
    np.testing.assert_array_equal(of_folds, one.fold_scores())


def many_rows(weighted, n_splits):
    """Probabilities of 20,000 rows, of which the first split lacks a class."""
    rng = np.random.default_rng(2)
    n = 20_000
    fold = np.arange(n) // 3 % n_splits
    y = (rng.random(n) < 0.3) & ((fold > 0) | (n_splits == 1))
    pred = np.clip(0.4 * y[:, None] + 0.6 * rng.random((n, 40)), 0.01, 0.99)
    pred[:, 7] = pred[:, 3]  # the same one again
    pred[5, 9] = 1.5  # no probability
    weight = rng.random(n) * (rng.random(n) < 0.9) if weighted else None
    return OOFPredictions(y_true=y.astype(int), y_pred=pred, fold=fold, sample_weight=weight)


@pytest.mark.filterwarnings("ignore:neg_log_loss|log_loss")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_splits", [1, 4, 70])
def test_scores_of_many_rows_are_those_of_scikit_learn(weighted, n_splits):
    oof = many_rows(weighted, n_splits)
    y, pred = oof.y_true, oof.responses["plain"]
    weight = np.ones(len(y)) if oof.sample_weight is None else oof.sample_weight
    kernel = as_metric("neg_log_loss").bind(oof)
    on_data, of_folds = kernel.on_data(), kernel.fold_scores()
    assert np.isnan(on_data[9]) and np.isnan(of_folds[:, 9]).all()
    assert on_data[7] == on_data[3]
    for config in (0, 3, 39):
        expected = -log_loss(y, pred[config], sample_weight=weight)
        assert on_data[config] == pytest.approx(expected, rel=1e-12)
        for split in {0, n_splits // 2, n_splits - 1}:
            here = oof.fold == split
            if len(set(y[here & (weight > 0)])) == 2:
                expected = -log_loss(y[here], pred[config, here], sample_weight=weight[here])
                assert of_folds[split, config] == pytest.approx(expected, rel=1e-12)
            else:
                assert np.isnan(of_folds[split, config])


@pytest.mark.filterwarnings("ignore:neg_log_loss|log_loss")
@pytest.mark.parametrize("n_splits", [1, 4])
def test_scores_of_many_rows_are_the_same_bits_in_any_way(n_splits, monkeypatch):
    oof, found = many_rows(True, n_splits), []
    counts = np.random.default_rng(0).poisson(1, (3, oof.n_samples)).astype(np.uint8)
    for n_threads, first in ((1, "on_data"), (3, "on_data"), (2, "fold_scores"), (2, "winners")):
        monkeypatch.setattr(_native, "most_threads", lambda n=n_threads: n)
        kernel = as_metric("neg_log_loss").bind(oof)
        getattr(kernel, first)(*[counts] * (first == "winners"))
        found.append((kernel.on_data(), kernel.fold_scores(), kernel.winners(counts)))
    for other in found[1:]:
        for one, again in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(one, again)


@pytest.mark.parametrize("greater_is_better", [True, False])
@pytest.mark.parametrize("configs", [2, np.array([2]), np.array([1, 2, 3]), np.array([3, 0])])
def test_values_of_rows_are_new_whatever_is_done_with_them(configs, greater_is_better):
    scores = np.random.default_rng(0).random((50, 4))
    oof = OOFPredictions.from_scores(scores, greater_is_better=greater_is_better)
    kernel, sign = metric_for(oof, None).bind(oof), 1 if greater_is_better else -1
    for _ in range(2):
        values = kernel.pointwise(configs, slice(10, 40))
        np.testing.assert_array_equal(values, sign * scores.T[configs, 10:40])
        values += 1


def mean_distance(y, shares):
    return float(np.mean(np.abs(y - shares)))


def test_what_travels_to_other_processes_scores_the_same_without_the_predictions():
    oof = example_predictions(n_samples=30, n_configs=4)
    bound = as_metric(make_scorer(mean_distance, response_method="predict_proba")).bind(oof)
    counts = np.random.default_rng(0).integers(0, 3, (5, 30))
    again = pickle.loads(pickle.dumps(bound))
    np.testing.assert_array_equal(again.scores(counts), bound.scores(counts))
    assert not again.oof.responses and bound.oof is oof
    named = oof.with_selected(2)
    assert bound.with_predictions(oof) is bound
    assert bound.with_predictions(named).oof is named and bound.oof is oof
    other = bound.alike(as_metric("neg_brier_score"), sample_weight=np.arange(30.0))
    weighted = with_fields(oof, sample_weight=np.arange(30.0))
    expected = as_metric("neg_brier_score").bind(weighted).scores(counts)
    np.testing.assert_array_equal(other.scores(counts), expected)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("scoring", ["neg_log_loss", "neg_brier_score", "r2", "f1", "accuracy"])
@pytest.mark.parametrize("n_configs, weighted", [(12, False), (12, True), (40, False)])
def test_scores_do_not_hang_on_how_many_draws_are_scored_at_once(n_configs, weighted, scoring):
    rng = np.random.default_rng(0)
    y, pred = rng.integers(2, size=300), rng.random((300, n_configs))
    if scoring in ("f1", "accuracy"):
        pred = (pred > 0.5).astype(int)
    weight = rng.random(300) if weighted else None
    kernel = as_metric(scoring).bind(OOFPredictions(y_true=y, y_pred=pred, sample_weight=weight))
    counts = rng.multinomial(300, np.full(300, 1 / 300), 600).astype(np.uint8)
    chosen = rng.integers(n_configs, size=600)
    for compute in (
        lambda draws: kernel.scores(counts[draws]),
        lambda draws: kernel.winners(counts[draws]),
        lambda draws: kernel.score_of(counts[draws], chosen[draws]),
    ):
        for size in (64, 192):  # draws come in blocks of 64
            parts = [compute(slice(start, start + size)) for start in range(0, 600, size)]
            np.testing.assert_array_equal(np.concatenate(parts), compute(slice(None)))
