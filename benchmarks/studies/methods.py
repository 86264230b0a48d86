"""The interval methods of the coverage studies, in the forms that a user would choose."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sklearn.base import clone

from benchmarks.harness.study import LEVEL
from benchmarks.published.naive import NaiveBootstrap
from sklearn_bbc import ConfidenceInterval, OOFPredictions
from sklearn_bbc.intervals import (
    BBC,
    BBCF,
    CVAUC,
    MABT,
    BaseInterval,
    BayleCV,
    BootstrapTilting,
    CorrectedT,
    CorrelationAdjusted,
    DeLong,
    FoldGLMM,
    HanleyMcNeil,
    HierarchicalBootstrap,
    PooledBootstrap,
    ShrunkenBBC,
    Takahashi,
    Wald,
)

ANY_METRIC = {
    "BBC": BBC(),
    "BBC-F": BBCF(),
    "ShrunkenBBC": ShrunkenBBC(),
    "pooled bootstrap, percentile": PooledBootstrap(),
    "pooled bootstrap, basic": PooledBootstrap(form="basic"),
    "pooled bootstrap, normal": PooledBootstrap(form="normal"),
    "pooled bootstrap, studentised": PooledBootstrap(form="studentised"),
    "pooled bootstrap, BCa": PooledBootstrap(form="bca"),
    "tilting": BootstrapTilting(),
    "MABT": MABT(),
    "hierarchical, studentised": HierarchicalBootstrap(),
    "hierarchical, percentile": HierarchicalBootstrap(form="percentile"),
    "hierarchical, basic": HierarchicalBootstrap(form="basic"),
    "hierarchical, normal": HierarchicalBootstrap(form="normal"),
    "hierarchical, BCa": HierarchicalBootstrap(form="bca"),
    "hierarchical, folds only, percentile": HierarchicalBootstrap(
        form="percentile", second_stage=False
    ),
    "naive bootstrap of folds": NaiveBootstrap(),
    "naive normal of folds": NaiveBootstrap(form="normal"),
    "corrected t": CorrectedT(),
    "Param-CA, normal": CorrelationAdjusted(student=False),
    "Param-CA, t": CorrelationAdjusted(),
    "Param-CA, t, logit": CorrelationAdjusted(on_logit_scale=True),
}
"""Methods for every metric."""

ONLY = {
    "roc_auc": {
        "DeLong": DeLong(),
        "DeLong, logit": DeLong(logit=True),
        "Hanley-McNeil": HanleyMcNeil(),
        "cvAUC": CVAUC(),
    },
    "accuracy": {
        "Wald": Wald(),
        "Wilson": Wald(form="wilson"),
        "Clopper-Pearson": Wald(form="clopper-pearson"),
        "Agresti-Coull": Wald(form="agresti-coull"),
        "Jeffreys": Wald(form="jeffreys"),
        "Bayle, all pairs": BayleCV(),
        "Bayle, within folds": BayleCV(variance="within-fold"),
        "GLMM, Wald": FoldGLMM(),
        "GLMM, profile": FoldGLMM(interval="profile"),
    },
    "f1": {"Takahashi": Takahashi()},
    "neg_log_loss": {"Wald": Wald(), "tilting": BootstrapTilting(), "MABT": MABT()},
}
"""Methods for one metric."""

SHORT = (
    "BBC", "pooled bootstrap, percentile", "pooled bootstrap, BCa", "hierarchical, studentised",
)  # fmt: skip
"""Methods for any metric beside those that are made for one of the less common ones."""


NESTED = "pooled bootstrap, studentised"
"""Has a bootstrap inside each draw: with many data sets of tuned models it would take half of all
time."""

LESS_COMMON = frozenset(
    {
        "pooled bootstrap, basic", "pooled bootstrap, normal", NESTED,
        "hierarchical, basic", "hierarchical, normal", "hierarchical, BCa",
        "ShrunkenBBC", "MABT",
    }
)  # fmt: skip
"""What studies with training leave out."""


def methods_for(scoring: str) -> dict[str, BaseInterval]:
    """Methods that apply to a metric, by the name that they have in the tables.

    Parameters
    ----------
    scoring : str
        Name of the metric.
    """
    own = ONLY.get(scoring, {})
    if scoring in ("roc_auc", "accuracy"):
        return {**own, **ANY_METRIC}
    return {**own, **{name: ANY_METRIC[name] for name in SHORT}}


def pairs(
    scorings: tuple[str, ...], without: frozenset[str] = frozenset()
) -> list[tuple[str, str]]:
    """Metric and method, for all that apply but some."""
    return [
        (scoring, method)
        for scoring in scorings
        for method in methods_for(scoring)
        if method not in without
    ]


def intervals(
    oof: OOFPredictions, scoring: str
) -> Mapping[str, Callable[[int, int], ConfidenceInterval]]:
    """For each method that applies, what computes its two-sided interval on `oof`.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions of one or more configurations.
    scoring : str
        Name of the metric.
    """
    return {
        name: estimator(interval, oof, scoring) for name, interval in methods_for(scoring).items()
    }


def estimator(
    interval: BaseInterval, oof: OOFPredictions, scoring: str
) -> Callable[[int, int], ConfidenceInterval]:
    """Function of the number of draws and the seed that runs one method."""

    def estimate(n_bootstraps: int, seed: int) -> ConfidenceInterval:
        wanted = {
            "confidence_level": LEVEL, "n_bootstraps": n_bootstraps, "random_state": seed,
            "n_jobs": 1,
        }  # fmt: skip
        known = interval.get_params()
        fresh = clone(interval).set_params(**{k: v for k, v in wanted.items() if k in known})
        return fresh.estimate(oof, scoring)

    return estimate


def at_its_word(score: float, metric: str) -> Callable[[int, int], ConfidenceInterval]:
    """Function that gives a score as it is, without an interval.

    Parameters
    ----------
    score : float
        What somebody reports.
    metric : str
        Name of the metric.
    """

    def estimate(n_bootstraps: int, seed: int) -> ConfidenceInterval:
        return ConfidenceInterval(
            estimate=score, low=score, high=score, confidence_level=LEVEL,
            alternative="two-sided", method="at_its_word", metric=metric,
            estimand="the score, taken at its word",
        )  # fmt: skip

    return estimate
