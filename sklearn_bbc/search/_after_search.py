"""What happens between the end of a search and the end of its `fit`."""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from numbers import Integral
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_outlier_detector
from sklearn.exceptions import NotFittedError
from sklearn.metrics._scorer import _PassthroughScorer
from sklearn.utils import check_random_state
from sklearn.utils.validation import _num_samples

from .._warn import hold_warnings, release_warnings, warn_user
from ..exceptions import IntervalWarning, RecordingWarning
from ..intervals import BaseInterval, as_interval
from ..metrics import Metric, as_metric
from ..predictions import OOFPredictions
from ..results import ConfidenceInterval
from ._attributes import ExplainedAttribute
from ._facts import FitFacts
from ._metrics import SCORE, metric_names, metrics_of_search, name_of_default_score
from ._progress import StageProgress
from ._refit_rule import RefitRule, refit_metric, rule_of_refit
from ._stage import IntervalStage
from .dropping._search import DroppingSearch
from .recording._assembly import held_out_of
from .recording._collecting import (
    NOT_SCORED,
    checked_predictions,
    kept_predictions,
    scorer_failures,
)
from .recording._recording import Recording

UNSELECTED_NOTE = (
    "No configuration has a score in every fold, so the search returned the first one without "
    "comparing scores, and there is no selection to correct for. {advice} "
    "interval(tuned_by={metric!r}) is about the configuration with the best score on all held-out "
    "predictions together."
)
STRATIFY = (
    "Fold {fold} holds no sample of class {label}: use stratified folds, cv=StratifiedKFold"
    "({n_folds}). KFold without shuffle cuts sorted labels into folds of one class."
)
DYNAMIC_NOTE = (
    "The search chose configurations by looking at the scores of earlier ones; the method "
    "assumes that they are fixed beforehand, so some optimism may remain."
)
SWITCHED_OFF = "ci=[] switched the interval stage off; `interval()` computes one at any time."
CORRECTED = ("bbc", "bbcf")
"""Methods behind the attributes ``bbc_score_`` and ``bbcf_score_``."""
NO_PARTS = (
    "the winner's mean over the folds or its pooled score is not a number. The notes of ci_ say "
    "more."
)
NOT_REPEATED = (
    "The rule of `refit` cannot be repeated in the draws: {}. They select by the best score "
    "instead, which selects the same configuration on all samples."
)
OPTIMISM = ("optimism_", "optimism_parts_")
SCORES = ("bbc_score_", "bbcf_score_", *OPTIMISM)
"""Attributes that a search has when they can be computed."""


