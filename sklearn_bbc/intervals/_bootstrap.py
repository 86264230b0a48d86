"""Bootstrap of one configuration: forms of bounds, p-values, pooled and hierarchical draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
from scipy.stats import norm

from .._parameters import OneOf
from .._text import count, name_method
from .._utils import with_parameters
from .._warnings import warn_user
from ..contest._blocks import plan_of, with_block_length
from ..contest._contest import Contest, draw_details
from ..contest._notes import unit_of
from ..contest._strata import DrawStrata
from ..contest._unit_values import Score, influence_of_units
from ..exceptions import IntervalWarning, UndefinedIntervalError
from ..metrics._base import class_members
from ..metrics._metric import POSITIVE_WEIGHT, BoundMetric
from ..predictions._predictions import OOFPredictions, taken
from ..resampling import (
    IID,
    Draws,
    Resampling,
    Stratified,
    Units,
    draw_with_replacement,
    entropy_of,
)
from ..results._results import ConfidenceInterval
from ._base import (
    BootstrapInterval,
    NormalScoreQuantile,
    QuantileRule,
    count_undefined,
    evenly,
    smallest_level,
)
from ._fold_scores import OF_TRAINING_SETS, even_folds_notes
from ._notes import note_degenerate
from ._single_base import OF_TWO, OneConfigInterval, OneConfigTask, check_not_infinite

BOOTSTRAP_FORMS = ("percentile", "basic", "normal", "studentised", "bca")


def bootstrap_labels(sentence: str, short: str) -> dict[str, tuple[str, str]]:
    """Put the name of each form, which says how draws become bounds, into two printed names."""
    words = {form: "BCa" if form == "bca" else form for form in BOOTSTRAP_FORMS}
    return {form: (sentence.format(word), short.format(word)) for form, word in words.items()}


for form, words in bootstrap_labels("the {} bootstrap", "{} bootstrap").items():
    # Of one model, a pair or a mean over seeds, as `holdout_interval` has them.
    name_method(f"{form}_bootstrap", words, {form: words})
TAIL_ROUNDING = 1e-6
"""Standard errors of draws below this part of the one on the data are zeros."""
N_INNER = 50
"""Inner draws for one standard error, which is then known to about a tenth."""
COUNTS_AT_ONCE = 2**19
"""Counts of inner draws that are scored in one call: half a megabyte, which stays in the cache."""


def check_form(form: str, rule: QuantileRule | None) -> None:
    """Raise unless a form takes quantiles, if there is a rule for them."""
    if form == "normal" and rule is not None:
        raise ValueError(
            f"quantile={rule!r} is about quantiles of draws, but form='normal' takes their "
            "standard deviation. Use another form, or quantile=None."
        )


def share_above(scores: np.ndarray, observed: float) -> np.ndarray:
    """Return 1 for each score above the observed one, 1/2 for equal ones, else 0."""
    # The same score computed from other counts may differ in the last bits.
    close = np.isclose(scores, observed, rtol=1e-12, atol=1e-12)
    return np.where(close, 0.5, scores > observed)


@dataclass(frozen=True, eq=False)
class Replicates:
    """An estimate and its values on resamples, shape (n_draws,), all of them defined.

    `standard_error` computes the standard error on the data and on each resample, for the
    studentised form, and `influence` the empirical influence values, for bca.
    """

    estimate: float
    draws: np.ndarray
    standard_error: Callable[[], tuple[float, np.ndarray]] | None = None
    influence: Callable[[], np.ndarray] | None = None
    rule: QuantileRule = field(default_factory=NormalScoreQuantile)

    @property
    def has_spread(self) -> bool:
        """Whether any replicate differs from the estimate by more than rounding."""
        farthest = float(np.abs(self.draws - self.estimate).max())
        return farthest > 1e-12 * max(1.0, abs(self.estimate))

    def moments(self) -> dict[str, float]:
        """Compute bias and standard error for `details`; NaN where a draw is infinite."""
        if np.isinf(self.draws).any():
            return {"bias": np.nan, "standard_error": np.nan}
        return {
            "bias": float(self.draws.mean() - self.estimate),
            "standard_error": float(self.draws.std(ddof=1)),
        }

    def values(self, form: str) -> np.ndarray:
        """Compute the values whose quantiles are the bounds of a form.

        Draws as they are, mirrored at the estimate (basic), or the estimate minus their deviations
        in units of their own standard errors (studentised).
        """
        if form == "basic":
            return 2 * self.estimate - self.draws
        if form != "studentised":
            return self.draws
        assert self.standard_error is not None
        on_data, on_draws = self.standard_error()
        # Equal scores leave a rounding error as their spread, which would blow the pivot up.
        usable = on_draws > TAIL_ROUNDING * on_data
        if np.count_nonzero(usable) < 0.5 * len(on_draws) or not on_data > 0:
            raise UndefinedIntervalError(
                "The studentised form needs standard errors, but they are zero on the data or in "
                "more than half of the draws. Use another form, such as percentile."
            )
        pivots = (self.draws[usable] - self.estimate) / on_draws[usable]
        return self.estimate - on_data * pivots

    def centre_and_spread(self) -> tuple[float, float]:
        """Compute the bias-corrected estimate and the standard deviation of the normal form."""
        infinite = np.count_nonzero(np.isinf(self.draws))
        if infinite:
            raise UndefinedIntervalError(
                f"The normal form is undefined: {infinite} of {len(self.draws)} draws have an "
                "infinite score, and so no standard deviation. Use another form, such as "
                "percentile."
            )
        return 2 * self.estimate - self.draws.mean(), self.draws.std(ddof=1)

    def share_and_acceleration(self) -> tuple[float, float]:
        """Compute the share of draws below the estimate, and the acceleration, of the bca form."""
        assert self.influence is not None
        # Equal draws count one half, or scores with few values would all seem biased upwards.
        above = share_above(self.draws, self.estimate)
        for side, farthest in (("below", above.min()), ("above", 1 - above.max())):
            if farthest > 0:
                raise UndefinedIntervalError(
                    f"The bca form is undefined: 0% of the draws lie {side} the estimate, so "
                    "their bias cannot be corrected. Use another form, such as percentile."
                )
        influence = self.influence()
        # Only their proportions count; a power of two changes no digit and prevents overflow.
        influence = np.ldexp(influence, -np.frexp(np.abs(influence).max())[1])
        scale = (influence**2).sum() ** 1.5
        return 1 - above.mean(), (influence**3).sum() / (6 * scale) if scale > 0 else 0.0


def interval_bounds(
    form: str,
    replicates: Replicates,
    tail: float,
    details: dict[str, Any],
    method: str,
    *,
    is_difference: bool = False,
) -> tuple[float, float]:
    """Compute bounds by one of `BOOTSTRAP_FORMS`; without any spread they are a point, with a "
    "warning."""
    estimate, spread = replicates.estimate, replicates.has_spread
    note_degenerate(
        details, method, not spread, seen=f"Every draw scores {estimate:g}",
        is_same=is_difference and estimate == 0,
    )  # fmt: skip
    if not spread:
        return estimate, estimate
    if form == "normal":
        centre, deviation = replicates.centre_and_spread()
        half = norm.ppf(1 - tail) * deviation
        return float(centre - half), float(centre + half)
    levels = np.array([tail, 1 - tail])
    if form == "bca":
        share, acceleration = replicates.share_and_acceleration()
        bias = norm.ppf(share)
        shifted = bias + norm.ppf(levels)
        if not (acceleration * shifted < 1).all():
            why = "undefined" if np.isnan(acceleration) else "too large"
            raise UndefinedIntervalError(
                f"The bca form is undefined: its acceleration of {acceleration:.3g} is {why} for "
                f"a share of {share:.3g} of the draws below the estimate. Use another form, such "
                "as percentile."
            )
        levels = norm.cdf(bias + shifted / (1 - acceleration * shifted))
    ordered = np.sort(replicates.values(form))
    low, high = (replicates.rule.between(ordered, level) for level in levels)
    return low, high


