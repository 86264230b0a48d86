"""Answers about a finished search: baseline, tied configurations, threshold, groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from sklearn import get_config
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier, check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import _num_samples

from .._text import (
    MetricWords,
    PrintedScore,
    capital,
    card,
    count,
    is_usual_positive,
    number,
    percent,
    percent_of,
    result_words,
    shown,
    threshold_sentences,
)
from .._utils import got, same, suppress_fp_warnings, with_groups
from ..comparison._base import Side
from ..comparison._compare import ONLY_SCORES
from ..comparison._tied import tied_with_best
from ..comparison._tied_methods import TiedMethod
from ..curves._base import (
    limits_of,
    of_survival,
    positive_details,
    target_of,
    unseen_share,
    wanted_by,
)
from ..curves._survival import response_with, risks_of_survival, time_named
from ..exceptions import UndefinedIntervalError
from ..intervals._base import FEW_UNITS, MAX_UNDEFINED, too_often_undefined
from ..intervals._bbc import BBC, check_scored, rule_details, scores_of_draws
from ..intervals._notes import FEW_EVENTS, winner_of
from ..intervals._ordered import settled
from ..metrics._base import class_members, needs_spread
from ..metrics._bound import BoundKernel
from ..metrics._metric import Metric
from ..metrics._survival import events_that_count
from ..predictions._predictions import OOFPredictions, ordered_as
from ..predictions._sources import last_step
from ..predictions._validation import aligned
from ..resampling import Units
from ..results._curves import StabilityResult, SubgroupResult
from ..results._results import ConfidenceInterval
from ..results._sets import TiedSet
from ..selection._base import Outcome, as_selection
from ..selection._threshold import MeanCost, WithThreshold
from ._estimate import estimate, requested_methods
from ._finished import FinishedSearch, Question
from ._metrics import equal_value, position_of
from ._resume import WithSplit

BASELINE = (
    "baseline must be the position or the parameters of a configuration, 'default', an estimator "
    "object such as DummyClassifier(), or a fitted search, got {}. Predictions are compared by "
    "sklearn_bbc.compare(search, predictions)."
)
NEEDS_DATA = (
    "{} has to be trained on the splits of the search: pass the data that the search was fitted "
    "on, compare(baseline=..., X=X, y=y)."
)


def baseline_side(
    search: Any,
    baseline: Any,
    own: Side,
    metric: Metric,
    X: Any,
    y: Any,
    params: Mapping[str, Any],
) -> tuple[Side, list[str]]:
    """Make the side of a baseline, and the notes on it.

    `own` is the side of the search; `X`, `y` and `params` of ``fit`` are for what must be trained.
    """
    name, tried = "the default", None
    if isinstance(baseline, str):
        if baseline != "default":
            raise ValueError(BASELINE.format(got(baseline)))
        baseline, tried = search.estimator, _position_of_default(search)
        if tried is not None:
            return Side(oof=own.oof, config=tried, name=name), []
    elif hasattr(baseline, "_comparison_side") and hasattr(baseline, "oof_"):
        side, notes = baseline._comparison_side(metric)
        return Side(oof=side.oof, selection=side.selection, name="the other search"), notes
    elif hasattr(baseline, "cv_results_"):
        side = Side(oof=OOFPredictions.from_search(baseline), name="the other search")
        return side, [ONLY_SCORES.format(type(baseline).__name__)]
    elif isinstance(baseline, (OOFPredictions, Side)):
        return (baseline if isinstance(baseline, Side) else Side(oof=baseline)), []
    elif not isinstance(baseline, type) and isinstance(baseline, (Mapping, Integral)):
        config = position_of(baseline, search.cv_results_["params"], "baseline")
        return Side(oof=own.oof, config=config), []
    elif isinstance(baseline, type) or not hasattr(baseline, "fit"):
        raise ValueError(BASELINE.format(got(baseline)))
    else:
        name = type(last_step(baseline)).__name__
    oof = _trained(search, own.oof, baseline, name, metric, X, y, params)
    return Side(oof=oof, name=name), []


def _position_of_default(search: Any) -> int | None:
    """Find the configuration that has the estimator's own parameters, if there is one."""
    own = search.estimator.get_params()
    for position, params in enumerate(search.cv_results_["params"]):
        if params and all(
            name in own and type(own[name]) is type(value) and equal_value(own[name], value)
            for name, value in params.items()
        ):
            return position
    return None


