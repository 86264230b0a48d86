"""What holds for every kernel family: scikit-learn's scores, equals scored once, known memory.

`TABLE` has the ways through the kernels, one line each: functions, data and arguments.
"""

from inspect import signature
from itertools import product

import numpy as np
import pytest
from hypothesis import settings
from scipy.special import softmax
from sklearn import metrics
from sklearn.metrics import make_scorer

from sklearn_bbc import OOFPredictions, _native
from sklearn_bbc._scorers import survival_response
from sklearn_bbc.metrics import as_metric, families
from tests.metrics.repeated_rows import (
    assert_close,
    check_consistency,
    on_repeated_rows,
    with_weights,
)

# --- data: a target and predictions (3, n_samples[, k]) -----------------------------------


def rare(rng, shape, labels):
    """Labels of which some are rare, so that draws lack them."""
    return rng.choice(labels, size=shape, p=rng.dirichlet(np.full(len(labels), 0.5)))


def labels_of(*labels):
    def draw(rng, n):
        y = rare(rng, n, labels)
        y[:2] = labels[:2]
        return y, np.stack([rare(rng, n, labels) for _ in range(3)])

    return draw


def every(rng, n, classes):
    """A target that has every class."""
    return rng.permutation(np.concatenate([classes, rng.choice(classes, size=n - len(classes))]))


def chances_of(*classes):
    """Probabilities with ties, zeros and ones; of the second class only where there are two."""

    def draw(rng, n):
        raw = rng.random((3, n, len(classes))) ** rng.integers(1, 20, size=(3, 1, 1))
        raw[1] = rng.integers(1, 4, size=raw[1].shape)
        raw[:, rng.random(n) < 0.1] = np.eye(len(classes))[rng.integers(len(classes))]
        pred = raw / raw.sum(axis=2, keepdims=True)
        return every(rng, n, np.array(classes)), pred if len(classes) > 2 else pred[:, :, 1]

    return draw


def two_of_three(rng, n):
    """Probabilities of a class that the target does not have, too."""
    return every(rng, n, [0, 1]), chances_of(0, 1, 2)(rng, n)[1]


def ranks(rng, n):
    return every(rng, n, [0, 1, 2, 3]), rng.integers(4, size=(3, n, 4)) / 2


def margins_of(*classes):
    k = [len(classes)] if len(classes) > 2 else []
    return lambda rng, n: (every(rng, n, classes), rng.normal(size=(3, n, *k)))


def scores(rng, n):
    """Scores of two classes, one configuration with ties."""
    y = np.arange(n) < rng.integers(1, n)
    pred = rng.normal(size=(3, n)) + y
    pred[1] = np.round(pred[1])
    return y.astype(int), pred


def label_sets(rng, n):
    return tuple((rng.random((*k, n, 3)) < rng.random(3)).astype(int) for k in ((), (3,)))


def set_scores(rng, n):
    y = (rng.random((n, 3)) < [0.2, 0.5, 0.7]).astype(int)
    y[0], y[1] = 0, 1
    return y, np.round(rng.normal(size=(3, n, 3)) + y, 1)


def values_of(how):
    """Numbers above zero, or with zeros or negative ones, in any magnitude; one or three."""

    def draw(rng, n):
        shape = (n, 3) if "outputs" in how else (n,)
        y = rng.gamma(1.0, size=shape) + 0.01
        pred = np.abs(y + rng.normal(size=(3, *shape)) * 10.0 ** rng.integers(-4, 2)) + 1e-6
        if how == "whole numbers":
            y = np.floor(y)
        if how == "ties":
            y, pred = np.round(y - 1), np.round(pred)
        if "signed" in how:
            y, pred = 3 * y - 1, pred if how == "signed values, positive" else 3 * pred - 1
        if how == "constant outputs":  # and perfect predictions of them
            y = np.stack([rng.integers(2, size=n), np.ones(n), rng.integers(3, size=n)], axis=1)
            y, pred = y * 1.0, np.stack([y, y + 1, rng.integers(3, size=(n, 3))])
        return y, pred

    return draw


