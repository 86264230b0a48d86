"""Switches for what published code of the tilting methods does differently."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator


class PublishedTilting(BaseEstimator):
    """What the published code of the tilting methods does differently, one switch for each.

    Only for repeating published numbers (results ``BT``, ``BT10p`` and ``MABT`` of [1]_):
    where classes are unequal, the bounds then depend on the seed more than on the data.
    The defaults follow the published code; each parameter takes one deviation back.

    Parameters
    ----------
    across_classes : bool, default=True
        Normalise the weights of the tilt over all samples, though resamples are drawn within
        classes; with unequal classes the likelihood ratios then do not have mean one. False
        weighs within classes, and published bounds of `MABT` at unequal classes come out
        with that. Without effect for metrics whose resamples are drawn regardless of class,
        such as accuracy.
    by_regression : bool, default=True
        Take influence values from a regression of the resamples' scores on what they hold,
        which needs more resamples than samples. Means over samples, such as accuracy, have
        exact values in the published code too. False takes those of the default for all
        metrics.
    coarse_search : bool, default=True
        Search ``tau`` in steps of 1 (`MABT`: 0.1) down to -20 (-10 for means over samples),
        and give no bound unless the probability of a score above the observed one is above
        twice the error rate at 0 and below half of it at the end. A class with a single
        sample is not refused. False searches in units of one standard error, and gives a
        bound wherever that probability reaches the error rate.
    resampled_bound : bool, default=True
        Take as bound the mean score of `n_bootstraps` resamples from the tilted
        distribution, which adds noise; not for means over samples. False takes the score
        with the tilted weights: for ``roc_auc`` what such means are without the noise.
    self_normalised : bool, default=None
        True divides the sum of likelihood ratios that stands for a probability by the sum of
        all ratios; False by their number, and sums over the resamples above the observed
        score. None is as published for the method: False for `BootstrapTilting`, True for
        `MABT`.
    auto_direction : bool, default=False
        Reverse the scores of every resample in which the median of the negative samples
        exceeds that of the positive ones, as R's pROC does in each call. Only for ``roc_auc``
        of two classes, and together with ``LearnEvaluate(auto_direction=True)``, which does
        so for the folds and the evaluation part: directions are a switch of their own, so
        this one is off unless asked for.

    See Also
    --------
    BootstrapTilting, MABT : Take this as ``replicate=``.

    Notes
    -----
    With False for every parameter nothing of the published code is left, and results are
    those of ``replicate=None``.

    References
    ----------
    .. [1] P. Rink, W. Brannath, "Post-selection confidence bounds for prediction
       performance", Machine Learning 114, 82 (2025). :doi:`10.1007/s10994-024-06632-w`

    Examples
    --------
    >>> from sklearn_bbc.intervals import MABT, PublishedTilting
    >>> MABT(replicate=PublishedTilting())
    MABT(replicate=PublishedTilting())
    >>> MABT(replicate=PublishedTilting(across_classes=False))
    MABT(replicate=PublishedTilting(across_classes=False))
    """

    def __init__(
        self,
        *,
        across_classes: bool = True,
        by_regression: bool = True,
        coarse_search: bool = True,
        resampled_bound: bool = True,
        self_normalised: bool | None = None,
        auto_direction: bool = False,
    ) -> None:
        self.across_classes = across_classes
        self.by_regression = by_regression
        self.coarse_search = coarse_search
        self.resampled_bound = resampled_bound
        self.self_normalised = self_normalised
        self.auto_direction = auto_direction

    def _validate(self) -> None:
        """Raise unless every parameter is a truth value."""
        for name, value in self.get_params(deep=False).items():
            may_be_none = name == "self_normalised"
            # A string or a number would count as one of them without a word.
            if not isinstance(value, (bool, np.bool_)) and not (may_be_none and value is None):
                allowed = "True, False or None" if may_be_none else "True or False"
                raise ValueError(f"{name} must be {allowed}, got {value!r}.")


NO_DEVIATION = PublishedTilting(
    across_classes=False,
    by_regression=False,
    coarse_search=False,
    resampled_bound=False,
    self_normalised=False,
)
"""What the methods do when nothing is to be replicated."""
