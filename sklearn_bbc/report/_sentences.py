"""Sentences about a finished search for a paper: summary, methods, TRIPOD+AI; references."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from .._text import (
    NAMELESS,
    POOLING_ALONE,
    MetricWords,
    below_median_sentences,
    config_words,
    count,
    drawn_units,
    draws_of,
    method_with_draws,
    metric_words,
    number,
    percent,
    positive_classes,
    printed_result,
    result_words,
    shown,
    threshold_sentences,
    was_were,
)
from ..results._curves import Plottable, StabilityResult
from ..results._planning import SampleSizeResult
from ..results._results import ConfidenceInterval

ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u",
    "\u0307": ".", "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c",
    "\u0328": "k",
}  # fmt: skip
"""Combining characters and the accents of LaTeX."""
LETTERS = {"ß": r"{\ss}", "ø": r"{\o}", "Ø": r"{\O}", "ł": r"{\l}", "Ł": r"{\L}",
           "æ": r"{\ae}"}  # fmt: skip

MOST_AUTHORS, FIRST_AUTHORS = 8, 3
"""With more authors than the first, a list of references names as many as the second."""


@dataclass(frozen=True, kw_only=True)
class Reference:
    """A publication or a program.

    `authors` as ``"I. Tsamardinos"``, in the order of the publication; `venue` is journal,
    conference, publisher or school, with volume, pages and sections.
    """

    authors: tuple[str, ...]
    title: str
    venue: str
    year: str = ""
    doi: str = ""
    url: str = ""

    @property
    def key(self) -> str:
        """Key for BibTeX: last name of the first author, and year."""
        last = self.authors[0].split()[-1] if self.authors else "anonymous"
        plain = unicodedata.normalize("NFKD", last).encode("ascii", "ignore").decode()
        return re.sub(r"[^a-z]", "", plain.lower()) + self.year

    def text(self) -> str:
        """Write the reference on one line, for a list of references."""
        authors = list(self.authors)
        if len(authors) > MOST_AUTHORS or "others" in authors:
            authors = [*authors[:FIRST_AUTHORS], "et al."]
        parts = [", ".join(authors), f'"{self.title}"', self.venue]
        line = ", ".join(part for part in parts if part) + (f" ({self.year})" if self.year else "")
        where = f" https://doi.org/{self.doi}" if self.doi else f" {self.url}" if self.url else ""
        return f"{line}.{where}"


FOLLOW_UP = Reference(
    authors=("M. Schemper", "T. L. Smith"),
    title="A note on quantifying follow-up in studies of failure time",
    venue="Controlled Clinical Trials 17, 343-346",
    year="1996",
    doi="10.1016/0197-2456(96)00075-X",
)
SCIKIT_LEARN = Reference(
    authors=(
        "F. Pedregosa", "G. Varoquaux", "A. Gramfort", "V. Michel", "B. Thirion", "O. Grisel",
        "M. Blondel", "P. Prettenhofer", "R. Weiss", "V. Dubourg", "J. Vanderplas", "A. Passos",
        "D. Cournapeau", "M. Brucher", "M. Perrot", "E. Duchesnay",
    ),
    title="Scikit-learn: machine learning in Python",
    venue="Journal of Machine Learning Research 12, 2825-2830",
    year="2011",
)  # fmt: skip


def references_in(docstring: str | None) -> list[Reference]:
    """Read the section "References" of a docstring in numpydoc's form."""
    section = re.search(r"\n\s*References\n\s*-{3,}\n(.*?)(?=\n\s*\w+\n\s*-{3,}\n|\Z)",
                        docstring or "", flags=re.S)  # fmt: skip
    if section is None:
        return []
    entries = re.split(r"\.\. \[\w+\]", section[1])[1:]
    found = [_reference(" ".join(entry.split())) for entry in entries]
    return [reference for reference in found if reference is not None]


