"""A search that may drop configurations before all of their splits were fitted."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_outlier_detector
from sklearn.metrics._scorer import _MultimetricScorer, _PassthroughScorer
from sklearn.model_selection._search_successive_halving import BaseSuccessiveHalving

from ..._warn import warn_user
from ...exceptions import DroppingWarning
from ...predictions import OOFPredictions
from ...resampling._streams import entropy_of
from ...selection import AsRefit, BestScore
from .._metrics import SCORE, metrics_of_search, name_of_default_score
from ..recording._assembly import _per_sample, _target, metadata_of
from ..recording._recording import Recording, RecordingSearch, Round
from ._columns import N_DONE, mark_dropped, of_the_rest, refit_among
from ._judge import Facts, RoundJudge
from ._rule import DropClearlyWorse, units_of
from ._split_by_split import SplitBySplit, in_place_of_parallel
from ._standings import Standings

__all__ = ["DroppingSearch", "check_drop", "dropped_of"]

RULE_NOTE = (
    "The rule of `refit` chooses among the configurations that were not dropped. One that it "
    "would have preferred, for example a simple one, may have been dropped because others have "
    "clearly better scores."
)


def check_drop(search: Any) -> None:
    """Raise, before the search, where it cannot drop configurations.

    Parameters
    ----------
    search : BaseSearchCV
        With a parameter `drop`.

    Raises
    ------
    ValueError
        If `drop` is invalid, predictions are not recorded, or the search is a halving one.
    """
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


class DroppingSearch(RecordingSearch):
    """Search that evaluates split by split when it has a rule for dropping as `drop`."""

    cv_results_: dict[str, Any]

    def fit(self, X: Any, y: Any = None, **params: Any) -> Any:
        check_drop(self)
        return super().fit(X, y, **params)

    @abstractmethod
    def _draw_seed(self) -> int:
        """Seed of the fit."""

    @contextmanager
    def _evaluating(
        self, evaluate_candidates: Callable[..., Any], this_round: Round
    ) -> Iterator[None]:
        if getattr(self, "drop", None) is None:
            yield
            return
        recording = self._recording
        judge = RoundJudge(self._facts_of_drop(recording), this_round)

        def finished() -> None:
            recording.n_splits_done += judge.n_splits_done
            if judge.why_not and judge.why_not not in recording.not_dropped:
                recording.not_dropped.append(judge.why_not)

        with in_place_of_parallel(
            evaluate_candidates,
            lambda parallel: SplitBySplit(parallel, this_round.n_configs, judge, finished),
        ):
            yield

    def _facts_of_drop(self, recording: Recording) -> Facts:
        target = np.empty(0) if recording.y is None else _target(recording.y)
        weights = recording.score_weights
        given = (each for each in weights.values() if each is not None)
        groups, weight = (
            _per_sample(each, len(target)) if each is not None and len(target) else None
            for each in (recording.groups, next(given, None))
        )
        units, grouped = units_of(groups, len(target))
        rule: DropClearlyWorse = self.drop
        seed = self._draw_seed() if rule.random_state is None else entropy_of(rule.random_state)
        scorers = recording.scorers

        def standings(
            oof: OOFPredictions, scores: Mapping[str, np.ndarray]
        ) -> dict[str, Standings]:
            default = None
            if isinstance(scorers, _PassthroughScorer):
                default = name_of_default_score(oof, scores[SCORE][None], self.estimator)
            metrics = metrics_of_search(
                self.scoring,
                scorers._scorers if isinstance(scorers, _MultimetricScorer) else scorers,
                list(scores),
                default,
                target.dtype.names is not None,
            )
            return {
                name: Standings(metric, weights.get(name, weights.get(SCORE)) is None)
                for name, metric in metrics.items()
            }

        return Facts(
            target=target,
            classifier=is_classifier(self.estimator) or is_outlier_detector(self.estimator),
            groups=groups,
            weights=weight,
            metadata={} if recording.y is None else metadata_of(recording, recording.y),
            test=rule._lead_test(units, grouped, seed, self.n_jobs),
            standings=standings,
            tell=self._tell_progress,
        )

    def _tell_progress(self, n_done: int, n_splits: int, n_dropped: int, n_left: int) -> None:
        if self.verbose > 0:
            print(f"Split {n_done} of {n_splits}: {n_dropped} candidates dropped, {n_left} left")

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

    def _tell_dropped(self, recording: Recording) -> list[str]:
        """Note for the predictions what was dropped; what belongs to the results as well."""
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
