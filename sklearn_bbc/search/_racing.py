"""Stop fitting configurations that are clearly worse than the leader, split by split."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from numbers import Real
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata
from scipy.stats import t as student
from sklearn.base import BaseEstimator, is_classifier, is_outlier_detector
from sklearn.metrics._scorer import _MultimetricScorer, _PassthroughScorer
from sklearn.model_selection._search_successive_halving import BaseSuccessiveHalving

from .._utils import check_integer, explain_arguments, is_integer
from .._warnings import hold_warnings, warn_user
from ..exceptions import DroppingWarning
from ..intervals._auc import auc_parts
from ..intervals._base import DrawStrata
from ..metrics._bound import BoundKernel
from ..metrics._by_fold import within_folds
from ..metrics._concordance import survival_target
from ..metrics._metric import Metric, as_metric
from ..predictions._predictions import OOFPredictions
from ..predictions._validation import repeat_of_rows, row_order
from ..resampling import IID, Draws, Units, entropy_of
from ..selection._base import AsRefit, Selection
from ..selection._rules import BestScore, RefitCallable
from ._assembly import ResponseSheet, _per_sample, _positions, _target, metadata_of
from ._capture import responses_in
from ._metrics import SCORE, metric_names, metrics_of_search, name_of_default_score
from ._recording import Recording, RecordingSearch, Round
from ._resume import tell_callbacks
from ._verify import not_the_same

PARALLEL = "parallel"
"""Variable of scikit-learn's ``fit`` (1.6 to 1.9) that runs a list of tasks."""


class RaceSettings(NamedTuple):
    """A rule, and what its tests must know of the data."""

    rule: DropClearlyWorse
    units: np.ndarray
    """Independent unit of each sample, shape (n_samples,)."""
    grouped: bool
    """Whether units are groups."""
    seed: int
    n_jobs: int | None

    @classmethod
    def of(
        cls,
        rule: DropClearlyWorse,
        groups: np.ndarray | None,
        n_samples: int,
        seed: int,
        n_jobs: int | None = None,
    ) -> RaceSettings:
        """Take the groups as units where there are some, else the samples."""
        if groups is None:
            return cls(rule, np.arange(n_samples), False, seed, n_jobs)
        return cls(rule, np.unique(groups, return_inverse=True)[1], True, seed, n_jobs)


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
    return OOFPredictions._quietly(
        y_true=y_true, classes=classes, responses=responses, sample=sample,
        fold=nowhere, repeat=nowhere, **more,
    )  # fmt: skip


def split_of(oof: OOFPredictions, split: int, configs: np.ndarray) -> OOFPredictions:
    """Take one split of finished predictions, of the configurations (n_kept_configs,)."""
    rows = np.flatnonzero(oof.fold == split)
    return one_split(
        oof.y_true,
        oof.classes_,
        {name: array[np.ix_(configs, rows)] for name, array in oof.responses.items()},
        oof.sample[rows],
        groups=oof.groups,
        sample_weight=oof.sample_weight,
        metadata=oof.metadata,
        failed=oof.failed[configs],
    )


def together(splits: Sequence[OOFPredictions]) -> OOFPredictions:
    """Predictions of several splits as one."""
    first = splits[0]
    sample = np.concatenate([each.sample for each in splits])
    fold = np.repeat(np.arange(len(splits)), [each.n_rows for each in splits])
    repeat = repeat_of_rows(sample, fold, first.n_samples)
    order = row_order(sample, repeat)
    return OOFPredictions._quietly(
        y_true=first.y_true,
        classes=first.classes_,
        responses={
            name: np.concatenate([each.responses[name] for each in splits], axis=1)[:, order]
            for name in first.responses
            if all(name in each.responses for each in splits)
        },
        sample=sample[order],
        fold=fold[order],
        repeat=repeat[order],
        groups=first.groups,
        sample_weight=first.sample_weight,
        metadata=first.metadata,
        failed=np.any([each.failed for each in splits], axis=0),
    )


def of_configs(oof: OOFPredictions, chosen: np.ndarray) -> OOFPredictions:
    """The same predictions of some configurations.

    `chosen` (n_chosen,).
    """
    return oof._with_fields(
        responses=MappingProxyType({name: a[chosen] for name, a in oof.responses.items()}),
        failed=oof.failed[chosen],
    )


