"""Fit one configuration on one split and write it down, in the process where it is fitted.

A process that is killed loses the fits that it was at; what it has finished is in its file.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Any

from ... import _process
from ..._warn import warn_user
from ...exceptions import RecordingWarning
from ...store import CellLog
from ..recording._listening import responses_in
from ._cells import CannotBeStored, Wanted, record_of
from ._held import as_stored

NOT_STORED = "not_stored"
"""Where a result says why it could not be written."""

MOST_OPEN = 8
"""Logs that a process keeps open, for searches in several threads."""

_logs: dict[tuple[str, int], CellLog] = {}
_told: set[str] = set()
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Target:
    """Where the fits of one `fit` of a search are written.

    Attributes
    ----------
    folder : Path
        Folder of the store.
    wanted : Wanted
        What the search records.
    run : str
        Names this `fit`. Each writes files of its own, so that a worker which is used again
        does not write into a folder that was deleted in between.
    """

    folder: Path
    wanted: Wanted
    run: str = field(default_factory=lambda: token_hex(8))

    def close(self) -> None:
        """Close the file of this process."""
        with _lock:
            log = _logs.pop((self.run, _process.number), None)
            _told.discard(self.run)
        if log is not None:
            log.close()

    def log(self) -> CellLog:
        """The log that this process writes to."""
        key = self.run, _process.number
        if (mine := _logs.get(key)) is not None:
            return mine
        with _lock:
            mine = _logs.setdefault(key, CellLog(self.folder))
            # Where a closed log is still in use, it goes on in another file.
            closed = [_logs.pop(oldest) for oldest in list(_logs)[:-MOST_OPEN]]
        for log in closed:
            log.close()
        return mine


def fit_and_store(
    fit_and_score: Callable[..., dict[str, Any]],
    target: Target,
    config: str,
    split: str,
    /,
    *args: Any,
    **kwargs: Any,
) -> dict[str, Any]:
    """Run one task of a search and write its result.

    Parameters
    ----------
    fit_and_score : callable
        scikit-learn's.
    target : Target
        Where to write.
    config, split : str
        Fingerprints of the parameters and of the split.
    *args, **kwargs : tuple, dict
        Of `fit_and_score`. One by one, since dask looks there for data that it need not send
        with every task.

    Returns
    -------
    dict
        What `fit_and_score` returned. A fit that failed is not written, since the reason may be
        gone the next time. ``"not_stored"`` says why another one could not be written: the
        search goes on, it is worth more than the store.
    """
    result = fit_and_score(*args, **kwargs)
    if result["fit_error"] is not None:
        return result
    options = getattr(kwargs.get("scorer"), "_options", None)
    stopped = options is not None and options.keeper.stopped
    try:
        scores = result["test_scores"]
        responses = responses_in(scores)
        text, arrays = record_of(config, split, result, responses, target.wanted, stopped)
        target.log().append_text(text, arrays)
        if arrays and responses is not None:
            as_stored(scores, responses, target.run, (config, split))
    except (CannotBeStored, OSError, MemoryError) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        result[NOT_STORED] = reason.removeprefix("A finished fit could not be stored: ")
        _tell_at_once(target, result[NOT_STORED])
    return result


def _tell_at_once(target: Target, reason: str) -> None:
    """Warn once in each process: there may be days left to make room on the disk."""
    with _lock:
        if target.run in _told:
            return
        _told.add(target.run)
    try:
        warn_user(
            f"A finished fit could not be stored in {target.folder}: {reason}. The search goes "
            "on; fits that are not stored would be made again after an interruption.",
            RecordingWarning,
        )
    except Warning:  # where warnings are errors, this one must not cost the fit; it comes again
        pass
