"""Runs the fits of a search split by split, and leaves out those of dropped configurations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from .._progress import tell_callbacks

__all__ = ["Judge", "SplitBySplit", "in_place_of_parallel"]

PARALLEL = "parallel"
"""Variable of scikit-learn's ``fit`` (1.6 to 1.9) that runs a list of tasks."""


class Judge(Protocol):
    """Says what is fitted next."""

    def batches(self) -> list[list[int]]:
        """Splits that are fitted together, in their order."""

    def after(self, split: int, results: dict[int, dict[str, Any]]) -> None:
        """Take in the results of one split by configuration."""

    def left(self, n_done: int) -> np.ndarray:
        """Configurations that are fitted on the splits after `n_done`."""


class SplitBySplit:
    """Stands in for joblib's Parallel in one call of ``evaluate_candidates``.

    Takes all tasks, configuration by configuration as scikit-learn lists them, and gives the
    results in that order. A task that is not run has the numbers of the last one of its
    configuration, to be marked as missing where the results become ``cv_results_``.

    Parameters
    ----------
    parallel : callable
        Runs tasks at the same time.
    n_configs : int
        Number of configurations.
    judge : Judge
        Says what is fitted next.
    finished : callable
        Called when all is done, before scikit-learn has the results.
    """

    def __init__(
        self,
        parallel: Callable[[Iterable[Any]], list[Any]],
        n_configs: int,
        judge: Judge,
        finished: Callable[[], None],
    ) -> None:
        self._parallel, self._n_configs = parallel, n_configs
        self._judge, self._finished = judge, finished

    def __call__(self, tasks: Iterable[Any]) -> list[Any]:
        """Run the tasks.

        Parameters
        ----------
        tasks : iterable
            A task for each configuration and split.

        Returns
        -------
        list of dict
            As scikit-learn expects them.
        """
        waiting: list[Any] = list(tasks)
        n_splits, rest = divmod(len(waiting), max(1, self._n_configs))
        if rest or not waiting:  # scikit-learn says what is wrong
            return self._parallel(waiting)
        out: list[Any] = [None] * len(waiting)
        left = np.arange(self._n_configs)
        batches = list(self._judge.batches())
        while batches:
            batch = batches.pop(0)
            if len(left) == 1:  # nobody to compare with
                batch, batches = sum(batches, batch), []
            cells = [config * n_splits + split for config in left.tolist() for split in batch]
            done = self._parallel(_taken(waiting, cells))
            for cell, result in zip(cells, done, strict=True):
                out[cell] = result
            for split in batch:
                self._judge.after(split, {c: out[c * n_splits + split] for c in left.tolist()})
            before, left = left, self._judge.left(batch[-1] + 1)
            for config in np.setdiff1d(before, left).tolist():
                for split in (split for later in batches for split in later):
                    task = waiting[config * n_splits + split]
                    if isinstance(task, tuple):  # function, arguments, keywords
                        tell_callbacks(task[2])
        for cell, result in enumerate(out):
            if result is None:
                out[cell] = _stand_in(out[cell - 1])
        self._finished()
        return out


def _stand_in(result: dict[str, Any]) -> dict[str, Any]:
    """A result with the same numbers, without the predictions that travel with scores."""
    scores = result["test_scores"]
    plain = (
        {name: float(score) for name, score in scores.items()}
        if isinstance(scores, dict)
        else float(scores)
    )
    return {**result, "test_scores": plain, "fit_error": None}


def _taken(tasks: list[Any], cells: list[int]) -> Iterator[Any]:
    """Some tasks; each is given away, so that its estimator does not live until the end."""
    for cell in cells:
        task, tasks[cell] = tasks[cell], None
        yield task


@contextmanager
def in_place_of_parallel(
    evaluate_candidates: Callable[..., Any], make: Callable[[Any], Any]
) -> Iterator[None]:
    """Let `evaluate_candidates` of a running ``fit`` run its tasks in another way.

    ``fit`` keeps what runs the tasks in a variable that only its inner function sees. It is
    exchanged there, for this call, so nothing that other searches or threads use is touched.

    Parameters
    ----------
    evaluate_candidates : callable
        The inner function.
    make : callable
        From what runs tasks to what takes its place.

    Raises
    ------
    RuntimeError
        If this release of scikit-learn has no such variable.
    """
    names = evaluate_candidates.__code__.co_freevars
    if PARALLEL not in names or evaluate_candidates.__closure__ is None:
        raise RuntimeError(
            "drop does not work with this release of scikit-learn, whose searches run their fits "
            "in another way. drop=None fits every configuration on all splits."
        )
    cell = evaluate_candidates.__closure__[names.index(PARALLEL)]
    before = cell.cell_contents
    cell.cell_contents = make(before)
    try:
        yield
    finally:
        cell.cell_contents = before
