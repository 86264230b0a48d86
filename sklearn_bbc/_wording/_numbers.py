"""Numbers for readers: three digits, and the same decimals for what stands side by side."""

from __future__ import annotations

import math

__all__ = ["count", "number", "p_value", "percent", "shown"]

DIGITS = 3
"""Digits of an estimate."""
DIGITS_OF_WIDTH = 2
"""Digits of the distance between its bounds, which must not be rounded away."""
MOST_EXTRA = 2
"""Decimals that a narrow interval may add."""
LARGE, SMALL = 1e7, 1e-4
"""From here on powers of ten."""


def shown(*values: float) -> list[str]:
    """Write numbers that stand side by side with the same decimals.

    Parameters
    ----------
    *values : float
        The first finite one, an estimate, gets three digits, below 1 three decimals. More are
        shown where the values would look alike otherwise.

    Returns
    -------
    list of str
        One for each value.

    Examples
    --------
    >>> from sklearn_bbc._wording import shown
    >>> shown(0.8661, 0.82, 1.0)
    ['0.866', '0.820', '1.000']
    >>> shown(46.825, 36.786, 57.179)
    ['46.8', '36.8', '57.2']
    >>> shown(12345.6, 11000.2, 13000.9)
    ['12,346', '11,000', '13,001']
    """
    finite = [value for value in values if math.isfinite(value)]
    sized = [abs(value) for value in finite if value != 0]
    if sized and not SMALL <= sized[0] < LARGE:
        return [_scientific(value) for value in values]
    first = sized[0] if sized else 0.0
    if first == 0:
        decimals = DIGITS
    elif 0.01 <= first <= 1:
        decimals = DIGITS
    else:
        decimals = max(0, DIGITS - 1 - _exponent(first))
    width = max(finite) - min(finite) if finite else 0.0
    if width > 0:
        needed = DIGITS_OF_WIDTH - 1 - _exponent(width)
        decimals = max(decimals, min(needed, decimals + MOST_EXTRA))
    return [_fixed(value, decimals) for value in values]


def number(value: float) -> str:
    """Write one number with three digits."""
    return shown(value)[0]


def percent(share: float) -> str:
    """Write a share, such as a confidence level, in percent."""
    return f"{100 * share:g}%"


def count(n: int, noun: str, plural: str = "") -> str:
    """Write a number of things: ``1 fold``, ``10 folds``, ``2,000 draws``."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def p_value(p: float) -> str:
    """Write a p-value."""
    return f"p = {p:.3f}" if p >= 0.001 else "p < 0.001"


def _exponent(value: float) -> int:
    return math.floor(math.log10(value))


def _fixed(value: float, decimals: int) -> str:
    if not math.isfinite(value):
        return str(value)
    text = f"{value:,.{decimals}f}"
    return text.removeprefix("-") if not text.strip("-0.,") else text  # no minus before zero


def _scientific(value: float) -> str:
    return "0" if value == 0 else f"{value:.3g}"
