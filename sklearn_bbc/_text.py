"""Numbers, metrics, methods and configurations in words, and a card for notebooks."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any, NamedTuple

import numpy as np

from ._lazy import load

BOX = (
    "display:inline-block;max-width:44em;padding:.6em .9em;margin:.2em 0;vertical-align:top;"
    "border:1px solid rgba(128,128,128,.45);border-radius:.4em;font-family:sans-serif;"
    "font-size:90%;line-height:1.45;text-align:left;color:inherit;box-sizing:border-box;"
    "overflow-wrap:break-word"
)
HEAD = "opacity:.75"
MAIN = "font-size:135%;font-weight:600;margin:.1em 0 .3em"
LABEL_STYLE = (
    "padding:.1em 1em .1em 0;text-align:left;vertical-align:top;font-weight:normal;opacity:.75;"
    "max-width:14em;white-space:normal"
)
VALUE = (
    "padding:.1em 0;text-align:left;vertical-align:top;font-variant-numeric:tabular-nums;"
    "overflow-wrap:anywhere;white-space:normal"
)
NOTE_STYLE = "margin-top:.4em;font-size:92%"


def card(
    title: str,
    main: str,
    rows: Iterable[tuple[str, str]] = (),
    notes: Iterable[str] = (),
) -> str:
    """Write a box with a title, a main line, a table of two columns and notes."""
    lines = "".join(
        f'<tr style="background:none"><th style="{LABEL_STYLE}">{escape(label)}</th>'
        f'<td style="{VALUE}">{escape(value)}</td></tr>'
        for label, value in rows
    )
    # Pages without a document type do not hand the colour down to tables.
    style = "border-collapse:collapse;margin:0;color:inherit"
    table = f'<table style="{style}">{lines}</table>' if lines else ""
    below = "".join(f'<div style="{NOTE_STYLE}">{escape(note)}</div>' for note in notes)
    return (
        f'<div style="{BOX}"><div style="{HEAD}">{escape(title)}</div>'
        f'<div style="{MAIN}">{escape(main)}</div>{table}{below}</div>'
    )


POOLING_ALONE = "since all folds are scored together, which by itself makes a difference of {}"
"""Why a corrected score differs from a mean over the folds, where selection moves it back."""

DIGITS = 3
"""Digits of an estimate."""
DIGITS_OF_WIDTH = 2
"""Digits of the distance between its bounds, which must not be rounded away."""
MOST_EXTRA = 2
"""Decimals that a narrow interval may add."""
LARGE, SMALL = 1e7, 1e-4
"""From here on powers of ten."""


POWER_ROUNDING = 1e-9
"""Relative distance up to which a size is a power of ten."""
HALF_UP = 1 + 1e-12
"""Moves numbers away from zero by more than a rounding, and less than any digit in print."""


def shown(*values: float) -> list[str]:
    """Write numbers that stand side by side with the same number of decimals."""
    finite = [value for value in values if math.isfinite(value)]
    # What is a power of ten up to rounding is one.
    first = next((abs(value) for value in finite if value != 0), 0.0) * (1 + POWER_ROUNDING)
    width = (max(finite) - min(finite) if finite else 0.0) * (1 + POWER_ROUNDING)
    if first and not SMALL <= first < LARGE:
        return ["0" if value == 0 else digits(value) for value in values]
    decimals = DIGITS
    size = max(first, width / 10)  # beside larger ones, a number near zero needs no more digits
    if first and not 0.01 <= size <= 1 + 2 * POWER_ROUNDING:
        decimals = max(0, DIGITS - 1 - math.floor(math.log10(size)))
    if first:
        decimals = max(decimals, -math.floor(math.log10(first)))
    if width > 0:
        needed = DIGITS_OF_WIDTH - 1 - math.floor(math.log10(width))
        decimals = max(decimals, min(needed, decimals + MOST_EXTRA))
    return [fixed(value, decimals) for value in values]


def digits(value: float, n: int = DIGITS) -> str:
    """Write a number with so many digits; a half is rounded up, see `fixed`."""
    return f"{value * HALF_UP or 0.0:.{n}g}"


def fixed(value: float, decimals: int = DIGITS, sign: str = "") -> str:
    """Write a number with so many decimals, and no minus before zero; `sign` ``"+"`` shows both.

    A half is rounded up, whether it is stored a little above or below: 0.3125 is 0.313.
    """
    text = f"{value * HALF_UP:{sign},.{decimals}f}"
    return text if text.strip("-0.,") else text.replace("-", sign)


def number(value: float) -> str:
    """Write one number with three digits."""
    return shown(value)[0]


def percent(share: float) -> str:
    """Write a share, such as a confidence level, in percent."""
    return f"{100 * share:g}%"


OUR_FIRST_WORDS = ("the ", "no ", "configuration ")
"""Words of ours that may begin a sentence."""


def capital(text: str) -> str:
    """Begin with a capital letter, but for names that users gave, which stay as they are."""
    return text[0].upper() + text[1:] if text.startswith(OUR_FIRST_WORDS) else text


def count(n: int, noun: str, plural: str = "") -> str:
    """Write a number of things: ``1 fold``, ``10 folds``, ``2,000 draws``."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def is_are(n: int) -> str:
    """Write the verb after a number of things."""
    return "is" if n == 1 else "are"


