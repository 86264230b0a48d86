"""A curve of the selected configuration, corrected for the selection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from .._text import count, digits, drawn_units, is_usual_positive, metric_words, percent, shown
from .._utils import did_you_mean, got
from ._planning import SampleSizeResult
from ._results import ConfidenceInterval, Result, floats, indices, read_only

NOUNS = {
    "roc": "ROC curve",
    "precision_recall": "precision-recall curve",
    "calibration": "calibration curve",
    "net_benefit": "decision curve",
    "regression_calibration": "calibration curve",
    "survival_calibration": "calibration curve",
    "survival_net_benefit": "decision curve",
    "brier_over_time": "Brier score over time",
    "auc_over_time": "AUC over time",
}
MOST_POINTS_NAMED = 6
"""Up to so many points are all named in a sentence."""
LIMITS = ("apparent", "estimate", "low", "high", "low_joint", "high_joint")
GRID_ROUNDING = 1e-9
"""Up to this, a limit is zero and points of a grid (as a share of it) are equally near."""


def _arrays(values: Mapping[str, Any]) -> Mapping[str, np.ndarray]:
    return read_only({name: floats(array) for name, array in values.items()})


def _positive_text(details: Mapping[str, Any]) -> str:
    """Name the positive class, and the others if several, unless it is the usual one."""
    label, classes = details.get("positive_class"), details.get("classes", ())
    if label is None or is_usual_positive(label, classes):
        return ""
    others = f", against the other {len(classes) - 1} classes" if len(classes) > 2 else ""
    return f" The positive class is {label!r}{others}."


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CurveResult(Result):
    """A curve of the selected configuration, as it looks and corrected for the selection.

    Parameters
    ----------
    curve : str
        Name of the curve, for example ``"roc"``.
    x_label, y_label : str
        Labels of the axes.
    grid : ndarray of shape (n_points,)
        Points at which the curve is read.
    apparent : ndarray of shape (n_points,)
        Curve of the selected configuration's out-of-fold predictions, not corrected.
    estimate : ndarray of shape (n_points,)
        Corrected curve: mean over the draws of the winner's curve on the samples left out.
    low, high : ndarray of shape (n_points,)
        Limits at each point by itself.
    low_joint, high_joint : ndarray of shape (n_points,)
        Limits for the whole curve at once.
    predicted : ndarray of shape (n_rows,) or (n_rows, n_points)
        Predictions of the selected configuration, out-of-fold; of "brier_over_time" the
        probabilities of the event by each time.
    metric : str
        Name of the metric that selects.
    confidence_level : float
        Promised share of data sets in which the limits hold the true value.
    n_bootstraps : int
        Number of draws.
    references : mapping of str to ndarray of shape (n_points,), default={}
        Curves of no skill, such as ``"treat all"``.
    differences : mapping of str to ndarray of shape (n_points, 6), default={}
        Difference of the curve to some of the references, computed in every draw, with the columns
        ``apparent``, ``estimate``, ``low``, ``high``, ``low_joint``, ``high_joint``.
    details : mapping, default={}
        By-products: ``winner``, ``winner_share``, ``positive_class``, ``classes``, ``time`` (that
        a curve of survival is about), ``n_undefined`` (draws without a value at some point),
        ``undefined`` (share of the draws without one, at each point), ``seed``, ``unit``,
        ``notes``, ...

    Notes
    -----
    Two results are equal when all their fields hold the same, with NaN equal to NaN. They can be
    hashed and pickled.

    Examples
    --------
    >>> from sklearn_bbc.curves import corrected_curve
    >>> from sklearn_bbc.intervals import BBC
    >>> from sklearn_bbc.testing import example_predictions
    >>> result = corrected_curve(
    ...     example_predictions(), "roc_auc", grid=[0.2, 0.5], method=BBC(random_state=0)
    ... )
    >>> bool((result.low_joint <= result.low).all())
    True
    """

    curve: str
    x_label: str
    y_label: str
    grid: np.ndarray
    apparent: np.ndarray
    estimate: np.ndarray
    low: np.ndarray
    high: np.ndarray
    low_joint: np.ndarray
    high_joint: np.ndarray
    predicted: np.ndarray
    metric: str
    confidence_level: float
    n_bootstraps: int
    references: Mapping[str, np.ndarray] = field(default_factory=dict)
    differences: Mapping[str, np.ndarray] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)

    _drawn_by = "CurveDisplay.from_results({})"
    _types = {
        **dict.fromkeys(("grid", *LIMITS, "predicted"), floats),
        "confidence_level": float,
        "references": _arrays,
        "differences": _arrays,
        "details": read_only,
    }

    @property
    def noun(self) -> str:
        """Common name of the curve."""
        if self.curve not in NOUNS:
            return f"{self.y_label} by {self.x_label}"
        at = f" at {self.details['time']:g}" if "time" in self.details else ""
        return NOUNS[self.curve] + at

    def frame(self, difference_to: str | None = None) -> pd.DataFrame:
        """Return the curve as a table.

        Parameters
        ----------
        difference_to : str, default=None
            One of `differences`, such as ``"treat all"``: by how much the curve is above it. None
            is the curve itself.

        Returns
        -------
        DataFrame
            Indexed by the grid: ``apparent``, ``estimate``, ``low``, ``high``, ``low_joint``,
            ``high_joint`` and, of the curve itself, a column for each curve of no skill.

        Raises
        ------
        ValueError
            If there is no such difference.
        """
        # 0.1 can be found, however the points were computed.
        index = pd.Index([float(f"{point:.12g}") for point in self.grid], name=self.x_label)
        if difference_to is not None:
            return pd.DataFrame(self._difference(difference_to), index=index, columns=list(LIMITS))
        columns = {name: getattr(self, name) for name in LIMITS} | dict(self.references)
        return pd.DataFrame({name: np.array(each) for name, each in columns.items()}, index=index)

    def _difference(self, name: Any) -> np.ndarray:
        """Return the columns of a difference (n_points, 6); raise where there is none."""
        if not isinstance(name, str) or name not in self.differences:
            known = (
                ", ".join(map(repr, self.differences)) or "none: only decision curves have some"
            )
            raise ValueError(
                f"difference_to must be one of the differences of this curve, {known}; got "
                f"{got(name)}.{did_you_mean(name, self.differences)}"
            )
        return self.differences[name]

    def _points(self) -> np.ndarray:
        """Choose the points that a sentence names, as indices: few of them all, else quarters.

        Of two points that are equally near, up to rounding, the first.
        """
        if len(self.grid) <= MOST_POINTS_NAMED:
            return np.arange(len(self.grid))
        first, last = self.grid[0], self.grid[-1]
        whole = last - first > 0.9 + GRID_ROUNDING and first >= 0 and last <= 1 + GRID_ROUNDING
        low, high = (0.0, 1.0) if whole else (first, last)
        wanted = low + (high - low) * np.array([0.25, 0.5, 0.75])
        distance = np.abs(self.grid[:, None] - wanted)
        nearest = distance.min(axis=0) + GRID_ROUNDING * (high - low)
        return np.asarray((distance <= nearest).argmax(axis=0))

    def _numbers(self, columns: np.ndarray) -> str:
        """Write estimates and joint limits of `columns` (n_points, 6) where points are named."""
        texts = []
        for k in self._points().tolist():
            estimate, low, high = columns[k, [1, 4, 5]]
            if np.isnan(estimate):
                texts.append(f"none at {digits(self.grid[k])}")
                continue
            written, *ends = shown(estimate, low, high)
            if low > GRID_ROUNDING and not ends[0].strip(
                "0."
            ):  # a zero would deny that it is above
                ends[0] = digits(low, 1)
            texts.append(f"{written} ({ends[0]} to {ends[1]}) at {digits(self.grid[k])}")
        return ", ".join(texts)

    def summary(self) -> str:
        """Write how the curve was corrected, and its values at some points.

        Returns
        -------
        str
            What was selected by which metric, the draws and the level of the limits; estimates
            with joint limits, of up to 6 points at all, of more at three; where there are
            `differences`, these, and where their joint limits are above zero.
        """
        own = np.column_stack([getattr(self, name) for name in LIMITS])
        label = self.y_label[:1].upper() + self.y_label[1:]
        numbers = f" With joint limits it is {self._numbers(own)}."
        if self.differences:
            numbers += " " + " ".join(
                f"The difference to {name.replace('treat', 'treating')} is {self._numbers(each)}."
                for name, each in self.differences.items()
                if np.any(self.references.get(name, 1))  # to 0 it is the curve itself
            )
            numbers += self._where_above()
        draws = f"({self.n_bootstraps:,} draws of {drawn_units(self.details)})"
        if self.details.get("selection_accounted_for", True):
            whose = (
                f"the configuration selected by {metric_words(self.metric).name}, corrected for "
                f"the selection by bootstrap bias correction {draws}"
            )
        else:
            whose = f"configuration {self.details['winner']} alone, not corrected {draws}"
        return (
            f"{label} by {self.x_label} of {whose}, with "
            f"{percent(self.confidence_level)} limits.{numbers}{_positive_text(self.details)}"
        )

    def _where_above(self) -> str:
        """Write at which points the joint limits of all differences are above zero."""
        with np.errstate(invalid="ignore"):
            above = np.all(
                [each[:, 4] > GRID_ROUNDING for each in self.differences.values()], axis=0
            )
        names = " and ".join(name.replace("treat", "treating") for name in self.differences)
        points = self.grid[above]
        if not len(points):
            return f" At no point is it clearly above {names}."
        if len(self.grid) <= MOST_POINTS_NAMED:
            return f" It is clearly above {names} at {', '.join(map(digits, points))}."
        return (
            f" It is clearly above {names} at {len(points)} of {len(self.grid)} points, between "
            f"{digits(points[0])} and {digits(points[-1])}."
        )

    def __repr__(self) -> str:
        return (
            f"CurveResult({self.curve!r}, {count(len(self.grid), 'point')}, "
            f"metric={self.metric!r}, confidence_level={self.confidence_level:g})"
        )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SubgroupResult(Result):
    """Score of the selected configuration in groups of samples, corrected for the selection.

    Scores are in scorer orientation, greater is better. A difference is that of a group to all
    other samples of which the variable is known, positive where the group has the better score.

    Parameters
    ----------
    groups : tuple of (str, label)
        Variable and value of each group.
    sizes : ndarray of shape (n_groups,)
        Number of samples.
    scores, differences : mapping of str to ndarray of shape (n_groups,)
        ``apparent`` (of the out-of-fold predictions, not corrected), ``estimate``, ``low`` and
        ``high`` (limits of each group by itself), ``low_joint`` and ``high_joint`` (of all groups
        at once). NaN where a group, or for a difference the rest, is too small or has no score in
        more than a tenth of the draws.
    undefined : ndarray of shape (n_groups,)
        Share of the draws without a score of the group, which estimates and limits leave out.
    overall : float
        Corrected score on all samples.
    metric : str
        Name of the metric.
    confidence_level : float
        Promised share of data sets in which the limits hold the true value.
    n_bootstraps : int
        Number of draws.
    details : mapping, default={}
        By-products: ``winner``, ``winner_share``, ``positive_class``, ``few`` (whether a group or
        its rest has fewer than 20 samples, of each class that the metric needs), ``seed``,
        ``unit``, ``notes`` (which groups are small, and why), ...

    Notes
    -----
    Two results are equal when all their fields hold the same, with NaN equal to NaN. They can be
    hashed and pickled.
    """

    groups: tuple[tuple[str, Any], ...]
    sizes: np.ndarray
    scores: Mapping[str, np.ndarray]
    differences: Mapping[str, np.ndarray]
    undefined: np.ndarray
    overall: float
    metric: str
    confidence_level: float
    n_bootstraps: int
    details: Mapping[str, Any] = field(default_factory=dict)

    _drawn_by = "IntervalsDisplay.from_results({}.intervals())"
    _types = {
        "sizes": indices,
        "scores": _arrays,
        "differences": _arrays,
        "undefined": floats,
        "details": read_only,
    }

    @property
    def noun(self) -> str:
        """Name of the result in a report."""
        return f"{metric_words(self.metric).name} in subgroups"

    def frame(self) -> pd.DataFrame:
        """Return scores and differences as a table.

        Returns
        -------
        DataFrame
            Indexed by the groups, of several variables by variable and group: ``n``, the columns
            of `scores`, those of `differences` as ``difference`` (the estimate),
            ``difference_low``, ..., and ``undefined``.
        """
        variables, values = zip(*self.groups)
        index = pd.Index(values, name=variables[0])
        if len(set(variables)) > 1:
            index = pd.MultiIndex.from_tuples(self.groups, names=["variable", "group"])
        differences = {f"difference_{name}": each for name, each in self.differences.items()}
        columns = {"n": self.sizes, **self.scores, **differences, "undefined": self.undefined}
        frame = pd.DataFrame(columns, index=index)
        return frame.rename(columns={"difference_estimate": "difference"})

    def intervals(self) -> dict[str, ConfidenceInterval]:
        """Return the scores with joint limits, for `sklearn_bbc.display.IntervalsDisplay`.

        Returns
        -------
        dict of str to ConfidenceInterval
            Variable, group and number of samples -> interval.
        """
        columns = (self.scores[name].tolist() for name in ("estimate", "low_joint", "high_joint"))
        return {
            self._name(k): ConfidenceInterval(
                estimate=estimate,
                low=low,
                high=high,
                confidence_level=self.confidence_level,
                alternative="two-sided",
                method="bbc",
                metric=self.metric,
                estimand="score in a subgroup of what tuning selects, with joint limits",
                n_bootstraps=self.n_bootstraps,
                details={"sign": self.details.get("sign", 1)},
            )
            for k, (estimate, low, high) in enumerate(zip(*columns))
        }

    def _name(self, k: int) -> str:
        return f"{' '.join(map(str, self.groups[k]))} (n = {self.sizes[k]:,})"

    def summary(self) -> str:
        """Write the scores with their joint limits, and which groups differ from the rest.

        Returns
        -------
        str
            Scores with the name and the sign that people print.
        """
        scores, words = self.scores, metric_words(self.metric, sign=self.details.get("sign"))
        few = np.asarray(self.details.get("few", np.zeros(len(self.groups), dtype=bool)))
        few = few | np.isnan(self.differences["estimate"])
        clear, rows = self.differ & ~few, []
        for k in range(len(self.groups)):
            if np.isnan(scores["estimate"][k]):
                rows.append(f"{self._name(k)}: none")
                continue
            low, high = words.natural_bounds(scores["low_joint"][k], scores["high_joint"][k])
            estimate, *ends = shown(words.natural(scores["estimate"][k]), low, high)
            rows.append(f"{self._name(k)}: {estimate} ({' to '.join(ends)})")
        name = words.name[0].upper() + words.name[1:]
        by, selected = self.details.get("selected_by"), "selected configuration"
        if by is not None:
            selected = f"configuration selected by {metric_words(by).name}"
        verb = "differ" if clear.sum() > 1 else "differs"
        text = (
            f"{name} of the {selected} in {count(len(rows), 'subgroup')}, "
            f"corrected for the selection by bootstrap bias correction ({self.n_bootstraps:,} "
            f"draws of {drawn_units(self.details)}), with joint "
            f"{percent(self.confidence_level)} limits: {'; '.join(rows)}. "
            f"{self._named(clear) or 'No group'} {verb} from the rest by more than the joint "
            "limits of the differences."
        )
        if few.any():
            text += f" Too few samples to judge that: {self._named(few)}."
        return text

    @property
    def differ(self) -> np.ndarray:
        """Whether the joint limits of a group's difference exclude zero, shape (n_groups,)."""
        return (self.differences["low_joint"] > 0) | (self.differences["high_joint"] < 0)

    def _named(self, which: np.ndarray) -> str:
        return ", ".join(" ".join(map(str, self.groups[k])) for k in np.flatnonzero(which))

    def __repr__(self) -> str:
        return (
            f"SubgroupResult({count(len(self.groups), 'group')}, metric={self.metric!r}, "
            f"confidence_level={self.confidence_level:g})"
        )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class StabilityResult(Result):
    """Predictions of each sample by the configurations that are selected in bootstrap draws.

    Parameters
    ----------
    sample : ndarray of shape (n_tested,)
        Position of each sample in `X`.
    predicted : ndarray of shape (n_tested,)
        Out-of-fold risk of the positive class by the selected configuration, or value of a
        regression.
    difference : ndarray of shape (n_tested,)
        Mean absolute difference to it of the configurations selected in the draws, each with the
        share of draws that it wins.
    low, high : ndarray of shape (n_tested,)
        Predictions between which at least 95% of the draws lie. NaN, as `difference` is, where
        more than a tenth of the draws select what did not predict the sample.
    mean_difference : float
        Mean of `difference` over the samples, weighted where the search has weights.
    label : str
        What is predicted: ``"risk"``, of survival ``"risk at 365"``, or ``"value"``.
    metric : str
        Name of the metric that selects.
    n_bootstraps : int
        Number of draws.
    details : mapping, default={}
        By-products: ``winner``, ``won``, ``n_undefined`` (draws that select what did not predict
        every sample), ``positive_class``, ``seed``, ``notes``.

    Notes
    -----
    Two results are equal when all their fields hold the same, with NaN equal to NaN. They can be
    hashed and pickled.
    """

    sample: np.ndarray
    predicted: np.ndarray
    difference: np.ndarray
    low: np.ndarray
    high: np.ndarray
    mean_difference: float
    label: str
    metric: str
    n_bootstraps: int
    details: Mapping[str, Any] = field(default_factory=dict)

    _drawn_by = "StabilityDisplay.from_results({})"
    _types = {
        "sample": indices,
        **dict.fromkeys(("predicted", "difference", "low", "high"), floats),
        "mean_difference": float,
        "details": read_only,
    }

    noun = "stability of predictions"

    def frame(self) -> pd.DataFrame:
        """Return the predictions as a table.

        Returns
        -------
        DataFrame
            Indexed by the position of the sample: ``predicted``, ``difference``, ``low``,
            ``high``.
        """
        names = ("predicted", "difference", "low", "high")
        columns = {name: getattr(self, name) for name in names}
        return pd.DataFrame(columns, index=pd.Index(self.sample, name="sample"))

    def summary(self) -> str:
        """Write how much the predictions depend on which configuration is selected.

        Returns
        -------
        str
            One sentence on the mean and the largest differences, one on the selected
            configuration's share of the draws.
        """
        mean, most = shown(self.mean_difference, float(np.nanquantile(self.difference, 0.95)))
        won = dict(self.details.get("won", {}))
        share = won.pop(self.details.get("winner"), 0.0)
        others = f", {count(len(won), 'other')} in the rest" if won else ""
        of_draws = f"{share:.0%}"
        if won and of_draws == "100%":  # rounded
            of_draws = f"{min(share, 0.9999):.2%}"
        return (
            f"The predicted {self.label} of a sample differs by {mean} on average between the "
            f"selected configuration and those that are selected in {self.n_bootstraps:,} "
            f"bootstrap draws; for 5% of the samples by {most} or more. The same configuration is "
            f"selected in {of_draws} of the draws{others}.{_positive_text(self.details)}"
        )

    def __repr__(self) -> str:
        return (
            f"StabilityResult({len(self.sample)} samples, metric={self.metric!r}, "
            f"mean_difference={digits(self.mean_difference)})"
        )


Plottable = CurveResult | SubgroupResult | StabilityResult | SampleSizeResult
"""What a report takes besides intervals."""
