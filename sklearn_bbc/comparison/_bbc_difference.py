"""Difference of two tuned sides, each selection repeated on common bootstrap draws."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .._text import capital, fixed, metric_words
from .._utils import with_parameters
from ..intervals._base import DrawStrata, QuantileRule
from ..intervals._bbc import threshold_notes
from ..intervals._notes import caveats, pooled_score, unit_of, winner_of
from ..intervals._ordered import block_details, influence, plan_of, settled_by
from ..metrics._bound import BoundKernel
from ..metrics._metric import Metric
from ..predictions._predictions import OOFPredictions, part_of
from ..resampling import Draws, Units, entropy_of
from ..results._results import ComparisonResult
from ..selection._base import BoundSelection, Outcome, as_selection
from ._base import (
    ON_TEST_SET,
    BaseComparison,
    Pair,
    Side,
    check_metric,
    check_not_the_same,
    joined,
    names_apart,
)


@dataclass(frozen=True, kw_only=True, eq=False)
class BoundSide:
    """A side with its rule bound to its predictions."""

    side: Side
    oof: OOFPredictions
    kernel: BoundKernel
    rule: BoundSelection

    @property
    def winner(self) -> int:
        """Configuration selected on all samples, as an index into what the side was given."""
        return self.column if self.side.config is None else int(self.side.config)

    @cached_property
    def column(self) -> int:
        """Configuration selected on all samples, as an index into `oof`."""
        if self.side.config is not None:
            return 0
        return winner_of(self.oof, self.rule)

    def selects_winner(self, outcome: Outcome) -> np.ndarray:
        """Mark draws that select the winner, or what predicts the same, (n_draws,), bool."""
        if not self.rule.of_configurations:
            return self.rule.same(outcome, self.rule.on_all())
        chosen, alike = outcome["config"], self.kernel.first_alike
        return (chosen >= 0) & (alike[chosen] == alike[self.column])


@with_parameters
class BBCDifference(BaseComparison):
    """Difference of what two searches select, with both selections repeated.

    In every draw each side selects its configuration anew on the drawn samples, and both are
    scored on the samples left out, the same for both. So luck in tuning favours neither side,
    and what both have in common cancels. A side may also be one configuration that was fixed
    beforehand, such as a default. Nothing is refitted.

    Parameters
    ----------
    n_bootstraps : int, default=2000
        Number of draws, at least 20.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What speaks against no difference; ``"greater"`` is that the first side is better.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.
    quantile : NormalScoreQuantile or None, default=None
        How bounds are read off the sorted draws; None is `OrderStatistic`.

    See Also
    --------
    sklearn_bbc.BBC : The score of one side, from the same draws with the same seed.
    CorrectedResampledT : From scores per fold, without account for the selection.

    Notes
    -----
    The difference is the mean of the draws, ``d_b = L_b(first) - L_b(second)``, where ``L_b``
    is the out-of-bag score of `BBC`. The p-value is the smallest level at which the interval of
    the same draws excludes zero, so the two never disagree: about twice the smaller of
    ``(#{d_b < 0} + #{d_b = 0} / 2) / B`` and its mirror image, at least ``2 / (B + 1)``. Draws
    without a difference count half (mid-p), such as those in which both sides select the same
    configuration. A fixed side that predicts the same as the winner of the other is refused.

    Out-of-bag scores use about 0.37 of the samples, which makes the interval 1.31 times as wide.
    That pays for the training of the models, which tests on all predictions do not know: in
    `coverage.py comparisons` equal sides were called different in at most 4% of data sets, by the
    paired bootstrap of all predictions of trained models in 7 to 29%. Whole groups are drawn;
    draws that lack a class are treated as in `BBC`.

    `details` of the result: ``scores`` (corrected score of each side), ``winners`` (configuration
    of each side on all samples), ``winner_shares`` (of the draws), ``n_configs``,
    ``share_equal`` (draws without any difference), ``standard_error`` (of the draws),
    ``degenerate``, ``unit``, ``n_samples``, ``n_redrawn``, ``n_lacking_class``,
    ``n_undefined``, ``seed``, ``notes``.

    References
    ----------
    .. [1] I. Tsamardinos, E. Greasidou, G. Borboudakis, "Bootstrapping the
       out-of-sample predictions for efficient and accurate cross-validation",
       Machine Learning 107, 1895-1922 (2018). :doi:`10.1007/s10994-018-5714-4`
    .. [2] B. Efron, R. J. Tibshirani, "An introduction to the bootstrap", Chapman and
       Hall (1993).

    Examples
    --------
    >>> from sklearn_bbc.comparison import BBCDifference, Side
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions()
    >>> default = Side(oof=oof, config=0, name="the default")
    >>> result = BBCDifference(random_state=0).compare(oof, default, "roc_auc")
    >>> bool(result.low < result.difference < result.high)
    True
    """

    name = "bbc_difference"
    label = "BBC difference, each selection repeated"
    estimand = "difference of the performances of what two sides select, selections accounted for"
    assumptions = (
        "Samples (or groups) are independent.",
        "The configurations of each side were fixed before the scores were looked at.",
        "Models trained on folds stand for models trained on all samples.",
    )
    meant_for = "two searches, or the winner of a search and a baseline, on the same folds"
    cost = "O(B N C)"
    limits = (
        "conservative with few samples; a class with one sample; rank metrics pooled over folds; "
        "searches that choose what to try next by the scores"
    )
    selection_aware = True

    n_bootstraps: int = 2000
    confidence_level: float = 0.95
    alternative: str = "two-sided"
    random_state: Any = None
    n_jobs: int | None = None
    quantile: QuantileRule | None = None

    def _bind(self, first: Side, second: Side, metric: Metric, notes: list[str]) -> Pair:
        sides = bound(first, metric), bound(second, metric)
        if not (first.is_tuned and second.is_tuned):  # two searches may select the same
            check_not_the_same(first, second, (sides[0].winner, sides[1].winner))
        if first.is_tuned != second.is_tuned:
            check_not_alike(sides, metric)
        reported = [each.rule.metric for each in sides]
        if reported[0].name != reported[1].name:
            raise ValueError(
                f"The rule of one side reports {reported[0].name}, that of the other "
                f"{reported[1].name}: give both sides a selection that reports the same metric."
            )
        names = names_apart(first.described, second.described)
        every = [*notes]
        for each in sides:
            every += caveats(each.oof, each.kernel)
            if not each.rule.of_configurations:
                every += threshold_notes(each.rule.describe(each.rule.on_all()))
        every += pooling_of_both(sides, names)
        if not (first.is_tuned or second.is_tuned or first.oof.n_splits > 1):
            every.append(ON_TEST_SET)
        oof = sides[0].oof
        details = {
            "winners": [each.winner for each in sides],
            "n_configs": [each.oof.n_configs for each in sides],
            "unit": unit_of(oof),
            "n_samples": oof.n_samples - oof.n_untested,
            "notes": list(dict.fromkeys(every)),
        }
        return Pair(metric=reported[0], names=names, details=details, kernel=sides)

    def _compare(self, pair: Pair) -> ComparisonResult:
        sides: tuple[BoundSide, BoundSide] = pair.kernel
        one = sides[0]
        oof = settled_by(one.oof, lambda: influence_of_difference(sides))
        units = Units.drawn(oof)
        selecting = [each.rule.selecting for each in sides]
        strata = DrawStrata.of(oof, one.kernel, units, also=selecting)
        strata.check_possible(type(self).__name__, pair.metric.name, None)
        for each, chooser in zip(sides, selecting):
            chooser.warn_if_slow(self.n_bootstraps * (chooser.n_distinct + 1), self.n_jobs)
            if each.rule.seconds_per_draw:
                each.rule.warn_if_slow(self.n_bootstraps)
        draws = Draws(
            plan_of(oof, units),
            self.n_bootstraps,
            entropy_of(self.random_state),
            expand=units.expand,
            bytes_per_draw=sum(each.bytes_per_draw for each in selecting),
            n_jobs=self.n_jobs,
            prefer=one.kernel.prefers,
            **strata.for_draws(),
        )

        def out_of_bag(counts: np.ndarray) -> tuple[np.ndarray, ...]:
            chosen = [(each, each.rule.choose(counts)) for each in sides]
            scores = [each.rule.score(outcome, counts == 0) for each, outcome in chosen]
            return *scores, *(each.selects_winner(outcome) for each, outcome in chosen)

        first, second, *same = draws.map(out_of_bag)  # (n_draws,) each
        values = one.kernel.difference(first, second)
        defined = ~np.isnan(values)

        def mean(of_draws: np.ndarray) -> float:
            return float(of_draws[defined].mean()) if defined.any() else np.nan

        details = {
            **pair.details,
            "scores": [mean(first), mean(second)],
            "winner_shares": [float(np.mean(of_side)) for of_side in same],
            "share_equal": mean(values == 0),
            "n_redrawn": draws.n_redrawn,
            "seed": draws.entropy,
        }
        strata.note(draws.n_lacking, draws.n_draws, details)
        details |= block_details(oof, type(self).__name__, details["notes"])
        return self._from_difference_draws(pair, values, details=details)


def influence_of_difference(sides: tuple[BoundSide, BoundSide]) -> np.ndarray:
    """Compute what each sample contributes to the difference of two winners, (n_tested,)."""
    one, other = (influence(each.oof, each.kernel, each.column) for each in sides)
    return one - other


def bound(side: Side, metric: Metric) -> BoundSide:
    """Bind the metric and the rule of a side; a fixed side has one configuration only."""
    check_metric(side.oof, metric)
    oof, selection = side.oof, side.selection
    if side.config is not None:
        everything = np.ones(oof.n_samples, dtype=bool)
        oof, selection = part_of(oof, everything, np.array([side.config])), None
    kernel = metric.bind(oof)
    rule = as_selection(selection).bind(oof, kernel)
    return BoundSide(side=side, oof=oof, kernel=kernel, rule=rule)


def check_not_alike(sides: tuple[BoundSide, BoundSide], metric: Metric) -> None:
    """Raise where a fixed side predicts the same as the winner of the other: it is the winner."""
    if not all(each.rule.of_configurations for each in sides):
        return
    both = joined(sides[0].side, sides[1].side, (sides[0].winner, sides[1].winner))
    kernel = metric.bind(both)
    if kernel.valid.all() and kernel.n_distinct == 1:
        fixed, tuned = sorted((each.side for each in sides), key=lambda side: side.is_tuned)
        name = fixed.described
        raise ValueError(
            f"{capital(name)} predicts the same as {tuned.described} for every "
            f"sample, so there is nothing to compare by {metric.name}. Give another configuration."
        )


def pooling_of_both(sides: tuple[BoundSide, BoundSide], names: tuple[str, str]) -> list[str]:
    """Note what pooling the folds does to a rank metric on either side."""
    oof, kernel = sides[0].oof, sides[0].kernel
    if not kernel.is_rank or oof.n_splits <= oof.n_repeats:
        return []
    figures = []
    for each, name in zip(sides, names, strict=True):
        column = np.array([each.column])
        means = each.kernel.fold_scores(configs=column)[:, each.column].mean()
        by_folds = f", {fixed(means)} as a mean over folds" if np.isfinite(means) else ""
        figures.append(f"{fixed(pooled_score(each.kernel, each.column))} for {name}{by_folds}")
    return [
        "Samples of different folds are compared by the scores of different models. The pooled "
        f"{metric_words(kernel.metric.name).name} is {' and '.join(figures)}: where pooling "
        "costs one side more, that counts as a difference."
    ]