def _trained(
    search: Any,
    oof: OOFPredictions,
    estimator: Any,
    name: str,
    metric: Metric,
    X: Any,
    y: Any,
    params: Mapping[str, Any],
) -> OOFPredictions:
    """Train an estimator on the splits of the search; return its out-of-fold predictions."""
    supervised = is_classifier(search.estimator) or is_regressor(search.estimator)
    if X is None or (y is None and supervised):
        fit_it = " Or fit it first." if hasattr(estimator, "_run_search") else ""
        raise ValueError(NEEDS_DATA.format(capital(name)) + fit_it)
    given, _, _ = aligned({"X": X, "y": y, **with_groups(params)}, oof.n_samples, oof._orders)
    X, y, params = given["X"], given["y"], {name: given[name] for name in params}
    asked = oof.metadata.keys() & set(metric.requests.values())
    if asked and not get_config()["enable_metadata_routing"]:
        raise ValueError(
            f"{metric.name} asks for {', '.join(map(repr, sorted(asked)))} by set_score_request, "
            "and only metadata routing passes it on: compare inside "
            "sklearn.config_context(enable_metadata_routing=True)."
        )
    params = {name: oof.metadata[name] for name in asked} | params
    splits = recorded_splits(search, X, y, "a baseline")
    try:
        trained = search._cross_validated(clone(estimator), metric.scorer, splits, X, y, params)
    except (TypeError, ValueError) as error:
        if advice := _of_preprocessing(search.estimator, estimator):
            raise ValueError(
                f"{name} cannot be trained on these data as they are: {str(error).rstrip('.')}. "
                f"{advice}"
            ) from error
        raise
    (scores,) = trained.fold_scores.values()
    return trained._with_fields(
        fold_scores=MappingProxyType({metric.name: scores}),
        groups=oof.groups,
        sample_weight=oof.sample_weight,
        metadata=oof.metadata,
        **ordered_as(oof),
    )


def _of_preprocessing(searched: Any, baseline: Any) -> str:
    """Write how to train a bare model behind the preprocessing of a search; empty without any."""
    if not isinstance(searched, Pipeline) or isinstance(baseline, Pipeline):
        return ""
    *before, (step, _) = searched.steps
    if not before:
        return ""
    return (
        "The search prepares them by the steps before the last one of its pipeline. Put the "
        f"baseline behind these: compare(clone(search.estimator).set_params({step}="
        f"{' '.join(repr(baseline).split())}), X, y), with clone from sklearn.base."
    )


def _check_same_target(oof: OOFPredictions, y: Any) -> None:
    if y is None or oof.y_true.dtype.names is not None:
        return
    y = np.asarray(y)
    same_shape = y.size == oof.y_true.size and len(y) == len(oof.y_true)
    if not same_shape or not same(y.reshape(oof.y_true.shape), oof.y_true):
        raise ValueError(
            "X and y must be the data that the search was fitted on: the target values differ."
        )


class RecordedSplits(WithSplit):
    """Splits of a finished search, in place of its splitter, whose routing they keep."""

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits."""
        return len(list(self.split()))


def recorded_splits(search: Any, X: Any, y: Any, what: str) -> RecordedSplits:
    """Return a splitter that gives the splits of a search; `what` needs them."""
    finished, oof = search._finished, search.oof_
    if not oof.n_rows:
        raise ValueError(
            f"The search kept no predictions, so its splits are not known, which {what} needs. "
            "Fit it with record=True."
        )
    if _num_samples(X) != oof.n_samples:
        raise ValueError(
            f"X must be the data that the search was fitted on: it has {_num_samples(X):,} "
            f"samples, and the search had {oof.n_samples:,}."
        )
    if y is None and (is_classifier(search.estimator) or is_regressor(search.estimator)):
        raise ValueError(f"y is missing: {what} needs X and y, as `fit` of the search.")
    _check_same_target(oof, y)
    everything, splits = np.arange(oof.n_samples), []
    for split, train in enumerate(finished.trains):
        test = np.sort(oof.sample[oof.fold == split])
        splits.append((np.setdiff1d(everything, test) if train is None else train, test))
    return RecordedSplits(check_cv(search.cv), lambda *args, **kwargs: iter(splits))


def tied_in_search(
    finished: FinishedSearch, question: Question, method: Any, **options: Any
) -> TiedSet:
    """Find the tied configurations with what the search knows."""
    oof = question.predictions("tied_with_best")
    method = finished.seeded(method) if isinstance(method, TiedMethod) else method
    result = tied_with_best(
        oof,
        question.metric,
        method=method,
        selection=question.selection,
        **finished.offered(**options),
    )
    details = {**result.details, "notes": [*result.details["notes"], *finished.notes]}
    return replace(result, details=details) if finished.notes else result


MEASURES = [
    "sensitivity", "specificity", "positive predictive value", "negative predictive value",
    "positive likelihood ratio", "negative likelihood ratio",
]  # fmt: skip


@suppress_fp_warnings()
def _shares(cells: np.ndarray) -> np.ndarray:
    """Compute the rows of the table, ratios r as r / (1 + r): (..., n_repeats, 4) -> (..., 6)."""
    tn, fp, fn, tp = np.moveaxis(cells, -1, 0)
    rates = np.stack([tp / (tp + fn), tn / (tn + fp), tp / (tp + fp), tn / (tn + fn)], axis=-1)
    rates = rates.mean(axis=-2)
    return np.concatenate([rates, _ratio_shares(rates[..., 0], rates[..., 1])], axis=-1)


@suppress_fp_warnings()
def _ratio_shares(sensitivity: np.ndarray, specificity: np.ndarray) -> np.ndarray:
    """Compute positive and negative likelihood ratio as r / (1 + r): (...) -> (..., 2)."""
    missed, alarms = 1 - sensitivity, 1 - specificity
    shares = [sensitivity / (sensitivity + alarms), missed / (missed + specificity)]
    return np.stack(shares, axis=-1)


def _unseen(unseen: np.ndarray, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find the lowest and highest rows of the table, (6,), with samples that no draw can hold.

    `unseen` (4,) are the shares of each rate that may have gone unseen, `shares` (6,) the rows.
    """
    low, high = np.clip([shares[:4] - unseen, shares[:4] + unseen], 0, 1)
    ends = [
        np.concatenate([rates, _ratio_shares(*pair)])
        for rates, pair in ((low, low[:2]), (high, high[:2]))
    ]
    # A negative ratio is smallest where both rates are largest; 0/0 may be anything.
    ends[0][5], ends[1][5] = ends[1][5], ends[0][5]
    low, high = np.nan_to_num(ends[0], nan=0.0), np.nan_to_num(ends[1], nan=1.0)
    return low, high


