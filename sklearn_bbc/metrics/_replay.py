"""The kernel of any other scorer, which is called again on the recorded predictions."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from sklearn import config_context, metrics
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from .._scorers import parameters_of
from .._warnings import no_warnings
from ..predictions._validation import TARGET_NAME, rows_taken, taken_metadata
from ._base import MetricKernel, RowData

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
    getattr(metrics, name): bounds for bounds, names in _RANGES.items() for name in names.split()
}
# scikit-learn keeps the functions of these two to itself.
for _name in ("positive_likelihood_ratio", "neg_negative_likelihood_ratio"):
    _KNOWN[metrics.get_scorer(_name)._score_func] = (0.0, np.inf)

_TIMED_CALLS = 3
_PROBES = 3


class ReplayError(ValueError):
    """Error raised if a scorer cannot be called again on what was recorded."""


class ReplayKernel(MetricKernel):
    """Kernel that calls the metric once per draw and configuration, on repeated rows.

    Works for every metric and costs about a millisecond a call. `score_func`, if it is known, is
    called on labels and predictions directly, as ``(y_true, y_pred, **kwargs)``; where it is None,
    `scorer`, a plain callable ``scorer(estimator, X, y)``, gets an estimator that answers with the
    recorded predictions. A call that raises, or returns NaN, leaves the score of that draw
    undefined. Raises ReplayError if no configuration can be scored on all rows, or if the metric
    does not take the sample weights that there are. Messages use `name`.
    """

    name = "replay"
    score_funcs = _KNOWN
    # A call holds Python's lock nearly all the time.
    prefers = "processes"

    def __init__(
        self,
        name: str,
        scorer: Callable[..., float],
        score_func: Callable[..., float] | None,
        rows: RowData,
    ) -> None:
        function = scorer if score_func is None else score_func
        super().__init__(function, rows)
        self._called = name
        self._scorer, self._function = scorer, score_func
        self._takes_weight = "sample_weight" in parameters_of(function)
        if rows.weighted and not self._takes_weight:
            raise ReplayError(
                f"{name} takes no sample_weight, but the predictions have sample weights. "
                "Give it a sample_weight parameter, or leave the weights out."
            )
        # Its arguments were validated in the first call, so scikit-learn need not do it again.
        self._trusted = getattr(function, "__module__", "").startswith("sklearn.")
        self._metadata = dict(rows.metadata)
        # scikit-learn's functions look at the values only, which are taken faster from an array.
        given = self._metadata.pop(TARGET_NAME, None)
        self._y = rows.y if given is None or self._trusted else given
        # What a user's function warns about is the user's business.
        self._errstate: Any = {"all": "ignore"} if self._trusted else np.geterr()
        self._first_calls()
        self._find_strata()

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Return False: the replay is for whatever no other family computes."""
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
            raise ReplayError(
                f"{self._called} cannot be computed again on the recorded predictions: "
                f"{_error_in_words(problem)}"
            ) from problem
        self._works = config
        seconds = []
        for _ in range(_TIMED_CALLS):
            start = time.perf_counter()
            self.scores(everything[None], np.array([config]))
            seconds.append(time.perf_counter() - start)
            if seconds[-1] > 1:
                break
        self.seconds_per_score = float(np.median(seconds))

    def _find_strata(self) -> None:
        """Find the classes without which the metric is undefined: every draw needs them."""
        if self.rows.classes is None or self.rows.y.ndim != 1:
            return
        codes, found = self.rows.y_codes(), []
        weight = np.float64(1) if self.rows.weighted else np.uint8(1)
        for k in np.unique(codes):
            without = weight * (codes != k)[None]
            if without.any() and np.isnan(self.scores(without, np.array([self._works]))).all():
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
        scores = self.scores(weights, np.array([self._works])).reshape(_PROBES, -1)
        return bool(np.allclose(scores, scores[:, :1], rtol=1e-9, atol=1e-12))

    def scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        scores = np.full((len(weights), len(configs)), np.nan)
        with (
            no_warnings(),  # shown once already, for all rows; here they would be thousands
            config_context(assume_finite=self._trusted, skip_parameter_validation=self._trusted),
        ):
            for draw, weight in enumerate(weights):
                picked, y, extra = self._pick(weight)
                for k, config in enumerate(configs):
                    try:
                        scores[draw, k] = self._call(config, picked, y, extra)
                    # Undefined on this draw, for example without one of the classes.
                    except Exception:
                        continue
        return scores

    def _call(self, config: int, picked: np.ndarray, y: Any, extra: dict[str, Any]) -> float:
        """Compute the metric of one configuration on some rows."""
        rows = self.rows
        with np.errstate(**self._errstate):
            if self._function is None:
                estimator = stand_in(rows.responses, config, rows.classes)
                extra = {**rows.kwargs, **extra}
                score = self._scorer(estimator, RowHandles(picked), y, **extra)
            else:
                pred = rows.pred[config][picked]
                if rows.codes_given and rows.classes is not None:
                    pred = rows.classes[pred]
                score = self._function(y, pred, **{**rows.kwargs, **extra})
        if np.ndim(score) != 0 or isinstance(score, (str, dict, type(None))):
            raise TypeError(f"it returned a {type(score).__name__} instead of one number")
        return float(score)

    def _pick(self, weights: np.ndarray) -> tuple[np.ndarray, Any, dict[str, Any]]:
        """Pick rows to score, each as often as it counts, with their target and other arguments.

        These are weights where there are any, and metadata of the scorer.
        """
        picked, extra = self._picked(weights)
        extra |= taken_metadata(self._metadata, picked)
        return picked, rows_taken(self._y, picked), extra

    def _picked(self, weights: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
        """Pick rows to score, each as often as it counts, and the weights where there are any."""
        if not self.rows.weighted:
            counts = weights.astype(np.intp, copy=False)
            if weights.dtype.kind != "f" or np.array_equal(counts, weights):
                return np.repeat(np.arange(self.rows.n_rows), counts), {}
            if not self._takes_weight:
                raise ValueError(f"{self._called} takes only whole numbers as weights")
        picked = np.flatnonzero(weights > 0)
        return picked, {"sample_weight": np.asarray(weights[picked], dtype=float)}


def _error_in_words(error: Exception) -> str:
    """Describe an error, with its type where the words alone explain little (`KeyError`)."""
    words = " ".join(str(error).split()).rstrip(".")
    if isinstance(error, (TypeError, ValueError)) and len(words.split()) > 3:
        return f"{words}."
    raised = f"{type(error).__name__}: {words}" if words else type(error).__name__
    return (
        f"its code raised {raised}. It is given the target, the predictions and, where there "
        "are any, sample weights, but not the data (X) nor a real estimator."
    )


class RowHandles:
    """Substitute for `X` in a replayed scorer: it knows the rows it stands for, but no features.

    It can be counted and subset by rows, as an array can. Everything else is an error with a
    reason, since a scorer that looks at features would otherwise be silently wrong. `rows`
    (n_picked,) of int are their positions.
    """

    def __init__(self, rows: np.ndarray) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def shape(self) -> tuple[int]:
        """Number of rows, as a tuple."""
        return (len(self._rows),)

    def __getitem__(self, key: Any) -> RowHandles:
        rows = None if isinstance(key, tuple) else self._rows[key]
        if not isinstance(rows, np.ndarray):
            raise TypeError(f"X[{key!r}] asks for features, and only predictions were recorded")
        return RowHandles(rows)

    def __array__(self, *args: Any, **kwargs: Any) -> np.ndarray:
        raise TypeError("it turns X into an array, and only predictions were recorded")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"it asks for X.{name}, and only predictions were recorded")


