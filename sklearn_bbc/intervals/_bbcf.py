"""BBC-F and Tibshirani's correction: methods on the scores per fold of all configurations."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn import get_config

from .._utils import with_parameters
from .._warnings import warn_user
from ..contest._contest import Contest, selection_details, selection_facts
from ..contest._folds import FoldContest
from ..exceptions import IntervalWarning, UndefinedIntervalError
from ..metrics._consumed import Unbound
from ..resampling import (
    IID,
    MAX_EXACT_FOLDS,
    Draws,
    entropy_of,
    enumerate_fold_draws,
    n_fold_draws,
)
from ..results._results import ConfidenceInterval
from ..selection._base import Outcome, Selection
from ._base import OF_TUNING, BaseInterval, QuantileRule, evenly
from ._fold_scores import even_folds_notes
from ._notes import lacking_note, outside_note

FEW_FOLDS = 5
MOST_SETS = 8
"""Sets of draws that are told apart, relative to the number of draws."""


@with_parameters
class BBCF(BaseInterval):
    """Bootstrap bias correction on folds (BBC-F).

    Every draw takes as many folds as there are, with replacement. The configuration
    with the best mean over the drawn folds is scored on the folds that were not drawn.
    Nothing but the scores per fold is needed, published ones included. Up to 10 folds
    all draws are enumerated, so the result has no Monte-Carlo error and needs no seed.

    Parameters
    ----------
    n_bootstraps : int, default=2000
        Number of draws, at least 20, where they are not enumerated: with more than 10
        folds.
    {sides}
    {seed of draws}
    quantile : NormalScoreQuantile or None, default=None
        How bounds are read off the sorted draws. None is `OrderStatistic`, as published;
        `NormalScoreQuantile` repeats R's boot.
    selection : Selection, default=None
        Rule by which tuning selects, repeated in every draw. None is the best score; rules
        that need predictions of single samples, such as a threshold, are refused.

    See Also
    --------
    BBC : The same on samples; also for few folds, small ones, thresholds and ensembles.

    Notes
    -----
    Bounds are in the scorer's unit, greater is better. Draws that take every fold once
    leave nothing out and are not counted. The scores take few values when folds are
    few: with fewer than 5 a warning says so, 2 are refused. Small folds with few
    samples of a class make the method liberal [1]_.

    Stratified folds all have the same shares of the classes, new data do not. Where classes
    differ much in how well they are predicted, fold scores vary too little: with 20%
    positives (linear discriminant analysis, 80 samples, accuracy, 150 data sets) 95%
    intervals held the true score in 64% of the data sets with stratified folds and in 88%
    with random ones. A note says so, and a warning where more than a quarter of the variance
    is between classes.

    In a draw, means within rounding of each other, about 1e-14 relative, tie; the first
    configuration wins.

    With repeated cross-validation a draw takes folds of one repeat only: folds of
    different repeats share samples, so drawing them jointly would leak. The result is the
    mean of the intervals of the repeats. (Drawing in every repeat and taking the mean score
    would average out over the repeats, while the sampling noise that all repeats share does
    not: in a simulation of 100 samples, 20 configurations, 6 folds and 400 data sets, 95%
    intervals of 10 repeats then held the true accuracy in 66% of the data sets, and in 99%
    as it is.)

    `details` of the result: ``winner`` (best mean over all folds), ``winner_by``,
    ``winner_share`` (share of draws that it wins), ``won`` (the same for each configuration
    that wins one, the most frequent winner first; repeats are averaged), ``exact``,
    ``n_folds`` (per repeat), ``n_repeats``, ``n_redrawn``, ``n_folds_lacking_class`` (where the
    metric treats classes apart and has a value by convention), ``n_undefined``, ``median``
    (where the estimate is outside the interval), ``unit``, ``n_untested``, ``n_configs``,
    ``n_valid``, ``seed`` (sampled draws only), ``notes``. The `draws` of an enumeration are
    at most 10,000 scores spread evenly over the distribution.

    References
    ----------
    .. [1] K. Paraschakis, A. Castellani, G. Borboudakis, I. Tsamardinos, "Confidence
       interval estimation of predictive performance in the context of AutoML",
       AutoML Conference (2024).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import BBCF
    >>> accuracy = np.array([[.70, .60, .66], [.80, .90, .71], [.50, .65, .72],
    ...                      [.75, .55, .70], [.70, .60, .65]])
    >>> oof = OOFPredictions.from_fold_scores({"accuracy": accuracy})
    >>> result = BBCF().estimate(oof, "accuracy")
    >>> round(float(accuracy.mean(axis=0).max()), 3), round(result.estimate, 3)
    (0.69, 0.646)
    """

    name = "bbcf"
    label = ("bootstrap bias correction on folds (BBC-F)", "BBC-F")
    requires = frozenset({"folds"})
    estimand = OF_TUNING
    meant_for = "the winner of a search of which only scores per fold are known"
    cost = "O(N C) for the scores per fold, then O(B F C); no draws up to 10 folds"
    limits = (
        "2 folds are refused, fewer than 5 are coarse; one or two samples of a class in a "
        "fold: too narrow; stratified folds and accuracy where a class is badly predicted: "
        "too narrow"
    )
    n_bootstraps: int = 2000
    confidence_level: float = 0.95
    alternative: str = "two-sided"
    random_state: Any = None
    quantile: QuantileRule | None = None
    selection: Selection | None = None

    def _estimate(self, contest: Contest) -> ConfidenceInterval:
        assert isinstance(contest, FoldContest)
        contest.check_scored()
        repeats, rule, metric = contest.repeats, contest.rule, contest.scored.metric
        fewest = min(each.scored.n_units for each in repeats)
        if fewest < 3:
            raise ValueError(
                f"BBCF needs at least 3 folds, got {fewest}: with 2, one fold selects and the "
                "other one scores. Use BBC, which resamples samples, or more folds."
            )
        if fewest < FEW_FOLDS:
            warn_user(
                f"BBCF is coarse with {fewest} folds: its scores take at most "
                f"{2**fewest - 2} values per winning configuration. Use BBC, or at least "
                f"{FEW_FOLDS} folds.",
                IntervalWarning,
            )
        exact = [self._enumerates(each) for each in repeats]
        entropy = None if all(exact) else entropy_of(self.random_state)
        parts, drawn, n_redrawn = [], [], 0
        for repeat, (one, is_exact) in enumerate(zip(repeats, exact)):
            if entropy is None or is_exact:
                outcome, times = _all_draws(one)
                scores, of_scores = _scored_once(one, outcome, times)
            else:
                scores, outcome, redrawn = self._sample(one, repeat, entropy)
                times, of_scores, n_redrawn = None, None, n_redrawn + redrawn
            parts.append(self._from_draws(scores, rule.metric, multiplicity=of_scores))
            drawn.append((outcome, times))
        result = _mean_of(parts)
        details = {
            **result.details, **selection_details(contest, drawn), "n_folds": fewest,
            "n_repeats": len(repeats), "exact": entropy is None, "n_redrawn": n_redrawn,
            **({} if entropy is None else {"seed": entropy}),
        }  # fmt: skip
        details["n_folds_lacking_class"], note = lacking_note(Unbound(rule.metric, contest.oof))
        details["notes"] += [*result.details.get("notes", []), *note]
        if rule.metric is metric:
            details["notes"] += even_folds_notes(
                type(self).__name__, contest.scored, contest.winner
            )
        n_bootstraps = None if entropy is None else self.n_bootstraps
        return outside_note(replace(result, n_bootstraps=n_bootstraps, details=details))

    def _enumerates(self, contest: FoldContest) -> bool:
        """Check whether to enumerate all draws; where each is costly, only if there are few."""
        n_folds = contest.scored.n_units
        if n_folds > MAX_EXACT_FOLDS:
            return False
        return not contest.rule.draw_by_draw or n_fold_draws(n_folds) <= self.n_bootstraps

    def _sample(
        self, contest: FoldContest, repeat: int, entropy: int
    ) -> tuple[np.ndarray, Outcome, int]:
        """Draw within one repeat; return the scores, the choices and the number of redraws."""
        rule, n_folds = contest.rule, contest.scored.n_units
        rule.warn_if_slow(self.n_bootstraps)
        names = list(rule.on_all().columns)

        def left_out(counts: np.ndarray) -> tuple[np.ndarray, ...]:
            outcome = contest.choose(counts)
            return rule.score(outcome, counts == 0), *(outcome[name] for name in names)

        draws = Draws(
            IID(n_folds),
            self.n_bootstraps,
            entropy,
            # One stratum of all folds: some fold must be left out.
            indicator=np.ones((n_folds, 1), dtype=np.float32),
            bytes_per_draw=contest.scored.bytes_per_draw,
            key=repeat,
        )
        scores, *columns = draws.map(left_out)
        return scores, Outcome(dict(zip(names, columns))), draws.n_redrawn


def _all_draws(contest: FoldContest) -> tuple[Outcome, np.ndarray]:
    """Find choice and multiplicity of every distinct draw of the folds."""
    counts, multiplicity = enumerate_fold_draws(contest.scored.n_units)
    contest.rule.warn_if_slow(len(counts))
    # Small enough for the cache, whatever the memory allows.
    memory = get_config()["working_memory"] * 2**20
    size = max(1, int(min(memory // contest.scored.bytes_per_draw, 2048)))
    chosen = [
        contest.choose(counts[start : start + size]) for start in range(0, len(counts), size)
    ]
    return Outcome.concatenated(chosen), multiplicity


def _scored_once(
    contest: FoldContest, outcome: Outcome, multiplicity: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Score draws on the folds that they leave out; return how many draws have each score, too.

    Draws that choose the same configuration and leave out the same folds are scored once, which
    leaves less to sort; draws without a score stay apart, since they are counted.
    """
    counts, n_folds = enumerate_fold_draws(contest.scored.n_units)[0], contest.scored.n_units
    left_out = counts == 0
    if outcome.columns.keys() == {"config"}:
        configs = outcome["config"] + 1  # 0 for none
        there = np.bincount(configs) > 0
        # Of each chosen configuration and each set of folds one number.
        of_config = (np.cumsum(there) - 1) << n_folds
        if of_config[-1] < MOST_SETS * len(counts):
            same = of_config[configs] + _sets_left_out(n_folds)
            times = np.bincount(same, multiplicity)
            draw = np.zeros(len(times), dtype=np.intp)
            draw[same] = np.arange(len(same))
            draw = draw[times > 0]
            scores = contest.rule.score(outcome.take(draw), left_out[draw])
            if not np.isnan(scores).any():
                return scores, times[times > 0].astype(np.int64)
    return contest.rule.score(outcome, left_out), multiplicity


