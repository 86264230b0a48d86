"""Average precision, of two classes and of several classes or labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from sklearn.metrics import average_precision_score

from .._inputs import known_arguments
from .._rows import RowData
from ._base import RankKernel
from ._lost_precision import LostPrecision
from ._one_vs_rest import MicroAverage, OneVsRest, indicator

_SCORE_FUNCS = {average_precision_score: (0.0, 1.0)}


class AveragePrecision(RankKernel):
    """Average precision of two classes: mean precision at the positives.

    It is undefined without positives, where scikit-learn warns and returns 0.

    Parameters
    ----------
    score_func : callable
        `sklearn.metrics.average_precision_score`.
    rows : RowData
        Rows of one repeat; scores are higher for ``pos_label``.

    Raises
    ------
    ValueError
        If ``pos_label`` is not one of the classes.
    """

    name = "average_precision"
    example = ("average_precision", "two classes")
    score_funcs: ClassVar = _SCORE_FUNCS
    walk = LostPrecision

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        assert rows.classes is not None  # `handles` says so
        pos_label, classes = rows.kwargs.get("pos_label", 1), rows.classes.tolist()
        if pos_label not in classes:
            raise ValueError(
                f"average_precision has pos_label={pos_label!r}, but the classes are {classes}. "
                "Say which one is positive: make_scorer(average_precision_score, "
                f"response_method='predict_proba', pos_label={classes[1]!r})."
            )
        positive = rows.y_codes() == classes.index(pos_label)
        self._add_part(rows.pred, positive, ~positive)
        self.strata, self.strata_names = positive[None], [f"class {pos_label}"]

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Two classes and one score per row."""
        return (
            rows.classes is not None
            and len(rows.classes) == 2
            and rows.y.ndim == 1
            and rows.pred.ndim == 2
            and rows.pred.dtype.kind in "biuf"
            and not (rows.codes_given and rows.classes.dtype.kind in "US")
            and known_arguments(score_func, rows.kwargs, "average", "pos_label")
            and rows.kwargs.get("average", "macro")
            in ("macro", "weighted", "micro", "samples", None)
        )


class AveragePrecisionOneVsRest(OneVsRest):
    """Mean average precision of each class against the rest, or of each label.

    It is undefined without positives in some class, or some label that counts, where
    scikit-learn warns and uses 0.

    Parameters
    ----------
    score_func : callable
        `sklearn.metrics.average_precision_score`.
    rows : RowData
        Rows of one repeat.
    """

    name = "average_precision_ovr"
    example = ("average_precision", "label sets")
    score_funcs: ClassVar = _SCORE_FUNCS
    walk = LostPrecision
    needs_negatives = False

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Several columns, plain or weighted mean."""
        return _several(score_func, rows) in ("macro", "weighted")


class AveragePrecisionMicro(MicroAverage):
    """Average precision of all pairs of a row and a class (or label) together.

    Parameters
    ----------
    score_func : callable
        `sklearn.metrics.average_precision_score`.
    rows : RowData
        Rows of one repeat.
    """

    name = "average_precision_micro"
    example = (
        (average_precision_score, {"response_method": "predict_proba", "average": "micro"}),
        "label sets",
    )
    score_funcs: ClassVar = _SCORE_FUNCS
    two_classes = AveragePrecision
    needs_negatives = False

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Several columns, ``average="micro"``."""
        return _several(score_func, rows) == "micro"


def _several(score_func: Callable[..., float], rows: RowData) -> str | None:
    """Average that is asked of several columns of scores, or None when not ours."""
    known = known_arguments(score_func, rows.kwargs, "average", "pos_label")
    if rows.codes_given or not known or rows.kwargs.get("pos_label", 1) != 1:
        return None
    return None if indicator(rows) is None else rows.kwargs.get("average", "macro")
