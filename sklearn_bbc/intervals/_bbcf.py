"""BBC-F and Tibshirani's correction: methods on the scores per fold of all configurations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn import get_config

from .._parameters import check_parameters
from .._text import config_words
from .._utils import with_parameters
from .._warnings import warn_user
from ..contest._contest import Contest, other_choice
from ..contest._notes import (
    caveats_of_folds,
    lonely_configuration,
    mean_shares,
    notes_on_splits,
    noun_of,
    shares_won,
)
from ..contest._winner import BY_FOLDS
from ..exceptions import IntervalWarning, SelectionError, UndefinedIntervalError
from ..metrics._base import first_best, least_size
from ..metrics._by_fold import FoldTable
from ..metrics._metric import Metric, as_metric
from ..predictions._predictions import OOFPredictions
from ..resampling import (
    IID,
    MAX_EXACT_FOLDS,
    Draws,
    entropy_of,
    enumerate_fold_draws,
    n_fold_draws,
)
from ..results._results import ConfidenceInterval
from ..selection._base import BoundSelection, Outcome, Selection, as_selection
from ..selection._rules import BestScore, SelectedBy
from ._base import OF_TUNING, BaseInterval, QuantileRule, evenly
from ._fold_scores import even_folds_notes
from ._notes import lacking_note, outside_note, why_undefined


class RuleOnFolds:
    """What a rule selects on all folds, and on draws of the folds of each repeat.

    Where the best score selects and the predictions name a winner, that is the winner. `reported`
    is the metric of the scores of draws, which a rule may change; `notes` are on the rule;
    `draw_by_draw` is true where there are too many draws to go through all.
    """

    def __init__(
        self,
        metric: Metric,
        oof: OOFPredictions,
        selection: Selection | None = None,
    ) -> None:
        rule = as_selection(selection)
        self.metric, self._selection, self._oof = metric, rule, oof
        self.table = FoldTable.of(metric, oof)
        self.selecting, inner, self.selected_by = self.table, rule, None
        if isinstance(rule, SelectedBy):
            check_parameters(rule)
            by, inner = as_metric(rule.scoring), as_selection(rule.selection)
            self.selecting, self.selected_by = self.table.alike(by, oof), by.name
        chosen_by = self.selecting.metric
        if not self.selecting.valid.any():
            raise UndefinedIntervalError(why_undefined(self.selecting.fold_scores, chosen_by, oof))
        if not np.isfinite(self.selecting.fold_scores[:, self.selecting.valid].sum(axis=0)).any():
            raise UndefinedIntervalError(  # with huge weights
                f"The scores per fold of {chosen_by.name} are too large to be added up."
            )
        self.splits = [np.flatnonzero(oof.split_repeat == k) for k in range(oof.n_repeats)]
        self._rules: dict[bytes, BoundSelection] = {}
        self._whole = whole = self.rule_of(self.table.splits)
        one = whole.on_all()
        self.winner, self.winner_by = int(one["config"][0]), BY_FOLDS
        if self.winner < 0:
            raise UndefinedIntervalError(f"{selection!r} selects nothing on the fold scores.")
        if not isinstance(inner, BestScore):
            self.winner_by = whole.by
        elif oof.selected is not None:
            self.winner, self.winner_by = oof.selected, oof.selected_by
        self.reported, self.draw_by_draw = whole.metric, whole.draw_by_draw
        self.columns = list(one.columns)
        self.notes = [] if isinstance(inner, BestScore) else other_choice(oof, whole)
        lacking = np.flatnonzero(np.isnan(self.table.fold_scores[:, self.winner]))
        if len(lacking) and self.reported is metric:
            raise UndefinedIntervalError(
                f"The selected configuration, {config_words(self.winner, oof.params)}, has no "
                f"{metric.name} in fold {lacking[0]}. The score of another one would not be "
                "its score."
            )

    def rule_of(self, splits: np.ndarray) -> BoundSelection:
        """Bind the rule to some folds, (n_folds,), once."""
        key = splits.tobytes()
        if key not in self._rules:
            self._rules[key] = self._selection.bind(self._oof, self.table.on(splits))
        return self._rules[key]

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that selecting on one draw needs."""
        return 64 * self.table.n_configs

    def choose(self, counts: np.ndarray, splits: np.ndarray) -> Outcome:
        """Select in each draw.

        `counts` (n_draws, n_folds), `splits` (n_folds,).
        """
        try:
            return self.rule_of(splits).choose(counts)
        except SelectionError as error:
            if error.draw is None:
                raise
            raise SelectionError(
                f"{error.reason} It happened on the draw that takes the folds "
                f"{counts[error.draw].tolist()} times."
            ) from error

    def score(self, counts: np.ndarray, outcome: Outcome, splits: np.ndarray) -> np.ndarray:
        """Score what was selected on the folds left out, NaN where nothing was, (n_draws,)."""
        return self.rule_of(splits).score(outcome, counts == 0)

    def won(self, outcome: Outcome) -> np.ndarray:
        """Mark the draws that select what is selected on all folds."""
        if self._whole.by:
            return self._whole.same(outcome, self._whole.on_all())
        return outcome["config"] == self.winner

    def describe(self) -> dict[str, Any]:
        """Describe the choice on all folds."""
        return self._whole.describe(self._whole.on_all())


