"""What a search shows of fits that are not made, and of its interval stage."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

__all__ = ["StageProgress", "tell_callbacks"]


def tell_callbacks(kwargs: Mapping[str, Any]) -> None:
    """Tell callbacks that a fit which is not made began and ended, so that bars go on.

    Parameters
    ----------
    kwargs : mapping
        Of the task of scikit-learn.
    """
    context = kwargs.get("callback_ctx")
    if context is not None:
        context.call_on_fit_task_begin(estimator=kwargs["caller"])
        context.call_on_fit_task_end(estimator=kwargs["caller"])


class StageProgress:
    """Lines for ``verbose``, and a bar of its own for each progress bar of the search.

    scikit-learn closes its bars at the end of its own ``fit``. Other callbacks are told
    nothing, so that they hear what they hear from `GridSearchCV`.

    Parameters
    ----------
    search : BaseSearchCV
        The search.
    n_intervals : int
        Number of intervals that are going to be computed.
    """

    def __init__(self, search: Any, n_intervals: int) -> None:
        self._search, self._n_intervals = search, n_intervals
        self._verbose = search.verbose > 0
        self._n_begun = 0
        self._bars: list[Any] = []
        self._context: Any = None

    def __enter__(self) -> StageProgress:
        with suppress(Exception):  # a picture must not cost an interval
            self._open_bars()
        return self

    def begin(self, method: str, metric: str) -> None:
        """Tell that an interval is computed next."""
        self._finish_one()
        self._n_begun += 1
        if self._verbose:
            print(f"Interval {self._n_begun} of {self._n_intervals}: {method} for {metric}")

    def __exit__(self, *error: Any) -> None:
        self._finish_one()
        for bar in self._bars:
            with suppress(Exception):
                bar.on_fit_task_end(self._search, self._context)
            with suppress(Exception):
                bar.teardown(self._search, self._context)
        self._bars = []

    def _open_bars(self) -> None:
        bars = _bars_of(self._search)
        if not bars:
            return
        from sklearn.callback._callback_context import CallbackContext

        self._context = CallbackContext._from_estimator(
            estimator=self._search,
            task_name="intervals",
            task_id=0,
            max_subtasks=self._n_intervals,
            sequential_subtasks=True,
        )
        for bar in bars:
            bar.setup(self._search, self._context)
            self._bars.append(bar)
            bar.on_fit_task_begin(self._search, self._context)

    def _finish_one(self) -> None:
        if not self._n_begun or not self._bars:
            return
        with suppress(Exception):
            one = self._context.subcontext(task_name="interval", max_subtasks=0)
            for bar in self._bars:
                bar.on_fit_task_end(self._search, one)


def _bars_of(search: Any) -> list[Any]:
    """Progress bars that were set on the search itself."""
    callbacks = getattr(search, "_skl_callbacks", None)
    if not callbacks or hasattr(search, "_parent_callback_ctx"):
        return []
    from sklearn.callback import ProgressBar  # since 1.9, as callbacks are

    return [each for each in callbacks if isinstance(each, ProgressBar)]
