"""What one configuration and one split are called in the log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...store import fingerprint

__all__ = ["ConfigKeys", "split_key"]


class ConfigKeys:
    """Fingerprints of configurations of one estimator.

    A parameter that a configuration sets to what the estimator has anyway is left out. So a grid
    that gets another parameter finds the fits that were made without it.

    Parameters
    ----------
    estimator : estimator object
        Of the search.
    """

    def __init__(self, estimator: Any) -> None:
        self._own = estimator.get_params(deep=True)
        self._prints: dict[str, str] = {}

    def __call__(self, params: Mapping[str, Any]) -> str:
        """Fingerprint of a configuration.

        Parameters
        ----------
        params : mapping of str to object
            Its parameters.

        Raises
        ------
        TypeError
            If the content of a value cannot be told.
        """
        try:
            prints = {name: fingerprint(value) for name, value in params.items()}
        except TypeError as error:
            raise TypeError(
                f"store= cannot recognise the configuration {dict(params)} in a later run. {error}"
            ) from error
        # Where a part of the estimator is replaced, its parameters are no longer those of `_own`.
        if not any(_holds_estimator(value) for value in params.values()) and not any(
            _holds_estimator(self._own.get(name)) for name in params
        ):
            prints = {name: each for name, each in prints.items() if each != self._own_print(name)}
        return fingerprint(prints)

    def _own_print(self, name: str) -> str | None:
        if name in self._own and name not in self._prints:
            try:
                self._prints[name] = fingerprint(self._own[name])
            except TypeError:  # something that no configuration can be equal to
                self._prints[name] = ""
        return self._prints.get(name)


def split_key(train: np.ndarray, test: np.ndarray) -> str:
    """Fingerprint of a split.

    Parameters
    ----------
    train, test : ndarray of int
        Positions of the samples.
    """
    return fingerprint([train, test])


def _holds_estimator(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_holds_estimator, value))
    if isinstance(value, dict):
        return any(map(_holds_estimator, value.values()))
    return hasattr(value, "get_params")