MOST_LOOKS = 20
"""Where splits are many, they are looked at when a twentieth of the predictions is new."""
LEAST_GROUPS = 10
"""With fewer groups a bootstrap takes for certain what is so in all of them."""


def class_codes(y_true: np.ndarray, classes: np.ndarray | None) -> np.ndarray | None:
    """Encode the class of each sample; of survival times 0 is an event and -1 none."""
    if classes is not None:
        return np.asarray(np.searchsorted(classes, y_true))
    if y_true.dtype.names is not None:
        return np.where(survival_target(y_true)[0], 0, -1)
    return None


def batches_of(
    tests: Sequence[np.ndarray],
    y_true: np.ndarray,
    classes: np.ndarray | None,
    settings: RaceSettings,
) -> list[list[int]]:
    """Put splits into batches; configurations may be dropped after each but the last.

    `y_true` (n_samples,), `classes` (n_classes,).
    """
    rule, units = settings.rule, settings.units
    codes = class_codes(y_true, classes)
    seen = np.zeros(len(units), dtype=bool)

    def enough() -> bool:
        least_units = LEAST_GROUPS if settings.grouped else 2
        if seen.sum() < rule.min_predictions or len(np.unique(units[seen])) < least_units:
            return False
        if codes is None:
            return True
        counts = np.bincount(codes[seen & (codes >= 0)], minlength=int(codes.max()) + 1)
        return bool(counts.size and counts.min() >= rule.min_per_class)

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


SCREENED = 64
"""Draws after which the test goes on only with those of whom it can still become sure."""


def behind_in_draws(
    oof: OOFPredictions, metric: Metric, settings: RaceSettings, key: int
) -> np.ndarray:
    """Find configurations that the last one is ahead of in nearly all draws.

    Returns shape (n_configs,).

    Samples (or groups) are drawn with replacement, all configurations see the same draws, and
    scores are compared within splits: a model is held against models of the same split.
    """
    n_draws = settings.rule.n_bootstraps
    level = settings.rule.confidence_level
    most = int(np.floor((1 - level) * (n_draws + 1) * (1 + 1e-9))) - 1
    left, leader = np.arange(oof.n_configs), oof.n_configs - 1
    missed = np.zeros(oof.n_configs, dtype=int)
    first = min(SCREENED, n_draws)
    for part, n in enumerate((first, n_draws - first)):
        if n and len(left) > 1:
            stream = (settings.seed, 2 * key + part)
            missed[left] += n - _times_ahead(
                of_configs(oof, left), metric, n, stream, settings.n_jobs
            )
            left = left[(missed[left] <= most) | (left == leader)]
    behind = np.zeros(oof.n_configs, dtype=bool)
    behind[left[left != leader]] = True
    return behind


def _times_ahead(
    oof: OOFPredictions, metric: Metric, n_draws: int, stream: tuple[int, int], n_jobs: int | None
) -> np.ndarray:
    """Count the draws in which the last configuration is ahead of each."""
    kernel = within_folds(metric).bind(oof)
    units = Units.of(oof)
    strata = DrawStrata.of(oof, kernel, units, out_of_bag=False)
    kernel.warn_if_slow(n_draws * oof.n_splits * kernel.n_distinct, n_jobs)
    draws = Draws(
        IID(units.n_units),
        n_draws,
        stream[0],
        expand=units.expand,
        bytes_per_draw=kernel.bytes_per_draw,
        n_jobs=n_jobs,
        out_of_bag=False,
        prefer=kernel.prefers,
        key=stream[1],
        **strata.for_draws(),
    )

    def ahead(counts: np.ndarray) -> np.ndarray:
        scores = kernel.scores(counts)
        with np.errstate(invalid="ignore"):
            leads: np.ndarray = scores[:, [-1]] - scores
            size = np.maximum(np.abs(scores), np.abs(scores[:, [-1]]))
            return leads > 16 * np.finfo(float).eps * size

    return np.asarray(draws.map(ahead).sum(axis=0))


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
    done = np.asarray(n_splits_done, dtype=int)
    results[N_DONE] = done
    dropped = np.flatnonzero(done < n_splits)
    if not len(dropped):
        return
    for name in metric_names(results):
        for kind in ("test", "train"):
            for split in range(n_splits):
                scores = results.get(f"split{split}_{kind}_{name}")
                if scores is not None:
                    scores[done <= split] = np.nan
            for statistic in ("mean", "std"):
                column = results.get(f"{statistic}_{kind}_{name}")
                if column is not None:
                    column[dropped] = np.nan
        results[f"rank_test_{name}"] = ranks(results[f"mean_test_{name}"])
    for time in ("fit_time", "score_time"):
        for config in dropped:
            start = int(config) * n_splits
            spent = [each[time] for each in out[start : start + int(done[config])]]
            results[f"mean_{time}"][config] = np.mean(spent)
            results[f"std_{time}"][config] = np.std(spent)


