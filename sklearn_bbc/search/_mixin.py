"""What a search that keeps its predictions can say about its winner."""

from __future__ import annotations

import time
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace
from numbers import Integral
from types import MappingProxyType
from typing import Any, Self

import pandas as pd
from sklearn.base import is_classifier, is_outlier_detector
from sklearn.exceptions import NotFittedError
from sklearn.metrics._scorer import _PassthroughScorer
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._warn import hold_warnings, release_warnings, warn_user
from ..exceptions import IntervalWarning, RecordingWarning
from ..intervals import BaseInterval, MeanOverFolds, as_interval
from ..metrics import Metric, as_metric
from ..predictions import OOFPredictions
from ..results import ConfidenceInterval
from ._attributes import ExplainedAttribute
from ._checks import check_scorer_names, position_of, warn_of_positive_label
from ._collecting import NOT_SCORED, checked_predictions, kept_predictions, scorer_failures
from ._facts import FitFacts
from ._metrics import SCORE, metric_names, metrics_of_search, name_of_default_score
from ._recording import Recording, RecordingSearch
from ._stage import IntervalStage
from ._summary import frame_of, summarise

UNSELECTED_NOTE = (
    "No configuration has a score in every fold (with leave-one-out no fold has two classes), so "
    "the search selected the first one, without scores to compare. The interval and the corrected "
    "score are about the configuration with the best score on all held-out predictions together. "
    "Use fewer folds."
)
DYNAMIC_NOTE = (
    "The search chose configurations by looking at the scores of earlier ones; the method "
    "assumes that they are fixed beforehand, so some optimism may remain."
)
SWITCHED_OFF = "ci=[] switched the interval stage off; `interval()` computes one at any time."
CORRECTED = ("bbc", "bbcf")
"""Methods behind the attributes ``bbc_score_`` and ``bbcf_score_``."""