# Data -> how they are drawn, and what a classifier or a regressor calls them.
KINDS = {
    "two labels": (labels_of(0, 1), "predict"),
    "words": (labels_of(*"abcd"), "predict"),
    "five labels": (labels_of(*range(5)), "predict"),
    "labels 1, 5, 7": (labels_of(1, 5, 7), "predict"),
    "label sets": (label_sets, "predict"),
    "chances": (chances_of(0, 1), "predict_proba"),
    "chances of words": (chances_of("no", "yes"), "predict_proba"),
    "three chances": (chances_of(0, 1, 2), "predict_proba"),
    "chances of three, target of two": (two_of_three, "predict_proba"),
    "four ranks": (ranks, "decision_function"),
    "margins": (margins_of("no", "yes"), "decision_function"),
    "three margins": (margins_of(*"abc"), "decision_function"),
    "scores": (scores, "decision_function"),
    "set scores": (set_scores, "predict_proba"),
    **{how: (values_of(how), "predict") for how in (
        "values", "outputs", "whole numbers", "ties", "signed values", "signed values, positive",
        "signed outputs", "constant outputs",
    )},
}  # fmt: skip

# --- the ways through the kernels ---------------------------------------------------------

BINARY = "precision_score recall_score f1_score jaccard_score"
ERRORS = ("mean_absolute_error mean_squared_error mean_absolute_percentage_error "
          "mean_squared_log_error mean_pinball_loss")  # fmt: skip