def ranks(means: np.ndarray) -> np.ndarray:
    """Ranks as scikit-learn gives them: the best has 1, the undefined share the last."""
    undefined = np.isnan(means)
    if undefined.all():
        return np.ones(len(means), dtype=np.int32)
    filled = np.where(undefined, np.nanmin(means) - 1, means)
    return rankdata(-filled, method="min").astype(np.int32)


def of_the_rest(results: Mapping[str, Any], rest: np.ndarray) -> dict[str, Any]:
    """``cv_results_`` of some configurations.

    `rest` (n_rest,).
    """
    return {
        name: column[rest] if isinstance(column, np.ndarray) else [column[c] for c in rest]
        for name, column in results.items()
    }


class AmongTheRest:
    """A refit function that is shown only the configurations that were not dropped.

    Parameters
    ----------
    function : callable
        From ``cv_results_`` to the index of a configuration.
    rest : ndarray of shape (n_rest,) of int
        Configurations that were not dropped.
    """

    def __init__(self, function: Callable[[dict[str, Any]], Any], rest: np.ndarray) -> None:
        self.function, self.rest = function, rest
        self.__name__ = getattr(function, "__name__", type(function).__name__)

    def __call__(self, results: Mapping[str, Any]) -> Any:
        """Index among all configurations; -1 where there is no such configuration."""
        index = self.function(of_the_rest(results, self.rest))
        if not is_integer(index):
            return index
        return int(self.rest[index]) if 0 <= index < len(self.rest) else -1


def refit_among(refit: Any, rest: np.ndarray) -> Any:
    """The rule of `refit`, as it is repeated in draws, among some configurations.

    `rest` (n_rest,).
    """
    if isinstance(refit, AsRefit):
        return AsRefit(refit_among(refit.selection, rest), refit.name)
    if isinstance(refit, RefitCallable):
        return RefitCallable(
            AmongTheRest(refit.function, rest),
            scoring=refit.scoring,
            cv_results=refit.cv_results,
        )
    # Other rules know nothing but scores, and leave out what has none.
    return refit if isinstance(refit, Selection) else AmongTheRest(refit, rest)


AUC = "roc_auc"
"""Kernel family of the area under the ROC curve of two classes."""


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
    def are_known(kernel: BoundKernel) -> bool:
        """Whether there is a formula for this metric."""
        return kernel.is_pointwise or kernel.family == AUC

    @classmethod
    def of(cls, oof: OOFPredictions, kernel: BoundKernel) -> Influence:
        """Take the scores of one split apart.

        A mean over samples has the value of each sample. The area under the ROC curve has
        the placement of each sample among those of the other class.
        """
        valid = np.flatnonzero(kernel.valid)
        values = np.full((kernel.n_configs, oof.n_rows), np.nan)
        score = np.full(kernel.n_configs, np.nan)
        if kernel.is_pointwise:
            weight = np.ones(oof.n_rows)
            if oof.sample_weight is not None:
                weight = oof.sample_weight[oof.sample].astype(float)
            with np.errstate(invalid="ignore"):  # no weight at all: no score
                mass = weight / weight.sum()
            values[valid] = kernel.pointwise(valid)
            score[valid] = values[valid] @ mass
            return cls(values, score, mass, np.zeros(oof.n_rows, dtype=int), oof.sample)
        rows = kernel.held_out(valid)[0]
        positive = rows.rows.y_codes() == 1
        weight = np.ones(oof.n_rows) if rows.weight is None else rows.weight.astype(float)
        mass = np.empty(oof.n_rows)
        for side in (positive, ~positive):
            total = weight[side].sum()
            mass[side] = weight[side] / total if total > 0 else 0.0
        parts = auc_parts(rows.rows.pred, positive, weight=weight)
        deviation = np.zeros((len(valid), oof.n_rows))
        np.divide(parts.positive + parts.negative, mass, out=deviation, where=mass > 0)
        sign = kernel.metric.sign
        values[valid] = sign * (deviation + parts.auc[:, None])
        score[valid] = sign * parts.auc
        return cls(values, score, mass, positive.astype(int), rows.sample)

    def of_configs(self, chosen: np.ndarray) -> Influence:
        """Keep some configurations (n_chosen,)."""
        return self._replace(values=self.values[chosen], score=self.score[chosen])


