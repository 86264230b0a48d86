"""Bootstrap of one configuration: forms of bounds, p-values, pooled and hierarchical draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from scipy.stats import norm

from .._text import count
from .._warnings import warn_user
from ..exceptions import IntervalWarning, UndefinedIntervalError
from ..metrics._base import class_members
from ..metrics._bound import WEIGHTY, BoundKernel
from ..metrics._metric import Metric
from ..predictions._predictions import OOFPredictions, fold_of
from ..resampling import IID, Draws, Resampling, Stratified, Units, draw_with_replacement
from ..results._results import ConfidenceInterval
from ._base import (
    BootstrapInterval,
    DrawStrata,
    IntervalRules,
    NormalScoreQuantile,
    QuantileRule,
    smallest_level,
    with_parameters,
)
from ._fold_scores import OF_TRAINING, told_of_even_folds
from ._notes import tell_degenerate, unit_word
from ._single_base import OF_TWO, OneConfigInterval, Target, check_not_infinite


def share_above(scores: np.ndarray, observed: float) -> np.ndarray:
    """1 for each score above the observed one, 1/2 for equal ones, else 0."""
    # The same score computed from other counts may differ in the last bits.
    close = np.isclose(scores, observed, rtol=1e-12, atol=1e-12)
    return np.where(close, 0.5, scores > observed)


ROUNDING = 1e-6
"""Standard errors of draws below this part of the one on the data are zeros."""


@dataclass(frozen=True, eq=False)
class Replicates:
    """Bootstrap replicates of an estimate, and what some forms need besides.

    Attributes
    ----------
    estimate : float
        The estimate on the data.
    draws : ndarray of shape (n_draws,)
        The estimate on each resample, all defined.
    standard_error : callable or None
        Gives the standard error on the data and on each resample (float and ndarray of
        shape (n_draws,)); a callable, since only the studentised form needs it.
    influence : callable or None
        Gives the empirical influence value of each resampled unit; only for BCa.
    rule : QuantileRule or None
        How quantiles are read off the draws; None interpolates on the normal scale.
    """

    estimate: float
    draws: np.ndarray
    standard_error: Callable[[], tuple[float, np.ndarray]] | None = None
    influence: Callable[[], np.ndarray] | None = None
    rule: QuantileRule | None = None


def quantile(draws: np.ndarray, level: float, rule: QuantileRule | None = None) -> float:
    """Quantile of replicates.

    `draws` (n_draws,).
    """
    return (rule or NormalScoreQuantile()).between(np.sort(draws), level)


def percentile(replicates: Replicates, tail: float) -> tuple[float, float]:
    """Quantiles of the replicates."""
    draws, rule = replicates.draws, replicates.rule
    return quantile(draws, tail, rule), quantile(draws, 1 - tail, rule)


def basic(replicates: Replicates, tail: float) -> tuple[float, float]:
    """Quantiles of the replicates, mirrored at the estimate."""
    low, high = percentile(replicates, tail)
    return 2 * replicates.estimate - high, 2 * replicates.estimate - low


def normal(replicates: Replicates, tail: float) -> tuple[float, float]:
    """Normal interval with the bias and the standard deviation of the replicates."""
    infinite = np.count_nonzero(np.isinf(replicates.draws))
    if infinite:
        raise UndefinedIntervalError(
            f"The normal form is undefined: {infinite} of {len(replicates.draws)} draws have an "
            "infinite score, and so no standard deviation. Use another form, such as percentile."
        )
    centre = 2 * replicates.estimate - replicates.draws.mean()
    half = norm.ppf(1 - tail) * replicates.draws.std(ddof=1)
    return float(centre - half), float(centre + half)


def studentised(replicates: Replicates, tail: float) -> tuple[float, float]:
    """Quantiles of the replicates in units of their own standard errors."""
    on_data, pivots = pivots_of(replicates)
    return (
        replicates.estimate - on_data * quantile(pivots, 1 - tail, replicates.rule),
        replicates.estimate - on_data * quantile(pivots, tail, replicates.rule),
    )


def pivots_of(replicates: Replicates) -> tuple[float, np.ndarray]:
    """Standard error on the data, and deviations of the replicates in units of their own."""
    assert replicates.standard_error is not None
    on_data, on_draws = replicates.standard_error()
    # Equal scores leave a rounding error as their spread, which would blow the pivot up.
    usable = on_draws > ROUNDING * on_data
    if np.count_nonzero(usable) < 0.5 * len(on_draws) or not on_data > 0:
        raise UndefinedIntervalError(
            "The studentised form needs standard errors, but they are zero on the data or in more "
            "than half of the draws. Use another form, such as percentile."
        )
    return on_data, (replicates.draws[usable] - replicates.estimate) / on_draws[usable]


def bca(replicates: Replicates, tail: float) -> tuple[float, float]:
    """Quantiles of the replicates at levels corrected for bias and acceleration."""
    share, acceleration = share_and_acceleration(replicates)
    bias = norm.ppf(share)
    shifted = bias + norm.ppf([tail, 1 - tail])
    if not (acceleration * shifted < 1).all():
        raise UndefinedIntervalError(
            f"The bca form is undefined: its acceleration of {acceleration:.3g} is "
            f"{'undefined' if np.isnan(acceleration) else 'too large'} for a share of {share:.3g} "
            "of the draws below the estimate. Use another form, such as percentile."
        )
    levels = norm.cdf(bias + shifted / (1 - acceleration * shifted))
    draws, rule = replicates.draws, replicates.rule
    return quantile(draws, levels[0], rule), quantile(draws, levels[1], rule)


def share_and_acceleration(replicates: Replicates) -> tuple[float, float]:
    """Share of the replicates below the estimate, and their acceleration, of the bca form."""
    assert replicates.influence is not None
    # Equal draws count one half, or scores with few values would all seem biased upwards.
    above = share_above(replicates.draws, replicates.estimate)
    for side, farthest in (("below", above.min()), ("above", 1 - above.max())):
        if farthest > 0:
            raise UndefinedIntervalError(
                f"The bca form is undefined: 0% of the draws lie {side} the estimate, so their "
                "bias cannot be corrected. Use another form, such as percentile."
            )
    share = 1 - above.mean()
    influence = replicates.influence()
    # Only their proportions count; a power of two changes no digit and prevents overflow.
    influence = np.ldexp(influence, -np.frexp(np.abs(influence).max())[1])
    scale = (influence**2).sum() ** 1.5
    return share, (influence**3).sum() / (6 * scale) if scale > 0 else 0.0


FORMS: dict[str, Callable[[Replicates, float], tuple[float, float]]] = {
    "percentile": percentile,
    "basic": basic,
    "normal": normal,
    "studentised": studentised,
    "bca": bca,
}


def bounds_of(
    form: str, replicates: Replicates, tail: float, details: dict[str, Any], method: str
) -> tuple[float, float]:
    """Bounds by one of `FORMS`; replicates without any spread are a point, with a warning."""
    estimate = replicates.estimate
    degenerate = not has_spread(replicates)
    tell_degenerate(details, method, degenerate, f"Every draw scores {estimate:g}")
    return (estimate, estimate) if degenerate else FORMS[form](replicates, tail)


def has_spread(replicates: Replicates) -> bool:
    """Whether any replicate differs from the estimate by more than rounding."""
    farthest = float(np.abs(replicates.draws - replicates.estimate).max())
    return farthest > 1e-12 * max(1.0, abs(replicates.estimate))


def tell_outside(estimate: float, low: float, high: float, notes: list[str]) -> None:
    """Add a note where the estimate lies outside its own interval."""
    rounding = 1e-9 * (1 + abs(estimate))
    if estimate < low - rounding or estimate > high + rounding:
        notes.append(
            "The estimate is outside the interval: nearly all resamples score worse, or nearly "
            "all better, than the data, as with metrics that divide by a spread and few samples. "
            "Take more samples, or an error that divides by nothing."
        )


def bias_and_error(replicates: Replicates) -> dict[str, float]:
    """Bias and standard error of replicates for `details`; NaN where a draw is infinite."""
    if np.isinf(replicates.draws).any():
        return {"bias": np.nan, "standard_error": np.nan}
    return {
        "bias": float(replicates.draws.mean() - replicates.estimate),
        "standard_error": float(replicates.draws.std(ddof=1)),
    }


def check_form(form: str, rule: QuantileRule | None = None) -> None:
    """Raise unless `form` is one of `FORMS`, and takes quantiles if there is a rule for them."""
    if form not in FORMS:
        raise ValueError(f"form must be one of {list(FORMS)}, got {form!r}.")
    if form == "normal" and rule is not None:
        raise ValueError(
            f"quantile={rule!r} is about quantiles of draws, but form='normal' takes their "
            "standard deviation. Use another form, or quantile=None."
        )


Score = Callable[[np.ndarray], np.ndarray]
"""Takes counts per sample (n_draws, n_samples), gives scores (n_draws,)."""

N_INNER = 50
"""Inner draws for one standard error, which is then known to about a tenth."""

COUNTS_AT_ONCE = 2**19
"""Counts of inner draws that are scored in one call: half a megabyte, which stays in the cache."""


def replicate(
    score: Score,
    estimate: float,
    units: Units,
    draws: Draws,
    form: str,
    needed: np.ndarray | None = None,
) -> tuple[Replicates, np.ndarray]:
    """Replicates of an estimate, with what the form of the interval needs besides.

    `needed` (n_strata, n_samples) -> `scores` (n_draws,).
    """
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
    defined = ~np.isnan(scores)
    everything = units.expand(np.ones((1, units.n_units), dtype=np.uint8))
    replicates = Replicates(
        estimate,
        scores[defined],
        cache(lambda: (float(score_and_spread(everything)[1][0]), spread[defined])),
        cache(lambda: influence_of_units(units, score)),
    )
    return replicates, scores


def draws_in_bag(
    oof: OOFPredictions, kernel: BoundKernel, units: Units, resampling: Resampling, n_draws: int,
    entropy: int, method: str, **more: Any,
) -> Draws:  # fmt: skip
    """Make draws that hold every class that the metric needs, or raise in the method's name."""
    strata = DrawStrata.of(oof, kernel, units, out_of_bag=False)
    strata.check_varies(method, kernel.metric.name)
    more |= strata.for_draws() | {"expand": units.expand, "bytes_per_draw": kernel.bytes_per_draw}
    return Draws(resampling, n_draws, entropy, out_of_bag=False, prefer=kernel.prefers, **more)