def p_value(form: str, replicates: Replicates, alternative: str) -> float:
    """Compute the p-value of no difference: the smallest error rate with the bound above zero.

    That is, for ``"greater"``, the level of the values of the form at zero (A. C. Davison, D. V.
    Hinkley, "Bootstrap methods and their application", 1997, section 4.4), for bca on the scale
    corrected for bias and acceleration (B. Efron, R. J. Tibshirani, "An introduction to the
    bootstrap", 1993, section 15.4), for normal a tail of that distribution; for ``"less"`` the
    same of minus the values. Except for the normal form it is at least ``1 / (n_draws + 1)``,
    since the draws show nothing beyond. Draws that equal the bound count in full: if half of them
    counted, 3 samples that only one model gets right, and none that only the other does, would be
    a difference at 5%. Without any spread it is that of the percentile form.
    """
    if form == "normal" and replicates.has_spread:
        centre, deviation = replicates.centre_and_spread()
        greater, less = norm.sf(centre / deviation), norm.cdf(centre / deviation)
    else:
        values = replicates.values(form if replicates.has_spread else "percentile")
        greater, less = (
            smallest_level(np.sort(sign * values), replicates.rule) for sign in (1, -1)
        )
        if form == "bca" and replicates.has_spread:
            share, acceleration = replicates.share_and_acceleration()
            least = 1 / (len(values) + 1)
            greater = max(_bca_level(greater, share, acceleration), least)
            less = max(_bca_level(less, 1 - share, -acceleration), least)
    both = min(1.0, 2 * min(greater, less))
    return float({"greater": greater, "less": less}.get(alternative, both))