def _table_notes(table: pd.DataFrame) -> list[str]:
    """Write which rows of the table some draws lack, and which have no limits for that."""
    notes = []
    for lacking, share in table["undefined"].items():
        if not share:
            continue
        text = f"The {lacking} is 0/0 in {percent_of(share)} of the draws"
        if too_often_undefined(share):
            text += f": in more than {percent(MAX_UNDEFINED)}, so it has no corrected value."
        else:
            text += ", which its corrected value and limits leave out."
        notes.append(text)
    return notes


@dataclass(frozen=True, kw_only=True, eq=False)
class ThresholdResult:
    """A tuned threshold, with its score corrected for having been tuned.

    Parameters
    ----------
    threshold : float
        Chosen on the out-of-fold predictions of the best configuration: a sample whose score
        is at least this, up to rounding, is positive; ``-inf`` for all samples, ``inf`` for none.
    apparent_score : float
        Score of this threshold on the predictions that chose it: too good.
    ci : ConfidenceInterval
        Corrected score and interval; the choices of configuration and threshold were repeated
        in every draw.
    estimator : FixedThresholdClassifier
        The best estimator of the search, frozen, with the threshold: ready to predict. As
        scikit-learn compares exactly, its threshold is lower by the rounding.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from sklearn_bbc import BBCSearchCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> grid = {"max_depth": [1, 2, 3, 4]}
    >>> search = BBCSearchCV(tree, grid, scoring="roc_auc", random_state=0).fit(X, y)
    >>> result = search.threshold("balanced_accuracy")
    >>> bool(result.ci.estimate < result.apparent_score)
    True
    >>> result.estimator.predict(X[:3])
    array([1, 0, 0])
    """

    threshold: float
    apparent_score: float
    ci: ConfidenceInterval
    estimator: FixedThresholdClassifier

    @property
    def luck(self) -> float:
        """Luck in the apparent score: its difference from the corrected one."""
        return self.apparent_score - self.ci.estimate

    def summary(self) -> str:
        """Describe the threshold and what it seems to be worth.

        Where a rate was demanded, as by `SensitivityAt`, also note whether it is reached.

        Returns
        -------
        str
            With the name and the sign of the metric that people print.
        """
        words, printed = self._printed()
        if self._has_luck():
            said = f"{self._luck_text()} of the apparent score was luck."
        else:
            said = "The apparent score was not too good: there was no luck to take off."
        positive = self.ci.details.get("positive_class")
        if positive is not None and not is_usual_positive(positive):
            said += f" The positive class is {positive!r}."
        return (
            f"{self._where()} the {words.name} is {printed.others[0]} on the predictions that "
            "were used to choose the threshold. Corrected for this choice, which every draw "
            f"repeats, it is {printed.estimate} ({printed.interval()}). "
            + " ".join([said, *threshold_sentences(self.ci.details)])
        )

    def table(self) -> pd.DataFrame:
        """Return sensitivity, specificity, predictive values and likelihood ratios, corrected.

        Returns
        -------
        DataFrame of shape (6, 7)
            Measures by ``apparent`` (of the threshold on the predictions that chose it),
            ``estimate``, ``low``, ``high`` (limits of each measure by itself), ``low_joint`` and
            ``high_joint`` (of all measures at once), and ``undefined``: the share of draws in
            which the measure is 0/0, as the positive predictive value is where nobody is called
            positive. The other columns leave these out, and the corrected ones are NaN where it
            is above 0.1.

        Notes
        -----
        In every draw configuration and threshold are chosen again, and their confusion matrix is
        that of the samples left out. Estimates are means over the draws; limits
        are two-sided and have the level of `ci`. Joint limits are as in
        `sklearn_bbc.curves.corrected_curve`, and reach at least as far as the exact binomial limit
        of what none of the n samples behind a rate showed; where all draws agree, so do the
        others. The likelihood ratios are sensitivity /
        (1 - specificity) and (1 - sensitivity) / specificity of the estimates; as they can be
        infinite in a draw, their limits are found for the odds' shares r / (1 + r). With repeated
        cross-validation all are means over the repeats.

        Predictive values belong to the share of positives in these data. Elsewhere they are
        others, likelihood ratios are not.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from sklearn_bbc import BBCSearchCV
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> tree = DecisionTreeClassifier(random_state=0)
        >>> grid = {"max_depth": [1, 2, 3, 4]}
        >>> search = BBCSearchCV(tree, grid, scoring="roc_auc", random_state=0).fit(X, y)
        >>> table = search.threshold("balanced_accuracy", thresholds=[0.5]).table()
        >>> table.loc[["sensitivity", "specificity"], ["estimate", "low", "high"]].round(2)
                     estimate   low  high
        measure
        sensitivity      0.95  0.92  0.98
        specificity      0.89  0.84  0.95
        """
        apparent, draws = (_shares(self.ci.details[name]) for name in ("cells", "cells_left_out"))
        level = self.ci.confidence_level
        unseen = np.array([unseen_share(n, level) for n in self._behind()])
        if np.isinf(self.threshold) and np.isin(draws[:, :2], (0, 1)).all():
            unseen[:2] = 0  # whoever comes is called the same
        columns = limits_of(draws, level, (0.0, 1.0), partial(_unseen, unseen))
        columns["estimate"][4:] = _ratio_shares(*columns["estimate"][:2])
        columns = {"apparent": apparent, **columns}
        for values in columns.values():
            with np.errstate(divide="ignore"):
                values[4:] /= 1 - values[4:]
        columns["undefined"] = np.isnan(draws).mean(axis=0)
        return pd.DataFrame(columns, index=pd.Index(MEASURES, name="measure"))

    def _behind(self) -> list[int]:
        """Count the units behind each of the four rates, at the threshold on all samples."""
        negatives, positives = self.ci.details["class_sizes"].values()
        negative, positive = self.ci.details["n_called"]
        return [positives, negatives, positive, negative]

    def _parts(self) -> dict[str, Any]:
        """Write the texts of a report: summary, sentence on the method, rows of `table`."""
        words, _ = self._printed()
        columns = self.table()[["estimate", "apparent", "low_joint", "high_joint", "undefined"]]
        rows = []
        for measure, *values, undefined in columns.itertuples(name=None):
            estimate, apparent, low, high = shown(*values)
            limits = "none" if np.isnan(values[-1]) else f"{low} to {high}"
            rows.append((measure, apparent, estimate, limits, percent_of(undefined)))
        methods = (
            "The decision threshold was chosen on the out-of-fold predictions; its "
            f"{words.name} and confidence interval were estimated by "
            f"{result_words(self.ci).sentence}, which repeats the choices of configuration "
            "and threshold in every draw."
        )
        level = percent(self.ci.confidence_level)
        notes = [*map(str, self.ci.details.get("notes", ()))]
        return {
            "text": self.summary(), "methods": methods, "rows": rows, "level": level,
            "notes": [note for note in notes if note not in self.summary()],
        }  # fmt: skip

    def _printed(self) -> tuple[MetricWords, PrintedScore]:
        return self.ci._printed([self.apparent_score])

    def _where(self) -> str:
        """Name the threshold, or what it does where it is infinite."""
        if np.isinf(self.threshold):
            return f"With {'all samples' if self.threshold < 0 else 'no sample'} called positive"
        kind = " (a decision value, not a probability)" * self._of_decision_values()
        return f"At the threshold {number(self.threshold)}{kind}"

    def _of_decision_values(self) -> bool:
        return bool(self.ci.details.get("threshold_of") == "decision value")

    def _has_luck(self) -> bool:
        """Check whether there is luck that can be seen in the decimals of the estimate."""
        return self.luck > 0 and bool(self._luck_text().strip("0.,"))

    def _luck_text(self) -> str:
        """Write the luck with the decimals of the estimate."""
        return shown(self.ci.estimate, self.luck)[1]

    def _repr_html_(self) -> str:
        """Write a card for notebooks."""
        words, printed = self._printed()
        if "threshold_range" in self.ci.details:
            low, high = self.ci.details["threshold_range"]
            _, *ends = shown(self.threshold, low, high)
            spread = [("in the draws", f"{ends[0]} to {ends[1]} (5% to 95%)")]
        else:
            spread = []
        rows = [
            *spread,
            (f"corrected {words.name}", f"{printed.estimate}, {printed.interval()}"),
            (f"apparent {words.name}", f"{printed.others[0]}, on the data that chose it"),
            ("luck", self._luck_text() if self._has_luck() else "none to take off"),
            ("method", result_words(self.ci).short),
        ]
        notes = map(str, self.ci.details.get("notes", ()))
        kind = "the decision value " * self._of_decision_values()
        title = f"positive from {kind}{number(self.threshold)} on"
        if np.isinf(self.threshold):
            title = f"{'all samples' if self.threshold < 0 else 'no sample'} positive"
        return card("Tuned threshold", title, rows, notes)

    __str__ = summary