ROOTS = "root_mean_squared_error root_mean_squared_log_error"
MEANS = [{}, {"multioutput": [0.2, 0.3, 2.0]}]
OTHER = [3, 1, 7, 1]  # one that never occurs, one twice, and an order that is not sorted
nan, inf = np.nan, np.inf
AVERAGES = [{"average": "macro"}, {"average": "weighted"}, {"average": "micro"}]
TABLE = [
    ("accuracy", "accuracy_score zero_one_loss hamming_loss", "words", [{}]),
    ("accuracy", "accuracy_score zero_one_loss hamming_loss", "label sets", [{}]),
    ("precision_recall", BINARY, "two labels", [{"pos_label": 0, "zero_division": 1}]),
    ("precision_recall", "f1_score", "two labels", [{}]),
    ("precision_recall", "fbeta_score", "two labels", [{"beta": beta} for beta in (0, 0.5, inf)]),
    ("precision_recall", "precision_score f1_score", "two labels", [{"zero_division": nan}]),
    ("precision_recall", "f1_score", "words", AVERAGES),
    ("precision_recall", "recall_score jaccard_score", "words", AVERAGES[:1]),
    ("precision_recall", "precision_score", "words", [
        {"average": "macro", "zero_division": 1}, {"average": "macro", "zero_division": nan}]),
    ("precision_recall", "fbeta_score", "words", [
        {"average": "macro", "beta": 0}, {"average": "weighted", "beta": 2}]),
    ("precision_recall", "f1_score", "words", [
        {**each, "zero_division": nan} for each in AVERAGES[:2]]),
    ("precision_recall", "f1_score", "five labels", [
        {**each, "labels": OTHER} for each in AVERAGES]),
    ("precision_recall", "jaccard_score", "label sets", [
        {**each, "zero_division": 0} for each in AVERAGES]),
    ("precision_recall", "precision_score", "label sets", [
        {"average": "macro", "labels": [2, 0, 2], "zero_division": 0}]),
    ("balanced_accuracy", "balanced_accuracy_score", "two labels", [{}, {"adjusted": True}]),
    ("balanced_accuracy", "balanced_accuracy_score", "words", [{}, {"adjusted": True}]),
    ("matthews", "matthews_corrcoef", "two labels", [{}]),
    ("matthews", "matthews_corrcoef", "words", [{}]),
    ("cohen_kappa", "cohen_kappa_score", "five labels", [
        {"weights": weights, **labels} for weights in (None, "linear", "quadratic")
        for labels in ({}, {"labels": [2, 0, 3, 1]}, {"labels": [1, 9, 3]})]),
    ("cohen_kappa", "cohen_kappa_score", "two labels", [
        {"replace_undefined_by": -0.25, **more}
        for more in ({}, {"weights": "linear"}, {"labels": [0, 2]})]),
    ("log_loss", "log_loss", "chances of words", [{}, {"labels": ["no", "yes"]}]),
    ("log_loss", "log_loss", "three chances", [{}, {"labels": [0, 1, 2]}]),
    ("log_loss", "log_loss", "chances of three, target of two", [{"labels": [0, 1, 2]}]),
    ("brier", "brier_score_loss", "chances", [
        {}, {"pos_label": 0}, {"scale_by_half": True}, {"scale_by_half": False}]),
    ("brier", "brier_score_loss", "three chances", [
        {"scale_by_half": "auto"}, {"scale_by_half": True, "labels": [0, 1, 2]},
        {"scale_by_half": False}]),
    ("top_k", "top_k_accuracy_score", "four ranks", [
        {"k": 1}, {"k": 2, "labels": [0, 1, 2, 3]}, {"k": 3}, {"k": 4}]),
    ("top_k", "top_k_accuracy_score", "chances", [{"k": 1}, {"k": 2}]),
    ("hinge", "hinge_loss", "margins", [{}, {"labels": ["no", "yes"]}]),
    ("hinge", "hinge_loss", "three margins", [{}, {"labels": [*"abc"]}]),
    ("d2_log_loss", "d2_log_loss_score", "chances", [{}]),
    ("d2_log_loss", "d2_log_loss_score", "three chances", [{}]),
    ("d2_brier", "d2_brier_score", "chances", [{}, {"pos_label": 1}]),
    ("d2_brier", "d2_brier_score", "three chances", [{}, {"labels": [0, 1, 2]}]),
    ("mean_error", ERRORS, "values", [{}]),
    ("mean_error", ERRORS, "outputs", MEANS[1:]),
    ("mean_error", "mean_squared_error", "outputs", MEANS[:1]),
    ("mean_error", "mean_pinball_loss", "signed values", [{"alpha": 0.2}]),
    ("mean_error", "mean_absolute_error", "labels 1, 5, 7", [{}]),
    ("mean_error", "mean_poisson_deviance", "whole numbers", [{}]),
    ("mean_error", "mean_gamma_deviance", "values", [{}]),
    ("mean_error", "mean_tweedie_deviance", "whole numbers", [{"power": 1}, {"power": 1.5}]),
    ("mean_error", "mean_tweedie_deviance", "values", [{"power": p} for p in (2, 3, 3.5)]),
    ("mean_error", "mean_tweedie_deviance", "signed values, positive", [
        {"power": 0}, {"power": -1.5}]),
    ("root_mean_error", ROOTS, "values", [{}]),
    ("root_mean_error", ROOTS, "outputs", MEANS),
    ("median_absolute_error", "median_absolute_error", "signed values", [{}]),
    ("median_absolute_error", "median_absolute_error", "ties", [{}]),
    ("median_absolute_error", "median_absolute_error", "signed outputs", MEANS),
    ("max_error", "max_error", "signed values", [{}]),
    ("max_error", "max_error", "ties", [{}]),
    ("r2", "r2_score", "signed values", [{}]),
    ("r2", "r2_score", "signed outputs", [*MEANS, {"multioutput": "variance_weighted"}]),
    ("r2", "r2_score", "constant outputs", [
        {}, {"multioutput": "variance_weighted", "force_finite": False}]),
    ("explained_variance", "explained_variance_score", "signed values", [{}]),
    ("explained_variance", "explained_variance_score", "signed outputs", [
        *MEANS, {"multioutput": "variance_weighted"}]),
    ("explained_variance", "explained_variance_score", "constant outputs", [
        {"force_finite": False}, {"multioutput": "variance_weighted"}]),
    ("d2_absolute_error", "d2_absolute_error_score d2_pinball_score", "signed values", [{}]),
    ("d2_absolute_error", "d2_absolute_error_score", "signed outputs", MEANS),
    ("d2_tweedie", "d2_tweedie_score", "values", [{"power": p} for p in (0, 2, 3)]),
    ("d2_tweedie", "d2_tweedie_score", "whole numbers", [{"power": 1}, {"power": 1.5}]),
    ("d2_tweedie", "d2_tweedie_score", "signed values, positive", [{"power": -1}]),
    ("roc_auc", "roc_auc_score", "scores", [{}]),
    ("roc_auc_ovr", "roc_auc_score", "three chances", [
        {"multi_class": "ovr", "average": "macro"},
        {"multi_class": "ovr", "average": "weighted", "labels": [0, 1, 2]}]),
    ("roc_auc_ovo", "roc_auc_score", "three chances", [
        {"multi_class": "ovo", "average": "macro", "labels": [0, 1, 2]},
        {"multi_class": "ovo", "average": "weighted"}]),
    ("roc_auc_micro", "roc_auc_score", "three chances", [
        {"multi_class": "ovr", "average": "micro"}]),
    ("roc_auc_ovr", "roc_auc_score", "set scores", AVERAGES[:2]),
    ("roc_auc_micro", "roc_auc_score", "set scores", AVERAGES[2:]),
    ("average_precision", "average_precision_score", "scores", [{}]),
    ("average_precision_ovr", "average_precision_score", "three chances", AVERAGES[:2]),
    ("average_precision_micro", "average_precision_score", "three chances", AVERAGES[2:]),
    ("average_precision_ovr", "average_precision_score", "set scores", AVERAGES[:2]),
    ("average_precision_micro", "average_precision_score", "set scores", AVERAGES[2:]),
]  # fmt: skip
WAYS = {
    f"{name} of {data}, {kwargs}": (family, getattr(metrics, name), data, kwargs)
    for family, names, data, arguments in TABLE
    for name, kwargs in product(names.split(), arguments)
    # What younger releases of scikit-learn have.
    if hasattr(metrics, name) and (
        kwargs.keys() <= signature(getattr(metrics, name)).parameters.keys()
    )
}  # fmt: skip
DIVIDES_BY_ZERO = {"balanced_accuracy_score", "d2_brier_score", "d2_tweedie_score"}
COMPARED = 6


