"""Warnings that point to the user's line."""

from __future__ import annotations

import sys
import warnings

OURS = {"sklearn_bbc", "sklearn"}


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn at the nearest line that is neither ours nor scikit-learn's, as the call of `fit`.

    Parameters
    ----------
    message : str
        What to say.
    category : type
        Class of the warning.
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in OURS:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