class AfterSearch(DroppingSearch):
    """A search that looks at its predictions when it is finished.

    Whatever fails here warns; the results of the search stay.
    """

    bbc_score_ = ExplainedAttribute[float]()
    bbcf_score_ = ExplainedAttribute[float]()
    optimism_ = ExplainedAttribute[float]()
    optimism_parts_ = ExplainedAttribute[dict[str, float]]()
    ci_ = ExplainedAttribute[ConfidenceInterval]()
    ci_results_ = ExplainedAttribute[dict[str, dict[str, ConfidenceInterval]]]()

    oof_ = ExplainedAttribute[OOFPredictions]()
    interval_time_: float
    _facts: FitFacts

    def _finish_fit(self, recording: Recording, X: Any, y: Any) -> None:
        with hold_warnings() as held:
            for told in [] if recording.store is None else recording.store.told():
                warn_user(told, RecordingWarning)
            stage = None
            try:
                stage = self._collect_predictions(recording, X, y)
            # A search may have taken days, and is complete.
            except Exception as error:
                self._lose_intervals(error)
            except BaseException:  # an interrupt: nothing half-fitted
                self._forget_fit()
                raise
            try:
                if stage is not None:
                    self._run_stage(stage, recording)
            except Exception as error:
                self._lose_intervals(error)
        # Only now, when nothing is lost where warnings are errors.
        release_warnings(held)

    def _lose_intervals(self, error: Exception) -> None:
        """After a fault that nothing foresaw: say it, keep the search."""
        why = f"{type(error).__name__}: {error}"
        if "_facts" not in vars(self):
            self._facts = FitFacts()
        for name in (*SCORES, "ci_", "ci_results_", "oof_"):
            self._facts.reasons.setdefault(name, why)
        message = f"No interval was computed: {why}. The search itself is complete."
        warn_user(message, RecordingWarning)

    def _run_stage(self, stage: IntervalStage, recording: Recording) -> None:
        """Set `interval_time_` and what the intervals give."""
        methods = self._requested_methods()
        self.interval_time_ = 0.0
        if not methods:
            attributes = (*SCORES, "ci_", "ci_results_")
            self._facts.reasons.update(dict.fromkeys(attributes, SWITCHED_OFF))
            return
        if stage.rule is not None and stage.rule.too_slow:
            attributes = (*SCORES, "ci_", "ci_results_")
            self._facts.reasons.update(dict.fromkeys(attributes, stage.rule.too_slow))
            warn_user(f"No interval was computed: {stage.rule.too_slow}", IntervalWarning)
            return
        if len(recording.rounds) > 1:
            self._facts.notes.append(DYNAMIC_NOTE)
        for note in [*self._facts.notes, *self.oof_._grave_notes()]:
            warn_user(note, IntervalWarning)
        started = time.perf_counter()
        by_default = getattr(self, "ci", None) is None
        with stage.sparing(), StageProgress(self, len(methods) * len(stage.metrics)) as progress:
            self._compute_intervals(stage, None if by_default else methods, progress.begin)
        self.interval_time_ = time.perf_counter() - started
        if self.verbose > 0:
            print(f"Intervals took {self.interval_time_:.1f} s")

    def _collect_predictions(self, recording: Recording, X: Any, y: Any) -> IntervalStage:
        """Set `oof_` and `_facts`; the stage on which this fit computes its intervals."""
        classifier = is_classifier(self.estimator) or is_outlier_detector(self.estimator)
        classifier = classifier or any(
            cell is not None and cell.classes is not None for cell in recording.cells
        )
        selected: Any = getattr(self, "best_index_", None)
        remarks = self._tell_dropped(recording)
        oof, why = kept_predictions(
            recording, X, y, self.cv_results_, selected=selected, classifier=classifier
        )
        default_score = None
        if isinstance(self.scorer_, _PassthroughScorer):
            default_score = name_of_default_score(oof, oof.fold_scores[SCORE], self.estimator)
        survival = oof.y_true.dtype.names is not None
        self._facts = FitFacts(
            self._draw_seed(recording), default_score, why_unrecorded=why, survival=survival
        )
        self._facts.notes.extend(remarks)
        if not oof.n_rows:  # else the rows tell
            self._facts.held_out = held_out_of(recording, selected, _num_samples(X))
        failures = scorer_failures(self, recording, oof, X, y)
        weights = recording.score_weights
        fold_scores = {}
        for name, metric in self._metrics().items():
            fold_scores[metric.name] = oof.fold_scores[name]
            if weights.get(name, weights.get(SCORE)) is None:
                self._facts.unweighted.add(metric.name)
            if name in failures:
                self._facts.failures[metric.name] = failures[name]
        self.oof_ = oof._with_fields(fold_scores=MappingProxyType(fold_scores))
        stage = self._stage()
        self._check_predictions(stage, recording)
        stage = replace(stage, oof=self.oof_, why_unrecorded=self._facts.why_unrecorded)
        self._facts.rule = self._rule(stage)
        stage = replace(stage, rule=self._facts.rule)
        if stage.no_scores:
            self._facts.notes.append(_unselected_note(self.oof_, stage.primary))
        elif stage.rule is not None and stage.rule.why_not and stage.primary is not None:
            if stage.is_best(stage.primary, selected):
                self._facts.notes.append(NOT_REPEATED.format(stage.rule.why_not))
        selected = None if selected is None else int(selected)
        self.oof_ = self.oof_.with_selected(selected, by="the search")
        return replace(stage, oof=self.oof_)

    def _check_predictions(self, stage: IntervalStage, recording: Recording) -> None:
        """Compare `oof_` with the scores of the search, and leave out what differs."""
        views = {name: (each, stage._view(each, None)) for name, each in stage.metrics.items()}
        best = {name: stage.best_by_mean(name) for name in views}
        had = bool(self.oof_.responses)
        self.oof_ = checked_predictions(self.oof_, views, best, self.error_score, recording)
        if had and not self.oof_.responses:
            self._facts.why_unrecorded = NOT_SCORED

    def _compute_intervals(
        self,
        stage: IntervalStage,
        methods: list[BaseInterval] | None,
        begin: Callable[[str, str], None],
    ) -> None:
        """Set `ci_results_` and, where they are defined, `ci_` and the corrected scores."""
        reasons = self._facts.reasons
        results = stage.run(methods, begin)
        scores, corrected, parts = {}, {}, None
        if stage.primary is None:
            why = (
                f"several metrics were scored and none of them selects (refit={self.refit!r}). "
                "The results of each metric are in ci_results_."
            )
            reasons.update(dict.fromkeys((*SCORES, "ci_"), why))
        else:
            for name in CORRECTED:
                result = stage.corrected(name, results[stage.primary].values())
                if "error" in result.details:
                    reasons[f"{name}_score_"] = result.details["error"]
                    continue
                scores[name], corrected[name] = result.estimate, result
            if "bbc" in corrected:
                parts = corrected["bbc"].details.get("optimism_parts")
            self.ci_ = next(iter(results[stage.primary].values()))
        # Only now, so that an interrupted stage leaves nothing half done.
        self.ci_results_ = results
        for name, score in scores.items():
            setattr(self, f"{name}_score_", score)
        if "bbc" not in scores:
            for name in OPTIMISM:
                reasons.setdefault(name, reasons["bbc_score_"])
        elif parts is None:
            reasons.update(dict.fromkeys(OPTIMISM, NO_PARTS))
        else:
            self.optimism_parts_ = parts
            # The difference itself, not the sum of the parts, which may round differently.
            self.optimism_ = stage.reported_score(corrected["bbc"]) - scores["bbc"]

    def _rule(self, stage: IntervalStage) -> RefitRule | None:
        """By what a `refit` that is not a metric selects."""
        if not callable(self.refit):
            return None
        metrics = self._metrics()
        return rule_of_refit(
            self._repeatable_refit(),
            metrics,
            {name: stage._view(metric, None) for name, metric in metrics.items()},
            self.cv_results_,
            refit_metric(self.refit, self.multimetric_),
            int(self.best_index_),
        )

    def _stage(self) -> IntervalStage:
        metrics = self._metrics()
        name = refit_metric(self.refit, self.multimetric_)
        primary = None if name is None else metrics[name].name
        return IntervalStage(
            oof=self.oof_,
            metrics={metric.name: metric for metric in metrics.values()},
            mean_scores={m.name: self.cv_results_[f"mean_test_{k}"] for k, m in metrics.items()},
            unweighted=self._facts.unweighted,
            primary=primary,
            seed=self._facts.seed,
            n_jobs=self.n_jobs,
            notes=self._facts.notes,
            best_index=getattr(self, "best_index_", None),
            failures=self._facts.failures,
            why_unrecorded=self._facts.why_unrecorded,
            asked=getattr(self, "record", True),
            rule=self._facts.rule,
        )

    def _metrics(self) -> dict[str, Metric]:
        """Name in ``cv_results_`` -> metric."""
        facts, names = self._facts, metric_names(self.cv_results_)
        return metrics_of_search(
            self.scoring, self.scorer_, names, facts.default_score, facts.survival
        )

    def _metric(self, stage: IntervalStage, scoring: Any) -> Metric:
        if scoring is None and stage.primary is None:
            raise ValueError(
                f"scoring must be given, since no metric of this search selects the winner. Its "
                f"metrics are {list(stage.metrics)}; any other scorer works too."
            )
        name = stage.primary if scoring is None else scoring
        if isinstance(name, str) and name in stage.metrics:
            return stage.metrics[name]
        return as_metric(scoring)

    def _requested_methods(self) -> list[BaseInterval]:
        ci = getattr(self, "ci", None)
        if ci is None:
            ci = "bbc"
        return [as_interval(method) for method in (ci if isinstance(ci, (list, tuple)) else [ci])]

    def _draw_seed(self, recording: Recording | None = None) -> int:
        random_state = getattr(self, "random_state", None)
        if random_state is None and (seed := self._seed_of_store(recording)) is not None:
            return seed
        if isinstance(random_state, Integral):
            return int(random_state)
        # From a copy of the generator: the next one to draw from it gets the
        # numbers that GridSearchCV would have left.
        return int(deepcopy(check_random_state(random_state)).randint(2**31))

    def _forget_fit(self) -> None:
        super()._forget_fit()
        self.__dict__.pop("_facts", None)

    def _why_missing(self, attribute: str) -> Exception:
        owner = type(self).__name__
        if "_facts" not in vars(self):
            return NotFittedError(f"This {owner} has no {attribute} yet: call fit first.")
        interrupted = "the interval stage was interrupted; `interval()` computes one."
        reason = self._facts.reasons.get(attribute, interrupted)
        return AttributeError(f"This {owner} has no {attribute}: {reason}")


def _unselected_note(oof: OOFPredictions, metric: str | None) -> str:
    """Why there was no score to select by, and which splits would give one."""
    advice = "Use fewer folds."
    if oof.classes_ is not None and oof.n_rows and oof.is_partition:
        n_folds = oof.n_splits // oof.n_repeats
        sizes = np.array([np.count_nonzero(oof.y_true == label) for label in oof.classes_])
        for fold in range(oof.n_splits):
            lacking = np.setdiff1d(oof.classes_, oof.y_true[oof.sample[oof.fold == fold]])
            if len(lacking) and sizes.min() >= n_folds:
                advice = STRATIFY.format(fold=fold, label=lacking[0], n_folds=n_folds)
                break
    return UNSELECTED_NOTE.format(advice=advice, metric=metric)
