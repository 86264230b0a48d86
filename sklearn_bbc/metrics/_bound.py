"""A metric bound to out-of-fold predictions: what the interval methods work with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from joblib import effective_n_jobs

from .._equality import same
from .._floats import quiet
from .._warn import duration, warn_user
from ..exceptions import SlowMetricWarning
from ..predictions import OOFPredictions
from ..predictions._matrix_file import taken
from ..predictions._metadata import TARGET, is_per_sample, taken_metadata
from ._base import first_best, rounding, unit_of
from ._columns import Consumed, consumed, first_of_equals, usable
from ._repeat import HeldOut, Pass, Repeat
from ._rows import RowData

if TYPE_CHECKING:
    from ._metric import Metric

SLOW_SECONDS = 5
"""Expected duration above which a replayed metric is announced."""

WEIGHTY = "the data of positive weight"  # stratum of draws that need some weight, no more

SPLITS_AT_ONCE = 64
"""Leave-one-out has as many splits as samples: their masks are not made all at once."""


class BoundKernel:
    """Scores of configurations on weighted resamples of the samples.

    Scores are in scorer orientation (greater is better) and NaN where the metric is
    undefined. With several repeats they are the mean over the repeats. Sample weights
    multiply the weights. Failed configurations and those with a NaN prediction are
    undefined and never win; configurations with equal predictions are scored once.

    Parameters
    ----------
    metric : Metric
        The metric.
    oof : OOFPredictions
        The predictions.

    Attributes
    ----------
    n_samples, n_configs : int
        Sizes of what `weights` and results are about.
    valid : ndarray of shape (n_configs,), bool
        Configurations with a defined prediction for every row.
    response : str
        Response methods that the metric consumes here.
    family : str
        Name of the kernel family; ``"replay"`` when there is no kernel.
    strata : ndarray of shape (n_strata, n_samples), bool, or None
        Samples of which every draw needs at least one.
    strata_names : list of str
        Names of the strata.
    prefers : {"threads", "processes"}
        How draws are spread over several jobs.
    is_pointwise : bool
        Whether the metric is a weighted mean of one value per row, see `pointwise`.
    is_rank : bool
        Whether the metric compares the scores of rows with each other.
    conditions_on_class : bool
        Whether the metric is made of scores within classes, whatever the shares of these;
        found out by trying where there is no kernel.
    bytes_per_draw : int
        Memory in bytes needed to score one draw.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.metrics import as_metric
    >>> from sklearn_bbc.testing import example_predictions
    >>> kernel = as_metric("roc_auc").bind(example_predictions(n_samples=8, n_configs=3))
    >>> counts = np.array([[1, 1, 1, 1, 1, 1, 1, 1], [2, 2, 1, 1, 2, 0, 0, 0]])
    >>> kernel.scores(counts).shape, kernel.winners(counts).shape
    ((2, 3), (2,))
    """

    def __init__(self, metric: Metric, oof: OOFPredictions) -> None:
        self.metric = metric
        self._warned = False
        self.n_samples, self.n_configs = oof.n_samples, oof.n_configs
        pred, responses, codes_given = self._choose_response(oof)
        self.valid = usable(pred, responses, codes_given) & ~oof.failed
        if not self.valid.any():
            raise ValueError(
                f"No configuration has a complete, finite prediction for {metric.name}: every one "
                "failed in some fold or predicts NaN."
            )
        chosen = np.flatnonzero(self.valid)
        first = first_of_equals(list(responses.values()) or [pred], chosen)
        # Position among the distinct configurations; undefined ones have none.
        self._distinct = first if first is chosen else np.unique(first)
        self._position = np.full(self.n_configs, -1, dtype=np.intp)
        self._position[chosen] = np.searchsorted(self._distinct, first)
        everything = len(self._distinct) == self.n_configs
        given = metric.routed(oof.metadata)
        fixed = {name: value for name, value in given.items() if not is_per_sample(value)}
        of_samples = {name: value for name, value in given.items() if is_per_sample(value)}
        if TARGET in oof.metadata:
            of_samples[TARGET] = oof.metadata[TARGET]
        own_weights = metric.weighted(oof).sample_weight
        if not same(own_weights, oof.sample_weight):
            raise ValueError(
                f"{metric.name} asks for {metric.requests['sample_weight']!r} as sample_weight, "
                "but the predictions have other weights: make OOFPredictions(sample_weight=...) "
                "of those."
            )
        self._repeats: list[Repeat] = []
        for repeat in range(oof.n_repeats):
            here = np.flatnonzero(oof.repeat == repeat)
            sample = oof.sample[here]
            whole = everything and len(here) == oof.n_rows  # then without a copy
            weight = None if oof.sample_weight is None else oof.sample_weight[sample]
            rows = RowData(
                oof.y_true[sample],
                pred if whole else taken(pred, self._distinct, here),
                oof.classes_,
                codes_given,
                {**metric.kwargs, **fixed},
                metric.sign,
                weight is not None,
                {k: v if whole else taken(v, self._distinct, here) for k, v in responses.items()},
                oof.fold[here],
                taken_metadata(of_samples, sample),
            )
            self._repeats.append(
                Repeat(metric.kernel_of(rows), sample, oof.fold[here], weight, oof.n_samples)
            )
        for part in self._repeats:
            if part.kernel.defined is not None:
                self.valid[chosen] &= part.kernel.defined[self._position[chosen]]
        self._collect_strata(oof.sample_weight)
        # A mask of what is left out. Counts of groups are wider, and copied for the samples.
        self.bytes_per_draw = (
            (1 if oof.groups is None else 8) * self.n_samples
            + 16 * self.n_configs
            + max(part.bytes_per_draw for part in self._repeats)
        )

    def _choose_response(self, oof: OOFPredictions) -> Consumed:
        pred, responses, codes_given, self.response = consumed(self.metric, oof)
        return pred, responses, codes_given

    def _collect_strata(self, sample_weight: np.ndarray | None) -> None:
        # Several repeats have the same samples, so the first one knows the strata of all.
        first = self._repeats[0]
        self.family = first.kernel.name
        self.prefers = first.kernel.prefers
        self.is_pointwise = first.kernel.is_pointwise
        self.is_rank = first.kernel.is_rank
        self.strata_names = list(first.kernel.strata_names)
        self.strata = None
        if first.kernel.strata is not None:
            self.strata = np.zeros((len(first.kernel.strata), self.n_samples), dtype=bool)
            stratum, row = np.nonzero(first.kernel.strata)
            self.strata[stratum, first.sample[row]] = True
        if sample_weight is not None and not sample_weight.all():
            # A draw of samples without weight is as empty as a draw without samples.
            weighty = sample_weight > 0
            if self.strata is None:
                self.strata, self.strata_names = weighty[None], [WEIGHTY]
            else:
                self.strata &= weighty

    def warn_if_slow(self, n_scores: int, n_jobs: int | None = None) -> None:
        """Say once how long a metric without a kernel will take, when that is long.

        Parameters
        ----------
        n_scores : int
            Scores to compute per repeat.
        n_jobs : int or None, default=None
            Processes that share the work, with joblib's meaning.
        """
        seconds = [part.kernel.seconds_per_score or 0.0 for part in self._repeats]
        expected = n_scores * sum(seconds) / effective_n_jobs(n_jobs)
        if self._warned or expected <= SLOW_SECONDS:
            return
        self._warned = True
        calls, each = n_scores * len(seconds), 1000 * sum(seconds) / len(seconds)
        cost = f"{each:.2g}" if each < 10 else f"{each:,.0f}"
        warn_user(
            f"{self.metric.name} has no bootstrap kernel and is called {calls:,} times, "
            f"{cost} ms each: expect about {duration(expected)}. More n_jobs, fewer "
            "n_bootstraps or BBCF (one call per fold and configuration) are faster.",
            SlowMetricWarning,
        )

    @quiet()
    def pointwise(self, config: int | np.ndarray) -> np.ndarray | None:
        """Value of each row, where the metric is a weighted mean of such values.

        Parameters
        ----------
        config : int or ndarray of shape (n_chosen,)
            Index of a defined configuration, or several.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_chosen, n_rows), float64, or None
            Greater is better; row k belongs to sample ``oof.sample[k]``. Sample weights
            are not multiplied in. None when the metric is not such a mean.
        """
        position = np.atleast_1d(self._position[config])
        values = [part.kernel.pointwise(position) for part in self._repeats]
        parts = [array if np.ndim(config) else array[0] for array in values if array is not None]
        return self.metric.sign * np.concatenate(parts, axis=-1) if parts else None

    @property
    def conditions_on_class(self) -> bool:
        """Whether the metric does not depend on how often each class occurs."""
        return self._repeats[0].kernel.conditions_on_class

    @property
    def distinct(self) -> np.ndarray:
        """Defined configurations that predict differently, the first of equals, (n_distinct,)."""
        return self._distinct[self.valid[self._distinct]]

    @property
    def first_alike(self) -> np.ndarray:
        """First configuration that predicts the same, (n_configs,); an undefined one is alone."""
        there = self._position >= 0
        return np.where(there, self._distinct[self._position], np.arange(self.n_configs))

    @property
    def n_distinct(self) -> int:
        """Number of defined configurations that predict differently."""
        return len(self._distinct)

    @quiet()
    def scores(self, weights: np.ndarray) -> np.ndarray:
        """Scores of all configurations.

        Parameters
        ----------
        weights : ndarray of shape (n_draws, n_samples)
            Weight of each sample in each draw: counts, a mask, or any numbers >= 0.

        Returns
        -------
        ndarray of shape (n_draws, n_configs)
            Greater is better; NaN where undefined.
        """
        distinct = self._distinct_scores(weights)
        scores = np.full((len(weights), self.n_configs), np.nan)
        scores[:, self.valid] = distinct[:, self._position[self.valid]]
        return scores

    @quiet()
    def winners(self, weights: np.ndarray) -> np.ndarray:
        """Best configuration of each draw.

        Parameters
        ----------
        weights : ndarray of shape (n_draws, n_samples)
            Weight of each sample in each draw.

        Returns
        -------
        ndarray of shape (n_draws,), intp
            First index on ties; -1 where every configuration is undefined.
        """
        if len(self._repeats) == 1:
            part = self._repeats[0]
            winners = part.kernel._winners(part.weigh(weights), self.metric.sign)
        else:
            winners = self.first_best(self._distinct_scores(weights))
        # Distinct configurations stand in the order of their first occurrence.
        return np.where(winners < 0, -1, self._distinct[winners])

    def passes(self) -> Iterator[Pass]:
        """Choose in-bag and score out-of-bag block by block, to save memory.

        Yields
        ------
        Pass
            None where all configurations fit into memory, or cannot be taken apart. Called for
            all draws before the next one is asked for, which frees the one before.
        """
        if len(self._repeats) > 1 or self._repeats[0].row_weight is not None:
            return
        for block in self._repeats[0].kernel.config_blocks(self.metric.sign):
            yield Pass(self._repeats[0], block, self._distinct)

    def first_best(self, scores: np.ndarray) -> np.ndarray:
        """Best configuration by given scores; those within rounding of the best one tie.

        Parameters
        ----------
        scores : ndarray of shape (n_draws, n_configs)
            Greater is better; NaN is undefined.

        Returns
        -------
        ndarray of shape (n_draws,), intp
            First index on ties; -1 where every configuration is undefined.
        """
        return first_best(scores, self._rounding, unit_of(self.metric.bounds))

    def difference(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Differences of scores; those that only rounding parts are exactly 0.

        Parameters
        ----------
        first, second : ndarray of the same shape
            Scores; NaN is undefined.

        Returns
        -------
        ndarray
            Of that shape; NaN where either is undefined, and of two infinite scores.
        """
        with np.errstate(invalid="ignore"):
            values = np.asarray(first - second)
            size = np.maximum(np.abs(first), np.abs(second))
            size = np.maximum(size, unit_of(self.metric.bounds))
            same = np.isfinite(values) & (np.abs(values) <= self._rounding * size)
        return np.where(same, 0.0, values)

    @property
    def _rounding(self) -> float:
        """Relative difference that rounding makes between scores that are equal in theory."""
        n_terms = max(part.kernel.rows.n_rows for part in self._repeats) + len(self._repeats)
        return rounding(n_terms)

    @quiet()
    def score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Score of one configuration per draw.

        Parameters
        ----------
        weights : ndarray of shape (n_draws, n_samples)
            Weight of each sample in each draw.
        configs : ndarray of shape (n_draws,) or int
            Configuration of each draw; -1 gives NaN.

        Returns
        -------
        ndarray of shape (n_draws,)
            Greater is better; NaN where undefined.
        """
        configs = np.broadcast_to(np.asarray(configs), (len(weights),))
        positions = np.where(configs < 0, -1, self._position[configs])
        total = np.zeros(len(weights))
        for part in self._repeats:
            total += part.kernel._score_of(part.weigh(weights), positions)
        return self.metric.sign * total / len(self._repeats)

    def on_data(self) -> np.ndarray:
        """Scores of all configurations on the data themselves: every sample once.

        Returns
        -------
        ndarray of shape (n_configs,)
            Greater is better; NaN where undefined.
        """
        return self.scores(self.everything)[0]

    def score_on_data(self, config: int) -> float:
        """Score of one configuration on the data themselves, without scoring the others.

        Parameters
        ----------
        config : int
            The configuration.

        Returns
        -------
        float
            Greater is better; NaN where undefined.
        """
        return float(self.score_of(self.everything, np.array([config]))[0])

    @property
    def everything(self) -> np.ndarray:
        """Counts of the data themselves: every sample once, shape (1, n_samples)."""
        return np.ones((1, self.n_samples), dtype=np.uint8)

    @quiet()
    def fold_scores(
        self, weights: np.ndarray | None = None, configs: np.ndarray | None = None
    ) -> np.ndarray:
        """Scores per split, each on its own held-out rows.

        Parameters
        ----------
        weights : ndarray of shape (n_samples,), default=None
            Weight of each sample, for example a mask; None takes them all.
        configs : ndarray of shape (n_chosen,) of int, default=None
            Configurations to score; the others get NaN. None scores all.

        Returns
        -------
        ndarray of shape (n_splits, n_configs)
            Greater is better; NaN where undefined.
        """
        n_splits = 1 + max(int(part.splits[-1]) for part in self._repeats)
        chosen = np.flatnonzero(self.valid)
        distinct = np.arange(self.n_distinct)
        if configs is not None:
            chosen = np.asarray(configs)[self.valid[configs]]
            distinct = np.unique(self._position[chosen])
        self.warn_if_slow(-(-n_splits // len(self._repeats)) * len(distinct))
        place = np.searchsorted(distinct, self._position[chosen])
        scores = np.full((n_splits, self.n_configs), np.nan)
        samples = self.everything if weights is None else np.asarray(weights)[None]
        for part in self._repeats:
            of_rows = part.weigh(samples)
            # Several at a time: kernels work on many draws at once, and each split is one.
            for some in np.array_split(part.splits, -(-len(part.splits) // SPLITS_AT_ONCE)):
                of_splits = of_rows * (part.fold == some[:, None])
                scores[np.ix_(some, chosen)] = part.kernel._scores(of_splits, distinct)[:, place]
        return self.metric.sign * scores

    def held_out(self, configs: np.ndarray) -> list[HeldOut]:
        """Rows of some configurations, for methods that need more than scores.

        Parameters
        ----------
        configs : ndarray of shape (n_chosen,) of int
            Indices of defined configurations.

        Returns
        -------
        list of HeldOut
            One entry per repeat.
        """
        chosen, repeats = self._position[np.asarray(configs)], self._repeats
        return [HeldOut(p.kernel.rows.of(chosen), p.sample, p.fold, p.row_weight) for p in repeats]

    def _distinct_scores(self, weights: np.ndarray) -> np.ndarray:
        total: np.ndarray | float = 0.0
        for part in self._repeats:
            kernel = part.kernel
            total = total + kernel._scores(part.weigh(weights), np.arange(kernel.rows.n_configs))
        return self.metric.sign * np.asarray(total) / len(self._repeats)
