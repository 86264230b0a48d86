"""What holds for every kernel family: equals scored once, constants known, memory as announced."""

import tracemalloc

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.metrics import make_scorer

from sklearn_bbc import OOFPredictions, _native
from sklearn_bbc._scorers import survival_response
from sklearn_bbc.metrics import as_metric, families
from sklearn_bbc.metrics._classification import SumKernel
from tests.metrics.repeated_rows import on_repeated_rows


def classes(n_classes, *methods):
    """Classifiers' answers; `methods` are those that are recorded."""

    def draw(rng, n_samples, n_configs):
        y = np.arange(n_samples) % n_classes
        logits = rng.normal(size=(n_configs, n_samples, n_classes))
        logits += rng.uniform(0.3, 1.5, (n_configs, 1, 1)) * (y[:, None] == np.arange(n_classes))
        proba = softmax(logits, axis=2)
        answers = {
            "predict": proba.argmax(axis=2),
            "predict_proba": proba if n_classes > 2 else proba[:, :, 1],
            "decision_function": logits if n_classes > 2 else logits[:, :, 1],
        }
        return y, answers[methods[0]], methods[0]

    return draw


def values(rng, n_samples, n_configs):
    y = rng.gamma(2.0, size=n_samples) + 0.1
    return y, y * rng.gamma(20.0, 0.05, size=(n_configs, n_samples)), "predict"


def labels(rng, n_samples, n_configs):
    """Several labels per sample."""
    y = rng.integers(2, size=(n_samples, 3))
    return y, rng.random((n_configs, n_samples, 3)) + 0.5 * y, "predict_proba"


def censored(rng, n_samples, n_configs):
    risk = rng.normal(size=n_samples)
    time, end = rng.exponential(np.exp(-risk)), rng.exponential(2.0, n_samples)
    y = np.column_stack([time <= end, np.minimum(time, end)])
    return y, risk + rng.normal(size=(n_configs, n_samples)), "predict"


def survival(*times):
    """Probabilities of surviving some times, or one."""

    def draw(rng, n_samples, n_configs):
        y, risk, _ = censored(rng, n_samples, n_configs)
        pred = np.exp(-np.exp(risk)[:, :, None] * np.array(times))
        return y, pred if len(times) > 1 else pred[:, :, 0], survival_response(times)

    return draw


DATA = {
    "two classes": lambda method: classes(2, method),
    "four classes": lambda method: classes(4, method),
    "values": lambda method: values,
    "label sets": lambda method: labels,
    "censored times": lambda method: censored,
    "survival at a time": lambda method: survival(0.5),
    "survival at times": lambda method: survival(0.2, 0.5),
}
CASES = {name: of.example for name, of in families().items() if of.example is not None}
"""Family -> a metric of it, and the kind of data it is computed on, as the family says."""
NEEDS_NO_TEST = {"replay", "mean_of_values"}  # slow on purpose; one configuration only
RANKS = {name for name in CASES if name.startswith(("roc_auc", "average_precision"))}


@pytest.fixture(params=sorted(CASES))
def family(request):
    try:
        metric_of(request.param)
    except ValueError:
        pytest.skip(f"this scikit-learn has no {CASES[request.param][0]!r}")
    return request.param


def metric_of(family):
    given, _ = CASES[family]
    if isinstance(given, str) or hasattr(given, "_score_func"):
        return as_metric(given)
    return as_metric(make_scorer(given[0], **given[1]))


def make(family, n_samples=60, n_configs=5, seed=0):
    """Metric, target, predictions (n_configs, n_samples[, k]) and response method."""
    metric, (_, kind) = metric_of(family), CASES[family]
    methods = metric.response_method
    draw = DATA[kind](methods if isinstance(methods, str) else methods[0])
    y, pred, method = draw(np.random.default_rng(seed), n_samples, n_configs)
    return metric, y, pred, method


def bind(metric, y, pred, method):
    classes = None if y.dtype.kind == "f" or y.ndim == 2 else np.unique(y)
    fold = np.arange(len(y)) % 5
    oof = OOFPredictions.from_rows(y_true=y, responses={method: pred}, fold=fold, classes=classes)
    return metric.bind(oof)


def draws(n_samples, n_draws=8, seed=1):
    rng = np.random.default_rng(seed)
    return rng.multinomial(n_samples, np.full(n_samples, 1 / n_samples), n_draws).astype(np.uint8)


def test_every_family_has_an_example():
    assert set(families()) - set(CASES) == NEEDS_NO_TEST


def test_equals_are_scored_once(family):
    metric, y, pred, method = make(family)
    copies = [0, 1, 0, 2, 1, 3, 4, 4]
    once, again = bind(metric, y, pred, method), bind(metric, y, pred[copies], method)
    assert once.family == again.family == family
    assert again.n_distinct == 5
    # The kernel itself does not even see the copies.
    assert [part.kernel.rows.n_configs for part in again.repeats] == [5]
    counts = draws(len(y))
    np.testing.assert_array_equal(again.scores(counts), once.scores(counts)[:, copies])
    first = np.array([0, 1, 3, 5, 6])
    np.testing.assert_array_equal(again.winners(counts), first[once.winners(counts)])
    np.testing.assert_array_equal(again.score_of(counts, 7), once.score_of(counts, 4))


@pytest.mark.usefixtures("kernels")
def test_constants_are_scored_like_everything_else(family):
    """The same for all samples, in two ways, and each of them twice."""
    metric, y, pred, method = make(family)
    pred = np.concatenate([pred, pred[:4]])
    pred[5:7], pred[7:] = pred[0, 0], pred[0, 1]
    kernel = bind(metric, y, pred, method)
    assert kernel.n_distinct == 7
    counts = draws(len(y), 4)
    scores = kernel.scores(counts)
    expected = on_repeated_rows(metric, y, _as_given(metric, kernel, pred), counts)
    np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-12)
    filled = np.where(np.isnan(scores), -np.inf, scores)
    np.testing.assert_array_equal(kernel.winners(counts), filled.argmax(axis=1))
    if family in RANKS and pred.ndim == 2:
        # What they are does not matter: they order the samples in the same way, not at all.
        np.testing.assert_array_equal(scores[:, 5:], scores[:, 5:6].repeat(4, axis=1))


def _as_given(metric, kernel, pred):
    """Two classes: scikit-learn wants both columns of probabilities for some metrics."""
    both = {"d2_brier", "d2_log_loss"}
    return np.stack([1 - pred, pred], axis=2) if kernel.family in both else pred


@pytest.mark.parametrize("whole", [True, False], ids=["counts", "fractions"])
def test_memory_is_what_is_announced(family, whole, monkeypatch):
    """Batches are cut by it, so that they stay within scikit-learn's `working_memory`."""
    monkeypatch.setattr(_native, "available", lambda: False)
    kernel = bind(*make(family, n_samples=200, n_configs=20))
    counts = draws(200, 512)
    weights = counts if whole else counts * 0.5
    # One configuration per draw is scored in blocks of a fixed size, and so are sums over rows.
    summed = isinstance(kernel.repeats[0].kernel, SumKernel)
    for function, fixed in (
        (kernel.scores, summed * 2**23), (kernel.winners, summed * 2**23),
        (lambda w: kernel.score_of(w, 3), 2**24),
    ):  # fmt: skip
        function(weights[:64])  # sorts
        tracemalloc.start()
        try:
            function(weights)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 512 * kernel.bytes_per_draw + fixed