FEW_FOLDS = 5


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

    def _bind(self, oof: OOFPredictions, metric: Metric) -> RuleOnFolds:
        return RuleOnFolds(metric, oof, self.selection)

    def _estimate(self, contest: Contest) -> ConfidenceInterval:
        oof, kernel = contest.oof, contest.scored
        fewest = min(map(len, kernel.splits))
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
        result = self._over_repeats(kernel)
        selecting = {} if kernel.selected_by is None else {"selected_by": kernel.selected_by}
        details = {
            **selecting, "winner": kernel.winner, "winner_by": kernel.winner_by, **result.details,
            **facts_of_folds(oof, kernel), "n_folds": fewest, "n_repeats": len(kernel.splits),
            "notes": notes_of_folds(oof, kernel),
        }  # fmt: skip
        details["n_folds_lacking_class"], note = lacking_note(oof, kernel.reported)
        details["notes"].extend(note)
        if kernel.reported is kernel.metric:
            name, config = type(self).__name__, int(kernel.winner)
            details["notes"].extend(even_folds_notes(name, oof, kernel.metric, config))
        return outside_note(replace(result, details=details))

    def _over_repeats(self, kernel: RuleOnFolds) -> ConfidenceInterval:
        """Average the intervals of the repeats."""
        exact = [self._enumerates(kernel, len(splits)) for splits in kernel.splits]
        entropy = None if all(exact) else entropy_of(self.random_state)
        drawn: list[tuple[np.ndarray, Outcome, np.ndarray | None]] = []
        n_redrawn = 0
        for repeat, splits in enumerate(kernel.splits):
            if entropy is None or exact[repeat]:
                drawn.append(_all_draws(kernel, splits))
            else:
                scores, outcome, redrawn = self._sample(kernel, repeat, entropy)
                drawn.append((scores, outcome, None))
                n_redrawn += redrawn
        parts = [
            self._from_draws(scores, kernel.reported, multiplicity=multiplicity)
            for scores, _, multiplicity in drawn
        ]
        result = replace(
            _mean_of(parts), n_bootstraps=None if entropy is None else self.n_bootstraps
        )
        shares = [np.average(kernel.won(outcome), weights=times) for _, outcome, times in drawn]
        won = [shares_won(outcome["config"], times) for _, outcome, times in drawn]
        details = {
            **result.details,
            **kernel.describe(),
            "winner_share": float(np.mean(shares)),
            "won": mean_shares(won),
            "exact": entropy is None,
            "n_redrawn": n_redrawn,
            **({} if entropy is None else {"seed": entropy}),
        }
        return replace(result, details=details)

    def _enumerates(self, kernel: RuleOnFolds, n_folds: int) -> bool:
        """Check whether to enumerate all draws; where each is costly, only if there are few."""
        if n_folds > MAX_EXACT_FOLDS:
            return False
        return not kernel.draw_by_draw or n_fold_draws(n_folds) <= self.n_bootstraps

    def _sample(
        self, kernel: RuleOnFolds, repeat: int, entropy: int
    ) -> tuple[np.ndarray, Outcome, int]:
        """Draw within one repeat; return the scores, the choices and the number of redraws."""
        splits = kernel.splits[repeat]
        kernel.rule_of(splits).warn_if_slow(self.n_bootstraps)
        names = kernel.columns

        def left_out(counts: np.ndarray) -> tuple[np.ndarray, ...]:
            outcome = kernel.choose(counts, splits)
            return kernel.score(counts, outcome, splits), *(outcome[name] for name in names)

        draws = Draws(
            IID(len(splits)),
            self.n_bootstraps,
            entropy,
            # One stratum of all folds: some fold must be left out.
            indicator=np.ones((len(splits), 1), dtype=np.float32),
            bytes_per_draw=kernel.bytes_per_draw,
            key=repeat,
        )
        scores, *columns = draws.map(left_out)
        return scores, Outcome(dict(zip(names, columns))), draws.n_redrawn