class BBCSearchMixin(RecordingSearch):
    """Makes any scikit-learn search keep its predictions and correct its best score.

    Goes before the search class in the bases: ``class HalvingBBC(BBCSearchMixin,
    HalvingGridSearchCV)``. Attributes and methods are those of `BBCSearchCV`. The
    parameters `ci`, `random_state` and `record` are used when the class has them.

    Notes
    -----
    Searches that choose configurations by looking at the scores of earlier ones are
    flagged: the methods assume configurations that are fixed beforehand. Configurations
    that were evaluated on other splits than the winner's (early rounds of successive
    halving) cannot be compared with it and are left out.
    """

    bbc_score_ = ExplainedAttribute[float]()
    bbcf_score_ = ExplainedAttribute[float]()
    optimism_ = ExplainedAttribute[float]()
    ci_ = ExplainedAttribute[ConfidenceInterval]()
    ci_results_ = ExplainedAttribute[dict[str, dict[str, ConfidenceInterval]]]()

    oof_ = ExplainedAttribute[OOFPredictions]()
    interval_time_: float
    _facts: FitFacts

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Run the search, keep its predictions, and estimate what the winner is worth.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Training data; a square matrix for precomputed kernels and distances.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), default=None
            Target; None for unsupervised learning.
        **params : dict
            Parameters of the estimator's ``fit``, the scorer and the splitter, as for
            `GridSearchCV`. With `groups`, groups are what the bootstrap resamples.

        Returns
        -------
        self : object
            The fitted search.

        Raises
        ------
        ValueError
            If `ci` names an unknown method, or a method has an invalid parameter; before
            the search begins. A method that fails after the search only warns.
        """
        check_scorer_names(self.scoring, type(self).__name__)
        self._validate_params()
        warn_of_positive_label(self.scoring, y)
        for method in self._requested_methods():
            method._validate()
        return super().fit(X, y, **params)

    def interval(
        self,
        method: Any = None,
        scoring: Any = None,
        config: int | Mapping[str, Any] | None = None,
    ) -> ConfidenceInterval:
        """Compute another interval from the predictions that were kept; nothing is refitted.

        Parameters
        ----------
        method : str or interval object, default=None
            For example ``"bbc"`` or ``BBC(confidence_level=0.9, alternative="greater")``.
            None takes the first of `ci`, or `BBC()`. A method without a seed of its own
            takes that of the search, so the same call gives the same result.
        scoring : str, scorer or Metric, default=None
            A metric of the search by its name, any scorer or a scorer's name. None takes
            the metric that selected. For any other metric the interval is for tuning by
            that metric.
        config : int or dict, default=None
            One configuration to look at as if it were the only one, without a correction for
            selection: its position in ``cv_results_["params"]`` or its parameters, as in
            ``best_params_``. None looks at the configuration that tuning selects.

        Returns
        -------
        ConfidenceInterval
            In scorer orientation: greater is better.

        Raises
        ------
        ValueError
            If the method cannot work on these data, or `config` is not one configuration of
            the search; the message says why.
        NotFittedError
            If `fit` has not been called.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from sklearn_bbc import BBCSearchCV
        >>> from sklearn_bbc.intervals import BBC
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> tree = DecisionTreeClassifier(random_state=0)
        >>> grid = {"max_depth": [1, 2, 3]}
        >>> search = BBCSearchCV(tree, grid, scoring="roc_auc", random_state=0).fit(X, y)
        >>> at_least = search.interval(BBC(alternative="greater"), scoring="accuracy")
        >>> bool(0.8 < at_least.low < at_least.estimate), at_least.high
        (True, 1.0)
        """
        check_is_fitted(self, "oof_")
        stage = self._stage()
        if method is None:
            method = next(iter(self._requested_methods()), "bbc")
        if config is not None:
            config = position_of(config, self.cv_results_["params"])
        return stage.estimate(as_interval(method), self._metric(stage, scoring), config)

    def intervals_frame(self) -> pd.DataFrame:
        """Table of all intervals that `fit` computed.

        Returns
        -------
        DataFrame
            One row per metric and method, with the best mean cross-validated score of the
            metric (``best_score``), the estimate, the bounds, the kind of interval, the
            number of draws, and in ``error`` why a method failed.
        """
        check_is_fitted(self, "oof_")
        return frame_of(self.ci_results_, self._stage().best_mean_score)

    def summary(self) -> str:
        """Sentence for the paper.

        Returns
        -------
        str
            Best score, corrected estimate and interval, with the method, the number of
            draws, the seed, the resampled unit and the number of configurations.
        """
        check_is_fitted(self, "oof_")
        stage, result = self._stage(), self.ci_
        return summarise(
            result,
            best_score=stage.best_mean_score(result.metric),
            n_configs=self.oof_.n_configs,
            n_splits=self.oof_.n_splits,
            n_samples=self.oof_.n_samples,
            seed=self._facts.seed,
            params=self.oof_.params,
        )

    # ------------------------------------------------------------------ after the search
    def _finish_fit(self, recording: Recording, X: Any, y: Any) -> None:
        with hold_warnings() as held:
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
        names = ("bbc_score_", "bbcf_score_", "optimism_", "ci_", "ci_results_", "oof_")
        for name in names:
            self._facts.reasons.setdefault(name, why)
        message = f"No interval was computed: {why}. The search itself is complete."
        warn_user(message, RecordingWarning)

    def _run_stage(self, stage: IntervalStage, recording: Recording) -> None:
        """Set `interval_time_` and what the intervals give."""
        methods = self._requested_methods()
        self.interval_time_ = 0.0
        if not methods:
            attributes = ("bbc_score_", "bbcf_score_", "optimism_", "ci_", "ci_results_")
            self._facts.reasons.update(dict.fromkeys(attributes, SWITCHED_OFF))
            return
        if len(recording.rounds) > 1:
            self._facts.notes.append(DYNAMIC_NOTE)
        for note in [*self._facts.notes, *self.oof_._grave_notes()]:
            warn_user(note, IntervalWarning)
        started = time.perf_counter()
        self._compute_intervals(stage, None if getattr(self, "ci", None) is None else methods)
        self.interval_time_ = time.perf_counter() - started

    def _collect_predictions(self, recording: Recording, X: Any, y: Any) -> IntervalStage:
        """Set `oof_` and `_facts`; the stage on which this fit computes its intervals."""
        classifier = is_classifier(self.estimator) or is_outlier_detector(self.estimator)
        classifier = classifier or any(
            cell is not None and cell.classes is not None for cell in recording.cells
        )
        selected: Any = getattr(self, "best_index_", None)
        oof, why = kept_predictions(
            recording, X, y, self.cv_results_, selected=selected, classifier=classifier
        )
        default_score = None
        if isinstance(self.scorer_, _PassthroughScorer):
            default_score = name_of_default_score(oof, oof.fold_scores[SCORE])
        survival = oof.y_true.dtype.names is not None
        self._facts = FitFacts(
            self._draw_seed(), default_score, why_unrecorded=why, survival=survival
        )
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
        stage, by = self._stage(), "the search"
        self._check_predictions(stage, recording)
        if stage.primary is None:
            selected = None
        elif stage.best_by_mean(stage.primary) is None:
            selected = None
            if stage.primary not in stage.failures:
                self._facts.notes.append(UNSELECTED_NOTE)
        elif not stage.is_best(stage.primary, selected):
            selected, by = stage.best_by_mean(stage.primary), MeanOverFolds.by
            assert selected is not None
            self._facts.notes.append(stage.note_of_two_models(selected))
        selected = None if selected is None else int(selected)
        self.oof_ = self.oof_.with_selected(selected, by=by)
        return replace(stage, oof=self.oof_, why_unrecorded=self._facts.why_unrecorded)

    def _check_predictions(self, stage: IntervalStage, recording: Recording) -> None:
        """Compare `oof_` with the scores of the search, and leave out what differs."""
        views = {name: (each, stage._view(each, None)) for name, each in stage.metrics.items()}
        best = {name: stage.best_by_mean(name) for name in views}
        had = bool(self.oof_.responses)
        self.oof_ = checked_predictions(self.oof_, views, best, self.error_score, recording)
        if had and not self.oof_.responses:
            self._facts.why_unrecorded = NOT_SCORED

    def _compute_intervals(self, stage: IntervalStage, methods: list[BaseInterval] | None) -> None:
        """Set `ci_results_` and, where they are defined, `ci_` and the corrected scores."""
        reasons = self._facts.reasons
        results = stage.run(methods)
        scores = {}
        if stage.primary is None:
            why = (
                f"several metrics were scored and none of them selects (refit={self.refit!r}). "
                "The results of each metric are in ci_results_."
            )
            reasons.update(dict.fromkeys(("bbc_score_", "bbcf_score_", "optimism_", "ci_"), why))
        else:
            for name in CORRECTED:
                result = stage.corrected(name, results[stage.primary].values())
                if "error" in result.details:
                    reasons[f"{name}_score_"] = result.details["error"]
                    continue
                scores[name] = result.estimate
                if "best_index" in result.details:
                    self._facts.cautions[f"{name}_score_"] = stage.caution(name, result)
            self.ci_ = next(iter(results[stage.primary].values()))
        # Only now, so that an interrupted stage leaves nothing half done.
        self.ci_results_ = results
        for name, score in scores.items():
            setattr(self, f"{name}_score_", score)
        if "bbc" in scores and hasattr(self, "best_score_"):
            self.optimism_ = float(self.best_score_) - scores["bbc"]
        elif "bbc" in scores:
            reasons["optimism_"] = "best_score_ is not available with a callable refit."
        else:
            reasons.setdefault("optimism_", reasons["bbc_score_"])

    def _stage(self) -> IntervalStage:
        metrics = self._metrics()
        refit_metric = self.refit if self.multimetric_ else SCORE
        primary = metrics[refit_metric].name if isinstance(refit_metric, str) else None
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

    def _draw_seed(self) -> int:
        random_state = getattr(self, "random_state", None)
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

    def _before_reading(self, attribute: str) -> None:
        """Warn, once for each fit, of a corrected score that `best_estimator_` has no part in."""
        caution = self._facts.cautions.get(attribute)
        if caution is not None:
            self._facts.cautions.clear()
            warn_user(caution, IntervalWarning)
