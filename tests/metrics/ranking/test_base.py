"""What rank metrics share: the compiled kernels against NumPy, several threads, memory."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, make_scorer, roc_auc_score

from sklearn_bbc import OOFPredictions, _native
from sklearn_bbc.metrics import _arithmetic, as_metric

needs_native = pytest.mark.skipif(
    not _native.available(), reason=f"needs the compiled kernels; this is {_native.status()}"
)


def several(score_func, **kwargs):
    return make_scorer(score_func, response_method="predict_proba", **kwargs)


# Metric and number of classes; 0 stands for a 0/1 matrix of three labels.
METRICS = {
    "roc_auc": ("roc_auc", 2),
    "average_precision": ("average_precision", 2),
    "ovr": ("roc_auc_ovr", 3),
    "ovr weighted": ("roc_auc_ovr_weighted", 4),
    "ovo": ("roc_auc_ovo", 3),
    "ovo weighted": ("roc_auc_ovo_weighted", 4),
    "ovo of given labels": (several(roc_auc_score, multi_class="ovo", labels=[0, 1, 2]), 3),
    "micro": (several(roc_auc_score, multi_class="ovr", average="micro"), 3),
    "labels": (several(roc_auc_score, average="weighted"), 0),
    "precision": (several(average_precision_score), 3),
    "precision of labels": (several(average_precision_score, average="weighted"), 0),
}


def make_kernel(name, seed, n_samples, n_configs=6, levels=None):
    scoring, n_classes = METRICS[name]
    rng = np.random.default_rng(seed)
    y = rng.integers(max(2, n_classes), size=n_samples if n_classes else (n_samples, 3))
    if n_classes:
        y[:n_classes] = np.arange(n_classes)
    else:
        y[0], y[1] = 0, 1
    shape = (n_samples, n_configs) if n_classes == 2 else (n_samples, n_configs, n_classes or 3)
    scores = rng.normal(size=shape)
    if levels is not None:
        scores = np.round(scores * levels) / levels
    if n_classes > 2:
        scores = np.exp(scores)
        scores /= scores.sum(axis=2, keepdims=True)
    return as_metric(scoring).bind(OOFPredictions(y_true=y, y_pred=scores))


def draw_counts(seed, n_draws, n_samples, largest=3):
    rng = np.random.default_rng(seed)
    counts = rng.integers(largest + 1, size=(n_draws, n_samples))
    # Few units, so that classes are missing now and then.
    counts[rng.random(counts.shape) < rng.choice([0.1, 0.5, 0.9])] = 0
    return counts.astype(np.min_scalar_type(largest))


def results(kernel, counts):
    configs = np.arange(len(counts)) % (kernel.n_configs + 1) - 1
    score_of = kernel.score_of(counts, configs), kernel.score_of(counts, 2)
    return kernel.scores(counts), kernel.winners(counts), *score_of


@pytest.mark.one_in(3)
@needs_native
@pytest.mark.parametrize("name", METRICS)
@settings(max_examples=max(1, settings().max_examples // 2))
@given(
    seed=st.integers(0, 10**6),
    n_samples=st.integers(4, 50),
    levels=st.sampled_from([None, 2, 0.5]),
    largest=st.sampled_from([1, 3, 255, 300]),
    n_draws=st.sampled_from([1, 5, 64, 70]),
)
def test_compiled_kernels_and_numpy_agree(name, seed, n_samples, levels, largest, n_draws):
    counts = draw_counts(seed, n_draws, n_samples, largest)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_native, "available", lambda: False)
        by_numpy = results(make_kernel(name, seed, n_samples, levels=levels), counts)
    by_native = results(make_kernel(name, seed, n_samples, levels=levels), counts)
    for one, other in zip(by_numpy, by_native, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-15)


@needs_native
@pytest.mark.parametrize("name", METRICS)
def test_counts_are_scored_by_the_compiled_kernels(name, monkeypatch):
    kernel = make_kernel(name, 0, 30)
    counts = draw_counts(1, 40, 30)
    monkeypatch.setattr(_arithmetic, "SortedRows", None)  # NumPy cannot work any more
    results(kernel, counts)
    with pytest.raises(AttributeError):
        kernel.scores(counts * 0.5)