class _StandIn(BaseEstimator):
    """Estimator that returns recorded predictions; only the recorded methods exist."""

    def __init__(self, answers: Mapping[str, np.ndarray], classes: np.ndarray | None) -> None:
        self.answers = answers
        self.classes = classes
        if classes is not None:
            self.classes_ = classes

    def __getattr__(self, name: str) -> Any:
        answers = self.__dict__.get("answers", {})
        if name == "predict_log_proba" and "predict_proba" in answers:
            return _named(name, lambda X: np.log(self._answer("predict_proba", X)))
        if name in answers:
            return _named(name, lambda X: self._answer(name, X))
        raise AttributeError(
            f"it asks for estimator.{name}, and only the predictions were recorded "
            f"({sorted(answers)})"
        )

    def _answer(self, method: str, X: Any) -> np.ndarray:
        if not isinstance(X, RowHandles):
            raise TypeError(
                f"it calls {method} on a {type(X).__name__} of its own making, and predictions "
                "were recorded for the rows of X only"
            )
        return self.answers[method][X._rows]

    def fit(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Raise: recorded predictions cannot be fitted, but estimators need this method."""
        raise TypeError("it fits the estimator, and only predictions were recorded")

    def __sklearn_is_fitted__(self) -> bool:
        return True


class StandInClassifier(ClassifierMixin, _StandIn):
    """Stand-in for a classifier."""


class StandInRegressor(RegressorMixin, _StandIn):
    """Stand-in for a regressor, and for models of survival or several outputs."""


def _named(name: str, function: Callable[[Any], np.ndarray]) -> Callable[[Any], np.ndarray]:
    function.__name__ = name  # scikit-learn's scorers look at the name of a response method
    return function


def stand_in(
    responses: Mapping[str, np.ndarray], config: int, classes: np.ndarray | None
) -> StandInClassifier | StandInRegressor:
    """Make an estimator that returns the predictions of one configuration.

    `responses` (n_configs, n_rows[, n_outputs]), `classes` (n_classes,).
    """
    answers: dict[str, np.ndarray] = {}
    binary = classes is not None and len(classes) == 2
    for method, array in responses.items():
        own = array[config]
        if method == "plain":
            both = np.column_stack([1 - own, own]) if _positive_only(own, binary) else own
            scores = {} if own.dtype.kind == "U" else {"decision_function": own}
            answers = {"predict": own, **scores, **({"predict_proba": both} if scores else {})}
            break
        if own.dtype.kind in "iu":
            if (own < 0).all():
                continue
        elif np.isnan(own).all():
            continue
        if method == "predict" and classes is not None:
            own = classes[own]
        elif method == "predict_proba" and _positive_only(own, binary):
            own = np.column_stack([1 - own, own])
        answers[method] = own
    made = StandInRegressor if classes is None else StandInClassifier
    return made(answers, classes)


def _positive_only(values: np.ndarray, binary: bool) -> bool:
    """Check whether these are the probabilities of the second of two classes."""
    return binary and values.ndim == 1 and values.dtype.kind in "fiub"