def was_were(n: int) -> str:
    """Write the verb after a number of things, of the past."""
    return "was" if n == 1 else "were"


def p_value_text(p: float) -> str:
    """Write a p-value."""
    return f"p = {fixed(p)}" if p >= 0.001 - 1e-12 else "p < 0.001"


def missed_demand(details: Mapping[str, Any]) -> str | None:
    """Write that no threshold reaches what was demanded; None where one does."""
    demand = details.get("demand")
    if demand is None or demand["is_reached"] is not False:
        return None
    name, level, reached = demand["of"], demand["level"], demand["reached"]
    return (
        f"No threshold reaches the demanded {name} of {level:g} on all samples: the best of those "
        f"tried has {_below(reached, level)}, and was chosen. Demand less, or try models whose "
        "scores separate the classes better."
    )


def threshold_sentences(details: Mapping[str, Any]) -> list[str]:
    """Write where the models' own threshold is better, and whether a demand was reached."""
    sentences = []
    if "better_own_threshold" in details:
        own = f"{details['better_own_threshold']:g}"
        sentences.append(
            f"The threshold of the models themselves, {own}, is better on all samples than the "
            "chosen one, and not among those that were tried. Add it to `thresholds`."
        )
    demand = details.get("demand")
    if demand is None:
        return sentences
    name, share = demand["of"], demand["share_reached"]
    rate = f"{name} of {demand['level']:g}"
    sentences += filter(None, [missed_demand(details)])
    if share is not None and share < 1:
        sentences.append(
            f"In {percent_of(1 - share)} of the draws no threshold reached the {rate}, and the "
            f"one with the best {name} was taken."
        )
    if demand["ask"]:
        sentences.append(
            f"The {rate} is demanded on the samples that choose the threshold. On samples left "
            f"out it may be lower: {demand['ask']} reports it there."
        )
    else:
        sentences.append(
            f"The {name} itself is reported; {demand['level']:g} was demanded on the samples that "
            "choose the threshold."
        )
    return sentences


HARDLY_BETTER = 1 / 3
"""Share of draws below the median from which a choice is hardly better than one at random.

Without any skill 19 of 20 sets of normal losses have a share above 0.27, from 20 configurations
on. (It is 0.5 on average.)
"""


def below_median_sentences(details: Mapping[str, Any]) -> list[str]:
    """Write how often the selected configuration was below the median of all, out of bag."""
    share = details.get("below_median", math.nan)
    if math.isnan(share):
        return []
    noun, n = details.get("noun", "configuration"), details["n_valid"]
    place = "the worse of the two" if n == 2 else f"below the median of all {n:,}"
    sentence = f"In {percent_of(share)} of the draws the selected {noun} was {place} on the "
    sentence += f"{details['unit']}s left out"
    if share > HARDLY_BETTER:
        better = "no" if share >= 0.5 else "hardly"
        return [f"{sentence}: the choice is {better} better than one at random (50%)."]
    return [f"{sentence} (50% if it were taken at random)."]


def _below(value: float, level: float) -> str:
    """Format a value with as many digits as it takes to print it below the level."""
    texts = (f"{value:.{digits}g}" for digits in range(3, 18))
    return next((text for text in texts if float(text) < level), repr(value))


