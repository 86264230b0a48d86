"""What published code does differently from the methods as they are right, to repeat its numbers.

Never for use on data of your own. `BootstrapTilting`, `HanleyMcNeil`, `MABT` and `LearnEvaluate`
are those of the package with a parameter more, which switches the deviations on. The import
enters ``group_bootstrap="ferrer-riera"`` for `holdout_interval`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from scipy.special import logsumexp
from sklearn.base import BaseEstimator
from sklearn.metrics import roc_auc_score

from sklearn_bbc import intervals
from sklearn_bbc._parameters import Flag, Number, check_parameters
from sklearn_bbc.contest._contest import Contest
from sklearn_bbc.contest._strata import DrawStrata
from sklearn_bbc.intervals._auc import formula_with_counts
from sklearn_bbc.intervals._base import QuantileRule
from sklearn_bbc.intervals._holdout import GROUP_BOOTSTRAPS, HoldoutBootstrap
from sklearn_bbc.intervals._single_base import OneConfigTask
from sklearn_bbc.intervals._tilting import (
    Resamples,
    Strata,
    Tilt,
    TiltedInterval,
    bisected,
    check_root,
    influence,
    mean_over,
)
from sklearn_bbc.metrics._base import BlockOfConfigs, first_best
from sklearn_bbc.metrics._metric import BoundMetric, Metric, as_metric
from sklearn_bbc.predictions._predictions import OOFPredictions, with_fields
from sklearn_bbc.resampling import Draws
from sklearn_bbc.results._results import frozen_array

__all__ = [
    "MABT",
    "BootstrapTilting",
    "DroppingBBC",
    "FerrerRieraDraws",
    "HanleyMcNeil",
    "LearnEvaluate",
    "LinearQuantile",
    "ProcDirection",
    "PublishedTilting",
    "RinkCounts",
    "single_precision",
]


class DroppingBBC(intervals.BBC):
    """BBC that leaves degenerate draws out, as some published code does.

    Fewer draws remain than were asked for. `BBC` draws them again, which conditions on the same
    event and keeps the number of draws.

    Examples
    --------
    >>> from benchmarks.published.replication import DroppingBBC
    >>> DroppingBBC(n_bootstraps=500)
    DroppingBBC(n_bootstraps=500)
    """

    def draws_for(self, contest: Contest, *also: BoundMetric) -> Draws:
        """Prepare the draws of one run, as the base class."""
        return KeptDraws(super().draws_for(contest, *also))


class KeptDraws(Draws):
    """The draws of a run without the degenerate ones.

    Parameters
    ----------
    draws : Draws
        The run.
    """

    def __init__(self, draws: Draws) -> None:
        vars(self).update(vars(draws))

    def _check_likely(self) -> None:
        """Nothing is drawn again."""

    def _counts(self, draws: range) -> tuple[np.ndarray, int]:
        """Draw the counts of some draws and leave out those that are not acceptable."""
        counts = self._drawn(draws)
        return np.delete(counts, self._rejected(counts), axis=0), 0


class LinearQuantile(QuantileRule):
    """Interpolate between draws so that the extreme ones have levels 0 and 1.

    The default of `numpy.quantile` and of R (type 7), and what some published code for
    bootstrap bias correction does, such as the R package MXM [1]_.

    References
    ----------
    .. [1] V. Lagani, G. Athineou, A. Farcomeni, M. Tsagris, I. Tsamardinos, "Feature
       selection with the R package MXM", Journal of Statistical Software 80(7) (2017).
       :doi:`10.18637/jss.v080.i07`

    Examples
    --------
    >>> from benchmarks.published.replication import LinearQuantile
    >>> LinearQuantile().place(11, 0.25)
    (2, 0.5)
    """

    def place(self, n_draws: int, level: float) -> tuple[int, float]:
        """Tell where among the sorted draws the quantile lies.

        Parameters
        ----------
        n_draws : int
            Number of draws, at least 1.
        level : float
            Level of the quantile, between 0 and 1.

        Returns
        -------
        index : int
            Draw below it, counted from 0.
        share : float
            Share of the way to the next draw.
        """
        position = (n_draws - 1) * level
        index = int(np.floor(position + 1e-9))
        return index, max(position - index, 0.0)


class FerrerRieraDraws:
    """Draws of groups as the package of Ferrer and Riera makes them [1]_.

    Groups are drawn with replacement; the samples of each distinct drawn group are drawn
    with replacement too, once, and taken as often as the group was drawn. Draw b uses the
    seed b for all of it, so groups of equal size get the same positions. This is no
    recommended method: it exists to repeat published numbers.

    Parameters
    ----------
    groups : ndarray of shape (n_samples,)
        Label of each sample's group.
    n_draws : int
        Number of draws, seeded 0 to n_draws - 1.

    Attributes
    ----------
    percentile_rule : QuantileRule
        How the package reads percentiles off the draws, `LinearQuantile`.
    n_redrawn, n_lacking, n_dropped : int
        Always 0: nothing is drawn again, and classes are not looked at.
    entropy : int
        Always 0: the seeds are fixed.

    See Also
    --------
    PublishedGroupDraws : Uses it for ``group_bootstrap="ferrer-riera"`` of `holdout_interval`.

    References
    ----------
    .. [1] L. Ferrer, P. Riera, "Confidence intervals for evaluation in machine learning",
       software, https://github.com/luferrer/ConfidenceIntervals

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.published.replication import FerrerRieraDraws
    >>> FerrerRieraDraws(np.array([0, 0, 1, 1]), 2).map(lambda counts: counts).shape
    (2, 4)
    """

    percentile_rule = LinearQuantile()
    n_redrawn = n_lacking = n_dropped = 0
    entropy = 0

    def __init__(self, groups: np.ndarray, n_draws: int, strata: DrawStrata | None = None) -> None:
        self.n_draws, self.strata = n_draws, strata
        codes = np.unique(groups, return_inverse=True)[1]
        self._n_samples = len(codes)
        self._members = [np.flatnonzero(codes == k) for k in range(codes.max() + 1)]

    def map(self, function: Callable[[np.ndarray], Any]) -> Any:
        """Apply `function` to the counts of all draws, as `Draws.map` does.

        Parameters
        ----------
        function : callable
            Takes counts ``(n_draws, n_samples)``, gives an array with a row per draw or a
            tuple of such arrays. It is called once.

        Returns
        -------
        ndarray or tuple of ndarray
            What `function` gives.
        """
        return function(np.stack([self._draw(seed) for seed in range(self.n_draws)]))

    def _draw(self, seed: int) -> np.ndarray:
        rng = np.random.RandomState(seed)
        start = rng.get_state()

        def times_drawn(size: int) -> np.ndarray:
            rng.set_state(start)  # seeded for each group anew, which takes longer
            return np.bincount(rng.randint(0, size, size), minlength=size)

        times = times_drawn(len(self._members))
        counts = np.zeros(self._n_samples, dtype=np.int64)
        for group in np.flatnonzero(times):
            members = self._members[group]
            counts[members] = times[group] * times_drawn(len(members))
        return counts


class PublishedGroupDraws(HoldoutBootstrap):
    """Draws as the package of Ferrer and Riera makes them, with its percentiles."""

    whole_units = False

    @property
    def quantile(self) -> QuantileRule | None:  # type: ignore[override]
        """Percentiles as the package reads them; it has no other form."""
        return FerrerRieraDraws.percentile_rule if self.form == "percentile" else None

    def draws_for(self, contest: Contest, *also: BoundMetric) -> Any:
        strata = DrawStrata.of(contest.scored, contest.units, out_of_bag=False)
        return FerrerRieraDraws(np.asarray(contest.oof.groups), self.n_bootstraps, strata)


GROUP_BOOTSTRAPS["ferrer-riera"] = PublishedGroupDraws


class ProcDirection:
    """Areas under the ROC curve, turned as R's pROC turns them.

    ``LearnEvaluate(auto_direction=True)`` is this: in each fold of the learn part, and on the
    evaluation part, a score is reversed whenever the median of the negative samples exceeds that
    of the positive ones [1]_. Scores below 0.5 turn into scores above 0.5.

    See Also
    --------
    PublishedTilting : Turns resamples too, with ``auto_direction=True``.

    References
    ----------
    .. [1] X. Robin et al., "pROC: an open-source package for R and S+ to analyze and compare
       ROC curves", BMC Bioinformatics 12, 77 (2011). :doi:`10.1186/1471-2105-12-77`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.metrics import as_metric
    >>> from benchmarks.published.replication import ProcDirection
    >>> oof = OOFPredictions(y_true=[0, 0, 1, 1], y_pred=[4.0, 3.0, 2.0, 1.0])
    >>> kernel = as_metric("roc_auc").bind(oof)
    >>> bool(ProcDirection().turned(kernel, np.array([0]), np.ones(4, dtype=bool))[0])
    True
    """

    def check(self, kernel: BoundMetric) -> None:
        """Raise ValueError unless the metric is ``roc_auc``."""
        if kernel.metric.score_func is not roc_auc_score:
            raise ValueError(
                "auto_direction reverses scores of roc_auc, got the metric "
                f"{kernel.metric.name}. Leave it at False."
            )

    def fold_scores(self, kernel: BoundMetric, samples: np.ndarray) -> np.ndarray:
        """Areas per split, each turned by its own medians."""
        scores = kernel.fold_scores(samples)
        configs = np.flatnonzero(kernel.valid)
        for part in kernel.held_out(configs):
            positive = part.rows.y_codes() == 1
            for split in np.unique(part.fold):
                here = samples[part.sample] & (part.fold == split)
                turned = _turned(part.rows.pred, positive & here, ~positive & here)
                scores[split, configs[turned]] = 1 - scores[split, configs[turned]]
        return scores

    def turned(self, kernel: BoundMetric, configs: np.ndarray, samples: np.ndarray) -> np.ndarray:
        """Which configurations would be turned on some samples."""
        parts = kernel.held_out(configs)
        here = [samples[part.sample] for part in parts]
        positive = [part.rows.y_codes() == 1 for part in parts]
        pooled = np.concatenate([part.rows.pred for part in parts], axis=1)
        chosen, labels = np.concatenate(here), np.concatenate(positive)
        return _turned(pooled, chosen & labels, chosen & ~labels)


class LearnEvaluate(intervals.LearnEvaluate):
    """Select configurations on one part of the samples, with ``auto_direction=True`` as pROC.

    Parameters
    ----------
    rule, **given
        As in `sklearn_bbc.intervals.LearnEvaluate`.
    auto_direction : bool, default=False
        Reverse a score whenever the median of the negative samples exceeds that of the positive
        ones, see `ProcDirection`. Scores below 0.5 then turn into scores above 0.5, and worse
        configurations are selected.
    """

    def __init__(self, rule: Any = None, *, auto_direction: bool = False, **given: Any) -> None:
        super().__init__(rule, **given)
        self.auto_direction = auto_direction

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted([*intervals.LearnEvaluate._get_param_names(), "auto_direction"])

    def select(self, kernel: BoundMetric, random_state: Any = None) -> Any:
        """Split the samples, see the base; only areas of two classes can be turned."""
        if self.auto_direction:
            ProcDirection().check(kernel)
        return super().select(kernel, random_state)

    def _fold_scores(self, kernel: BoundMetric, samples: np.ndarray) -> np.ndarray:
        if not self.auto_direction:
            return super()._fold_scores(kernel, samples)
        return ProcDirection().fold_scores(kernel, samples)

    def _turned(self, kernel: BoundMetric, configs: np.ndarray, samples: np.ndarray) -> np.ndarray:
        if not self.auto_direction:
            return super()._turned(kernel, configs, samples)
        return ProcDirection().turned(kernel, configs, samples)


def turned_in_draws(kernel: BoundMetric, configs: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Which configurations would be turned in each draw.

    `configs` (n_chosen,), `counts` (n_draws, n_samples) -> (n_draws, n_chosen).
    """
    parts = kernel.held_out(configs)
    pooled = np.concatenate([part.rows.pred for part in parts], axis=1)  # (n_chosen, n_rows)
    positive = np.concatenate([part.rows.y_codes() == 1 for part in parts])
    drawn = counts[:, np.concatenate([part.sample for part in parts])]
    of_class = [
        np.column_stack([_medians(pred[rows], drawn[:, rows]) for pred in pooled])
        for rows in (positive, ~positive)
    ]
    return of_class[1] > of_class[0]