def tuned_threshold(
    search: Any, finished: FinishedSearch, scoring: Any, thresholds: Any, method: Any
) -> ThresholdResult:
    """Tune the threshold of a finished search."""
    if not hasattr(search, "best_estimator_"):
        raise ValueError(
            f"threshold needs the best estimator, which refit={search.refit!r} did not fit. Use "
            "refit=True, with several metrics the name of one of them."
        )
    if method is None:
        method = BBC()
    if not isinstance(method, BBC) or method.selection is not None:
        raise ValueError(
            f"method must be a BBC object without a selection of its own, or None, got {method!r}."
        )
    method = BBC(**method.get_params(deep=False))  # the user's object is not touched
    # Without a metric that selects, a rule does, which has its own.
    metric, rule = finished.metrics[finished.primary or next(iter(finished.metrics))], None
    if finished.rule is not None:
        if finished.rule.why_not:
            raise ValueError(
                "threshold repeats the choice of the configuration in every draw, but the rule "
                f"of `refit` cannot be repeated: {finished.rule.why_not}."
            )
        rule = finished.rule.selection
    elif not finished.is_best(metric.name, int(search.best_index_)):
        raise ValueError(
            f"Configuration {search.best_index_}, which the search selected, does not have the "
            "best mean score of those that were scored in every fold, so there is no corrected "
            "score for its threshold."
        )
    if isinstance(scoring, (np.ndarray, Sequence)) and not isinstance(scoring, str):
        scoring = MeanCost(scoring)
    chosen = WithThreshold(scoring, thresholds=thresholds, configuration=rule)
    result = estimate(finished, finished.ask(metric), method.set_params(selection=chosen))
    details = result.details
    config = int(details["winner"])
    if config != int(search.best_index_):
        raise ValueError(
            f"The best estimator is configuration {search.best_index_}, but only configuration "
            f"{config} has complete scores for a threshold."
        )
    responses = finished.oof.responses
    complete = [
        name
        for name in ("predict_proba", "decision_function")
        if name in responses and np.isfinite(np.asarray(responses[name][config], float)).all()
    ]
    label = details["pos_label"]
    made = ThresholdResult(
        threshold=details["threshold"],
        apparent_score=details["apparent_score"],
        ci=result,
        estimator=FixedThresholdClassifier(
            FrozenEstimator(search.best_estimator_),
            threshold=details["lowest_positive"],  # its comparison is exact
            # As scikit-learn's parameter checks know labels.
            pos_label=label.item() if isinstance(label, np.generic) else label,
            response_method=complete[0] if complete else "auto",
        ),
    )
    notes = [*details["notes"], *_table_notes(made.table())]
    return replace(made, ci=replace(result, details={**details, "notes": notes}))


