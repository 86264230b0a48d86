"""Show how many fits of a search are done, and say what is kept when it is interrupted."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pickle import PicklingError
from typing import Any

from .._text import count
from .._warnings import duration
from ._recording import Recording

WAIT = 2.0
"""Seconds before a bar begins: a short search needs none."""
EVERY = {True: 0.2, False: 30.0}
"""Seconds between two looks, on a terminal and in a file."""
WIDTH = 40


class FitBar:
    """Bar of finished fits on standard error: a line that grows on a terminal, lines in a file.

    `total` fits are to be done; `now` is a clock.
    """

    def __init__(self, total: int = 0, now: Callable[[], float] = time.monotonic) -> None:
        self.total, self.done, self._now = total, 0, now
        self._terminal = bool(getattr(sys.stderr, "isatty", lambda: False)())
        self._begun = now()
        self._next = self._begun + WAIT
        self._shown = False
        # Time and number of fits when the first of them were done: workers take long to begin.
        self._first: tuple[float, int] | None = None
        self._fitted = 0

    def see(self, done: int, known: int = 0) -> None:
        """Take note of how many are done, `known` of them before; show it when it is time."""
        self.done, self._fitted = max(self.done, done), max(self._fitted, done - known)
        if self._first is None and self._fitted:
            self._first = self._now(), self._fitted
        if self._now() >= self._next and self.done < self.total:
            self._show()

    def close(self) -> None:
        """Show the last line, where there was one before."""
        if self._shown:
            self._show(last=True)

    def _show(self, last: bool = False) -> None:
        self._next, self._shown = self._now() + EVERY[self._terminal], True
        words = f"{self.done:,}/{self.total:,} fits"
        if last:
            words += f" in {duration(self._now() - self._begun)}"
        elif self._first is not None and self._fitted > self._first[1]:
            per_fit = (self._now() - self._first[0]) / (self._fitted - self._first[1])
            words += f", about {duration(per_fit * (self.total - self.done))} left"
        marks = "#" * (WIDTH * self.done // max(self.total, 1))
        bar = f"[{marks:<{WIDTH}}] {words}"
        begin, end = ("\r", "\n" if last else "") if self._terminal else ("", "\n")
        print(f"{begin}{bar:<{WIDTH + 40}}".rstrip(" "), end=end, file=sys.stderr, flush=True)


class CountedFits:
    """A `TaskRunner` that shows a bar how many fits of a search are done."""

    parameter = ""

    def __init__(self, recording: Recording) -> None:
        self._recording, self._bar, self._fitted = recording, FitBar(), 0

    def run(self, parallel: Any, tasks: Iterable[Any]) -> Any:
        """Run the tasks; those that were handed out are done, but for the ones still running."""
        n_handed = 0

        def handed_out() -> Iterator[Any]:
            nonlocal n_handed
            for task in tasks:
                running = n_handed - getattr(parallel, "n_completed_tasks", n_handed)
                self._see(self._fitted + n_handed - max(running, 0))
                n_handed += 1
                yield task

        results = parallel(handed_out())
        self._fitted += n_handed
        self._see(self._fitted)
        return results

    def close(self) -> None:
        """Show the last line of the bar."""
        self._bar.close()

    def _see(self, n_fitted: int) -> None:
        store, self._bar.total = self._recording.store, self._recording.record.n_fits
        known = 0 if store is None else store.n_known
        self._bar.see(n_fitted + known, known)


def interrupt_of(recording: Recording) -> KeyboardInterrupt | None:
    """Make the interrupt that says how many fits a store has kept; None without a store."""
    kept = kept_by(recording)
    return None if kept is None else KeyboardInterrupt(kept)


def kept_by(recording: Recording) -> str | None:
    """Say how many fits a store has kept; None without a store."""
    if recording.store is None:
        return None
    try:
        n_kept = recording.store.n_kept()
    except Exception:  # whatever is wrong with the folder, what ended the search comes first
        return None
    n_fits = max(recording.record.n_fits, n_kept)
    return (
        f"{n_kept:,} of {count(n_fits, 'fit')} are kept in {recording.store.path}; "
        "run the same search again to go on."
    )


NOTHING_KEPT = (
    "None of the finished fits is kept. With store='a_folder' they are, and the same search again "
    "goes on from there."
)
FULL = (
    "The disk is full on which joblib keeps data for its workers. Set the environment variable "
    "JOBLIB_TEMP_FOLDER to a folder on another disk, or search with n_jobs=1."
)


def say_what_is_kept(error: BaseException, recording: Recording) -> None:
    """Add to the message of workers that failed what is kept of the fits before it."""
    kept = NOTHING_KEPT if recording.store is None else kept_by(recording)
    if isinstance(error, PicklingError):
        if os.strerror(errno.ENOSPC) not in str(error.__cause__):  # something else
            return
        kept = FULL if recording.store is None else f"{FULL} {kept or ''}"
    if kept is not None:
        error.args = (f"{error}\n\n{kept}",)