def within_classes(oof: OOFPredictions) -> Stratified:
    """Draws of the tested samples within classes; raise where that cannot be done."""
    if oof.groups is not None or oof.classes_ is None:
        what = "groups" if oof.groups is not None else "no classes"
        raise ValueError(
            f"stratify=True draws samples within classes, but there are {what}. Use "
            "stratify=False."
        )
    return Stratified(oof.y_true[oof.tested])


def note_on_strata(kernel: BoundKernel, details: dict[str, Any]) -> None:
    """Say in `details` where draws within classes hide a part of the spread."""
    if not kernel.conditions_on_class:
        details["notes"].append(
            f"Draws within classes keep the class sizes fixed, but {kernel.metric.name} depends "
            "on how often each class occurs: the interval does not know that part of the spread. "
            "stratify=False does."
        )


def n_scores(form: str, n_bootstraps: int, n_units: int) -> int:
    """How many scores of one configuration `replicate` and the form of the interval take."""
    inner = N_INNER * (n_bootstraps + 1) if form == "studentised" else 0
    return n_bootstraps + inner + (n_units if form == "bca" else 0)


def needed_strata(oof: OOFPredictions, kernel: BoundKernel) -> tuple[np.ndarray | None, list[str]]:
    """Samples of which every draw needs one, and the names of these strata.

    They are those without which the metric is undefined. Where there are none, they are the
    classes, unless the metric is a mean over samples: what scikit-learn scores 0 / 0 as, or a
    class that drops out of a mean, is not a score of the classifier. Of more than two classes
    those with fewer than 3 samples are not asked for.

    Returns shape `strata` (n_strata, n_samples).
    """
    classes = class_members(kernel.metric, oof)
    needs_none = kernel.strata is None or kernel.strata_names == [WEIGHTY]
    if classes is None or not needs_none:
        return kernel.strata, kernel.strata_names
    members, names = classes  # of samples with some weight
    kept = members.sum(axis=1) >= (1 if len(members) == 2 else 3)
    if not kept.any():
        return kernel.strata, kernel.strata_names
    return members[kept], [name for name, keep in zip(names, kept, strict=True) if keep]


