"""Any other scorer: called again on the predictions that were recorded."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from functools import cached_property
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn import config_context, metrics

from ._base import MetricKernel
from ._rows import RowData
from ._standin import RowHandles, stand_in

if TYPE_CHECKING:
    from ._metric import Metric

# Ranges of scikit-learn's functions that have no kernel; only some releases have all of them.
_RANGES = {
    (0.0, 1.0): (
        "completeness_score fowlkes_mallows_score homogeneity_score "
        "label_ranking_average_precision_score label_ranking_loss ndcg_score "
        "normalized_mutual_info_score rand_score v_measure_score"
    ),
    (-0.5, 1.0): "adjusted_rand_score",
    (-np.inf, 1.0): "adjusted_mutual_info_score",
    (0.0, np.inf): "coverage_error dcg_score mutual_info_score",
}
_KNOWN = {
    getattr(metrics, name): bounds
    for bounds, names in _RANGES.items()
    for name in names.split()
    if hasattr(metrics, name)
}
# scikit-learn keeps the functions of these two to itself.
for _name in ("positive_likelihood_ratio", "neg_negative_likelihood_ratio"):
    _KNOWN[metrics.get_scorer(_name)._score_func] = (0.0, np.inf)

_TIMED_CALLS = 3
_PROBES = 3


class ReplayKernel(MetricKernel):
    """Scores by calling the metric once per draw and configuration, on repeated rows.

    Works for every metric and costs about a millisecond a call. A score function is
    called on labels and predictions directly; a plain callable ``scorer(estimator, X,
    y)`` gets an estimator that answers with the recorded predictions. A call that
    raises, or returns NaN, leaves the score of that draw undefined; at least one
    configuration must be defined on all rows.

    Parameters
    ----------
    metric : Metric
        The metric.
    rows : RowData
        Rows of one repeat.

    Raises
    ------
    ValueError
        If the metric cannot be computed on all rows, or does not take the sample
        weights that there are.
    """

    name = "replay"
    score_funcs = _KNOWN
    # A call holds Python's lock nearly all the time.
    prefers = "processes"

    def __init__(self, metric: Metric, rows: RowData) -> None:
        function = metric.scorer if metric.score_func is None else metric.score_func
        super().__init__(function, rows)
        self._metric = metric
        self._takes_weight = "sample_weight" in _parameters(function)
        if rows.weighted and not self._takes_weight:
            raise ValueError(
                f"{metric.name} takes no sample_weight, but the predictions have sample weights. "
                "Give it a sample_weight parameter, or leave the weights out."
            )
        # Its arguments were validated in the first call, so scikit-learn need not do it again.
        self._trusted = getattr(function, "__module__", "").startswith("sklearn.")
        # A function of the user warns of what the user wants to be warned of.
        self._errstate: Any = {"all": "ignore"} if self._trusted else np.geterr()
        self._first_calls()
        self._find_strata()

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Never by choice: it is the way for whatever no other family computes."""
        return False

    def _first_calls(self) -> None:
        """Score all rows: find out whether the metric works here, and how long it takes."""
        everything = np.ones(self.rows.n_rows, dtype=float if self.rows.weighted else np.uint8)
        problem: Exception | None = None
        for config in range(self.rows.n_configs):
            try:
                self._call(config, *self._pick(everything))
            # Whatever a stranger's function raises; kept for the message below.
            except Exception as error:
                problem = problem or error
            else:
                break
        else:
            assert problem is not None
            raise ValueError(
                f"{self._metric.name} cannot be computed again on the recorded predictions: "
                f"{_in_words(problem)}"
            ) from problem
        self._works = config
        seconds = []
        for _ in range(_TIMED_CALLS):
            start = time.perf_counter()
            self._scores(everything[None], np.array([config]))
            seconds.append(time.perf_counter() - start)
            if seconds[-1] > 1:
                break
        self.seconds_per_score = float(np.median(seconds))

    def _find_strata(self) -> None:
        """A class without which the metric is undefined is one that every draw needs."""
        if self.rows.classes is None or self.rows.y.ndim != 1:
            return
        codes, found = self.rows.y_codes(), []
        weight = np.float64(1) if self.rows.weighted else np.uint8(1)
        for k in np.unique(codes):
            without = weight * (codes != k)[None]
            if without.any() and np.isnan(self._scores(without, np.array([self._works]))).all():
                found.append(k)
        if found:
            self.strata = np.stack([codes == k for k in found])
            self.strata_names = [f"class {self.rows.classes[k]}" for k in found]

    @cached_property
    def conditions_on_class(self) -> bool:
        """Whether counting a class twice never changes the score, found out by trying."""
        if self.rows.classes is None or self.rows.y.ndim != 1:
            return False
        codes = self.rows.y_codes()
        rng = np.random.default_rng(0)
        # Counts of different rows, or equal scores within the classes would look the same.
        counts = rng.integers(1, 4, size=(_PROBES, 1, len(codes)))
        twice = counts * (1 + (codes == np.unique(codes)[:, None]))  # (probes, classes, rows)
        weights = np.concatenate([counts, twice], axis=1).reshape(-1, len(codes))
        weights = weights.astype(float if self.rows.weighted else np.uint8)
        scores = self._scores(weights, np.array([self._works])).reshape(_PROBES, -1)
        return bool(np.allclose(scores, scores[:, :1], rtol=1e-9, atol=1e-12))

    def _scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        scores = np.full((len(weights), len(configs)), np.nan)
        with (
            warnings.catch_warnings(),
            config_context(assume_finite=self._trusted, skip_parameter_validation=self._trusted),
        ):
            # Shown once already, for all rows; here they would come by the thousand.
            warnings.simplefilter("ignore")
            for draw, weight in enumerate(weights):
                picked, extra = self._pick(weight)
                for k, config in enumerate(configs):
                    try:
                        scores[draw, k] = self._call(config, picked, extra)
                    # Undefined on this draw, for example without one of the classes.
                    except Exception:
                        continue
        return scores

    def _call(self, config: int, picked: np.ndarray, extra: dict[str, Any]) -> float:
        """Metric of one configuration on some rows."""
        rows = self.rows
        with np.errstate(**self._errstate):
            if self._metric.score_func is None:
                estimator = stand_in(rows.responses, config, rows.classes)
                score = self._metric.scorer(estimator, RowHandles(picked), rows.y[picked], **extra)
            else:
                pred = rows.pred[config][picked]
                if rows.codes_given and rows.classes is not None:
                    pred = rows.classes[pred]
                score = self._metric.score_func(rows.y[picked], pred, **{**rows.kwargs, **extra})
        if np.ndim(score) != 0 or isinstance(score, (str, dict, type(None))):
            raise TypeError(f"it returned a {type(score).__name__} instead of one number")
        return float(score)

    def _pick(self, weights: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
        """Rows to score, each as often as it counts, and the weights where these are none."""
        if not self.rows.weighted:
            counts = weights.astype(np.intp, copy=False)
            if weights.dtype.kind != "f" or np.array_equal(counts, weights):
                return np.repeat(np.arange(self.rows.n_rows), counts), {}
            if not self._takes_weight:
                raise ValueError(f"{self._metric.name} takes no weights that are no whole numbers")
        picked = np.flatnonzero(weights > 0)
        return picked, {"sample_weight": np.asarray(weights[picked], dtype=float)}


def _parameters(function: Callable[..., Any]) -> set[str]:
    try:
        return set(signature(function).parameters)
    except ValueError:  # built-in functions that do not tell
        return set()


def _in_words(error: Exception) -> str:
    """What an error says, with its kind where the words alone say little, as of a `KeyError`."""
    words = " ".join(str(error).split()).rstrip(".")
    if isinstance(error, (TypeError, ValueError)) and len(words.split()) > 3:
        return f"{words}."
    raised = f"{type(error).__name__}: {words}" if words else type(error).__name__
    return (
        f"its code raised {raised}. It is given the target, the predictions and, where there "
        "are any, sample weights, but not the data (X) nor a real estimator."
    )
