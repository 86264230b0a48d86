"""Difference of two tuned sides, each selection repeated on common bootstrap draws."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .._notes import Note, without_kind
from .._text import capital, count, fixed, metric_words, of_systems
from .._utils import with_parameters
from ..contest._blocks import block_details, contributions, plan_of, with_block_length_by
from ..contest._contest import Contest, threshold_notes
from ..contest._notes import caveats, unit_of
from ..contest._question import check_metric_fits
from ..contest._strata import DrawStrata
from ..intervals._base import QuantileRule
from ..intervals._normal_draws import (
    NORMAL,
    MetricOfMoments,
    check_moments,
    check_normal,
    draws_of_moments,
    name_of,
)
from ..metrics._consumed import Unbound
from ..metrics._metric import Metric
from ..predictions._moments import ScoreMoments
from ..predictions._predictions import OOFPredictions
from ..resampling import Draws, Units, entropy_of
from ..results._results import ComparisonResult
from ._base import (
    OF_MODELS,
    ON_TEST_SET,
    BaseComparison,
    Pair,
    Side,
    check_not_the_same,
    joined_sides,
    names_apart,
    sides_alike,
)


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
        Note("Models trained on folds stand for models trained on all samples.", OF_MODELS),
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

    def compare(
        self,
        first: OOFPredictions | Side | ScoreMoments,
        second: OOFPredictions | Side | ScoreMoments,
        scoring: Any = None,
    ) -> ComparisonResult:
        """Compare two sides on the same samples.

        Parameters
        ----------
        first, second : OOFPredictions, Side or ScoreMoments
            ``Side(oof=oof, config=3)`` is one configuration; predictions themselves are their
            only configuration, or what tuning selects among several. Of `ScoreMoments`, two parts
            of the same sums, `ScoreMoments.part`: draws are normal approximations.
        scoring : str, scorer or Metric
            The metric. It must be given for predictions.

        Returns
        -------
        ComparisonResult
            The first side's score minus the second's, greater is better.

        Raises
        ------
        ValueError
            If a parameter is out of range, the two sides are not about the same samples and
            folds or are the same configuration, or the method needs what is not there.
        UndefinedIntervalError
            If the data cannot support the comparison, for example with a class missing.
        """
        if isinstance(first, ScoreMoments) or isinstance(second, ScoreMoments):
            return self._compare_moments(first, second, scoring)
        return super().compare(first, second, scoring)

    def _compare_moments(self, first: Any, second: Any, scoring: Any) -> ComparisonResult:
        """Compare what two sides select from the means and the covariance of all scores."""
        check_moments(self, first if isinstance(first, ScoreMoments) else second, scoring, None)
        parts = [
            each.part_of if isinstance(each, ScoreMoments) else None for each in (first, second)
        ]
        if parts[0] is None or parts[1] is None or parts[0][0] is not parts[1][0]:
            raise ValueError(
                "Both sides must be parts of the same ScoreMoments, which know how the scores of "
                "all configurations vary together: compare(moments.part([0, 1]), "
                "moments.part([2, 3]))."
            )
        moments, places = parts[0][0], [part[1] for part in parts if part is not None]
        if np.array_equal(np.sort(places[0]), np.sort(places[1])):
            raise ValueError(
                "Both sides are the same configurations: there is nothing to compare. Give others."
            )
        draws = draws_of_moments(self, moments)
        sides = [np.unique(draws.place[each]) for each in places]
        selected = [each[draws.means[each].argmax()] for each in sides]
        if min(map(len, places)) == 1 < max(map(len, places)) and selected[0] == selected[1]:
            raise ValueError(
                "The fixed configuration has the same scores as what the other side selects, so "
                "there is nothing to compare. Give another one."
            )
        winners, scores = [], []
        for in_bag, left_out in draws.of_all():
            of_sides = [each[in_bag[:, each].argmax(axis=1)] for each in sides]
            winners.append(np.stack(of_sides))
            scores.append(np.stack([left_out[np.arange(len(in_bag)), each] for each in of_sides]))
        won, of_draws = np.concatenate(winners, axis=1), np.concatenate(scores, axis=1)
        for each in won:
            check_normal(draws, draws.distinct[each])
        words = [_described(each, moments) for each in (first, second)]
        metric = MetricOfMoments.of(moments)
        values = of_draws[0] - of_draws[1]
        pair = Pair(metric=metric, names=names_apart(words[0], words[1]))
        details = {
            "winners": [int(moments.columns[draws.distinct[each]]) for each in selected],
            "n_configs": [len(each) for each in places],
            "unit": moments.unit,
            "n_samples": moments.n_samples,
            "scores": of_draws.mean(axis=1).tolist(),
            "winner_shares": [float(np.mean(w == s)) for w, s in zip(won, selected)],
            "share_equal": float(np.mean(values == 0)),
            "n_redrawn": 0,
            "seed": draws.entropy,
            "draws": NORMAL,
            "notes": [],
        }
        result = self._from_difference_draws(pair, values, details=details)
        if not moments.is_fixed:
            return result
        assumptions = without_kind(result.assumptions, OF_MODELS)
        return replace(
            result, estimand=of_systems(result.estimand),
            assumptions=tuple(map(of_systems, assumptions)),
        )  # fmt: skip

    def _bind(self, first: Side, second: Side, metric: Metric, notes: list[str]) -> Pair:
        for side in (first, second):
            check_metric_fits(Unbound(metric, side.oof))
        sides = first.open(metric), second.open(metric)
        one, other = (
            each.winner if side.config is None else int(side.config)
            for side, each in zip((first, second), sides)
        )
        winners = one, other
        if not (first.is_tuned and second.is_tuned):  # two searches may select the same
            check_not_the_same(first, second, winners)
        if first.is_tuned != second.is_tuned:
            if all(each.rule.of_configurations for each in sides):
                check_not_alike(first, second, winners, metric)
        elif _all_alike(first, second, winners, metric):
            sides = sides[0], sides[0]
        reported = [each.rule.metric for each in sides]
        if reported[0].name != reported[1].name:
            raise ValueError(
                f"The rule of one side reports {reported[0].name}, that of the other "
                f"{reported[1].name}: give both sides a selection that reports the same metric."
            )
        names = names_apart(first.described, second.described)
        every = [*notes]
        for each in sides:
            every += caveats(each.scored)
            if not each.rule.of_configurations:
                every += threshold_notes(each.rule.describe(each.rule.on_all()))
        every += pooling_of_both(sides, names)
        if not (first.is_tuned or second.is_tuned or first.oof.n_splits > 1):
            is_table = first.oof.score_sign is not None
            every.append(of_systems(ON_TEST_SET) if is_table else ON_TEST_SET)
        oof = sides[0].oof
        details = {
            "winners": list(winners),
            "n_configs": [each.oof.n_configs for each in sides],
            "unit": unit_of(oof),
            "n_samples": oof.n_samples - oof.n_untested,
            "notes": list(dict.fromkeys(every)),
        }
        return Pair(metric=reported[0], names=names, details=details, sides=sides)

    def _compare(self, pair: Pair) -> ComparisonResult:
        sides: tuple[Contest, Contest] = pair.sides
        one = sides[0]
        oof = with_block_length_by(one.oof, lambda: influence_of_difference(sides))
        units = Units.drawn(oof)
        selecting = [each.selecting for each in sides]
        strata = DrawStrata.of(one.scored, units, also=selecting)
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
            prefer=one.scored.prefers,
            strata=strata,
        )

        def out_of_bag(counts: np.ndarray) -> tuple[np.ndarray, ...]:
            chosen = [(each, each.rule.choose(counts)) for each in sides]
            scores = [each.rule.score(outcome, counts == 0) for each, outcome in chosen]
            return *scores, *(each.selects_winner(outcome) for each, outcome in chosen)

        first, second, *same = draws.map(out_of_bag)  # (n_draws,) each
        values = one.scored.difference(first, second)
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


def _described(side: ScoreMoments, moments: ScoreMoments) -> str:
    """Name a side that is a part of sums, as `Side.described` does."""
    if side.n_configs == 1:
        return name_of(side, 0)
    if moments.is_fixed:
        return f"the best of {side.n_configs} systems"
    return f"the winner of {count(side.n_configs, 'configuration')}"


def influence_of_difference(sides: tuple[Contest, Contest]) -> np.ndarray:
    """Compute what each sample contributes to the difference of two winners, (n_tested,)."""
    one, other = (contributions(each.scored, each.winner) for each in sides)
    return one - other


def _all_alike(first: Side, second: Side, winners: tuple[int, int], metric: Metric) -> bool:
    """Check whether both sides choose in the same way among what is the same up to rounding."""
    if not first.is_tuned:
        pairs = [winners]
    elif (
        first.oof.n_configs == second.oof.n_configs
        and first.oof.selected == second.oof.selected
        and first.selection is second.selection
    ):
        pairs = [(config, config) for config in range(first.oof.n_configs)]
    else:
        return False
    return all(sides_alike(first, second, pair, metric).all() for pair in pairs)


def check_not_alike(first: Side, second: Side, winners: tuple[int, int], metric: Metric) -> None:
    """Raise where a fixed side predicts the same as the winner of the other: it is the winner."""
    kernel = metric.bind(joined_sides(first, second, winners))
    if kernel.valid.all() and kernel.n_distinct == 1:
        fixed, tuned = sorted((first, second), key=lambda side: side.is_tuned)
        name = fixed.described
        raise ValueError(
            f"{capital(name)} predicts the same as {tuned.described} for every "
            f"sample, so there is nothing to compare by {metric.name}. Give another configuration."
            if fixed.oof.score_sign is None
            else f"{capital(name)} has the same score as {tuned.described} on every item, so "
            "there is nothing to compare. Give another system."
        )


def pooling_of_both(sides: tuple[Contest, Contest], names: tuple[str, str]) -> list[str]:
    """Note what pooling the folds does to a rank metric on either side."""
    oof, kernel = sides[0].oof, sides[0].scored
    if not kernel.is_rank or oof.n_splits <= oof.n_repeats:
        return []
    figures = []
    for each, name in zip(sides, names, strict=True):
        winner = each.winner
        means = each.scored.fold_scores(configs=np.array([winner]))[:, winner].mean()
        by_folds = f", {fixed(means)} as a mean over folds" if np.isfinite(means) else ""
        figures.append(f"{fixed(each.scored.score_on_data(winner))} for {name}{by_folds}")
    return [
        "Samples of different folds are compared by the scores of different models. The pooled "
        f"{metric_words(kernel.metric.name).name} is {' and '.join(figures)}: where pooling "
        "costs one side more, that counts as a difference."
    ]