def _bca_level(level: float, share: float, acceleration: float) -> float:
    """Find the level that the bca form corrects to a level of the draws."""
    bias = norm.ppf(share)
    shifted = norm.ppf(level) - bias
    stretch = 1 + acceleration * shifted
    # Beyond the pole of the correction no level reaches zero.
    corrected = shifted / stretch if stretch > 0 else np.copysign(np.inf, shifted)
    return float(norm.cdf(corrected - bias))


def replicate(
    score: Score,
    estimate: float,
    units: Units,
    draws: Draws,
    form: str,
    needed: np.ndarray | None = None,
    independent: Units | None = None,
) -> tuple[Replicates, np.ndarray]:
    """Compute the replicates of an estimate, with what the form of the interval needs besides.

    `needed` (n_strata, n_samples) -> `scores` (n_draws,). `independent` are the units of the
    influence values, where draws count others.
    """
    independent = units if independent is None else independent
    patterns = inner_patterns(units.n_units, draws.entropy) if form == "studentised" else None

    def inner_score(counts: np.ndarray) -> np.ndarray:
        scores = score(counts)
        for members in () if needed is None else needed:
            scores[~counts[:, members].any(axis=1)] = np.nan
        return scores

    def score_and_spread(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        spread = np.zeros(len(counts))
        if patterns is not None:
            spread = inner_standard_errors(counts, units, patterns, inner_score)
        return score(counts), spread

    scores, spread = draws.map(score_and_spread)
    scores = scores.ravel()
    defined = ~np.isnan(scores)
    everything = units.expand(np.ones((1, units.n_units), dtype=np.uint8))
    replicates = Replicates(
        estimate,
        scores[defined],
        cache(lambda: (float(score_and_spread(everything)[1][0]), spread[defined])),
        cache(lambda: influence_of_units(independent, score)),
    )
    return replicates, scores


def inner_patterns(n_units: int, entropy: int) -> np.ndarray:
    """Draw the counts of inner draws from the picks of an outer draw, (N_INNER, n_units).

    One set of patterns serves all outer draws: the picks of a draw are exchangeable, and
    so no result depends on the order or the batches in which draws are scored.
    """
    return IID(n_units).draw(np.random.default_rng([entropy, 1]), N_INNER)


def inner_standard_errors(
    counts: np.ndarray, units: Units, patterns: np.ndarray, score: Score
) -> np.ndarray:
    """Compute the standard error of the estimate on each resample, (n_draws,), by draws from it.

    The picks of a draw are in the order of its units, so a unit holds a run of them: its count in
    an inner draw is the difference of two running totals of its pattern. `counts` (n_draws,
    n_samples), `patterns` (N_INNER, n_units).
    """
    first = np.unique(units.of_sample, return_index=True)[1][-units.n_units :]
    of_units = counts[:, first]
    # Totals may overflow: only differences are used, which come out right where they fit.
    dtype = np.min_scalar_type(int(patterns.max()) * int(of_units.max(initial=0)))
    totals = np.zeros((units.n_units + 1, len(patterns)), dtype=dtype)
    np.cumsum(patterns.T, axis=0, dtype=dtype, out=totals[1:])
    after = np.zeros((len(counts), units.n_units + 1), dtype=np.intp)
    np.cumsum(of_units, axis=1, dtype=np.intp, out=after[:, 1:])
    result = np.empty(len(counts))
    size = max(1, COUNTS_AT_ONCE // (len(patterns) * counts.shape[1]))
    for start in range(0, len(counts), size):
        at = totals[after[start : start + size]]  # (n_drawn, n_units + 1, N_INNER)
        inner = np.ascontiguousarray((at[:, 1:] - at[:, :-1]).transpose(0, 2, 1))
        values = score(units.expand(inner.reshape(-1, units.n_units)))
        result[start : start + size] = standard_deviations(values.reshape(-1, len(patterns)))
    return result


def standard_deviations(values: np.ndarray) -> np.ndarray:
    """Compute the standard deviation of the finite values of each row; 0 for fewer than 2."""
    finite = np.isfinite(values)
    result = np.where(finite, values, 0.0).std(axis=1, ddof=1)
    for k in np.flatnonzero(~finite.all(axis=1)):
        defined = values[k][finite[k]]
        result[k] = defined.std(ddof=1) if len(defined) > 1 else 0.0
    return result


def needed_strata(kernel: BoundMetric) -> tuple[np.ndarray | None, list[str]]:
    """Find the strata, (n_strata, n_samples), of which every draw needs a sample, and their names.

    They are those without which the metric is undefined. Where there are none, they are the
    classes, unless the metric is a mean over samples: the value that scikit-learn gives to 0 / 0,
    or a mean without some class, is not a score of the classifier. Of more than two classes those
    with fewer than 3 samples are not needed.
    """
    classes = class_members(kernel)
    needs_none = kernel.strata is None or kernel.strata_names == [POSITIVE_WEIGHT]
    if classes is None or not needs_none:
        return kernel.strata, kernel.strata_names
    members, names = classes  # of samples with some weight
    kept = members.sum(axis=1) >= (1 if len(members) == 2 else 3)
    if not kept.any():
        return kernel.strata, kernel.strata_names
    return members[kept], [name for name, keep in zip(names, kept, strict=True) if keep]


def check_can_vary(kernel: BoundMetric, method: str) -> None:
    """Raise when a class that every draw needs is in one unit only: no resample can vary it."""
    oof = kernel.oof
    strata, names = needed_strata(kernel)
    if strata is None:
        return
    units = Units.of(oof)
    sizes = units.indicator(strata).sum(axis=0)
    for name, size in zip(names, sizes, strict=True):
        if size == 1:
            raise UndefinedIntervalError(
                f"{method} cannot bootstrap {kernel.metric.name}: {name} has 1 {units.kind}, so "
                "all resamples agree on it and the interval would be far too narrow. At least 2 "
                f"{units.kind}s are needed."
            )


def within_classes(oof: OOFPredictions) -> Stratified:
    """Prepare draws of the tested samples within classes; raise where that is impossible."""
    dependent = oof.groups is not None or oof.block_length is not None
    if dependent or oof.classes_ is None:
        what = unit_of(oof) + "s" if dependent else "no classes"
        raise ValueError(
            f"stratify=True draws samples within classes, but there are {what}. Use "
            "stratify=False."
        )
    return Stratified(oof.y_true[oof.tested])


def note_on_strata(kernel: BoundMetric, notes: list[str]) -> None:
    """Add a note where draws within classes hide a part of the spread."""
    if not kernel.conditions_on_class:
        notes.append(
            f"Draws within classes keep the class sizes fixed, but {kernel.metric.name} depends "
            "on how often each class occurs: the interval leaves out that part of the spread. "
            "stratify=False does."
        )


@with_parameters
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
    {config}
    n_bootstraps : int, default=2000
        Number of draws, at least 20.
    {sides}
    {seed of draws}
    {threads}
    quantile : NormalScoreQuantile or None, default=None
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
    the folds are such. Within the folds whole groups are drawn where there are some, or blocks
    of samples that follow each other, see `OOFPredictions.with_blocks`. Of
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
    label = ("the hierarchical bootstrap", "hierarchical bootstrap")
    form_labels = bootstrap_labels("the {} hierarchical bootstrap", "hierarchical bootstrap, {}")
    requires = frozenset({"predictions", "folds"})
    estimand = OF_TRAINING_SETS
    meant_for = "one configuration with few samples, by any metric"
    cost = "O(B N)"
    limits = (
        "fewer than 5 folds; folds with few samples of a class; the studentised form with "
        "stratified folds where a class is badly predicted"
    )
    form: str = "studentised"
    second_stage: bool = True
    stratify: bool = False
    config: int | None = None
    n_bootstraps: int = 2000
    confidence_level: float = 0.95
    alternative: str = "two-sided"
    random_state: Any = None
    n_jobs: int | None = None
    quantile: QuantileRule | None = None

    _constraints = {"form": OneOf(BOOTSTRAP_FORMS)}

    def _validate(self) -> None:
        super()._validate()
        check_form(self.form, self.quantile)

    def _estimate(self, contest: Contest) -> ConfidenceInterval:
        oof, kernel = contest.oof, contest.scored
        name = type(self).__name__
        entropy = entropy_of(self.random_state)  # each fold makes draws of its own
        target = self._target(contest)
        details, notes = target.details, target.details["notes"]
        if self.stratify and self.second_stage:
            note_on_strata(kernel, notes)
        if self.form == "studentised":  # divides by the spread of the folds
            notes.extend(even_folds_notes(name, kernel, int(details["config"])))
        notes.extend(_singles_notes(name, kernel))
        if self.second_stage:
            kernel.warn_if_slow(self.n_bootstraps * oof.n_splits // oof.n_repeats, self.n_jobs)
        of_data = np.empty(oof.n_splits)
        details.update(form=self.form, n_redrawn=0, n_undefined=0, seed=entropy)
        parts = [self._of_repeat(oof, target, repeat, of_data) for repeat in range(oof.n_repeats)]
        bounds = [interval_bounds(self.form, part, self._tail(), details, name) for part in parts]
        low, high = (float(bound) for bound in np.mean(bounds, axis=0))
        details["degenerate"] = not low < high
        low, high = self._sided(low, high, kernel.metric.bounds)
        estimate, draws = parts[0].estimate, parts[0].draws
        if len(parts) > 1:  # undefined draws are left out, so their numbers may differ
            estimate = float(of_data.mean())
            draws = np.mean([evenly(np.sort(p.draws), self.n_bootstraps) for p in parts], axis=0)
        details.update(Replicates(estimate, draws).moments(), fold_scores=of_data.tolist())
        return self._result(
            kernel.metric, estimate, low, high, n_bootstraps=self.n_bootstraps, draws=draws,
            details=details,
        )  # fmt: skip

    def _of_repeat(
        self, oof: OOFPredictions, target: OneConfigTask, repeat: int, of_data: np.ndarray
    ) -> Replicates:
        """Draw replicates of the mean over the folds of a repeat; put fold scores in `of_data`."""
        splits = np.unique(oof.fold[oof.repeat == repeat])
        n_folds, n_draws = len(splits), self.n_bootstraps
        rng = np.random.default_rng([target.details["seed"], repeat])
        times = draw_with_replacement(rng, n_draws, n_folds).astype(np.intp)
        total, squares = np.zeros(n_draws), np.zeros(n_draws)
        for split, occurrences in zip(splits, times.T, strict=True):
            of_data[split], drawn = self._draw_in_fold(
                oof, target, int(split), int(occurrences.sum())
            )
            owner = np.repeat(np.arange(n_draws), occurrences)
            # Relative to a fold's own score: squares of small numbers lose no digits.
            of_squares = (drawn - of_data[splits[0]]) ** 2
            total += np.bincount(owner, drawn, minlength=n_draws)
            squares += np.bincount(owner, of_squares, minlength=n_draws)
        mean, scores = total / n_folds, of_data[splits]
        deviation = mean - scores[0]
        variance = np.maximum(squares - n_folds * deviation**2, 0) / max(n_folds - 1, 1)
        target.details["n_undefined"] += count_undefined(self, mean, target.kernel.metric)
        defined = ~np.isnan(mean)

        def standard_error() -> tuple[float, np.ndarray]:
            if n_folds < 2:
                raise UndefinedIntervalError(
                    "The studentised form takes standard errors from the spread of folds, but a "
                    "repeat has 1 fold. Use another form, such as percentile, or at least 2 folds."
                )
            on_data = float(scores.std(ddof=1) / np.sqrt(n_folds))
            return on_data, np.sqrt(variance / n_folds)[defined]

        return Replicates(
            float(scores.mean()),
            mean[defined],
            standard_error,
            lambda: scores - scores.mean(),
            self.quantile or NormalScoreQuantile(),
        )

    def _draw_in_fold(
        self, oof: OOFPredictions, target: OneConfigTask, split: int, n_draws: int
    ) -> tuple[float, np.ndarray]:
        """Score a fold on its samples, and on `n_draws` resamples of them."""
        rows = np.flatnonzero(oof.fold == split)
        fold = taken(oof, configs=np.array([target.config]), rows=rows)
        kernel = target.kernel.metric.bind(fold)
        metric, of_data = kernel.metric.name, float(kernel.on_data()[0])
        if np.isnan(of_data):
            labels = [] if fold.classes_ is None else fold.classes_.tolist()
            held = [f"{np.count_nonzero(fold.y_true == k)} of class {k}" for k in labels]
            raise UndefinedIntervalError(
                f"{metric} is undefined in fold {split} with its {fold.n_samples} samples "
                f"({', '.join(held) or 'no classes'}). Use fewer, stratified folds."
            )
        check_not_infinite(of_data, metric, f"in fold {split}")
        if not self.second_stage or n_draws == 0:
            return of_data, np.full(n_draws, of_data)
        kernel = with_block_length(kernel)  # blocks must fit into the fold, too
        fold, units = kernel.oof, Units.drawn(kernel.oof)
        strata = DrawStrata.of(kernel, units, out_of_bag=False)
        strata.check_varies(f"{type(self).__name__} in fold {split}", metric)
        draws = Draws(
            within_classes(fold) if self.stratify else plan_of(fold, units),
            n_draws, target.details["seed"], key=1 + split, n_jobs=self.n_jobs, out_of_bag=False,
            expand=units.expand, bytes_per_draw=kernel.bytes_per_draw, prefer=kernel.prefers,
            strata=strata,
        )  # fmt: skip
        drawn = draws.map(lambda counts: kernel.scores(counts)[:, 0])
        target.details["n_redrawn"] += draws.n_redrawn
        return of_data, drawn


MOST_NAN_NAMED = 5
"""Folds that a note names."""


def _singles_notes(method: str, kernel: BoundMetric) -> list[str]:
    """Note folds with one sample or group of a class; warn if half of the folds are such."""
    oof = kernel.oof
    classes = class_members(kernel)
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
    which = ", ".join(map(str, folds[:MOST_NAN_NAMED])) + ", ..." * (len(folds) > MOST_NAN_NAMED)
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


@dataclass(frozen=True)
class Roles:
    """Columns of predictions: one model (or one for each seed), and as many of a second one."""

    n_first: int
    paired: bool

    @property
    def estimand(self) -> str:
        """Estimated quantity, in words."""
        if self.paired:
            return "difference on new samples of two frozen models"
        if self.n_first > 1:
            return "score on new samples of models trained with the given seeds"
        return "score on new samples of a frozen model"

    def of_interest(self, scores: np.ndarray, kernel: BoundMetric) -> np.ndarray:
        """Select the scores, or compute the differences, to judge.

        `scores` (n_draws, n_columns) -> (n_draws,), with seeds (n_draws, n_seeds).
        """
        first = scores[:, : self.n_first]
        if self.paired:
            first = kernel.difference(first, scores[:, self.n_first :])
        return first[:, 0] if self.n_first == 1 else first


FEW_GROUPS_DRAWN = 20
FEW_SEEDS = 5


class ScoreBootstrap(BootstrapInterval):
    """Base of bootstraps of the score of one model, of a difference, or of the mean over seeds.

    All columns are scored on the same draws, so what they share cancels in a difference.
    """

    scores_out_of_bag = False

    form: str

    _constraints = {"form": OneOf(BOOTSTRAP_FORMS)}

    def _validate(self) -> None:
        super()._validate()
        check_form(self.form, self.quantile)

    def _n_scores(self, kernel: BoundMetric, units: Units) -> int:
        inner = N_INNER * (self.n_bootstraps + 1) if self.form == "studentised" else 0
        return self.n_bootstraps + inner + (units.n_units if self.form == "bca" else 0)

    def _interval(
        self,
        contest: Contest,
        draws: Any,
        score: Score,
        estimate: float,
        details: dict[str, Any],
        bounds: tuple[float, float],
        is_difference: bool = False,
        **fields: Any,
    ) -> tuple[ConfidenceInterval, Replicates]:
        """Compute the interval from draws that are not yet used, and its replicates.

        `score` gives (n_draws,), or (n_draws, n_seeds): the seeds of a draw share its samples.
        """
        oof, kernel, units = contest.oof, contest.scored, self._units(contest)
        notes = details["notes"]
        if self.form == "studentised" and units.kind == "sample" and oof.block_length is not None:
            raise ValueError(
                "form='studentised' draws single samples inside of each draw, but the predictions "
                "have blocks of samples that follow each other. Use form='percentile', or "
                "with_blocks(..., kind='consecutive')."
            )
        needed = needed_strata(kernel)[0]
        replicates, scores = replicate(
            score, estimate, units, draws, self.form, needed, contest.units
        )
        if self.quantile is not None:
            replicates = replace(replicates, rule=self.quantile)
        n_undefined = count_undefined(self, scores, kernel.metric)
        low, high = interval_bounds(
            self.form, replicates, self._tail(), details, self._label, is_difference=is_difference
        )
        low, high = self._sided(low, high, bounds)
        rounding = 1e-9 * (1 + abs(estimate))
        if estimate < low - rounding or estimate > high + rounding:
            notes.append(
                "The estimate is outside the interval: nearly all resamples score worse, or "
                "nearly all better, than the data, as with metrics that divide by a spread and "
                "few samples. Take more samples, or an error that divides by nothing."
            )
        details |= {**draw_details(self, contest, draws, notes), "n_undefined": n_undefined}
        details |= {"form": self.form, "seed": draws.entropy}
        details["standard_error"] = replicates.moments()["standard_error"]
        result = self._result(
            kernel.metric, estimate, low, high, bounds=bounds, n_bootstraps=self.n_bootstraps,
            draws=replicates.draws, details=details, **fields,
        )  # fmt: skip
        return result, replicates

    def _of_columns(
        self, contest: Contest, roles: Roles, notes: list[str]
    ) -> tuple[ConfidenceInterval, Replicates]:
        """Compute the interval of the score or difference of the columns, and its replicates."""
        oof, kernel = contest.oof, contest.scored
        draws = self.draws_for(contest)
        check_can_vary(kernel, self._label)
        on_data = kernel.on_data()
        of_data = roles.of_interest(on_data[None], kernel)[0]
        estimate = float(np.mean(of_data))
        check_not_infinite(estimate, kernel.metric.name)
        details: dict[str, Any] = {"unit": unit_of(oof), "notes": notes}
        if roles.n_first > 1:
            details["spread_of_seeds"] = float(np.std(of_data, ddof=1))
        n_groups = FEW_GROUPS_DRAWN
        if oof.groups is not None and oof.block_length is None:  # of blocks there is another note
            n_groups = len(np.unique(oof.groups))
        if n_groups < FEW_GROUPS_DRAWN:
            notes.append(
                f"Only {count(n_groups, 'group')}: with fewer than about {FEW_GROUPS_DRAWN} the "
                "interval is too narrow."
            )
        if 1 < roles.n_first < FEW_SEEDS:
            notes.append(
                f"Fewer than {FEW_SEEDS} seeds: the spread between training runs is not covered."
            )
        lowest, highest = kernel.metric.bounds
        result, replicates = self._interval(
            contest, draws,
            lambda counts: roles.of_interest(kernel.scores(counts), kernel), estimate, details,
            (lowest - highest, highest - lowest) if roles.paired else (lowest, highest),
            is_difference=roles.paired, method=f"{self.form}_bootstrap", estimand=roles.estimand,
        )  # fmt: skip
        if roles.paired:
            of_pair = {
                "p_value": p_value(self.form, replicates, "two-sided"),
                "scores": on_data.tolist(),
            }
            result = replace(result, details={**result.details, **of_pair})
        return result, replicates


@with_parameters
class PooledBootstrap(ScoreBootstrap, OneConfigInterval):
    """Naive bootstrap of the pooled out-of-fold predictions of one configuration.

    Samples are drawn with replacement together with their predictions, and the metric is
    computed anew. Nothing is refitted, so the interval accounts neither for the dependence of
    the folds nor for the randomness of training: it tends to be too narrow. It is here
    because many do it.

    Parameters
    ----------
    form : {"percentile", "basic", "normal", "studentised", "bca"}, default="percentile"
        How replicates become bounds.
    stratify : bool, default=False
        Draw within each class, so that class sizes never change. For targets with classes
        and without groups. Metrics that depend on how often each class occurs (all but
        ``roc_auc``, ``balanced_accuracy`` and the like) then lose a part of their spread,
        which a note says.
    {config}
    n_bootstraps : int, default=2000
        Number of draws, at least 20.
    {sides}
    {seed of draws}
    {threads}
    quantile : NormalScoreQuantile or None, default=None
        How quantiles are read off the sorted draws. None is `NormalScoreQuantile`; other
        programs have others. Not for the normal form, which takes none.

    Raises
    ------
    UndefinedIntervalError
        If the bca or studentised form is undefined for these data.

    See Also
    --------
    HierarchicalBootstrap : Draws folds, then samples in them.
    BBC : Accounts for the selection of the winner.

    Notes
    -----
    The forms are those of [1]_, chapter 5: quantiles of the replicates (percentile), the
    same mirrored at the estimate (basic), a normal interval with their bias and standard
    deviation (normal), quantiles in units of standard errors from an inner bootstrap of
    50 draws (studentised), and quantiles at levels corrected for bias and acceleration
    (bca, with the acceleration from leaving out one unit at a time; draws that equal the
    estimate count one half, so that scores with few values are not taken for biased). With
    groups, whole
    groups are drawn; with repeated cross-validation all repeats share one draw and the
    score is the mean over them. Bounds may lie outside the metric's range with the basic,
    normal and studentised form. Draws that all score the same give a point in every form,
    which a warning and ``details["degenerate"]`` mark. A class with one sample is refused
    where the metric needs it, since no resample can vary it.

    `details` of the result: ``form``, ``bias``, ``standard_error`` (of the replicates),
    ``degenerate``, ``n_redrawn``, ``n_lacking_class`` (draws without a class too small to be in
    every draw), ``n_undefined``, ``config``, ``winner``, ``winner_by``,
    ``selection_accounted_for``, ``unit``, ``seed``, ``n_untested``, ``n_configs``,
    ``n_valid``, ``kernel``, ``response``, ``notes``.

    References
    ----------
    .. [1] A. C. Davison, D. V. Hinkley, "Bootstrap methods and their application",
       Cambridge University Press (1997). :doi:`10.1017/CBO9780511802843`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import PooledBootstrap
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 50)
    >>> scores = rng.normal(size=100) + y
    >>> oof = OOFPredictions(y_true=y, y_pred=scores, fold=np.arange(100) // 20)
    >>> result = PooledBootstrap(form="bca", random_state=0).estimate(oof, "roc_auc")
    >>> bool(0.6 < result.low < result.estimate < result.high < 0.9)
    True
    """

    name = "pooled_bootstrap"
    label = ("the bootstrap of pooled predictions", "pooled bootstrap")
    form_labels = bootstrap_labels(
        "the {} bootstrap of pooled predictions", "pooled bootstrap, {}"
    )
    meant_for = "one model on samples that it has not seen, by any metric"
    cost = "O(B N); 50 times that when studentised"
    limits = (
        "ignores folds and training: too narrow after cross-validation; a class with one "
        "sample; fewer than about 20 groups"
    )
    pairs = True
    not_for_pairs = ("config",)
    form: str = "percentile"
    stratify: bool = False
    config: int | None = None
    n_bootstraps: int = 2000
    confidence_level: float = 0.95
    alternative: str = "two-sided"
    random_state: Any = None
    n_jobs: int | None = None
    quantile: QuantileRule | None = None

    def _resampling(self, oof: OOFPredictions, units: Units) -> Resampling:
        return within_classes(oof) if self.stratify else super()._resampling(oof, units)

    def _difference(self, contest: Contest) -> ConfidenceInterval:
        return judged_pair(self, contest)[0]

    def _estimate(self, contest: Contest) -> ConfidenceInterval:
        kernel, draws = contest.scored, self.draws_for(contest)
        target = self._target(contest)
        check_can_vary(kernel, self._label)
        if self.stratify:
            note_on_strata(kernel, target.details["notes"])

        def score(counts: np.ndarray) -> np.ndarray:
            return kernel.score_of(counts, np.full(len(counts), target.config))

        result, replicates = self._interval(
            contest, draws, score, target.estimate, target.details, kernel.metric.bounds
        )
        return replace(result, details={**result.details, **replicates.moments()})


def judged_pair(
    method: PooledBootstrap, contest: Contest
) -> tuple[ConfidenceInterval, Replicates]:
    """Compute the interval of the difference of two configurations, and its replicates."""
    notes: list[str] = []
    if method.stratify:
        note_on_strata(contest.scored, notes)
    result, replicates = method._of_columns(contest, Roles(1, True), notes)
    return replace(result, method=method.name, estimand=OF_TWO), replicates
