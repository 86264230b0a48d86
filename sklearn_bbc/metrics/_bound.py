"""Metrics bound to predictions: usable and distinct configurations, and their scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.metrics import average_precision_score, roc_auc_score, top_k_accuracy_score

from .._rounding import rounding, without_rounding
from .._text import metric_words
from .._utils import same, suppress_fp_warnings
from .._warnings import duration, warn_user
from ..exceptions import SlowMetricWarning, UndefinedIntervalError
from ..predictions._files import by_config, taken
from ..predictions._predictions import OOFPredictions
from ..predictions._validation import TARGET, are_labels, is_per_sample, taken_metadata
from ._base import MetricKernel, RowData, first_best, unit_of

if TYPE_CHECKING:
    from ._metric import Metric


def towards_pos_label(
    pred: np.ndarray, method: str, classes: np.ndarray | None, name: str, pos_label: Any
) -> np.ndarray:
    """Turn recorded scores of the second class into scores of the metric's ``pos_label``."""
    if method not in ("predict_proba", "decision_function"):
        return pred
    if classes is None or len(classes) != 2 or pred.ndim != 2:
        return pred
    if pos_label is None:
        return pred
    if pos_label not in classes.tolist():
        raise ValueError(
            f"{name} has pos_label={pos_label!r}, but the classes are {classes.tolist()}. "
            "Make a scorer with one of them: make_scorer(..., pos_label=...)."
        )
    if pos_label == classes[1]:
        return pred
    if method == "predict_proba":
        return by_config(lambda config: 1 - pred[config], pred)
    return by_config(lambda config: -pred[config], pred)


_OF_NUMBERS = ("sklearn.metrics._regression", "sklearn_bbc.")
_OF_LABELS = "sklearn.metrics._classification"
_RANKING = (average_precision_score, roc_auc_score, top_k_accuracy_score)
_OF_CALIBRATION = "sklearn_bbc.metrics._calibration"
MOST_CLASSES = 10
"""Different values up to which an array looks like labels."""
_OF_PROBABILITIES = {
    "brier_score_loss", "d2_brier_score", "d2_log_loss_score", "hinge_loss", "log_loss",
}  # fmt: skip
"""Functions of that module that take no labels."""


def check_labels(
    oof: OOFPredictions,
    name: str,
    score_func: Callable[..., float] | None,
    response_method: tuple[str, ...],
) -> None:
    """Check that labels given as plain arrays are among the classes of the target.

    scikit-learn counts a label that occurs only in the predictions as a further class,
    which silently changes averages over classes.
    """
    of_numbers = (getattr(score_func, "__module__", None) or "").startswith(_OF_NUMBERS)
    if of_numbers or "predict" not in response_method:
        _refuse_text(oof, name)
    classes, named = oof.classes_, getattr(score_func, "__name__", None)
    if oof.from_y_pred and (
        score_func in _RANKING or getattr(score_func, "__module__", None) == _OF_LABELS
    ):
        _refuse_values(oof, name)
    if getattr(score_func, "__module__", None) != _OF_LABELS or named in _OF_PROBABILITIES:
        if oof.from_y_pred and response_method == ("predict",):
            _refuse_probabilities(oof, name, named)
        return
    pred = oof.responses.get("plain")
    if classes is None or pred is None or pred.ndim != 2:
        return
    if pred.dtype.kind == "f" and bool((np.isfinite(pred) & (pred != np.rint(pred))).any()):
        raise ValueError(
            f"{name} needs class labels, but y_pred holds continuous scores. Give labels, "
            "for example (y_pred > 0.5).astype(int), or probabilities of all classes with shape "
            "(n_samples, n_configs, n_classes), or use a metric of scores such as roc_auc."
        )
    unknown = _unknown_labels(pred, classes)
    if len(unknown) and len(classes) > 1:  # samples of one class do not tell the others
        some = ", ".join(map(repr, unknown[:5].tolist())) + ", ..." * (len(unknown) > 5)
        raise ValueError(
            f"y_pred holds labels that never occur in y_true: {some}; the classes are "
            f"{classes.tolist()}. If they are classes without a sample, name all classes: "
            "OOFPredictions(..., classes=[...])."
        )


