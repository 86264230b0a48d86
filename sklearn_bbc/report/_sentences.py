"""The summary of a search: what was estimated and how, in a few sentences."""

from __future__ import annotations

from .._wording import (
    MetricWords,
    config_words,
    count,
    method_words,
    printed_score,
    shown,
    threshold_sentences,
)
from ..results import ConfidenceInterval
from ._facts import SearchFacts

__all__ = ["draws_of", "method_with_draws", "rule_words", "summary_of"]

NAMELESS = "<lambda>"


def summary_of(facts: SearchFacts) -> str:
    """Say in a few sentences what the winner of a search is worth.

    Parameters
    ----------
    facts : SearchFacts
        The search; `main` is a result.

    Returns
    -------
    str
        Plain text, with metrics and signs as people print them.
    """
    result = facts.main
    assert result is not None
    words = facts.words(result.metric)
    best_score = facts.best_score(result)
    printed = printed_score(
        words, result.estimate, result.low, result.high,
        confidence_level=result.confidence_level, alternative=result.alternative,
        others=[best_score],
    )  # fmt: skip
    sentences = [_best(facts, result, words, printed.others[0])]
    if facts.n_failed:
        sentences.append(
            f"{facts.n_failed:,} of the {facts.n_configs:,} configurations failed in some fold "
            "and could not win."
        )
    if facts.n_dropped:
        sentences.append(
            f"{facts.n_dropped:,} of the {facts.n_configs:,} configurations were dropped "
            "early, as they were clearly worse than the best one so far."
        )
    if facts.n_left_out:
        sentences.append(
            f"{facts.n_left_out:,} of the {facts.n_configs:,} configurations were evaluated on "
            "other splits than the best one and are left out."
        )
    if "error" in result.details:
        short = method_words(result.method).short
        sentences.append(f"No {short} interval could be computed: {result.details['error']}")
        return " ".join(sentences)
    how = method_with_draws(result, facts.seed)
    if facts.n_configs == 1 or result.details.get("n_valid") == 1:
        begin = f"Estimated by {how}"
    elif result.method in facts.aware:
        begin = f"Corrected for the selection by {how}"
    else:
        begin = f"Estimated by {how}, which does not account for the selection"
    sentences.append(f"{begin}, it is {printed.estimate} ({printed.interval()}).")
    sentences.append(f"It estimates the {result.estimand}.")
    if "no_width" in result.details:
        sentences.append(result.details["no_width"])
    if "why_better" in result.details:
        sentences.append(result.details["why_better"])
    elif result.details.get("mostly_pooling"):
        parts = result.details["optimism_parts"]
        # With the decimals of the estimate: more would be false precision.
        _, both, pooling = shown(result.estimate, sum(parts.values()), parts["pooling"])
        sentences.append(
            f"Of the difference between the two ({both}), {pooling} comes from pooling the folds, "
            f"not from the selection: within_folds({result.metric!r}) scores each fold by itself."
        )
    sentences += threshold_sentences(result.details)
    if result.metric in facts.positive:
        sentences.append(f"The positive class is {facts.positive[result.metric]!r}.")
    if facts.dynamic:
        sentences.append(
            "The search chose configurations by the scores of earlier ones, so some optimism may "
            "remain."
        )
    if "best_index" in result.details:
        sentences.append(
            f"These numbers are about {config_words(result.details['winner'], facts.params)}, not "
            f"about {config_words(result.details['best_index'], facts.params)}, which the search "
            "selected."
        )
    return " ".join(sentences)


def _best(facts: SearchFacts, result: ConfidenceInterval, words: MetricWords, best: str) -> str:
    size = ", ".join(filter(None, [facts.samples(), facts.splits()]))
    if best == "nan":
        tried = count(facts.n_configs, "configuration")
        return f"There is no cross-validated {words.name} of the {tried} ({size})."
    if facts.n_configs == 1:
        return f"With 1 configuration, the cross-validated {words.name} was {best} ({size})."
    which = f"The best of {facts.n_configs:,} configurations"
    if "rule" in result.details:
        which = (
            f"The configuration that {rule_words(result.details['rule'])} selected from "
            f"{facts.n_configs:,}"
        )
    return f"{which} had a cross-validated {words.name} of {best} ({size})."


def rule_words(rule: str) -> str:
    """A rule of selection in a sentence."""
    return "a function" if rule == NAMELESS else f"the rule {rule!r}"


def draws_of(result: ConfidenceInterval, seed: int) -> str:
    """Number and unit of the draws, and their seed; empty without draws."""
    unit = f"{result.details.get('unit', 'sample')}s"
    if result.n_bootstraps is not None:
        seed = result.details.get("seed", seed)  # a method may have a seed of its own
        return f"{count(result.n_bootstraps, 'bootstrap draw')} of {unit}, seed {seed}"
    return f"all possible bootstrap draws of {unit}" if result.details.get("exact") else ""


def method_with_draws(result: ConfidenceInterval, seed: int) -> str:
    """The method of a result and, in brackets, its draws."""
    name, draws = method_words(result.method).sentence, draws_of(result, seed)
    if not draws:
        return name
    return f"{name[:-1]}, {draws})" if name.endswith(")") else f"{name} ({draws})"
