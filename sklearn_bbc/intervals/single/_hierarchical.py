"""Two-stage bootstrap: folds, then samples in the folds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..._warn import warn_user
from ..._wording import count
from ...exceptions import IntervalWarning, UndefinedIntervalError
from ...metrics import BoundKernel
from ...metrics._class_members import class_members
from ...predictions import OOFPredictions
from ...predictions._subset import fold_of
from ...resampling import IID, Resampling
from ...resampling._draws import Draws
from ...resampling._streams import draw_with_replacement
from ...resampling._units import Units
from ...results import ConfidenceInterval
from .._base import BootstrapInterval
from .._draw_strata import DrawStrata
from .._quantiles import QuantileRule
from ._base import OneConfigInterval, Target, check_not_infinite
from ._bootstrap_forms import Replicates, bias_and_error, bounds_of, check_form
from ._fold_scores import OF_TRAINING, told_of_even_folds
from ._replicate import note_on_strata, within_classes

MOST_NAMED = 5
"""Folds that a note names."""


class HierarchicalBootstrap(BootstrapInterval, OneConfigInterval):
    """Two-stage bootstrap of one configuration: folds, then samples in the folds.

    A draw takes as many folds as there are, with replacement, and in each taken fold as
    many samples as it has. Both stages together spread about a third more than the data
    do, which roughly makes up for the correlation of the folds.

    Parameters
    ----------
    form : {"studentised", "percentile", "basic", "normal", "bca"}, default="studentised"
        How replicates become bounds.
    second_stage : bool, default=True
        Draw samples within the folds. False takes each drawn fold as it is, which gives
        (F - 1) / F of the true variance where folds are independent.
    stratify : bool, default=False
        Draw within the classes of a fold, so that its class sizes never change. Metrics that
        depend on how often each class occurs (all but ``roc_auc``, ``balanced_accuracy`` and
        the like) then lose a part of their spread, which a note says. False draws again where
        a class is missing, except with means over samples.
    config : int, default=None
        Configuration of interest. None takes the winner; the interval does not account
        for its selection, and `details` says so.
    n_bootstraps : int, default=2000
        Number of draws, at least 20.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps only the lower bound, ``"less"`` only the upper one.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws. Inside a search, None takes the search's own seed.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.
    quantile : QuantileRule, default=None
        How quantiles are read off the sorted draws. None is `NormalScoreQuantile`; other
        programs have others. Not for the normal form, which takes none.

    Raises
    ------
    UndefinedIntervalError
        If the metric is undefined in a fold, or the form for these data.

    See Also
    --------
    PooledBootstrap : Draws samples regardless of folds.

    Notes
    -----
    The estimate is the mean of the scores of the folds, and a replicate the mean of the
    scores of the drawn folds; a fold that is drawn twice has its samples drawn twice,
    independently. The standard error of the studentised form is the standard deviation of
    the fold scores over the square root of their number, on the data and in each draw;
    the acceleration of bca comes from leaving out one fold at a time. With fewer than 5
    folds percentiles are coarse. Folds with one sample of a class make the interval very wide,
    where the metric treats classes apart; a note says so, and a warning where at least half of
    the folds are such. With groups, groups are drawn within the folds. Of
    repeated cross-validation, folds are drawn within each repeat, and the interval is the
    mean of the intervals of the repeats: repeats share the samples, so averaging their
    draws would make the sampling error seem to vanish. Draws that all score the same give
    a point in every form, which a warning and ``details["degenerate"]`` mark. Time
    O(n_bootstraps * n_samples).

    `details` of the result: ``form``, ``bias``, ``standard_error`` (of the replicates),
    ``degenerate``, ``n_redrawn``, ``n_undefined``, ``fold_scores``, ``config``, ``winner``,
    ``winner_by``, ``selection_accounted_for``, ``unit``, ``seed``, ``n_untested``,
    ``n_configs``, ``n_valid``, ``kernel``, ``response``, ``notes``.

    References
    ----------
    .. [1] A. C. Davison, D. V. Hinkley, "Bootstrap methods and their application",
       section 3.8, Cambridge University Press (1997). :doi:`10.1017/CBO9780511802843`
    .. [2] G. Rosenthal, "Confidence intervals for cross-validated performance", thesis
       (2024).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import HierarchicalBootstrap
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 50)
    >>> scores = rng.normal(size=100) + y
    >>> oof = OOFPredictions(y_true=y, y_pred=scores, fold=np.arange(100) // 20)
    >>> result = HierarchicalBootstrap(random_state=0).estimate(oof, "roc_auc")
    >>> bool(0.4 < result.low < result.estimate < result.high < 1)
    True
    """

    name = "hierarchical_bootstrap"
    requires = frozenset({"predictions", "folds"})
    estimand = OF_TRAINING
    meant_for = "one configuration with few samples, by any metric"
    cost = "O(B N)"
    limits = (
        "fewer than 5 folds; folds with few samples of a class; the studentised form with "
        "stratified folds where a class is badly predicted"
    )

    def __init__(
        self,
        *,
        form: str = "studentised",
        second_stage: bool = True,
        stratify: bool = False,
        config: int | None = None,
        n_bootstraps: int = 2000,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
        random_state: Any = None,
        n_jobs: int | None = None,
        quantile: QuantileRule | None = None,
    ) -> None:
        self.form = form
        self.second_stage = second_stage
        self.stratify = stratify
        self.config = config
        self.n_bootstraps = n_bootstraps
        self.confidence_level = confidence_level
        self.alternative = alternative
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.quantile = quantile

    def _validate(self) -> None:
        super()._validate()
        check_form(self.form, self.quantile)

    def _estimate(self, oof: OOFPredictions, kernel: BoundKernel) -> ConfidenceInterval:
        entropy = self._entropy()  # each fold makes draws of its own
        target = self._target(oof, kernel)
        if self.stratify and self.second_stage:
            note_on_strata(kernel, target.details)
        if self.form == "studentised":  # divides by the spread of the folds
            config = int(target.details["config"])
            told = told_of_even_folds(type(self).__name__, oof, kernel.metric, config)
            target.details["notes"].extend(told)
        target.details["notes"].extend(_told_of_singles(type(self).__name__, oof, kernel))
        if self.second_stage:
            kernel.warn_if_slow(self.n_bootstraps * oof.n_splits // oof.n_repeats, self.n_jobs)
        of_data = np.empty(oof.n_splits)
        parts, n_redrawn, n_undefined = [], 0, 0
        for repeat in range(oof.n_repeats):
            mean, spread, redrawn = self._of_repeat(oof, target, repeat, entropy, of_data)
            n_undefined += self._count_undefined(mean, kernel.metric)
            n_redrawn += redrawn
            splits = np.unique(oof.fold[oof.repeat == repeat])
            part = _replicates(of_data[splits], mean, spread)
            parts.append(replace(part, rule=self.quantile))
        name = type(self).__name__
        bounds = [bounds_of(self.form, part, self._tail(), target.details, name) for part in parts]
        low, high = (float(bound) for bound in np.mean(bounds, axis=0))
        target.details["degenerate"] = not low < high
        low, high = self._sided(low, high, kernel.metric.bounds)
        estimate = float(of_data.mean()) if len(parts) > 1 else parts[0].estimate
        replicated = _aligned([part.draws for part in parts], self.n_bootstraps)
        target.details.update(
            form=self.form,
            **bias_and_error(Replicates(estimate, replicated)),
            n_redrawn=n_redrawn,
            n_undefined=n_undefined,
            fold_scores=of_data.tolist(),
            seed=entropy,
        )
        return self._result(
            kernel.metric,
            estimate,
            low,
            high,
            n_bootstraps=self.n_bootstraps,
            draws=replicated,
            details=target.details,
        )

    def _of_repeat(
        self, oof: OOFPredictions, target: Target, repeat: int, entropy: int, of_data: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, int]:
        """Means and standard errors of the drawn folds of a repeat, and the redraws.

        Fills `of_data`, the scores of all folds on the data.
        """
        splits = np.unique(oof.fold[oof.repeat == repeat])
        rng = np.random.default_rng([entropy, repeat])
        times = draw_with_replacement(rng, self.n_bootstraps, len(splits)).astype(np.intp)
        total = np.zeros(self.n_bootstraps)
        squares = np.zeros(self.n_bootstraps)
        n_redrawn = 0
        for position, split in enumerate(splits):
            occurrences = times[:, position]
            of_data[split], drawn, redrawn = self._draw_in_fold(
                oof, target, int(split), int(occurrences.sum()), entropy
            )
            n_redrawn += redrawn
            owner = np.repeat(np.arange(self.n_bootstraps), occurrences)
            # Relative to the fold's own score: squares of small numbers lose no digits.
            with np.errstate(invalid="ignore"):  # of opposite infinities: NaN
                total += np.bincount(owner, drawn, minlength=self.n_bootstraps)
            squares += np.bincount(
                owner, (drawn - of_data[splits[0]]) ** 2, minlength=self.n_bootstraps
            )
        n_folds = len(splits)
        mean = total / n_folds
        deviation = mean - of_data[splits[0]]
        with np.errstate(invalid="ignore"):  # infinite scores spread without end: NaN
            variance = np.maximum(squares - n_folds * deviation**2, 0) / max(n_folds - 1, 1)
        return mean, np.sqrt(variance / n_folds), n_redrawn

    def _draw_in_fold(
        self, oof: OOFPredictions, target: Target, split: int, n_draws: int, entropy: int
    ) -> tuple[float, np.ndarray, int]:
        """Score of a fold on its samples, on `n_draws` resamples of them, and the redraws."""
        fold = fold_of(oof, split, target.config)
        kernel = target.kernel.metric.bind(fold)
        of_data = float(kernel.on_data()[0])
        if np.isnan(of_data):
            raise UndefinedIntervalError(
                f"{kernel.metric.name} is undefined in fold {split} with its {fold.n_samples} "
                f"samples ({_classes_of(fold)}). Use fewer, stratified folds."
            )
        check_not_infinite(of_data, kernel.metric.name, f"in fold {split}")
        if not self.second_stage or n_draws == 0:
            return of_data, np.full(n_draws, of_data), 0
        units = Units.of(fold)
        strata = DrawStrata.of(fold, kernel, units, out_of_bag=False)
        strata.check_varies(f"{type(self).__name__} in fold {split}", kernel.metric.name)
        inner = Draws(
            self._within(fold, units),
            n_draws,
            entropy,
            **strata.for_draws(),
            expand=units.expand,
            bytes_per_draw=kernel.bytes_per_draw,
            n_jobs=self.n_jobs,
            out_of_bag=False,
            prefer=kernel.prefers,
            key=1 + split,
        )
        drawn = inner.map(lambda counts: kernel.scores(counts)[:, 0])
        return of_data, drawn, inner.n_redrawn

    def _within(self, fold: OOFPredictions, units: Units) -> Resampling:
        return within_classes(fold) if self.stratify else IID(units.n_units)


def _told_of_singles(method: str, oof: OOFPredictions, kernel: BoundKernel) -> list[str]:
    """Say where a fold has one sample or group of a class; warn if half of the folds are such."""
    classes = class_members(kernel.metric, oof)
    if classes is None:
        return []
    units = Units.of(oof)
    found: dict[str, list[int]] = {}
    for members, name in zip(*classes, strict=True):
        rows = members[oof.sample]
        pairs = np.unique([oof.fold[rows], units.of_sample[oof.sample[rows]]], axis=1)
        in_fold = np.bincount(pairs[0], minlength=oof.n_splits)
        if (in_fold == 1).any():
            found[name] = np.flatnonzero(in_fold == 1).tolist()
    if not found:
        return []
    name, folds = max(found.items(), key=lambda item: len(item[1]))
    which = ", ".join(map(str, folds[:MOST_NAMED])) + ", ..." * (len(folds) > MOST_NAMED)
    others = count(len(found) - 1, "other class", "other classes")
    also = f" {others} in some fold, too." if len(found) > 1 else ""
    note = (
        f"{name[:1].upper()}{name[1:]} has a single {units.kind} in {len(folds)} of "
        f"{oof.n_splits} folds ({which}).{also} The score of such a fold rests on that one "
        f"{units.kind}: the interval can be very wide and still miss the true score too often. "
        "Use fewer folds, or PooledBootstrap, which pools them."
    )
    if 2 * len(folds) >= oof.n_splits:
        warn_user(f"{method}: {note}", IntervalWarning)
    return [note]


def _replicates(of_data: np.ndarray, mean: np.ndarray, spread: np.ndarray) -> Replicates:
    """Replicates of the mean of some folds, from the means and standard errors of the draws."""
    defined = ~np.isnan(mean)
    influence = of_data - of_data.mean()

    def standard_error() -> tuple[float, np.ndarray]:
        if len(of_data) < 2:
            raise UndefinedIntervalError(
                "The studentised form takes standard errors from the spread of folds, but a "
                "repeat has 1 fold. Use another form, such as percentile, or at least 2 folds."
            )
        return float(of_data.std(ddof=1) / np.sqrt(len(of_data))), spread[defined]

    return Replicates(
        float(of_data.mean()),
        mean[defined],
        standard_error,
        lambda: influence,
    )


def _aligned(draws: list[np.ndarray], n_draws: int) -> np.ndarray:
    """Mean of the sorted draws of the repeats; those of a single one as they are."""
    if len(draws) == 1:
        return draws[0]
    # Undefined draws are left out, so repeats may have different numbers of them.
    places = [np.arange(n_draws) * len(part) // n_draws for part in draws]
    return np.mean([np.sort(part)[at] for part, at in zip(draws, places, strict=True)], axis=0)


def _classes_of(fold: OOFPredictions) -> str:
    if fold.classes_ is None:
        return "no classes"
    return ", ".join(_counts(fold))


def _counts(fold: OOFPredictions) -> Iterator[str]:
    for label in fold.classes_ if fold.classes_ is not None else ():
        yield f"{np.count_nonzero(fold.y_true == label)} of class {label}"
