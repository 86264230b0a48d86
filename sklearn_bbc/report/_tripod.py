"""What a search can fill in of the TRIPOD+AI checklist."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .._wording import config_words, method_words, printed_score
from ._facts import SearchFacts
from ._sentences import method_with_draws

__all__ = ["tripod_frame"]

UNCUT = 10**9
"""Characters of the parameters of the model, all of which belong into its specification."""


def tripod_frame(facts: SearchFacts) -> pd.DataFrame:
    """Fill in the items of TRIPOD+AI that a search knows something about.

    Numbers and topics of the items are those of Collins et al., BMJ 385, e078378 (2024).

    Parameters
    ----------
    facts : SearchFacts
        The search.

    Returns
    -------
    DataFrame
        ``item``, ``topic`` and ``text``: facts only, to be completed by the authors.
    """
    rows = [
        ("10", "Sample size", _sizes(facts)),
        ("12a", "Use of the data", _use(facts)),
        ("12c", "Model building and internal validation", _building(facts)),
        ("12e", "Performance measures", _measures(facts)),
        ("18f", "Code", _code(facts)),
        ("21", "Participants and events in each analysis", _analyses(facts)),
        ("22", "Model specification", _specification(facts)),
        ("23a", "Model performance", _performance(facts)),
    ]
    if facts.n_groups is not None:
        rows.insert(3, ("12d", "Clusters", _clusters(facts)))
    return pd.DataFrame(rows, columns=["item", "topic", "text"])


def _sizes(facts: SearchFacts) -> str:
    features = "" if facts.n_features is None else f", {facts.n_features:,} predictors"
    return f"{facts.samples() or 'The number of samples is not known'}{features}."


def _use(facts: SearchFacts) -> str:
    none = "there was no separate test set in this search."
    if facts.n_untested:
        return (
            f"Tuning and internal validation by {facts.cv} used {facts.samples()}; the other "
            f"{facts.n_untested:,} were never held out, and {none}"
        )
    return (
        f"All {facts.samples() or 'samples'} were used for tuning and for internal validation by "
        f"{facts.cv}; {none}"
    )


def _building(facts: SearchFacts) -> str:
    space = "; ".join(f"{name}: {values}" for name, values in facts.space)
    failed = f" {facts.n_failed:,} of them failed in some fold." if facts.n_failed else ""
    if facts.n_dropped:
        failed += f" {facts.n_dropped:,} were dropped early, as they were clearly worse."
    text = (
        f"{facts.estimator}. Hyperparameters tuned by {facts.strategy} over {facts.n_configs:,} "
        f"configurations ({space}), by {facts.cv}.{failed}"
    )
    if facts.main is not None and "error" not in facts.main.details:
        text += f" Internal validation by {method_with_draws(facts.main, facts.seed)}."
    return text


def _clusters(facts: SearchFacts) -> str:
    return (
        f"{facts.samples()}. The unit that the bootstrap resampled is the "
        f"{facts.main.details.get('unit', 'sample') if facts.main else 'sample'}."
    )


def _measures(facts: SearchFacts) -> str:
    names = [facts.words(name).name for name in facts.mean_scores]
    selects = "" if facts.primary is None else f" Selected by {facts.words(facts.primary).name}."
    positive = facts.positive_classes(facts.results)
    positive = f" Positive class: {positive}." if positive else ""
    return f"{', '.join(names)}.{selects if len(names) > 1 else ''}{positive}"


def _code(facts: SearchFacts) -> str:
    return ", ".join(f"{name} {version}" for name, version in facts.versions.items()) + "."


def _analyses(facts: SearchFacts) -> str:
    target = "; ".join(f"{name}: {value}" for name, value in facts.target)
    return f"Tuning and internal validation: {facts.samples() or 'all samples'} ({target})."


def _specification(facts: SearchFacts) -> str:
    if facts.best_index is None:
        return "No single configuration was selected."
    return f"Selected: {config_words(facts.best_index, facts.params, longest=UNCUT)}."


def _performance(facts: SearchFacts) -> str:
    texts = []
    for metric, by_method in facts.results.items():
        words = facts.words(metric)
        for name, result in by_method.items():
            if "error" in result.details or np.isnan(result.estimate):
                continue
            printed = printed_score(
                words, result.estimate, result.low, result.high,
                confidence_level=result.confidence_level, alternative=result.alternative,
            )  # fmt: skip
            short = method_words(name).short
            if facts.n_configs > 1 and result.method not in facts.aware:
                short += ", not corrected for the selection"
            texts.append(f"{words.name} {printed.estimate} ({printed.interval()}, {short})")
    return "; ".join(texts) + "." if texts else "No interval could be computed."