def is_left_out(function, y):
    """Draws whose score by scikit-learn is no score: the files of the families have tests of them.

    Without a positive average precision is 0 by convention; and of one target value hinge loss
    guesses the class, while others divide by zero.
    """
    if function.__name__ == "average_precision_score":
        return not (y == 1).any(axis=0).all()
    return function.__name__ in {*DIVIDES_BY_ZERO, "hinge_loss"} and len(np.unique(y)) < 2


def takes_weights(function, data, kwargs):
    """Whether scikit-learn does; of constant targets it sees digits that rounding left."""
    known = "sample_weight" in signature(function).parameters
    return known and "ovo" not in kwargs.values() and data != "constant outputs"


def draws_of(rng, y):
    """Bootstrap counts, and before them everything, one row, nothing, a class less."""
    n = len(y)
    counts = rng.multinomial(n, np.full(n, 1 / n), size=16)
    counts[0] = 1
    counts[1] = np.arange(n) == rng.integers(n)
    counts[2] = 0
    for draw, label in lacking_a_class(y):
        counts[draw] = y != label
    return counts.astype(np.uint8)


def lacking_a_class(y):
    """Draws that lack a class, and the class."""
    return zip((3, 4), np.unique(y)) if y.ndim == 1 and y.dtype.kind != "f" else ()


