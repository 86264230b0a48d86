"""How likely it is that a draw with replacement holds what it has to hold."""

from __future__ import annotations

import math

import numpy as np

_EXACT = 25
"""Units up to which probabilities are exact; above, rounding would eat the alternating sum."""


def chance_of_holding(
    size: int, n_units: int, *, out_of_bag: bool = True, min_out_of_bag: int = 1
) -> float:
    """Probability that a draw has some units of a set in-bag, and some out-of-bag.

    Parameters
    ----------
    size : int
        Number of units of the set.
    n_units : int
        Number of all units, which is also the number of picks of a draw.
    out_of_bag : bool, default=True
        Whether some have to be out-of-bag too.
    min_out_of_bag : int, default=1
        How many.

    Returns
    -------
    float
        Between 0 and 1. Exact for sets of up to 25 units; beyond, units are taken as
        independent when it comes to those left out.
    """
    none_drawn = (1 - size / n_units) ** n_units
    if not out_of_bag:
        return 1 - none_drawn
    if size < 1 + min_out_of_bag:
        return 0.0
    too_few = sum(_left_out(k, size, n_units) for k in range(min_out_of_bag))
    return min(max(1 - none_drawn - too_few, 0.0), 1.0)


def _left_out(n_left_out: int, size: int, n_units: int) -> float:
    """Probability that exactly so many units of a set are not drawn."""
    if size > _EXACT:
        left_out = (1 - 1 / n_units) ** n_units
        each = left_out**n_left_out * (1 - left_out) ** (size - n_left_out)
        return math.comb(size, n_left_out) * each
    others = size - n_left_out
    # Inclusion and exclusion over the other units of the set.
    terms = (
        (-1) ** k * math.comb(others, k) * (1 - (n_left_out + k) / n_units) ** n_units
        for k in range(others + 1)
    )
    return math.comb(size, n_left_out) * sum(terms)


def chance_of_all(
    strata: list[np.ndarray], n_units: int, *, out_of_bag: bool = True, min_out_of_bag: int = 1
) -> float:
    """Probability that a draw holds every one of some sets of units, or a bit more than that.

    Parameters
    ----------
    strata : list of ndarray of int
        Units of each set.
    n_units : int
        Number of all units.
    out_of_bag : bool, default=True
        Whether some have to be out-of-bag too.
    min_out_of_bag : int, default=1
        How many.

    Returns
    -------
    float
        Product over sets without a common unit, of which the smallest come first. Sets that
        share units with those are left out: they make the probability smaller.
    """
    taken = np.zeros(n_units, dtype=bool)
    sizes: dict[int, int] = {}
    for members in sorted(strata, key=len):
        if not taken[members].any():
            taken[members] = True
            sizes[len(members)] = sizes.get(len(members), 0) + 1
    chance = 1.0
    for size, times in sizes.items():
        one = chance_of_holding(
            size, n_units, out_of_bag=out_of_bag, min_out_of_bag=min_out_of_bag
        )
        chance *= one**times
    return chance
