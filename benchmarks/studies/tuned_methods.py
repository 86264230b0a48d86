"""Interval methods for the winner of a search, as far as they apply to metric and data."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from benchmarks.harness.study import LEVEL
from benchmarks.published.table2_methods import selections
from benchmarks.studies.methods import ANY_METRIC, NESTED, ONLY
from sklearn_bbc import ConfidenceInterval, OOFPredictions
from sklearn_bbc.intervals import (
    MABT,
    BaseInterval,
    BayleCV,
    BootstrapTilting,
    DeLong,
    FoldGLMM,
    HanleyMcNeil,
)

MEANS = {"Bayle, all pairs": BayleCV(), "Bayle, within folds": BayleCV(variance="within-fold")}
FOR_METRIC: Mapping[str, Mapping[str, BaseInterval]] = {**ONLY, "neg_log_loss": MEANS}


def of_winner(
    scoring: str, grouped: bool = False, repeated: bool = False
) -> dict[str, BaseInterval]:
    """Methods for the winner over all samples, with or without regard to its selection.

    Parameters
    ----------
    scoring : str
        Name of the metric.
    grouped : bool, default=False
        Whether samples depend on each other in groups.
    repeated : bool, default=False
        Whether samples were predicted several times.
    """
    found = {**ANY_METRIC, **FOR_METRIC.get(scoring, {})}
    del found["MABT"]  # reports what its selection step finds
    del found[NESTED]
    if scoring.startswith("neg_"):
        del found["Param-CA, t, logit"]  # for scores between 0 and 1
    return {
        name: one
        for name, one in found.items()
        if _applies(one, grouped) and not (repeated and isinstance(one, FoldGLMM))
    }


def of_split(scoring: str, grouped: bool = False, seed: int = 0) -> dict[str, dict]:
    """Methods that select on one part of the samples and judge on the other, by selection step.

    Parameters
    ----------
    scoring : str
        Name of the metric.
    grouped : bool, default=False
        Whether samples depend on each other in groups.
    seed : int, default=0
        Seed of the split.

    Returns
    -------
    dict of str to dict
        Label of the step -> ``{"step": selection, "methods": {name: method}}``.
    """
    found = {}
    for label, step in selections(seed).items():
        methods: dict[str, BaseInterval] = {f"BT{label}": BootstrapTilting(selection=step)}
        if scoring == "roc_auc":
            methods[f"DL{label}"] = DeLong(selection=step)
            methods[f"HM{label}"] = HanleyMcNeil(selection=step)
        if label == "10p":
            methods["MABT"] = MABT(selection=step)
        methods = {name: one for name, one in methods.items() if _applies(one, grouped)}
        found[label] = {"step": step, "methods": methods}
    return found


def _applies(method: BaseInterval, grouped: bool) -> bool:
    return not grouped or "ungrouped" not in method.requires


def names(scoring: str, grouped: bool = False, repeated: bool = False) -> list[str]:
    """Names of all methods that apply."""
    split = [name for group in of_split(scoring, grouped).values() for name in group["methods"]]
    return [*of_winner(scoring, grouped, repeated), *split]


def runner(
    method: BaseInterval, oof: OOFPredictions, scoring: str
) -> Callable[[int, int], ConfidenceInterval]:
    """Function of the number of draws and the seed that runs one method.

    Parameters
    ----------
    method : BaseInterval
        With a selection step that it shares with others, or without.
    oof : OOFPredictions
        Predictions.
    scoring : str
        Name of the metric.
    """

    def run(n_bootstraps: int, seed: int) -> ConfidenceInterval:
        own = method.get_params(deep=False)
        wanted = {
            "confidence_level": LEVEL, "n_bootstraps": n_bootstraps, "random_state": seed,
        }  # fmt: skip
        fresh = type(method)(**own)
        fresh.set_params(**{name: value for name, value in wanted.items() if name in own})
        return fresh.estimate(oof, scoring)

    return run