def percent_of(share: float) -> str:
    """Write a share of draws in percent: as 0% or 100% only if it is exactly that."""
    if 0 < share < 0.01:
        return "less than 1%"
    return "more than 99%" if 0.99 < share < 1 else percent(round(share, 2))


class MethodWords(NamedTuple):
    """Printed names of a method: for a sentence ("estimated by ..."), and for a table."""

    sentence: str
    short: str


_WORDS: dict[str, MethodWords] = {}
"""Registered name of a method -> its printed names."""
_FORM_WORDS: dict[tuple[str, str], MethodWords] = {}
"""Registered name and ``details["form"]`` -> printed names, where a form has its own."""
_AFTER_A_SPLIT: dict[str, str] = {}
"""Name of a method in results on a part of the samples -> its registered name."""


def name_method(
    name: str,
    label: tuple[str, str],
    forms: Mapping[str, tuple[str, str]] | None = None,
    abbreviation: str | None = None,
) -> None:
    """Enter the printed names of a method and of its forms, which its class carries."""
    _WORDS[name] = MethodWords(*label)
    _FORM_WORDS.update(
        {(name, form): MethodWords(*words) for form, words in (forms or {}).items()}
    )
    if abbreviation is not None:
        _AFTER_A_SPLIT[abbreviation] = name


@cache
def _load_methods() -> None:
    """Load the methods, whose classes carry names: a result may come from another process."""
    for home in ("intervals", "comparison"):
        load(f"{__package__}.{home}")


def method_words(method: str, form: Any = None) -> MethodWords:
    """Find the printed names of a method, or of one of its forms."""
    if method not in _WORDS:
        _load_methods()
    base, _, number = method.rpartition("_")
    if method not in _WORDS and number.isdecimal() and base in _WORDS:
        method = base
    split = re.fullmatch(r"([A-Z]+)(\d[\d.]*p)?", method)
    if split is not None and split[1] in _AFTER_A_SPLIT:
        name = method_words(_AFTER_A_SPLIT[split[1]], form).sentence.removesuffix(" (MABT)")
        return MethodWords(f"{name} after a learn and evaluate split ({method})", method)
    known = _FORM_WORDS.get((method, form)) if isinstance(form, str) else None
    return known or _WORDS.get(method) or MethodWords(f"the method {method!r}", method)


def result_words(result: Any) -> MethodWords:
    """Find the printed names of the formula that a `ConfidenceInterval` comes from."""
    words = method_words(result.method, result.details.get("form"))
    instead = result.details.get("fallback")
    if not isinstance(instead, Mapping) or not instead:
        return words
    other = method_words(next(iter(instead.values())))
    which = f"{' and '.join(instead)} bound{'s' * (len(instead) > 1)}"
    return MethodWords(
        f"{words.sentence}, with the {which} by {other.sentence}",
        f"{words.short}, {which} {other.short}",
    )


WITHIN_FOLDS = " within folds"
NAMELESS = "<lambda>"
"""Name of a function without a name, in Python."""

GAINS = {
    "mean_score": "mean score",
    "accuracy": "accuracy",
    "adjusted_mutual_info": "adjusted mutual information",
    "adjusted_rand": "adjusted Rand index",
    "average_precision": "average precision",
    "balanced_accuracy": "balanced accuracy",
    "calibration_intercept": "calibration intercept",
    "calibration_slope": "calibration slope",
    "cohen_kappa": "Cohen's kappa",
    "completeness": "completeness",
    "concordance_index": "concordance index",
    "d2_absolute_error": "D² for the absolute error",
    "d2_brier": "D² for the Brier score",
    "d2_log_loss": "D² for the log loss",
    "d2_pinball": "D² for the pinball loss",
    "d2_tweedie": "D² for the Tweedie deviance",
    "dcg": "discounted cumulative gain",
    "dynamic_auc": "cumulative/dynamic AUC",
    "explained_variance": "explained variance",
    "f1": "F1 score",
    "fbeta": "F-beta score",
    "fowlkes_mallows": "Fowlkes-Mallows index",
    "homogeneity": "homogeneity",
    "jaccard": "Jaccard index",
    "matthews_corrcoef": "Matthews correlation coefficient",
    "mutual_info": "mutual information",
    "ndcg": "normalized discounted cumulative gain",
    "normalized_mutual_info": "normalized mutual information",
    "positive_likelihood_ratio": "positive likelihood ratio",
    "precision": "precision",
    "r2": "R²",
    "rand": "Rand index",
    "recall": "recall",
    "roc_auc": "ROC AUC",
    "roc_auc_ovo": "one-vs-one ROC AUC",
    "roc_auc_ovo_weighted": "prevalence-weighted one-vs-one ROC AUC",
    "roc_auc_ovr": "one-vs-rest ROC AUC",
    "roc_auc_ovr_weighted": "prevalence-weighted one-vs-rest ROC AUC",
    "sensitivity": "sensitivity",
    "specificity": "specificity",
    "top_k_accuracy": "top-k accuracy",
    "v_measure": "V-measure",
    "uno_concordance": "Uno concordance index",
}
"""Greater is better. Scorers, and functions whose names end in "_score"."""

