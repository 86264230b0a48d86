"""The best of several systems that are fixed: `best_of`, and differences of what is selected."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

from .._notes import warned, without_kind
from .._parameters import CONFIDENCE, check_parameters
from .._rounding import TERMS, levelled, rounding, without_rounding
from .._text import config_words, metric_words, shown
from .._utils import did_you_mean, explain_arguments, got, is_indicator, suppress_fp_warnings
from ..contest._contest import Contest
from ..contest._notes import caveats, unit_of
from ..contest._question import metric_for
from ..contest._unit_values import ValuesOfUnits
from ..intervals._analytic import wilson
from ..intervals._base import check_n_bootstraps, fill_confidence_level_doc
from ..intervals._normal_draws import (
    NORMAL,
    MetricOfMoments,
    NormalDraws,
    check_moments,
    draws_of_moments,
    name_of,
)
from ..intervals._notes import SAME_SCORES
from ..intervals._shrunken_bbc import (
    Corrected,
    MomentsOfCovariance,
    MomentsOfMeans,
    ShrunkenBBC,
    corrected,
    estimate_beside,
    estimate_of_moments,
    scores_of_winners,
)
from ..metrics._alike import first_same, won_together
from ..metrics._metric import BoundMetric
from ..predictions._moments import ScoreMoments, hardly_win
from ..predictions._predictions import OOFPredictions, taken
from ..resampling import IID, Draws, Units, entropy_of
from ..results._results import ComparisonResult, ConfidenceInterval
from ..results._systems import BestOfResult
from ._base import NO_SPREAD, Side, check_same_data, names_apart
from ._judged import scores_of_judge
from ._tied_methods import CANCELS, Bonferroni, studentised

POWER = 0.8
OF_DIFFERENCE = "difference of the means on new items of the systems that are selected"
ASSUMPTIONS = (
    "Items (or groups of them) are independent.",
    "The systems were fixed before the scores were looked at.",
)
SYSTEMS_LABEL = "shrunken difference of fixed systems, the selection repeated"


class SystemsContest(Contest):
    """A contest of fixed systems, or some of them; draws choose by scores that are there already.

    `systems` (n_chosen,) take part, None are all. `configs` (n_distinct,) are those of them with
    scores of their own, `best` is the place among these of the one that is selected on all items.
    """

    def __init__(self, scored: BoundMetric, systems: np.ndarray | None = None) -> None:
        super().__init__(scored, settle=False)
        systems = np.arange(scored.n_configs) if systems is None else systems
        self.configs = systems[np.unique(first_same(scored)[systems], return_index=True)[1]]
        self.best = int(scored.first_best(scored.on_data()[None, self.configs])[0])

    @property
    def winner(self) -> int:
        """System that is selected on all items."""
        return int(self.configs[self.best])

    @property
    def on_best(self) -> float:
        """Score of that system on all items."""
        return float(self.scored.on_data()[self.winner])

    def choose(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Find the winner's place in each draw, and its score there, (n_draws,) each.

        `scores` (n_draws, n_systems). See `scores_of_winners`.
        """
        scores = scores.take(self.configs, axis=1)  # side by side, as an index does not keep them
        winners = self.scored.first_best(scores)
        return winners, scores_of_winners(scores, winners, self.best, self.on_best)

    def corrected(self, winners: np.ndarray, scores: np.ndarray) -> Corrected:
        """Correct the score of the selected system, from winners of draws and their scores."""
        scored, on_all = self.scored, self.scored.on_data()[self.configs]
        return corrected(
            on_all, MomentsOfMeans(scored, self.configs, self.best), scores, winners, self.best,
            gaps=scored.difference(on_all, on_all[self.best]), is_fixed=True,
        )  # fmt: skip