def check_can_vary(oof: OOFPredictions, kernel: BoundKernel, units: Units, method: str) -> None:
    """Raise when a class that every draw needs is in one unit: no resample can vary it."""
    strata, names = needed_strata(oof, kernel)
    if strata is None:
        return
    sizes = units.indicator(strata).sum(axis=0)
    for name, size in zip(names, sizes, strict=True):
        if size == 1:
            raise UndefinedIntervalError(
                f"{method} cannot bootstrap {kernel.metric.name}: {name} has 1 {units.kind}, so "
                "all resamples agree on it and the interval would be far too narrow. At least 2 "
                f"{units.kind}s are needed."
            )


def influence_of_units(units: Units, score: Score, batch: int = 256) -> np.ndarray:
    """Empirical influence of each unit, from leaving out one at a time.

    Returns shape (n_units,).
    """
    values = []
    for start in range(0, units.n_units, batch):
        left_out = np.arange(start, min(start + batch, units.n_units))
        counts = np.ones((len(left_out), units.n_units), dtype=np.uint8)
        counts[np.arange(len(left_out)), left_out] = 0
        values.append(score(units.expand(counts)))
    without = np.concatenate(values)
    defined = np.isfinite(without)
    influence = np.zeros(units.n_units)
    if defined.any():
        influence[defined] = (units.n_units - 1) * (without[defined].mean() - without[defined])
    return influence