def _reference(text: str) -> Reference | None:
    parts = re.fullmatch(r'(.*?), "(.*?)"(?:, | )(.*)', text)
    if parts is None:
        return None
    authors, title, rest = parts.groups()

    def found(pattern: str) -> str:
        match = re.search(pattern, rest)
        return match[1].rstrip(".,") if match else ""

    preprint = found(r"arXiv:\s?([\d.]+\d)")
    year = r"\((\d{4})\)"
    venue = re.sub(r":doi:`[^`]+`|https?://\S+", "", rest)
    venue = re.sub(rf"\s*{year}", "", venue).split(": ")[0]
    return Reference(
        authors=tuple(name.strip() for name in authors.split(",")),
        title=title,
        venue=re.sub(r"\s+", " ", venue).strip(" .,"),
        year=found(year),
        doi=found(r":doi:`([^`]+)`"),
        url=found(r"(https?://\S+)") or (f"https://arxiv.org/abs/{preprint}" if preprint else ""),
    )


def keys_of(references: Iterable[Reference]) -> dict[str, Reference]:
    """Map distinct keys to the references, each once: ``brown2001``, ``brown2001b``."""
    keys: dict[str, Reference] = {}
    seen = set()
    for reference in references:
        identity = reference.title.casefold()
        if identity in seen:
            continue
        seen.add(identity)
        same = [key for key in keys if re.fullmatch(f"{reference.key}[a-z]?", key)]
        keys[reference.key + (chr(ord("a") + len(same)) if same else "")] = reference
    return keys


BIBTEX_KINDS = (
    ("article", r"(?P<journal>.*\D) (?P<volume>\d+), (?P<pages>\w+(?:-\w+)?)"),
    (
        "inproceedings",
        r"(?P<booktitle>.*(?:Conference|Advances in|Proceedings|ICML).*?)"
        r"(?:, (?P<note>section \S+))?",
    ),
    ("phdthesis", r"PhD thesis(?:, (?P<school>.*))?"),
    ("misc", r"(?P<howpublished>thesis.*|software|.*arXiv.*|)"),
    ("book", r"(?P<note>(?:sections?|equation) [^,]*), (?P<publisher>.+)"),
    ("book", r"(?P<publisher>.+?)(?:, (?P<note>(?:sections?|equation).*))?"),
)
"""Kind of an entry, and the venues that are one."""


def bibtex(key: str, reference: Reference) -> str:
    """Write an entry for BibTeX; accents and special characters are those of LaTeX."""
    kind, venue = next(
        (kind, found)
        for kind, pattern in BIBTEX_KINDS
        if (found := re.fullmatch(pattern, reference.venue))
    )
    fields = {
        "author": " and ".join(map(_latex_words, reference.authors)),
        "title": f"{{{_latex_words(reference.title)}}}",
        **{name: _latex_words(text) for name, text in venue.groupdict("").items()},
        **{name: getattr(reference, name) for name in ("year", "doi", "url")},
    }
    if "pages" in fields:
        fields["pages"] = fields["pages"].replace("-", "--")
    lines = ",\n".join(f"  {name} = {{{text}}}" for name, text in fields.items() if text)
    return f"@{kind}{{{key},\n{lines}\n}}"


def _latex_words(text: str) -> str:
    """Write accents as commands, and escape characters with a meaning in LaTeX."""
    text = re.sub(r"([&%$#_])", r"\\\1", text)
    result = ""
    for character in unicodedata.normalize("NFC", text):
        apart = unicodedata.normalize("NFD", character)
        if len(apart) == 2 and apart[1] in ACCENTS:
            result += f"{{\\{ACCENTS[apart[1]]}{{{apart[0]}}}}}"
        else:
            result += LETTERS.get(character, character)
    return result


