"""Area under the ROC curve of two classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np
from sklearn.metrics import roc_auc_score

from .._inputs import known_arguments
from .._rows import RowData
from ._base import RankKernel
from ._losses import MisplacedPairs


class RocAUC(RankKernel):
    """Area under the ROC curve: share of pairs of the two classes in the right order.

    Ties count one half. With counts as weights every value is the quotient of two
    integers, correctly rounded.

    Parameters
    ----------
    score_func : callable
        `sklearn.metrics.roc_auc_score`.
    rows : RowData
        Rows of one repeat; the positive class is the second one.
    """

    name = "roc_auc"
    example = ("roc_auc", "two classes")
    score_funcs: ClassVar = {roc_auc_score: (0.0, 1.0)}
    walk = MisplacedPairs

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        assert rows.classes is not None  # `handles` says so
        codes = rows.y_codes()
        self._add_part(rows.pred, codes == 1, codes == 0)
        self.strata = np.stack([codes == 0, codes == 1])
        self.strata_names = [f"class {label}" for label in rows.classes]

    @property
    def conditions_on_class(self) -> bool:
        """Placements of one class in the other do not depend on the sizes of the classes."""
        return True

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Two classes, one score per row, the whole curve."""
        return (
            rows.classes is not None
            and len(rows.classes) == 2
            and rows.y.ndim == 1
            and rows.pred.ndim == 2
            and rows.pred.dtype.kind in "biuf"
            and not (rows.codes_given and rows.classes.dtype.kind in "US")
            and known_roc_arguments(rows)
        )


def known_roc_arguments(rows: RowData) -> bool:
    """Whether the arguments are valid, and ask for the whole curve."""
    kwargs = rows.kwargs
    return (
        known_arguments(roc_auc_score, kwargs, "average", "max_fpr", "multi_class", "labels")
        and kwargs.get("max_fpr") in (None, 1)
        and kwargs.get("average", "macro") in ("macro", "weighted", "micro", "samples", None)
        and kwargs.get("multi_class", "raise") in ("raise", "ovr", "ovo")
    )
