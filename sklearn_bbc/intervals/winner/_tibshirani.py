"""Tibshirani and Tibshirani's bias correction."""

from __future__ import annotations

import numpy as np

from ...exceptions import UndefinedIntervalError
from ...metrics import Metric
from ...predictions import OOFPredictions
from ...results import ConfidenceInterval
from .._base import BaseInterval
from .._bounds import OF_TUNING
from .._caveats import caveats_of_folds, lonely_configuration
from ._fold_kernel import FoldKernel

NO_INTERVAL = "The method corrects the estimate and defines no interval; BBC and BBCF give both."


class TibshiraniTibshirani(BaseInterval):
    """Tibshirani and Tibshirani's correction of the winner's score: an estimate only.

    In each fold the best configuration of that fold beats the overall winner by some
    amount. The mean of these amounts stands for what the winner's score owes to having
    been chosen, and is taken off. There is no interval: both bounds are NaN.

    Parameters
    ----------
    confidence_level : float in (0, 1), default=0.95
        Reported with the result; without effect, since there is no interval.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Reported with the result; without effect, since there is no interval.

    See Also
    --------
    BBCF : From the same fold scores, with an interval.

    Notes
    -----
    The correction is at least 0, and cheap: it needs the scores per fold only, published
    ones included. It is rough [1]_: the best of one fold is chosen on far fewer samples
    than the winner, so with many configurations and small folds the correction is too
    large (leave-one-out doubles a loss), while for 20 to 40 samples it was found too small.
    Metrics such as ``roc_auc`` need folds with enough samples of each class. With repeated
    cross-validation all folds of all repeats count alike.

    `details` of the result: ``winner``, ``winner_by``, ``winner_score`` (its mean over the
    folds), ``bias`` (what was taken off), ``bias_standard_error`` (standard deviation over
    the folds divided by the root of their number, suggested by the authors and never
    validated), ``reason`` (why there is no interval), ``n_folds``, ``n_repeats``,
    ``n_configs``, ``n_valid``, ``unit``, ``n_untested``, ``notes``. Time O(n_folds *
    n_configs).

    References
    ----------
    .. [1] R. J. Tibshirani, R. Tibshirani, "A bias correction for the minimum error rate
       in cross-validation", Annals of Applied Statistics 3, 822-829 (2009).
       :doi:`10.1214/08-AOAS224`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import TibshiraniTibshirani
    >>> accuracy = np.array([[.70, .75, .60], [.80, .65, .70], [.75, .90, .70], [.70, .70, .80]])
    >>> oof = OOFPredictions(y_true=[], classes=None, fold_scores={"accuracy": accuracy})
    >>> result = TibshiraniTibshirani().estimate(oof, "accuracy")
    >>> round(result.details["winner_score"], 4), round(result.estimate, 4), result.low
    (0.75, 0.6875, nan)
    """

    name = "tibshirani"
    requires = frozenset({"folds"})
    estimand = OF_TUNING
    meant_for = "a quick correction of the best score, without an interval"
    cost = "O(F C)"
    limits = "leave-one-out and tiny folds (doubles a loss); many configurations; has no interval"

    def __init__(self, *, confidence_level: float = 0.95, alternative: str = "two-sided") -> None:
        self.confidence_level = confidence_level
        self.alternative = alternative

    def _bind(self, oof: OOFPredictions, metric: Metric) -> FoldKernel:
        return FoldKernel(metric, oof, weight_folds=False, selecting=self._selected_by)

    def _estimate(self, oof: OOFPredictions, kernel: FoldKernel) -> ConfidenceInterval:
        winner = kernel.winner
        kernel.check_scored(oof)
        of_winner = kernel.fold_scores[:, winner]
        of_selection = np.where(kernel.valid, kernel.selecting_scores, -np.inf)
        best = kernel.fold_scores[np.arange(len(of_winner)), of_selection.argmax(axis=1)]
        behind = best - of_winner  # (n_splits,), >= 0 where the metric itself selects
        if np.isnan(behind).any():
            raise UndefinedIntervalError(
                f"The best configuration of fold {np.isnan(behind).argmax()} has no "
                f"{kernel.metric.name} there."
            )
        n_folds = len(behind)
        bias = float(behind.mean())
        notes = []
        if kernel.valid.sum() == 1:
            notes.append(lonely_configuration(oof.n_configs))
        notes.extend(caveats_of_folds(oof, kernel.valid))
        return self._result(
            kernel.metric,
            float(of_winner.mean()) - bias,
            np.nan,
            np.nan,
            details={
                "winner": winner,
                "winner_by": kernel.winner_by,
                "winner_score": float(of_winner.mean()),
                "bias": bias,
                "bias_standard_error": float(behind.std(ddof=1) / np.sqrt(n_folds)),
                "reason": NO_INTERVAL,
                "unit": "fold",
                "n_folds": n_folds // oof.n_repeats,
                "n_repeats": oof.n_repeats,
                "n_configs": oof.n_configs,
                "n_valid": int(kernel.valid.sum()),
                "n_untested": oof.n_untested if oof.n_rows else 0,
                "notes": notes,
            },
        )