EDGE = 0.025
"""Share of the draws beyond each of the limits of a prediction."""
ROUNDING = 1e-9


def time_compared(oof: OOFPredictions, time: Any) -> float | None:
    """Return the time by which risks are compared, of survival times; else None."""
    if of_survival(oof):
        return time_named(time, oof, "prediction_stability", "prediction_stability(time={})")
    if time is not None:
        raise ValueError(
            f"time is for survival times, event and time as the target, got time={got(time)}."
        )
    return None


def responses_compared(oof: OOFPredictions, time: float | None) -> tuple[str, ...]:
    """List the response methods whose predictions are compared, preferred first."""
    if time is not None:
        return (response_with(oof, np.array([time])),)
    return wanted_by("values" if oof.classes_ is None else "risks", oof)


def _compared(
    oof: OOFPredictions, pos_label: Any, time: float | None
) -> tuple[np.ndarray, str, Any]:
    """Read the predictions (n_configs, n_rows), what they are, and the positive class."""
    what = "prediction_stability"
    if time is None:
        needs, label = ("values", "value") if oof.classes_ is None else ("risks", "risk")
        _, predictions, positive = target_of(oof, needs, what, pos_label)
        return predictions, label, positive
    if pos_label is not None:
        raise ValueError(f"Survival times have no positive class, got pos_label={pos_label!r}.")
    risks = risks_of_survival(oof, np.array([time]), what)[..., 0]
    return risks, f"risk at {time:g}", None


def stability_of(
    finished: FinishedSearch,
    question: Question,
    method: BBC,
    pos_label: Any = None,
    time: float | None = None,
) -> StabilityResult:
    """Compare each sample's prediction by the winner with those by the winners of the draws."""
    oof = question.predictions("prediction_stability")
    predictions, label, positive = _compared(oof, pos_label, time)
    details = dict(estimate(finished, question, method).details)
    configs, shares = np.array(list(details["won"])), np.array(list(details["won"].values()))
    shares = shares / shares.sum()
    tested = np.flatnonzero(oof.tested)
    times = np.bincount(oof.sample, minlength=oof.n_samples)[tested]

    def of_samples(config: int) -> np.ndarray:
        """Average predictions over the times that a sample was held out, (n_tested,)."""
        total = np.bincount(oof.sample, predictions[config], minlength=oof.n_samples)
        return total[tested] / times

    own = of_samples(details["winner"])
    if np.isnan(own).all():
        raise UndefinedIntervalError(
            f"prediction_stability needs a {label} of each sample, which configuration "
            f"{details['winner']}, which is selected, did not predict."
            + " A CalibratedClassifierCV around it has predict_proba."
            * (time is None)
        )
    others = np.stack([of_samples(config) for config in configs])  # (n_won, n_tested)
    missing = np.isnan(others) | np.isnan(own)
    undefined = shares @ missing  # (n_tested,)
    there = ~too_often_undefined(undefined)
    n_undefined = round(method.n_bootstraps * float(shares[missing.any(axis=1)].sum()))
    if not there.any():
        raise UndefinedIntervalError(
            f"prediction_stability is undefined in {n_undefined} of {method.n_bootstraps} draws, "
            f"in which configurations win that predict no {label}."
        )
    # Each sample has the shares of the configurations that predict it.
    of_each = np.where(missing, 0.0, shares[:, None]) / np.where(there, 1 - undefined, np.nan)
    difference = np.where(missing, 0.0, of_each * np.abs(others - own)).sum(axis=0)
    order = np.argsort(others, axis=0)
    below = np.cumsum(np.take_along_axis(of_each, order, axis=0), axis=0)
    ranked = np.take_along_axis(others, order, axis=0)
    low, high = (
        np.take_along_axis(ranked, (below < share - ROUNDING).sum(axis=0)[None], axis=0)[0]
        for share in (EDGE, 1 - EDGE)
    )
    difference[~there] = low[~there] = high[~there] = np.nan
    if n_undefined:
        details["n_undefined"] = n_undefined
        details["notes"] = [*details["notes"], _note_on_stability(n_undefined, method, there)]
    weights = np.ones(oof.n_samples) if oof.sample_weight is None else oof.sample_weight
    kept = (
        "winner", "winner_share", "won", "n_undefined", "seed", "notes", "unit", "block_length",
        "n_blocks", "block_kind",
    )  # fmt: skip
    return StabilityResult(
        sample=tested,
        predicted=own,
        difference=difference,
        low=low,
        high=high,
        mean_difference=float(np.average(difference[there], weights=weights[tested][there])),
        label=label,
        metric=details.get("selected_by", question.metric.name),
        n_bootstraps=method.n_bootstraps,
        details={name: details[name] for name in kept if name in details}
        | positive_details(oof, positive),
    )


