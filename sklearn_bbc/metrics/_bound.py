"""A metric bound to out-of-fold predictions: what the interval methods work with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..predictions import OOFPredictions
from ._base import MetricKernel, families, family_for, first_best
from ._rows import RowData

if TYPE_CHECKING:
    from ._metric import Metric


@dataclass(frozen=True, eq=False)
class _Repeat:
    """Kernel of the rows of one repeat and where these rows belong."""

    kernel: MetricKernel
    sample: np.ndarray
    fold: np.ndarray
    row_weight: np.ndarray | None
    n_samples: int

    def weigh(self, weights: np.ndarray) -> np.ndarray:
        """Weights per sample to weights per row."""
        if len(self.sample) != self.n_samples or (self.sample != np.arange(self.n_samples)).any():
            weights = weights[:, self.sample]
        return weights if self.row_weight is None else weights * self.row_weight


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
    bytes_per_draw : int
        Memory in bytes needed to score one draw.
    """

    def __init__(self, metric: Metric, oof: OOFPredictions) -> None:
        self.metric = metric
        self.n_samples, self.n_configs = oof.n_samples, oof.n_configs
        pred, self.response = oof.response(metric.response_method or _ANY)
        first_method = self.response.split("+")[0]
        codes_given = oof.classes_ is not None and first_method in ("predict", "derived")
        pred = _towards_pos_label(pred, first_method, oof.classes_, metric)
        self.valid = _defined(pred, codes_given) & ~oof.failed
        if not self.valid.any():
            raise ValueError(
                f"No configuration has a complete, finite prediction for {metric.name}: every one "
                "failed in some fold or predicts NaN."
            )
        chosen = np.flatnonzero(self.valid)
        first = _first_of_equals(pred, chosen)
        # Position among the distinct configurations; undefined ones have none.
        self._distinct = np.unique(first)
        self._position = np.full(self.n_configs, -1, dtype=np.intp)
        self._position[chosen] = np.searchsorted(self._distinct, first)
        everything = len(self._distinct) == self.n_configs
        self._repeats: list[_Repeat] = []
        for repeat in range(oof.n_repeats):
            here = np.flatnonzero(oof.repeat == repeat)
            sample = oof.sample[here]
            if len(here) < oof.n_rows or not everything:
                part = pred[np.ix_(self._distinct, here)]
            else:
                part = pred
            rows = RowData(
                oof.y_true[sample], part, oof.classes_, codes_given, metric.kwargs, metric.sign
            )
            weight = None if oof.sample_weight is None else oof.sample_weight[sample]
            self._repeats.append(
                _Repeat(self._kernel(metric, rows), sample, oof.fold[here], weight, oof.n_samples)
            )
        self._collect_strata()

    @staticmethod
    def _kernel(metric: Metric, rows: RowData) -> MetricKernel:
        family = family_for(metric.score_func, rows)
        if family is None:
            return families()["replay"](metric, rows)
        return family(metric.score_func, rows)

    def _collect_strata(self) -> None:
        first = self._repeats[0].kernel
        self.family = first.name
        self.strata_names = first.strata_names
        self.strata = None
        if first.strata is not None:
            strata = np.zeros((len(first.strata), self.n_samples), dtype=bool)
            for part in self._repeats:
                stratum, row = np.nonzero(part.kernel.strata)
                strata[stratum, part.sample[row]] = True
            self.strata = strata
        self.bytes_per_draw = 16 * self.n_samples + 16 * self.n_configs + max(
            part.kernel.bytes_per_draw for part in self._repeats
        )

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
            winners = first_best(self._distinct_scores(weights))
        # Distinct configurations stand in the order of their first occurrence.
        return np.where(winners < 0, -1, self._distinct[winners])

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

    def fold_scores(self) -> np.ndarray:
        """Scores per split, each on its own held-out rows.

        Returns
        -------
        ndarray of shape (n_splits, n_configs)
            Greater is better; NaN where undefined.
        """
        n_splits = 1 + max(int(part.fold.max()) for part in self._repeats)
        scores = np.full((n_splits, self.n_configs), np.nan)
        for part in self._repeats:
            for split in np.unique(part.fold):
                weights = (part.fold == split)[None]
                if part.row_weight is not None:
                    weights = weights * part.row_weight
                distinct = self._of_kernel(part.kernel, weights)
                scores[split, self.valid] = distinct[0, self._position[self.valid]]
        return self.metric.sign * scores

    def _distinct_scores(self, weights: np.ndarray) -> np.ndarray:
        total: np.ndarray | float = 0.0
        for part in self._repeats:
            total = total + self._of_kernel(part.kernel, part.weigh(weights))
        return self.metric.sign * np.asarray(total) / len(self._repeats)

    @staticmethod
    def _of_kernel(kernel: MetricKernel, weights: np.ndarray) -> np.ndarray:
        return kernel._scores(weights, np.arange(kernel.rows.n_configs))


_ANY = ("predict", "predict_proba", "decision_function")


def _towards_pos_label(
    pred: np.ndarray, method: str, classes: np.ndarray | None, metric: Metric
) -> np.ndarray:
    """Turn recorded scores of the second class into scores of the metric's ``pos_label``."""
    pos_label = metric.kwargs.get("pos_label")
    if pos_label is None or classes is None or len(classes) != 2 or pred.ndim != 2:
        return pred
    if pos_label != classes[0] or method not in ("predict_proba", "decision_function"):
        return pred
    return 1 - pred if method == "predict_proba" else -pred


def _defined(pred: np.ndarray, codes_given: bool) -> np.ndarray:
    """Configurations without a missing prediction, shape (n_configs,)."""
    flat = pred.reshape(len(pred), -1)
    if codes_given and pred.dtype.kind in "iu":
        return (flat >= 0).all(axis=1)
    if pred.dtype.kind == "f":
        # One pass without a boolean copy: NaN is the only value that is not itself.
        return np.array([not np.isnan(row).any() for row in flat])
    return np.ones(len(pred), dtype=bool)


def _first_of_equals(pred: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """For each chosen configuration, the first chosen one with the same predictions."""
    flat = pred.reshape(len(pred), -1)
    # A few spread values tell most columns apart; only look-alikes are compared in full.
    probes = np.linspace(0, flat.shape[1] - 1, num=min(32, flat.shape[1])).astype(np.intp)
    seen: dict[bytes, list[int]] = {}
    first = np.empty(len(chosen), dtype=np.intp)
    for k, config in enumerate(chosen):
        alike = seen.setdefault(flat[config, probes].tobytes(), [])
        for candidate in alike:
            if np.array_equal(flat[candidate], flat[config]):
                first[k] = candidate
                break
        else:
            alike.append(int(config))
            first[k] = config
    return first
