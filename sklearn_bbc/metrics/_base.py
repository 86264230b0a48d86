"""Base of the bootstrap kernels, and what they score: the rows of the repeats."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from sklearn.metrics import brier_score_loss

from .. import _native
from .._rounding import rounding
from .._scorers import parameters_of
from .._utils import is_indicator, nan_loses, register
from ..predictions._validation import are_whole, unknown_labels
from ._consumed import CLASS_SCORES, OfMetric


@dataclass(frozen=True, eq=False)
class RowData:
    """Predictions of valid, distinct configurations for the rows of one repeat.

    Attributes
    ----------
    y : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        True labels or values, as the user gave them.
    pred : ndarray of shape (n_configs, n_rows) or (n_configs, n_rows, n_outputs)
        What the metric consumes; no NaN. Labels are codes into `classes` when
        `codes_given` is true.
    classes : ndarray of shape (n_classes,) or None
        Sorted class labels.
    codes_given : bool
        Whether `pred` holds codes instead of labels.
    kwargs : mapping
        Keyword arguments of the metric.
    sign : int
        +1 when greater is better, else -1; only for choosing winners.
    weighted : bool
        Whether weights of draws carry sample weights, so that they are not plain counts.
    responses : mapping of str to ndarray of shape (n_configs, n_rows[, n_outputs])
        Every recorded response, missing ones included; only for scorers whose inside
        cannot be seen, which may ask for any of them.
    fold : ndarray of shape (n_rows,) or None
        Split in which each row was held out; only for metrics within folds.
    metadata : mapping of str to object
        Parameter of the scorer -> entries of the rows that it asked for; ``"y"`` is the target
        as a Series.
    """

    y: np.ndarray
    pred: np.ndarray
    classes: np.ndarray | None
    codes_given: bool
    kwargs: Mapping[str, Any]
    sign: int = 1
    weighted: bool = False
    responses: Mapping[str, np.ndarray] = field(default_factory=dict)
    fold: np.ndarray | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.pred.shape[1]

    @property
    def n_configs(self) -> int:
        """Number of configurations."""
        return self.pred.shape[0]

    def of(self, configs: np.ndarray) -> RowData:
        """Select some of the configurations, by their indices, on the same rows."""
        return replace(
            self,
            pred=self.pred[configs],
            responses={name: array[configs] for name, array in self.responses.items()},
        )

    def y_codes(self) -> np.ndarray:
        """Encode the true labels, shape (n_rows,)."""
        if self.classes is None:
            raise ValueError("The metric needs class labels, but the target is continuous.")
        return np.searchsorted(self.classes, self.y)

    def label_classes(self) -> np.ndarray:
        """Collect all labels, those only predicted included, sorted, shape (n_classes,)."""
        if self.codes_given and self.classes is not None:
            return self.classes
        if not are_whole(self.pred):
            raise ValueError(
                "The metric needs class labels, but the predictions are continuous. Give labels, "
                "or use a metric of scores such as roc_auc."
            )
        if self.y.ndim != 1 or self.pred.ndim != 2:
            raise ValueError("The metric needs one label per sample.")
        dtype = np.result_type(self.y, self.pred)
        classes = np.unique(self.y.astype(dtype))
        unknown = unknown_labels(self.pred, classes).astype(dtype)
        return np.union1d(classes, unknown) if len(unknown) else classes

    def labels(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Encode the true and the predicted labels, and return the classes of the codes.

        Returns shape `y_codes` (n_rows,), `pred_codes` (n_configs, n_rows), `classes`
        (n_classes,).
        """
        classes = self.label_classes()
        if self.codes_given:
            return self.y_codes(), self.pred, classes
        codes = np.empty_like(self.pred, np.min_scalar_type(len(classes)))
        whole = self.pred.dtype.kind in "iu" and classes.dtype.kind == "i"
        if (
            whole
            and self.pred.dtype != np.uint64
            and int(classes[-1]) - int(classes[0]) + 1 == len(classes)
        ):
            np.subtract(self.pred, classes[0], out=codes, casting="unsafe")
            return np.searchsorted(classes, self.y), codes, classes
        for config, labels in enumerate(self.pred):  # eight bytes each would be large
            codes[config] = np.searchsorted(classes, labels.astype(classes.dtype, copy=False))
        return np.searchsorted(classes, self.y), codes, classes


