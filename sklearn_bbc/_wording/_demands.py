"""What there is to say about a tuned threshold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._numbers import percent

__all__ = ["missed_demand", "threshold_sentences"]


def missed_demand(details: Mapping[str, Any]) -> str | None:
    """Say that no threshold reaches what was demanded; None where one does.

    Parameters
    ----------
    details : mapping
        Of a result; nothing was demanded where it has no ``"demand"``.

    Returns
    -------
    str or None
        A sentence with what was reached, and what to do.
    """
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
    """Say where the models' own threshold is better, and what became of a demand.

    Parameters
    ----------
    details : mapping
        Of a result.

    Returns
    -------
    list of str
        Empty where there is nothing to say.
    """
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
    name, level, share = demand["of"], demand["level"], demand["share_reached"]
    missed = missed_demand(details)
    sentences += [] if missed is None else [missed]
    if share is not None and share < 1:
        sentences.append(
            f"In {_share(1 - share)} of the draws no threshold reached the {name} of {level:g}, "
            f"and the one with the best {name} was taken."
        )
    if demand["ask"]:
        sentences.append(
            f"The {name} of {level:g} is demanded on the samples that choose the threshold. On "
            f"samples left out it may be lower: {demand['ask']} reports it there."
        )
    else:
        sentences.append(
            f"The {name} itself is reported; {level:g} was demanded on the samples that choose "
            "the threshold."
        )
    return sentences


def _below(value: float, level: float) -> str:
    """A value with as many digits as it takes to be below the level in print."""
    texts = (f"{value:.{digits}g}" for digits in range(3, 18))
    return next((text for text in texts if float(text) < level), repr(value))


def _share(share: float) -> str:
    """A share of draws in percent: never 0% and never 100% unless it is."""
    if share < 0.01:
        return "less than 1%"
    return "more than 99%" if 0.99 < share < 1 else percent(round(share, 2))
