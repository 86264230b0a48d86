"""A methods paragraph for a paper, with its references."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .._wording import method_words, percent
from ..results import ConfidenceInterval
from ._facts import SearchFacts
from ._references import SCIKIT_LEARN, Reference
from ._sentences import draws_of, rule_words

__all__ = ["methods_paragraph"]


def methods_paragraph(
    facts: SearchFacts, cited: Mapping[str, Sequence[Reference]], also: Sequence[str] = ()
) -> str:
    """Say how a search was done and how its winner was judged, in the words of a paper.

    Parameters
    ----------
    facts : SearchFacts
        The search; `main` is a result.
    cited : mapping of str to sequence of Reference
        References of each method.
    also : sequence of str, default=()
        Sentences on what else was reported: a threshold, a tied set.

    Returns
    -------
    str
        A paragraph of plain text with numbers in brackets, and the list of references.
    """
    result = facts.main
    assert result is not None
    references: list[Reference] = []

    def cite(*wanted: Reference) -> str:
        for reference in wanted:
            if reference not in references:
                references.append(reference)
        numbers = [str(references.index(reference) + 1) for reference in wanted]
        return f" [{', '.join(numbers)}]" if numbers else ""

    words = facts.words(result.metric)
    version = facts.versions.get("scikit-learn", "")
    parts = [
        f"{facts.estimator} was {_done(facts)} by {facts.cv}{_on(facts)}, with scikit-learn "
        f"{version}{cite(SCIKIT_LEARN)}."
    ]
    rule = result.details.get("rule")
    if facts.n_configs > 1 and rule:
        parts.append(f"The configuration was selected by {rule_words(rule)}.")
    elif facts.n_configs > 1:
        parts.append(
            f"The configuration with the best mean score over the held-out folds ({words.name}) "
            "was selected."
        )
    if facts.n_failed:
        parts.append(
            f"{facts.n_failed:,} of the configurations failed in some fold and could not be "
            "selected."
        )
    if facts.n_dropped:
        parts.append(
            f"{facts.n_dropped:,} of the configurations were not fitted on all splits, as they "
            "were clearly worse than the best one so far."
        )
    if facts.n_left_out:
        parts.append(
            f"{facts.n_left_out:,} of the configurations were evaluated on other splits and were "
            "left out."
        )
    if "error" in result.details:
        parts.append("No confidence interval could be computed.")
    else:
        name, draws = method_words(result.method).sentence, draws_of(result, facts.seed)
        by = f"{name}{cite(*cited.get(result.method, ())[:1])}" + (f" with {draws}" * bool(draws))
        sided = "" if result.alternative == "two-sided" else "one-sided "
        parts.append(
            f"Its {words.name} and a {sided}{percent(result.confidence_level)} confidence "
            f"interval were estimated by {by}, as implemented in sklearn-bbc "
            f"{facts.versions.get('sklearn-bbc', '')}."
        )
        if facts.n_configs > 1:
            parts.append(_selection(facts, result))
        parts += _other_results(facts, result, cited, cite)
    positive = facts.positive_classes(facts.results)
    parts += [f"Positive class: {positive}."] if positive else []
    parts += also
    listed = [f"[{k}] {reference.text()}" for k, reference in enumerate(references, start=1)]
    return "\n".join([" ".join(parts), "", "References", *listed])


def _other_results(
    facts: SearchFacts,
    main: ConfidenceInterval,
    cited: Mapping[str, Sequence[Reference]],
    cite: Callable[..., str],
) -> list[str]:
    """Say by which methods the other metrics were estimated, and which other methods were used."""
    methods: dict[str, list[str]] = {}
    for metric, by_method in facts.results.items():
        for result in by_method.values():
            if result is not main and "error" not in result.details:
                name = facts.words(metric).name
                if "tuned_by" in result.details:
                    name += " (as if tuned by it)"
                methods.setdefault(result.method, []).append(name)
    sentences = []
    for method, found in methods.items():
        names = list(dict.fromkeys(found))
        listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
        verb = "was" if len(names) == 1 else "were"
        if method == main.method:
            by = "the same method"
        else:
            by = f"{method_words(method).sentence}{cite(*cited.get(method, ())[:1])}"
            if method not in facts.aware and facts.n_configs > 1:
                by += ", which does not account for the selection"
        sentences.append(f"{listed[0].upper()}{listed[1:]} {verb} also estimated by {by}.")
    return sentences


def _on(facts: SearchFacts) -> str:
    return f" on {facts.samples()}" if facts.n_samples else ""


def _done(facts: SearchFacts) -> str:
    if facts.n_configs == 1:
        return "evaluated"
    return f"tuned by {facts.strategy} over {facts.n_configs:,} configurations,"


def _selection(facts: SearchFacts, result: ConfidenceInterval) -> str:
    """Whether the estimate accounts for the selection, and how."""
    if result.method not in facts.aware:
        return "Neither accounts for the selection of the configuration."
    if facts.dynamic:
        return (
            "Both account for the selection among the configurations that were compared, but not "
            "for the search's choice of these by earlier scores."
        )
    if result.n_bootstraps is None and not result.details.get("exact"):
        return "Both account for the selection of the configuration."
    return "Both account for the selection, which the method repeats in every draw."
