"""Interval for the score of a frozen model on a test set: formula or bootstrap, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.metrics import roc_auc_score

from .._notes import with_notes
from .._parameters import OneOf, check_parameters, constrained
from .._utils import (
    did_you_mean,
    explain_arguments,
    got,
    suppress_fp_warnings,
    with_parameters,
)
from ..contest._blocks import contributions, with_block_length_by
from ..contest._contest import Contest
from ..contest._notes import labels_for_scores
from ..contest._question import metric_for
from ..exceptions import UndefinedIntervalError
from ..metrics._alike import as_one
from ..metrics._consumed import Unbound, check_labels
from ..metrics._metric import BoundMetric, as_metric
from ..predictions._predictions import OOFPredictions
from ..predictions._scores import check_item_scores
from ..predictions._validation import array_of, check_not_swapped, in_index_order, predictions_of
from ..resampling import Resampling, TwoStage, Units
from ..results._results import ConfidenceInterval
from ._analytic import PROPORTION_FORMS, SCORE_NAMES, Takahashi, Wald, score_and_average
from ._auc import DeLong, HanleyMcNeil
from ._bootstrap import BOOTSTRAP_FORMS, Roles, ScoreBootstrap
from ._notes import explained
from ._single_base import OneConfigInterval

FORMULAS: dict[str, Callable[[], OneConfigInterval]] = {
    "delong": DeLong,
    "hanley-mcneil": HanleyMcNeil,
    "takahashi": Takahashi,
    "wald": Wald,
    **{form: partial(Wald, form=form) for form in PROPORTION_FORMS if form != "normal"},
}


@with_parameters
class HoldoutBootstrap(ScoreBootstrap):
    """The bootstrap of `holdout_interval`: samples, or all samples of each drawn group."""

    whole_units: ClassVar[bool] = True
    """Whether a draw takes samples or whole groups, as corrections from single units assume."""
    estimand = "score on new samples of a frozen model"

    roles: Roles
    form: str
    n_bootstraps: int
    confidence_level: float
    alternative: str
    random_state: Any
    n_jobs: int | None

    @property
    def _label(self) -> str:
        return "holdout_interval"

    def _n_scores(self, kernel: BoundMetric, units: Units) -> int:
        return self.roles.n_first * (1 + self.roles.paired) * super()._n_scores(kernel, units)

    @suppress_fp_warnings()
    def _estimate(self, contest: Contest) -> ConfidenceInterval:
        _check_defined(contest.scored, self._label)
        return self._of_columns(contest, self.roles, [])[0]


class TwoStageBootstrap(HoldoutBootstrap):
    """Bootstrap of samples within each drawn occurrence of a group."""

    whole_units = False

    def _units(self, contest: Contest) -> Units:
        # The counts of the second stage are per sample already.
        n_samples = contest.oof.n_samples
        return replace(contest.units, of_sample=np.arange(n_samples), n_units=n_samples)

    def _resampling(self, oof: OOFPredictions, units: Units) -> Resampling:
        return TwoStage(np.asarray(oof.groups))


GROUP_BOOTSTRAPS = {"cluster": HoldoutBootstrap, "two-stage": TwoStageBootstrap}


def systems_of(
    y_pred: Any, other: Any, pool_seeds: bool, n_samples: int
) -> tuple[np.ndarray, Roles]:
    """Stack the columns of all models, shape (n_samples, n_models[, n_classes])."""

    def columns(values: Any, name: str) -> np.ndarray:
        array = predictions_of(values, name)
        if array.shape[:1] != (n_samples,):
            raise ValueError(
                f"{name} has shape {array.shape}, but there are {n_samples} samples: expected "
                "one prediction per sample."
            )
        if pool_seeds:
            if array.ndim < 2:
                raise ValueError(
                    f"pool_seeds=True needs {name} of shape (n_samples, n_seeds), "
                    f"got {array.shape}."
                )
            return array
        return array[:, None]

    first = columns(y_pred, "y_pred")
    if other is None:
        return first, Roles(first.shape[1], False)
    second = columns(other, "y_pred_other")
    if second.shape != first.shape:
        raise ValueError(
            f"y_pred has shape {np.shape(y_pred)}, but y_pred_other {np.shape(other)}: they must "
            "be predictions of the same samples."
        )
    return np.concatenate([first, second], axis=1), Roles(first.shape[1], True)


def _names_of(systems: np.ndarray, roles: Roles) -> list[str]:
    """Check and name the scores of all models, (n_samples, n_models), which need no target."""
    names = []
    for k in range(systems.shape[1]):
        name = "y_pred" if k < roles.n_first else "y_pred_other"
        check_item_scores(name, systems[:, k])
        names.append(name if roles.n_first == 1 else f"{name}[:, {k % roles.n_first}]")
    return names


def choose(
    method: Any, scored: BoundMetric, roles: Roles, group_bootstrap: str
) -> str | OneConfigInterval:
    """Choose the form of the bootstrap, or the method object of a formula."""
    is_object = isinstance(method, OneConfigInterval)
    if isinstance(method, type) and issubclass(method, OneConfigInterval):
        raise ValueError(f"Pass an instance, {method.__name__}(), instead of the class.")
    if method == "auto":
        plain = scored.oof.has_single_samples and roles.n_first == 1
        method = (formula_for(scored, roles) if plain else None) or "percentile"
    if method in ("studentised", "bca"):
        _check_simple_draws(method, roles, group_bootstrap)
    if method in BOOTSTRAP_FORMS:
        return method
    if not is_object and not OneOf(FORMULAS).holds(method):
        raise ValueError(
            f"method must be 'auto', an interval object for one configuration, or one of "
            f"{sorted([*BOOTSTRAP_FORMS, *FORMULAS])}, got {method!r}."
            f"{did_you_mean(method, [*BOOTSTRAP_FORMS, *FORMULAS])}"
        )
    if group_bootstrap != "cluster":
        how = "draws or computes in its own way" if is_object else "is a formula"
        raise ValueError(
            f"group_bootstrap={group_bootstrap!r} is for bootstraps{' by name' * is_object}, but "
            f"method={method!r} {how}. Use 'percentile'."
        )
    takes_pairs = method.pairs if is_object else method == "delong"
    if roles.n_first > 1 or (roles.paired and not takes_pairs):
        if is_object:
            advice = (
                "For differences and pooled seeds name a bootstrap, as in method='percentile', or "
                "use method='delong' for a pair and roc_auc."
            )
        else:
            advice = "Use 'percentile' or another bootstrap for differences and pooled seeds."
        raise ValueError(
            f"method={method!r} is for one model{' or a pair' * (method == 'delong')}. {advice}"
        )
    if is_object and roles.paired:
        method.check_pairs()
    return method if is_object else FORMULAS[method]()


def _check_simple_draws(method: str, roles: Roles, group_bootstrap: str) -> None:
    """Raise where a correction from single units misses a part of the spread of the draws."""
    if roles.n_first > 1:
        why = "pooled seeds spread between training runs, too"
    elif not GROUP_BOOTSTRAPS[group_bootstrap].whole_units:
        why = f"group_bootstrap={group_bootstrap!r} draws groups and then samples within them"
    else:
        return
    what = "an acceleration from leaving out"
    if method == "studentised":
        what = "standard errors from inner draws of"
    raise ValueError(
        f"method={method!r} takes {what} samples or whole groups, but {why}. Use 'percentile', "
        "'basic' or 'normal'."
    )


def formula_for(scored: BoundMetric, roles: Roles) -> str | None:
    """Name a formula that is good for the metric, if there is one."""
    metric, oof = scored.metric, scored.oof
    binary = oof.classes_ is not None and len(oof.classes_) == 2
    if metric.score_func is roc_auc_score and binary and not metric.kwargs.get("max_fpr"):
        return "delong"
    if roles.paired:
        return None
    values = scored.pointwise(0)
    if values is not None and metric.sign > 0 and np.isin(values, (0.0, 1.0)).all():
        return "wilson"
    if metric.score_func not in SCORE_NAMES:
        return None
    try:
        score, average, _ = score_and_average(scored)
    except ValueError:
        return None
    return "wilson" if (score, average) == ("recall", "binary") else "takahashi"


def _check_defined(kernel: BoundMetric, method: str) -> None:
    """Raise before the draws when the data have no score; name the class that is missing."""
    oof = kernel.oof
    if not np.isnan(kernel.on_data()).any():
        return
    missing, units = None, Units.of(oof)
    if kernel.strata is not None:
        sizes = units.indicator(kernel.strata).sum(axis=0)
        empty = [name for name, n in zip(kernel.strata_names, sizes, strict=True) if n == 0]
        missing = empty[0] if empty else None
    elif oof.classes_ is not None and len(oof.classes_) == 1:
        label = oof.classes_.tolist()[0]
        known = {0: "class 1", 1: "class 0 (or -1)", -1: "class 1"}
        missing = known.get(label, f"every class but {label}")
        if isinstance(label, bool):
            missing = f"class {not label}"
    why = "it is undefined on these data."
    if missing is not None:
        why = (
            f"{missing} has 0 {units.kind}s, so no resample can be scored. At least 2 "
            f"{units.kind}s are needed."
        )
    raise UndefinedIntervalError(f"{method} cannot bootstrap {kernel.metric.name}: {why}")


@explain_arguments()
@constrained(group_bootstrap=OneOf(GROUP_BOOTSTRAPS))
def holdout_interval(
    y_true: Any,
    y_pred: Any,
    scoring: Any = None,
    *,
    method: Any = "auto",
    y_pred_other: Any = None,
    pool_seeds: bool = False,
    groups: Any = None,
    group_bootstrap: str = "cluster",
    sample_weight: Any = None,
    block_length: int | str | None = None,
    order: Any = None,
    pos_label: Any = None,
    n_bootstraps: int = 2000,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> ConfidenceInterval:
    """Compute an interval for the score of a frozen model on a test set.

    The model must have been trained, and chosen, without these samples.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs), or None
        Labels or values. None takes `y_pred` as the loss or score of each sample; the
        interval is then for its mean.
    y_pred : array-like of shape (n_samples,) or (n_samples, n_classes)
        What the metric consumes: scores, labels, probabilities or values; with
        `pool_seeds` ``(n_samples, n_seeds)`` or ``(n_samples, n_seeds, n_classes)``.
    scoring : str, scorer or Metric, default=None
        The metric; not needed without `y_true`.
    method : str or interval object, default="auto"
        ``"percentile"``, ``"basic"``, ``"normal"``, ``"studentised"`` or ``"bca"``: a
        bootstrap of samples or groups, for one model or a pair; the last two take neither
        `pool_seeds` nor a group bootstrap other than ``"cluster"``. ``"delong"``,
        ``"hanley-mcneil"``, ``"takahashi"``, ``"wald"``, ``"wilson"``,
        ``"clopper-pearson"``, ``"agresti-coull"``, ``"jeffreys"``: formulas, of which only
        DeLong's takes a pair. An object such as ``DeLong(logit=True)`` is taken with its
        own parameters, those of the interval included; for a pair only a `DeLong` is.
        ``"auto"`` takes a formula where a good one is known (DeLong for roc_auc, Wilson for
        accuracy and the recall of one class, Takahashi for other precision, recall and F1),
        provided that samples are independent and equally weighted, else ``"percentile"``.
    y_pred_other : array-like, default=None
        Predictions of a second model for the same samples; the interval is then for the
        first score minus the second, on the same draws.
    pool_seeds : bool, default=False
        The columns of `y_pred` are models from several training runs; their draws are
        pooled, and the estimate is the mean of their scores.
    groups : array-like of shape (n_samples,), default=None
        Samples of one group (patient, speaker) depend on each other: groups are drawn.
    group_bootstrap : {"cluster", "two-stage"}, default="cluster"
        ``"cluster"`` takes all samples of a drawn group; ``"two-stage"`` draws samples
        within each drawn occurrence of a group, and needs `groups` and a bootstrap.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each sample in the metric.
    block_length : int, "auto" or None, default=None
        Samples per block, where samples depend on those before and after them in time: draws
        take blocks, see `OOFPredictions.with_blocks`. None takes samples as independent.
    order : array-like of shape (n_samples,), default=None
        Times by which samples follow each other. None is the order of the rows.
    pos_label : label, default=None
        Which of two classes the scores are higher for, and which is positive for metrics such as
        F1 that name none. None takes the second in sorted order.
    n_bootstraps : int, default=2000
        Number of draws, at least 20.
    confidence_level : float in (0, 1), default=0.95
        Share of test sets for which the interval should hold the true score.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps only the lower bound, ``"less"`` only the upper one.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.

    Returns
    -------
    ConfidenceInterval
        In scorer orientation, greater is better; without `y_true` in the unit of the
        given values. For a difference, ``details`` has ``scores`` (both) and ``p_value``
        (two-sided, for no difference). Draws that all score the same give a point in every
        bootstrap, which a warning, a note and ``details["degenerate"]`` mark.

    Raises
    ------
    ValueError
        If arguments do not fit together or the method cannot take the metric.
    UndefinedIntervalError
        If the data cannot support the interval, as when a class that the metric needs is
        missing.

    See Also
    --------
    BBC : For scores of cross-validation with tuning.

    Notes
    -----
    Groups change the number of samples from draw to draw. With fewer than about 20
    groups intervals are too narrow; a note in the result says so. A pair is drawn together,
    and the standard errors of ``"studentised"`` and the acceleration of ``"bca"`` are those
    of the difference. The p-value of a bootstrap is one minus the highest level at which the
    interval of this form excludes zero on the same draws. With fewer than 5 seeds the spread
    between training runs is poorly covered; their standard deviation is in
    ``details["spread_of_seeds"]``.

    References
    ----------
    .. [1] B. Efron, R. J. Tibshirani, "An introduction to the bootstrap", Chapman and
       Hall (1993).
    .. [2] L. Ferrer, P. Riera, "Confidence intervals for evaluation in machine learning",
       software, https://github.com/luferrer/ConfidenceIntervals

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.intervals import holdout_interval
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 100)
    >>> scores = rng.normal(size=200) + y
    >>> result = holdout_interval(y, scores, "roc_auc")
    >>> result.method, 0.76 in result
    ('delong', True)
    >>> worse = scores + rng.normal(size=200)
    >>> result = holdout_interval(y, scores, "roc_auc", y_pred_other=worse)
    >>> bool(result.low > 0)
    True
    """
    if hasattr(y_true, "predict") or callable(y_true):
        raise ValueError(
            f"y_true must be an array, got {got(y_true)}. holdout_interval takes the target and "
            "what a fitted model predicts: holdout_interval(y_test, "
            "model.predict_proba(X_test)[:, 1], 'roc_auc')."
        )
    if group_bootstrap != "cluster" and block_length is not None:
        raise ValueError(
            f"group_bootstrap={group_bootstrap!r} draws single samples within groups, and "
            "block_length blocks of samples within groups. Leave one of them out."
        )
    if group_bootstrap != "cluster" and groups is None:
        raise ValueError(
            f"group_bootstrap={group_bootstrap!r} draws groups, but there are none. Pass groups, "
            "or leave group_bootstrap out."
        )
    bootstrap = GROUP_BOOTSTRAPS[group_bootstrap](
        roles=Roles(1, False), form="percentile", n_bootstraps=n_bootstraps,
        confidence_level=confidence_level, alternative=alternative, random_state=random_state,
        n_jobs=n_jobs,
    )  # fmt: skip
    check_parameters(bootstrap)
    if y_true is None:
        if scoring is not None:
            raise ValueError(
                f"Without y_true the mean of y_pred is estimated, so scoring={scoring!r} cannot "
                "be used. Pass y_true, or leave scoring out."
            )
        if pos_label is not None:
            raise ValueError(
                f"pos_label={pos_label!r} names a class, but without y_true there are none. Pass "
                "y_true, or leave pos_label out."
            )
    elif scoring is None:
        raise ValueError("scoring must be given, for example 'roc_auc' or 'accuracy'.")
    metric = None if y_true is None else as_metric(scoring)
    n_samples = len(array_of(*((y_pred, "y_pred") if y_true is None else (y_true, "y_true"))))
    given = {"y_true": y_true, "y_pred": y_pred, "y_pred_other": y_pred_other, "groups": groups,
             "sample_weight": sample_weight, "order": order}  # fmt: skip
    given, notes, _ = in_index_order(given, n_samples)
    y_pred, y_pred_other = given.pop("y_pred"), given.pop("y_pred_other")
    order = given.pop("order")
    systems, roles = systems_of(y_pred, y_pred_other, pool_seeds, n_samples)
    if y_true is None:
        del given["y_true"]
        names = _names_of(systems, roles)
        oof = OOFPredictions.from_scores(systems, names=names, **given)
    else:
        check_not_swapped(y_true, y_pred)
        oof = OOFPredictions(**given, y_pred=systems, pos_label=pos_label, notes=notes)
    oof = oof.with_blocks(block_length, order=order)
    metric = metric or metric_for(oof, None)
    n_classes = 0 if oof.classes_ is None else len(oof.classes_)
    if n_classes and systems.ndim == 3 and systems.shape[2] not in (1, n_classes):
        raise ValueError(
            f"y_pred has {systems.shape[2]} columns, but there are {n_classes} classes. This is "
            "for one model: pass its column. For the best of several use bbc, for models of "
            "several training runs pool_seeds=True."
        )
    check_labels(oof, metric.name, metric.score_func, metric.response_method)
    if roles.paired:
        pairs = [(k, roles.n_first + k) for k in range(roles.n_first)]
        oof = as_one(Unbound(metric, oof), pairs)
    scored = metric.bind(oof)
    chosen = choose(method, scored, roles, group_bootstrap)
    if isinstance(chosen, str):
        bootstrap.set_params(roles=roles, form=chosen)
        if roles.paired:
            oof = with_block_length_by(
                oof, lambda: contributions(scored, 0) - contributions(scored, 1)
            )
        contest = Contest(scored.with_predictions(oof))
        result, oof = bootstrap._estimate(contest), contest.oof
        result = explained(result, contest.scored, is_difference=roles.paired)
    else:
        if isinstance(method, str):
            chosen.set_params(confidence_level=confidence_level, alternative=alternative)
        judge = chosen.difference if roles.paired else chosen.estimate
        result = replace(judge(oof, metric), estimand=roles.estimand)
    if oof.score_sign is not None:  # as all that is said of them
        result = replace(result, estimand=result.estimand.replace("samples", "items"))
    of_labels = labels_for_scores(scored)
    return with_notes(result, notes if of_labels is None else [*notes, of_labels])