@dataclass(frozen=True, kw_only=True, eq=False)
class SearchFacts:
    """A finished search in words and numbers, for everything that is printed about it."""

    search: str  # name of its class; empty where only predictions are known
    strategy: str  # "grid search"
    estimator: str
    space: Sequence[tuple[str, str]]  # parameters that were searched, and their values
    cv: str  # "stratified 10-fold cross-validation"
    n_samples: int  # 0 where it is not known
    n_configs: int
    n_failed: int
    n_splits: int
    n_repeats: int  # 1 where the splits are no whole passes over the samples
    n_untested: int  # samples that were never held out
    folds: Sequence[int]  # of each repeat; empty where one is no partition of the samples
    n_groups: int | None
    n_features: int | None
    target: Sequence[tuple[str, str]]  # class and number, or range and mean
    primary: str | None  # the metric that selects
    signs: Mapping[str, int]  # of each metric's scorer, where it is known
    mean_scores: Mapping[str, np.ndarray]  # metric -> (n_configs,), in scorer orientation
    results: Mapping[str, Mapping[str, ConfidenceInterval]]  # metric -> method -> result
    best_scores: Mapping[tuple[str, str], float]  # (metric, method) -> mean over the splits
    main: ConfidenceInterval | None  # the first result of the metric that selects
    selection_aware: frozenset[str]  # methods that account for the selection
    params: Sequence[Any]
    best_index: int | None
    seed: int | None
    unequal_amounts: tuple[int, int] | None = None  # smallest and largest training set, if unlike
    n_left_out: int = 0  # configurations that were evaluated on other splits than the winner
    n_earlier: int = 0  # configurations of earlier rounds, of which the search has no results
    n_dropped: int = 0  # configurations that were not fitted on all splits
    dynamic: bool = False  # whether the search chose configurations by earlier scores
    notes: Sequence[str] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    code: str = ""  # the call that repeats the search
    positive: Mapping[str, Any] = field(default_factory=dict)  # metric -> unusual positive class
    further_results: Sequence[Plottable] = ()  # curves, subgroups, stability
    followed: tuple[int, int, float] | None = None  # events, censored, median follow-up
    weighted: str = ""  # samples whose censoring gives the weights of scores of censored times

    def words(self, metric: str) -> MetricWords:
        """Find the printed name and sign of a metric of the search."""
        results = self.results.get(metric, {}).values()
        values = [value for each in results for value in (each.estimate, each.low, each.high)]
        signs = [each.details["sign"] for each in results if "sign" in each.details]
        return metric_words(metric, values, self.signs.get(metric, signs[0] if signs else None))

    def best_score(self, result: ConfidenceInterval) -> float:
        """Return the mean score over the splits of what a result of the search is about."""
        return next(
            score
            for (metric, name), score in self.best_scores.items()
            if self.results[metric][name] is result
        )

    def samples(self) -> str:
        """Count the samples that were held out, and their groups; empty where it is not known."""
        if not self.n_samples:
            return ""
        groups = "" if self.n_groups is None else f" in {count(self.n_groups, 'group')}"
        if not self.n_untested:
            return count(self.n_samples, "sample") + groups
        held_out = count(self.n_samples - self.n_untested, "held-out sample")
        return f"{held_out} of {self.n_samples:,}{groups}"

    def splits(self) -> str:
        """Write the number of folds and repeats."""
        if not self.folds:
            return count(self.n_splits, "split")
        if len(set(self.folds)) > 1:
            sizes = [f"{n:,}" for n in self.folds]
            return f"repeats of {', '.join(sizes[:-1])} and {sizes[-1]} folds"
        again = "" if len(self.folds) == 1 else f" repeated {count(len(self.folds), 'time')}"
        return count(self.folds[0], "fold") + again

    def follow_up(self, cite: str = "") -> str:
        """Write how many samples had the event, and for how long they were followed."""
        if self.followed is None:
            return ""
        n_events, n_censored, median = self.followed
        begin = f"The event was seen in {count(n_events, 'sample')}"
        if not n_censored:
            return f"{begin}; none was censored."
        how = f"(reverse Kaplan-Meier estimate{cite})"
        length = "was not reached" if np.isnan(median) else f"was {number(median)}"
        rest = f"{n_censored:,} {'was' if n_censored == 1 else 'were'} censored"
        return f"{begin}; {rest}. The median follow-up {length} {how}."

    def positive_classes(self, metrics: Iterable[str]) -> str:
        """Write the classes that metrics take as positive; empty where all are usual."""
        return positive_classes(
            {self.words(name).name: self.positive[name] for name in metrics
             if name in self.positive}
        )  # fmt: skip

    def excluded(self) -> list[str]:
        """Write sentences about configurations that could not be selected."""
        they = "it was" if self.n_dropped == 1 else "they were"
        reasons = {
            "failed in some fold and could not be selected": self.n_failed,
            f"{was_were(self.n_dropped)} dropped early, as {they} clearly worse than the best "
            "one": self.n_dropped,
            f"{was_were(self.n_left_out)} evaluated on other splits than the best one and left "
            "out": self.n_left_out,
            f"{was_were(self.n_earlier)} evaluated in earlier rounds and left out": self.n_earlier,
        }
        of = f"of the {self.n_configs:,} configurations"
        return [f"{n:,} {of} {why}." for why, n in reasons.items() if n]

    def amounts(self) -> list[str]:
        """Write how many samples the models of the folds learned from, where that differs much."""
        if self.unequal_amounts is None:
            return []
        least, most = self.unequal_amounts
        sentence = f"The models of the folds learned from {least:,} to {most:,} samples"
        if not self.n_untested:
            return [f"{sentence}."]
        verb = "was" if self.n_untested == 1 else "were"
        return [f"{sentence}; {count(self.n_untested, 'sample')} {verb} never held out."]