def _medians(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Median of each draw of some values, shape (n_draws,)."""
    order = np.argsort(values, kind="stable")
    running = np.cumsum(counts[:, order], axis=1, dtype=np.int64)
    n = running[:, -1:]
    # The two values in the middle, which are the same one where their number is odd.
    middle = [(running <= place).sum(axis=1) for place in ((n - 1) // 2, n // 2)]
    return values[order][middle].mean(axis=0)


def _turned(pred: np.ndarray, positive: np.ndarray, negative: np.ndarray) -> np.ndarray:
    return np.median(pred[:, negative], axis=1) > np.median(pred[:, positive], axis=1)


def regression_influence(scores: np.ndarray, counts: np.ndarray, strata: Strata) -> np.ndarray:
    """Influence values by regressing the scores of resamples on what they hold.

    As R's ``boot::empinf`` does by default; noisier than the exact values.

    `scores` (n_draws,), `counts` (n_draws, n) -> (n,).
    """
    # Counts sum to the size of their stratum: one sample of each cannot be told apart.
    first = np.unique(strata.code, return_index=True)[1]
    kept = np.setdiff1d(np.arange(len(strata.code)), first)
    frequency = counts[:, kept] / strata.size[strata.code[kept]]
    design = np.column_stack([np.ones(len(scores)), frequency])
    slope = np.zeros(len(strata.code))
    slope[kept] = np.linalg.lstsq(design, scores, rcond=None)[0][1:]
    return strata.centred(slope)


@dataclass(frozen=True, eq=False)
class TiltAcrossClasses(Tilt):
    """As `Tilt`, with weights that sum to one over all samples together.

    The direction is the influence itself, which is not the steepest one for samples that are drawn
    within strata, and likelihood ratios do not have mean one.
    """

    @property
    def unit(self) -> float:
        """Change of `tau` that moves the score by about one standard error."""
        size = self.strata.size
        variance = np.bincount(self.strata.code, self.direction**2, minlength=len(size)) / size
        slope = float(variance.sum())
        return float(np.sqrt((variance / size).sum())) / slope if slope > 0 else np.inf

    def _log_norm(self, exponents: np.ndarray) -> np.ndarray:
        n = self.strata.size.sum()
        return np.asarray(n * (logsumexp(exponents, axis=1) - np.log(n)))


def coarse_root(
    tail: Callable[[np.ndarray], np.ndarray],
    alpha: float,
    grid: np.ndarray,
    *,
    tolerance: float,
) -> float:
    """As `largest_root`, by the rule of the published code.

    It asks for more than twice `alpha` at 0, walks down until the tail is below half of it, and
    bisects the whole way back. Found members differ from those of `largest_root` only where the
    tail is not monotone.

    `grid` (n_taus,).
    """
    tails = tail(grid)
    start, stop = 2 * alpha, alpha / 2
    # What is equal apart from rounding is not below one half.
    enough = tails < stop * (1 - 1e-9)
    check_root(tails, enough, start=start, stop=stop)
    return bisected(tail, alpha, grid[np.flatnonzero(enough)[0]], 0.0, tolerance)


def relative_mean_over(values: np.ndarray, log_ratios: np.ndarray) -> np.ndarray:
    """As `mean_over`, with the ratios scaled to mean one."""
    ratios = np.exp(log_ratios - log_ratios.max(axis=1, keepdims=True))
    return ratios @ values / ratios.sum(axis=1)


_STREAM = 0x54494C54
"""Keeps resamples from a tilted distribution apart from the bootstrap blocks."""


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
    >>> from benchmarks.published.replication import MABT, PublishedTilting
    >>> MABT(replicate=PublishedTilting()).get_params()["replicate"]
    PublishedTilting()
    """

    _constraints = {"self_normalised": Flag(or_none=True)}

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

    def check_samples(self, target: OneConfigTask, columns: np.ndarray) -> None:
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


class _Replicating:
    """Gives a method the parameter `replicate`, an object of the class `_takes` or None."""

    _takes: type
    _such_as: str

    def __init__(self, *, replicate: Any = None, **given: Any) -> None:
        super().__init__(**given)
        self.replicate = replicate

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted([*cls.__bases__[-1]._get_param_names(), "replicate"])  # type: ignore[attr-defined]

    def _validate(self) -> None:
        super()._validate()  # type: ignore[misc]
        if self.replicate is None:
            return
        if not isinstance(self.replicate, self._takes):
            raise ValueError(f"replicate must be {self._such_as} or None, got {self.replicate!r}.")
        check_parameters(self.replicate)


NOTHING_PUBLISHED = PublishedTilting(
    across_classes=False, by_regression=False, coarse_search=False, resampled_bound=False,
    self_normalised=False,
)  # fmt: skip


class _ReplicatingTilting(_Replicating, TiltedInterval):
    """The steps of a tilting method, those of published code where `replicate` says so."""

    _takes, _such_as = PublishedTilting, "PublishedTilting()"

    @property
    def _published(self) -> PublishedTilting:
        return NOTHING_PUBLISHED if self.replicate is None else self.replicate

    def _mean_over(self, values: np.ndarray, log_ratios: np.ndarray) -> np.ndarray:  # type: ignore[override]
        chosen = self._published.self_normalised
        relative = isinstance(self, intervals.MABT) if chosen is None else chosen
        return (
            relative_mean_over(values, log_ratios) if relative else mean_over(values, log_ratios)
        )

    def _scores(self, kernel: BoundMetric, columns: np.ndarray, counts: np.ndarray) -> np.ndarray:
        scores = super()._scores(kernel, columns, counts)
        if not self._published.auto_direction:
            return scores
        return np.where(turned_in_draws(kernel, columns, counts), 1 - scores, scores)

    def _tilt(self, target: OneConfigTask, strata: Strata, draws: Draws) -> Tilt:
        published, kernel = self._published, target.kernel
        published.check_samples(target, self._columns(target))
        n_samples, column = len(strata.code), np.array([target.config])
        if published.by_regression and not kernel.is_pointwise:
            if self.n_bootstraps <= n_samples:
                raise ValueError(
                    f"by_regression=True regresses the resamples on {n_samples} samples and needs "
                    f"more resamples than that, got n_bootstraps={self.n_bootstraps}. Draw more, "
                    "or take by_regression=False."
                )

            def with_counts(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
                expanded = strata.expand(counts, target.oof.n_samples)
                return self._scores(kernel, column, expanded)[:, 0], counts

            scores, counts = draws.map(with_counts)
            defined = ~np.isnan(scores)
            values = regression_influence(scores[defined], counts[defined], strata)
        else:
            values = influence(kernel, target.config, strata)
        if published.across_classes:
            return TiltAcrossClasses(values, strata)
        return Tilt(values * (n_samples / strata.size[strata.code]), strata)

    def _root(self, target: OneConfigTask, resamples: Resamples, alpha: float) -> float:
        if not self._published.coarse_search:
            return super()._root(target, resamples, alpha)
        reach = 10 if target.kernel.is_pointwise else 20
        step = 0.1 if isinstance(self, intervals.MABT) else 1.0
        grid = -np.arange(0, reach + step / 2, step)
        return coarse_root(self._tail_of(resamples), alpha, grid, tolerance=1.2e-4)

    def _bound_at(self, target: OneConfigTask, tilt: Tilt, tau: float, entropy: int) -> float:
        kernel, strata = target.kernel, tilt.strata
        if not self._published.resampled_bound or kernel.is_pointwise:
            return super()._bound_at(target, tilt, tau, entropy)
        weights = tilt.weights(tau)
        rng = np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(_STREAM,)))
        counts = np.zeros((self.n_bootstraps, len(weights)), dtype=np.int64)
        for k, size in enumerate(strata.size):
            inside = strata.code == k
            shares = weights[inside] / weights[inside].sum()
            counts[:, inside] = rng.multinomial(size, shares, size=self.n_bootstraps)
        expanded = strata.expand(counts, target.oof.n_samples)
        return float(np.mean(self._scores(kernel, np.array([target.config]), expanded)))


