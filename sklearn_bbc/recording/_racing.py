"""Stop fitting configurations that are clearly worse than the leader, split by split."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.stats import t as student
from sklearn.base import BaseEstimator, is_classifier, is_outlier_detector
from sklearn.metrics._scorer import _MultimetricScorer, _PassthroughScorer

from .._notes import DROPPED, Note, warned
from .._parameters import By, Number, Whole, check_parameters
from .._rounding import TERMS, levelled, rounding, without_rounding
from .._text import count, was_were
from .._utils import check_integer, is_integer, with_parameters
from .._warnings import hold_warnings
from ..contest._question import check_oof
from ..contest._strata import DrawStrata
from ..exceptions import DroppingWarning
from ..metrics._alike import first_same
from ..metrics._by_fold import within_folds
from ..metrics._concordance import survival_target
from ..metrics._consumed import Unbound
from ..metrics._metric import BoundMetric, Metric, as_metric
from ..metrics._placements import auc_parts
from ..predictions._parts import arguments_of_fields, fields_of_part
from ..predictions._predictions import OOFPredictions, predictions_of_rows, taken, with_fields
from ..predictions._validation import repeat_of_rows, row_order
from ..resampling import IID, Draws, Units, check_random_state, entropy_of
from ..selection._base import BestScore, Selection
from ..selection._rules import RefitCallable, SelectedBy, rule_of
from ._assembly import (
    ResponseSheet,
    metadata_of,
    not_the_same,
    per_sample,
    split_positions,
    target_array,
)
from ._capture import responses_in
from ._checks import SCORE, default_scorer, metric_names, metrics_of_search
from ._recording import Recording, Round
from ._tasks import skip_callbacks

AUC = "roc_auc"
"""Kernel family of the area under the ROC curve of two classes."""
MOST_LOOKS = 20
"""Where splits are many, they are looked at when a twentieth of the predictions is new."""
LEAST_GROUPS = 10
"""With fewer groups a bootstrap takes for certain what is so in all of them."""
SCREENED = 64
"""Draws after which the test goes on only with those of whom it can still become sure."""

# --- predictions of one split ----------------------------------------------------------------


def one_split(
    y_true: np.ndarray,
    classes: np.ndarray | None,
    responses: dict[str, np.ndarray],
    sample: np.ndarray,
    **more: Any,
) -> OOFPredictions:
    """Make predictions of all samples of which only those of one split have some.

    `y_true` (n_samples,), `responses` (n_configs, n_rows), `sample` (n_rows,); `more` are other
    arguments of `OOFPredictions`.
    """
    nowhere = np.zeros(len(sample), dtype=np.int64)
    return predictions_of_rows(
        y_true=y_true, classes=classes, responses=responses, sample=sample,
        fold=nowhere, repeat=nowhere, **more,
    )  # fmt: skip


def together(splits: Sequence[OOFPredictions]) -> OOFPredictions:
    """Join the predictions of several splits."""
    first = splits[0]
    sample = np.concatenate([each.sample for each in splits])
    fold = np.repeat(np.arange(len(splits)), [each.n_rows for each in splits])
    repeat = repeat_of_rows(sample, fold, first.n_samples)
    order = row_order(sample, repeat)
    common = set.intersection(*(set(each.responses) for each in splits))
    of_all = {
        "responses": {
            name: np.concatenate([each.responses[name] for each in splits], axis=1)[:, order]
            for name in first.responses
            if name in common
        },
        "sample": sample[order],
        "fold": fold[order],
        "repeat": repeat[order],
        "failed": np.any([each.failed for each in splits], axis=0),
    }
    return predictions_of_rows(**arguments_of_fields(fields_of_part(first) | of_all))


class Influence(NamedTuple):
    """Values of the rows of one split, whose weighted sum is the score; greater is better."""

    values: np.ndarray
    """(n_configs, n_rows); within each stratum ``values @ mass`` is the score."""
    score: np.ndarray
    """(n_configs,); NaN without a complete prediction."""
    mass: np.ndarray
    """(n_rows,); sums to 1 in each stratum."""
    stratum: np.ndarray
    """(n_rows,); the class of each row for the area under the ROC curve, else 0."""
    sample: np.ndarray
    """(n_rows,)"""

    @staticmethod
    def are_known(kernel: BoundMetric) -> bool:
        """Check whether there is a formula for this metric."""
        return kernel.is_pointwise or kernel.family == AUC

    @classmethod
    def of(cls, kernel: BoundMetric) -> Influence:
        """Take the scores of one split apart.

        A mean over samples has the value of each sample. The area under the ROC curve has
        the placement of each sample among those of the other class.
        """
        oof = kernel.oof
        valid = np.flatnonzero(kernel.valid)
        values = np.full((kernel.n_configs, oof.n_rows), np.nan)
        score = np.full(kernel.n_configs, np.nan)
        sample, stratum = oof.sample, np.zeros(oof.n_rows, dtype=int)
        if not kernel.is_pointwise:
            (held_out,) = kernel.held_out(valid)
            sample, stratum = held_out.sample, (held_out.rows.y_codes() == 1).astype(int)
        weight = np.ones(len(sample)) if oof.sample_weight is None else oof.sample_weight[sample]
        with np.errstate(invalid="ignore"):  # no weight at all: no score
            mass = weight / np.bincount(stratum, weight, minlength=2)[stratum]
        if kernel.is_pointwise:
            values[valid] = kernel.pointwise(valid)
            score[valid] = values[valid] @ mass
        else:
            parts = auc_parts(held_out.rows.pred, stratum == 1, weight=weight.astype(float))
            deviation = np.zeros((len(valid), oof.n_rows))
            np.divide(parts.positive + parts.negative, mass, out=deviation, where=mass > 0)
            score[valid] = kernel.metric.sign * parts.auc
            values[valid] = kernel.metric.sign * deviation + score[valid, None]
        first = first_same(kernel)
        return cls(values[first], score[first], mass, stratum, sample)


SplitScores = Influence | OOFPredictions
"""What a test needs of one split: the influence where there is a formula."""


def of_configs(split: SplitScores, chosen: np.ndarray) -> Any:
    """Keep some configurations (n_chosen,)."""
    if isinstance(split, Influence):
        return split._replace(values=split.values[chosen], score=split.score[chosen])
    return taken(split, configs=chosen)


# --- tests whether one configuration is ahead of others ----------------------------------------


def paired_p_values(
    splits: Sequence[Influence], leader: int, units: np.ndarray, *, grouped: bool
) -> np.ndarray:
    """Test with one-sided t tests whether `leader` is ahead of each, shape (n_configs,).

    `units` (n_samples,).

    The score is the mean over K splits. A row r of split k with mass m and values v adds
    ``m (v_leader - v - D) / K`` to the deviation of the difference D from its expectation.
    These are added up by unit, over splits and repeats, and squared: the variance is their
    sum over the units, times n / (n - 1), for the area under the ROC curve class by class.
    Degrees of freedom are Welch's and Satterthwaite's, or the number of groups less one.
    """
    lead = np.mean([each.score[leader] - each.score for each in splits], axis=0)
    values, mass, stratum, sample = (
        np.concatenate([getattr(each, name) for each in splits], axis=-1)
        for name in ("values", "mass", "stratum", "sample")
    )
    largest = np.abs(values).max(axis=1)
    size = np.maximum(largest[leader], largest)
    lead = without_rounding(lead, size, rounding(TERMS))
    unit = np.unique(units[sample], return_inverse=True)[1]
    summed = csr_array((mass / len(splits), (unit, np.arange(len(unit)))))  # rows to units
    deviations = summed @ (values[leader] - values - lead[:, None]).T
    # A sample is in one stratum. A group may be in all, which then count together.
    strata = [mass > 0] if grouped else [(mass > 0) & (stratum == s) for s in np.unique(stratum)]
    variance, squares = np.zeros(len(lead)), np.zeros(len(lead))
    for rows in strata:
        members = np.unique(unit[rows])
        n = len(members)
        if n < 2:  # one unit shows no spread
            return np.ones(len(lead))
        share = (deviations[members] ** 2).sum(axis=0) * n / (n - 1)
        variance += share
        squares += share**2 / (n - 1)
    error = np.sqrt(variance)
    error = without_rounding(error, size, rounding(0))
    with np.errstate(divide="ignore", invalid="ignore"):
        p_values = student.sf(lead / error, variance**2 / squares)
    # Without a spread the lead is the same for all units.
    return np.where(error == 0, np.where(lead > 0, 0.0, 1.0), p_values)


def behind_in_draws(view: Unbound, race: Race, key: int) -> np.ndarray:
    """Find configurations (n_configs,) that the last one is ahead of in nearly all draws.

    Samples (or groups) are drawn with replacement, all configurations see the same draws, and
    scores are compared within splits: a model is held against models of the same split.
    """
    metric, oof = view
    n_draws, level = race.rule.n_bootstraps, race.rule.confidence_level
    most = int(np.floor((1 - level) * (n_draws + 1) * (1 + 1e-9))) - 1
    left, leader = np.arange(oof.n_configs), oof.n_configs - 1
    missed = np.zeros(oof.n_configs, dtype=int)
    first = min(SCREENED, n_draws)
    for part, n in enumerate((first, n_draws - first)):
        if n and len(left) > 1:
            some = within_folds(metric).bind(of_configs(oof, left))
            missed[left] += n - times_ahead(some, n, (race.seed, 2 * key + part), race)
            left = left[(missed[left] <= most) | (left == leader)]
    behind = np.isin(np.arange(oof.n_configs), left)
    behind[leader] = False
    return behind


def times_ahead(
    kernel: BoundMetric, n_draws: int, stream: tuple[int, int], race: Race
) -> np.ndarray:
    """Count the draws in which the last configuration is ahead of each."""
    oof, units = kernel.oof, Units.of(kernel.oof)
    first, strata = first_same(kernel), DrawStrata.of(kernel, units, out_of_bag=False)
    kernel.warn_if_slow(n_draws * oof.n_splits * kernel.n_distinct, race.n_jobs)
    draws = Draws(
        IID(units.n_units),
        n_draws,
        stream[0],
        expand=units.expand,
        bytes_per_draw=kernel.bytes_per_draw,
        n_jobs=race.n_jobs,
        out_of_bag=False,
        prefer=kernel.prefers,
        key=stream[1],
        strata=strata,
    )

    def ahead(counts: np.ndarray) -> np.ndarray:
        scores = kernel.scores(counts)[:, first]
        with np.errstate(invalid="ignore"):
            leads: np.ndarray = kernel.difference(scores[:, [-1]], scores)
            return leads > 0

    return np.asarray(draws.map(ahead).sum(axis=0))


# --- the race ------------------------------------------------------------------------------


class RaceState:
    """Scores of the splits that are done, by one metric, and what they are made of.

    `unweighted` when the scorer was given no sample weights. `comparable` (n_left,) marks
    configurations with a score in every split that their predictions give again.
    """

    def __init__(self, metric: Metric, unweighted: bool = False) -> None:
        self.metric, self.unweighted = metric, unweighted
        self.scores: list[np.ndarray] = []  # of each split (n_left,)
        self.comparable = np.zeros(0, dtype=bool)
        self.splits: list[SplitScores] = []

    def add(self, oof: OOFPredictions, scores: np.ndarray) -> None:
        """Add one split with its scores (n_left,)."""
        if self.unweighted:
            oof = with_fields(oof, sample_weight=None)
        oof = self.metric.weighted(oof)
        if not self.scores:
            self.comparable = np.ones(len(scores), dtype=bool)
        self.scores.append(scores)
        self.comparable &= np.isfinite(scores)
        if not self.comparable.any():
            return
        kernel = self.metric.bind(oof)
        if Influence.are_known(kernel):
            influence = Influence.of(kernel)
            self.splits.append(influence)
            again = influence.score
        else:
            self.splits.append(oof)
            again = np.where(kernel.valid, kernel.on_data(), np.nan)
        if type(self.splits[-1]) is not type(self.splits[0]):
            raise ValueError(f"{self.metric.name} is another kind of metric in other splits.")
        self.comparable &= np.isfinite(again)
        self.comparable &= ~not_the_same(scores[None], again[None], oof)[0]

    def keep(self, kept: np.ndarray) -> None:
        """Forget all configurations but those `kept` (n_kept,)."""
        self.scores = [each[kept] for each in self.scores]
        self.comparable = self.comparable[kept]
        self.splits = [of_configs(each, kept) for each in self.splits]

    @property
    def needs_draws(self) -> bool:
        """Whether there is no formula for the test."""
        return not (self.splits and isinstance(self.splits[0], Influence))

    def clearly_worse(self, race: Race, among: np.ndarray) -> np.ndarray:
        """Find configurations (n_left,) `among` (n_left,) that chance does not explain."""
        worse = np.zeros(len(self.comparable), dtype=bool)
        compared = np.flatnonzero(self.comparable)
        if not len(compared):
            return worse
        mean = levelled(np.mean(self.scores, axis=0))
        leader = int(compared[mean[compared].argmax()])
        # Of those with the very score of the leader none is worse.
        others = np.flatnonzero(among & self.comparable & (mean < mean[leader]))
        chosen = np.append(others, leader)
        splits = [of_configs(each, chosen) for each in self.splits]
        if self.needs_draws:
            clear = behind_in_draws(
                Unbound(self.metric, together(splits)), race, key=len(self.scores)
            )
        else:
            p_values = paired_p_values(splits, len(others), race.units, grouped=race.grouped)
            clear = p_values < 1 - race.rule.confidence_level
        worse[others] = clear[:-1]
        return worse


class Race:
    """The configurations that are left after each batch of splits.

    `units` (n_samples,) are the groups where there are some, else the samples.
    """

    def __init__(
        self,
        rule: DropClearlyWorse,
        groups: np.ndarray | None,
        n_samples: int,
        shape: tuple[int, int],  # configurations, splits
        seed: int,
        n_jobs: int | None = None,
    ) -> None:
        self.rule, self.seed, self.n_jobs = rule, seed, n_jobs
        self.grouped = groups is not None
        self.units = np.arange(n_samples)
        if groups is not None:
            self.units = np.unique(groups, return_inverse=True)[1]
        self.left = np.arange(shape[0])
        self.n_splits_done = np.full(shape[0], shape[1])
        self.compared = False  # two or more, by every metric, at some time
        self.states: dict[str, RaceState] = {}

    def batches(
        self, tests: Sequence[np.ndarray], y_true: np.ndarray, classes: np.ndarray | None
    ) -> list[list[int]]:
        """Put splits into batches; configurations may be dropped after each but the last.

        `y_true` (n_samples,), `classes` (n_classes,).
        """
        codes = class_codes(y_true, classes)
        seen = np.zeros(len(self.units), dtype=bool)

        def enough() -> bool:
            least_units = LEAST_GROUPS if self.grouped else 2
            if seen.sum() < self.rule.min_predictions:
                return False
            if len(np.unique(self.units[seen])) < least_units:
                return False
            if codes is None:
                return True
            counts = np.bincount(codes[seen & (codes >= 0)], minlength=int(codes.max()) + 1)
            return bool(counts.size and counts.min() >= self.rule.min_per_class)

        step = sum(map(len, tests)) / MOST_LOOKS
        batches: list[list[int]] = [[]]
        begun, new = False, 0
        for split, test in enumerate(tests):
            batches[-1].append(split)
            seen[test] = True
            new += len(test)
            begun = begun or enough()
            if begun and new >= step * (1 - 1e-9) and split < len(tests) - 1:
                batches.append([])
                new = 0
        return batches

    def drop(self, n_done: int) -> np.ndarray:
        """Drop what is clearly worse in every metric after `n_done` splits.

        A configuration that leads in one metric, or is not clearly worse there, stays.
        """
        states = self.states.values()
        worse = np.ones(len(self.left), dtype=bool)
        self.compared |= min(each.comparable.sum() for each in states) > 1
        # Quick tests first: the others look at what is left.
        for state in sorted(states, key=lambda each: each.needs_draws):
            worse &= state.clearly_worse(self, worse)
        dropped, self.left = self.left[worse], self.left[~worse]
        self.n_splits_done[dropped] = n_done
        if len(dropped):
            for state in states:
                state.keep(~worse)
        return dropped


def class_codes(y_true: np.ndarray, classes: np.ndarray | None) -> np.ndarray | None:
    """Encode the class of each sample; of survival times 0 is an event and -1 none."""
    if classes is not None:
        return np.asarray(np.searchsorted(classes, y_true))
    if y_true.dtype.names is not None:
        return np.where(survival_target(y_true)[0], 0, -1)
    return None


# --- cv_results_ and rules that choose from it ---------------------------------------------------

N_DONE = "n_splits_done"
"""Column of ``cv_results_``: on how many splits a configuration was fitted."""


def mark_dropped(
    results: dict[str, Any],
    n_splits_done: Sequence[int],
    n_splits: int,
    out: Sequence[Mapping[str, Any]],
) -> None:
    """Add the column, and take out what stands in for fits that were not made.

    Scores of a dropped configuration are NaN from then on, and so are its mean and its standard
    deviation: the mean of its first splits is no match for the others' of all splits. Its rank
    is the last. Times are means over the splits that were done.
    """
    done = results[N_DONE] = np.asarray(n_splits_done, dtype=int)
    dropped = np.flatnonzero(done < n_splits)
    if not len(dropped):
        return
    for name in metric_names(results):
        for kind in ("test", "train"):
            if f"mean_{kind}_{name}" not in results:
                continue
            for split in range(n_splits):
                results[f"split{split}_{kind}_{name}"][done <= split] = np.nan
            for statistic in ("mean", "std"):
                results[f"{statistic}_{kind}_{name}"][dropped] = np.nan
        means = pd.Series(results[f"mean_test_{name}"])
        ranks = means.rank(method="min", ascending=False, na_option="bottom")
        results[f"rank_test_{name}"] = ranks.to_numpy(np.int32)
    for time in ("fit_time", "score_time"):
        for config in dropped:
            start = int(config) * n_splits
            spent = [each[time] for each in out[start : start + int(done[config])]]
            results[f"mean_{time}"][config] = np.mean(spent)
            results[f"std_{time}"][config] = np.std(spent)


def dropped_of(results: Mapping[str, Any]) -> np.ndarray:
    """Mark the configurations of a finished search that were dropped, shape (n_configs,)."""
    done = np.asarray(results.get(N_DONE, np.zeros(len(results["params"]))))
    return np.asarray(done < done.max())  # the leader is never dropped


def of_survivors(results: Mapping[str, Any], rest: np.ndarray) -> dict[str, Any]:
    """Take some configurations `rest` (n_rest,) out of ``cv_results_``."""
    return {
        name: column[rest] if isinstance(column, np.ndarray) else [column[c] for c in rest]
        for name, column in results.items()
    }


class AmongTheRest:
    """A refit function that is shown only the configurations `rest` (n_rest,), not dropped."""

    def __init__(self, function: Callable[[dict[str, Any]], Any], rest: np.ndarray) -> None:
        self.function, self.rest = function, rest
        self.__name__ = getattr(function, "__name__", type(function).__name__)

    def __call__(self, results: Mapping[str, Any]) -> Any:
        """Return the index among all configurations; -1 where there is no such one."""
        index = self.function(of_survivors(results, self.rest))
        if not is_integer(index):
            return index
        return int(self.rest[index]) if 0 <= index < len(self.rest) else -1


def refit_among(refit: Any, rest: np.ndarray) -> Any:
    """Make the rule of `refit`, as it is repeated in draws, choose among `rest` (n_rest,)."""
    if isinstance(refit, SelectedBy):
        return SelectedBy(refit.scoring, refit_among(refit.selection, rest))
    if isinstance(refit, RefitCallable):
        function = AmongTheRest(refit.function, rest)
        return RefitCallable(function, scoring=refit.scoring, cv_results=refit.cv_results)
    # Other rules know nothing but scores, and leave out what has none.
    return refit if isinstance(refit, Selection) else AmongTheRest(refit, rest)


# --- the rule and the search ---------------------------------------------------------------


@with_parameters
class DropClearlyWorse(BaseEstimator):
    """Stop fitting configurations that are clearly worse than the best one so far.

    For `drop` of `BBCSearchCV`. The search then goes split by split. After each it compares
    every configuration with the leader, on the out-of-fold predictions so far, and does not
    fit those that are worse beyond chance on the splits that are left.

    Parameters
    ----------
    confidence_level : float in (0.5, 1), default=0.99
        Level of the one-sided test. A larger one drops less.
    min_predictions : int, default=50
        Nothing is dropped before so many different samples were predicted.
    min_per_class : int, default=5
        Nor before so many samples of each class were; of survival times, so many events.
    n_bootstraps : int, default=500
        Number of draws of the test for metrics without a formula.
    random_state : int, RandomState instance or None, default=None
        Seed of these draws; None takes that of the search.

    See Also
    --------
    sklearn_bbc.BBCSearchCV : The search that takes it.
    sklearn.model_selection.HalvingGridSearchCV : Fits all configurations on few samples and the
        better ones on more.

    Notes
    -----
    What is compared is what the search selects by, the mean score over the splits so far. The
    leader is the configuration with the best one.

    - For means over samples (accuracy, log loss, squared error) and the area under the ROC curve
      of two classes the test is a paired t test on the influence of each sample. The value of a
      sample is its own loss, or its placement among the samples of the other class of its split
      (DeLong's method [2]_, within splits). With groups the influences of a group are added up.
    - For any other metric samples (or groups) are drawn with replacement, the same for all
      configurations, and scored within splits. A configuration is dropped when the leader is
      ahead in so large a share of the draws.

    The idea, the bootstrap test and its level are those of BBCD-CV [1]_, which pools
    predictions of all splits. A metric that compares samples of different models can then drop
    what is best within each split.

    With several metrics a configuration is dropped when it is clearly worse in all of them. So
    what leads in one metric is never dropped. A configuration without a score in some split is
    neither dropped nor a leader. With more than 20 splits they are looked at when another
    twentieth of the predictions is there. With groups, 10 of them are needed.

    The test does not account for the number of configurations, for looking several times, nor for
    what training sets share. It decides what is fitted, not what is reported. How often the
    best configuration was lost is on the page of evidence on dropping.

    References
    ----------
    .. [1] I. Tsamardinos, E. Greasidou, G. Borboudakis, "Bootstrapping the
       out-of-sample predictions for efficient and accurate cross-validation",
       Machine Learning 107, 1895-1922 (2018). :doi:`10.1007/s10994-018-5714-4`
    .. [2] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, "Comparing the areas under
       two or more correlated receiver operating characteristic curves: a nonparametric
       approach", Biometrics 44, 837-845 (1988). :doi:`10.2307/2531595`

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from sklearn_bbc import BBCSearchCV
    >>> from sklearn_bbc.search import DropClearlyWorse
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> grid = {"min_samples_leaf": [1, 10, 150, 250]}
    >>> search = BBCSearchCV(
    ...     tree, grid, scoring="roc_auc", drop=DropClearlyWorse(), random_state=0
    ... ).fit(X, y)
    >>> search.cv_results_["n_splits_done"]
    array([3, 5, 4, 1])
    >>> search.best_params_
    {'min_samples_leaf': 10}
    """

    confidence_level: float = 0.99
    min_predictions: int = 50
    min_per_class: int = 5
    n_bootstraps: int = 500
    random_state: Any = None

    _constraints = {
        "confidence_level": Number(
            above=0.5,
            below=1,
            hint="With 0.99 a configuration that is as good as the leader is dropped in about one "
            "comparison of a hundred.",
        ),
        "min_predictions": Whole(3),
        "min_per_class": Whole(2),
        "random_state": By(check_random_state),
    }

    def _validate(self) -> None:
        level = self.confidence_level
        least = math.ceil(1 / (1 - level) - 1e-6) - 1
        why = (
            f": the smallest p value is 1 / (n_bootstraps + 1), and confidence_level={level:g} "
            "asks for at most "
            f"{1 - level:.3g}."
        )
        check_integer("n_bootstraps", self.n_bootstraps, least, why=why)

    def replay(self, oof: OOFPredictions, scoring: Any) -> np.ndarray:
        """Find what would have been dropped of a finished search; nothing is fitted.

        Parameters
        ----------
        oof : OOFPredictions
            Predictions of all configurations, such as ``oof_`` of a search without `drop`.
        scoring : str, scorer or Metric
            The metric that selects.

        Returns
        -------
        ndarray of shape (n_configs,) of int
            Splits that each configuration would have been fitted on. Their sum is the number of
            fits.

        Raises
        ------
        ValueError
            If a parameter is out of range, or the metric cannot be computed from these
            predictions.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_bbc import OOFPredictions
        >>> from sklearn_bbc.search import DropClearlyWorse
        >>> rng = np.random.default_rng(0)
        >>> y = np.tile([0, 1], 100)
        >>> signal = np.array([2.0, 1.9, 0.0])
        >>> scores = y[:, None] * signal + rng.normal(size=(200, 3))
        >>> oof = OOFPredictions(y_true=y, y_pred=scores, fold=np.arange(200) // 20)
        >>> DropClearlyWorse().replay(oof, "roc_auc")
        array([10, 10,  3])
        """
        check_parameters(self)
        check_oof(oof)
        metric = as_metric(scoring)
        if not oof.responses:
            raise ValueError(
                "oof has scores per fold only, and dropping compares predictions. A search with "
                "record=True keeps them."
            )
        scores = metric.bind(oof).fold_scores()
        race = Race(
            self, oof.groups, oof.n_samples, scores.shape[::-1], entropy_of(self.random_state)
        )
        race.states = {"": RaceState(metric)}
        tests = [oof.sample[oof.fold == split] for split in range(oof.n_splits)]
        # After the last batch nothing is left to be spared.
        for batch in race.batches(tests, oof.y_true, oof.classes_)[:-1]:
            for split in batch:
                rows = np.flatnonzero(oof.fold == split)
                part = one_split(
                    oof.y_true,
                    oof.classes_,
                    {name: a[np.ix_(race.left, rows)] for name, a in oof.responses.items()},
                    oof.sample[rows],
                    groups=oof.groups,
                    sample_weight=oof.sample_weight,
                    metadata=oof.metadata,
                    pos_label=oof.pos_label,
                    failed=oof.failed[race.left],
                )
                race.states[""].add(part, scores[split, race.left])
            race.drop(batch[-1] + 1)
        return race.n_splits_done


TOO_FEW = (
    "before the last split there are never predictions for {least} different samples, "
    "{per_class} of each class"
)
NOT_COMPARABLE = (
    "no two configurations could be compared: they have no score in some split, or scores that "
    "their predictions do not give again"
)


class RoundRace:
    """A `TaskRunner` of one call of ``evaluate_candidates``, split by split.

    It takes all tasks, configuration by configuration as scikit-learn lists them, and gives the
    results in that order. A task that is not run has the
    numbers of the last one of its configuration, to be marked as missing where the results
    become ``cv_results_``. After a failure here nothing more is dropped, `why_not` has the
    reason, and the search goes on.
    """

    parameter = "drop"

    def __init__(self, search: Any, recording: Recording, this_round: Round) -> None:
        y, record = recording.data.y, recording.record
        self._search, self._record, self._round = search, record, this_round
        target = self._target = np.empty(0) if y is None else target_array(y)
        given = (each for each in record.score_weights.values() if each is not None)
        self._groups, self._weights = (
            per_sample(each, len(target)) if each is not None and len(target) else None
            for each in (record.groups, next(given, None))
        )
        self._metadata = {} if y is None else metadata_of(record, y)
        own = search.drop.random_state
        self._seed = recording.draw_seed(search) if own is None else entropy_of(own)
        self._classes: np.ndarray | None = None
        self.why_not = ""

    def run(self, parallel: Callable[[Iterable[Any]], list[Any]], tasks: Iterable[Any]) -> Any:
        """Run the tasks; `parallel` runs some of them at the same time."""
        waiting: list[Any] = list(tasks)
        n_configs, search = self._round.n_configs, self._search
        n_splits, rest = divmod(len(waiting), max(1, n_configs))
        if rest or not waiting:  # scikit-learn says what is wrong
            return parallel(waiting)
        shape = n_configs, n_splits
        target, groups = self._target, self._groups
        race = Race(search.drop, groups, len(target), shape, self._seed, search.n_jobs)
        out: list[Any] = [None] * len(waiting)
        batches = self._batches(race)
        while batches:
            batch = batches.pop(0)
            if len(race.left) == 1:  # nobody to compare with
                batch, batches = sum(batches, batch), []
            left = race.left.tolist()
            cells = [config * n_splits + split for config in left for split in batch]
            for cell, result in zip(cells, parallel(_tasks_taken(waiting, cells)), strict=True):
                out[cell] = result
            if self.why_not or len(left) == 1 or not batches:
                continue  # nothing can be spared
            try:
                with hold_warnings():
                    for split in batch:
                        self._add(race, split, [out[c * n_splits + split] for c in left])
                    dropped = race.drop(batch[-1] + 1)
            # The fits are what has taken days. A test that fails drops nothing.
            except Exception as error:
                self._give_up(error)
                continue
            if search.verbose > 0:
                print(
                    f"Split {batch[-1] + 1} of {n_splits}: "
                    f"{count(len(dropped), 'candidate')} dropped, {len(race.left)} left"
                )
            if len(batches) == 1 and not race.compared:
                self.why_not = NOT_COMPARABLE
            for config in dropped.tolist():
                for split in range(batch[-1] + 1, n_splits):
                    task = waiting[config * n_splits + split]
                    if isinstance(task, tuple):  # function, arguments, keywords
                        skip_callbacks(task[2])
        for cell, result in enumerate(out):
            if result is None:
                out[cell] = _stand_in(out[cell - 1])
        self._record.n_splits_done += race.n_splits_done.tolist()
        if self.why_not and self.why_not not in self._record.not_dropped:
            self._record.not_dropped.append(self.why_not)
        return out

    def _batches(self, race: Race) -> list[list[int]]:
        """Put the splits into batches, now that they are known."""
        target, splits, rule = self._target, self._round.splits, race.rule
        batches = [list(range(len(splits)))]
        if not len(target):
            self.why_not = "there is no target, so there are no predictions to compare"
            return batches
        estimator = self._search.estimator
        try:
            self._tests = [split_positions(test, len(target)) for _, test in splits]
            if target.ndim == 1 and (is_classifier(estimator) or is_outlier_detector(estimator)):
                self._classes = np.unique(target)
            batches = race.batches(self._tests, target, self._classes)
        except Exception as error:  # a target of another kind
            self._give_up(error)
        if len(batches) == 1 and len(race.left) > 1 and not self.why_not:
            self.why_not = TOO_FEW.format(least=rule.min_predictions, per_class=rule.min_per_class)
            if race.grouped:
                self.why_not += f", of {LEAST_GROUPS} groups"
        return batches

    def _give_up(self, error: Exception) -> None:
        why = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        self.why_not = why.rstrip(".")

    def _add(self, race: Race, split: int, results: list[dict[str, Any]]) -> None:
        """Add the results of one split, of the configurations that are left, to the race."""
        oof, scores = self._predictions(split, results), _scores(results)
        if not race.states:
            race.states = self._states(oof, scores)
        for name, state in race.states.items():
            state.add(oof, scores[name])

    def _predictions(self, split: int, results: list[dict[str, Any]]) -> OOFPredictions:
        """Collect the recorded predictions of one split."""
        recorded = [responses_in(result["test_scores"]) for result in results]
        if self._classes is None and self._target.ndim == 1:
            if any(each is not None and each.classes is not None for each in recorded):
                self._classes = np.unique(self._target)  # a classifier without its tag
        test = self._tests[split]
        order = np.argsort(test)
        sheet = ResponseSheet(len(results), [np.argsort(order)], self._classes)
        for position, responses in enumerate(recorded):
            if responses is not None:
                sheet.write(position, 0, responses)
        sheet.mark_missing()
        if not sheet.arrays:
            raise ValueError(
                "no predictions were recorded, so configurations cannot be compared on them"
            )
        return one_split(
            self._target,
            self._classes,
            sheet.arrays,
            test[order],
            groups=self._groups,
            sample_weight=self._weights,
            metadata=self._metadata,
        )

    def _states(
        self, oof: OOFPredictions, scores: Mapping[str, np.ndarray]
    ) -> dict[str, RaceState]:
        """Begin with each metric of the search."""
        search, scorers, default = self._search, self._record.scorers, None
        if isinstance(scorers, _PassthroughScorer):
            default = default_scorer(oof, scores[SCORE][None], search.estimator)
        metrics = metrics_of_search(
            search.scoring,
            scorers._scorers if isinstance(scorers, _MultimetricScorer) else scorers,
            list(scores),
            default,
            self._target.dtype.names is not None,
        )
        weights = self._record.score_weights
        return {
            name: RaceState(metric, weights.get(name, weights.get(SCORE)) is None)
            for name, metric in metrics.items()
        }


def _scores(results: Sequence[Mapping[str, Any]]) -> dict[str, np.ndarray]:
    """Collect scores (n_configs,) by the name of their metric; NaN where the fit failed."""
    several = [each["test_scores"] for each in results]
    known: list[str] = next((list(each) for each in several if isinstance(each, dict)), [SCORE])
    columns: dict[str, list[float]] = {name: [] for name in known}
    for result, scores in zip(results, several):
        failed = result["fit_error"] is not None
        for name in known:
            value = scores.get(name) if isinstance(scores, dict) else scores
            columns[name].append(np.nan if failed or value is None else float(value))
    return {name: np.asarray(values) for name, values in columns.items()}


def _stand_in(result: dict[str, Any]) -> dict[str, Any]:
    """Copy a result without the predictions that travel with scores."""
    scores = result["test_scores"]
    if isinstance(scores, dict):
        plain: Any = {name: float(score) for name, score in scores.items()}
    else:
        plain = float(scores)
    return {**result, "test_scores": plain, "fit_error": None}


def _tasks_taken(tasks: list[Any], cells: list[int]) -> Iterator[Any]:
    """Yield some tasks and forget them, so that their estimators do not live until the end."""
    for cell in cells:
        task, tasks[cell] = tasks[cell], None
        yield task


RULE_NOTE = (
    "The rule of `refit` chooses among the configurations that were not dropped. One that it "
    "would have preferred, for example a simple one, may have been dropped because others have "
    "clearly better scores."
)


def check_drop(search: Any) -> None:
    """Raise, before the search, where it cannot drop configurations as its `drop` asks for."""
    drop = search.drop
    if not isinstance(drop, DropClearlyWorse):
        raise ValueError(
            f"drop must be None or an object, drop=DropClearlyWorse() from sklearn_bbc.search; "
            f"got {drop!r}."
        )
    check_parameters(drop)
    if not getattr(search, "record", True):
        raise ValueError(
            "drop compares configurations on their predictions, and record=False does not keep "
            "them. Use record=True, or drop=None."
        )
    # A search of it cannot be there otherwise.
    halving = sys.modules.get("sklearn.model_selection._search_successive_halving")
    if halving is not None and isinstance(search, halving.BaseSuccessiveHalving):
        raise ValueError(
            "drop cannot be used in successive halving, which needs the scores of all "
            "configurations of a round to choose those of the next. Use BBCSearchCV with drop, "
            "or halving with drop=None."
        )


def notes_on_dropped(search: Any, not_dropped: Sequence[str]) -> tuple[list[str], list[str]]:
    """Write notes for the predictions and for the results of a search with a `drop`.

    `not_dropped` are the reasons why nothing was dropped, or nothing more.
    """
    dropped = dropped_of(search.cv_results_)
    n_configs, n_dropped = len(dropped), int(dropped.sum())
    notes: list[str] = []
    if not_dropped:
        why = "; ".join(not_dropped)
        note = f"{'drop stopped early' if n_dropped else 'drop had no effect'}: {why}."
        notes.append(warned(note, category=DroppingWarning))
    if not n_dropped:
        return notes, []
    text = (
        f"{n_dropped} of {n_configs} configurations {was_were(n_dropped)} dropped before all "
        f"their splits were fitted, since they were clearly worse than the leader "
        f"({search.drop}). Results repeat the selection among the other "
        f"{n_configs - n_dropped}, so a little of the optimism may remain."
    )
    notes.append(Note(text, DROPPED.format(n_dropped, n_configs)))
    may_prefer_another = callable(search.refit) and not isinstance(
        rule_of(search.refit), BestScore
    )
    return notes, [RULE_NOTE] if may_prefer_another else []