LOSSES = {
    "mean_loss": "mean loss",
    "brier_score": "Brier score",
    "survival_brier_score": "Brier score of survival",
    "integrated_brier_score": "integrated Brier score",
    "expected_calibration_error": "expected calibration error",
    "hamming_loss": "Hamming loss",
    "hinge_loss": "hinge loss",
    "integrated_calibration_index": "integrated calibration index",
    "log_loss": "log loss",
    "max_error": "maximum error",
    "mean_absolute_error": "mean absolute error",
    "mean_absolute_percentage_error": "mean absolute percentage error",
    "mean_cost": "mean cost",
    "mean_gamma_deviance": "mean gamma deviance",
    "mean_pinball_loss": "mean pinball loss",
    "mean_poisson_deviance": "mean Poisson deviance",
    "mean_squared_error": "mean squared error",
    "mean_squared_log_error": "mean squared logarithmic error",
    "mean_tweedie_deviance": "mean Tweedie deviance",
    "median_absolute_error": "median absolute error",
    "negative_likelihood_ratio": "negative likelihood ratio",
    "root_mean_squared_error": "root mean squared error",
    "root_mean_squared_log_error": "root mean squared logarithmic error",
    "zero_one_loss": "misclassification rate",
}
"""Smaller is better; their scorers are called "neg_..." and turn the sign."""

AVERAGE_WORDS = {
    "_macro": "macro-averaged",
    "_micro": "micro-averaged",
    "_samples": "sample-averaged",
    "_weighted": "prevalence-weighted",
}

AT = re.compile(
    r"(?P<rate>\w+)_at_(?P<kept>precision|recall|sensitivity|specificity)_(?P<level>[-+.\de]+)"
)
"""A rate of the threshold that keeps another one, such as "sensitivity_at_specificity_0.9"."""


WHEN = re.compile(r"(?<=_score)_(at|from|until)_([-+.\de]+)(?:_to_([-+.\de]+))?$")
"""End of the name of a metric at some times, such as "survival_brier_score_at_365"."""


@dataclass(frozen=True)
class MetricWords:
    """Printed name of a metric, and the sign that turns scores into printed ones."""

    name: str
    sign: int = 1  # -1 for losses

    @property
    def is_loss(self) -> bool:
        """Whether smaller printed values are better."""
        return self.sign < 0

    def natural(self, value: float) -> float:
        """Convert a score in scorer orientation to the sign that people print."""
        return 0.0 - value if self.is_loss else float(value)

    def natural_bounds(self, low: float, high: float) -> tuple[float, float]:
        """Convert bounds to the sign that people print, the smaller one first."""
        return (0.0 - high, 0.0 - low) if self.is_loss else (float(low), float(high))


def metric_words(
    metric: str, values: Iterable[float] = (), sign: int | None = None
) -> MetricWords:
    """Find the printed name and sign of a metric."""
    if metric == NAMELESS:
        metric = "score"
    base = metric.removesuffix(WITHIN_FOLDS)
    ending = metric[len(base) :]
    if when := WHEN.search(base):
        relation = "<" if when[1] == "until" else "="
        times = " to ".join(filter(None, when.groups()[1:]))
        base, ending = base[: when.start()], f" (t {relation} {times}){ending}"
    gain = _gain(base) or (_gain(base.removesuffix("_score")) if "_score" in base else None)
    if gain is not None and sign != -1:
        return MetricWords(gain + ending)
    inner = base.removeprefix("neg_")
    loss = LOSSES.get(inner) or LOSSES.get(inner.removesuffix("_loss"))
    if (loss is None and sign != -1) or sign == 1:
        return MetricWords(metric)
    is_known = sign is not None or base.startswith("neg_")
    if not is_known and any(value > 0 for value in values):
        return MetricWords(metric)
    return MetricWords((loss or gain or inner) + ending, -1)