class BootstrapTilting(_ReplicatingTilting, intervals.BootstrapTilting):
    """Bootstrap tilting, with ``replicate=PublishedTilting()`` as published code does it."""


class MABT(_ReplicatingTilting, intervals.MABT):
    """MABT, with ``replicate=PublishedTilting()`` as published code does it."""


class RinkCounts(BaseEstimator):
    """The counts that published code puts into the Hanley-McNeil formula instead of class sizes.

    Only for repeating published tables (results ``HM`` and ``HM10p`` of [1]_): with these
    counts the formula is not a variance of the area any more, and at strong imbalance the
    standard error is about half of what it should be. The code differs from the formula
    in five places:

    1. Class sizes are replaced by the numbers of correctly and of wrongly classified
       samples: a sample is classified as positive when its score exceeds `threshold`.
    2. The number of wrong ones is counted as if all samples had been evaluated, although
       area and number of correct ones come from the evaluation part (`all_samples`).
    3. The number of correct ones plus 1 stands where the class size minus 1 belongs.
    4. The threshold is 0 whatever the scores are; probabilities all exceed it.
    5. The bound ignores that the best of several candidates is reported (`sidak`).

    Parameters
    ----------
    threshold : float, default=0.0
        Scores above it count as classified as positive.
    all_samples : bool, default=True
        Count the wrong ones among all samples; False counts them among the evaluated
        ones, as a later version of the code does.
    sidak : bool, default=False
        Use Šidák's level for the number of candidates, as the later version does.

    References
    ----------
    .. [1] K. Paraschakis, A. Castellani, G. Borboudakis, I. Tsamardinos, "Confidence
       interval estimation of predictive performance in the context of AutoML",
       AutoML Conference (2024).

    Examples
    --------
    >>> from benchmarks.published.replication import HanleyMcNeil, RinkCounts
    >>> HanleyMcNeil(replicate=RinkCounts()).get_params()["replicate"]
    RinkCounts()
    """

    _constraints = {"threshold": Number()}

    def __init__(
        self, *, threshold: float = 0.0, all_samples: bool = True, sidak: bool = False
    ) -> None:
        self.threshold = threshold
        self.all_samples = all_samples
        self.sidak = sidak

    def variance(self, area: float, n_correct: int, n_evaluated: int, n_samples: int) -> float:
        """Put the counts into the formula.

        Parameters
        ----------
        area : float
            Area under the curve on the evaluated samples.
        n_correct : int
            Correctly classified ones of the evaluated samples.
        n_evaluated : int
            Number of evaluated samples.
        n_samples : int
            Number of all samples.

        Returns
        -------
        float
            What the published code takes for the variance; NaN without wrong samples.
        """
        n_wrong = (n_samples if self.all_samples else n_evaluated) - n_correct
        if n_correct == 0 or n_wrong == 0:
            return np.nan
        return formula_with_counts(area, n_correct + 1, n_wrong - 1, n_correct * n_wrong)

    def variance_of(self, target: OneConfigTask, n_samples: int) -> float:
        """Count, and put the counts into the formula; NaN where there is no variance."""
        n_evaluated = int(np.count_nonzero(target.oof.tested))
        n_correct = _n_correct(target, self.threshold)
        target.details["n_correct"] = n_correct
        variance = self.variance(target.estimate, n_correct, n_evaluated, n_samples)
        if np.isnan(variance):
            target.details["reason"] = (
                "the replicated counts need right and wrong classifications, there are "
                f"{n_correct} right ones of {n_evaluated}"
            )
        return variance

    def level(self, confidence_level: float) -> float | None:
        """Confidence level of the bounds; None is Šidák's."""
        return None if self.sidak else confidence_level


