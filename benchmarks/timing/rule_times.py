"""How long BBC takes when every draw repeats another rule than the best score."""

from __future__ import annotations

import time
from functools import lru_cache
from statistics import median

import numpy as np

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import BBC
from sklearn_bbc.selection import (
    GreedyEnsemble,
    OneStandardError,
    RefitCallable,
    SimplestTied,
    WithThreshold,
)

SIZE = (500, 100, 2000)
"""N, C, B."""

PLAIN = "best score"


def best_mean(results: dict) -> int:
    """What a search does, as a function of ``cv_results_``."""
    return int(np.argmax(results["mean_test_score"]))


RULES = {
    "one standard error": ("roc_auc", OneStandardError("complexity"), "10 times"),
    "simplest within 0.01": ("roc_auc", SimplestTied("complexity"), "10 times"),
    "threshold by F1": ("roc_auc", WithThreshold("f1"), "10 times"),
    "threshold by balanced accuracy": (
        "roc_auc", WithThreshold("balanced_accuracy"), "10 times",
    ),
    "threshold by F1, jointly": ("roc_auc", WithThreshold("f1", jointly=True), ""),
    "refit callable": ("roc_auc", RefitCallable(best_mean), ""),
    "greedy ensemble, AUC": ("roc_auc", GreedyEnsemble(), "10 s"),
    "greedy ensemble, log loss": ("neg_log_loss", GreedyEnsemble(), "10 s"),
    "greedy ensemble, Brier score": ("neg_brier_score", GreedyEnsemble(), "10 s"),
    "greedy ensemble, accuracy": ("accuracy", GreedyEnsemble(), "10 s"),
}  # fmt: skip
"""Name -> metric, rule, limit: times the best score, seconds, or none."""


def size_of(name: str, size: tuple[int, ...]) -> tuple[int, int, int]:
    """Size of a measurement: ensembles get a tenth of the draws."""
    n_samples, n_configs, n_draws = size
    return n_samples, n_configs, max(n_draws // 10, 20) if "ensemble" in name else n_draws


@lru_cache(maxsize=1)
def predictions(n_samples: int, n_configs: int) -> OOFPredictions:
    """Probabilities of classifiers that differ in skill, in ten stratified folds."""
    rng = np.random.default_rng(0)
    y = np.arange(n_samples) % 2
    shift = np.linspace(0.5, 1.2, n_configs)[:, None] * (y - 0.5)
    proba = 1 / (1 + np.exp(-shift - rng.normal(size=(n_configs, n_samples))))
    return OOFPredictions.from_rows(
        y_true=y,
        responses={"predict_proba": proba},
        fold=np.arange(n_samples) // 2 % 10,
        params=[{"complexity": k} for k in range(n_configs)],
    )


def time_rule(case: str, rule: str, n_samples: int, n_configs: int, n_draws: int) -> float:
    """Processor time in seconds of one interval, once the predictions are there.

    Parameters
    ----------
    case : str
        Name in `RULES`; gives the metric.
    rule : str
        The same, or `PLAIN` for the best score by that metric.
    n_samples, n_configs, n_draws : int
        Size.
    """
    scoring, selection, _ = RULES[case]
    oof = predictions(n_samples, n_configs)
    method = BBC(
        n_bootstraps=n_draws, random_state=0, selection=None if rule == PLAIN else selection
    )
    started = time.process_time()
    method.estimate(oof, scoring)
    return time.process_time() - started


def rows(
    case: str, size: tuple[int, int, int], times: dict[tuple[str, str], list[float]]
) -> list[dict[str, object]]:
    """Rows of the table: one per state of the kernels, the ratio within one process."""
    table = []
    for state in dict.fromkeys(state for state, _ in times):
        plain, repeated = median(times[state, PLAIN]), median(times[state, case])
        limit = RULES[case][2]
        number = float(limit.split()[0]) if limit else np.inf
        reached = repeated if limit.endswith(" s") else repeated / plain
        table.append(
            {
                "rule": case,
                "metric": RULES[case][0],
                **dict(zip(("N", "C", "B"), size, strict=True)),
                "kernels": state,
                "best score, s": plain,
                "rule, s": repeated,
                "times": repeated / plain,
                "limit": limit,
                "within": ("yes" if reached <= number else "no") if limit else "",
            }
        )
    return table
