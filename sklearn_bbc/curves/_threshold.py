"""A decision threshold, tuned and corrected for having been tuned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import FixedThresholdClassifier

from .._notes import with_notes
from .._text import (
    MetricWords,
    PrintedScore,
    card,
    is_usual_positive,
    number,
    percent,
    percent_of,
    result_words,
    shown,
    threshold_sentences,
)
from .._utils import explain_arguments, meant_by, suppress_fp_warnings
from ..contest._question import check_oof
from ..intervals._base import MAX_UNDEFINED, metric_on, too_often_undefined
from ..intervals._bbc import BBC, draws_by
from ..predictions._predictions import OOFPredictions
from ..results._results import ConfidenceInterval, printed_with_words
from ..selection._threshold import MeanCost, WithThreshold
from ._base import limits_of, unseen_share

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
    estimator : FixedThresholdClassifier or None
        The best estimator of a search, frozen, with the threshold: ready to predict. As
        scikit-learn compares exactly, its threshold is lower by the rounding. None where there
        are predictions only.

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
    estimator: FixedThresholdClassifier | None = None

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

    def _printed(self) -> tuple[MetricWords, PrintedScore]:
        return printed_with_words(self.ci, [self.apparent_score])

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


@explain_arguments(of_method="tuned_threshold(..., method=BBC({}=...))")
def tuned_threshold(
    oof: OOFPredictions,
    scoring: Any,
    selected_by: Any,
    *,
    thresholds: Any = 500,
    method: BBC | None = None,
) -> ThresholdResult:
    """Tune the threshold of the selected configuration, and correct its score for that.

    The choices of configuration and threshold are repeated in every draw.

    Parameters
    ----------
    oof : OOFPredictions
        Out-of-fold probabilities or decision values of every configuration, of two classes.
    scoring : str, scorer, Metric, array-like of shape (2, 2) or callable
        What the threshold is chosen by, as for `sklearn_bbc.selection.WithThreshold`: a metric of
        labels such as ``"f1"``; a cost matrix, true class by predicted class; a rule such as
        ``SensitivityAt(specificity=0.9)``; or a function ``f(tn, fp, fn, tp)`` of arrays, greater
        is better.
    selected_by : str, scorer or Metric
        The metric that selects the configuration, such as ``"roc_auc"``. It must be given.
    thresholds : int or array-like of float, default=500
        A number: all cut points between distinct scores where there are no more than that, else
        as many quantiles of the scores; always also the threshold of the model itself, all
        samples positive and none. Or the thresholds themselves, and no others.
    method : BBC, default=None
        For another confidence level, side or number of draws, a seed or threads, or a rule
        (`selection`) that selects the configuration in every draw. None is ``BBC()``, which
        selects the best score.

    Returns
    -------
    ThresholdResult
        Threshold, apparent score, and corrected score with its interval.

    Raises
    ------
    ValueError
        If there are not two classes, or no probabilities or decision values.

    See Also
    --------
    sklearn_bbc.selection.WithThreshold : The rule that is repeated in every draw.
    sklearn_bbc.BBCSearchCV : Has it as a method, `threshold`, with a classifier that is ready to
        predict.

    Examples
    --------
    >>> from sklearn_bbc import BBC
    >>> from sklearn_bbc.curves import tuned_threshold
    >>> from sklearn_bbc.testing import example_predictions
    >>> tuned = tuned_threshold(
    ...     example_predictions(), "balanced_accuracy", "roc_auc", method=BBC(random_state=0)
    ... )
    >>> round(tuned.apparent_score, 2), round(tuned.ci.estimate, 2)
    (0.9, 0.82)
    """
    method = draws_by(BBC() if method is None else method, "tuned_threshold", ("below_median",))
    check_oof(oof)
    with meant_by("selected_by", "scoring"):
        metric = metric_on(method, oof, selected_by)
    rule = threshold_rule(scoring, thresholds, method.selection)
    return threshold_in(clone(method).set_params(selection=rule).estimate(oof, metric))


def threshold_rule(scoring: Any, thresholds: Any, configuration: Any) -> WithThreshold:
    """Make the rule that tunes a threshold by a metric, a cost matrix or a function."""
    if isinstance(scoring, (np.ndarray, Sequence)) and not isinstance(scoring, str):
        scoring = MeanCost(scoring)
    return WithThreshold(scoring, thresholds=thresholds, configuration=configuration)


def threshold_in(result: ConfidenceInterval) -> ThresholdResult:
    """Make the result of a threshold out of the interval whose rule chose it."""
    made = ThresholdResult(
        threshold=result.details["threshold"],
        apparent_score=result.details["apparent_score"],
        ci=result,
    )
    return replace(made, ci=with_notes(result, _table_notes(made.table())))


def parts_of_report(result: ThresholdResult) -> dict[str, Any]:
    """Write the texts of a report: summary, sentence on the method, rows of `table`."""
    words, _ = result._printed()
    columns = result.table()[["estimate", "apparent", "low_joint", "high_joint", "undefined"]]
    rows = []
    for measure, *values, undefined in columns.itertuples(name=None):
        estimate, apparent, low, high = shown(*values)
        limits = "none" if np.isnan(values[-1]) else f"{low} to {high}"
        rows.append((measure, apparent, estimate, limits, percent_of(undefined)))
    methods = (
        "The decision threshold was chosen on the out-of-fold predictions; its "
        f"{words.name} and confidence interval were estimated by "
        f"{result_words(result.ci).sentence}, which repeats the choices of configuration "
        "and threshold in every draw."
    )
    level = percent(result.ci.confidence_level)
    notes = [*map(str, result.ci.details.get("notes", ()))]
    return {
        "text": result.summary(), "methods": methods, "rows": rows, "level": level,
        "notes": [note for note in notes if note not in result.summary()],
    }  # fmt: skip
