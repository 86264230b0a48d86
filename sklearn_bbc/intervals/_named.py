"""A method by its name, and what to say when no method has that name."""

from __future__ import annotations

from typing import Any

from .._nearest import did_you_mean, got
from .._scorers import scorer_names
from ._base import BaseInterval, registered
from .training._base import RefitInterval, registered_refits

ALIASES = {
    "bbccv": "bbc",
    "bootstrap": "pooled_bootstrap",
    "hierarchical": "hierarchical_bootstrap",
    "nadeaubengio": "corrected_t",
    "naive": "naive_bootstrap",
    "tt": "tibshirani",
}
"""What people call some methods, in small letters and digits only."""


def as_interval(method: Any) -> BaseInterval:
    """Turn a registered name into a method with its defaults; an object stays as it is.

    Parameters
    ----------
    method : str or BaseInterval
        For example ``"bbc"`` or ``BBC(confidence_level=0.9)``.

    Returns
    -------
    BaseInterval
        The method.

    Raises
    ------
    ValueError
        If the name is not registered; the message lists those that are.

    Examples
    --------
    >>> from sklearn_bbc.intervals import as_interval
    >>> as_interval("bbc")
    BBC()
    """
    if isinstance(method, BaseInterval):
        return method
    known = registered()
    if isinstance(method, str) and method in known:
        return known[method]()
    trains = _that_trains(method)
    if trains:
        raise ValueError(
            f"{trains} trains models, so it cannot work on predictions that were kept. Call it "
            f"by itself, {trains}().estimate(estimator, X, y), with a search or any other "
            "estimator."
        )
    if isinstance(method, type) and issubclass(method, BaseInterval):
        raise ValueError(f"Pass an instance, {method.__name__}(), instead of the class.")
    if isinstance(method, str) and method in scorer_names():
        raise ValueError(
            f"{method!r} is a metric, not an interval method: pass scoring={method!r}. Known "
            f"methods: {sorted(known)}."
        )
    meant = did_you_mean(method, known, ALIASES)
    if isinstance(method, (bool, int, float)):
        level = method if 0 < method < 1 else 0.95
        meant = f" The level is a parameter of a method: BBC(confidence_level={level})."
    raise ValueError(
        f"Unknown interval method {got(method)}.{meant} Known names: {sorted(known)}."
    )


def _that_trains(method: Any) -> str | None:
    """Name of the class when `method` names, or is, a method that trains models."""
    if isinstance(method, str):
        plain = method.replace("_", "").replace("-", "").lower()
        names = {name.replace("_", ""): cls for name, cls in registered_refits().items()}
        return names[plain].__name__ if plain in names else None
    cls = method if isinstance(method, type) else type(method)
    return cls.__name__ if issubclass(cls, RefitInterval) else None