_FAMILIES: dict[str, type[MetricKernel]] = {}


class MetricKernel(ABC):
    """Scores of all configurations on many weighted resamples of the rows of one repeat.

    One family of metrics is one subclass in one file. The constructor does the work that
    does not depend on the draw; `scores` does the rest. Repeats, sample weights, failed
    and duplicate configurations and the sign are handled once, in `BoundMetric`.

    Parameters
    ----------
    score_func : callable
        One of `score_funcs`.
    rows : RowData
        Rows of one repeat: no NaN, no duplicate columns.

    Attributes
    ----------
    name : str
        Registered name of the family.
    score_funcs : mapping of callable to (float, float)
        scikit-learn functions that the family computes, with the smallest and largest
        value that each can take.
    example : tuple of (object, str) or None
        A metric of the family, as a scorer's name or as ``(function, parameters of
        make_scorer)``, and the data it takes: "two classes", "four classes", "values", "label
        sets" or "censored times". The tests of all families compute it; None leaves them out.
    strata : ndarray of shape (n_strata, n_rows), bool, or None
        Rows of which every draw needs at least one for the metric to be defined.
    strata_names : list of str
        Name of each stratum for messages, for example ``"class 1"``.
    bytes_per_draw : int
        Memory that `scores` needs for one draw.
    seconds_per_score : float or None
        Time that one score of one draw takes, measured; None where it is negligible.
    prefers : {"threads", "processes"}
        How draws are spread over `n_jobs`: threads where NumPy or C does the work.
    defined : ndarray of shape (n_configs,), bool, or None
        Configurations that the metric can score, such as those without a negative
        prediction; None for all of them. The others get NaN.
    is_pointwise : bool
        Whether the metric is a weighted mean of one value per row, see `pointwise`.
    is_rank : bool
        Whether the metric compares the scores of rows with each other, as the area under the
        ROC curve does.
    sums_rows : bool
        Whether values of all rows are computed and then summed, so that some draws at once take
        hardly longer than one.
    by_class : bool
        Whether the metric treats classes apart, so that without one of them it is a score of
        something else, even where a convention defines it. Draws that lack a class are
        drawn again then.
    needs_spread : bool
        Whether it compares with the spread of the target, so that on a constant target it is
        a convention. Draws with a constant target are drawn again then.
    """

    name: ClassVar[str]
    score_funcs: ClassVar[Mapping[Callable[..., float], tuple[float, float]]]
    example: ClassVar[tuple[Any, str] | None] = None
    strata: np.ndarray | None = None
    strata_names: list[str]
    seconds_per_score: float | None = None
    prefers: ClassVar[str] = "threads"
    defined: np.ndarray | None = None
    is_pointwise: ClassVar[bool] = False
    is_rank: ClassVar[bool] = False
    sums_rows: ClassVar[bool] = False
    by_class: ClassVar[bool] = False
    needs_spread: ClassVar[bool] = False

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        self.score_func = score_func
        self.rows = rows
        self.strata_names = []

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" in cls.__dict__:
            register(_FAMILIES, cls, "kernel family")

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Check whether the family computes this metric for this target and these arguments.

        Parameters
        ----------
        score_func : callable
            One of `score_funcs`.
        rows : RowData
            Rows of one repeat, with the metric's keyword arguments.

        Returns
        -------
        bool
            False sends the metric to the next family, or to the replay.
        """
        return score_func in cls.score_funcs

    def pointwise(
        self, configs: slice | np.ndarray = slice(None), rows: slice = slice(None)
    ) -> np.ndarray | None:
        """Compute the values whose weighted mean over the rows is the metric.

        Parameters
        ----------
        configs : slice or ndarray of shape (n_chosen,), default=slice(None)
            Indices of the configurations.
        rows : slice, default=slice(None)
            The rows.

        Returns
        -------
        ndarray of shape (n_chosen, n_rows), float64, or None
            In the metric's own unit and sign; None when the metric is not such a mean.
        """
        return None

    @property
    def conditions_on_class(self) -> bool:
        """Whether the metric is made of scores within classes, whatever the shares of these.

        Only then may samples be drawn within classes: for any other metric, class sizes that
        never vary hide a part of its spread.
        """
        return False

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that scoring one draw needs."""
        return 32 * self.rows.n_rows + 16 * self.rows.n_configs

    @abstractmethod
    def scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Compute the metric of some configurations on each weighted resample.

        Parameters
        ----------
        weights : ndarray of shape (n_draws, n_rows)
            Weight of each row: counts (unsigned integers), a boolean mask, or floats.
        configs : ndarray of shape (n_chosen,)
            Indices of the configurations.

        Returns
        -------
        ndarray of shape (n_draws, n_chosen)
            In the metric's own unit and sign; NaN where it is undefined. Each value depends on
            its own draw and configuration only, to 1e-12.
        """

    def winners(self, weights: np.ndarray, sign: int) -> np.ndarray:
        """Find the best configuration of each draw; subclasses may stop early if that is exact.

        Parameters
        ----------
        weights : ndarray of shape (n_draws, n_rows)
            Weight of each row in each draw.
        sign : int
            +1 when greater is better, else -1.

        Returns
        -------
        ndarray of shape (n_draws,)
            First index on ties; -1 where every configuration is undefined.
        """
        scores = self.scores(weights, np.arange(self.rows.n_configs))
        scores *= sign
        return self._first_best(scores, weights)

    def config_blocks(self, sign: int) -> list[slice]:
        """Split the configurations into blocks to find winners in, most promising one first.

        Where preparing all of them at once would take too much memory, a method can look
        for the winners of all draws in one block after the other, by `of_block` and
        `winners_within`.

        Parameters
        ----------
        sign : int
            +1 when greater is better, else -1.

        Returns
        -------
        list of slice
            Empty where all configurations are best treated at once.
        """
        return []

    def of_block(self, block: slice) -> MetricKernel:
        """Make the kernel of some neighbouring configurations.

        Parameters
        ----------
        block : slice
            One of `config_blocks`.

        Returns
        -------
        MetricKernel
            Of the same rows; it looks at the predictions without a copy.
        """
        pred = self.rows.pred[block]
        responses = {name: array[block] for name, array in self.rows.responses.items()}
        return type(self)(self.score_func, replace(self.rows, pred=pred, responses=responses))

    def keeper(self) -> Callable[[slice, np.ndarray], None] | None:
        """Return what keeps values of some rows (n_configs, n_some_rows) that draws need.

        None where nothing is kept. Called once for all rows, in parts, perhaps in several threads.
        """
        return None

    def prepare(self) -> None:  # noqa: B027
        """Do what else does not depend on the draws, which a kernel may put off until then."""

    def winners_within(
        self, weights: np.ndarray, limit: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Find the best of the configurations whose loss is within a limit, for `config_blocks`.

        Parameters
        ----------
        weights : ndarray of shape (n_draws, n_rows)
            Weight of each row in each draw.
        limit : ndarray of shape (n_draws,), int64
            Largest loss that counts; what is lost is a whole number.

        Returns
        -------
        winners : ndarray of shape (n_draws,), int64
            First index on ties, -1 for none.
        lost : ndarray of shape (n_draws,), int64
            What the winners lose; `limit` where there is none.
        """
        raise NotImplementedError(f"{self.name} is not bound in blocks of configurations.")

    def _rounding(self, weights: np.ndarray) -> float:
        """Bound the relative difference that rounding makes between scores equal in theory.

        A score is a sum of up to as many terms as there are rows. A kernel whose scores of
        such weights are one division of whole numbers returns 0: equal scores are equal there.
        """
        return rounding(self.rows.n_rows)

    @cached_property
    def _unit(self) -> float:
        """Smallest size that differences are relative to: 1 where scores go up to 1."""
        return least_size(range_of(self.score_func, self.rows.kwargs))

    def _first_best(self, scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Find the best configuration of each draw, given scores of which greater is better."""
        return first_best(scores, self._rounding(weights), self._unit)

    def score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Score one configuration per draw.

        Parameters
        ----------
        weights : ndarray of shape (n_draws, n_rows)
            Weight of each row in each draw.
        configs : ndarray of shape (n_draws,)
            Configuration of each draw; -1 gives NaN.

        Returns
        -------
        ndarray of shape (n_draws,)
            In the metric's own unit and sign; NaN where it is undefined.
        """
        result = np.full(len(weights), np.nan)
        for config in np.unique(configs[configs >= 0]):
            chosen = np.flatnonzero(configs == config)
            result[chosen] = self.scores(weights[chosen], np.array([config]))[:, 0]
        return result


@dataclass(frozen=True, eq=False)
class RepeatRows:
    """Kernel of the rows of one repeat, with their samples, folds and weights."""

    kernel: MetricKernel
    sample: np.ndarray
    fold: np.ndarray
    row_weight: np.ndarray | None
    in_order: bool  # whether row k is sample k

    @cached_property
    def splits(self) -> np.ndarray:
        """Splits that these rows are held out in, ascending."""
        return np.unique(self.fold)

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that weighing and scoring one draw need."""
        each = 0 if self.in_order else 1
        each += 0 if self.row_weight is None else 8
        return each * self.kernel.rows.n_rows + self.kernel.bytes_per_draw

    def weigh(self, weights: np.ndarray) -> np.ndarray:
        """Turn weights per sample into weights per row."""
        if not self.in_order:
            weights = weights[:, self.sample]
        return weights if self.row_weight is None else weights * self.row_weight

    def sums_of_folds(self, values: np.ndarray, rows: slice) -> np.ndarray:
        """Sum weighted values (n_chosen, n_some_rows) of some rows by split, (n_splits, n_chosen).

        Products of matrices would have other last bits with other numbers of threads.
        """
        if self.row_weight is not None:
            values = values * self.row_weight[rows]
        sums, fold = np.zeros((len(self.splits), len(values))), self.fold[rows]
        for own, split in zip(sums, self.splits):
            here = fold == split
            if here.any():
                own[:] = (values if here.all() else values[:, here]).sum(axis=1)
        return sums

    def weight_of_folds(self, members: np.ndarray | None = None) -> np.ndarray:
        """Sum the weights of the rows of each split, (n_splits,); of some rows if there is a mask.

        `members` (n_rows,).
        """
        weight = self.row_weight if members is None else members
        return np.bincount(self.fold, weight)[self.splits].astype(float)


class BlockOfConfigs:
    """Comparison of one block of configurations with the best of the blocks before it.

    Called with the counts of some draws, and with the results of earlier passes for them. `block`
    are neighbours among the configurations of `repeat`, the only one of the predictions; `configs`
    (n_distinct,) are the outer indices of all of its configurations.
    """

    def __init__(self, repeat: RepeatRows, block: slice, configs: np.ndarray) -> None:
        self._repeat, self._configs = repeat, configs[block]
        self._kernel = repeat.kernel.of_block(block)
        self._kernel.prepare()  # before there are draws

    def __call__(self, counts: np.ndarray, earlier: PassResult | None = None) -> PassResult:
        """Find each draw's best configuration so far, its score on rows left out and its loss."""
        if earlier is None:
            scores, configs = np.full(len(counts), np.nan), np.full(len(counts), -1)
            limit = np.full(len(counts), np.iinfo(np.int64).max)
        else:
            scores, configs, limit = (array.copy() for array in earlier)
        found, lost = self._kernel.winners_within(self._repeat.weigh(counts), limit)
        named = np.where(found < 0, -1, self._configs[found])
        # The first of equals: blocks do not come in the order of their configurations.
        better = np.flatnonzero((found >= 0) & ((lost < limit) | (named < configs)))
        if len(better):
            scored = np.full(len(counts), -1)
            scored[better] = found[better]
            left_out = self._repeat.weigh(not_drawn(counts))
            scores[better] = self._kernel.score_of(left_out, scored)[better]
            configs[better] = named[better]
        return scores, configs, lost


def not_drawn(counts: np.ndarray) -> np.ndarray:
    """Mark the samples that are not drawn, in the memory of counts that nobody else has."""
    own = counts.itemsize == 1 and counts.flags.owndata and counts.flags.writeable
    return np.equal(counts, 0, out=counts.view(bool) if own else None)


PassResult = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Scores out-of-bag, configurations and their losses in-bag, each of shape (n_draws,)."""


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Held-out rows of one repeat, for the configurations that were asked for.

    `rows` has labels and what the metric consumes; `sample`, `fold` and `weight`, (n_rows,) each,
    are sample, split and sample weight of each row, and `weight` is None without sample weights.
    """

    rows: RowData
    sample: np.ndarray
    fold: np.ndarray
    weight: np.ndarray | None


def first_best(scores: np.ndarray, relative: float = 0.0, unit: float = 0.0) -> np.ndarray:
    """Find the index of the best score per draw: the first within rounding of the largest.

    `scores` (n_draws, n_configs) -> (n_draws,).
    """
    winners = np.empty(len(scores), dtype=np.intp)
    step = max(1, _SCORES_AT_ONCE // max(1, scores.shape[1]))
    for start in range(0, len(scores), step):
        some = scores[start : start + step]
        best = some.max(axis=1)
        if np.isnan(best).any():
            best = nan_loses(some).max(axis=1)
        threshold = best
        if relative:
            with np.errstate(invalid="ignore"):
                margin = relative * np.maximum(np.abs(best), unit)
                threshold = np.where(np.isinf(best), best, best - margin)
        ties = some >= threshold[:, None]
        found = ties.argmax(axis=1)
        found[~ties.any(axis=1)] = -1
        winners[start : start + step] = found
    return winners


_SCORES_AT_ONCE = 2**16  # which stay in the cache


def first_best_sum(weights: np.ndarray, terms: np.ndarray) -> np.ndarray:
    """Find the configuration with the largest sum per draw: the first within rounding of it.

    `weights` (n_draws, n_terms), `terms` (n_terms, n_configs), finite -> (n_draws,), -1 for draws
    without weight.
    """
    relative = rounding(len(terms))
    if _native.are_counts(weights) and terms.flags.carray:
        found = _native.best_of_sums(weights, terms, relative)
        if found is not None:
            return found
    winners = np.empty(len(weights), dtype=np.intp)
    step = max(1, _SCORES_AT_ONCE // terms.shape[1])
    for start in range(0, len(weights), step):
        some = np.asarray(weights[start : start + step], dtype=float)
        sums = some @ terms
        leaders = sums.argmax(axis=1)
        # Of terms with weight only: one that diverged blurs nothing where it does not count.
        size = np.einsum("dt,td->d", some, np.abs(terms[:, leaders]), optimize=False)
        threshold = sums[np.arange(len(sums)), leaders] - relative * size
        found = (sums >= threshold[:, None]).argmax(axis=1)
        winners[start : start + step] = np.where(some.any(axis=1), found, -1)
    return winners


def least_size(bounds: tuple[float, float]) -> float:
    """Return 1 for scores with a bound other than 0, which are differences from it; else 0."""
    return 1.0 if any(np.isfinite(bound) and bound != 0 for bound in bounds) else 0.0


def families() -> dict[str, type[MetricKernel]]:
    """Map the names of the registered kernel families to their classes."""
    return dict(_FAMILIES)


def family_for(
    score_func: Callable[..., float] | None, rows: RowData
) -> type[MetricKernel] | None:
    """Find the family that computes a metric on these rows; None when it must be replayed."""
    if score_func is None:
        return None
    for family in _FAMILIES.values():
        if score_func in family.score_funcs and family.handles(score_func, rows):
            return family
    return None


def range_of(
    score_func: Callable[..., float] | None,
    kwargs: Mapping[str, Any],
    n_classes: int | None = None,
) -> tuple[float, float]:
    """Return the smallest and largest value of a metric, infinite where they are not known.

    Without a number of classes, they are those of any number.
    """
    if kwargs.get("normalize") is False:  # a number of samples instead of a share
        return (0.0, np.inf)
    if kwargs.get("adjusted"):  # for chance: -1 / (n_classes - 1) at worst, a fold may have two
        return (-1.0, 1.0)
    if score_func is brier_score_loss:
        scale = kwargs.get("scale_by_half", "auto")
        half = n_classes is not None and n_classes < 3 if isinstance(scale, str) else bool(scale)
        return (0.0, 1.0 if half else 2.0)
    for family in _FAMILIES.values():
        if score_func is not None and score_func in family.score_funcs:
            return family.score_funcs[score_func]
    return (-np.inf, np.inf)


def known_arguments(
    score_func: Callable[..., float], kwargs: Mapping[str, Any], *names: str
) -> bool:
    """Check whether a kernel, and this release of scikit-learn, know all arguments."""
    return set(kwargs) <= set(names) & parameters_of(score_func).keys()


def holds_labels(values: np.ndarray) -> bool:
    """Check whether an array contains text or whole numbers."""
    if values.dtype.kind == "f":
        return bool((values == np.rint(values)).all())
    return values.dtype.kind in "biuUS"


def target_kind(rows: RowData) -> str | None:
    """Classify a target and its predictions as ``"labels"``, ``"indicator"`` or neither (None)."""
    y, pred = rows.y, rows.pred
    if y.ndim == 1 and pred.ndim == 2 and holds_labels(y):
        same_type = (y.dtype.kind in "US") == (pred.dtype.kind in "US")
        return "labels" if rows.codes_given or same_type else None
    if y.ndim == 2 and y.shape[1] > 1 and pred.shape[2:] == y.shape[1:]:
        return "indicator" if is_indicator(y) and is_indicator(pred) else None
    return None


@dataclass(frozen=True, eq=False)
class Numbers:
    """Target values `y` (n_rows, n_outputs), float64, and predictions of a regression metric."""

    y: np.ndarray
    _pred: np.ndarray
    _classes: np.ndarray | None

    @property
    def shape(self) -> tuple[int, int]:
        """Number of configurations and of rows."""
        return self._pred.shape[:2]

    @property
    def n_outputs(self) -> int:
        """Number of outputs."""
        return self.y.shape[1]

    def of(self, configs: slice | np.ndarray, rows: slice | np.ndarray) -> np.ndarray:
        """Select predictions of some configurations and rows, float64, with an axis of outputs.

        Those of another type are converted here, so that not all of them are copied at once.
        """
        pred = self._pred[configs, rows]
        if self._classes is not None:
            pred = self._classes[pred]
        return pred.reshape(*pred.shape[:2], -1).astype(np.float64, copy=False)


def numbers(rows: RowData) -> Numbers | None:
    """Read target values and predictions of a regression metric; None if they do not fit."""
    y, pred = rows.y, rows.pred
    classes = rows.classes if rows.codes_given else None
    kind = pred.dtype.kind if classes is None else classes.dtype.kind
    if y.dtype.kind not in "biuf" or kind not in "biuf":
        return None
    y = y.reshape(len(y), -1)
    if y.shape[1] != math.prod(pred.shape[2:]):
        return None
    return Numbers(y.astype(np.float64, copy=False), pred, classes)


def required_numbers(rows: RowData, metric: str) -> Numbers:
    """Do as `numbers`, but raise a `ValueError` instead of returning None."""
    target = numbers(rows)
    if target is None:
        raise ValueError(
            f"{metric} needs numbers in y_true and y_pred, and as many outputs in both, got "
            f"shapes {rows.y.shape} and {rows.pred.shape[1:]} of types {rows.y.dtype} and "
            f"{rows.pred.dtype}."
        )
    return target


def output_weights(multioutput: Any, n_outputs: int) -> np.ndarray | None:
    """Compute the weights (n_outputs,) that average the outputs; None for no average."""
    if multioutput is None or (isinstance(multioutput, str) and multioutput == "uniform_average"):
        return np.full(n_outputs, 1 / n_outputs)
    if isinstance(multioutput, str):
        return None
    weights = np.asarray(multioutput, dtype=np.float64)
    if n_outputs == 1 or weights.shape != (n_outputs,) or not weights.sum() > 0:
        return None
    return weights / weights.sum()


def required_output_weights(multioutput: Any, n_outputs: int) -> np.ndarray:
    """Do as `output_weights`, but raise a `ValueError` instead of returning None."""
    weights = output_weights(multioutput, n_outputs)
    if weights is None:
        raise ValueError(
            f"multioutput={multioutput!r} does not average {n_outputs} outputs to one score. Use "
            "'uniform_average', or one weight per output."
        )
    return weights


def class_columns(rows: RowData, labels: Any) -> np.ndarray | None:
    """Find the classes (n_classes,) that the columns of scores or probabilities stand for."""
    y, pred = rows.y, rows.pred
    if y.ndim != 1 or pred.ndim not in (2, 3) or pred.dtype.kind not in "biuf":
        return None
    if not holds_labels(y):
        return None
    known = labels_there(y, rows.classes) if labels is None else np.unique(np.asarray(labels))
    n_columns = 2 if pred.ndim == 2 else pred.shape[2]
    if len(known) != n_columns or n_columns < 2:
        return None
    if labels is None:
        return known
    of_kind = (known.dtype.kind in "US") == (y.dtype.kind in "US")
    return known if of_kind and np.isin(y, known).all() else None


def labels_there(y: np.ndarray, classes: np.ndarray | None) -> np.ndarray:
    """Find the labels that occur, ascending; `classes` are all that may, None if not known."""
    if classes is None or len(classes) > _COMPARED or y.dtype.kind == "O":
        return np.unique(y)
    there = [bool((y == label).any()) for label in classes]  # much faster than to sort or count
    return classes[there].astype(y.dtype)


_COMPARED = 10


# Functions without a kernel, by the module that scikit-learn keeps them in.
_OF_CLASSES = ("sklearn.metrics._classification", "sklearn.metrics._ranking",
               "sklearn.metrics.cluster")  # fmt: skip


def class_members(scored: OfMetric) -> tuple[np.ndarray, list[str]] | None:
    """Find the samples of each class that draws need, (n_classes, n_samples), and the class names.

    F1, recall, balanced accuracy and their like give 0/0 a value by convention, or leave a class
    out, where a draw lacks it. Neither is a score of the classifier. A plain mean over samples
    (accuracy, Brier score) is as good without a class as with it: then None is returned.
    """
    oof = scored.oof
    if not _treats_classes_apart(scored):
        return None
    y = oof.y_true
    if oof.classes_ is not None and y.ndim == 1:
        members = y == oof.classes_[:, None]
        names = [f"class {label}" for label in oof.classes_.tolist()]
    elif y.ndim == 2 and is_indicator(y):
        members = np.concatenate([y.T == 1, y.T == 0])
        names = [f"label {k} = {value}" for value in (1, 0) for k in range(y.shape[1])]
    else:
        return None
    members &= oof.tested
    if oof.sample_weight is not None:
        members &= oof.sample_weight > 0
    there = np.flatnonzero(members.any(axis=1))
    return members[there], [names[k] for k in there]


def _treats_classes_apart(scored: OfMetric) -> bool:
    function = scored.metric.score_func
    known = [f for f in _FAMILIES.values() if function in f.score_funcs and f.name != "replay"]
    if known:
        return any(family.by_class for family in known)
    module = getattr(function, "__module__", "") or ""
    if module.startswith("sklearn."):
        return module.startswith(_OF_CLASSES)
    return _classes_are_predicted(scored)


def _classes_are_predicted(scored: OfMetric) -> bool:
    """Check whether an unknown metric gets labels or scores of classes, and not numbers."""
    metric, oof = scored.metric, scored.oof
    if oof.y_true.ndim == 2 or oof.classes_ is None:
        return oof.y_true.ndim == 2 and oof.classes_ is None and all(
            is_indicator(array) for array in oof.responses.values()
        )  # fmt: skip
    if {*metric.response_method, *oof.responses} & set(CLASS_SCORES):
        return True
    if "predict" in oof.responses:  # codes of labels, since there are classes
        return True
    plain = oof.responses.get("plain")
    return plain is not None and bool(np.isin(plain, oof.classes_).all())


def needs_spread(metric: Any) -> bool:
    """Check whether a metric compares with the spread of the target, as R2 does."""
    of_metric = (f for f in _FAMILIES.values() if metric.score_func in f.score_funcs)
    return any(family.needs_spread for family in of_metric)