def _note_on_stability(n_undefined: int, method: BBC, there: np.ndarray) -> str:
    """Compose the note on draws whose winner lacks predictions; `there` (n_tested,)."""
    left = int((~there).sum())
    return (
        f"In {n_undefined} of {method.n_bootstraps} draws a configuration is selected that did "
        "not predict every sample; there the other draws count."
        + f" {count(left, 'sample')} without a prediction in more than {percent(MAX_UNDEFINED)} "
        "of the draws have no limits." * bool(left)
    )


FEWEST = 3
"""Fewer samples, of each class that a metric needs, are no group that can be scored."""
MOST_NUMBERS = 20
"""More different numbers are a measurement and no groups."""
NOT_VALUES = (
    "by must have one value per sample, in the order of X, such as df['sex'], or be a DataFrame "
    "with a column for each variable, got {}."
)


def subgroup_scores(oof: OOFPredictions, metric: Metric, by: Any, method: BBC) -> SubgroupResult:
    """Score what is selected in every draw on the samples left out, in each group and its rest."""
    method._check_given(oof, metric)
    groups, masks, notes = _groups_of(by, oof)
    kernel = method._bound(oof, metric)
    oof = settled(oof, kernel)
    rule = as_selection(method.selection).bind(oof, kernel)
    winner = winner_of(oof, rule)
    check_scored(oof, kernel, winner)
    if winner < 0:
        winner = int(rule.on_all()["config"][0])
    units, own, rest = Units.of(oof), slice(1, len(groups) + 1), slice(len(groups) + 1, None)
    members, names, n_needed = _classes_of(oof, kernel)
    sizes = np.stack([units.indicator(mask & members).sum(axis=0) for mask in masks])
    fewest = sizes[:, :n_needed].min(axis=1)
    small = fewest < FEWEST
    if needs_spread(kernel.metric):
        small |= np.array([len(np.unique(oof.y_true[mask])) < 2 for mask in masks])
    small[0] = False  # for all samples draws are as those of `BBC`
    parts = masks[:, None] & members[:n_needed]
    indicator = parts.reshape(-1, oof.n_samples).T.astype(np.float32)

    def of_winners(outcome: Outcome, left_out: np.ndarray) -> np.ndarray:
        """Score winners on everything, in groups and in rests, (n_draws, 1 + 2 * n_groups)."""
        scores = [rule.score(outcome, left_out & mask) for mask in masks]
        # Whole numbers, so exact: how many samples of each class a group has left out.
        held = (left_out.astype(np.float32) @ indicator).reshape(len(left_out), len(masks), -1)
        lacks = (held == 0).any(axis=2) | small
        lacks[:, 0] = False
        return np.where(lacks, np.nan, np.stack(scores, axis=1))

    with suppress_fp_warnings():
        apparent = kernel.score_of(masks.astype(np.uint8), np.full(len(masks), winner))
        apparent[small] = np.nan
        draws = method._draws(oof, kernel, rule.selecting)
        values, outcome = scores_of_draws(rule, draws, of_winners)
    n_undefined = method._count_undefined(values[:, 0], metric)
    lacking = np.isnan(values).mean(axis=0)
    details = {"n_undefined": n_undefined, **rule_details(oof, kernel, rule, outcome)}
    details["notes"] += notes
    details["notes"] += _notes_on_sizes(groups, sizes, small, lacking, n_needed, names, units.kind)
    details |= method._draw_details(oof, kernel, draws, details["notes"], rule.selecting)
    positive = metric.positive_class(oof)
    details |= {"seed": draws.entropy, "winner": winner, "sign": metric.sign}
    few = fewest < FEW_UNITS
    found = events_that_count(kernel.metric, oof)
    if found is not None:
        n_events = (masks & found[0]).sum(axis=1)
        few |= n_events < FEW_EVENTS
        details["notes"] += _notes_on_events(groups, n_events, small, found[1])
    details["few"] = few[own] | few[rest]
    details |= {} if positive is None else {"positive_class": positive}
    low, high = metric.bounds
    level = method.confidence_level
    return SubgroupResult(
        groups=tuple(groups),
        sizes=masks[own].sum(axis=1),
        scores={"apparent": apparent[own], **limits_of(values[:, own], level, (low, high))},
        differences={
            "apparent": apparent[own] - apparent[rest],
            **limits_of(values[:, own] - values[:, rest], level, (low - high, high - low)),
        },
        undefined=lacking[own],
        overall=float(np.nanmean(values[:, 0])),
        metric=metric.name,
        confidence_level=level,
        n_bootstraps=method.n_bootstraps,
        details=details,
    )