def is_usual_positive(label: Any, classes: Iterable[Any] = ()) -> bool:
    """Check whether a positive class is the usual one: 1 or True beside 0, -1 or False."""
    if any(isinstance(each, str) for each in (label, *classes)):
        return False
    return bool(label == 1) and all(each in (-1, 0, 1) for each in classes)


def positive_classes(labels: Mapping[str, Any]) -> str:
    """Write which class each metric takes as positive."""
    names: dict[str, list[str]] = {}
    for name, label in labels.items():
        names.setdefault(repr(label), []).append(name)
    return "; ".join(f"{label} ({', '.join(each)})" for label, each in names.items())


def _gain(name: str) -> str | None:
    if name in GAINS:
        return GAINS[name]
    for ending, words in AVERAGE_WORDS.items():
        if name.endswith(ending) and name.removesuffix(ending) in GAINS:
            return f"{words} {GAINS[name.removesuffix(ending)]}"
    parts = AT.fullmatch(name)
    if parts is None or parts["rate"] not in GAINS:
        return None
    if parts["rate"] == parts["kept"]:
        return GAINS[parts["rate"]]  # what became of the level
    return f"{GAINS[parts['rate']]} at a {GAINS[parts['kept']]} of {parts['level']}"


LONGEST_PARAMS = 120
"""Characters of the parameters of a configuration in a sentence."""


def config_words(config: int, params: Sequence[Any], longest: int = LONGEST_PARAMS) -> str:
    """Write a configuration for a sentence, with its parameters as scikit-learn shows them."""
    settings = params[config] if len(params) else {}
    if isinstance(settings, Mapping) and settings.keys() == {"configuration"}:
        name = settings["configuration"]
        return name if isinstance(name, str) else f"configuration {name}"
    if isinstance(settings, Mapping):
        words = ", ".join(f"{name}={_as_code(value)}" for name, value in settings.items())
    else:
        words = " ".join(str(settings).split())
    if len(words) > longest:
        words = words[: longest - 3] + "..."
    return f"configuration {config} ({words})" if words else f"configuration {config}"


SYSTEM_WORDS = (
    (", by the models of its folds", ""),
    ("score on new samples", "mean on new items"),
    ("was tuned or cross-validated", "was selected"),
    ("Configuration", "System"), ("configuration", "system"),
    ("frozen model", "system"), ("Models", "Systems"), ("models", "systems"), ("model", "system"),
    ("Samples", "Items"), ("samples", "items"), ("sample as", "item as"),
)  # fmt: skip
"""What is said of trained models, and of systems that are fixed; for texts without names."""


def of_systems(text: str) -> str:
    """Write a text on models and samples for systems that are fixed, and their items."""
    for words, others in SYSTEM_WORDS:
        text = text.replace(words, others)
    return text


def _as_code(value: Any) -> str:
    """Format a value as in a call, numbers with four digits."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and float(f"{value:.4g}") != value:
        return f"{value:.4g}"
    return " ".join(repr(value).split())


def param_name(name: str, names: Iterable[str]) -> str:
    """Drop the pipeline step from a parameter's name, unless another one ends the same."""
    last = name.rpartition("__")[2]
    return last if sum(other.rpartition("__")[2] == last for other in names) == 1 else name


def param_value(value: Any) -> str:
    """Format a value on one line, numbers with four digits."""
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    return " ".join(str(value).split())


def params_that_vary(params: Sequence[Mapping[str, Any]]) -> list[str]:
    """Describe each configuration by the parameters that vary between configurations."""
    names = list(dict.fromkeys(name for each in params for name in each))
    if names == ["configuration"]:
        return [config_words(config, params) for config in range(len(params))]
    values = {name: _texts([each[name] for each in params if name in each]) for name in names}
    given = {name: iter(texts) for name, texts in values.items()}
    texts = [
        {name: next(given[name]) if name in each else None for name in names} for each in params
    ]
    varying = [name for name in names if len({text[name] for text in texts}) > 1]
    return [
        ", ".join(
            f"{param_name(name, names)}={text[name]}" for name in varying if text[name] is not None
        )
        for text in texts
    ]


