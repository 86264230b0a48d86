"""Switches for what published code of the tilting methods does differently."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..intervals import MABT, BootstrapInterval
from ..intervals.single._base import Target
from ..intervals.tilting._steps import TiltingSteps
from ..intervals.tilting._tilt import Root, Strata, Tilt
from ..metrics import BoundKernel
from ._proc_direction import turned_in_draws
from ._tilting import TiltAcrossClasses, coarse_root, regression_influence, relative_mean_over

_STREAM = 0x54494C54
"""Keeps resamples from a tilted distribution apart from the bootstrap blocks."""


class PublishedTilting(TiltingSteps):
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
    sklearn_bbc.intervals.BootstrapTilting : Takes this as ``replicate=``.
    sklearn_bbc.intervals.MABT : Takes it too.

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
    >>> from sklearn_bbc.intervals import MABT
    >>> from sklearn_bbc.replication import PublishedTilting
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

    def validate(self) -> None:
        """Raise unless every parameter is a truth value."""
        for name, value in self.get_params(deep=False).items():
            may_be_none = name == "self_normalised"
            # A string or a number would count as one of them without a word.
            if not isinstance(value, (bool, np.bool_)) and not (may_be_none and value is None):
                allowed = "True, False or None" if may_be_none else "True or False"
                raise ValueError(f"{name} must be {allowed}, got {value!r}.")

    def check_samples(self, target: Target, columns: np.ndarray) -> None:
        """Resamples can be turned only where the samples themselves are as they should be."""
        if not self.auto_direction:
            return
        kernel = target.kernel
        if kernel.family != "roc_auc":
            raise ValueError(
                "PublishedTilting(auto_direction=True) reverses scores of roc_auc of two classes, "
                f"got the metric {kernel.metric.name}. Leave it at False."
            )
        if turned_in_draws(kernel, columns, kernel.everything).any():
            raise ValueError(
                "PublishedTilting(auto_direction=True) reverses resamples, but already on the "
                "samples themselves the median of the negative ones is the larger one. Select "
                "with LearnEvaluate(auto_direction=True), or leave it at False."
            )

    def why_no_bound(self, target: Target, strata: Strata) -> str | None:
        """The coarse search has a rule of its own for when there is a bound."""
        return None if self.coarse_search else super().why_no_bound(target, strata)

    def scores(self, kernel: BoundKernel, columns: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """Scores on resamples, each turned by its own medians with `auto_direction`."""
        scores = super().scores(kernel, columns, counts)
        if not self.auto_direction:
            return scores
        return np.where(turned_in_draws(kernel, columns, counts), 1 - scores, scores)

    def influence(self, target: Target, strata: Strata, n_bootstraps: int) -> np.ndarray | None:
        """None with `by_regression`, except for means over samples."""
        if not self.by_regression or target.kernel.is_pointwise:
            return super().influence(target, strata, n_bootstraps)
        if n_bootstraps <= len(strata.code):
            raise ValueError(
                f"by_regression=True regresses the resamples on {len(strata.code)} samples and "
                f"needs more resamples than that, got n_bootstraps={n_bootstraps}. Draw "
                "more, or take by_regression=False."
            )
        return None

    def influence_from_draws(
        self, scores: np.ndarray, counts: np.ndarray, strata: Strata
    ) -> np.ndarray:
        """Influence values by regression."""
        return regression_influence(scores, counts, strata)

    def tilt(self, influence_values: np.ndarray, strata: Strata) -> Tilt:
        """The family of tilted distributions, normalised over all samples if so wanted."""
        if self.across_classes:
            return TiltAcrossClasses(influence_values, strata)
        return super().tilt(influence_values, strata)

    def probability(
        self, method: BootstrapInterval, above: np.ndarray, log_ratios: np.ndarray
    ) -> np.ndarray:
        """Probability of a score above the observed one, `self_normalised` or not."""
        if self._self_normalised(method):
            return relative_mean_over(above, log_ratios)
        return super().probability(method, above, log_ratios)

    def complement(
        self, method: BootstrapInterval, above: np.ndarray, log_ratios: np.ndarray
    ) -> np.ndarray:
        """One minus that probability; self-normalised it is a sum of its own."""
        if self._self_normalised(method):
            return relative_mean_over(1 - above, log_ratios)
        return super().complement(method, above, log_ratios)

    def _self_normalised(self, method: BootstrapInterval) -> bool:
        """Whether probabilities are divided by the sum of all likelihood ratios."""
        chosen = self.self_normalised
        return isinstance(method, MABT) if chosen is None else chosen

    def root(
        self,
        method: BootstrapInterval,
        target: Target,
        tilt: Tilt,
        scores: np.ndarray,
        observed: float,
        tail: Callable[[np.ndarray], np.ndarray],
        alpha: float,
    ) -> Root:
        """Search in fixed steps with `coarse_search`."""
        if not self.coarse_search:
            return super().root(method, target, tilt, scores, observed, tail, alpha)
        reach = 10 if target.kernel.is_pointwise else 20
        step = 0.1 if isinstance(method, MABT) else 1.0
        grid = -np.arange(0, reach + step / 2, step)
        return coarse_root(tail, alpha, grid, tolerance=1.2e-4)

    def bound(
        self, method: BootstrapInterval, target: Target, tilt: Tilt, tau: float, entropy: int
    ) -> float:
        """The score with the tilted weights, with Monte-Carlo noise if so wanted."""
        kernel, strata, n_samples = target.kernel, tilt.strata, target.oof.n_samples
        if not self.resampled_bound or kernel.is_pointwise:
            return super().bound(method, target, tilt, tau, entropy)
        weights, n_draws = tilt.weights(tau), method.n_bootstraps
        rng = np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(_STREAM,)))
        counts = np.zeros((n_draws, len(weights)), dtype=np.int64)
        for k, size in enumerate(strata.size):
            inside = strata.code == k
            counts[:, inside] = rng.multinomial(
                size, weights[inside] / weights[inside].sum(), size=n_draws
            )
        column = np.array([target.config])
        return float(np.mean(self.scores(kernel, column, strata.expand(counts, n_samples))))