def summary_of(facts: SearchFacts) -> str:
    """Write in a few sentences how good the winner of a search is."""
    result = facts.main
    assert result is not None
    words, details = facts.words(result.metric), result.details
    printed = printed_result(words, result, [facts.best_score(result)])
    best, size = printed.others[0], ", ".join(filter(None, [facts.samples(), facts.splits()]))
    tried = count(facts.n_configs, "configuration")
    if best == "nan":
        sentences = [f"There is no cross-validated {words.name} of the {tried} ({size})."]
    elif facts.n_configs == 1:
        sentences = [f"With {tried}, the cross-validated {words.name} was {best} ({size})."]
    else:
        which = f"The best of {tried}"
        if "rule" in details:
            rule = rule_words(details["rule"])
            which = f"The configuration that {rule} selected from {facts.n_configs:,}"
        sentences = [f"{which} had a cross-validated {words.name} of {best} ({size})."]
    sentences += facts.excluded() + facts.amounts()
    if "error" in details:
        short = result_words(result).short
        sentences.append(f"No {short} interval could be computed: {details['error']}")
        return " ".join(filter(None, [*sentences, facts.follow_up()]))
    how = method_with_draws(result, facts.seed)
    if facts.n_configs == 1 or details.get("n_valid") == 1:
        begin = f"Estimated by {how}"
    elif result.method in facts.selection_aware:
        begin = f"Corrected for the selection by {how}"
    else:
        begin = f"Estimated by {how}, which does not account for the selection"
    sentences.append(f"{begin}, it is {printed.estimate} ({printed.interval()}).")
    sentences.append(f"It estimates the {result.estimand}.")
    sentences += [details[name] for name in ("no_width", "why_better") if name in details]
    sentences += below_median_sentences(details)
    if details.get("mostly_pooling") and "why_better" not in details:
        parts = details["optimism_parts"]
        # With the decimals of the estimate: more would be false precision.
        _, both, pooling = shown(result.estimate, sum(parts.values()), parts["pooling"])
        is_nothing = not pooling.strip("-0.,")
        of_both = (
            f"Of the difference between the two ({both}), {pooling} comes from pooling the folds, "
            "not from the selection:"
        )
        if parts["pooling"] * parts["selection"] < 0:  # no shares of their difference
            of_both = f"The two differ {POOLING_ALONE.format(pooling)}:"
        if not is_nothing:
            advice = f"within_folds({result.metric!r}) scores each fold by itself."
            sentences.append(f"{of_both} {advice}")
    sentences += threshold_sentences(details)
    if result.metric in facts.positive:
        sentences.append(f"The positive class is {facts.positive[result.metric]!r}.")
    if facts.dynamic:
        sentences.append(
            "The search chose configurations by the scores of earlier ones, so some optimism may "
            "remain."
        )
    if "best_index" in details:
        sentences.append(
            f"These numbers are about {config_words(details['winner'], facts.params)}, not about "
            f"{config_words(details['best_index'], facts.params)}, which the search selected."
        )
    return " ".join(filter(None, [*sentences, facts.follow_up()]))


def rule_words(rule: str) -> str:
    """Write a rule of selection for a sentence."""
    return "a function" if rule == NAMELESS else f"the rule {rule!r}"