def _texts(values: Sequence[Any]) -> list[str]:
    """Format the values of one parameter, in brief where that keeps them distinct."""
    full = [param_value(value) for value in values]
    short = [
        type(value).__name__ if hasattr(value, "get_params") else text
        for value, text in zip(values, full)
    ]
    return short if len(set(short)) == len(set(full)) else full


TURNED_SIDES = {"greater": "less", "less": "greater"}


class PrintedScore(NamedTuple):
    """Texts of an estimate, its bounds and what stands beside it, with the same decimals.

    `alternative` is about printed values: for a loss it is reversed. `has_interval` is whether the
    bounds that are to be shown are numbers.
    """

    estimate: str
    low: str
    high: str
    others: tuple[str, ...]
    level: str
    alternative: str
    has_interval: bool
    kind: str

    def bounds(self) -> str:
        """Write the bounds without the level."""
        if not self.has_interval:
            return "no interval"
        if self.alternative == "greater":
            return f"at least {self.low}"
        return (
            f"at most {self.high}" if self.alternative == "less" else f"{self.low} to {self.high}"
        )

    def interval(self) -> str:
        """Write the bounds with the level, for a sentence."""
        if not self.has_interval:
            return "no interval"
        if self.alternative == "two-sided":
            return f"{self.level} {self.kind} {self.bounds()}"
        return f"one-sided {self.level} {self.kind}: {self.bounds()}"

    def cell(self) -> str:
        """Write the estimate and bounds for a cell of a table."""
        return f"{self.estimate} ({self.bounds()})" if self.has_interval else self.estimate


def printed_score(
    metric: MetricWords,
    estimate: float,
    low: float,
    high: float,
    *,
    confidence_level: float,
    alternative: str = "two-sided",
    others: Sequence[float] = (),
    kind: str = "confidence interval",
) -> PrintedScore:
    """Write an estimate and its interval, both in scorer orientation, with the printed sign."""
    side = TURNED_SIDES.get(alternative, alternative) if metric.is_loss else alternative
    bounds = metric.natural_bounds(low, high)
    # A bound that is not shown is the end of a range, or none: it must not cost decimals.
    there = not math.isnan(low) and not math.isnan(high)
    kept = (there and side != "less", there and side != "greater")
    values = [metric.natural(estimate), *(b for b, keep in zip(bounds, kept) if keep)]
    texts = shown(*values, *map(metric.natural, others))
    rest = texts[1:]
    first, last = (rest.pop(0) if keep else "" for keep in kept)
    level = percent(confidence_level)
    return PrintedScore(texts[0], first, last, tuple(rest), level, side, any(kept), kind)


def printed_result(metric: MetricWords, result: Any, others: Sequence[float] = ()) -> PrintedScore:
    """Write the estimate and the interval of a `ConfidenceInterval`."""
    return printed_score(
        metric, result.estimate, result.low, result.high, others=others,
        confidence_level=result.confidence_level, alternative=result.alternative,
    )  # fmt: skip


def drawn_units(details: Mapping[str, Any]) -> str:
    """Write what is drawn: samples, groups, folds, blocks of 10 samples."""
    units = f"{details.get('unit', 'sample')}s"
    length = details.get("block_length")
    return units if length is None else f"{units} of {count(length, 'sample')}"


def draws_of(result: Any, seed: Any = None) -> str:
    """Write the number and unit of the draws, and their seed; empty without draws."""
    unit = drawn_units(result.details)
    if result.n_bootstraps is not None:
        seed = result.details.get("seed", seed)  # a method may have a seed of its own
        drawn = f"{count(result.n_bootstraps, 'bootstrap draw')} of {unit}"
        if "draws" in result.details:  # how, where they are no draws of samples
            drawn = f"{result.details['draws']}: {result.n_bootstraps:,} of {unit}"
        return drawn if seed is None else f"{drawn}, seed {seed}"
    return f"all possible bootstrap draws of {unit}" if result.details.get("exact") else ""


def method_with_draws(result: Any, seed: Any = None) -> str:
    """Write the method of a result and, in brackets, its draws."""
    name, draws = result_words(result).sentence, draws_of(result, seed)
    if not draws:
        return name
    return f"{name[:-1]}, {draws})" if name.endswith(")") else f"{name} ({draws})"
