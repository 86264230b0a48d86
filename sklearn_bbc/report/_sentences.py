"""What a report says about a search: a value without estimators and data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from .._text import (
    NAMELESS,
    MetricWords,
    config_words,
    count,
    method_words,
    metric_words,
    percent,
    positive_classes,
    printed_result,
    shown,
    threshold_sentences,
)
from ..results._results import ConfidenceInterval
from ._citations import SCIKIT_LEARN, Reference


@dataclass(frozen=True, kw_only=True, eq=False)
class SearchFacts:
    """A finished search in words and numbers.

    Parameters
    ----------
    search, strategy : str
        Name of the search's class, and what it does: ``"grid search"``.
    estimator : str
        The estimator, in short.
    space : sequence of (str, str)
        Parameters that were searched, and their values.
    cv : str
        The kind of splits: ``"stratified 10-fold cross-validation"``.
    n_samples, n_configs, n_failed, n_splits, n_repeats, n_untested : int
        Sizes. `n_samples` is 0 where it is not known, `n_repeats` is 1 where the splits are no
        whole passes over the samples, `n_untested` counts samples that were never held out.
    n_left_out : int, default=0
        Configurations that were evaluated on other splits than the winner.
    n_dropped : int, default=0
        Configurations that were not fitted on all splits, since they were clearly worse.
    dynamic : bool, default=False
        Whether the search looked at scores to choose configurations.
    folds : sequence of int
        Number of folds of each repeat; empty where a repeat does not hold every sample out
        exactly once.
    n_groups, n_features : int or None
        None where they are not known; groups of which a sample was held out.
    target : sequence of (str, str)
        Facts about the target of the held-out samples: class and number, or range and mean.
    primary : str or None
        The metric that selects.
    signs : mapping of str to {1, -1}
        Of each metric's scorer, where it is known.
    mean_scores : mapping of str to ndarray of shape (n_configs,)
        Metric -> mean scores over the splits, in scorer orientation.
    results : mapping of str to mapping of str to ConfidenceInterval
        Metric -> method -> result.
    best_scores : mapping of (str, str) to float
        (metric, method) -> mean score over the splits of what the result is about.
    main : ConfidenceInterval or None
        The first result of the metric that selects.
    aware : frozenset of str
        Methods that account for the selection.
    params : sequence of dict
        The configurations.
    best_index : int or None
        The configuration that the search selected.
    seed : int
        Seed of the draws.
    notes : sequence of str
        What is to be said about the search and its predictions.
    versions : mapping of str to str
        Package -> version.
    code : str
        The call that repeats the search.
    positive : mapping of str to label, default={}
        Metric -> class that it takes as positive, where that does not go without saying.
    """

    search: str
    strategy: str
    estimator: str
    space: Sequence[tuple[str, str]]
    cv: str
    n_samples: int
    n_configs: int
    n_failed: int
    n_splits: int
    n_repeats: int
    n_untested: int
    folds: Sequence[int]
    n_groups: int | None
    n_features: int | None
    target: Sequence[tuple[str, str]]
    primary: str | None
    signs: Mapping[str, int]
    mean_scores: Mapping[str, np.ndarray]
    results: Mapping[str, Mapping[str, ConfidenceInterval]]
    best_scores: Mapping[tuple[str, str], float]
    main: ConfidenceInterval | None
    aware: frozenset[str]
    params: Sequence[Any]
    best_index: int | None
    seed: int
    n_left_out: int = 0
    n_dropped: int = 0
    dynamic: bool = False
    notes: Sequence[str] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    code: str = ""
    positive: Mapping[str, Any] = field(default_factory=dict)

    def words(self, metric: str) -> MetricWords:
        """How a metric of the search is printed."""
        results = self.results.get(metric, {}).values()
        values = [value for each in results for value in (each.estimate, each.low, each.high)]
        signs = [each.details["sign"] for each in results if "sign" in each.details]
        return metric_words(metric, values, self.signs.get(metric, signs[0] if signs else None))

    def best_score(self, result: ConfidenceInterval) -> float:
        """Mean score over the splits of what a result of the search is about."""
        return next(
            score
            for (metric, name), score in self.best_scores.items()
            if self.results[metric][name] is result
        )

    def samples(self) -> str:
        """How many samples were held out, and of which groups; empty where it is not known."""
        if not self.n_samples:
            return ""
        groups = "" if self.n_groups is None else f" in {count(self.n_groups, 'group')}"
        if not self.n_untested:
            return count(self.n_samples, "sample") + groups
        held_out = count(self.n_samples - self.n_untested, "held-out sample")
        return f"{held_out} of {self.n_samples:,}{groups}"

    def splits(self) -> str:
        """How many folds, and repeats, in words."""
        if not self.folds:
            return count(self.n_splits, "split")
        if len(set(self.folds)) > 1:
            sizes = [f"{n:,}" for n in self.folds]
            return f"repeats of {', '.join(sizes[:-1])} and {sizes[-1]} folds"
        again = "" if len(self.folds) == 1 else f" repeated {count(len(self.folds), 'time')}"
        return count(self.folds[0], "fold") + again

    def positive_classes(self, metrics: Iterable[str]) -> str:
        """Which classes metrics take as positive; empty where that goes without saying."""
        return positive_classes(
            {self.words(name).name: self.positive[name] for name in metrics
             if name in self.positive}
        )  # fmt: skip


def summary_of(facts: SearchFacts) -> str:
    """Say in a few sentences what the winner of a search is worth."""
    result = facts.main
    assert result is not None
    words = facts.words(result.metric)
    best_score = facts.best_score(result)
    printed = printed_result(words, result, [best_score])
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


def methods_paragraph(
    facts: SearchFacts, cited: Mapping[str, Sequence[Reference]], also: Sequence[str] = ()
) -> str:
    """Say how a search was done and how its winner was judged, in the words of a paper."""
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


UNCUT = 10**9
"""Characters of the parameters of the model, all of which belong into its specification."""


def tripod_frame(facts: SearchFacts) -> pd.DataFrame:
    """Fill in the items of TRIPOD+AI that a search knows something about.

    Numbers and topics of the items are those of Collins et al., BMJ 385, e078378 (2024).
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
            printed = printed_result(words, result)
            short = method_words(name).short
            if facts.n_configs > 1 and result.method not in facts.aware:
                short += ", not corrected for the selection"
            texts.append(f"{words.name} {printed.estimate} ({printed.interval()}, {short})")
    return "; ".join(texts) + "." if texts else "No interval could be computed."
