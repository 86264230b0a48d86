"""A methods paragraph for a paper, with its references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .._wording import count, method_words
from ._facts import SearchFacts
from ._references import SCIKIT_LEARN, Reference
from ._sentences import draws_of

__all__ = ["methods_paragraph"]


def methods_paragraph(facts: SearchFacts, cited: Mapping[str, Sequence[Reference]]) -> str:
    """Say how a search was done and how its winner was judged, in the words of a paper.

    Parameters
    ----------
    facts : SearchFacts
        The search; `main` is a result.
    cited : mapping of str to sequence of Reference
        References of each method.

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
    tried = count(facts.n_configs, "configuration")
    parts = [
        f"{facts.estimator} was tuned by {facts.strategy} over {tried}, by {facts.cv} on "
        f"{facts.samples()}, with scikit-learn {version}{cite(SCIKIT_LEARN)}."
    ]
    rule = result.details.get("rule")
    if facts.n_configs > 1 and rule:
        parts.append(f"The configuration was selected by the rule {rule!r}.")
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
    ours = facts.versions.get("sklearn-bbc", "")
    if "error" in result.details:
        parts.append("No confidence interval could be computed.")
    else:
        method = method_words(result.method).sentence
        by = f"{method}{cite(*cited.get(result.method, ())[:1])}"
        draws = draws_of(result, facts.seed)
        with_draws = f" with {draws}" if draws else ""
        parts.append(
            f"Its {words.name} was estimated by {by}{with_draws}, as implemented in sklearn-bbc "
            f"{ours}; no model was fitted again."
        )
        if facts.n_configs > 1:
            parts.append(
                "The method repeats the selection in every draw, so the estimate and its "
                "interval account for it."
                if result.method in facts.aware and result.n_bootstraps is not None
                else "The estimate and its interval account for the selection."
                if result.method in facts.aware
                else "The estimate and its interval do not account for the selection."
            )
        sided = "" if result.alternative == "two-sided" else "one-sided "
        level = f"{100 * result.confidence_level:g}%"
        parts.append(f"The interval is a {sided}{level} confidence interval.")
    listed = [f"[{k}] {reference.text()}" for k, reference in enumerate(references, start=1)]
    return "\n".join([" ".join(parts), "", "References", *listed])