def _refuse_text(oof: OOFPredictions, name: str) -> None:
    """Raise if a metric of numbers is given text."""
    given = oof.responses.get("plain")
    if not oof.from_y_pred or given is None:
        return
    words = given.ravel() if given.dtype.kind == "U" else np.empty(0)
    if given.dtype.kind == "O":
        words = np.array([each for each in given.ravel().tolist() if isinstance(each, str)])
    if len(words):
        raise ValueError(
            f"{name} needs numbers as y_pred, but it holds text such as {words[0].item()!r}. Give "
            "scores or probabilities, or take a metric of labels such as 'accuracy'."
        )


def _refuse_values(oof: OOFPredictions, name: str) -> None:
    """Raise if the target of a metric of classes contains fractions."""
    y_true = oof.y_true
    if y_true.ndim != 1 or y_true.dtype.kind != "f":
        return
    fractions = y_true[y_true != np.rint(y_true)]
    if not len(fractions):
        return
    advice = "Give labels, or a metric of values such as 'r2'."
    if len(np.unique(oof.responses.get("plain", y_true))) <= MOST_CLASSES:
        advice = "y_true and y_pred seem to be in each other's place: the target comes first."
    raise ValueError(
        f"{name} needs classes in y_true, but it holds numbers such as {fractions[0]:g}. {advice}"
    )


def _refuse_probabilities(oof: OOFPredictions, name: str, named: str | None) -> None:
    """Refuse probabilities for a scorer that asks for `predict`: it may need labels."""
    if "predict_proba" in oof.responses:
        raise ValueError(
            f"y_pred holds probabilities of all classes, but the scorer {name} asks for "
            f"`predict`. Make it ask for what {named} takes: make_scorer({named}, "
            "response_method='predict_proba'); or give labels as y_pred."
        )


