"""Names under which results are shown, and how their metric is printed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from .._wording import MetricWords, method_words, metric_words
from ..results import ConfidenceInterval

Result = TypeVar("Result")

SIDES = {"two-sided": "two-sided", "greater": "lower bound", "less": "upper bound"}
TURNED = {"greater": "less", "less": "greater"}


def labelled_results(
    results: Any, kind: type[Result], made: Callable[[list[Result]], list[str]], hint: str = ""
) -> dict[str, Result]:
    """Give each result the label under which it is shown.

    Parameters
    ----------
    results : result, mapping of str to result, or iterable of them
        The labels of a mapping stay.
    kind : type
        What a result is.
    made : callable
        Makes the labels of results that have none.
    hint : str, default=""
        Where such results come from, for the message.

    Returns
    -------
    dict of str to result
        In the given order.

    Raises
    ------
    ValueError
        If there is no result, something is not one, or two labels are printed alike.
    """
    if isinstance(results, Mapping):
        values = _checked(results.values(), kind, hint)
        labels = [str(label) for label in results]
        if len(set(labels)) < len(labels):
            raise ValueError(f"results must have different labels, got {list(results)}.")
        return dict(zip(labels, values, strict=True))
    several = _checked([results] if isinstance(results, kind) else results, kind, hint)
    return dict(zip(made(several), several, strict=True))


def check_kind(name: str, value: Any, kind: type, maker: str) -> None:
    """Raise unless a picture of one result is given such a result.

    Parameters
    ----------
    name : str
        Name of the parameter.
    value : object
        What was given.
    kind : type
        What it must be.
    maker : str
        The call that makes one.

    Raises
    ------
    ValueError
        If it is something else.
    """
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise ValueError(
            f"{name} must be {article} {kind.__name__}, got {type(value).__name__}. {maker} makes "
            "one."
        )


def labelled(results: Any) -> dict[str, ConfidenceInterval]:
    """Label intervals: the method, and as much as it takes to tell them apart."""
    return labelled_results(results, ConfidenceInterval, _labels_of_intervals)


def _labels_of_intervals(results: list[ConfidenceInterval]) -> list[str]:
    methods = [method_words(result.method).short for result in results]
    metrics = [f", {metric_words(result.metric).name}" for result in results]
    levels = [f", {100 * r.confidence_level:g}% {SIDES[r.alternative]}" for r in results]
    return first_that_differ(methods, metrics, levels)


def first_that_differ(names: list[str], *parts: list[str]) -> list[str]:
    """Labels of as few parts as tell all results apart.

    Parameters
    ----------
    names : list of str
        What each label begins with.
    *parts : lists of str
        What may follow: each of them by itself is tried, then more and more of them. Where all
        together do not help, names are numbered.
    """
    several = [parts[:k] for k in range(2, len(parts) + 1)]
    for following in ([], *([part] for part in parts), *several):
        labels = ["".join(texts) for texts in zip(names, *following, strict=True)]
        if len(set(labels)) == len(labels):
            return labels
    return [f"{k + 1}: {name}" for k, name in enumerate(names)]


def _checked(results: Iterable[Any], kind: type[Result], hint: str) -> list[Result]:
    try:
        results = list(results)
    except TypeError:
        results = [results]
    if not results:
        raise ValueError(f"results is empty: give at least one {kind.__name__}.")
    for result in results:
        if not isinstance(result, kind):
            raise ValueError(
                f"results must be {kind.__name__} objects, got {type(result).__name__}."
                + (f" {hint}" if hint else "")
            )
    return results


def label_in_search(name: str, result: ConfidenceInterval) -> str:
    """Label of a result that a search has under a name, such as ``"bbc"`` or ``"bbc_2"``."""
    short = method_words(name).short
    number = name.removeprefix(f"{result.method}_")
    return f"{short} ({number})" if name != result.method and number != name else short


def words_of(
    results: Iterable[ConfidenceInterval], given: MetricWords | None = None
) -> MetricWords:
    """How the metric of all results is printed; "score" where they have several.

    Parameters
    ----------
    results : iterable of ConfidenceInterval
        What is shown on one axis.
    given : MetricWords or None, default=None
        Where it is known already.
    """
    if given is not None:
        return given
    results = list(results)
    metrics = {result.metric for result in results}
    if len(metrics) > 1:
        return MetricWords("score")
    values = [value for r in results for value in (r.estimate, r.low, r.high)]
    return metric_words(metrics.pop(), values)


def direction(words: MetricWords) -> str:
    """Label of an axis of scores: the metric, and which end is better."""
    return f"{words.name} ({'smaller' if words.is_loss else 'greater'} is better)"


def in_print(result: ConfidenceInterval, words: MetricWords) -> ConfidenceInterval:
    """A result with the sign that people print: of a loss, everything is turned round."""
    if not words.is_loss:
        return result
    low, high = words.natural_bounds(result.low, result.high)
    return dataclasses.replace(
        result,
        estimate=words.natural(result.estimate),
        low=low,
        high=high,
        alternative=TURNED.get(result.alternative, result.alternative),
        draws=None if result.draws is None else 0.0 - result.draws,
    )
