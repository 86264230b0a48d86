"""Record what a model answers where scikit-learn's own scorer asks it.

A scorer that `make_scorer` makes gets its predictions from a function that it is given
(``method_caller``). Where what this function gives is what the model answered, or the part of it
that is kept, it is recorded there: nothing has to be put onto the model, and threads may share
it. `Listener` hears the rest: it takes three times as long, which is seen where a fit takes a
millisecond.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics._scorer import _cached_call, _Scorer

from ._memory import keep_on_shelf
from ._responses import FoldResponses
from ._shadowing import RESPONSE_METHODS

__all__ = ["AskedScorer", "asks_by_caller"]

_EXPECTED = ("self", "method_caller", "estimator", "X", "y_true", "kwargs")
_AS_EXPECTED = tuple(inspect.signature(_Scorer._score).parameters) == _EXPECTED

Keep = Callable[[Any, str, Any], FoldResponses | None]


def asks_by_caller(scorer: Any) -> bool:
    """Whether a scorer gets its predictions as `AskedScorer` expects."""
    return _AS_EXPECTED and type(scorer) is _Scorer


class AskedScorer:
    """One call of a scorer that `make_scorer` made.

    Parameters
    ----------
    scorer : _Scorer
        The scorer.
    binary : bool
        Whether the whole target has exactly two classes.
    keep : callable
        Called with the model, the method's name and its answer; gives what is kept of it.

    Attributes
    ----------
    kept : FoldResponses or None
        What was kept.
    """

    __slots__ = ("_binary", "_keep", "_scorer", "kept")

    def __init__(self, scorer: _Scorer, binary: bool, keep: Keep):
        self._scorer, self._binary, self._keep = scorer, binary, keep
        self.kept: FoldResponses | None = None

    def __call__(self, estimator: Any, X: Any, y: Any) -> Any:
        """Score a model, and keep what it answers.

        Parameters
        ----------
        estimator : object
            The fitted model.
        X : array-like of shape (n_test, ...)
            Samples of the split.
        y : array-like of shape (n_test,) or (n_test, n_outputs)
            Their target.

        Returns
        -------
        float
            What the scorer itself would return.

        Raises
        ------
        NotTheWholeAnswer
            Before anything is predicted, if the scorer would get something of which cannot be
            told what the model answered.
        """
        return self._scorer._score(self._ask, estimator, X, y)

    def _ask(self, estimator: Any, method: str, X: Any, **how: Any) -> Any:
        two = None
        if method != "predict":
            # Of a function that stands in its place, scikit-learn passes on that one's name.
            if method not in RESPONSE_METHODS:
                raise NotTheWholeAnswer
            two = self._two_classes(estimator, how.get("pos_label"))
        given = _cached_call(None, estimator, method, X, **how)
        # At once, before the scorer changes it or the model uses its memory again.
        if two is not None and type(given) is np.ndarray and given.ndim == 1:
            try:
                self.kept = FoldResponses({method: keep_on_shelf(given)}, two)
                return given
            except MemoryError:  # `keep` says so
                pass
        self.kept = self._keep(estimator, method, given)
        return given

    def _two_classes(self, estimator: Any, positive: Any) -> np.ndarray | None:
        """Classes of a binary target, sorted; None where scikit-learn passes the answer on."""
        try:
            classes = getattr(estimator, "classes_", None)
        except Exception:  # a property of its own; only the scorer may fail because of it
            raise NotTheWholeAnswer from None
        if classes is None:
            return None
        if type(classes) is not np.ndarray or classes.ndim != 1:
            raise NotTheWholeAnswer
        if len(classes) > 2:
            return None
        if len(classes) < 2 or not self._binary:
            raise NotTheWholeAnswer
        first, second = classes.tolist()
        try:
            usual = first < second and (positive is None or bool(positive == second))
        except (TypeError, ValueError):  # labels without an order among them
            usual = False
        # Otherwise it gives the column of the first class, or turns the sign.
        if not usual:
            raise NotTheWholeAnswer
        return classes


class NotTheWholeAnswer(Exception):
    """What the scorer would get is not what the model answers."""