def _unknown_labels(pred: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Find labels that are not among the classes, leaving out missing ones."""
    if (pred.dtype.kind in "US") != (classes.dtype.kind in "US"):
        return np.unique(pred[:, :1])
    known = np.isin(pred, classes)
    if pred.dtype.kind == "f":
        known |= ~np.isfinite(pred)
    return np.unique(pred[~known])


def labels_for_scores(oof: OOFPredictions, metric: Metric, valid: np.ndarray) -> str | None:
    """Note that a metric of scores or probabilities is computed from predicted labels.

    `valid` (n_configs,). Of given arrays it is said where every configuration that varies holds
    nothing but the two classes, or 0 and 1: other scores with few values are scores.
    """
    function = metric.score_func
    named, module = getattr(function, "__name__", ""), getattr(function, "__module__", "")
    of_shares = named in _OF_PROBABILITIES or module == _OF_CALIBRATION
    if oof.classes_ is None or not (of_shares or function in _RANKING):
        return None
    name = metric_words(metric.name).name
    what = "probabilities" if of_shares else "scores"
    count = "count as probabilities of 0 and 1" if of_shares else "have one threshold only"
    if "predict" in oof.responses and metric.response_method == ("predict",):
        methods = "'predict_proba'" if of_shares else "('decision_function', 'predict_proba')"
        return (
            f"The scorer asks for `predict`, so the {name} is that of predicted labels, which "
            f"{count}. For that of {what} use make_scorer({named}, response_method={methods})."
        )
    given = oof.responses.get("plain")
    if given is None or len(oof.classes_) != 2:
        return None
    codes = np.array([0, 1])
    found = None
    for values in given[valid]:
        there = values[values == values]
        if not len(there) or (there == there[0]).all():
            continue
        found = next((c for c in (oof.classes_, codes) if are_labels(values[None], c)), None)
        if found is None:
            return None
    if found is None:
        return None
    one, other = found.tolist()
    return (
        f"The predictions hold nothing but {one!r} and {other!r}. If these are predicted labels, "
        f"which {count}, give {what} instead: the {name} would be another one."
    )


def check_two_classes(
    oof: OOFPredictions, name: str, score_func: Callable[..., float] | None
) -> None:
    """Raise, naming the class, if the target of an area under the ROC curve has only one."""
    if score_func is not roc_auc_score or oof.y_true.ndim != 1 or not oof.responses:
        return
    y_true = oof.y_true[oof.sample]
    if len(y_true) and (y_true == y_true[0]).all():
        raise UndefinedIntervalError(
            f"{name} needs two classes, but every sample is of class {y_true[0].item()!r}."
        )


def every_response(oof: OOFPredictions) -> dict[str, np.ndarray]:
    """Collect all responses that a scorer may ask for; derive labels if there are none."""
    responses = dict(oof.responses)
    if "plain" not in responses and "predict" not in responses:
        try:
            responses["predict"] = oof.response("predict")[0]
        except ValueError:  # no labels and nothing to derive them from
            pass
    return responses


def takes_given_scores(metric: Metric, oof: OOFPredictions) -> bool:
    """Check whether a metric consumes scores of one of two classes that a user gave."""
    plain = oof.responses.get("plain")
    if plain is None or plain.ndim != 2 or oof.classes_ is None or len(oof.classes_) != 2:
        return False
    return metric.response_method != ("predict",) or not are_labels(plain, oof.classes_)


def consumed(
    metric: Any, oof: OOFPredictions
) -> tuple[np.ndarray, dict[str, np.ndarray], bool, str]:
    """Collect a metric's predictions (n_configs, n_rows[, n_outputs]) and where they come from."""
    if not metric.response_method:
        responses = every_response(oof)
        used = "+".join(name if name in oof.responses else "derived" for name in responses)
        return next(iter(responses.values())), responses, False, used
    pred, used = oof.response(metric.response_method)
    method = used.split("+")[0]
    if method == "plain" and oof.pos_label is not None and takes_given_scores(metric, oof):
        # Kept as scores of the second class, which the metric may not take as positive.
        shares = metric.response_method[0] != "decision_function" and (
            np.nanmin(pred) >= 0 and np.nanmax(pred) <= 1
        )
        method = "predict_proba" if shares else "decision_function"
    codes_given = oof.classes_ is not None and method in ("predict", "derived")
    pred = towards_pos_label(pred, method, oof.classes_, metric.name, metric.pos_label)
    return pred, {}, codes_given, used


def complete(pred: np.ndarray, coded: bool) -> np.ndarray:
    """Mark the configurations without a missing or infinite prediction, shape (n_configs,).

    `pred` (n_configs, n_rows[, n_outputs]).
    """
    if pred.dtype.kind == "f":
        # A sum is finite unless a value is not, or the sum itself overflows: no boolean copy
        # of everything, and only the suspicious rows are looked at again.
        flat = pred.reshape(len(pred), -1)
        with np.errstate(invalid="ignore", over="ignore"):
            defined = np.isfinite(flat.sum(axis=1))
        for config in np.flatnonzero(~defined):
            defined[config] = np.isfinite(flat[config]).all()
        return defined
    return np.array([not _missing(row, coded).any() for row in pred], dtype=bool)


def absent(pred: np.ndarray, coded: bool) -> np.ndarray:
    """Mark the configurations without any prediction by this method, shape (n_configs,)."""
    return np.array([bool(_missing(row, coded).all()) for row in pred], dtype=bool)


def usable(pred: np.ndarray, responses: dict[str, np.ndarray], coded: bool) -> np.ndarray:
    """Mark the configurations with usable predictions, shape (n_configs,)."""
    if not responses:
        return complete(pred, coded)
    # Models without a method leave it empty; half an answer is a failure.
    whole = [complete(array, name == "predict") for name, array in responses.items()]
    none = [absent(array, name == "predict") for name, array in responses.items()]
    return np.logical_or(whole, none).all(axis=0) & np.any(whole, axis=0)


def first_of_equals(arrays: list[np.ndarray], chosen: np.ndarray) -> np.ndarray:
    """Find, for each chosen configuration, the first chosen one with the same predictions.

    `arrays` (n_configs, n_rows[, n_outputs]), `chosen` (n_chosen,) -> (n_chosen,).
    """
    flat = [array.reshape(len(array), -1) for array in arrays]
    # A few spread values tell most of them apart; only look-alikes are compared in full.
    probed = [
        np.ascontiguousarray(
            array[np.ix_(chosen, np.linspace(0, n - 1, num=min(32, n)).astype(np.intp))]
        )
        for array in flat
        if (n := array.shape[1])
    ]
    marks = list(zip(*([row.tobytes() for row in values] for values in probed)))
    if len(set(marks)) == len(chosen):
        return chosen
    seen: dict[tuple[bytes, ...], list[int]] = {}
    first = np.empty(len(chosen), dtype=np.intp)
    for k, config in enumerate(chosen):
        alike = seen.setdefault(marks[k] if marks else (), [])
        for candidate in alike:
            if all(_same(array[candidate], array[config]) for array in flat):
                first[k] = candidate
                break
        else:
            alike.append(int(config))
            first[k] = config
    return first


def _missing(row: np.ndarray, coded: bool) -> np.ndarray:
    if row.dtype.kind == "f":
        return ~np.isfinite(row)
    return row < 0 if coded and row.dtype.kind in "iu" else np.zeros(row.shape, dtype=bool)


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


@dataclass(frozen=True, eq=False)
class Repeat:
    """Kernel of the rows of one repeat, with their samples, folds and weights."""

    kernel: MetricKernel
    sample: np.ndarray
    fold: np.ndarray
    row_weight: np.ndarray | None
    n_samples: int

    @cached_property
    def splits(self) -> np.ndarray:
        """Splits that these rows are held out in, ascending."""
        return np.unique(self.fold)

    @cached_property
    def _in_order(self) -> bool:
        """Whether row k is sample k."""
        return np.array_equal(self.sample, np.arange(self.n_samples))

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that weighing and scoring one draw need."""
        each = 0 if self._in_order else 1
        each += 0 if self.row_weight is None else 8
        return each * self.kernel.rows.n_rows + self.kernel.bytes_per_draw

    def weigh(self, weights: np.ndarray) -> np.ndarray:
        """Turn weights per sample into weights per row."""
        if not self._in_order:
            weights = weights[:, self.sample]
        return weights if self.row_weight is None else weights * self.row_weight


class Pass:
    """Comparison of one block of configurations with the best of the blocks before it.

    Called with the counts of some draws, and with the results of earlier passes for them. `block`
    are neighbours among the configurations of `repeat`, the only one of the predictions; `configs`
    (n_distinct,) are the outer indices of all of its configurations.
    """

    def __init__(self, repeat: Repeat, block: slice, configs: np.ndarray) -> None:
        self._repeat, self._configs = repeat, configs[block]
        self._kernel = repeat.kernel.of_block(block)

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
        left_out = self._repeat.weigh(counts[better] == 0)
        scores[better] = self._kernel.score_of(left_out, found[better])
        configs[better] = named[better]
        return scores, configs, lost


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
    repeats : list of Repeat
        Kernel, samples, folds and weights of the rows of each repeat.
    position : ndarray of shape (n_configs,), intp
        Place of each configuration among those that the kernels of `repeats` score; -1 where it
        cannot be scored. Configurations with equal predictions have one place.

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
        self._whole_folds: np.ndarray | None = None
        self.n_samples, self.n_configs = oof.n_samples, oof.n_configs
        pred, responses, codes_given, self.response = consumed(metric, oof)
        self.valid = usable(pred, responses, codes_given) & ~oof.failed
        if not self.valid.any():
            raise ValueError(
                f"No configuration has a complete, finite prediction for {metric.name}: every one "
                "failed in some fold, by its fit or its scorer, or predicts NaN."
            )
        chosen = np.flatnonzero(self.valid)
        first = first_of_equals(list(responses.values()) or [pred], chosen)
        self._distinct = first if first is chosen else np.unique(first)
        self.position = np.full(self.n_configs, -1, dtype=np.intp)
        self.position[chosen] = np.searchsorted(self._distinct, first)
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
        self.repeats: list[Repeat] = []
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
            self.repeats.append(
                Repeat(metric.kernel_of(rows), sample, oof.fold[here], weight, oof.n_samples)
            )
        for part in self.repeats:
            if part.kernel.defined is not None:
                self.valid[chosen] &= part.kernel.defined[self.position[chosen]]
        self._collect_strata(oof.sample_weight)
        # A mask of what is left out. Counts of groups are wider, and copied for the samples.
        self.bytes_per_draw = (
            (1 if oof.groups is None and oof.block_length is None else 8) * self.n_samples
            + 16 * self.n_configs
            + max(part.bytes_per_draw for part in self.repeats)
        )

    def _collect_strata(self, sample_weight: np.ndarray | None) -> None:
        # Several repeats have the same samples, so the first one knows the strata of all.
        first = self.repeats[0]
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
        """Warn once about how long a metric without a kernel will take, if that is long.

        Parameters
        ----------
        n_scores : int
            Scores to compute per repeat.
        n_jobs : int or None, default=None
            Processes that share the work, with joblib's meaning.
        """
        seconds = [part.kernel.seconds_per_score or 0.0 for part in self.repeats]
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

    @suppress_fp_warnings()
    def pointwise(self, config: int | np.ndarray) -> np.ndarray | None:
        """Compute the value of each row, if the metric is a weighted mean of such values.

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
        position = np.atleast_1d(self.position[config])
        values = [part.kernel.pointwise(position) for part in self.repeats]
        parts = [array if np.ndim(config) else array[0] for array in values if array is not None]
        return self.metric.sign * np.concatenate(parts, axis=-1) if parts else None

    @property
    def conditions_on_class(self) -> bool:
        """Whether the metric does not depend on how often each class occurs."""
        return self.repeats[0].kernel.conditions_on_class

    @property
    def distinct(self) -> np.ndarray:
        """Defined configurations that predict differently, the first of equals, (n_distinct,)."""
        return self._distinct[self.valid[self._distinct]]

    @property
    def first_alike(self) -> np.ndarray:
        """First configuration with the same predictions, (n_configs,); itself if undefined."""
        there = self.position >= 0
        return np.where(there, self._distinct[self.position], np.arange(self.n_configs))

    @property
    def n_distinct(self) -> int:
        """Number of defined configurations that predict differently."""
        return len(self._distinct)

    @suppress_fp_warnings()
    def scores(self, weights: np.ndarray) -> np.ndarray:
        """Score all configurations.

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
        scores[:, self.valid] = distinct[:, self.position[self.valid]]
        return scores

    @suppress_fp_warnings()
    def winners(self, weights: np.ndarray) -> np.ndarray:
        """Find the best configuration of each draw.

        Parameters
        ----------
        weights : ndarray of shape (n_draws, n_samples)
            Weight of each sample in each draw.

        Returns
        -------
        ndarray of shape (n_draws,), intp
            First index on ties; -1 where every configuration is undefined.
        """
        if len(self.repeats) == 1:
            part = self.repeats[0]
            winners = part.kernel.winners(part.weigh(weights), self.metric.sign)
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
        if len(self.repeats) > 1 or self.repeats[0].row_weight is not None:
            return
        for block in self.repeats[0].kernel.config_blocks(self.metric.sign):
            yield Pass(self.repeats[0], block, self._distinct)

    def first_best(self, scores: np.ndarray) -> np.ndarray:
        """Find the best configuration by given scores; those within rounding of the best one tie.

        Parameters
        ----------
        scores : ndarray of shape (n_draws, n_configs)
            Greater is better; NaN is undefined.

        Returns
        -------
        ndarray of shape (n_draws,), intp
            First index on ties; -1 where every configuration is undefined.
        """
        return first_best(scores, self.rounding, self.unit)

    def difference(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Subtract scores; differences as small as rounding makes become exactly 0.

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
        return without_rounding(values, np.maximum(size, self.unit), self.rounding)

    @property
    def unit(self) -> float:
        """Least size that rounding of scores is relative to: 1 where they go up to 1, or 0."""
        return unit_of(self.metric.bounds)

    @property
    def rounding(self) -> float:
        """Relative difference that rounding makes between scores that are equal in theory."""
        n_terms = max(part.kernel.rows.n_rows for part in self.repeats) + len(self.repeats)
        return rounding(n_terms)

    @suppress_fp_warnings()
    def score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Score one configuration per draw.

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
        positions = np.where(configs < 0, -1, self.position[configs])
        total = np.zeros(len(weights))
        for part in self.repeats:
            total += part.kernel.score_of(part.weigh(weights), positions)
        return self.metric.sign * total / len(self.repeats)

    def on_data(self) -> np.ndarray:
        """Score all configurations on the data themselves: every sample once.

        Returns
        -------
        ndarray of shape (n_configs,)
            Greater is better; NaN where undefined.
        """
        return self.scores(self.everything)[0]

    def score_on_data(self, config: int) -> float:
        """Score one configuration on the data themselves, without scoring the others.

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

    @suppress_fp_warnings()
    def fold_scores(
        self, weights: np.ndarray | None = None, configs: np.ndarray | None = None
    ) -> np.ndarray:
        """Score the splits, each on its own held-out rows.

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
        if weights is None and self._whole_folds is not None:
            if configs is None:
                return self._whole_folds
            scores = np.full_like(self._whole_folds, np.nan)
            scores[:, configs] = self._whole_folds[:, configs]
            return scores
        n_splits = 1 + max(int(part.splits[-1]) for part in self.repeats)
        chosen = np.flatnonzero(self.valid)
        distinct = np.arange(self.n_distinct)
        if configs is not None:
            chosen = np.asarray(configs)[self.valid[configs]]
            distinct = np.unique(self.position[chosen])
        self.warn_if_slow(-(-n_splits // len(self.repeats)) * len(distinct))
        place = np.searchsorted(distinct, self.position[chosen])
        scores = np.full((n_splits, self.n_configs), np.nan)
        samples = self.everything if weights is None else np.asarray(weights)[None]
        for part in self.repeats:
            of_rows = part.weigh(samples)
            # Several at a time: kernels work on many draws at once, and each split is one.
            for some in np.array_split(part.splits, -(-len(part.splits) // SPLITS_AT_ONCE)):
                of_splits = of_rows * (part.fold == some[:, None])
                scores[np.ix_(some, chosen)] = part.kernel.scores(of_splits, distinct)[:, place]
        scores *= self.metric.sign
        if weights is None and configs is None:  # several parts of one result ask for them
            scores.setflags(write=False)
            self._whole_folds = scores
        return scores

    def held_out(self, configs: np.ndarray) -> list[HeldOut]:
        """Collect the held-out rows of configurations, for methods that need more than scores.

        Parameters
        ----------
        configs : ndarray of shape (n_chosen,) of int
            Indices of defined configurations.

        Returns
        -------
        list of HeldOut
            One entry per repeat.
        """
        chosen, repeats = self.position[np.asarray(configs)], self.repeats
        return [HeldOut(p.kernel.rows.of(chosen), p.sample, p.fold, p.row_weight) for p in repeats]

    def _distinct_scores(self, weights: np.ndarray) -> np.ndarray:
        total: np.ndarray | float = 0.0
        for part in self.repeats:
            kernel = part.kernel
            total = total + kernel.scores(part.weigh(weights), np.arange(kernel.rows.n_configs))
        return self.metric.sign * np.asarray(total) / len(self.repeats)
