"""Products of matrices in one thread."""

from __future__ import annotations

import threading
from contextlib import ContextDecorator
from typing import Any

from threadpoolctl import ThreadpoolController


class OneBlasThread(ContextDecorator):
    """Context, or decorator, in which products of matrices run in the calling thread only.

    Products of a block of draws are small. Two threads for each of them wait for one another, on a
    machine that does other work ten times as long as one thread needs; and the last bits of a
    product may depend on the number of threads. Draws are spread over `n_jobs` instead.

    The number of threads belongs to the process: the first of several threads that enter sets it,
    the last one that leaves puts it back.
    """

    def __init__(self) -> None:
        self._lock, self._n_inside = threading.Lock(), 0
        self._libraries: ThreadpoolController | None = None
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if not self._n_inside:
                if self._libraries is None:  # looking for them takes milliseconds
                    self._libraries = ThreadpoolController().select(user_api="blas")
                self._limit = self._libraries.limit(limits=1)
            self._n_inside += 1

    def __exit__(self, *exception: object) -> None:
        with self._lock:
            self._n_inside -= 1
            if not self._n_inside:
                self._limit.restore_original_limits()


one_blas_thread = OneBlasThread()