def joined_by_and(names: Sequence[str]) -> str:
    """Join names by commas and "and"."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def methods_paragraph(
    facts: SearchFacts, cited: Mapping[str, Sequence[Reference]], also: Sequence[str] = ()
) -> str:
    """Write how a search was done and how its winner was judged, in the words of a paper."""
    result = facts.main
    assert result is not None
    several = facts.n_configs > 1
    references: list[Reference] = []

    def cite(*wanted: Reference) -> str:
        for reference in wanted:
            if reference not in references:
                references.append(reference)
        numbers = [str(references.index(reference) + 1) for reference in wanted]
        return f" [{', '.join(numbers)}]" if numbers else ""

    name = facts.words(result.metric).name
    on = f" on {facts.samples()}" if facts.n_samples else ""
    if facts.search:
        done = f"tuned by {facts.strategy} over {count(facts.n_configs, 'configuration')},"
        parts = [
            f"{facts.estimator} was {done if several else 'evaluated'} by {facts.cv}{on}, with "
            f"scikit-learn {facts.versions.get('scikit-learn', '')}{cite(SCIKIT_LEARN)}."
        ]
    else:
        verb = "were compared" if several else "was evaluated"
        tried = count(facts.n_configs, "configuration")
        parts = [f"{tried[0].upper()}{tried[1:]} {verb} by {facts.cv}{on}."]
    parts += filter(None, [facts.follow_up(cite(FOLLOW_UP) if facts.followed else "")])
    rule = result.details.get("rule")
    if several and rule:
        parts.append(f"The configuration was selected by {rule_words(rule)}.")
    elif several:
        how = "mean score over the held-out folds"
        if result.details.get("winner_by") == "pooled score":
            how = "score on all held-out predictions together"
        parts.append(f"The configuration with the best {how} ({name}) was selected.")
    parts += facts.excluded()
    if "error" in result.details:
        parts.append("No confidence interval could be computed.")
    else:
        method, draws = result_words(result).sentence, draws_of(result, facts.seed)
        by = f"{method}{cite(*cited.get(result.method, ())[:1])}" + f" with {draws}" * bool(draws)
        sided = "" if result.alternative == "two-sided" else "one-sided "
        parts.append(
            f"Its {name} and a {sided}{percent(result.confidence_level)} confidence interval were "
            f"estimated by {by}, as implemented in sklearn-bbc "
            f"{facts.versions.get('sklearn-bbc', '')}."
        )
        if several and result.method not in facts.selection_aware:
            parts.append("Neither accounts for the selection of the configuration.")
        elif several and facts.dynamic:
            parts.append(
                "Both account for the selection among the configurations that were compared, but "
                "not for the search's choice of these by earlier scores."
            )
        elif several:
            repeats = result.n_bootstraps is not None or result.details.get("exact")
            how = (
                ", which the method repeats in every draw" if repeats else " of the configuration"
            )
            parts.append(f"Both account for the selection{how}.")
        methods: dict[tuple[str, str], dict[str, None]] = {}
        for metric, by_method in facts.results.items():
            for other in by_method.values():
                if other is not result and "error" not in other.details:
                    as_if = " (as if tuned by it)" * ("tuned_by" in other.details)
                    words = other.method, result_words(other).sentence
                    methods.setdefault(words, {})[facts.words(metric).name + as_if] = None
        for (method, sentence), names in methods.items():
            how = "the same method"
            if sentence != result_words(result).sentence:
                how = f"{sentence}{cite(*cited.get(method, ())[:1])}"
                if method not in facts.selection_aware and several:
                    how += ", which does not account for the selection"
            listed = joined_by_and(list(names))
            verb = "was" if len(names) == 1 else "were"
            parts.append(f"{listed[0].upper()}{listed[1:]} {verb} also estimated by {how}.")
    if facts.weighted:
        parts.append(
            "Scores use inverse probability of censoring weights, estimated by Kaplan-Meier from "
            f"{facts.weighted}."
        )
    positive = facts.positive_classes(facts.results)
    parts += [f"Positive class: {positive}."] if positive else []
    parts += also
    entries = [f"[{k}] {reference.text()}" for k, reference in enumerate(references, start=1)]
    return "\n".join([" ".join(parts), "", "References", *entries])


UNCUT = 10**9
"""Characters of the parameters of the model, all of which belong into its specification."""


def tripod_frame(facts: SearchFacts) -> pd.DataFrame:
    """Fill in the items of TRIPOD+AI that a search knows something about.

    Numbers and topics of the items are those of Collins et al., BMJ 385, e078378 (2024).
    """
    main, samples = facts.main, facts.samples()
    planned = [each for each in facts.further_results if isinstance(each, SampleSizeResult)]
    further = [each for each in facts.further_results if not isinstance(each, SampleSizeResult)]
    features = "" if facts.n_features is None else f", {count(facts.n_features, 'predictor')}"
    use = (
        f"All {samples or 'samples'} were used for tuning and for internal validation by "
        f"{facts.cv}; "
    )
    if facts.n_untested:
        verb = "was" if facts.n_untested == 1 else "were"
        use = (
            f"Tuning and internal validation by {facts.cv} used {samples}; the other "
            f"{facts.n_untested:,} {verb} never held out, and "
        )
    space = "; ".join(f"{name}: {values}" for name, values in facts.space)
    building = [f"{count(facts.n_configs, 'configuration')} tried, by {facts.cv}."]
    if facts.search:
        building = [
            f"{facts.estimator}. Hyperparameters tuned by {facts.strategy} over "
            f"{count(facts.n_configs, 'configuration')} ({space}), by {facts.cv}."
        ]
    building += facts.excluded()
    if main is not None and "error" not in main.details:
        building.append(f"Internal validation by {method_with_draws(main, facts.seed)}.")
    metrics = dict.fromkeys([*facts.mean_scores, *facts.results])
    nouns = [each.noun for each in further]
    names = [*(facts.words(name).name for name in metrics), *nouns]
    measures = [f"{', '.join(names)}."]
    if facts.primary is not None and len(metrics) > 1:
        measures.append(f"Selected by {facts.words(facts.primary).name}.")
    if positive := facts.positive_classes(facts.results):
        measures.append(f"Positive class: {positive}.")
    target = "; ".join(f"{name}: {value}" for name, value in facts.target)
    specification = "No single configuration was selected."
    if facts.best_index is not None:
        specification = f"Selected: {config_words(facts.best_index, facts.params, longest=UNCUT)}."
    performance = []
    for metric, by_method in facts.results.items():
        words = facts.words(metric)
        for result in by_method.values():
            if "error" in result.details or np.isnan(result.estimate):
                continue
            printed, short = printed_result(words, result), result_words(result).short
            if facts.n_configs > 1 and result.method not in facts.selection_aware:
                short += ", not corrected for the selection"
            performance.append(f"{words.name} {printed.estimate} ({printed.interval()}, {short})")
    performance += [
        each.summary().removesuffix(".")
        if isinstance(each, StabilityResult)
        else f"{each.noun} with {percent(each.confidence_level)} limits"
        + ", corrected for the selection" * bool(each.details.get("selection_accounted_for", True))
        for each in further
    ]
    size = [f"{samples or 'The number of samples is not known'}{features}."]
    if main is not None and main.alternative == "two-sided" and 0 < main.width < np.inf:
        size.append(
            f"The {percent(main.confidence_level)} confidence interval of the "
            f"{facts.words(main.metric).name} is {number(main.width)} wide."
        )
    size += [each.summary() for each in planned]
    rows = [
        ("10", "Sample size", " ".join(size)),
        ("12a", "Use of the data", use + "there was no separate test set."),
        ("12c", "Model building and internal validation", " ".join(building)),
        ("12e", "Performance measures", " ".join(measures)),
        ("18f", "Code", ", ".join(" ".join(each) for each in facts.versions.items()) + "."),
        (
            "21",
            "Participants and events in each analysis",
            f"Tuning and internal validation: {samples or 'all samples'} ({target}).",
        ),
        ("22", "Model specification", specification),
        (
            "23a",
            "Model performance",
            "; ".join(performance or ["No interval could be computed"]) + ".",
        ),
    ]
    if facts.n_groups is not None:
        drawn = drawn_units({} if main is None else main.details)
        known = f"{samples}. " if samples else ""
        text = f"{known}The bootstrap resampled {drawn}."
        rows.insert(3, ("12d", "Clusters", text))
    return pd.DataFrame(rows, columns=["item", "topic", "text"])
