"""BBC, `bbc` on arrays, and the curve of optimism: draws of samples repeat the selection."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

import sklearn_bbc.results as results

from .._parameters import OneOf, Whole, constrained
from .._utils import (
    explain_arguments,
    got,
    is_integer,
    meant_by,
    same,
    suppress_fp_warnings,
    with_parameters,
)
from ..contest._contest import Contest
from ..contest._notes import (
    lonely_configuration,
    noun_of,
    unit_of,
)
from ..contest._question import Question, check_oof
from ..metrics._metric import BoundMetric
from ..predictions._moments import ScoreMoments
from ..predictions._predictions import OOFPredictions
from ..resampling import Redraw, Units
from ..results._results import ConfidenceInterval
from ..selection._base import (
    BoundSelection,
    Outcome,
    Selection,
)
from ..selection._rules import SelectedBy
from ._base import (
    OF_TUNING,
    QuantileRule,
    check_given,
    contest_for,
    fill_confidence_level_doc,
    metric_on,
)
from ._normal_draws import (
    NORMAL,
    WAYS,
    MetricOfMoments,
    SumsInterval,
    check_normal,
    details_of_moments,
    draws_of_moments,
    finished_of_moments,
    normal_draws,
)
from ._notes import outside_note


def scores_and_places(rule: BoundSelection, outcome: Outcome, left_out: np.ndarray) -> np.ndarray:
    """Score what was chosen, and find whether that is below the median of all configurations.

    `left_out` (n_draws, n_samples) -> (n_draws, 2), the second column as in `below_median`.
    """
    scored = rule.scored
    assert isinstance(scored, BoundMetric)
    places = below_median(scored, scored.scores(left_out), outcome["config"])
    return np.stack([rule.score(outcome, left_out), places], axis=1)


def below_median(kernel: BoundMetric, scores: np.ndarray, configs: np.ndarray) -> np.ndarray:
    """Find whether a configuration is below the median of all that have a score in a draw.

    `scores` (n_draws, n_configs), `configs` (n_draws,) -> (n_draws,): 1 below, 0 above, 0.5 where
    it is the median itself. Equal scores are in any order with the same probability. NaN where
    the configuration has no score.
    """
    own = np.take_along_axis(scores, np.maximum(configs, 0)[:, None], axis=1)
    own[configs < 0] = np.nan
    gaps = kernel.difference(scores, own)  # NaN where either has no score
    worse, equal = (gaps < 0).sum(axis=1), (gaps == 0).sum(axis=1)
    half = (worse + equal + (gaps > 0).sum(axis=1)) / 2
    with np.errstate(invalid="ignore"):  # 0 / 0 where nothing has a score
        return np.clip((half - worse) / equal, 0.0, 1.0)


@with_parameters
class BBC(SumsInterval):
    """Bootstrap bias corrected estimate for the configuration that tuning selects.

    Every draw repeats the selection: the best configuration on the drawn samples is
    scored on the samples left out. Nothing is refitted.

    Parameters
    ----------
    n_bootstraps : int, default=2000
        Number of draws, at least 20. The Monte-Carlo error of a bound shrinks with its
        square root.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps only the lower bound, ``"less"`` only the upper one.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws. Inside a search, None takes the search's own seed.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.
    quantile : NormalScoreQuantile or None, default=None
        How bounds are read off the sorted draws. None is `OrderStatistic`, as published;
        `NormalScoreQuantile` repeats R's boot.
    degenerate : Redraw or None, default=None
        How draws in which a class is missing in-bag or out-of-bag are drawn again; None is
        ``Redraw()``.
    selection : Selection, default=None
        Rule by which tuning selects, repeated in every draw. None is the best score; see
        `sklearn_bbc.selection` for others.
    below_median : bool, default=False
        Whether to compute the share of draws in which the selected configuration is below the
        median of all configurations on the samples left out, the probability of (backtest)
        overfitting. That scores every configuration there, not the selected one only.
    draws : {"samples", "normal"} or None, default=None
        ``"samples"`` draws samples. ``"normal"`` draws scores from their normal approximation,
        for which the means of all configurations and their covariance are enough: with many
        samples it gives the same interval in a fraction of the time, see Notes. None is
        ``"normal"`` from 20,000 samples (or groups) on, where that holds with a margin.

    See Also
    --------
    BBCF : The same on folds; faster, and works on fold scores alone.

    Notes
    -----
    Bounds are in the scorer's unit, greater is better. With groups, whole groups are
    drawn. With repeated cross-validation all repeats share one draw of samples, and
    scores are means over the repeats.

    An out-of-bag score uses about 0.37 of the samples, so the interval is wider than
    that of a single fixed configuration: coverage above the promised level is expected.

    Metrics that treat classes apart (F1, recall, precision, Jaccard, MCC, kappa, balanced
    accuracy, AUC, ...) need every class in-bag and out-of-bag: other draws are drawn again.
    A class of 1 or 2 units (1 where there are two classes) is too small for that, as are
    the smallest of many classes where fewer than a tenth of the draws would hold all of
    them: such draws are kept where the metric has a value by convention, counted in
    ``n_lacking_class`` and noted. Means over samples (accuracy, Brier score) need no class.
    Draws with a constant target are drawn again for R2, D2 and explained variance.

    Rank metrics (AUC, average precision, concordance) compare samples of different folds by
    the scores of different models, which can make them lower than within folds. Where the
    winner's pooled score and its mean over the folds differ by more than a standard error of
    the latter, a note gives both.

    Scores within rounding of the best one of a draw (about 1e-13 relative for 500 samples)
    tie with it; the first configuration wins, as in `BBCF`.

    With `below_median`, `details` have that share, too, or NaN where all configurations predict
    the same. A configuration that is taken at random is below the median in half of the draws.
    Where several have the score of the selected one, all orders of them count alike; the median
    itself counts half. For the probability of backtest overfitting Bailey, Borwein, Lopez de
    Prado and Zhu (2017, :doi:`10.21314/JCF.2016.322`) take complementary halves of consecutive
    blocks in place of draws, and count the median as below.
    Time O(n_bootstraps * n_samples * n_configs).

    For a mean over n samples with the covariance S, the in-bag scores of a draw are about
    ``m + Z1`` and those out-of-bag ``m - Z1 + sqrt(e - 2) Z2``, where m are the scores on all
    samples, and Z1 and Z2 are independent and normal with the covariance ``S / n``. With
    ``draws="normal"`` they are drawn so; with groups or weights, and for scores that are no
    means (the area under the ROC curve, concordance, RMSE, R2, F1, kappa, ...), by what each unit
    adds to the score. It takes 500 units, and is refused where one unit
    has more than a fifth of the variance of a configuration that wins draws, or the skewness of
    its mean over draws is more than 0.15; half of that where it was not asked for. What that is
    worth is measured by ``coverage.py moments``.

    `details` of the result: ``winner`` (configuration selected on all samples),
    ``winner_by`` ("the search", "mean over folds", "pooled score" where a fold has none,
    "given" by the caller, or "the only one"), ``winner_share`` (share of draws that it wins),
    ``won`` (configuration -> share of draws that it wins, the most frequent winner first),
    ``pooled_score`` (the winner's, on the predictions of all folds together),
    ``n_redrawn``, ``n_lacking_class``, ``n_undefined``, ``median`` (where the
    estimate is outside the interval), ``unit``, ``n_untested``, ``n_configs``,
    ``n_valid``, ``kernel``, ``response``, ``seed``, ``notes``; ``draws`` where they are normal.
    With another rule as `selection`, ``winner`` is what it selects on all samples, and its own
    by-products are added; a threshold also changes the metric that the result is about.

    References
    ----------
    .. [1] I. Tsamardinos, E. Greasidou, G. Borboudakis, "Bootstrapping the
       out-of-sample predictions for efficient and accurate cross-validation",
       Machine Learning 107, 1895-1922 (2018). :doi:`10.1007/s10994-018-5714-4`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import BBC
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 50)
    >>> coin_flips = rng.integers(2, size=(100, 500))
    >>> oof = OOFPredictions(y_true=y, y_pred=coin_flips, fold=np.arange(100) // 10)
    >>> best = (coin_flips == y[:, None]).mean(axis=0).max()
    >>> result = BBC(random_state=0).estimate(oof, "accuracy")
    >>> bool(best > 0.6), bool(result.estimate < 0.55), 0.5 in result
    (True, True, True)
    """

    name = "bbc"
    label = ("bootstrap bias correction (BBC)", "BBC")
    estimand = OF_TUNING
    meant_for = "the winner of a search by any metric, when its predictions are kept: the default"
    cost = "O(B N C)"
    limits = (
        "a class with one sample; wide under imbalance and with few samples; near-perfect "
        "scores at about 50 samples; searches that choose what to try next by the scores"
    )

    n_bootstraps: int = 2000
    confidence_level: float = 0.95
    alternative: str = "two-sided"
    random_state: Any = None
    n_jobs: int | None = None
    quantile: QuantileRule | None = None
    degenerate: Redraw | None = None
    selection: Selection | None = None
    below_median: bool = False
    draws: str | None = None

    _constraints = {
        "draws": OneOf(WAYS, or_none=True, hint="'normal' needs a mean over many samples.")
    }

    def _of_sums(self, moments: ScoreMoments) -> ConfidenceInterval:
        draws = draws_of_moments(self, moments)
        winners, scores = draws.out_of_bag()
        check_normal(draws, winners)
        details = details_of_moments(moments, winners, draws.entropy)
        result = self._from_draws(
            scores, MetricOfMoments.of(moments), details=details, n_bootstraps=self.n_bootstraps
        )
        return finished_of_moments(outside_note(result), moments)

    def _estimate(self, contest: Contest) -> ConfidenceInterval:
        rule, scored = contest.rule, contest.scored
        if self.below_median and not rule.of_configurations:
            raise ValueError(
                "below_median=True asks for the place of one configuration among all of them; "
                f"{contest.selection!r} reports the score of something else. Leave it out."
            )
        places = partial(scores_and_places, rule) if self.below_median else None
        normal = normal_draws(self, contest)
        repeated = contest.repeated(self, places) if normal is None else normal
        scores = repeated.values
        details = repeated.details(of_pooling=rule.of_configurations)
        if normal is not None:
            details["draws"] = NORMAL
        if self.below_median:
            scores, below = scores.T
            scored_there = ~np.isnan(below)
            several = scored.n_distinct > 1 and scored_there.any()
            details["below_median"] = float(below[scored_there].mean()) if several else np.nan
        if rule.of_configurations:
            details["pooled_score"] = scored.score_on_data(details["winner"])
        result = self._from_draws(
            scores,
            rule.metric,
            details=details,
            n_bootstraps=self.n_bootstraps,
        )
        return outside_note(result)

    def _n_scores(self, kernel: BoundMetric, units: Units) -> int:
        others = kernel.n_distinct - 1 if self.below_median else 0  # out-of-bag, too
        return super()._n_scores(kernel, units) + self.n_bootstraps * others


INTERVAL_PARAMETERS = ("alternative", "quantile", "below_median", "draws")
"""Parameters that have no use where the result is no interval of one score."""


def draws_by(method: Any, asked: str, unused: Sequence[str], name: str = "method") -> BBC:
    """Check what has the settings of the draws of `asked`, which has no use for some of them."""
    if not isinstance(method, BBC):
        raise ValueError(
            f"{name} has the settings of the draws: {asked}({name}=BBC(n_bootstraps=500, "
            f"random_state=0)), with what differs from BBC(); got {got(method)}."
        )
    plain = BBC().get_params(deep=False)
    for parameter in unused:
        value = getattr(method, parameter)
        if not same(value, plain[parameter]):
            uses = ", ".join(each for each in plain if each not in unused)
            raise ValueError(
                f"{asked} has no use for {parameter}={got(value)} of {type(method).__name__}. It "
                f"uses {uses}."
            )
    return method


@explain_arguments(" Of an OOFPredictions it is BBC().estimate(oof, 'roc_auc').")
@fill_confidence_level_doc("score")
def bbc(
    y_true: Any,
    y_pred: Any,
    scoring: Any = None,
    *,
    fold: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    selection: Any = None,
    below_median: bool = False,
    block_length: int | str | None = None,
    order: Any = None,
    n_bootstraps: int = 2000,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> ConfidenceInterval:
    """Correct the score of the best of several configurations for the bias of selection.

    The short form of ``BBC(...).estimate(OOFPredictions(...), scoring)``, for predictions
    that any tool made by cross-validation.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Labels, target values, or a structured survival target.
    y_pred : array-like of shape (n_samples, n_configs), (n_samples, n_configs, n_classes) or \
            (n_repeats, n_samples, n_configs[, n_classes])
        Out-of-fold predictions of every configuration that was tried, as the metric consumes
        them: scores, labels, probabilities or values. Not only the best ones, since the
        correction repeats the choice among all.
    scoring : str, scorer or Metric
        The metric, for example ``"roc_auc"``.
    fold : array-like of shape (n_samples,) or (n_repeats, n_samples), or list of (train, test), \
            default=None
        Fold in which each sample was held out; -1 marks samples that never were. None when
        the folds are not known: BBC pools predictions of all folds and needs them only for
        metrics within folds and for repeats.
    groups : array-like of shape (n_samples,), default=None
        Samples of one group depend on each other; groups are then the resampled units.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each sample in the metric.
    pos_label : label, default=None
        Which of two classes the scores are higher for, and which is positive for metrics such as
        F1 that name none. None takes the second in sorted order.
    selection : Selection, default=None
        Rule by which the configuration was chosen, repeated in every draw. None is the best
        score.
    below_median : bool, default=False
        Whether to compute the share of draws in which the selected configuration is below the
        median of all configurations on the samples left out (the probability of backtest
        overfitting), see `BBC`.
    block_length : int, "auto" or None, default=None
        Samples per block, where samples depend on those before and after them in time: draws
        take blocks, see `OOFPredictions.with_blocks`. None takes samples as independent.
    order : array-like of shape (n_samples,), default=None
        Times by which samples follow each other. None is the order of the rows.
    n_bootstraps : int, default=2000
        Number of draws, at least 20.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps only the lower bound, ``"less"`` only the upper one.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.

    Returns
    -------
    ConfidenceInterval
        In scorer orientation, greater is better: a loss is negative.

    Raises
    ------
    ValueError
        If shapes do not match, `pos_label` is not one of two classes, or the metric cannot take
        the predictions.
    UndefinedIntervalError
        If the data cannot support the interval, as when a class has a single sample.

    See Also
    --------
    BBC : The method, with all its parameters and attributes.
    sklearn_bbc.OOFPredictions : The same predictions as an object, for any method.
    sklearn_bbc.BBCSearchCV : Records the predictions during a search.

    References
    ----------
    .. [1] I. Tsamardinos, E. Greasidou, G. Borboudakis, "Bootstrapping the
       out-of-sample predictions for efficient and accurate cross-validation",
       Machine Learning 107, 1895-1922 (2018). :doi:`10.1007/s10994-018-5714-4`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import bbc
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 50)
    >>> noise = rng.normal(size=(100, 200))  # 200 configurations that know nothing
    >>> result = bbc(y, noise, "roc_auc", random_state=0)
    >>> 0.5 in result
    True
    """
    if y_true is None:
        raise ValueError(
            "y_true must be an array, got None: bbc scores predictions by a metric. For a table "
            "of scores or losses, a row for each item and a column for each system, use "
            "best_of(scores)."
        )
    if isinstance(y_true, OOFPredictions):
        raise ValueError(
            f"y_true must be an array, got {got(y_true)}. Interval methods take such predictions: "
            "BBC().estimate(oof, 'roc_auc')."
        )
    if scoring is None:
        raise ValueError("scoring must be given, for example 'roc_auc' or 'accuracy'.")
    oof = OOFPredictions(
        y_true=y_true, y_pred=y_pred, fold=fold, groups=groups, sample_weight=sample_weight,
        pos_label=pos_label,
    )  # fmt: skip
    if block_length is not None or order is not None:
        oof = oof.with_blocks(block_length, order=order)
    method = BBC(
        selection=selection,
        below_median=below_median,
        n_bootstraps=n_bootstraps,
        confidence_level=confidence_level,
        alternative=alternative,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    return method.estimate(oof, scoring)


STEPS = 10
"""Sizes that are looked at, evenly on a logarithmic scale."""


@explain_arguments(of_method="optimism_curve(..., method=BBC({}=...))")
@constrained(n_subsets=Whole(1))
def optimism_curve(
    oof: OOFPredictions,
    scoring: Any,
    *,
    selected_by: Any = None,
    sizes: Sequence[int] | None = None,
    n_subsets: int = 50,
    method: BBC | None = None,
) -> results.OptimismCurve:
    """Compute best and corrected scores of random subsets of the configurations.

    The more configurations are tried, the better the best of them looks, and the more of that
    is luck. The curve shows both for one search. Nothing is refitted.

    Parameters
    ----------
    oof : OOFPredictions
        Out-of-fold predictions of every configuration.
    scoring : str, scorer or Metric
        The metric. It must be given.
    selected_by : str, scorer or Metric, default=None
        The metric that selects in every draw and subset, where it is not `scoring`.
    sizes : sequence of int, default=None
        Numbers of configurations to look at; that of all configurations is added. None takes
        10 of them, evenly on a logarithmic scale.
    n_subsets : int, default=50
        Random subsets of each size, drawn without replacement within a subset. Of single
        configurations and of all together there are not more than these.
    method : BBC, default=None
        For another number of draws, which are the same ones for all subsets, a seed, which the
        subsets have as well, or threads. None is ``BBC(n_bootstraps=500)``.

    Returns
    -------
    OptimismCurve
        One row per size, one column per subset.

    Raises
    ------
    ValueError
        If there are no predictions, or a parameter is out of range.
    UndefinedIntervalError
        If the data cannot support it, for example with a class in one sample.

    See Also
    --------
    sklearn_bbc.BBC : The correction, for all configurations.
    sklearn_bbc.display.OptimismDisplay : Draws the curve.

    Notes
    -----
    The score of all configurations is the estimate of `BBC` with the same seed and number of
    draws. Both scores are of all held-out predictions together: what pooling the folds does to
    them is in both, and their difference is the part of the optimism that selection makes.

    Subsets of one search overlap, the more the larger they are. Their spread says how much it
    matters which configurations are tried, not how well the data determine a score: that is
    what the interval is for. Configurations without a score are left out.

    Every configuration is scored once in-bag and once out-of-bag in every draw; subsets cost
    nothing beyond looking for a maximum. Memory O(n_bootstraps * n_configs).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import BBC, optimism_curve
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 50)
    >>> coin_flips = rng.integers(2, size=(100, 200))
    >>> oof = OOFPredictions(y_true=y, y_pred=coin_flips, fold=np.arange(100) // 10)
    >>> method = BBC(n_bootstraps=500, random_state=0)
    >>> print(optimism_curve(oof, "accuracy", method=method))
    The best of 200 configurations has accuracy 0.630 on the predictions that chose it, and \
0.493 when it is corrected; a single one, taken at random, has 0.486 and 0.485.
    """
    method = BBC(n_bootstraps=500) if method is None else method
    draws_by(method, "optimism_curve", ("confidence_level", "selection", *INTERVAL_PARAMETERS))
    check_oof(oof)
    by = None
    if selected_by is not None:
        with meant_by("selected_by", "scoring"):
            by = SelectedBy(metric_on(method, oof, selected_by))
    return optimism_of(Question(oof=oof, metric=scoring, rule=by), sizes, n_subsets, method)


@constrained(n_subsets=Whole(1))
def optimism_of(
    question: Question, sizes: Sequence[int] | None, n_subsets: int, method: BBC
) -> results.OptimismCurve:
    """Compute best and corrected scores of subsets, where the best score of a metric selects."""
    check_given(method, question.oof, question.metric)
    oof = question.predictions("optimism_curve")
    contest = contest_for(method, question)
    kernel, selecting = contest.scored, contest.selecting
    valid = np.flatnonzero(kernel.valid & selecting.valid)
    steps = _checked_sizes(sizes, len(valid))
    # In-bag and out-of-bag, all configurations.
    for each in (kernel, selecting):
        each.warn_if_slow(method.n_bootstraps * each.n_distinct, method.n_jobs)

    def both(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return selecting.scores(counts), kernel.scores(counts == 0)

    with suppress_fp_warnings():
        draws = method.draws_for(contest)
        in_bag, left_out = draws.map(both)  # (n_draws, n_configs)
    rng = np.random.default_rng([draws.entropy, len(valid)])
    apparent, of_selection = kernel.on_data(), selecting.on_data()
    best = np.full((len(steps), n_subsets), np.nan)
    corrected = best.copy()
    for row, size in enumerate(steps):
        for column, chosen in enumerate(_subsets(rng, valid, size, n_subsets)):
            best[row, column] = apparent[
                chosen[selecting.first_best(of_selection[None, chosen])[0]]
            ]
            winners = selecting.first_best(in_bag[:, chosen])
            scores = left_out[np.arange(len(winners)), chosen[winners]]
            scores = scores[(winners >= 0) & ~np.isnan(scores)]
            corrected[row, column] = scores.mean() if len(scores) else np.nan
    return results.OptimismCurve(
        sizes=steps,
        best=best,
        corrected=corrected,
        metric=kernel.metric.name,
        n_bootstraps=method.n_bootstraps,
        details={
            "seed": draws.entropy,
            "n_redrawn": draws.n_redrawn,
            **({} if selecting is kernel else {"selected_by": selecting.metric.name}),
            "unit": unit_of(oof),
            "notes": [lonely_configuration(oof.n_configs, noun_of(oof))]
            if len(valid) == 1
            else [],
        },
    )


def _checked_sizes(sizes: Sequence[int] | None, n_configs: int) -> np.ndarray:
    if not n_configs:
        raise ValueError("No configuration has a score, so there is nothing to choose from.")
    if sizes is None:
        return np.unique(np.round(np.geomspace(1, n_configs, STEPS)).astype(np.intp))
    given: list[Any] = np.atleast_1d(np.asarray(sizes, dtype=object)).tolist()
    wrong = [size for size in given if not is_integer(size, 1) or size > n_configs]
    if wrong:
        raise ValueError(
            f"sizes must be integers from 1 to {n_configs}, the number of configurations with a "
            f"score, got {wrong[0]!r}."
        )
    return np.unique([*given, n_configs]).astype(np.intp)


def _subsets(
    rng: np.random.Generator, configs: np.ndarray, size: int, n_subsets: int
) -> list[np.ndarray]:
    """Draw subsets, sorted so that ties are broken as among all configurations."""
    if size == len(configs):
        return [configs]
    if size == 1 and len(configs) <= n_subsets:
        return list(configs[:, None])
    return [np.sort(rng.choice(configs, size, replace=False)) for _ in range(n_subsets)]
