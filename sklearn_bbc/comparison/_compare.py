"""One call for every comparison: arrays, predictions, searches."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .._groups import one_per_sample
from .._nearest import explain_arguments, got
from ..intervals._level import says_level
from ..metrics import Metric
from ..results import ComparisonResult
from ._base import BaseComparison, as_comparison
from ._choice import chosen
from ._inputs import sides_of
from ._sides import Side

__all__ = ["compare"]


@explain_arguments()
@says_level("difference")
def compare(
    first: Any,
    second: Any,
    scoring: Any = None,
    *,
    y_true: Any = None,
    fold: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
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
    not win by the luck of its many attempts. ``details["why"]`` of the result says why the
    method was taken.

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

    Raises
    ------
    ValueError
        If the sides are not about the same samples, folds and metric, are the same, or arguments
        do not fit together.
    UndefinedIntervalError
        If the data cannot support the comparison.

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
    sides, metric, notes = sides_of(
        first, second, scoring,
        {
            "y_true": y_true, "fold": fold, "groups": one_per_sample(groups),
            "sample_weight": sample_weight,
        },
    )  # fmt: skip
    sides = with_names(sides, names)
    given = {
        "n_bootstraps": n_bootstraps,
        "confidence_level": confidence_level,
        "alternative": alternative,
        "random_state": random_state,
        "n_jobs": n_jobs,
    }
    return compare_sides(*sides, metric, method, given, notes)


def with_names(sides: tuple[Side, Side], names: Any) -> tuple[Side, Side]:
    """Give both sides their names; None leaves what they have."""
    if names is None:
        return sides
    if isinstance(names, str) or not hasattr(names, "__len__") or len(names) != 2:
        raise ValueError(
            f"names must be two names, such as ('tuned', 'default'), got {got(names)}."
        )
    one, other = names
    return replace(sides[0], name=str(one)), replace(sides[1], name=str(other))


def compare_sides(
    first: Side,
    second: Side,
    metric: Metric,
    method: Any,
    given: dict[str, Any],
    notes: tuple[str, ...] = (),
) -> ComparisonResult:
    """Run the method that is asked for, or that fits.

    Parameters
    ----------
    first, second : Side
        The sides.
    metric : Metric
        The metric.
    method : str or BaseComparison
        ``"auto"``, a registered name, or an object.
    given : dict
        Parameters for methods that are no objects of the user; those that a method lacks are
        left out.
    notes : tuple of str, default=()
        What the result should say besides.
    """
    if isinstance(method, str) and method == "auto":
        name, why = chosen(first, second, metric)
        comparison = as_comparison(name)
    else:
        comparison, why = as_comparison(method), "It was asked for."
    if not isinstance(method, BaseComparison):
        known = comparison.get_params(deep=False)
        comparison.set_params(**{key: value for key, value in given.items() if key in known})
    result = comparison.compare(first, second, metric)
    details = {**result.details, "why": why}
    details["notes"] = list(dict.fromkeys([*result.details.get("notes", []), *notes]))
    return replace(result, details=details)
