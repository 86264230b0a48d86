"""The two sides of a comparison: what they are, and whether they can be compared at all."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._equality import same
from .._integers import is_integer
from .._nearest import explain_init
from .._wording import config_words
from ..intervals._base import check_oof, instead_of
from ..predictions import OOFPredictions
from ..predictions._metadata import same_metadata
from ..selection import Selection

__all__ = ["Side", "as_side", "check_same_data", "names_of"]

LONGEST = 60
"""Characters of the parameters of a configuration in a name."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Side:
    """One side of a comparison: one configuration, or what tuning selects among several.

    Parameters
    ----------
    oof : OOFPredictions
        Its predictions, or scores per fold alone.
    config : int or None, default=None
        One configuration, fixed beforehand. None is what tuning selects: the only
        configuration where there is one.
    name : str, default=""
        Name in results and sentences; empty makes one.
    selection : Selection or None, default=None
        Rule by which tuning selects, where that is not the best score.

    Examples
    --------
    >>> from sklearn_bbc.comparison import Side
    >>> from sklearn_bbc.testing import example_predictions
    >>> Side(oof=example_predictions(), config=2, name="forest").is_tuned
    False
    """

    oof: OOFPredictions
    config: int | None = None
    name: str = ""
    selection: Selection | None = None

    def __post_init__(self) -> None:
        check_oof(self.oof)
        last = self.oof.n_configs - 1
        if self.config is not None and not (is_integer(self.config, 0) and self.config <= last):
            raise ValueError(
                f"config must be the index of a configuration, 0 to {last}, or None for what "
                f"tuning selects, got {self.config!r}."
            )

    @property
    def is_tuned(self) -> bool:
        """Whether the side is what tuning selects among several configurations."""
        return self.config is None and self.oof.n_configs > 1

    @property
    def described(self) -> str:
        """Name of the side: its own, or the configuration."""
        if self.name:
            return self.name
        if self.is_tuned:
            return f"the winner of {self.oof.n_configs} configurations"
        config = 0 if self.config is None else self.config
        return config_words(config, self.oof.params, LONGEST)


explain_init(Side)


def as_side(value: Any, what: str) -> Side:
    """Side of what a comparison was given.

    Parameters
    ----------
    value : Side or OOFPredictions
        The latter stands for its only configuration, or for what tuning selects.
    what : str
        Name of the argument, for the message.
    """
    if isinstance(value, Side):
        return value
    if isinstance(value, OOFPredictions):
        return Side(oof=value)
    raise ValueError(
        f"{what} must be an OOFPredictions or a Side of one, got {type(value).__name__}. For "
        "arrays, searches and estimators use sklearn_bbc.compare. "
        f"{instead_of(value)}"
    )


def names_of(first: Side, second: Side) -> tuple[str, str]:
    """Names of both sides, not the same twice."""
    names = first.described, second.described
    return names if names[0] != names[1] else (f"{names[0]} (first)", f"{names[1]} (second)")


def check_same_data(first: Side, second: Side, asked: Collection[str] = ()) -> list[str]:
    """Raise unless both sides are about the same samples and the same folds.

    Parameters
    ----------
    first, second : Side
        The sides.
    asked : collection of str, default=()
        Names of the metadata that the scorer asks for.

    Returns
    -------
    list of str
        Notes on what could not be checked.

    Raises
    ------
    ValueError
        If samples, groups, weights, classes or folds differ, or both sides are the same.
    """
    one, other = first.oof, second.oof
    if share_predictions(one, other):
        alike = one.selected == other.selected and first.selection is second.selection
        if alike and first.config == second.config:
            raise ValueError(
                f"Both sides are {first.described}: there is nothing to compare. Give another "
                "configuration, or predictions of another model."
            )
        return []
    only_folds = not (one.n_rows and other.n_rows)
    if not only_folds:
        _check_same_samples(one, other, asked)
    _check_same_folds(one, other, only_folds)
    if not only_folds:
        return []
    return [
        "There are scores per fold only, so it cannot be checked that both sides were scored on "
        "the same samples in the same folds."
    ]