def difference_of_systems(
    first: Side,
    second: Side,
    *,
    n_bootstraps: int = 2000,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> ComparisonResult:
    """Compare what two sides of fixed systems select, both selections repeated in common draws.

    The difference of two corrected scores, see `ShrunkenBBC`. Its standard error is that of the
    difference of two winners, pooled over the pairs that win a draw together. Either bound reaches
    as far as that side's own score allows, which has no optimism where it is truly the best.
    """
    notes = check_same_data(first, second)
    sides = [
        SystemsContest(
            metric_for(side.oof, None).bind(side.oof),
            None if side.config is None else np.array([side.config]),
        )
        for side in (first, second)
    ]
    check_n_bootstraps(n_bootstraps)
    CONFIDENCE.check("confidence_level", confidence_level)
    oof, kernels = first.oof, [each.scored for each in sides]
    units = Units.of(oof)
    draws = Draws(
        IID(units.n_units), n_bootstraps, entropy_of(random_state), expand=units.expand,
        bytes_per_draw=sum(each.bytes_per_draw for each in kernels), n_jobs=n_jobs,
        prefer=kernels[0].prefers, indicator=units.indicator(kernels[0].strata),
    )  # fmt: skip

    def choose(counts: np.ndarray) -> tuple[np.ndarray, ...]:
        scores = {each: each.scores(counts) for each in kernels}
        return tuple(column for side in sides for column in side.choose(scores[side.scored]))

    with suppress_fp_warnings():
        drawn = draws.map(choose)
    return _difference(
        (sides[0], sides[1]), (first.described, second.described), drawn, notes,
        n_bootstraps=n_bootstraps, level=confidence_level, alternative=alternative,
        seed=draws.entropy,
    )  # fmt: skip


def _difference(
    sides: tuple[SystemsContest, SystemsContest],
    names: tuple[str, str],
    drawn: Sequence[np.ndarray],
    notes: list[str],
    *,
    n_bootstraps: int,
    level: float,
    alternative: str,
    seed: int,
) -> ComparisonResult:
    """Compare two sides, from winners and scores of each in the draws, (n_draws,) each."""
    one, of_one, other, of_other = drawn
    oof, kernel = sides[0].oof, sides[0].scored
    degrees = (oof.n_labelled_units or Units.of(oof).n_units) - 1
    are_tuned = (len(sides[0].configs) > 1, len(sides[1].configs) > 1)
    with suppress_fp_warnings():
        both = sides[0].corrected(one, of_one), sides[1].corrected(other, of_other)
        pairs, share = np.unique(np.stack([one, other]), axis=1, return_counts=True)
        variance = _variance_of_pairs(sides[0], sides[1], pairs) @ share / share.sum()
        if not variance > 0:  # few groups: both sides may have the same winner in every draw
            selected = np.array([[each.best] for each in sides])
            variance = _variance_of_pairs(sides[0], sides[1], selected)[0]
    details = {
        "winners": [each.winner for each in sides],
        "winner_shares": [float(each.share[side.best]) for each, side in zip(both, sides)],
        "n_configs": [len(each.configs) for each in sides],
        "unit": unit_of(oof),
        "n_samples": oof.n_samples,
        "seed": seed,
        "notes": list(dict.fromkeys([*notes, *caveats(kernel)])),
    }
    return difference_of_corrected(
        kernel, both, (sides[0].on_best, sides[1].on_best), names, float(np.sqrt(variance)),
        degrees, details, are_tuned=are_tuned, n_bootstraps=n_bootstraps, level=level,
        alternative=alternative,
    )  # fmt: skip


def difference_of_corrected(
    kernel: Any,
    both: tuple[Corrected, Corrected],
    best: tuple[float, float],
    names: tuple[str, str],
    error: float,
    degrees: int,
    details: dict[str, Any],
    *,
    are_tuned: tuple[bool, bool],
    n_bootstraps: int,
    level: float,
    alternative: str,
) -> ComparisonResult:
    """Compare two corrected scores; `best` are those of the selected systems on all items.

    `error` is the standard error of the difference, `are_tuned` whether each side selects.
    """
    estimate = both[0].estimate - both[1].estimate
    # How far up and down the selected systems' own scores let the difference reach.
    up, down = best[0] - both[1].estimate, both[0].estimate - best[1]

    def low(tail: float) -> float:
        reach = estimate - student.isf(tail, degrees) * error
        if not are_tuned[1]:
            return float(reach)
        return float(min(reach, down - _one_sided(tail, alternative) * both[1].trust * error))

    def high(tail: float) -> float:
        reach = estimate + student.isf(tail, degrees) * error
        if not are_tuned[0]:
            return float(reach)
        return float(max(reach, up + _one_sided(tail, alternative) * both[0].trust * error))

    details = {
        "scores": [each.estimate for each in both],
        "standard_error": error,
        "degenerate": False,
        **details,
    }
    result = _difference_result(
        kernel, names_apart(*names), estimate, error, low, high, level, alternative, details,
        n_bootstraps,
    )  # fmt: skip
    better = 0 if result.difference > 0 else 1
    if result.p_value == 1 and result.difference != 0 and are_tuned[1 - better]:
        sentence = _holds_zero(result, better, both[better].estimate, best[1 - better])
        return replace(result, details={**result.details, "sentence": sentence})
    return result


def _holds_zero(result: ComparisonResult, better: int, score: float, other: float) -> str:
    """Explain a p-value of 1 beside a difference: either side may have no optimism at all."""
    words = metric_words(result.metric, [score, other])
    corrected, uncorrected = shown(words.natural(score), words.natural(other))
    return (
        f"The interval of every level holds 0, hence p = 1: the corrected score of "
        f"{result.names[better]}, {corrected}, is no better than that of "
        f"{result.names[1 - better]} before its correction, {uncorrected}."
    )


def _one_sided(tail: float, alternative: str) -> float:
    """Compute the normal quantile of a one-sided bound at the level of the whole interval."""
    alpha = 2 * tail if alternative == "two-sided" else tail
    return float(norm.isf(min(alpha, 0.5)))


def _difference_result(
    kernel: BoundMetric,
    names: tuple[str, str],
    estimate: float,
    error: float,
    low: Callable[[float], float],
    high: Callable[[float], float],
    level: float,
    alternative: str,
    details: dict[str, Any],
    n_bootstraps: int | None,
) -> ComparisonResult:
    """Make a result of bounds as functions of the tail, with the p-value that agrees with them."""
    if kernel.difference(np.array([estimate]), np.zeros(1))[0] == 0:
        estimate = 0.0
    tail = (1 - level) / (2 if alternative == "two-sided" else 1)
    if not error > 1e-12 * max(abs(estimate), 1e-300):
        details["degenerate"] = True
        details["notes"].append(warned(NO_SPREAD, "best_of") if estimate else SAME_SCORES)
        bounds, p = (estimate, estimate), 0.0 if estimate else 1.0
        if (estimate < 0 and alternative == "greater") or (estimate > 0 and alternative == "less"):
            p = 1.0
    else:
        bounds = low(tail), high(tail)
        greater, less = _smallest_tail(low), _smallest_tail(lambda tail: -high(tail))
        p = {"greater": greater, "less": less}.get(alternative, min(1.0, 2 * min(greater, less)))
    if alternative == "greater":
        bounds = bounds[0], np.inf
    elif alternative == "less":
        bounds = -np.inf, bounds[1]
    return ComparisonResult(
        difference=estimate, low=bounds[0], high=bounds[1],
        statistic=estimate / error if error > 0 else 0.0, p_value=p, confidence_level=level,
        alternative=alternative, method="shrunken_difference", metric=kernel.metric.name,
        estimand=OF_DIFFERENCE, names=names, assumptions=ASSUMPTIONS, label=SYSTEMS_LABEL,
        n_bootstraps=n_bootstraps, details=details,
    )  # fmt: skip


def _smallest_tail(low: Callable[[float], float]) -> float:
    """Find the smallest tail at which a lower bound, which rises with the tail, is above zero."""
    small, large = 1e-12, 0.5
    if low(small) > 0:
        return small
    if low(large) <= 0:
        return 1.0
    for _ in range(60):
        middle = np.sqrt(small * large)
        small, large = (small, middle) if low(middle) > 0 else (middle, large)
    return float(large)


def _variance_of_pairs(
    one: SystemsContest, other: SystemsContest, pairs: np.ndarray
) -> np.ndarray:
    """Compute variances of differences of means, `pairs` of places (2, n_pairs) -> (n_pairs,)."""
    first, second = (ValuesOfUnits(each.scored) for each in (one, other))
    found = np.empty(pairs.shape[1])
    for part in first.parts(len(found)):
        of_first = first.of(one.configs[pairs[0, part]])
        values = of_first - second.of(other.configs[pairs[1, part]])
        size = np.abs(of_first).mean(axis=0)
        values = without_rounding(values, np.maximum(np.abs(of_first), size), rounding(TERMS))
        found[part] = values.var(axis=0) / len(values)
    return found


# --- all systems -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class StandardErrors:
    """Standard errors of all systems, and of their differences from some of them."""

    error: np.ndarray  # (n_systems,)
    lead: np.ndarray  # (n_references, n_systems), of the reference over each system
    of_lead: np.ndarray  # their standard errors

    @classmethod
    def of(
        cls, kernel: BoundMetric, values: ValuesOfUnits, references: list[int]
    ) -> StandardErrors:
        """Look at the values of the units, some systems at a time."""
        n, one = kernel.n_configs, np.ones(values.n_units) / values.n_units
        own = values.of(np.array(references)) if references else np.empty((values.n_units, 0))
        of_own, largest = own - one @ own, np.abs(own).max(axis=0)
        error, (lead, of_lead) = np.empty(n), np.empty((2, len(references), n))
        for part in values.parts(n):
            some = np.asarray(values.of(np.arange(n)[part]), dtype=float)
            size, mean = np.abs(some).max(axis=0), one @ some
            some -= mean
            squares = np.einsum("ij,ij->j", some, some)
            error[part] = np.sqrt(squares / (values.n_units - 1))
            for k in range(len(references)):
                lead[k, part] = one @ own[:, k] - mean
                both = squares + of_own[:, k] @ of_own[:, k]
                apart = both - 2 * (of_own[:, k] @ some)
                close = np.flatnonzero(apart <= CANCELS * both)
                apart[close] = np.square(of_own[:, [k]] - some[:, close]).sum(axis=0)
                deviation = np.sqrt(apart / (values.n_units - 1))
                studentised(lead[k, part], deviation, np.maximum(size, largest[k]))
                of_lead[k, part] = deviation
        root = np.sqrt(values.n_units)
        return cls(error / root, lead, of_lead / root)


@explain_arguments()
@fill_confidence_level_doc("score")
def best_of(
    scores: Any,
    *,
    human: Any = None,
    label_weights: Any = None,
    groups: Any = None,
    names: Any = None,
    baseline: Any = None,
    greater_is_better: bool = True,
    confidence_level: float = 0.95,
    n_bootstraps: int = 2000,
    random_state: Any = None,
    sample_weight: Any = None,
    item: Any = None,
    system: Any = None,
    score: Any = None,
    run: Any = None,
    missing: str = "raise",
    n_jobs: int | None = None,
) -> BestOfResult:
    """Correct the mean score of the best of several systems, and compare all of them.

    Systems are prompts, language models, agents, frozen models or entries of a competition, which
    were run on the same items. The best of them looks better than it is, since luck on these
    items helped it to be the best. Nothing is trained.

    Parameters
    ----------
    scores : array-like, DataFrame, OOFPredictions or ScoreMoments
        Wide: of shape (n_items, n_systems), a row for each item, a column for each system, or
        (n_items, n_systems, n_runs); runs of an item are averaged. Long, with `system`: a
        DataFrame with a row for each score. Scores are 0 and 1, ratings, or losses. Of
        `ScoreMoments`, sums that were added over parts of the items, draws are normal
        approximations.
    human : array-like, DataFrame, str or path-like, default=None
        Scores of people, where `scores` are those of a judge, such as a language model: of the
        same shape, with NaN where no person looked; a DataFrame with some of the systems as
        columns and some of the items as rows; or, of a long table, the column, or a DataFrame with
        a row for each score of a person and the same columns of items and systems, its scores in
        the column `score` or the only one besides. A text that is no column, or a path, is a file
        with such a table. People scored items that were drawn at random, at least 10 of each
        system; means of the judge's scores are corrected by theirs, see Notes.
    label_weights : array-like of shape (n_items,) or str, default=None
        One over the probability with which each item was chosen to be scored by people, or the
        column that holds it. None where all had the same.
    groups : array-like of shape (n_items,) or str, default=None
        Items of one group (passage, patient, task) depend on each other: groups are drawn. A text
        names a column of the DataFrame. A Series with the labels of its rows, or of `item`, in
        another order is brought into that of the table; so are weights.
    names : sequence of str, default=None
        Names of the systems. None takes the columns'.
    baseline : str, default=None
        System that all others are compared with, such as the one in use.
    greater_is_better : bool, default=True
        False for losses, whose smallest mean is the best.
    confidence_level : float in (0, 1), default=0.95
        {level}
    n_bootstraps : int, default=2000
        Number of draws of items, at least 20.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.
    sample_weight : array-like of shape (n_items,) or str, default=None
        Weight of each item, or the column that holds it.
    item : str or list of str, default=None
        Column that holds the item, or several, such as task and number; that of a wide table is
        set aside.
    system : str or list of str, default=None
        Column of a long table that holds the system; of several, such as model and prompt, each
        combination is a system.
    score : str, default=None
        Column of a long table that holds the score.
    run : str or list of str, default=None
        Column, or several, of a long table that tell runs of one item apart.
    missing : {{"raise", "drop_items", "drop_runs", "zero"}}, default="raise"
        What happens where a system has no score for an item or a run of it (NaN, or no row): an
        error that counts them; a comparison on the items that every system has, with all runs, or
        by the runs that there are; or 0 for a wrong answer. A note says so. A system that was run
        less often on all items lacks none.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.

    Returns
    -------
    BestOfResult
        ``print`` shows a table and sentences; ``frame()`` has all numbers.

    Raises
    ------
    ValueError
        If scores are no numbers, infinite, missing or double, names occur twice, there are fewer
        than three items, or there is no system of the name `baseline`; if people scored fewer than
        10 items of a system or items that are not found, or `label_weights` are below 1.

    Warns
    -----
    IntervalWarning
        If there are fewer than ten items, items were dropped, or some systems have fewer runs
        than others; if people scored fewer than 30 items, none of a system, no items that systems
        have in common, or items that do not look like drawn at random.

    See Also
    --------
    sklearn_bbc.bbc : For predictions of trained models, by any metric.
    sklearn_bbc.OOFPredictions.from_scores : The same table for all other methods.
    sklearn_bbc.OOFPredictions.from_inspect : Scores in the logs of inspect_ai; `from_lm_eval`,
        `from_promptfoo` and `from_deepeval` read those of other tools.
    sklearn_bbc.display.SystemsDisplay : Draws the result.

    Notes
    -----
    The corrected score is that of `ShrunkenBBC`, which knows that nothing is trained: its draws
    show all the noise that there is. On average over 250 settings its interval was 0.79 times as
    wide as that of `BBC`, and its level was rejected in none (`coverage.py systems`).

    Systems are `tied` if the paired t test with Bonferroni's correction does not show them to be
    worse than the best one. Differences from the baseline have joint intervals by the same
    correction. The best of the other systems is compared with the baseline, and the selected
    system with the next one, with each selection repeated in every draw: their differences are
    those of corrected scores, so they are smaller than those in the table.

    The smallest difference is ``(t + z) s``, where s is the median standard error of the
    differences from the baseline (else from the selected system), t the quantile of a two-sided
    test of one pair and z that of a power of 80%.

    With `human`, a system has the mean of its pseudo-scores
    ``lam f + (N / n) (Y - lam f)``, the second part on the n items that people scored: f are the
    scores of the judge, Y those of people, and lam is the covariance of both over the variance of
    f. This is prediction-powered inference [1]_ with its tuning [2]_, so however wrong the judge
    is, the mean is right for scores of people. Where the judge does not clearly agree with people
    (one-sided t test of the mean correlation over systems, at the level 0.001), only the items
    that people scored count, as if there were no judge. Draws
    have items with and without a score of a person in their shares: both count from their own
    means. Limits have one degree of freedom less than there are items, or groups, that people
    scored, and are between 0 and 1 and at least as far as Wilson's where people say right or
    wrong: of as many labels as would tell as much alone, as if two errors of the judge were not
    seen. ``details["judge"]`` has ``lam`` and ``n_labels`` of each system and ``n_labelled``,
    the items that people scored for any of them.

    References
    ----------
    .. [1] A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan, T. Zrnic,
       "Prediction-powered inference", Science 382, 669-674 (2023).
       :doi:`10.1126/science.adi6000`
    .. [2] A. N. Angelopoulos, J. C. Duchi, T. Zrnic, "PPI++: efficient prediction-powered
       inference", arXiv:2311.01453 (2023).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import best_of
    >>> rng = np.random.default_rng(0)
    >>> right = (rng.random((200, 20)) < 0.6).astype(int)  # twenty equal prompts
    >>> result = best_of(right, random_state=0)
    >>> best = right.mean(axis=0).max()
    >>> bool(best > 0.65), bool(result.interval.estimate < best), 0.6 in result.interval
    (True, True, True)
    """
    if isinstance(scores, ScoreMoments):
        if human is not None or label_weights is not None:
            raise ValueError(
                "human and label_weights need the table of the judge's scores, item by item, but "
                "ScoreMoments hold sums only. Pass the table, or leave them out."
            )
        own = groups, names, sample_weight, item, system, score, run
        if any(each is not None for each in own) or not greater_is_better or missing != "raise":
            raise ValueError(OF_MOMENTS)
        return best_of_moments(
            scores, baseline=baseline, confidence_level=confidence_level,
            n_bootstraps=n_bootstraps, random_state=random_state,
        )  # fmt: skip
    judge: Mapping[str, Any] | None = None
    if human is not None:
        oof, judge = scores_of_judge(
            scores, human, label_weights=label_weights, names=names, groups=groups,
            sample_weight=sample_weight, greater_is_better=greater_is_better, item=item,
            system=system, score=score, run=run, missing=missing,
        )  # fmt: skip
    elif label_weights is not None:
        raise ValueError(
            f"label_weights belong to the scores of people, got {got(label_weights)}. Give "
            "human=..., too."
        )
    elif isinstance(scores, OOFPredictions):
        oof = _given(scores, groups, names, sample_weight, item, system, score, run)
        if not greater_is_better and oof.score_sign == 1:
            raise ValueError(
                "greater_is_better=False, but the predictions hold scores of which a greater one "
                "is better. Say it where they are made: OOFPredictions.from_scores(..., "
                "greater_is_better=False)."
            )
    else:
        oof = OOFPredictions.from_scores(
            scores, names=names, groups=groups, sample_weight=sample_weight,
            greater_is_better=greater_is_better, item=item, system=system, score=score, run=run,
            missing=missing,
        )  # fmt: skip
    known = [config_words(k, oof.params) for k in range(oof.n_configs)]
    base = None if baseline is None else place_of_system(baseline, known)
    entropy = entropy_of(random_state)
    given: dict[str, Any] = {
        "n_bootstraps": n_bootstraps, "confidence_level": confidence_level,
        "random_state": entropy, "n_jobs": n_jobs,
    }  # fmt: skip
    with suppress_fp_warnings():
        kernel = metric_for(oof, None).bind(oof)
        systems = SystemsContest(kernel)
        values = ValuesOfUnits(kernel)
    selected = systems.winner
    drawn, kept = systems, _can_win(kernel, values, selected, base)
    if len(kept) < oof.n_configs:
        part = taken(oof, configs=kept)
        drawn = SystemsContest(metric_for(part, None).bind(part))
    pairs = _pairs(drawn, None if base is None else int(np.searchsorted(kept, base)))
    method = ShrunkenBBC(**given)
    sides = [side for pair in pairs.values() for side in pair]
    check_parameters(method)
    with suppress_fp_warnings():
        interval, beside = estimate_beside(
            method,
            Contest(drawn.scored),
            lambda scores: tuple(column for side in sides for column in side.choose(scores)),
        )
        if drawn is not systems:
            interval = _among_all(interval, kept, oof.n_configs)
        spread = StandardErrors.of(
            kernel, values, [selected] if base is None else [selected, base]
        )
    on_all, degrees = kernel.on_data(), (oof.n_labelled_units or values.n_units) - 1
    tail = (1 - confidence_level) / 2
    half = student.isf(tail, degrees) * spread.error
    low, high = on_all - half, on_all + half
    is_binary = is_indicator(oof.responses["plain"])
    if oof.n_effective is not None:
        least = 0.0 if oof.score_sign == 1 else -1.0
        share = np.clip(on_all - least, 0, 1)
        pairs_of = zip(share * oof.n_effective, oof.n_effective)
        ends = np.array([wilson(right, n, tail) for right, n in pairs_of]) + least
        low = np.maximum(np.minimum(low, ends[:, 0]), least)
        high = np.minimum(np.maximum(high, ends[:, 1]), least + 1)
    elif is_binary and oof.has_single_samples:
        right = np.abs(on_all) * oof.n_samples
        counts, place = np.unique(right, return_inverse=True)
        ends = np.array([wilson(each, oof.n_samples, tail) for each in counts])
        low, high = ends[place].T
        low, high = (low, high) if oof.score_sign == 1 else (-high, -low)
    elif is_binary:
        least, most = (0.0, 1.0) if oof.score_sign == 1 else (-1.0, 0.0)
        low, high = np.clip(low, least, most), np.clip(high, least, most)
    p_values = joint_p_values(spread.lead[0], spread.of_lead[0], len(systems.configs), degrees)
    first = first_same(kernel)
    p_values[first == first[selected]] = 1.0
    won = np.zeros(oof.n_configs)
    for config, share in interval.details["won"].items():
        won[config] = share
    won = won_together(won, kernel)
    order = np.argsort(-levelled(on_all), kind="stable")
    inside = p_values > 1 - confidence_level
    fields: dict[str, Any] = {}
    if base is not None:
        fields |= against_baseline(
            spread.lead[1], spread.of_lead[1], base, confidence_level, degrees
        )
    for k, (name, two) in enumerate(pairs.items()):
        fields[name] = _difference(
            two, (known[kept[two[0].winner]], known[kept[two[1].winner]]),
            beside[4 * k : 4 * k + 4], [], n_bootstraps=n_bootstraps,
            level=confidence_level, alternative="two-sided", seed=entropy,
        )  # fmt: skip
    notes = list(interval.details["notes"])
    for result in fields.values():
        if isinstance(result, ComparisonResult):
            both = " against ".join(result.names)
            new = [note for note in result.details["notes"] if note not in notes]
            notes += [f"{both}: {note}" for note in without_kind(new, SAME_SCORES.kind)]
    reference = 0 if base is None else 1
    pair = np.delete(spread.of_lead[reference], selected if base is None else base)
    of_pair = float(np.median(pair)) if len(pair) else np.nan
    return BestOfResult(
        names=tuple(known),
        selected=known[selected],
        interval=interval,
        tied=tuple(known[k] for k in order if inside[k]),
        scores=on_all,
        low=low,
        high=high,
        p_values=p_values,
        won=won,
        smallest_difference=(student.isf(tail, degrees) + norm.ppf(POWER)) * of_pair,
        baseline=None if base is None else known[base],
        details={
            "n_items": oof.n_samples,
            "unit": interval.details["unit"],
            "n_units": values.n_units,
            "tied_method": Bonferroni.name,
            "power": POWER,
            "n_missing": dict(oof.n_missing),
            "missing": oof.missing,
            "tool": oof.tool,
            "tool_scores": dict(oof.tool_scores),
            **({} if judge is None else {"judge": judge}),
            "notes": notes,
        },
        **fields,
    )


MANY_SYSTEMS = 1000
"""Systems from which those that cannot win are not drawn."""


def _can_win(
    kernel: BoundMetric, values: ValuesOfUnits, selected: int, base: int | None
) -> np.ndarray:
    """Find the systems that can win a draw, or a draw without the selected one, in their order.

    Left out are the worst of many, see `ScoreMoments.contenders`, by the standard errors of their
    differences from the best two systems.
    """
    if kernel.n_configs <= MANY_SYSTEMS:
        return np.arange(kernel.n_configs)
    scores = np.array(kernel.on_data())
    scores[selected] = -np.inf
    references = [selected, int(np.argmax(scores))]
    spread = StandardErrors.of(kernel, values, references)
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = norm.sf(spread.lead / spread.of_lead).max(axis=0)
    chance[[*references, *([] if base is None else [base])]] = 1.0
    chance[np.isnan(chance)] = 1.0
    return np.sort(np.flatnonzero(~hardly_win(chance)))


def _among_all(interval: ConfidenceInterval, kept: np.ndarray, n: int) -> ConfidenceInterval:
    """Name the systems of a result on some of them (n_kept,) by their places among all."""
    details = dict(interval.details)
    details |= {"n_configs": n, "n_valid": n, "winner": int(kept[details["winner"]])}
    details["won"] = {int(kept[config]): share for config, share in details["won"].items()}
    details["contenders"] = kept[details["contenders"]].tolist()
    return replace(interval, details=details)


OF_MOMENTS = (
    "groups, names, sample_weight, greater_is_better, missing and columns belong to a table; "
    "ScoreMoments have their own, given where they are made and added to. Leave them out."
)


def _pairs(
    systems: SystemsContest, base: int | None
) -> dict[str, tuple[SystemsContest, SystemsContest]]:
    """Make the sides of the differences of the best: from the next one, and from the baseline."""
    scored, every = systems.scored, np.arange(systems.scored.n_configs)
    if len(every) == 1:
        return {}
    others = SystemsContest(scored, np.delete(every, systems.winner))
    pairs = {"versus_runner_up": (systems, others)}
    if base is not None:
        others = SystemsContest(scored, np.delete(every, base))
        pairs["versus_baseline"] = (others, SystemsContest(scored, np.array([base])))
    return pairs


def _given(oof: OOFPredictions, *arguments: Any) -> OOFPredictions:
    """Check predictions that were given in place of a table."""
    if oof.score_sign is None:
        raise ValueError(
            "best_of takes scores per item, but these are predictions of models, which need a "
            "metric. Use BBC().estimate(oof, scoring), or give the loss of each sample and model."
        )
    if any(each is not None for each in arguments):
        raise ValueError(
            "groups, names, sample_weight and columns belong to a table; the predictions of "
            "OOFPredictions.from_scores have their own. Leave them out."
        )
    return oof


def place_of_system(baseline: Any, names: list[str]) -> int:
    if str(baseline) in names:
        return names.index(str(baseline))
    known = ", ".join(map(repr, names[:8])) + ", ..." * (len(names) > 8)
    raise ValueError(
        f"baseline={baseline!r} is none of the {len(names):,} systems: {known}."
        f"{did_you_mean(str(baseline), names)}"
    )


def joint_p_values(
    lead: np.ndarray, error: np.ndarray, n_distinct: int, degrees: int
) -> np.ndarray:
    """Compute one-sided p values of leads, (n_systems,), with Bonferroni's correction."""
    with np.errstate(divide="ignore", invalid="ignore"):
        statistics = lead / error
    statistics[np.isnan(statistics)] = 0.0  # neither lead nor spread
    return np.minimum(1.0, max(n_distinct - 1, 1) * student.sf(statistics, degrees))


def against_baseline(
    lead: np.ndarray, error: np.ndarray, base: int, level: float, degrees: int
) -> dict[str, np.ndarray]:
    """Compute joint intervals and p values of differences from the baseline."""
    difference, n_pairs = 0.0 - lead, max(len(lead) - 1, 1)
    half = student.isf((1 - level) / 2 / n_pairs, degrees) * error
    with np.errstate(divide="ignore", invalid="ignore"):
        statistics = np.abs(difference) / error
    statistics[np.isnan(statistics)] = 0.0
    p_values = np.minimum(1.0, 2 * n_pairs * student.sf(statistics, degrees))
    found = {
        "difference": difference,
        "difference_low": difference - half,
        "difference_high": difference + half,
        "difference_p": p_values,
    }
    for name, array in found.items():
        array = array.astype(float)
        array[base] = np.nan
        found[name] = array
    return found


# --- from sums -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _ScoredByMoments:
    """What a difference is asked of a metric, where there are sums."""

    metric: MetricOfMoments

    def difference(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """See `BoundMetric.difference`."""
        size = np.maximum(np.abs(first), np.abs(second))
        return without_rounding(first - second, size, rounding(TERMS))


@dataclass(frozen=True, eq=False)
class _MomentsOfSide:
    """Systems of one side, of which there are means and covariance; see `BoundSystems`."""

    draws: NormalDraws
    places: np.ndarray  # (n_distinct,), places among the systems that differ

    @property
    def best(self) -> int:
        """Place among these of the one that is selected on all items."""
        return int(self.draws.means[self.places].argmax())

    @property
    def on_best(self) -> float:
        """Mean of that system."""
        return float(self.draws.means[self.places[self.best]])

    @property
    def selected(self) -> int:
        """Which of the systems of the sums it is."""
        return int(self.draws.distinct[self.places[self.best]])

    def choose(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See `BoundSystems.choose`."""
        scores = scores[:, self.draws.distinct[self.places]]
        winners = scores.argmax(axis=1)
        return winners, scores_of_winners(scores, winners, self.best, self.on_best)

    def corrected(self, winners: np.ndarray, scores: np.ndarray) -> Corrected:
        """See `BoundSystems.corrected`."""
        on_all = self.draws.means[self.places]
        covariance = self.draws.covariance[np.ix_(self.places, self.places)]
        return corrected(
            on_all, MomentsOfCovariance(covariance, on_all, self.best), scores, winners,
            self.best, gaps=on_all - on_all[self.best], is_fixed=True,
        )  # fmt: skip


def _difference_of_moments(
    sides: tuple[_MomentsOfSide, _MomentsOfSide],
    moments: ScoreMoments,
    drawn: Sequence[np.ndarray],
    **settings: Any,
) -> ComparisonResult:
    """Compare two sides, from winners and scores of each in the draws, (n_draws,) each."""
    one, of_one, other, of_other = drawn
    cov = sides[0].draws.covariance
    first, second = sides[0].places[one], sides[1].places[other]

    def variance_of(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        both = cov[first, first] + cov[second, second]
        return without_rounding(both - 2 * cov[first, second], both, 1e-11)

    both = sides[0].corrected(one, of_one), sides[1].corrected(other, of_other)
    variance = float(variance_of(first, second).mean())
    if not variance > 0:
        selected = (side.places[[side.best]] for side in sides)
        variance = float(variance_of(*selected)[0])
    names = name_of(moments, sides[0].selected), name_of(moments, sides[1].selected)
    details = {
        "winners": [int(moments.columns[each.selected]) for each in sides],
        "winner_shares": [float(each.share[side.best]) for each, side in zip(both, sides)],
        "n_configs": [len(each.places) for each in sides],
        "unit": moments.unit,
        "n_samples": moments.n_samples,
        "seed": sides[0].draws.entropy,
        "draws": NORMAL,
        "notes": [],
    }
    return difference_of_corrected(
        _ScoredByMoments(MetricOfMoments.of(moments)), both,
        (sides[0].on_best, sides[1].on_best), names, float(np.sqrt(max(variance, 0.0))),
        moments.n_units - 1, details,
        are_tuned=(len(sides[0].places) > 1, len(sides[1].places) > 1), alternative="two-sided",
        **settings,
    )  # fmt: skip


def leads_of_moments(moments: ScoreMoments, reference: int) -> tuple[np.ndarray, np.ndarray]:
    """Compute leads of one over all, and their standard errors, (n_configs,) each."""
    own, shared = moments.variances, moments.covariance[reference]
    both = own + own[reference]
    apart = without_rounding(both - 2 * shared, both, 1e-11) / (moments.n_units - 1)
    means = levelled(moments.means)
    return means[reference] - means, np.sqrt(np.maximum(apart, 0.0))


def best_of_moments(
    moments: ScoreMoments,
    *,
    baseline: Any,
    confidence_level: float,
    n_bootstraps: int,
    random_state: Any,
) -> BestOfResult:
    """Correct the mean of the best system, and compare all of them, from sums; see `best_of`."""
    if not moments.is_fixed:
        raise ValueError(
            "best_of compares systems that are fixed, by sums of their scores: "
            "ScoreMoments(...).update(scores). These are sums of predictions of trained models: "
            "use BBC().estimate(moments)."
        )
    known = [name_of(moments, config) for config in range(moments.n_configs)]
    base = None if baseline is None else place_of_system(baseline, known)
    method = ShrunkenBBC(
        n_bootstraps=n_bootstraps, confidence_level=confidence_level,
        random_state=entropy_of(random_state),
    )  # fmt: skip
    check_moments(method, moments, None, None)
    draws = draws_of_moments(method, moments)
    selected = moments.winner
    sides: dict[str, tuple[_MomentsOfSide, _MomentsOfSide]] = {}
    every = np.arange(len(draws.distinct))

    def among(systems: np.ndarray) -> _MomentsOfSide:
        return _MomentsOfSide(draws, np.unique(draws.place[systems]))

    if len(known) > 1:
        rest = np.delete(np.arange(len(known)), selected)
        sides["versus_runner_up"] = _MomentsOfSide(draws, every), among(rest)
        if base is not None:
            others = np.delete(np.arange(len(known)), base)
            sides["versus_baseline"] = among(others), among(np.array([base]))
    each_side = [side for pair in sides.values() for side in pair]
    interval, beside = estimate_of_moments(
        method, moments, lambda s: tuple(column for side in each_side for column in side.choose(s))
    )
    on_all, degrees = levelled(moments.means), moments.n_units - 1
    own = moments.variances / degrees  # n / (n - 1) makes it unbiased
    tail = (1 - confidence_level) / 2
    half = student.isf(tail, degrees) * np.sqrt(own)
    low, high = on_all - half, on_all + half
    if moments.holds_zeros_and_ones:
        n = moments.n_samples
        if moments.unit != "group" and moments.effective_size == n:
            ends = np.array([wilson(abs(mean) * n, n, tail) for mean in on_all])
            low, high = ends.T if moments.sign == 1 else -ends.T[::-1]
        else:
            least, most = (0.0, 1.0) if moments.sign == 1 else (-1.0, 0.0)
            low, high = np.clip(low, least, most), np.clip(high, least, most)

    lead, of_lead = leads_of_moments(moments, selected)
    p_values = joint_p_values(lead, of_lead, len(draws.distinct), degrees)
    p_values[draws.place == draws.place[selected]] = 1.0
    won = np.zeros(len(known))
    place = {int(column): k for k, column in enumerate(moments.columns)}
    for config, share in interval.details["won"].items():
        won[place[config]] = share
    won = won[draws.distinct[draws.place]]
    fields: dict[str, Any] = {}
    if base is not None:
        lead, of_lead = leads_of_moments(moments, base)
        fields |= against_baseline(lead, of_lead, base, confidence_level, degrees)
    for k, (name, pair) in enumerate(sides.items()):
        fields[name] = _difference_of_moments(
            pair, moments, beside[4 * k : 4 * k + 4], n_bootstraps=n_bootstraps,
            level=confidence_level,
        )  # fmt: skip
    pairs = np.delete(of_lead, selected if base is None else base)
    of_pair = float(np.median(pairs)) if len(pairs) else np.nan
    inside = p_values > 1 - confidence_level
    order = np.argsort(-on_all, kind="stable")
    return BestOfResult(
        names=tuple(known), selected=known[selected], interval=interval,
        tied=tuple(known[k] for k in order if inside[k]), scores=on_all, low=low, high=high,
        p_values=p_values, won=won,
        smallest_difference=(student.isf(tail, degrees) + norm.ppf(POWER)) * of_pair,
        baseline=None if base is None else known[base],
        details={
            "n_items": moments.n_samples, "unit": moments.unit, "n_units": moments.n_units,
            "tied_method": Bonferroni.name, "power": POWER, "n_missing": {}, "draws": NORMAL,
            "notes": list(interval.details["notes"]),
        },
        **fields,
    )  # fmt: skip