class PairedTest(NamedTuple):
    """By how much one configuration is ahead of each, shapes (n_configs,)."""

    lead: np.ndarray
    """Difference of the mean scores over the splits; 0 where it is only rounding."""
    standard_error: np.ndarray
    """0 where the difference is the same for all units."""
    degrees: np.ndarray
    """Degrees of freedom; NaN without a spread or with only one unit."""

    def are_clear(self, level: float) -> np.ndarray:
        """Find the leads that a one-sided t test shows, shape (n_configs,)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            t = self.lead / self.standard_error
        return np.where(
            self.standard_error > 0, student.sf(t, self.degrees) < 1 - level, self.lead > 0
        )

    @classmethod
    def of(
        cls, splits: Sequence[Influence], leader: int, units: np.ndarray, *, grouped: bool
    ) -> PairedTest:
        """Compare one configuration with all.

        `units` (n_samples,).

        The score is the mean over K splits. A row r of split k with mass m and values v adds
        ``m (v_leader - v - D) / K`` to the deviation of the difference D from its expectation.
        These are added up by unit, over splits and repeats, and squared: the variance is their
        sum over the units, times n / (n - 1), for the area under the ROC curve class by class.
        Degrees of freedom are Welch's and Satterthwaite's, or the number of groups less one.
        """
        lead = np.mean([each.score[leader] - each.score for each in splits], axis=0)
        largest = np.max([np.abs(each.values).max(axis=1) for each in splits], axis=0)
        rounding = 16 * np.finfo(float).eps * np.maximum(largest[leader], largest)
        lead[np.abs(lead) <= rounding] = 0.0
        stratum = np.concatenate([each.stratum for each in splits])
        counted = np.concatenate([each.mass for each in splits]) > 0
        known, place = np.unique(
            np.concatenate([units[each.sample] for each in splits]), return_inverse=True
        )
        deviations = np.zeros((len(known), len(lead)))
        start = 0
        for each in splits:
            here = place[start : start + len(each.mass)]
            difference = each.values[leader] - each.values - lead[:, None]
            np.add.at(deviations, here, (difference * each.mass).T / len(splits))
            start += len(here)
        variance, squares = np.zeros(len(lead)), np.zeros(len(lead))
        # A sample is in one stratum. A group may be in all, which then count together.
        strata = [counted] if grouped else [counted & (stratum == s) for s in np.unique(stratum)]
        for rows in strata:
            members = np.unique(place[rows])
            n = len(members)
            if n < 2:  # one unit shows no spread
                return cls(lead, np.full(len(lead), np.inf), np.full(len(lead), np.nan))
            share = (deviations[members] ** 2).sum(axis=0) * n / (n - 1)
            variance += share
            squares += share**2 / (n - 1)
        error = np.sqrt(variance)
        with np.errstate(invalid="ignore"):
            degrees = variance**2 / squares
        error[error <= rounding] = 0.0
        return cls(lead, error, degrees)


@dataclass
class RaceState:
    """Scores of the splits that are done, by one metric, and what they are made of."""

    metric: Metric
    unweighted: bool = False
    """Whether the scorer was given no sample weights."""
    scores: list[np.ndarray] = field(default_factory=list)
    """Of each split (n_configs,), of the configurations that are left."""
    comparable: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=bool))
    """Configurations with a score in every split that their predictions give again."""
    _parts: list[Influence] = field(default_factory=list)
    _splits: list[OOFPredictions] = field(default_factory=list)

    def add(self, oof: OOFPredictions, scores: np.ndarray) -> None:
        """Add one split with its scores (n_configs,)."""
        if self.unweighted:
            oof = oof._with_fields(sample_weight=None)
        oof = self.metric.weighted(oof)
        if not self.scores:
            self.comparable = np.ones(len(scores), dtype=bool)
        self.scores.append(scores)
        self.comparable &= np.isfinite(scores)
        if not self.comparable.any():
            return
        kernel = self.metric.bind(oof)
        again = self._keep(oof, kernel)
        self.comparable &= np.isfinite(again)
        self.comparable &= ~not_the_same(scores[None], again[None], oof)[0]

    def _keep(self, oof: OOFPredictions, kernel: BoundKernel) -> np.ndarray:
        """Keep what the test needs of a split; return its scores from the predictions."""
        if Influence.are_known(kernel) and not self._splits:
            self._parts.append(Influence.of(oof, kernel))
            return self._parts[-1].score
        if self._parts:
            raise ValueError(f"{self.metric.name} is another kind of metric in other splits.")
        self._splits.append(oof)
        again = np.full(kernel.n_configs, np.nan)
        again[kernel.valid] = kernel.on_data()[kernel.valid]
        return again

    def leave_only(self, kept: np.ndarray) -> None:
        """Forget all configurations but those `kept` (n_kept,)."""
        self.scores = [each[kept] for each in self.scores]
        self.comparable = self.comparable[kept]
        self._parts = [each.of_configs(kept) for each in self._parts]
        self._splits = [of_configs(each, kept) for each in self._splits]

    @property
    def by_formula(self) -> bool:
        """Whether the test needs no draws."""
        return bool(self._parts)

    def clearly_worse(self, settings: RaceSettings, among: np.ndarray) -> np.ndarray:
        """Find configurations that are worse than the leader beyond chance.

        `among` (n_configs,) -> (n_configs,).
        """
        worse = np.zeros(len(self.comparable), dtype=bool)
        compared = np.flatnonzero(self.comparable)
        if not len(compared):
            return worse
        mean = np.mean(self.scores, axis=0)
        leader = int(compared[mean[compared].argmax()])
        # Of those with the very score of the leader none is worse.
        others = np.flatnonzero(among & self.comparable & (mean < mean[leader]))
        chosen = np.append(others, leader)
        if self.by_formula:
            parts = [each.of_configs(chosen) for each in self._parts]
            test = PairedTest.of(parts, len(others), settings.units, grouped=settings.grouped)
            clear = test.are_clear(settings.rule.confidence_level)
        else:
            oof = together([of_configs(each, chosen) for each in self._splits])
            clear = behind_in_draws(oof, self.metric, settings, key=len(self.scores))
        worse[others] = clear[:-1]
        return worse


class Race:
    """The configurations that are left after each batch of splits."""

    def __init__(self, n_configs: int, n_splits: int, settings: RaceSettings) -> None:
        self.settings = settings
        self.left = np.arange(n_configs)
        self.n_splits_done = np.full(n_configs, n_splits)
        self.compared = False  # two or more, by every metric, at some time
        self._states: dict[str, RaceState] = {}

    def add(
        self,
        oof: OOFPredictions,
        scores: Mapping[str, np.ndarray],
        begin: Callable[[], Mapping[str, RaceState]],
    ) -> None:
        """Add one split of the configurations that are left, with scores (n_left,)."""
        if not self._states:
            self._states = dict(begin())
        for name, each in self._states.items():
            each.add(oof, scores[name])

    def drop(self, n_done: int) -> np.ndarray:
        """Drop what is clearly worse in every metric.

        A configuration that leads in one metric, or is not clearly worse there, stays.
        """
        worse = np.ones(len(self.left), dtype=bool)
        comparable = [each.comparable.sum() for each in self._states.values()]
        self.compared = self.compared or min(comparable) > 1
        # Quick tests first: the others look at what is left.
        for state in sorted(self._states.values(), key=lambda each: not each.by_formula):
            worse &= state.clearly_worse(self.settings, worse)
        dropped = self.left[worse]
        if len(dropped):
            self.n_splits_done[dropped] = n_done
            self.left = self.left[~worse]
            for state in self._states.values():
                state.leave_only(np.flatnonzero(~worse))
        return dropped


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

    @explain_arguments()
    def __init__(
        self,
        *,
        confidence_level: float = 0.99,
        min_predictions: int = 50,
        min_per_class: int = 5,
        n_bootstraps: int = 500,
        random_state: Any = None,
    ) -> None:
        self.confidence_level = confidence_level
        self.min_predictions = min_predictions
        self.min_per_class = min_per_class
        self.n_bootstraps = n_bootstraps
        self.random_state = random_state

    def _validate(self) -> None:
        level = self.confidence_level
        if not isinstance(level, Real) or not 0.5 < level < 1:
            raise ValueError(
                "confidence_level of DropClearlyWorse must be above 0.5 and below 1, got "
                f"{level!r}. With 0.99 a configuration that is as good as the leader is dropped "
                "in about one comparison of a hundred."
            )
        check_integer("min_predictions", self.min_predictions, 3)
        check_integer("min_per_class", self.min_per_class, 2)
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
        self._validate()
        metric = as_metric(scoring)
        if not oof.responses:
            raise ValueError(
                "oof has scores per fold only, and dropping compares predictions. A search with "
                "record=True keeps them."
            )
        scores = metric.bind(oof).fold_scores()
        seed = entropy_of(self.random_state)
        settings = RaceSettings.of(self, oof.groups, oof.n_samples, seed)
        tests = [oof.sample[oof.fold == split] for split in range(oof.n_splits)]
        race = Race(oof.n_configs, oof.n_splits, settings)
        # After the last batch nothing is left to be spared.
        for batch in batches_of(tests, oof.y_true, oof.classes_, settings)[:-1]:
            for split in batch:
                race.add(
                    split_of(oof, split, race.left),
                    {metric.name: scores[split, race.left]},
                    lambda: {metric.name: RaceState(metric)},
                )
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
    """Run the tasks of one call of ``evaluate_candidates`` split by split.

    Stands in for joblib's Parallel: takes all tasks, configuration by configuration as
    scikit-learn lists them, and gives the results in that order. A task that is not run has the
    numbers of the last one of its configuration, to be marked as missing where the results
    become ``cv_results_``. Whatever fails here drops nothing more and says in `why_not` why; the
    search goes on.
    """

    def __init__(self, search: Any, recording: Recording, this_round: Round) -> None:
        self._search, self._recording, self._round = search, recording, this_round
        target = self._target = np.empty(0) if recording.y is None else _target(recording.y)
        given = (each for each in recording.score_weights.values() if each is not None)
        self._groups, self._weights = (
            _per_sample(each, len(target)) if each is not None and len(target) else None
            for each in (recording.groups, next(given, None))
        )
        self._metadata = {} if recording.y is None else metadata_of(recording, recording.y)
        rule: DropClearlyWorse = search.drop
        own = rule.random_state
        seed = search._draw_seed() if own is None else entropy_of(own)
        self._settings = RaceSettings.of(rule, self._groups, len(target), seed, search.n_jobs)
        self._classes: np.ndarray | None = None
        self.why_not = ""

    def run(self, parallel: Callable[[Iterable[Any]], list[Any]], tasks: Iterable[Any]) -> Any:
        """Run the tasks; `parallel` runs some of them at the same time."""
        waiting: list[Any] = list(tasks)
        n_configs = self._round.n_configs
        n_splits, rest = divmod(len(waiting), max(1, n_configs))
        if rest or not waiting:  # scikit-learn says what is wrong
            return parallel(waiting)
        out: list[Any] = [None] * len(waiting)
        left = np.arange(n_configs)
        batches = list(self._begin())
        while batches:
            batch = batches.pop(0)
            if len(left) == 1:  # nobody to compare with
                batch, batches = sum(batches, batch), []
            cells = [config * n_splits + split for config in left.tolist() for split in batch]
            for cell, result in zip(cells, parallel(_taken(waiting, cells)), strict=True):
                out[cell] = result
            for split in batch:
                self._add(split, [out[config * n_splits + split] for config in left.tolist()])
            before, left = left, self._drop(batch[-1] + 1)
            for config in np.setdiff1d(before, left).tolist():
                for split in (split for later in batches for split in later):
                    task = waiting[config * n_splits + split]
                    if isinstance(task, tuple):  # function, arguments, keywords
                        tell_callbacks(task[2])
        for cell, result in enumerate(out):
            if result is None:
                out[cell] = _stand_in(out[cell - 1])
        self._recording.n_splits_done += self._race.n_splits_done.tolist()
        if self.why_not and self.why_not not in self._recording.not_dropped:
            self._recording.not_dropped.append(self.why_not)
        return out

    def _begin(self) -> list[list[int]]:
        """Start the race, when the splits are known; return them in batches."""
        target, splits, settings = self._target, self._round.splits, self._settings
        self._race = Race(self._round.n_configs, len(splits), settings)
        self._batches = [list(range(len(splits)))]
        if not len(target):
            self.why_not = "there is no target, so there are no predictions to compare"
            return self._batches
        estimator = self._search.estimator
        try:
            self._tests = [_positions(test, len(target)) for _, test in splits]
            if target.ndim == 1 and (is_classifier(estimator) or is_outlier_detector(estimator)):
                self._classes = np.unique(target)
            self._batches = batches_of(self._tests, target, self._classes, settings)
        except Exception as error:  # a target of another kind
            self._give_up(error)
        if len(self._batches) == 1 and self._round.n_configs > 1 and not self.why_not:
            rule = settings.rule
            self.why_not = TOO_FEW.format(least=rule.min_predictions, per_class=rule.min_per_class)
            if settings.grouped:
                self.why_not += f", of {LEAST_GROUPS} groups"
        return self._batches

    def _add(self, split: int, results: list[dict[str, Any]]) -> None:
        """Add the results of one split, of the configurations that are left."""
        if self.why_not or len(self._race.left) < 2 or split >= self._batches[-1][0]:
            return  # nothing could be spared
        try:
            with hold_warnings():
                oof, scores = self._predictions(split, results), _scores(results)
                self._race.add(oof, scores, lambda: self._states(oof, scores))
        # The fits are what has taken days. A test that fails drops nothing.
        except Exception as error:
            self._give_up(error)

    def _drop(self, n_done: int) -> np.ndarray:
        """Drop configurations after `n_done` splits; return those that are fitted on."""
        race, n_splits = self._race, len(self._round.splits)
        if not self.why_not and n_done < n_splits and len(race.left) > 1:
            try:
                with hold_warnings():
                    dropped = race.drop(n_done)
                if self._search.verbose > 0:
                    print(
                        f"Split {n_done} of {n_splits}: {len(dropped)} candidates dropped, "
                        f"{len(race.left)} left"
                    )
                if n_done == self._batches[-1][0] and not race.compared:
                    self.why_not = NOT_COMPARABLE
            except Exception as error:
                self._give_up(error)
        return race.left

    def _give_up(self, error: Exception) -> None:
        why = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        self.why_not = why.rstrip(".")

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
        search, scorers, default = self._search, self._recording.scorers, None
        if isinstance(scorers, _PassthroughScorer):
            default = name_of_default_score(oof, scores[SCORE][None], search.estimator)
        metrics = metrics_of_search(
            search.scoring,
            scorers._scorers if isinstance(scorers, _MultimetricScorer) else scorers,
            list(scores),
            default,
            self._target.dtype.names is not None,
        )
        weights = self._recording.score_weights
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
    """A result with the same numbers, without the predictions that travel with scores."""
    scores = result["test_scores"]
    plain = (
        {name: float(score) for name, score in scores.items()}
        if isinstance(scores, dict)
        else float(scores)
    )
    return {**result, "test_scores": plain, "fit_error": None}


def _taken(tasks: list[Any], cells: list[int]) -> Iterator[Any]:
    """Some tasks; each is given away, so that its estimator does not live until the end."""
    for cell in cells:
        task, tasks[cell] = tasks[cell], None
        yield task


@contextmanager
def in_place_of_parallel(
    evaluate_candidates: Callable[..., Any], run: Callable[[Any, Any], Any]
) -> Iterator[None]:
    """Let `evaluate_candidates` of a running ``fit`` run its tasks in another way.

    ``fit`` keeps what runs the tasks in a variable that only its inner function sees. It is
    exchanged there, for this call, so nothing that other searches or threads use is touched.
    """
    names = evaluate_candidates.__code__.co_freevars
    if PARALLEL not in names or evaluate_candidates.__closure__ is None:
        raise RuntimeError(
            "drop does not work with this release of scikit-learn, whose searches run their fits "
            "in another way. drop=None fits every configuration on all splits."
        )
    cell = evaluate_candidates.__closure__[names.index(PARALLEL)]
    before = cell.cell_contents
    cell.cell_contents = partial(run, before)
    try:
        yield
    finally:
        cell.cell_contents = before


RULE_NOTE = (
    "The rule of `refit` chooses among the configurations that were not dropped. One that it "
    "would have preferred, for example a simple one, may have been dropped because others have "
    "clearly better scores."
)


def check_drop(search: Any) -> None:
    """Raise, before the search, where it cannot drop configurations."""
    drop = getattr(search, "drop", None)
    if drop is None:
        return
    if not isinstance(drop, DropClearlyWorse):
        raise ValueError(
            f"drop must be None or an object, drop=DropClearlyWorse() from sklearn_bbc.search; "
            f"got {drop!r}."
        )
    drop._validate()
    if not getattr(search, "record", True):
        raise ValueError(
            "drop compares configurations on their predictions, and record=False does not keep "
            "them. Use record=True, or drop=None."
        )
    if isinstance(search, BaseSuccessiveHalving):
        raise ValueError(
            "drop cannot be used in successive halving, which needs the scores of all "
            "configurations of a round to choose those of the next. Use BBCSearchCV with drop, "
            "or halving with drop=None."
        )


class RacingSearch(RecordingSearch):
    """Search that evaluates split by split when it has a rule for dropping as `drop`."""

    cv_results_: dict[str, Any]

    def fit(self, X: Any, y: Any = None, **params: Any) -> Any:
        check_drop(self)
        return super().fit(X, y, **params)

    @abstractmethod
    def _draw_seed(self) -> int:
        """Return the seed of the fit."""

    @contextmanager
    def _evaluating(
        self, evaluate_candidates: Callable[..., Any], this_round: Round
    ) -> Iterator[None]:
        if getattr(self, "drop", None) is None:
            yield
            return
        race = RoundRace(self, self._recording, this_round)
        with in_place_of_parallel(evaluate_candidates, race.run):
            yield

    def _format_results(
        self, candidate_params: Any, n_splits: int, out: Any, more_results: Any = None
    ) -> dict[str, Any]:
        results = super()._format_results(candidate_params, n_splits, out, more_results)
        if getattr(self, "drop", None) is not None:
            mark_dropped(results, self._recording.n_splits_done, n_splits, out)
        return results

    def _select_best_index(self, refit: Any, refit_metric: Any, results: Any) -> Any:
        # Whatever the rule, it never sees a configuration that was dropped.
        select = super()._select_best_index
        rest = _rest_of(results)
        if rest is None:
            return select(refit, refit_metric, results)
        return rest[select(refit, refit_metric, of_the_rest(results, rest))]

    def _repeatable_refit(self) -> Any:
        """`refit` as it is repeated in draws: among the configurations that are left."""
        rest = _rest_of(self.cv_results_)
        return self.refit if rest is None else refit_among(self.refit, rest)

    def _note_dropped(self, recording: Recording) -> list[str]:
        """Note for the predictions what was dropped; return notes for the results."""
        n_configs, rest = len(recording.n_splits_done), _rest_of(self.cv_results_)
        if recording.not_dropped:
            why = "; ".join(recording.not_dropped)
            stopped = "drop had no effect" if rest is None else "drop stopped early"
            note = f"{stopped}: {why}."
            recording.notes.append(note)
            warn_user(note, DroppingWarning)
        if rest is None:
            return []
        recording.notes.append(
            f"{n_configs - len(rest)} of {n_configs} configurations were dropped before all their "
            f"splits were fitted, since they were clearly worse than the leader ({self.drop}). "
            f"Results repeat the selection among the other {len(rest)}, so a little of the "
            "optimism may remain."
        )
        return [RULE_NOTE] if callable(self.refit) and _prefers(self.refit) else []


def dropped_of(results: Mapping[str, Any]) -> np.ndarray:
    """Which configurations of a finished search were dropped, shape (n_configs,), bool."""
    rest = _rest_of(results)
    dropped = np.full(len(results["params"]), rest is not None)
    dropped[rest if rest is not None else []] = False
    return dropped


def _rest_of(results: Mapping[str, Any]) -> np.ndarray | None:
    """Configurations that were not dropped; None where none was."""
    done = results.get(N_DONE)
    if done is None or (done == done.max()).all():  # the leader is never dropped
        return None
    return np.flatnonzero(done == done.max())


def _prefers(refit: Any) -> bool:
    """Whether a rule may prefer another configuration than the one with the best score."""
    rule = refit.selection if isinstance(refit, AsRefit) else refit
    return not isinstance(rule, BestScore)
