"""What every result should say about the predictions it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

IN_TIME = (
    "Every model was trained on samples that come before those it predicts, as in a time "
    "series. The method takes samples as independent: where they depend on their neighbours in "
    "time, the interval is too narrow."
)


def straddling_groups(
    groups: np.ndarray | None, sample: np.ndarray, fold: np.ndarray
) -> tuple[int, int]:
    """Number of groups that are split between test and training, and number of groups.

    A group is split when some fold holds out only a part of its samples: the model of that
    fold has seen the rest. That looks at each repeat by itself, and takes shuffled splits,
    in which a group may be held out several times.

    Parameters
    ----------
    groups : ndarray of shape (n_samples,) or None
        Group of each sample.
    sample, fold : ndarray of shape (n_rows,)
        Sample and fold, counted over all repeats, of each row.
    """
    if groups is None or not len(sample):
        return 0, 0
    _, code, size = np.unique(groups, return_inverse=True, return_counts=True)
    if fold.max() == 0:  # folds are not known
        return 0, len(size)
    # A sample that a split holds out twice counts once.
    held_out = np.unique(fold.astype(np.int64) * len(groups) + sample)
    pair = held_out // len(groups) * len(size) + code[held_out % len(groups)]
    pair, count = np.unique(pair, return_counts=True)
    group = pair % len(size)
    return len(np.unique(group[count < size[group]])), len(size)


def straddling_note(n_straddling: int, n_groups: int) -> str | None:
    """What to say about groups that are split between folds; None where no group is."""
    if not n_straddling:
        return None
    which = f"{n_straddling} of {n_groups} groups {'is' if n_straddling == 1 else 'are'}"
    return (
        f"{which} split between folds: models were tested on groups of which they had seen other "
        "samples, so scores and intervals tend to lie too high for new groups. Use a splitter "
        "that keeps groups together, such as GroupKFold."
    )


def is_in_time(splits: Sequence[tuple[np.ndarray, np.ndarray]]) -> bool:
    """Whether in each split every training sample comes before every test sample.

    Parameters
    ----------
    splits : sequence of (train, test)
        Positions of the samples. A single split is a hold-out, which may be anything.
    """
    return len(splits) > 1 and all(
        len(train) and len(test) and np.max(train) < np.min(test) for train, test in splits
    )


def without_repetition(notes: Iterable[str | None]) -> tuple[str, ...]:
    """Notes in their order, each once."""
    return tuple(dict.fromkeys(note for note in notes if note is not None))