@lru_cache(maxsize=MAX_EXACT_FOLDS)
def _sets_left_out(n_folds: int) -> np.ndarray:
    """Number the sets of folds that the enumerated draws leave out, (n_draws,)."""
    return (enumerate_fold_draws(n_folds)[0] == 0) @ (1 << np.arange(n_folds))


def _mean_of(parts: list[ConfidenceInterval]) -> ConfidenceInterval:
    """Average intervals; they may have different numbers of folds, and so of draws."""
    if len(parts) == 1:
        return parts[0]
    ordered = [np.sort(np.asarray(part.draws)) for part in parts]
    n_draws = max(map(len, ordered))
    n_undefined = sum(part.details["n_undefined"] for part in parts)
    estimate, low, high = (
        float(np.mean([getattr(part, name) for part in parts]))
        for name in ("estimate", "low", "high")
    )
    draws = np.mean([evenly(draws, n_draws) for draws in ordered], axis=0)
    details = {**parts[0].details, "n_undefined": n_undefined}
    return replace(parts[0], estimate=estimate, low=low, high=high, draws=draws, details=details)


NO_FOLD_INTERVAL = (
    "The method corrects the estimate and defines no interval; BBC and BBCF give both."
)


@with_parameters
class TibshiraniTibshirani(BaseInterval):
    """Tibshirani and Tibshirani's correction of the winner's score: an estimate only.

    In each fold the best configuration of that fold beats the overall winner by some
    amount. The mean of these amounts stands for what the winner's score owes to having
    been chosen, and is taken off. There is no interval: both bounds are NaN.

    Parameters
    ----------
    confidence_level : float in (0, 1), default=0.95
        Reported with the result; without effect, since there is no interval.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Reported with the result; without effect, since there is no interval.

    See Also
    --------
    BBCF : From the same fold scores, with an interval.

    Notes
    -----
    The correction is at least 0, and cheap: it needs the scores per fold only, published
    ones included. It is rough [1]_: the best of one fold is chosen on far fewer samples
    than the winner, so with many configurations and small folds the correction is too
    large (leave-one-out doubles a loss), while for 20 to 40 samples it was found too small.
    Metrics such as ``roc_auc`` need folds with enough samples of each class. With repeated
    cross-validation all folds of all repeats count alike.

    `details` of the result: ``winner``, ``winner_by``, ``winner_score`` (its mean over the
    folds), ``bias`` (what was taken off), ``bias_standard_error`` (standard deviation over
    the folds divided by the root of their number, suggested by the authors and never
    validated), ``reason`` (why there is no interval), ``n_folds``, ``n_repeats``,
    ``n_configs``, ``n_valid``, ``unit``, ``n_untested``, ``notes``. Time O(n_folds *
    n_configs).

    References
    ----------
    .. [1] R. J. Tibshirani, R. Tibshirani, "A bias correction for the minimum error rate
       in cross-validation", Annals of Applied Statistics 3, 822-829 (2009).
       :doi:`10.1214/08-AOAS224`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import TibshiraniTibshirani
    >>> accuracy = np.array([[.70, .75, .60], [.80, .65, .70], [.75, .90, .70], [.70, .70, .80]])
    >>> oof = OOFPredictions.from_fold_scores({"accuracy": accuracy})
    >>> result = TibshiraniTibshirani().estimate(oof, "accuracy")
    >>> round(result.details["winner_score"], 4), round(result.estimate, 4), result.low
    (0.75, 0.6875, nan)
    """

    name = "tibshirani"
    label = ("the bias correction of Tibshirani and Tibshirani", "Tibshirani-Tibshirani")
    requires = frozenset({"folds"})
    estimand = OF_TUNING
    meant_for = "a quick correction of the best score, without an interval"
    cost = "O(F C)"
    limits = "leave-one-out and tiny folds (doubles a loss); many configurations; has no interval"
    selection = None  # no parameter: the best mean, by `selected_by` where that is given
    confidence_level: float = 0.95
    alternative: str = "two-sided"

    def _estimate(self, contest: Contest) -> ConfidenceInterval:
        assert isinstance(contest, FoldContest)
        contest.check_scored()
        scores, selecting, metric = (
            contest.scored.fold_scores,
            contest.selecting,
            contest.scored.metric,
        )
        of_winner = scores[:, contest.winner]
        chosen = selecting.first_best(np.where(selecting.valid, selecting.fold_scores, np.nan))
        best = scores[np.arange(len(of_winner)), chosen]
        behind = best - of_winner  # (n_splits,), >= 0 where the metric itself selects
        if np.isnan(behind).any():
            raise UndefinedIntervalError(
                f"The best configuration of fold {np.isnan(behind).argmax()} has no "
                f"{metric.name} there."
            )
        n_folds, n_repeats = len(behind), contest.oof.n_repeats
        bias = float(behind.mean())
        score = float(of_winner.mean())
        details = {
            **selection_facts(contest, of_splits=False),
            "winner_score": score,
            "bias": bias,
            "bias_standard_error": float(behind.std(ddof=1) / np.sqrt(n_folds)),
            "reason": NO_FOLD_INTERVAL,
            "n_folds": n_folds // n_repeats,
            "n_repeats": n_repeats,
        }
        return self._result(metric, score - bias, np.nan, np.nan, details=details)