class HanleyMcNeil(_Replicating, intervals.HanleyMcNeil):
    """Hanley and McNeil's interval, with ``replicate=RinkCounts()`` as published code does it.

    `details` then has ``n_correct`` as well.
    """

    _takes, _such_as = RinkCounts, "RinkCounts()"

    def _variance(self, target: OneConfigTask, n_samples: int) -> tuple[float, float | None]:
        if self.replicate is None:
            return super()._variance(target, n_samples)
        variance = self.replicate.variance_of(target, n_samples)
        return variance, self.replicate.level(self.confidence_level)


def _n_correct(target: OneConfigTask, threshold: float) -> int:
    """Rows of the target that the threshold classifies correctly, in the first repeat."""
    part = target.kernel.held_out(np.array([target.config]))[0]
    raw = -part.rows.pred[0] if target.turned else part.rows.pred[0]
    as_positive = raw > threshold
    return int(np.count_nonzero(as_positive == (part.rows.y_codes() == 1)))


SUFFIX = " (float32)"


def single_precision(scoring: Any) -> Metric:
    """Make a metric whose predictions and scores are rounded to 32 bits.

    Only to repeat studies: the code published with BBC-F computes areas under the ROC curve
    in single precision. Scores that are equal, or differ by less than a ten-millionth of
    their size, may then change their order, and with it the winner.

    Parameters
    ----------
    scoring : str, scorer or Metric
        As in `as_metric`.

    Returns
    -------
    Metric
        Its name says ``"(float32)"``. For every interval method, for ``search.interval`` and
        to select by; a search itself needs a scorer to score with.

    Notes
    -----
    Predictions, numbers to be predicted and each score are rounded. Sums inside a score, and
    means over folds, stay in double precision: their rounding depends on the order in which
    code adds.

    References
    ----------
    .. [1] K. Paraschakis, A. Castellani, G. Borboudakis, I. Tsamardinos, "Confidence
       interval estimation of predictive performance in the context of AutoML",
       AutoML Conference (2024).

    Examples
    --------
    Means of fold scores that are equal in exact arithmetic have an order in single precision:

    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import BBCF
    >>> from benchmarks.published.replication import single_precision
    >>> auc = np.array([[.7, .8], [.7, .6], [.7, .7], [.7, .7], [.7, .7]])
    >>> oof = OOFPredictions.from_fold_scores({"roc_auc": auc})
    >>> winner, rounded = (BBCF().estimate(oof, metric).details["winner"]
    ...                    for metric in ("roc_auc", single_precision("roc_auc")))
    >>> winner, rounded
    (0, 1)
    """
    metric = as_metric(scoring)
    if isinstance(metric, _SinglePrecision):
        return metric
    given = {field.name: getattr(metric, field.name) for field in fields(metric)}
    return _SinglePrecision(**given | {"name": f"{metric.name}{SUFFIX}"})


