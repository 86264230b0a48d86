"""A finished search, and the questions that can be asked of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_outlier_detector
from sklearn.metrics._scorer import _PassthroughScorer

from .._notes import Note
from .._rounding import levelled
from .._text import config_words
from .._utils import meant_by, same
from ..contest._notes import UNSCORED
from ..contest._question import Question
from ..metrics._consumed import Unbound
from ..metrics._metric import Metric, as_metric
from ..metrics._scikit_survival import note_on, wrapper_in
from ..predictions._predictions import OOFPredictions, in_blocks, with_fields
from ..predictions._sources import ADAPTIVE, LAST_ROUND
from ..results._results import ConfidenceInterval
from ..selection._rules import RefitCallable, SelectedBy
from ._assembly import (
    NOT_SCORED,
    kept_predictions,
    scorer_failures,
    scores_alone,
    verified,
)
from ._checks import OF_TIMES, SCORE, default_scorer, metric_names, metrics_of_search
from ._racing import dropped_of, notes_on_dropped, refit_among
from ._recording import Recording
from ._refit_rule import RefitRule, rule_of_refit

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
LEAVE_OUT = (
    "Leave out splits without test samples: cv=[(train, test) for train, test in cv.split(X, y) "
    "if len(test)]."
)
PREDICTS_TIMES = (
    "The models predict survival times: their own score is the concordance index of times, "
    f"{OF_TIMES}. scoring='concordance_index' would take the times as risks and select the worst."
)
DYNAMIC_NOTE = Note(ADAPTIVE.format("The search chose"), "dynamic")
NOT_REPEATED = (
    "The rule of `refit` cannot be repeated in the draws: {}. They select by the best score "
    "instead, which selects the same configuration on all samples."
)


@dataclass(frozen=True, kw_only=True)
class FinishedSearch:
    """What was recorded of a search; `ask` makes a `Question` of it."""

    oof: OOFPredictions
    # By their own names.
    metrics: Mapping[str, Metric]
    # Metric -> mean score (n_configs,) over the splits, as in ``cv_results_``.
    mean_scores: Mapping[str, np.ndarray]
    # The metric that selects; None with several metrics and no refit metric.
    primary: str | None
    # For methods without a seed of their own.
    seed: int
    # For methods without one of their own.
    n_jobs: int | None
    # Configuration that the search itself selected; None when it selected none.
    best_index: int | None
    # Metrics whose scorer was given no sample weights.
    unweighted: frozenset[str]
    # Metric of which every score failed -> why.
    failures: Mapping[str, str]
    # Why there are only scores per fold, where that is so.
    why_unrecorded: str
    # Whether predictions were to be recorded; if not, nobody is warned that there are none.
    asked_to_record: bool
    # Mask (n_samples,) of the samples that were held out; None where it is not known.
    held_out: np.ndarray | None
    # By what `refit` selects, where it is not the best mean score.
    rule: RefitRule | None = None
    # Remarks on how the search went, for every result.
    remarks: tuple[str, ...] = ()
    # Whether configurations were chosen by the scores of earlier ones.
    in_rounds: bool = False
    # Training samples of each split, in order; None where they are all that are not tested.
    trains: Sequence[np.ndarray | None] = ()
    # Configurations of earlier rounds, which ``cv_results_`` and `oof` do not have.
    n_earlier: int = 0
    # (configuration, response method) -> predictions (n_rows[, n_outputs]) of models that were
    # fitted again, None where they have no such method; and notes on the configurations.
    again: dict[tuple[int, str], np.ndarray | None] = field(default_factory=dict)
    again_notes: dict[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, search: Any, recording: Recording) -> FinishedSearch:
        """Assemble and check what was recorded of a search that has just been fitted."""
        data, record, cv_results = recording.data, recording.record, search.cv_results_
        classifier = is_classifier(search.estimator) or is_outlier_detector(search.estimator)
        classifier = classifier or any(
            cell is not None and cell.classes is not None for cell in record.cells
        )
        best_index: int | None = getattr(search, "best_index_", None)
        best_index = None if best_index is None else int(best_index)
        notes, remarks = [*data.notes], list[str]()
        if getattr(search, "drop", None) is not None:
            of_predictions, remarks = notes_on_dropped(search, record.not_dropped)
            notes += of_predictions
        in_rounds, n_kept = len(record.rounds) > 1, len(cv_results["params"])
        if n_earlier := record.keep_last(n_kept) if in_rounds else 0:
            notes.append(LAST_ROUND.format(n_earlier, n_earlier + n_kept))
        own_score = isinstance(search.scorer_, _PassthroughScorer)
        wrapper = wrapper_in(search.estimator) if own_score else None
        if wrapper is not None:
            notes.append(note_on(wrapper))
        default = None
        if record.rounds:
            kept = kept_predictions(
                record, data.X, data.y, cv_results,
                selected=best_index, classifier=classifier, notes=notes,
            )  # fmt: skip
            if own_score:
                default = default_scorer(kept.oof, kept.oof.fold_scores[SCORE], search.estimator)
                if wrapper is None and default is not None and not isinstance(default, str):
                    remarks = [*remarks, PREDICTS_TIMES]
        else:
            kept, default = scores_alone(search)
        oof = kept.oof
        failures = scorer_failures(search, record, oof, data.X, data.y)
        metrics = metrics_of_search(  # by the names of `cv_results_`
            search.scoring, search.scorer_, metric_names(cv_results), default,
            oof.y_true.dtype.names is not None,
        )  # fmt: skip
        primary: str | None = SCORE
        if isinstance(search.refit, SelectedBy):
            primary = search.refit.scoring
        elif search.multimetric_:
            primary = search.refit if isinstance(search.refit, str) else None
        weights = record.score_weights
        fold_scores = {metric.name: oof.fold_scores[name] for name, metric in metrics.items()}
        recorded = cls(
            oof=with_fields(
                oof,
                fold_scores=MappingProxyType(fold_scores),
                indexes=data.orders,
                selected=best_index,
                selected_by="the search",
            ),
            metrics={metric.name: metric for metric in metrics.values()},
            mean_scores={
                m.name: np.asarray(cv_results[f"mean_test_{k}"], dtype=float)
                for k, m in metrics.items()
            },
            primary=None if primary is None else metrics[primary].name,
            seed=recording.draw_seed(search),
            n_jobs=search.n_jobs,
            best_index=best_index,
            unweighted=frozenset(
                metric.name
                for name, metric in metrics.items()
                if weights.get(name, weights.get(SCORE)) is None
            ),
            failures={metrics[name].name: failed for name, failed in failures.items()},
            why_unrecorded=kept.why_unrecorded,
            asked_to_record=record.options.wanted,
            held_out=kept.held_out,
            remarks=tuple(remarks),
            in_rounds=in_rounds,
            trains=kept.trains,
            n_earlier=n_earlier,
        )
        best = {name: recorded.best_by_mean(name) for name in recorded.metrics}
        # Its weights are those of training samples, which predictions do not show.
        views = recorded._views() if wrapper is None else {}
        checked = verified(
            recorded.oof, views, best, search.error_score, kept.complete, kept.warned
        )
        lost = bool(oof.responses and not checked.responses)
        if (length := getattr(search, "block_length", None)) is not None and checked.n_rows:
            checked = in_blocks(checked, length)
        found = replace(
            recorded, oof=checked, why_unrecorded=NOT_SCORED if lost else kept.why_unrecorded
        )
        if not callable(refit := search.refit):
            return found
        if (dropped := dropped_of(cv_results)).any():
            refit = refit_among(refit, np.flatnonzero(~dropped))
        views = found._views()
        views = {name: views[metric.name] for name, metric in metrics.items()}
        rule = rule_of_refit(refit, views, cv_results, primary, best_index)
        return replace(found, rule=rule)

    def _views(self) -> dict[str, Unbound]:
        """Return each metric of the search, and the predictions as it sees them, by its name."""
        return {name: Unbound(metric, self.view(metric)) for name, metric in self.metrics.items()}

    @property
    def notes(self) -> list[str]:
        """Remarks that belong to every result."""
        notes = [*self.remarks]
        if self.no_scores and self.primary is not None:  # nothing was compared
            every = np.isfinite(self.oof.fold_scores[self.primary]).all(axis=0)
            # Means without scores of splits that are left out here, since they are empty.
            advice = LEAVE_OUT if every.any() else _fewer_folds(self.oof)
            notes.append(UNSELECTED_NOTE.format(advice=advice, metric=self.primary))
        elif self.rule is not None and self.rule.why_not and self.primary is not None:
            # Draws select in another way than the search.
            if self.best_index is not None and self.is_best(self.primary, self.best_index):
                notes.append(NOT_REPEATED.format(self.rule.why_not))
        return [*notes, *[DYNAMIC_NOTE] * self.in_rounds]

    # What is asked.

    def ask(
        self, scoring: Any = None, *, config: int | None = None, tuned_by: Any = None
    ) -> Question:
        """Make the question about the score of one configuration, or of what is selected.

        `scoring` scores, None is the metric of the search; `tuned_by` selects, None is what
        selected in the search. Raises where a metric cannot be computed.
        """
        metric = self.metric(scoring)
        tuned = None
        if tuned_by is not None:
            with meant_by("tuned_by", "scoring"):
                tuned = self.metric(tuned_by)
        if tuned is None and config is None and self.selects_nothing:
            tuned = metric  # each metric can only select for itself
        selects = self.primary_metric if tuned is None else tuned
        if config is not None:
            selects = None
        elif selects is not None and selects.name == metric.name:
            selects = metric
        for each in (metric, selects):
            if each is not None and self.is_own(each) and each.name in self.failures:
                raise ValueError(self.failures[each.name])
        common: dict[str, Any] = {
            "metric": metric,
            "config": config,
            "why_unrecorded": self.why_unrecorded,
        }
        if config is not None:
            return Question(**common, oof=self.view(metric, config=config))
        rule, why_not = None, ""
        if tuned is None and self.repeated is not None:
            rule = self.repeated.selection
        elif tuned is None:
            why_not = self._why_not_repeated()
        oof = self.view(metric, tuned_by=tuned)
        own = selects is None or selects is metric or isinstance(rule, RefitCallable)
        if selects is not None and not own:
            # Each metric has its own weights: a scorer may have been given none.
            weights = self.view(selects, tuned_by=tuned).sample_weight
            alike = same(weights, oof.sample_weight)
            rule = SelectedBy(selects, rule, sample_weight="same" if alike else weights)
        return Question(
            **common, oof=oof, selects=selects, tuned_by=tuned,
            rule=rule, why_not=why_not,
        )  # fmt: skip

    def metric(self, scoring: Any) -> Metric:
        """Return a metric of the search by its name, any other one, or that which selects."""
        if scoring is None and self.primary is None:
            raise ValueError(
                f"scoring must be given, since no metric of this search selects the winner. Its "
                f"metrics are {list(self.metrics)}; any other scorer works too."
            )
        name = self.primary if scoring is None else scoring
        own = self.metrics.get(name) if isinstance(name, str) else None
        return as_metric(scoring) if own is None else own

    @property
    def primary_metric(self) -> Metric | None:
        """The metric that selected; None where none did."""
        return None if self.primary is None else self.metrics[self.primary]

    def is_own(self, metric: Metric) -> bool:
        """Check whether the search itself scored by this metric."""
        own = self.metrics.get(metric.name)
        return own is not None and own.scorer is metric.scorer

    def view(
        self, metric: Metric, *, config: int | None = None, tuned_by: Metric | None = None
    ) -> OOFPredictions:
        """Return the predictions with the winner, weights and fold scores of one metric."""
        fields: dict[str, Any] = {}
        every = [each for each in (metric, tuned_by) if each is not None]
        if foreign := {each.name for each in every if not self.is_own(each)}:
            others = {k: v for k, v in self.oof.fold_scores.items() if k not in foreign}
            fields["fold_scores"] = MappingProxyType(others)
        if not self.is_own(metric):
            known = self.oof.metadata.keys()
            lacking = set(metric.requests.values()) - known - {"sample_weight"}
            if lacking:
                raise ValueError(
                    f"{metric.name} asks for {', '.join(map(repr, sorted(lacking)))} by "
                    "set_score_request, which no scorer of this search was given. Known are "
                    f"{sorted(known)}; fit the search with the scorer to have it recorded."
                )
        elif metric.name in self.unweighted:
            fields["sample_weight"] = None
        if tuned_by is not None:
            own = self.is_own(tuned_by)
            fields["selected"] = self.best_by_mean(tuned_by.name) if own else None
            fields["selected_by"] = f"mean over folds of {tuned_by.name}"
        elif config is not None:
            fields |= self._alone(config, "given")
        elif self.no_scores:
            fields |= self._alone(self.best_index, UNSCORED)
        return metric.weighted(with_fields(self.oof, **fields) if fields else self.oof)

    def _alone(self, config: int | None, by: str) -> dict[str, Any]:
        """Make the fields of predictions of which all configurations but one are set aside."""
        set_aside = np.ones(self.oof.n_configs, dtype=bool)
        set_aside[config] = self.oof.failed[config]
        return {"selected": config, "selected_by": by, "failed": set_aside}

    def _why_not_repeated(self) -> str:
        """Explain where the best mean score is not what the search selected; else empty."""
        best = self.best_index
        if best is None or (
            self.primary is not None
            # A failed one is named by the method.
            and (self.no_scores or self.oof.failed[best] or self.is_best(self.primary, best))
        ):
            return ""
        why = "" if self.rule is None else self.rule.why_not
        name = self.primary or next(iter(self.metrics))
        return (
            f"The search selected {self.described(best)}, and the draws cannot repeat how: "
            f"{why or 'another configuration has a better mean score'}. So there is no corrected "
            f"score of that model. "
            f"interval(tuned_by={name!r}) corrects the score of what the best mean score selects; "
            f"interval(config={best}) looks at this one, uncorrected."
        )

    def described(self, config: int) -> str:
        """Write a configuration for a sentence."""
        return config_words(config, self.oof.params)

    # What the search itself did.

    @property
    def selects_nothing(self) -> bool:
        """Whether the search returns no model, so that each metric can only select for itself."""
        return self.primary is None and self.best_index is None

    @property
    def no_scores(self) -> bool:
        """Whether the search selected the first configuration, without scores to compare."""
        return (
            self.primary is not None
            and self.best_index is not None
            and self.repeated is None
            and self.primary not in self.failures
            and self.best_by_mean(self.primary) is None
        )

    @property
    def repeated(self) -> RefitRule | None:
        """Rule of `refit`, where draws can repeat it; else None."""
        return self.rule if self.rule is not None and not self.rule.why_not else None

    def best_by_mean(self, name: str) -> int | None:
        """Find the configuration with the best mean score among those that failed in no fold."""
        means = np.where(self.oof.failed, np.nan, self.mean_scores[name])
        return None if np.isnan(means).all() else int(np.nanargmax(levelled(means)))

    def is_best(self, name: str, config: int) -> bool:
        """Check whether a configuration did not fail and has the best mean score."""
        best, means = self.best_by_mean(name), levelled(self.mean_scores[name])
        return best is not None and bool(
            not self.oof.failed[config] and means[config] == means[best]
        )

    def reported_score(self, result: ConfidenceInterval) -> float:
        """Return the mean score over the splits of the configuration that a result is about.

        A threshold or an ensemble has none: its score on the predictions that chose it.
        """
        if "apparent_score" in result.details:
            return float(result.details["apparent_score"])
        if result.metric not in self.mean_scores:  # the search has not scored by it
            return np.nan
        winner = result.details.get("winner")
        if winner is None:
            winner = self.best_by_mean(result.metric)
        return np.nan if winner is None else float(self.mean_scores[result.metric][winner])

    def seeded(self, method: Any) -> Any:
        """Copy a method, with the seed and the number of threads of the search if it has none."""
        method = clone(method)
        params = method.get_params(deep=False)
        own = {"random_state": self.seed, "n_jobs": self.n_jobs}
        return method.set_params(**{k: v for k, v in own.items() if params.get(k, 0) is None})


def _fewer_folds(oof: OOFPredictions) -> str:
    """Say which splits would give a score to select by."""
    if oof.classes_ is not None and oof.n_rows and oof.is_partition:
        n_folds = oof.n_splits // oof.n_repeats
        sizes = [np.count_nonzero(oof.y_true == label) for label in oof.classes_]
        for fold in range(oof.n_splits):
            lacking = np.setdiff1d(oof.classes_, oof.y_true[oof.sample[oof.fold == fold]])
            if len(lacking) and min(sizes) >= n_folds:
                return STRATIFY.format(fold=fold, label=lacking[0], n_folds=n_folds)
    return "Use fewer folds."