def _all_draws(kernel: RuleOnFolds, splits: np.ndarray) -> tuple[np.ndarray, Outcome, np.ndarray]:
    """Compute score, choice and multiplicity of every distinct draw of some folds."""
    counts, multiplicity = enumerate_fold_draws(len(splits))
    kernel.rule_of(splits).warn_if_slow(len(counts))
    # Small enough for the cache, whatever the memory allows.
    size = int(min(get_config()["working_memory"] * 2**20 // kernel.bytes_per_draw, 512))
    pieces = range(0, len(counts), max(size, 1))
    chosen = [kernel.choose(counts[start : start + max(size, 1)], splits) for start in pieces]
    outcome = Outcome.concatenated(chosen)
    return kernel.score(counts, outcome, splits), outcome, multiplicity


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


def facts_of_folds(oof: OOFPredictions, kernel: RuleOnFolds) -> dict[str, Any]:
    """Collect the facts that methods on several configurations' fold scores report."""
    return {
        "unit": "fold",
        "n_untested": oof.n_untested if oof.n_rows else 0,
        "n_configs": oof.n_configs,
        "n_valid": int(kernel.selecting.valid.sum()),
    }


def notes_of_folds(oof: OOFPredictions, kernel: RuleOnFolds, *, splits: bool = True) -> list[str]:
    """Collect the notes on the fold scores and on how they are drawn."""
    notes = (
        [lonely_configuration(oof.n_configs, noun_of(oof))]
        if kernel.selecting.valid.sum() == 1
        else []
    )
    if splits:
        notes += notes_on_splits(oof, by_folds=True)
    notes += kernel.notes
    return notes + caveats_of_folds(oof, kernel.selecting.valid, kernel.metric)


NO_INTERVAL = "The method corrects the estimate and defines no interval; BBC and BBCF give both."


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

    def _bind(self, oof: OOFPredictions, metric: Metric) -> RuleOnFolds:
        return RuleOnFolds(metric, oof, self.selection)

    def _estimate(self, contest: Contest) -> ConfidenceInterval:
        oof, kernel = contest.oof, contest.scored
        winner, scores, selecting = kernel.winner, kernel.table.fold_scores, kernel.selecting
        of_winner = scores[:, winner]
        of_selection = np.where(selecting.valid, selecting.fold_scores, np.nan)
        unit = least_size(selecting.metric.bounds)
        chosen = first_best(of_selection, selecting.rounding, unit)
        best = scores[np.arange(len(of_winner)), chosen]
        behind = best - of_winner  # (n_splits,), >= 0 where the metric itself selects
        if np.isnan(behind).any():
            raise UndefinedIntervalError(
                f"The best configuration of fold {np.isnan(behind).argmax()} has no "
                f"{kernel.metric.name} there."
            )
        n_folds = len(behind)
        bias = float(behind.mean())
        score = float(of_winner.mean())
        details = {
            "winner": winner,
            "winner_by": kernel.winner_by,
            "winner_score": score,
            "bias": bias,
            "bias_standard_error": float(behind.std(ddof=1) / np.sqrt(n_folds)),
            "reason": NO_INTERVAL,
            "n_folds": n_folds // oof.n_repeats,
            "n_repeats": oof.n_repeats,
            **facts_of_folds(oof, kernel),
            "notes": notes_of_folds(oof, kernel, splits=False),
        }
        return self._result(kernel.metric, score - bias, np.nan, np.nan, details=details)