class _SinglePrecision(Metric):
    def bind(self, oof: OOFPredictions) -> BoundMetric:
        return _RoundedKernel(self, _with_rounded_numbers(oof))

    def recorded_fold_scores(self, oof: OOFPredictions) -> np.ndarray | None:
        recorded = oof.fold_scores.get(self.name.removesuffix(SUFFIX))
        return None if recorded is None else _rounded(recorded)


def _with_rounded_numbers(oof: OOFPredictions) -> OOFPredictions:
    """The same predictions, and numbers to be predicted, in single precision; labels stay."""
    fields: dict[str, Any] = {
        "responses": {name: frozen_array(_rounded(each)) for name, each in oof.responses.items()}
    }
    if oof.classes_ is None:
        fields["y_true"] = frozen_array(_rounded(oof.y_true))
    return with_fields(oof, **fields)


class _RoundedKernel(BoundMetric):
    """Selects on rounded scores, so no kernel may stop early on exact ones."""

    def passes(self) -> Iterator[BlockOfConfigs]:
        return iter(())

    def winners(self, weights: np.ndarray) -> np.ndarray:
        winners = first_best(self._distinct_scores(weights))
        return np.where(winners < 0, -1, self._distinct[winners])

    def on_data(self) -> np.ndarray:
        return _rounded(super().on_data())

    def score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        return _rounded(super().score_of(weights, configs))

    def fold_scores(
        self, weights: np.ndarray | None = None, configs: np.ndarray | None = None
    ) -> np.ndarray:
        return _rounded(super().fold_scores(weights, configs))

    def _distinct_scores(self, weights: np.ndarray) -> np.ndarray:
        return _rounded(super()._distinct_scores(weights))


def _rounded(values: np.ndarray) -> np.ndarray:
    """Values as single precision has them; whole numbers and labels stay as they are."""
    return values.astype(np.float32).astype(values.dtype) if values.dtype.kind == "f" else values