def share_predictions(one: OOFPredictions, other: OOFPredictions) -> bool:
    """Whether two objects are the same predictions, perhaps with another winner."""
    if one is other:
        return True
    mine, theirs = _arrays_of(one), _arrays_of(other)
    return mine.keys() == theirs.keys() and all(
        _same_memory(mine[name], theirs[name]) for name in mine
    )


def _arrays_of(oof: OOFPredictions) -> dict[str, np.ndarray]:
    rows = {name: getattr(oof, name) for name in ("y_true", "sample", "fold", "split_repeat")}
    scores = {f"scores {name}": array for name, array in oof.fold_scores.items()}
    return {**rows, **oof.responses, **scores}


def _same_memory(one: np.ndarray, other: np.ndarray) -> bool:
    """Views of one array begin at the same place."""
    return (
        one.shape == other.shape
        and one.__array_interface__["data"] == other.__array_interface__["data"]
    )


def _check_same_samples(
    one: OOFPredictions, other: OOFPredictions, asked: Collection[str]
) -> None:
    if one.n_samples != other.n_samples:
        raise ValueError(
            f"The first side has {one.n_samples} samples, the second {other.n_samples}: a "
            "comparison needs predictions of the same samples in the same order."
        )
    if one.y_true.shape != other.y_true.shape or not same(one.y_true, other.y_true):
        where = ""
        if one.y_true.shape == other.y_true.shape and one.y_true.dtype.names is None:
            differ = (one.y_true != other.y_true).reshape(one.n_samples, -1).any(axis=1)
            n = int(differ.sum())
            where = f" in {n} of {one.n_samples} samples, first in sample {int(differ.argmax())}"
        raise ValueError(
            f"The two sides have different target values{where}: a comparison needs predictions "
            "of the same samples in the same order."
        )
    if not same(one.classes_, other.classes_):
        raise ValueError(
            f"The two sides have different classes, {one.classes_} and {other.classes_}: the "
            "codes of their labels do not mean the same."
        )
    for name in ("groups", "sample_weight"):
        mine, theirs = getattr(one, name), getattr(other, name)
        if not same(mine, theirs):
            how = "different" if mine is not None and theirs is not None else "only one has"
            what = f"{how} {name}" if how == "only one has" else f"they have {how} {name}"
            raise ValueError(
                f"The two sides cannot be compared: {what}. Both need the same for every sample, "
                "or none."
            )
    if not same_metadata(one.metadata, other.metadata, asked):
        raise ValueError(
            "The two sides cannot be compared: the metadata of their scorers differs, "
            f"{sorted(one.metadata)} and {sorted(other.metadata)}. Both need the same values for "
            "every sample."
        )


def _check_same_folds(one: OOFPredictions, other: OOFPredictions, only_folds: bool) -> None:
    alike = np.array_equal(one.split_repeat, other.split_repeat)
    if alike and not only_folds:
        mine, theirs = order_of(one), order_of(other)
        alike = all(
            np.array_equal(getattr(one, name)[mine], getattr(other, name)[theirs])
            for name in ("sample", "fold", "repeat")
        )
    if alike:
        return
    how = "different splits"
    if one.n_splits != other.n_splits:
        how = f"{one.n_splits} and {other.n_splits} splits"
    raise ValueError(
        f"The two sides were scored on different folds ({how}), so the luck of the splits would "
        "count as a difference. Give both the same splits: pass one splitter with a seed as `cv`, "
        "such as StratifiedKFold(5, shuffle=True, random_state=0), or list(cv.split(X, y))."
    )


def order_of(oof: OOFPredictions) -> np.ndarray:
    """Rows in the order of repeat, fold and sample."""
    return np.lexsort((oof.sample, oof.fold, oof.repeat))