def _notes_on_events(
    groups: list[tuple[str, Any]], n_events: np.ndarray, small: np.ndarray, until: str
) -> list[str]:
    """Name the groups with few events that a survival metric can use.

    `n_events`, `small` (1 + 2 * n_groups,).
    """
    return [
        f"{' '.join(map(str, group))} has {count(int(n), 'event')}{until}: its score says little "
        f"about events, and its limits can be much too narrow; {FEW_EVENTS} or more are better."
        for group, n, no_score in zip(groups, n_events[1:], small[1:])
        if n < FEW_EVENTS and not no_score
    ]


def with_joint_limits(frame: pd.DataFrame, search: Any, finished: FinishedSearch) -> pd.DataFrame:
    """Add limits for all metrics at once, from draws that they share, to the rows of BBC."""
    methods = [each for each in requested_methods(search) if each.name == "bbc"]
    results = {
        name: by_method["bbc"]
        for name, by_method in search.ci_results_.items()
        if "bbc" in by_method and "error" not in by_method["bbc"].details
    }
    plain = {"selection": None, "alternative": "two-sided"}
    if not (results and methods and plain.items() <= methods[0].get_params().items()):
        raise ValueError(
            "joint=True needs a two-sided interval of BBC, without a rule of its own, for some "
            "metric of the search. Fit it with ci='bbc' among its methods."
        )
    method = finished.seeded(methods[0])
    rules = []
    for name in results:
        question = finished.ask(name)
        oof = question.predictions("intervals_frame(joint=True)")
        rule = as_selection(question.selection)
        rules.append(rule.bind(oof, method._bound(oof, question.metric)))

    def scores(counts: np.ndarray) -> np.ndarray:
        found, outcome, left_out = [], None, counts == 0
        for rule in rules:
            if outcome is None or finished.selects_nothing:  # else each would choose the same
                outcome = rule.choose(counts)
            found.append(rule.score(outcome, left_out))
        return np.stack(found, axis=1)

    kernels = [rules[0].selecting, *(rule.kernel for rule in rules)]
    with suppress_fp_warnings():
        values = method._draws(oof, rules[0].kernel, *kernels).map(scores)
    limits = limits_of(values, method.confidence_level, (-np.inf, np.inf))
    low, high = np.full((2, len(frame)), np.nan)
    for k, name in enumerate(results):
        rows = (frame["metric"] == name) & (frame["method"] == "bbc")
        ends = np.clip(
            (limits["low_joint"][k], limits["high_joint"][k]), *finished.metrics[name].bounds
        )
        low[rows] = min(ends[0], results[name].low)
        high[rows] = max(ends[1], results[name].high)
    return frame.assign(low_joint=low, high_joint=high)


def _groups_of(
    by: Any, oof: OOFPredictions
) -> tuple[list[tuple[str, Any]], np.ndarray, list[str]]:
    """Find variable and value of each group, masks of everything, groups and rests, and notes.

    Masks have shape (1 + 2 * n_groups, n_samples).
    """
    by, notes = _by_in_order(by, oof)
    columns = _columns_of(by)
    groups, own, rests = [], [], []
    for variable, values in columns.items():
        found = _categories(values, variable)
        levels, codes = found.categories, np.asarray(found.codes)
        is_date = pd.api.types.is_datetime64_any_dtype(levels)
        if (is_date or pd.api.types.is_numeric_dtype(levels)) and len(levels) > MOST_NUMBERS:
            raise ValueError(
                f"by has {len(levels):,} different {'dates' if is_date else 'numbers'} as "
                f"{variable}, which are no groups. "
                "Cut them into ranges, for example pd.cut(age, [0, 40, 65, 120]) or "
                "pd.qcut(age, 3)."
            )
        if len(np.unique(codes[oof.tested & (codes >= 0)])) < 2:
            raise ValueError(
                f"by has fewer than 2 different values as {variable}, so there are no groups to "
                "compare."
            )
        if np.bincount(codes[codes >= 0]).max() < FEWEST:
            raise ValueError(
                f"by has {len(levels):,} different values as {variable}, none of them for "
                f"{FEWEST} samples or more: these name samples and no groups."
            )
        known = oof.tested & (codes >= 0)
        n_missing = int((oof.tested & (codes < 0)).sum())
        if n_missing:
            notes.append(
                f"{count(n_missing, 'sample')} without a value of {variable}: in no group, and in "
                "no rest that a group is compared with."
            )
        for k, level in enumerate(levels.tolist()):
            groups.append((variable, level))
            own.append(codes == k)
            rests.append(known & (codes != k))
    return groups, np.stack([oof.tested, *own, *rests]) & oof.tested, notes


