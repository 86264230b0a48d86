"""Training samples of each size: subsets of the folds' training sets, each in the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from ..._integers import is_integer


@dataclass(frozen=True, kw_only=True, eq=False)
class Split:
    """Training samples of a fold in the order in which they are added, and its test samples.

    Attributes
    ----------
    train : ndarray of int
        The first n of them are the training set of size n.
    test : ndarray of int
        Test samples, the same for all sizes.
    """

    train: np.ndarray
    test: np.ndarray


def splits_of(
    labels: np.ndarray | None, n_samples: int, n_folds: int, n_repeats: int, entropy: int
) -> list[Split]:
    """Draw the folds of all repeats, and an order of the training samples of each.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,) or None
        Classes to stratify by.
    n_samples, n_folds, n_repeats : int
        Sizes.
    entropy : int
        Seed.
    """
    found = []
    for repeat in range(n_repeats):
        rng = np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(repeat,)))
        kind: Any = KFold if labels is None else StratifiedKFold
        folds = kind(n_folds, shuffle=True, random_state=int(rng.integers(2**31 - 1)))
        nothing = np.zeros(n_samples)
        for train, test in folds.split(nothing, labels):
            order = nested_order(None if labels is None else labels[train], len(train), rng)
            found.append(Split(train=train[order], test=test))
    return found


def nested_order(labels: np.ndarray | None, n: int, rng: np.random.Generator) -> np.ndarray:
    """Random order of which each beginning has about the shares of the classes of the whole.

    The k-th sample of a class of m stands at ``(k + 1/2) / m`` of the way.

    Parameters
    ----------
    labels : ndarray of shape (n,) or None
        Classes; None gives any order.
    n : int
        Number of samples.
    rng : numpy.random.Generator
        Source of randomness.
    """
    order = rng.permutation(n)
    if labels is None:
        return order
    place = np.empty(n)  # of the shuffled samples
    for label in np.unique(labels):
        here = np.flatnonzero(labels[order] == label)
        place[here] = (np.arange(len(here)) + 0.5) / len(here)
    return order[np.argsort(place, kind="stable")]


def sizes_of(train_sizes: Any, largest: int) -> np.ndarray:
    """Numbers of training samples, increasing.

    Parameters
    ----------
    train_sizes : array-like
        Integers, or shares of the smallest training set as floats.
    largest : int
        Size of the smallest training set.

    Raises
    ------
    ValueError
        If they are neither, too few, out of range, or two are the same.
    """
    given = list(train_sizes) if hasattr(train_sizes, "__iter__") else []
    what = (
        f"train_sizes must be at least two different integers from 1 to {largest} (the smallest "
        f"training set of the folds), or as many shares of it above 0 and up to 1, got "
        f"{train_sizes!r}."
    )
    if all(is_integer(size) for size in given):
        sizes = np.array(given, dtype=int)
    elif all(isinstance(size, (float, np.floating)) and 0 < size <= 1 for size in given):
        sizes = np.array([int(size * largest + 1e-9) for size in given])
    else:
        raise ValueError(what)
    sizes = np.sort(sizes)
    if len(sizes) < 2 or sizes[0] < 1 or sizes[-1] > largest or not np.diff(sizes).all():
        raise ValueError(what)
    return sizes