def inner_patterns(n_units: int, entropy: int) -> np.ndarray:
    """Counts of inner draws over the picks of an outer draw, shape (N_INNER, n_units).

    One set of patterns serves all outer draws: the picks of a draw are exchangeable, and
    so no result depends on the order or the batches in which draws are scored.
    """
    rng = np.random.default_rng([entropy, 1])
    return IID(n_units).draw(rng, N_INNER)


def inner_standard_errors(
    counts: np.ndarray, units: Units, patterns: np.ndarray, score: Score
) -> np.ndarray:
    """Standard error of the estimate on each resample, from inner draws out of it.

    `counts` (n_draws, n_samples), `patterns` (N_INNER, n_units) -> (n_draws,).
    """
    first = np.unique(units.of_sample, return_index=True)[1][-units.n_units :]
    of_units = counts[:, first]
    largest = int(patterns.max()) * int(of_units.max(initial=0))
    running = running_totals(patterns, np.min_scalar_type(largest))
    result = np.empty(len(counts))
    size = max(1, COUNTS_AT_ONCE // (len(patterns) * counts.shape[1]))
    for start in range(0, len(counts), size):
        batch = of_units[start : start + size]
        inner = inner_counts(batch, running)[:, : len(patterns)]
        inner = np.ascontiguousarray(inner).reshape(-1, units.n_units)
        values = score(units.expand(inner)).reshape(len(batch), len(patterns))
        result[start : start + size] = standard_deviations(values)
    return result


def running_totals(patterns: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Counts of the picks before each, shape (n_units + 1, N_INNER and up to 7 zeros more).

    They may overflow `dtype`: only differences are used, which come out right where they fit.
    """
    n_patterns, n_picks = patterns.shape
    totals = np.zeros((n_picks + 1, -(-n_patterns // 8) * 8), dtype=dtype)
    np.cumsum(patterns.T, axis=0, dtype=dtype, out=totals[1:, :n_patterns])
    return totals


def inner_counts(of_units: np.ndarray, running: np.ndarray) -> np.ndarray:
    """Counts of the units in all inner draws, shape (n_draws, N_INNER and more, n_units).

    The picks of a draw are in the order of its units, so a unit holds a run of them.
    """
    after = np.zeros((len(of_units), of_units.shape[1] + 1), dtype=np.intp)
    np.cumsum(of_units, axis=1, dtype=np.intp, out=after[:, 1:])
    # Words of eight bytes are gathered faster than bytes.
    at = running.view(np.uint64).take(after, axis=0).view(running.dtype)
    return (at[:, 1:] - at[:, :-1]).transpose(0, 2, 1)


def standard_deviations(values: np.ndarray) -> np.ndarray:
    """Standard deviation of the finite values of each row; 0 where fewer than 2 are."""
    finite = np.isfinite(values)
    result = np.where(finite, values, 0.0).std(axis=1, ddof=1)
    for k in np.flatnonzero(~finite.all(axis=1)):
        defined = values[k][finite[k]]
        result[k] = defined.std(ddof=1) if len(defined) > 1 else 0.0
    return result


MOST_NAMED = 5
"""Folds that a note names."""


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
        inner = draws_in_bag(
            fold, kernel, units, within_classes(fold) if self.stratify else IID(units.n_units),
            n_draws, entropy, method=f"{type(self).__name__} in fold {split}", n_jobs=self.n_jobs,
            key=1 + split,
        )  # fmt: skip
        drawn = inner.map(lambda counts: kernel.scores(counts)[:, 0])
        return of_data, drawn, inner.n_redrawn


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


def p_value(form: str, replicates: Replicates, alternative: str) -> float:
    """P-value of no difference.

    For ``"greater"`` (``"less"`` is its mirror image) it is the smallest error rate of one side
    at which the lower bound is above zero. percentile: the level of the draws at zero, about
    ``#{draws <= 0} / B`` of B draws. basic and studentised [2]_: the same of the draws mirrored
    at the estimate, and of the estimate less pivots times standard error. normal: the tail of the
    normal distribution. bca: the percentile one on the scale corrected for bias and acceleration
    [1]_. But for the normal form none is below ``1 / (B + 1)``, since the draws know nothing
    beyond. Draws that equal the bound count in full: with half of them, 3 samples of which only
    one side is right and none of which only the other is would be a difference at 5%. Without any
    spread it is the one of the percentile form.

    References
    ----------
    .. [1] B. Efron, R. J. Tibshirani, "An introduction to the bootstrap", section 15.4,
       Chapman and Hall (1993).
    .. [2] A. C. Davison, D. V. Hinkley, "Bootstrap methods and their application", section
       4.4, Cambridge University Press (1997). :doi:`10.1017/CBO9780511802843`
    """
    one_sided = _GREATER[form if has_spread(replicates) else "percentile"]
    if alternative == "greater":
        return one_sided(replicates)
    less = one_sided(_mirrored(replicates))
    if alternative == "less":
        return less
    return min(1.0, 2 * min(one_sided(replicates), less))


def _mirrored(replicates: Replicates) -> Replicates:
    """Replicates of the second model minus the first."""

    def influence() -> np.ndarray:
        assert replicates.influence is not None  # asked for by bca only
        return -replicates.influence()

    return replace(
        replicates,
        estimate=-replicates.estimate,
        draws=-replicates.draws,
        influence=influence,
    )


def _percentile(replicates: Replicates) -> float:
    return _of_bounds(replicates.draws, replicates)


def _of_bounds(values: np.ndarray, replicates: Replicates) -> float:
    """Smallest level of values whose quantile is the lower bound."""
    return smallest_level(np.sort(values), replicates.rule or NormalScoreQuantile())


def _basic(replicates: Replicates) -> float:
    return _of_bounds(2 * replicates.estimate - replicates.draws, replicates)


def _normal(replicates: Replicates) -> float:
    centre = 2 * replicates.estimate - replicates.draws.mean()
    return float(norm.sf(centre / replicates.draws.std(ddof=1)))


def _studentised(replicates: Replicates) -> float:
    on_data, pivots = pivots_of(replicates)
    return _of_bounds(replicates.estimate - on_data * pivots, replicates)


def _bca(replicates: Replicates) -> float:
    share, acceleration = share_and_acceleration(replicates)
    bias = norm.ppf(share)
    shifted = norm.ppf(_percentile(replicates)) - bias
    stretch = 1 + acceleration * shifted
    # Beyond the pole of the correction no level reaches zero.
    corrected = shifted / stretch if stretch > 0 else np.copysign(np.inf, shifted)
    return max(float(norm.cdf(corrected - bias)), 1 / (len(replicates.draws) + 1))


_GREATER: dict[str, Callable[[Replicates], float]] = {
    "percentile": _percentile,
    "basic": _basic,
    "normal": _normal,
    "studentised": _studentised,
    "bca": _bca,
}


OF_POPULATION = "score on new samples of a frozen model"
OF_DIFFERENCE = "difference on new samples of two frozen models"
OF_SEEDS = "score on new samples of models trained with the given seeds"


@dataclass(frozen=True)
class Roles:
    """What the columns of predictions are: one model, two to compare, or several seeds.

    Attributes
    ----------
    n_first : int
        Columns of the first model: one, or one for each seed.
    paired : bool
        Whether as many columns of a second model follow.
    """

    n_first: int
    paired: bool

    @property
    def n_columns(self) -> int:
        """Number of columns of all models."""
        return self.n_first * (1 + self.paired)

    @property
    def estimand(self) -> str:
        """What is estimated, in words."""
        if self.paired:
            return OF_DIFFERENCE
        return OF_SEEDS if self.n_first > 1 else OF_POPULATION

    def of_interest(self, scores: np.ndarray, kernel: BoundKernel) -> np.ndarray:
        """Scores or differences to judge.

        `scores` (n_draws, n_columns) -> (n_draws,).
        """
        first = scores[:, : self.n_first]
        if self.paired:
            first = kernel.difference(first, scores[:, self.n_first :])
        return first[:, 0] if self.n_first == 1 else first

    def bounds(self, metric: Metric) -> tuple[float, float]:
        """Smallest and largest value of what is judged."""
        lowest, highest = metric.bounds
        return (lowest - highest, highest - lowest) if self.paired else (lowest, highest)


PAIR = Roles(1, True)


FEW_GROUPS = 20
FEW_SEEDS = 5


@dataclass(frozen=True, kw_only=True, eq=False)
class JointBootstrap:
    """Bootstrap of the score of one model, of a difference, or of the mean over seeds.

    All columns are scored on the same draws, so what they share cancels in a difference.

    Parameters
    ----------
    rules : IntervalRules
        Level and sidedness, and the name for messages.
    form : str
        One of `FORMS`.
    roles : Roles
        What the columns are.
    quantile : QuantileRule or None, default=None
        How quantiles are read off the draws; None interpolates on the normal scale.
    """

    rules: IntervalRules
    form: str
    roles: Roles
    quantile: QuantileRule | None = None

    def interval(
        self, oof: OOFPredictions, kernel: BoundKernel, units: Units, draws: Any
    ) -> ConfidenceInterval:
        """Interval from draws that are unused so far, see `judge`."""
        return self.judge(oof, kernel, units, draws)[0]

    def judge(
        self, oof: OOFPredictions, kernel: BoundKernel, units: Units, draws: Any
    ) -> tuple[ConfidenceInterval, Replicates]:
        """Interval, and the replicates behind it, from draws that are unused so far."""
        rules, roles, metric = self.rules, self.roles, kernel.metric
        on_data = kernel.on_data()
        of_data = roles.of_interest(on_data[None], kernel)[0]
        estimate = float(np.mean(of_data))
        check_not_infinite(estimate, metric.name)
        replicates, scores = self._replicates(estimate, oof, kernel, units, draws)
        details: dict[str, Any] = {"form": self.form, "notes": []}
        n_undefined = rules._count_undefined(scores, metric)
        low, high = bounds_of(self.form, replicates, rules._tail(), details, rules._label)
        bounds = roles.bounds(metric)
        low, high = rules._sided(low, high, bounds)
        tell_outside(estimate, low, high, details["notes"])
        strata = DrawStrata.of(oof, kernel, units, out_of_bag=False)
        strata.tell(draws.n_lacking, draws.n_draws, details)
        details.update(
            standard_error=bias_and_error(replicates)["standard_error"],
            unit=unit_word(oof.groups),
            n_redrawn=draws.n_redrawn,
            n_undefined=n_undefined,
            seed=draws.entropy,
        )
        if roles.paired:
            details["p_value"] = p_value(self.form, replicates, "two-sided")
            details["scores"] = on_data.tolist()
        if roles.n_first > 1:
            details["spread_of_seeds"] = float(np.std(of_data, ddof=1))
        _tell_few(oof, roles, details["notes"])
        result = rules._result(
            metric,
            estimate,
            low,
            high,
            bounds=bounds,
            method=f"{self.form}_bootstrap",
            estimand=roles.estimand,
            n_bootstraps=draws.n_draws,
            draws=replicates.draws,
            details=details,
        )
        return result, replicates

    def _replicates(
        self,
        estimate: float,
        oof: OOFPredictions,
        kernel: BoundKernel,
        units: Units,
        draws: Any,
    ) -> tuple[Replicates, np.ndarray]:
        """Replicates with a defined score, and the scores of all draws."""

        def score(counts: np.ndarray) -> np.ndarray:
            return self.roles.of_interest(kernel.scores(counts), kernel)

        if self.roles.n_first == 1:
            needed = needed_strata(oof, kernel)[0]
            replicates, scores = replicate(score, estimate, units, draws, self.form, needed)
        else:
            scores = draws.map(score).ravel()  # the seeds of a draw share its samples
            replicates = Replicates(estimate, scores[~np.isnan(scores)])
        return replace(replicates, rule=self.quantile), scores


def _tell_few(oof: OOFPredictions, roles: Roles, notes: list[str]) -> None:
    """Note where there are too few groups or seeds for the spread between them."""
    n_groups = len(np.unique(oof.groups)) if oof.groups is not None else FEW_GROUPS
    if n_groups < FEW_GROUPS:
        notes.append(
            f"Only {n_groups} groups: with fewer than about {FEW_GROUPS} the interval is too "
            "narrow."
        )
    if 1 < roles.n_first < FEW_SEEDS:
        notes.append(
            f"Fewer than {FEW_SEEDS} seeds: the spread between training runs is not covered."
        )


@with_parameters
class PooledBootstrap(BootstrapInterval, OneConfigInterval):
    """Naive bootstrap of the pooled out-of-fold predictions of one configuration.

    Samples are drawn with replacement together with their predictions, and the metric is
    computed anew. Nothing is refitted, so the interval knows neither of the dependence of
    the folds nor of the randomness of training: it tends to be too narrow. It is here
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
    meant_for = "one model on samples that it has not seen, by any metric"
    cost = "O(B N); 50 times that when studentised"
    limits = (
        "ignores folds and training: too narrow after cross-validation; a class with one "
        "sample; fewer than about 20 groups"
    )
    scores_out_of_bag = False
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

    def _validate(self) -> None:
        super()._validate()
        check_form(self.form, self.quantile)

    def _resampling(self, oof: OOFPredictions, units: Units) -> Resampling:
        return within_classes(oof) if self.stratify else super()._resampling(oof, units)

    def _n_scores(self, kernel: BoundKernel, units: Units) -> int:
        return n_scores(self.form, self.n_bootstraps, units.n_units)

    def _difference(self, oof: OOFPredictions, kernel: BoundKernel) -> ConfidenceInterval:
        return self._judged_pair(oof, kernel)[0]

    def _judged_pair(
        self, oof: OOFPredictions, kernel: BoundKernel
    ) -> tuple[ConfidenceInterval, Replicates]:
        """Interval of the difference of two configurations, and the replicates behind it."""
        draws = self._draws(oof, kernel)
        units = Units.of(oof)
        check_can_vary(oof, kernel, units, type(self).__name__)
        joint = JointBootstrap(rules=self, form=self.form, roles=PAIR, quantile=self.quantile)
        result, replicates = joint.judge(oof, kernel, units, draws)
        details = dict(result.details)
        if self.stratify:
            note_on_strata(kernel, details)
        result = replace(result, method=self.name, estimand=OF_TWO, details=details)
        return result, replicates

    def _estimate(self, oof: OOFPredictions, kernel: BoundKernel) -> ConfidenceInterval:
        draws = self._draws(oof, kernel)
        target = self._target(oof, kernel)
        units, name = Units.of(oof), type(self).__name__
        check_can_vary(oof, kernel, units, name)
        needed = needed_strata(oof, kernel)[0]
        if self.stratify:
            note_on_strata(kernel, target.details)

        def score(counts: np.ndarray) -> np.ndarray:
            return kernel.score_of(counts, np.full(len(counts), target.config))

        replicates, scores = replicate(score, target.estimate, units, draws, self.form, needed)
        replicates = replace(replicates, rule=self.quantile)
        n_undefined = self._count_undefined(scores, kernel.metric)
        low, high = bounds_of(self.form, replicates, self._tail(), target.details, name)
        low, high = self._sided(low, high, kernel.metric.bounds)
        tell_outside(target.estimate, low, high, target.details["notes"])
        target.details.update(
            form=self.form,
            **bias_and_error(replicates),
            **self._draw_details(oof, kernel, draws, target.details["notes"]),
            n_undefined=n_undefined,
            seed=draws.entropy,
        )
        return self._result(
            kernel.metric,
            replicates.estimate,
            low,
            high,
            n_bootstraps=self.n_bootstraps,
            draws=replicates.draws,
            details=target.details,
        )