def as_recorded(y, pred, method, kwargs):
    """What a search keeps of these predictions: codes of labels, chances of the second class."""
    if y.ndim > 1 or y.dtype.kind == "f":
        return pred
    if method == "predict":
        return np.searchsorted(np.unique(y), pred) if np.isin(pred, y).all() else None
    if method == "predict_proba" and pred.shape[2:] not in ((), (len(np.unique(y)),)):
        return None
    return 1 - pred if method == "predict_proba" and kwargs.get("pos_label") == 0 else pred


@pytest.mark.parametrize("seed", range(max(1, settings().max_examples // 15)))
@pytest.mark.parametrize("way", WAYS)
def test_scores_are_those_of_scikit_learn_on_repeated_rows(way, seed):
    family, function, data, kwargs = WAYS[way]
    rng = np.random.default_rng([seed, *map(ord, way)])
    draw, method = KINDS[data]
    y, pred = draw(rng, int(rng.integers(5, 30)))
    if data != "constant outputs":
        pred[2] = pred[0, 0]  # the same for all samples
    loss = function.__name__.endswith(("loss", "error", "deviance"))
    metric = as_metric(
        make_scorer(function, greater_is_better=not loss, response_method=method, **kwargs)
    )
    counts = draws_of(rng, y)
    expected = on_repeated_rows(metric, y, pred, counts[:COMPARED])
    left_out = np.array([is_left_out(function, y[count > 0]) for count in counts[:COMPARED]])
    weights = rng.exponential(size=(int(takes_weights(function, data, kwargs)), len(y)))
    of_weights = with_weights(metric, y, pred, weights)
    for native in {False, _native.available() and families()[family].is_rank}:
        with pytest.MonkeyPatch.context() as patch:
            if not native:
                patch.setattr(_native, "available", lambda: False)
            kernel = bind(metric, y, pred, "plain")
            assert kernel.family == family
            scores = kernel.scores(counts)
            found = np.where(left_out[:, None], expected, scores[:COMPARED])
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(kernel.scores(weights), of_weights, rtol=1e-12, atol=1e-12)
            for draw, label in lacking_a_class(y):
                strata = () if kernel.strata is None else kernel.strata
                needed = any(np.array_equal(members, y == label) for members in strata)
                # Whether these are defined depends on the predictions, too.
                of_both = function.__name__ in ("cohen_kappa_score", "precision_score")
                assert needed == np.isnan(scores[draw]).all() or of_both
            check_consistency(kernel, counts)
            check_consistency(kernel, counts * rng.random(len(y)))
            several = (counts > 0).sum(axis=1) > 1
            assert_close(kernel.scores(100 * counts[several].astype(int)), scores[several])
            assert_close(kernel.scores(counts[several] / 128), scores[several])
            # A configuration does not depend on its neighbours.
            assert_close(bind(metric, y, pred[1:2], "plain").scores(counts), scores[:, 1:2])
            recorded = as_recorded(y, pred, method, kwargs)
            if recorded is not None:
                assert_close(bind(metric, y, recorded, method).scores(counts), scores)


# --- one metric of each family -------------------------------------------------------------


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
COMPARED_ELSEWHERE = {
    "calibration", "concordance_index", "dynamic_auc", "survival_brier_mean",
    "survival_brier_per_draw", "uno_concordance",
}  # fmt: skip
"""Families whose function scikit-learn does not have: files of their own compare them."""
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
    missing = set(families()) - set(CASES) - NEEDS_NO_TEST
    assert not missing, f"set `example` in the class of {sorted(missing)}, see MetricKernel"


def test_every_family_is_compared_with_its_function():
    missing = set(CASES) - {family for family, *_ in TABLE} - COMPARED_ELSEWHERE
    assert not missing, f"add a line to TABLE, in this file, for {sorted(missing)}"


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