def _by_in_order(by: Any, oof: OOFPredictions) -> tuple[Any, list[str]]:
    """Bring `by` into the order of the samples, and check its size; return notes, too."""
    is_table = hasattr(by, "columns") and hasattr(by, "__len__")  # of pandas, polars and others
    if not is_table and (isinstance(by, (str, bytes, Mapping)) or _n_axes(by) != 1):
        raise ValueError(NOT_VALUES.format(got(by)))
    if len(by) != oof.n_samples:
        raise ValueError(
            f"by has {len(by):,} values, but the search was fitted on {oof.n_samples:,} samples: "
            "give one value per sample, in the order of X."
        )
    given, notes, _ = aligned({"by": by}, oof.n_samples, oof._orders)
    return given["by"], notes


def _n_axes(values: Any) -> int:
    """Count the axes; lists of different lengths have none that could be counted."""
    try:
        return np.ndim(values)
    except ValueError:
        return 0


def _columns_of(by: Any) -> dict[str, Any]:
    """Find the values of each variable by its name."""
    if not hasattr(by, "columns"):
        name = getattr(by, "name", None)
        return {"group" if name is None else str(name): by}
    if isinstance(by, pd.DataFrame):
        named = [(name, by.iloc[:, k]) for k, name in enumerate(by.columns)]
    else:
        named = [(name, list(by[name])) for name in by.columns]
    columns = {str(name): values for name, values in named}
    if not columns:
        raise ValueError(NOT_VALUES.format("one without columns"))
    if len(columns) < len(named):
        names = [str(name) for name, _ in named]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(
            f"by has {names.count(twice)} columns of the name {twice!r}. Give each variable a "
            "name of its own, for example with by.set_axis([...], axis=1)."
        )
    return columns


def _categories(values: Any, variable: str) -> pd.Categorical:
    """Find the different values of a variable, and which of them each sample has."""
    if isinstance(values, np.ma.MaskedArray):
        mask, values = np.ma.getmaskarray(values), values.data.astype(object)
        values[mask] = None
    try:
        return pd.Categorical(values)
    except (TypeError, ValueError) as error:  # lists, for example, cannot be compared
        raise ValueError(
            f"by must hold labels such as text or numbers as {variable}, got {got(values)} "
            f"({error})."
        ) from error


def _classes_of(oof: OOFPredictions, kernel: BoundKernel) -> tuple[np.ndarray, list[str], int]:
    """Mark sets of samples, those needed in each group first; return names and number needed."""
    found = class_members(kernel.metric, oof)
    pairs = [] if found is None else list(zip(*found))
    if kernel.strata is not None:
        pairs += zip(kernel.strata, kernel.strata_names)
    pairs = pairs or [(oof.tested, "")]
    n_needed = len(pairs)
    if oof.classes_ is not None and oof.y_true.ndim == 1:
        pairs += [(oof.y_true == label, f"class {label}") for label in oof.classes_.tolist()]
    members, names = zip(*pairs)
    return np.stack(members) & oof.tested, list(names), n_needed


def _notes_on_sizes(
    groups: list[tuple[str, Any]],
    sizes: np.ndarray,
    small: np.ndarray,
    lacking: np.ndarray,
    n_needed: int,
    names: list[str],
    unit: str,
) -> list[str]:
    """Name the groups without a score or a difference, with few samples, and without a class.

    `sizes` (1 + 2 * n_groups, n_classes), `small` and the share of draws without a score
    `lacking` (1 + 2 * n_groups,).
    """
    notes, often = [], too_often_undefined(lacking)
    for k, group in enumerate(groups, start=1):
        name, rarest = " ".join(map(str, group)), int(sizes[k, :n_needed].argmin())
        held = count(int(sizes[k, rarest]), unit) + f" of {names[rarest]}" * bool(names[rarest])
        if small[k]:
            notes.append(
                f"{name} has {held}, and no score: at least {FEWEST} are needed, with different "
                "targets."
            )
            continue
        if often[k]:
            notes.append(
                f"{name} has {held}, and a score in only {1 - lacking[k]:.1%} of the draws: below "
                f"{percent(1 - MAX_UNDEFINED)} there are no estimate and no limits."
            )
        elif sizes[k, rarest] < FEW_UNITS:
            notes.append(
                f"{name} has {held}: errors that did not occur among so few are in no draw, so "
                f"its limits can be much too narrow; {FEW_UNITS} or more are better."
            )
        if often[k + len(groups)]:
            notes.append(f"{name} has no difference: the other samples are too few.")
        notes += [
            f"{name} has no {unit} of {names[other]}, so its score is not about that class."
            for other in np.flatnonzero(sizes[k] == 0)
        ]
    return notes
