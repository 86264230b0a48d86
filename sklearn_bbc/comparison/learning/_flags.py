"""What a learning curve shows, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...results import ComparisonResult, ConfidenceInterval


def flags_of(
    test: Sequence[ConfidenceInterval],
    train: Sequence[ConfidenceInterval],
    gap: Sequence[ComparisonResult],
    tolerance: float,
    acceptable: float | None,
) -> dict[str, str]:
    """Name of each flag that applies -> a sentence.

    A curve has levelled off when its mean changed by at most `tolerance` over the last step.
    A gap is large and persists when its interval lies above `tolerance` at the two largest
    sizes.

    Parameters
    ----------
    test, train : sequence of ConfidenceInterval
        Of each size.
    gap : sequence of ComparisonResult
        Of each size, training minus test.
    tolerance : float
        Difference of scores that does not matter.
    acceptable : float or None
        Test score that would be good enough.
    """
    step = test[-1].estimate - test[-2].estimate
    level = [abs(c[-1].estimate - c[-2].estimate) <= tolerance for c in (test, train)]
    large = all(each.low > tolerance for each in gap[-2:])
    flags = {}
    if step > tolerance:
        flags["rising"] = (
            f"The test score still rises: by {step:.3g} over the last step, so more data should "
            "help."
        )
    elif all(level):
        flags["plateau"] = (
            f"Both scores changed by at most {tolerance:g} over the last step: more data of the "
            "same kind would hardly help."
        )
    if acceptable is not None and all(level) and not large and bool(
        np.max([test[-1].estimate, train[-1].estimate]) < acceptable
    ):  # fmt: skip
        flags["high_bias"] = (
            f"Both scores have levelled off below the acceptable {acceptable:g} (high bias): a "
            "more flexible model or better features are needed, not more data."
        )
    if large:
        last = gap[-1]
        flags["high_variance"] = (
            f"The training score stays above the test score, by {last.difference:.3g} at the "
            f"largest size (high variance): more data, a simpler model or more regularisation "
            "may help."
        )
    return flags
