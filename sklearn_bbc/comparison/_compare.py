"""The function `compare`, which makes sides of its arguments and chooses a method that fits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from .._notes import with_notes
from .._parameters import JOBS, By, constrained
from .._text import capital
from .._utils import explain_arguments, got, one_per_sample, same
from ..contest._question import metric_for
from ..intervals._base import N_DRAWS_RANGE, fill_confidence_level_doc, only_fold_scores
from ..metrics._metric import Metric, as_metric
from ..predictions._parts import fields_of_samples
from ..predictions._predictions import OOFPredictions, with_fields
from ..predictions._scores import check_item_scores
from ..predictions._validation import array_of, in_index_order, scores_of_second_class
from ..resampling import check_random_state
from ..results._results import ComparisonResult, ConfidenceInterval
from ._base import Side, as_comparison, check_names, with_settings
from ._systems import difference_of_systems

WHY_SYSTEMS = (
    "The best of several systems that are fixed was selected on these items: the selection is "
    "repeated in every draw, and nothing is trained, so all items are in use."
)
ENOUGH = 30
"""Samples above which a mean of differences is close enough to normal for a t test."""


def chosen(first: Side, second: Side, metric: Metric) -> tuple[str, str]:
    """Choose a comparison; return its name and a sentence that gives the reason."""
    tuned = [side.described for side in (first, second) if side.is_tuned]
    if not (first.oof.responses and second.oof.responses):
        return (
            "corrected_resampled_t",
            "A side has scores per fold only, so its selection cannot be repeated: the corrected "
            "t test compares the scores of the folds.",
        )
    if tuned:
        more = " and so was the other side" if len(tuned) == 2 else ""
        return (
            "bbc_difference",
            f"{capital(tuned[0])} was tuned on these samples{more}: the "
            "selection is repeated in every draw.",
        )
    if first.oof.n_splits > 1:
        return (
            "bbc_difference",
            "Both sides are fixed configurations of a cross-validation: draws of samples find "
            "more than the few scores of folds, and tests for frozen models do not know that "
            "models were trained on these samples.",
        )
    oof, what, unit = first.oof, "Two models on a test set", "sample"
    if oof.score_sign is not None:
        what, unit = "Two systems on the same items", "item"
    binary = oof.classes_ is not None and len(oof.classes_) == 2
    whole = metric.score_func is roc_auc_score and not metric.kwargs.get("max_fpr")
    if whole and binary and oof.sample_weight is None:
        return "paired_delong", f"{what}, scored by the area under the ROC curve."
    if not oof.has_single_samples:
        dependent = oof.groups is not None or oof.block_length is not None
        what_else = "groups or blocks" if oof.block_length is not None else "groups"
        why = f"{what_else if dependent else 'weights'} of {unit}s"
        return "paired_bootstrap", f"{what} with {why}: draws account for them."
    values: list[Any] = []
    for side in (first, second):
        kernel, config = metric.bind(side.oof), side.config or 0
        values.append(kernel.pointwise(config) if kernel.valid[config] else None)
    if any(of_side is None for of_side in values):
        return "paired_bootstrap", f"{what}; {metric.name} is not a mean over {unit}s."
    if metric.sign > 0 and np.isin(values, (0.0, 1.0)).all():
        return "mcnemar", f"{what}, each {unit} right or wrong."
    n = np.size(values[0])
    if n > ENOUGH:
        return "paired_t", f"{what}; {metric.name} is a mean over {n} {unit}s."
    return "paired_bootstrap", f"{what} with only {n} {unit}s: too few for a t test."


ONLY_SCORES = (
    "{} keeps no predictions, so only scores per fold are compared, without a correction for its "
    "selection. OOFPredictions.from_search(search, X, y) fits it again and keeps them."
)
NO_METRIC = "scoring must be given, for example 'roc_auc' or 'accuracy'."


def sides_of(
    first: Any, second: Any, scoring: Any, arrays: dict[str, Any]
) -> tuple[tuple[Side, Side], Metric, list[str]]:
    """Make both sides and the metric; return the notes of searches, too."""
    both = {"first": first, "second": second}
    given = {name: value for name, value in arrays.items() if value is not None}
    are_arrays = {what: _is_array(each, what) for what, each in both.items()}
    if all(are_arrays.values()):
        return _of_arrays(first, second, scoring, given)
    if given:
        raise ValueError(
            f"{', '.join(given)} may be given with arrays only, but one side has predictions of "
            "its own, with samples, folds, groups, weights, blocks and classes. Leave them out."
        )
    metric = _metric_of_searches((first, second), scoring)
    if first is second:
        raise ValueError("Both sides are the same object: there is nothing to compare.")
    sides: dict[str, Side] = {}
    notes: list[str] = []
    for what in sorted(both, key=lambda what: are_arrays[what]):  # arrays last
        each = both[what]
        if are_arrays[what]:
            (other,) = sides.values()
            beside, of_order, _ = in_index_order(
                {what: each}, other.oof.n_samples, other.oof.indexes
            )
            sides[what] = _beside(beside[what], other.oof, metric, what)
            notes += of_order
        elif isinstance(each, Side):
            sides[what] = each
        elif isinstance(each, OOFPredictions):
            sides[what] = Side(oof=each)
        elif hasattr(each, "_comparison_side"):
            sides[what], of_search = each._comparison_side(metric, what)
            notes += of_search
        else:
            name = f"the {what} search's winner"
            sides[what] = Side(oof=OOFPredictions.from_search(each), name=name)
            notes.append(ONLY_SCORES.format(type(each).__name__))
    return (sides["first"], sides["second"]), metric, notes


def _is_array(value: Any, what: str) -> bool:
    if isinstance(value, (OOFPredictions, Side)) or hasattr(value, "cv_results_"):
        return False
    if hasattr(value, "fit"):
        if hasattr(value, "_run_search"):
            raise ValueError(f"Fit the search first: {type(value).__name__} has no predictions.")
        if isinstance(value, type):
            raise ValueError(f"{what} is {got(value)}. Give its predictions, or a fitted search.")
        raise ValueError(
            f"{type(value).__name__} is an estimator without predictions. A search trains it on "
            "its own splits: search.compare(baseline=estimator, X=X, y=y). Or give predictions, "
            "as in compare(model.predict(X), other.predict(X), 'accuracy', y_true=y)."
        )
    if isinstance(value, (ConfidenceInterval, ComparisonResult)):
        raise ValueError(
            f"{what} is a {type(value).__name__}, but whether two intervals overlap does not show "
            "whether two models differ. Give the searches or predictions that they are about."
        )
    if np.ndim(value) == 0:
        raise ValueError(
            f"{what} must be predictions or a fitted search, got {got(value)}. The third argument "
            "is the metric: compare(first, second, 'roc_auc', y_true=y)."
        )
    return True


def _of_arrays(
    first: Any, second: Any, scoring: Any, given: dict[str, Any]
) -> tuple[tuple[Side, Side], Metric, list[str]]:
    """Make sides of two arrays, as predictions of one model each, and notes on their order."""
    if "y_true" not in given:
        if "pos_label" in given:
            raise ValueError(
                f"pos_label={given['pos_label']!r} names a class, but without y_true there are "
                "none. Pass y_true, or leave pos_label out."
            )
        if np.ndim(scoring):
            raise ValueError(
                "compare takes two sides, then the metric; the third argument is an array. "
                "Predictions are compared by compare(first, second, 'roc_auc', y_true=y)."
            )
        if scoring is not None:
            raise ValueError(
                f"Without y_true the means of the two arrays are compared, so scoring={scoring!r} "
                "cannot be used. Pass y_true, or leave scoring out."
            )
        if "fold" in given:
            raise ValueError(
                "fold is about models that were trained on the other folds, but without y_true "
                "scores of samples are compared. Pass y_true and the metric, or leave fold out."
            )
    elif scoring is None:
        raise ValueError(NO_METRIC)
    known = ("y_true", given["y_true"]) if "y_true" in given else ("first", first)
    n_samples = len(array_of(known[1], known[0]))
    # The target first: the others are brought into its order.
    target = {"y_true": given["y_true"]} if "y_true" in given else {}
    per_sample = {**target, "first": first, "second": second, **given}
    given, notes, _ = in_index_order(per_sample, n_samples)
    blocks = {name: given.pop(name, None) for name in ("block_length", "order")}
    arrays = {}
    for what in ("first", "second"):
        array = np.asarray(given.pop(what))
        if array.shape[:1] != (n_samples,) or array.ndim > 2:
            raise ValueError(
                f"{what} has shape {array.shape}, but there are {n_samples} samples: expected one "
                "prediction per sample, (n_samples,) or (n_samples, n_classes)."
            )
        arrays[what] = array[:, None]
    if "y_true" not in given:
        sides = [_of_scores(array[:, 0], what, given) for what, array in arrays.items()]
        sides = [replace(side, oof=side.oof.with_blocks(**blocks)) for side in sides]
        return (sides[0], sides[1]), metric_for(sides[0].oof, None), notes
    sides = [
        Side(oof=OOFPredictions(y_pred=array, **given).with_blocks(**blocks), name=what)
        for what, array in arrays.items()
    ]
    return (sides[0], sides[1]), as_metric(scoring), notes


def _of_scores(
    values: np.ndarray, what: str, given: dict[str, Any], *, greater_is_better: bool = True
) -> Side:
    """Make a side of the score of each sample, which needs no target."""
    check_item_scores(what, values)
    oof = OOFPredictions.from_scores(
        values[:, None], names=[what], greater_is_better=greater_is_better, **given
    )
    return Side(oof=oof, name=what)


def _metric_of_searches(both: tuple[Any, Any], scoring: Any) -> Metric:
    """Return the given metric, or that by which the searches select."""
    searches = [each for each in both if hasattr(each, "cv_results_")]
    tables = [getattr(each, "oof", each) for each in both]
    for table in tables:
        if isinstance(table, OOFPredictions) and table.score_sign is not None:
            return metric_for(table, scoring)
    if scoring is not None:
        # A metric of a search goes by the name that the search gave it.
        own = next((each for each in searches if hasattr(each, "_own_metric")), None)
        return as_metric(scoring) if own is None else own._own_metric(scoring)
    if not searches:
        raise ValueError(NO_METRIC)
    one, other = (_metric_of(search) for search in (searches[0], searches[-1]))
    names = ("name", "score_func", "sign", "kwargs")
    if not all(same(getattr(one, name), getattr(other, name)) for name in names):
        raise ValueError(
            f"The first search selects by {one.name}, the second by {other.name}. Pass "
            "scoring=..., by which both are then scored; each keeps what it selects by."
        )
    return one


def _metric_of(search: Any) -> Metric:
    """Return the metric that selects; of other searches than ours only its name may be known."""
    if hasattr(search, "_own_metric"):
        metric: Metric = search._own_metric(None)
        return metric
    names = list(OOFPredictions.from_search(search).fold_scores)
    name = names[0] if len(names) == 1 else search.refit
    if not isinstance(name, str):
        raise ValueError(
            f"scoring must be given: {type(search).__name__} has the metrics {names}, and none of "
            "them selects."
        )
    try:
        return as_metric(name)
    except ValueError:
        return Metric(name=name, scorer=only_fold_scores)


def _beside(values: Any, oof: OOFPredictions, metric: Metric, what: str) -> Side:
    """Make a side of an array on the samples and folds of the other side."""
    array = np.asarray(values)
    if oof.score_sign is not None:
        if array.shape[:1] != (oof.n_samples,):
            raise ValueError(
                f"{what} has shape {array.shape}, but there are {oof.n_samples} items: expected "
                "the score of each, in the order of the table's."
            )
        given = {"groups": oof.groups, "sample_weight": oof.sample_weight}
        return _of_scores(array, what, given, greater_is_better=oof.score_sign > 0)
    if not oof.responses or not oof.is_partition or oof.n_repeats > 1:
        raise ValueError(
            f"{what} is an array, which has a prediction per sample, but the other side has not "
            "one prediction per sample. Give OOFPredictions with the same rows; "
            "OOFPredictions.from_search(search, X, y) makes those of a finished search."
        )
    if array.shape[:1] != (oof.n_samples,):
        raise ValueError(
            f"{what} has shape {array.shape}, but there are {oof.n_samples} samples: expected one "
            "prediction per sample, in the order of the other side's."
        )
    methods = [name for name in (*metric.response_method, "plain") if name in oof.responses]
    method = [*methods, *metric.response_method, *oof.responses][0]
    if method == "predict" and oof.classes_ is not None:
        unknown = sorted(set(array.tolist()) - set(oof.classes_.tolist()))
        if unknown:
            raise ValueError(
                f"{what} holds {unknown[0]!r}, which is not a class of the other side."
            )
        array = np.searchsorted(oof.classes_, array)
    columns = array[None]
    if method == "plain" and oof.pos_label is not None:
        assert oof.classes_ is not None
        columns = scores_of_second_class(columns, oof.classes_, oof.pos_label)
    beside = OOFPredictions.from_rows(
        y_true=oof.y_true,
        responses={method: columns},
        pos_label=oof.pos_label,
        sample=oof.sample,
        fold=oof.fold,
        groups=oof.groups,
        sample_weight=oof.sample_weight,
        metadata=oof.metadata,
        classes=oof.classes_,
    )
    return Side(oof=with_fields(beside, **fields_of_samples(oof)), name=what)


@explain_arguments()
@constrained(n_bootstraps=N_DRAWS_RANGE, n_jobs=JOBS, random_state=By(check_random_state))
@fill_confidence_level_doc("difference")
def compare(
    first: Any,
    second: Any,
    scoring: Any = None,
    *,
    y_true: Any = None,
    fold: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    block_length: int | str | None = None,
    order: Any = None,
    pos_label: Any = None,
    names: tuple[str, str] | None = None,
    method: Any = "auto",
    n_bootstraps: int = 2000,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> ComparisonResult:
    """Compare two models, configurations or searches on the same samples.

    What was tuned on these samples is compared with its selection repeated, so a search does
    not win by the luck of its many attempts. ``details["why"]`` of the result explains why
    the method was chosen.

    Parameters
    ----------
    first, second : array-like, OOFPredictions, Side or fitted search
        Predictions of one model, of shape (n_samples,) or (n_samples, n_classes), as the metric
        consumes them; predictions of several configurations, which stand for what tuning
        selects; one configuration, ``Side(oof=oof, config=3)``; or a fitted `BBCSearchCV`, or any
        other fitted search, of which only the scores per fold are known.
    scoring : str, scorer or Metric, default=None
        The metric. A search has its own; without `y_true` arrays are losses or scores of the
        samples themselves, whose mean is compared.
    y_true : array-like of shape (n_samples,), default=None
        Labels or values, for arrays.
    fold : array-like of shape (n_samples,), default=None
        Fold of each sample, where arrays are out-of-fold predictions of models that were trained
        on the other folds. None is one model each, trained on other samples.
    groups : array-like of shape (n_samples,), default=None
        Groups of samples that depend on each other, for arrays.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of samples in the metric, for arrays.
    block_length : int, "auto" or None, default=None
        Samples per block, where samples depend on those before and after them in time, for
        arrays; see `OOFPredictions.with_blocks`. None takes samples as independent.
    order : array-like of shape (n_samples,), default=None
        Times by which samples follow each other, for arrays. None is the order of the rows.
    pos_label : label, default=None
        Which of two classes the scores are higher for, and which is positive for metrics such as
        F1 that name none, for arrays. None takes the second in sorted order.
    names : tuple of (str, str), default=None
        Names of both sides in results and sentences.
    method : str or comparison object, default="auto"
        Registered name or object; an object is taken with its own parameters. ``"auto"`` takes
        `BBCDifference` for what was cross-validated, tuned or not; `CorrectedResampledT` where
        there are scores per fold only; and for two models on a test set
        `PairedDeLong` for roc_auc, `McNemar` for right and wrong, `PairedT` for other means over
        more than 30 samples, `PairedBootstrap` for all else, groups and weights included.
    n_bootstraps : int, default=2000
        Number of draws, for methods that draw.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What speaks against no difference; ``"greater"`` is that the first side is better.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.
    n_jobs : int or None, default=None
        Number of threads of the draws; the result does not depend on it.

    Returns
    -------
    ComparisonResult
        The first side's score minus the second's, greater is better. ``print`` gives a sentence.

    See Also
    --------
    sklearn_bbc.BBCSearchCV.compare : Of a search with a baseline, which it can train.
    sklearn_bbc.holdout_interval : The score of one model on a test set.
    sklearn_bbc.display.DifferencesDisplay : Draws several results below each other.

    Notes
    -----
    Comparing many pairs in this way finds differences by chance: use `tied_with_best` for the
    configurations of a search, and `Friedman` for learners on several data sets.

    Examples
    --------
    >>> from sklearn_bbc import compare
    >>> from sklearn_bbc.comparison import Side
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions()
    >>> default = Side(oof=oof, config=0, name="the default")
    >>> result = compare(oof, default, "roc_auc", random_state=0)
    >>> result.method, result.details["why"][:50]
    ('bbc_difference', 'The winner of 4 configurations was tuned on these ')
    """
    arrays = {
        "y_true": y_true, "fold": fold, "groups": one_per_sample(groups),
        "sample_weight": sample_weight, "pos_label": pos_label, "block_length": block_length,
        "order": order,
    }  # fmt: skip
    sides, metric, notes = sides_of(first, second, scoring, arrays)
    return compare_sides(
        *with_names(sides, names), metric, method, notes,
        n_bootstraps=n_bootstraps, confidence_level=confidence_level, alternative=alternative,
        random_state=random_state, n_jobs=n_jobs,
    )  # fmt: skip


def with_names(sides: tuple[Side, Side], names: Any) -> tuple[Side, Side]:
    """Give both sides their names; None leaves what they have."""
    if names is None:
        return sides
    check_names(names)
    one, other = (replace(side, name=str(name)) for side, name in zip(sides, names))
    return one, other


def compare_sides(
    first: Side, second: Side, metric: Metric, method: Any, notes: list[str], **settings: Any
) -> ComparisonResult:
    """Run the method that is asked for, or that fits; settings are for names of methods."""
    name, why = method, "It was asked for."
    are_fixed = first.oof.score_sign is not None and second.oof.score_sign is not None
    if isinstance(method, str) and method == "auto":
        if are_fixed and (first.is_tuned or second.is_tuned):
            result = difference_of_systems(first, second, **settings)
            return replace(result, details={**result.details, "why": WHY_SYSTEMS})
        name, why = chosen(first, second, metric)
    comparison = as_comparison(name)
    if comparison is not method:
        with_settings(comparison, **settings)
    result = comparison.compare(first, second, metric)
    return with_notes(result, notes, why=why)
