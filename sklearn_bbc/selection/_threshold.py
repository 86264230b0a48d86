"""Select a configuration and the threshold of its scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from inspect import signature
from numbers import Real
from typing import Any

import numpy as np

from .._parameters import Number, OneOf, check_parameters, constrained
from .._text import metric_words
from .._utils import (
    explain_arguments,
    got,
    is_integer,
    lowest_reaching,
    meant_by,
    nan_loses,
    other_class,
    with_parameters,
)
from .._warnings import warn_user
from ..exceptions import IntervalWarning
from ..metrics._base import RowData, first_best, least_size, rounding
from ..metrics._metric import BoundMetric, Metric, as_metric
from ..metrics._scored import Scored
from ..predictions._predictions import OOFPredictions
from ..predictions._validation import LacksResponse
from ._base import BoundSelection, Outcome, Selection, as_selection

THRESHOLD_ROUNDING = 1e-12
"""0.9 of ten negatives is nine of them, up to rounding."""


REPORTS = ("sensitivity", "specificity")


class MeanCost:
    """Mean cost of a decision, with a minus.

    Parameters
    ----------
    costs : array-like of shape (2, 2)
        Cost of each cell as in `sklearn.metrics.confusion_matrix`: true class by predicted
        class, ``[[true negative, false positive], [false negative, true positive]]``, where
        the second of the sorted classes is the positive one.

    Raises
    ------
    ValueError
        If `costs` are not four finite numbers, or an error is cheaper than being right.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.selection import MeanCost
    >>> cost = MeanCost([[0, 1], [10, 0]])
    >>> cost(np.array([50]), np.array([10]), np.array([2]), np.array([38]))
    array([-0.3])
    """

    __name__ = "neg_mean_cost"

    def __init__(self, costs: Any) -> None:
        try:
            array = np.asarray(costs, dtype=float)
        except (TypeError, ValueError):
            array = np.empty(0)
        if array.shape != (2, 2) or not np.isfinite(array).all():
            raise ValueError(
                "A cost matrix must be four finite numbers, [[true negative, false positive], "
                f"[false negative, true positive]], got {costs!r}."
            )
        (tn, fp), (fn, tp) = array.tolist()
        for wrong, right, cell in ((fp, tn, "negative"), (fn, tp, "positive")):
            if wrong < right:
                other = "positive" if cell == "negative" else "negative"
                raise ValueError(
                    f"In the cost matrix {array.tolist()} a false {other} ({wrong:g}) is cheaper "
                    f"than a true {cell} ({right:g}). A cost matrix is [[true negative, false "
                    "positive], [false negative, true positive]], and an error costs at least as "
                    "much as being right; gains are costs below 0."
                )
        self.costs = array

    def __call__(self, tn: Any, fp: Any, fn: Any, tp: Any) -> np.ndarray:
        """Score confusion matrices.

        `tn, fp, fn, tp` (n,) -> (n,).
        """
        (of_tn, of_fp), (of_fn, of_tp) = self.costs
        total = of_tn * tn + of_fp * fp + of_fn * fn + of_tp * tp
        return -total / (tn + fp + fn + tp)

    def __repr__(self) -> str:
        return f"MeanCost({self.costs.tolist()})"


class SensitivityAt:
    """Best sensitivity among the thresholds that keep a specificity.

    Parameters
    ----------
    specificity : float in (0, 1]
        At least this share of the negatives must be called negative where the threshold is
        chosen; with repeated cross-validation, on average over the repeats. Where no threshold
        reaches it, the one with the best specificity is chosen, and a warning says so.
    report : {"sensitivity", "specificity"}, default="sensitivity"
        What is reported of the chosen threshold. On other samples the specificity is usually a
        little below the demanded one; ``"specificity"`` says how much. The threshold is the same.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.selection import SensitivityAt
    >>> score = SensitivityAt(specificity=0.9)
    >>> score(np.array([9, 8]), np.array([1, 2]), np.array([3, 0]), np.array([7, 10]))
    array([ 0.7, -0.2])
    """

    @explain_arguments(" It keeps the specificity and maximises the sensitivity.")
    @constrained(specificity=Number(above=0, most=1, hint="Such as 0.9."), report=OneOf(REPORTS))
    def __init__(self, specificity: float, *, report: str = "sensitivity") -> None:
        self.specificity = float(specificity)
        self.report = report
        self.__name__ = f"{report}_at_specificity_{self.specificity:g}"

    def __call__(self, tn: Any, fp: Any, fn: Any, tp: Any) -> np.ndarray:
        """Score confusion matrices for the choice.

        `tn, fp, fn, tp` (n,) -> (n,).
        """
        return self._of_repeats([(tn, fp, fn, tp)])

    def __repr__(self) -> str:
        return f"SensitivityAt({self.specificity:g}, report={self.report!r})"

    def _of_repeats(self, repeats: Iterable[Iterable[Any]]) -> np.ndarray:
        """Average the sensitivity over repeats; below 0 where the mean specificity is too low.

        `repeats` of four cells (n,) -> (n,).
        """
        both = [(_sensitivity(*cells), _specificity(*cells)) for cells in repeats]
        gain, rate = (sum(each) / len(both) for each in zip(*both, strict=True))
        return np.where(self._is_reached(rate), gain, rate - 1)

    def _is_reached(self, rate: Any) -> np.ndarray:
        return np.asarray(rate) >= self.specificity - THRESHOLD_ROUNDING


def demand_details(
    demand: SensitivityAt, reached: float | None, share_reached: float | None
) -> dict[str, Any]:
    """Make ``details["demand"]``: whether the specificity was reached, and how often."""
    ask = f"SensitivityAt({demand.specificity:g}, report='specificity')"
    return {
        "of": "specificity",
        "level": demand.specificity,
        "reached": reached,
        "is_reached": None if reached is None else bool(demand._is_reached(reached)),
        "share_reached": share_reached,
        "ask": "" if demand.report == "specificity" else ask,
    }


def _sensitivity(tn: Any, fp: Any, fn: Any, tp: Any) -> np.ndarray:
    return np.asarray(tp / (tp + fn))


def _specificity(tn: Any, fp: Any, fn: Any, tp: Any) -> np.ndarray:
    return np.asarray(tn / (tn + fp))


class CellMetric:
    """A metric of labels that is computed from the cells of many confusion matrices at once.

    A metric of two classes depends on its rows only through the four cells, so it is bound to
    four rows, one per cell, that are weighted by the cells. `scoring` is a metric of labels, a
    cost matrix, or a function of arrays ``tn``, ``fp``, ``fn``, ``tp`` that returns an array,
    greater is better.
    """

    def __init__(self, scoring: Any, classes: np.ndarray, pos_label: Any = None) -> None:
        if isinstance(scoring, (list, tuple, np.ndarray)):
            scoring = MeanCost(scoring)
        self.positive = classes[1] if pos_label is None else pos_label
        self.constraint = scoring if isinstance(scoring, SensitivityAt) else None
        self.seconds_per_score = 0.0
        self._kernel: Any = None
        if _is_function_of_cells(scoring):
            name = getattr(scoring, "__name__", type(scoring).__name__)
            self.metric = Metric(name=name, scorer=scoring)
            self._function = self._reported = scoring
            self.by = metric_words(name).name
            if self.constraint is not None:
                level = f"{scoring.specificity:g}"
                self.by = metric_words(f"sensitivity_at_specificity_{level}").name
                self._reported = _sensitivity if scoring.report == "sensitivity" else _specificity
            self._warn_of_sums(name)
            return
        _check_chooses(scoring)
        self.metric = metric = as_metric(scoring).with_positive(pos_label)
        if metric.response_method != ("predict",):
            what = "is a scorer whose inside cannot be seen"
            if metric.response_method:
                source = " or ".join(metric.response_method)
                what = f"is computed from {source}, and the same at every threshold"
            raise ValueError(
                "scoring must be a metric of labels, such as 'f1' or 'balanced_accuracy', a "
                "function of the arrays tn, fp, fn and tp, a cost matrix, or "
                f"SensitivityAt(specificity=0.9); {metric.name} {what}."
            )
        if asked := metric.requests.keys() - {"sample_weight"}:
            raise ValueError(
                f"{metric.name} asks for {', '.join(map(repr, sorted(asked)))} by "
                "set_score_request, but thresholds are scored by the counts of true and false "
                "positives and negatives, which have no such values. Use a metric of labels alone."
            )
        self.by = metric_words(metric.name, sign=metric.sign).name
        foreign = metric.pos_label is not None and metric.pos_label not in classes.tolist()
        if metric.pos_label is not None and not foreign:
            self.positive = metric.pos_label
        both = [classes[0] if self.positive == classes[1] else classes[1], self.positive]
        rows = RowData(
            np.asarray(np.repeat(np.array(both, dtype=object), 2)).astype(classes.dtype),
            np.searchsorted(classes, both)[[0, 1, 0, 1]].astype(np.int64)[None, :],
            classes,
            True,
            metric.kwargs,
            metric.sign,
            False,
            {},
            np.zeros(4, dtype=np.intp),
        )
        try:
            self._kernel = metric.kernel_of(rows)
        except ValueError as error:
            if not foreign:
                raise
            raise ValueError(
                f"{metric.name} has pos_label={metric.pos_label!r}, but the classes are "
                f"{classes.tolist()}. Make a scorer with one of them: make_scorer(..., "
                "pos_label=...)."
            ) from error
        self.seconds_per_score = self._kernel.seconds_per_score or 0.0

    def _warn_of_sums(self, name: str) -> None:
        """Warn of a function that grows with the number of samples, which differs in a draw."""
        cells = np.array([[50.0, 11.0, 3.0, 36.0]])
        try:
            few, many = self.report(cells), self.report(2 * cells)
        except Exception:  # the error comes when the function is used
            return
        if not np.allclose(few, many, rtol=1e-6, equal_nan=True):
            warn_user(
                f"{name} depends on the number of samples, and a draw scores fewer than there "
                "are: its corrected score is on another scale. Divide by tn + fp + fn + tp.",
                IntervalWarning,
            )

    def choose(self, repeats: Iterable[np.ndarray]) -> np.ndarray:
        """Score the confusion matrices of all repeats together, for the choice.

        `repeats` (n, 4) -> (n,).
        """
        if self.constraint is not None:
            with np.errstate(invalid="ignore", divide="ignore"):
                return self.constraint._of_repeats(cells.T.astype(float) for cells in repeats)
        return np.mean([self.report(cells) for cells in repeats], axis=0)

    def report(self, cells: np.ndarray) -> np.ndarray:
        """Score confusion matrices by what is reported, of which a constraint is not a part.

        `cells` (n, 4) -> (n,).
        """
        if self._kernel is not None:
            return self.metric.sign * self._kernel.scores(cells, np.array([0]))[:, 0]
        return self.of_cells(self._reported, cells)

    def of_cells(self, function: Callable[..., Any], cells: np.ndarray) -> np.ndarray:
        """Call a function of the four cells; NaN without any weight. See `report` for shapes."""
        with np.errstate(invalid="ignore", divide="ignore"):
            scores = np.array(function(*cells.T.astype(float)), dtype=float)
        if scores.shape != (len(cells),):
            raise ValueError(
                f"{self.metric.name} must return one score per confusion matrix, an array of "
                f"shape ({len(cells)},), got shape {scores.shape}."
            )
        scores[cells.sum(axis=1) == 0] = np.nan
        return scores


def _check_chooses(scoring: Any) -> None:
    """Raise for what people give in place of the metric by which a threshold is chosen."""
    by = (
        "scoring must be what the threshold is chosen by: a metric of labels such as 'f1' or "
        "'balanced_accuracy', a cost matrix such as [[0, 1], [5, 0]], or "
        "SensitivityAt(specificity=0.9) of sklearn_bbc.selection"
    )
    if isinstance(scoring, Real):
        raise ValueError(
            f"{by}; got {scoring!r}. A fixed threshold goes to thresholds=[{scoring!r}]."
        )
    if isinstance(scoring, type):
        raise ValueError(f"{by}; got the class {scoring.__name__}: pass an object, with (...).")
    if scoring is None or isinstance(scoring, (Mapping, set)):
        raise ValueError(f"{by}; got {got(scoring)}.")
    word = scoring.casefold() if isinstance(scoring, str) else ""
    if word in ("sensitivity", "specificity", "tpr", "tnr"):
        raise ValueError(
            f"{scoring!r} alone is best where every sample is "
            f"{'positive' if word in ('sensitivity', 'tpr') else 'negative'}. "
            "SensitivityAt(specificity=0.9), from sklearn_bbc.selection, keeps a specificity and "
            "maximises the sensitivity; 'balanced_accuracy' weighs both alike."
        )


def _is_function_of_cells(scoring: Any) -> bool:
    try:
        return callable(scoring) and [*signature(scoring).parameters] == ["tn", "fp", "fn", "tp"]
    except (TypeError, ValueError):
        return False


def _check_reachable(thresholds: Any, own: np.ndarray, oof: OOFPredictions) -> None:
    """Raise for thresholds of probabilities outside [0, 1]; `own` (n_configs,) is 0.5 for these.

    Given scores without a name may be decision values that lie there by chance.
    """
    if is_integer(thresholds) or "plain" in oof.responses or not (own > 0).all():
        return
    values = np.asarray(thresholds, dtype=float)
    outside = values[np.isfinite(values) & ((values < 0) | (values > 1))]
    if len(outside):
        raise ValueError(
            "thresholds of probabilities must be between 0 and 1, -inf (all samples positive) or "
            f"inf (none), got {outside[0]:g}. 50% is 0.5."
        )


@with_parameters
class WithThreshold(Selection):
    """Select a configuration, and then the threshold that turns its scores into labels.

    The threshold is tuned on the same predictions as the configuration, so its score is too
    good for the same reason. Every draw repeats both choices.

    Parameters
    ----------
    scoring : str, scorer, Metric, callable or array-like of shape (2, 2)
        Metric of labels that the threshold is chosen by, and that is reported: for example
        ``"f1"`` or ``"balanced_accuracy"``. Or a function ``f(tn, fp, fn, tp)`` of arrays
        (weights of the cells of many confusion matrices) that returns an array, greater is
        better: a cost with a minus. Or a matrix of costs, ``[[tn, fp], [fn, tp]]``.
    thresholds : int or array-like of float, default=500
        A number: all cut points between the distinct scores of a configuration where there are
        no more than that, else as many quantiles of its scores, closer to each other toward
        both ends. The threshold of the models themselves, everybody positive (``-inf``) and
        nobody positive (``inf``) are always among them. Or the thresholds themselves, and no
        others: ``np.linspace(0, 1, 100)`` are equal steps.
    jointly : bool, default=False
        Whether configuration and threshold are chosen together by `scoring`. Otherwise the
        configuration is chosen by the metric that the method is given.
    configuration : Selection, default=None
        Rule that chooses the configuration; None is the best score. Not with `jointly`.

    Raises
    ------
    ValueError
        If there are not two classes, or only labels without scores.

    See Also
    --------
    GreedyEnsemble : An ensemble in place of one configuration.

    Notes
    -----
    A sample is positive when its score is at least the threshold, up to rounding: a probability
    of the first class is one minus that of the second, where 1 - 0.9 is a little less than 0.1.
    ``lowest_positive`` is the lowest score that is positive. Scores are probabilities
    where there are any, else values of ``decision_function``, both of the positive label of
    `scoring`. The first of equally good thresholds is chosen, the lowest. Where a draw has no
    sample between several cut points, the middle one of these is taken: what lies between them
    are samples that the draw left out. With repeated cross-validation scores are means over the
    repeats.

    The threshold of the models themselves is 0.5 for probabilities and 0 for values of
    ``decision_function``. It takes the place of the cut point that gives the same labels. A cut
    point lies in the middle between two neighbouring scores. A note says where the chosen
    threshold is worse than that of the models on all samples, as it can be when the thresholds
    are given.

    A metric of two classes depends on the four cells of the confusion matrix only. The cells of
    all thresholds are cumulative sums of the counts of a draw along the sorted scores, so a
    draw costs O(n_samples + n_thresholds) after the choice of the configuration, and that
    times n_configs when `jointly`.

    Not in methods on scores per fold, such as `BBCF`, and not in `ShrunkenBBC`, which needs the
    scores of fixed configurations in every draw.

    `details` of a result add ``threshold`` (chosen on all samples), ``lowest_positive``,
    ``threshold_range`` (5%
    and 95% quantile over the draws), ``apparent_score`` (that of the chosen threshold on all
    samples, which is too good), ``selected_by_metric``, ``pos_label``, ``rule``, ``cells`` (its
    true negatives, false positives, false negatives and true positives on all samples, shape
    (n_repeats, 4)), ``class_sizes`` and ``n_called`` (independent units of each class, and of
    those called negative and positive), ``unit_of_sizes``, ``threshold_of`` (``"probability"`` or
    ``"decision value"``) and, of `BBC`, ``cells_left_out`` (those of the choice of each draw on
    the samples left out, (n_draws, n_repeats, 4)). With `SensitivityAt` also ``demand``: what must
    be kept (``of``, ``level``), the value of the chosen threshold on all samples (``reached``,
    ``is_reached``), the share of draws in which a threshold reached the demand
    (``share_reached``), and what to ask for to see the rate on samples left out (``ask``).
    ``better_own_threshold`` is there where the models' own threshold is better than the chosen one
    on all samples. Notes say it in words.

    References
    ----------
    .. [1] I. Tsamardinos, E. Greasidou, G. Borboudakis, "Bootstrapping the
       out-of-sample predictions for efficient and accurate cross-validation",
       Machine Learning 107, 1895-1922 (2018). :doi:`10.1007/s10994-018-5714-4`

    Examples
    --------
    >>> from sklearn_bbc.intervals import BBC
    >>> from sklearn_bbc.selection import WithThreshold
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions(n_samples=100)
    >>> rule = WithThreshold("balanced_accuracy")
    >>> result = BBC(selection=rule, random_state=0).estimate(oof, "roc_auc")
    >>> result.metric, bool(result.estimate < result.details["apparent_score"])
    ('balanced_accuracy', True)
    """

    name = "with_threshold"
    needs = frozenset({"predictions", "two classes"})

    scoring: Any = field(kw_only=False)
    thresholds: Any = 500
    jointly: bool = False
    configuration: Selection | None = None

    def _validate(self) -> None:
        with meant_by("configuration", "selection"):
            rule = as_selection(self.configuration)
        if self.configuration is not None and self.jointly:
            raise ValueError(
                f"configuration={self.configuration!r} has no use with jointly=True, which "
                "chooses configuration and threshold together. Leave out one of them."
            )
        if "predictions" in rule.needs:
            raise ValueError(f"configuration must choose one configuration, got {rule!r}.")
        check_parameters(rule)
        given = self.thresholds
        try:
            values = np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            values = np.empty(0)
        is_list = values.ndim == 1 and len(values) and not np.isnan(values).any()
        if not (is_integer(given, 2) or (is_list and not isinstance(given, str))):
            raise ValueError(
                "thresholds must be an integer of at least 2, or an array of numbers with one "
                f"axis, got {given!r}. One fixed threshold t is thresholds=[t]."
            )

    def _bind(self, scored: Scored) -> BoundSelection:
        oof = scored.oof
        assert isinstance(scored, BoundMetric) and oof.classes_ is not None  # two of them
        cell_metric = CellMetric(self.scoring, oof.classes_, oof.pos_label)
        scores, own = _scores_of(scored, cell_metric, bool(self.jointly))
        _check_reachable(self.thresholds, own, oof)
        chooser = as_selection(self.configuration).bind(scored)
        return BoundWithThreshold(scored, cell_metric, scores, own, self, chooser)

    def _reported(self, metric: Metric, classes: np.ndarray | None) -> Metric:
        assert classes is not None
        return CellMetric(self.scoring, classes).metric


def _scores_of(
    scored: BoundMetric, cell_metric: CellMetric, jointly: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Take the scores of the positive label and the models' own thresholds.

    Scores have shape (n_configs, n_rows), NaN where a configuration is out; thresholds have
    shape (n_configs,).
    """
    oof, metric = scored.oof, scored.metric
    if "plain" in oof.responses and metric.response_method == ("predict",):
        raise ValueError(
            "WithThreshold needs scores, but y_pred holds labels: it is given for "
            f"{metric.name}, a metric of labels. Give probabilities as "
            "responses={'predict_proba': ...}, or as y_pred with a metric of scores."
        )
    try:
        scores, used = oof.response(("predict_proba", "decision_function"))
    except ValueError:
        raise LacksResponse(
            "WithThreshold needs predict_proba or decision_function, but the recorded "
            f"predictions are {sorted(oof.responses)}. Add a metric of scores to the search: "
            f"scoring=[{metric.name!r}, 'roc_auc'], refit={metric.name!r}."
        ) from None
    assert oof.classes_ is not None
    scores = np.asarray(scores, dtype=float)
    if used == "plain":
        shares = np.full(len(scores), np.nanmin(scores) >= 0 and np.nanmax(scores) <= 1)
    elif used.startswith("predict_proba"):  # others fill up configurations that have none
        proba = np.asarray(oof.responses["predict_proba"], dtype=float)
        shares = ~np.isnan(proba).all(axis=1)
    else:
        shares = np.zeros(len(scores), dtype=bool)
    own = np.where(shares, 0.5, 0.0)
    if cell_metric.positive == oof.classes_[0]:
        scores = np.stack(
            [other_class(each) if share else -each for each, share in zip(scores, shares)]
        )
    lacking = scored.valid & ~np.isfinite(scores).all(axis=1)
    if lacking.any():
        raise ValueError(
            f"Configurations {np.flatnonzero(lacking).tolist()} have labels but no complete "
            "scores, so there is no threshold to choose."
        )
    usable = np.isfinite(scores).all(axis=1) & ~oof.failed
    if not jointly:
        usable &= scored.valid
    return np.where(usable[:, None], scores, np.nan), own


def _cuts(
    scores: np.ndarray, own: float, own_at: float, most: int, *, turned: bool = False
) -> np.ndarray:
    """Choose thresholds for the scores of one configuration, shape (n_rows,), without labels.

    Scores from `own_at` on are positive for the model itself, whose threshold `own` is; `turned`
    as for `lowest_reaching`.
    """
    values, counts = np.unique(scores, return_counts=True)
    low, high = values[:-1], values[1:]
    middle = low / 2 + high / 2
    cuts = np.r_[-np.inf, np.where((low < middle) & (middle <= high), middle, high), np.inf]
    place = int(np.searchsorted(values, own_at))
    if place == 0 or values[place - 1] < lowest_reaching(own, scores, turned=turned):
        cuts[place] = own
    if len(cuts) <= most:
        return cuts
    n, below = len(scores), np.r_[0, np.cumsum(counts)]
    # Half of them in equal steps of the ranks; half closer and closer to both ends, where few
    # samples decide when a class is rare or a rate must be near 1.
    ends = np.geomspace(1, max(n / 2, 1), most // 4)
    ranks = np.concatenate([np.linspace(0, n, most // 2), ends, n - ends])
    return cuts[
        np.unique([*np.searchsorted(below, ranks).clip(max=len(values)), 0, place, len(values)])
    ]


class BoundWithThreshold(BoundSelection):
    """Configuration and threshold of each draw."""

    of_configurations = False

    def __init__(
        self,
        scored: BoundMetric,
        cell_metric: CellMetric,
        scores: np.ndarray,
        own: np.ndarray,
        rule: WithThreshold,
        chooser: BoundSelection,
    ) -> None:
        super().__init__(scored)
        oof, self._scoring, self._rule = scored.oof, rule.scoring, chooser
        # What was selected already: by the search, whose best estimator gets the threshold.
        given = rule.jointly or rule.configuration is not None
        self._selected = None if given else oof.selected
        self._cell_metric, self.metric = cell_metric, cell_metric.metric
        self._rounding, self._unit = rounding(oof.n_rows), least_size(self.metric.bounds)
        self._jointly = bool(rule.jointly)
        first = "" if self._jointly else f"{chooser.by or 'best score'}, then "
        self.by = f"{first}threshold by {cell_metric.by}"
        self._usable = np.flatnonzero(~np.isnan(scores).any(axis=1)).tolist()
        if not self._usable:
            raise ValueError("No configuration has complete, finite scores to put a threshold on.")
        assert oof.classes_ is not None
        # Of a score equal to their own threshold the models predict the first label.
        above = cell_metric.positive != oof.classes_[0]
        own_at = np.nextafter(own, 1) if above else own
        self._own, self._own_labels = own, scores >= own_at[:, None]
        turned = (own > 0) & (not above)  # probabilities of the first class
        cuts, self._n_cuts = {}, None
        if is_integer(rule.thresholds):
            most = int(rule.thresholds)
            cuts = {
                c: _cuts(scores[c], own[c], own_at[c], most, turned=bool(turned[c]))
                for c in self._usable
            }
            self._n_cuts = np.array([len(cuts.get(c, ())) for c in range(len(scores))])
        else:
            cuts = dict.fromkeys(self._usable, np.unique(np.asarray(rule.thresholds, dtype=float)))
        # In rising order; of each score the number of thresholds that it reaches.
        self.thresholds = np.full((len(scores), max(map(len, cuts.values()))), np.inf)
        self._lowest = self.thresholds.copy()
        self._reached = np.zeros(scores.shape, dtype=np.int32)
        for config, values in cuts.items():
            self.thresholds[config, : len(values)] = values
            self._lowest[config] = lowest_reaching(
                self.thresholds[config], scores[config], turned=bool(turned[config])
            )
            self._reached[config] = np.searchsorted(
                self._lowest[config], scores[config], side="right"
            )
        positive = oof.y_true[oof.sample] == cell_metric.positive
        self._classes = [each for each in oof.classes_ if each != cell_metric.positive]
        self._classes.append(cell_metric.positive)
        self._repeats = [
            [np.flatnonzero((oof.repeat == repeat) & (positive == label)) for label in (0, 1)]
            for repeat in range(oof.n_repeats)
        ]
        n_tried = len(self._usable) if self._jointly else 1
        n_scores = self.thresholds.shape[1] * n_tried
        self.seconds_per_draw = cell_metric.seconds_per_score * n_scores + chooser.seconds_per_draw

    def choose(self, weights: np.ndarray) -> Outcome:
        """See `BoundSelection.choose`."""
        n_draws = len(weights)
        place = np.zeros(n_draws, dtype=np.intp)
        best = np.full(n_draws, -np.inf)
        if self._jointly:
            configs = np.full(n_draws, -1, dtype=np.intp)
            for config in self._usable:
                at, scores = self._best_threshold(weights, config)
                known = np.where(np.isinf(best), 0.0, best)  # at first there is none
                margin = self._rounding * np.maximum(np.abs(known), self._unit)
                better = scores > np.where(np.isinf(best), best, known + margin)
                configs[better], place[better], best[better] = config, at[better], scores[better]
        else:
            configs = self._rule.choose(weights)["config"]
            configs = np.where(np.isin(configs, self._usable), configs, -1)
            for chosen, draws in _by_config(configs):
                place[draws], best[draws] = self._best_threshold(weights[draws], chosen)
        return self._outcome(configs, place, best)

    def on_all(self) -> Outcome:
        """See `BoundSelection.on_all`; the configuration is the one that was selected."""
        if self._on_all is None and self._selected in self._usable:
            place, best = self._best_threshold(self.everything, int(self._selected or 0))
            self._on_all = self._outcome(np.array([self._selected], dtype=np.intp), place, best)
        return super().on_all()

    def _outcome(self, configs: np.ndarray, place: np.ndarray, best: np.ndarray) -> Outcome:
        value = np.where(configs < 0, np.nan, self.thresholds[np.maximum(configs, 0), place])
        configs = np.where(place < 0, -1, configs)
        columns = {"config": configs, "place": place, "threshold": value}
        if self._cell_metric.constraint is not None:
            columns["reached"] = best >= 0  # scores below 0 are what is missing
        return Outcome(columns)

    def _best_threshold(self, weights: np.ndarray, config: int) -> tuple[np.ndarray, np.ndarray]:
        """Find the best threshold of each draw, -1 where none has a score, and its score."""
        n_thresholds = self.thresholds.shape[1]
        place = np.empty(len(weights), dtype=np.intp)
        best = np.empty(len(weights))
        size = max(1, 2**21 // (32 * n_thresholds))
        for start in range(0, len(weights), size):
            some = weights[start : start + size]
            cells = [self._cells_of_thresholds(each, some, config) for each in self._repeats]
            scores = self._cell_metric.choose(each.reshape(-1, 4) for each in cells)
            scores = nan_loses(scores.reshape(len(some), n_thresholds))
            at = first_best(scores, self._rounding, self._unit)
            draws = np.arange(len(some))
            of_best = scores[draws, at]
            if self._n_cuts is not None:
                below = sum(each[:, :, 0] + each[:, :, 2] for each in cells)
                last = (below <= below[draws, at][:, None]).sum(axis=1) - 1
                at = (at + np.minimum(last, self._n_cuts[config] - 1)) // 2
            place[start : start + size] = np.where(np.isneginf(of_best), -1, at)
            best[start : start + size] = of_best
        return place, best

    def _cells_of_thresholds(
        self, repeat: list[np.ndarray], weights: np.ndarray, config: int
    ) -> np.ndarray:
        """Compute the confusion matrix at every threshold, (n_draws, n_thresholds, 4)."""
        columns = []
        for rows in repeat:
            reached = self._reached[config, rows]
            order = np.argsort(reached, kind="stable")
            sums = np.zeros((len(weights), len(order) + 1))
            np.cumsum(self._weigh(weights, rows)[:, order], axis=1, out=sums[:, 1:])
            # A row is negative at threshold t when it reaches at most t of them.
            at = np.arange(self.thresholds.shape[1])
            negative = sums[:, np.searchsorted(reached[order], at, side="right")]
            columns += [negative, sums[:, -1:] - negative]
        return np.stack(columns, axis=2)

    def _weigh(self, weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Compute the weights of some rows in each draw, as numbers that can be summed."""
        sample = self.scored.oof.sample[rows]
        some = weights[:, sample]
        if self.scored.oof.sample_weight is not None:
            return some * self.scored.oof.sample_weight[sample]
        return some.astype(np.int64) if some.dtype.kind in "bui" else some

    def _cells(
        self, repeat: list[np.ndarray], weights: np.ndarray, reached: np.ndarray, place: Any
    ) -> np.ndarray:
        """Compute the confusion matrix of each draw, (n, 4); rows beyond `place` are positive."""
        columns = []
        for rows in repeat:
            some = self._weigh(weights, rows)
            # Cumulative: a sum that does not depend on the other draws.
            both = (some, np.where(reached[rows] > place, some, 0))
            every, hits = (np.cumsum(each, axis=1)[:, -1] for each in both)
            columns += [every - hits, hits]
        return np.stack(columns, axis=1).astype(float)

    def score(self, outcome: Outcome, weights: np.ndarray) -> np.ndarray:
        """See `BoundSelection.score`."""
        return self._scored(outcome, weights, self._cell_metric.report)

    def _scored(
        self, outcome: Outcome, weights: np.ndarray, score: Callable[[np.ndarray], np.ndarray]
    ) -> np.ndarray:
        """Average over repeats a function of the cells at the chosen thresholds."""
        scores, chosen = np.full(len(weights), np.nan), outcome["config"] >= 0
        cells = self._chosen_cells(outcome, weights)[chosen].swapaxes(0, 1)
        scores[chosen] = np.mean([score(each) for each in cells], axis=0)
        return scores

    def _chosen_cells(self, outcome: Outcome, weights: np.ndarray) -> np.ndarray:
        """Compute the cells at the chosen thresholds, (n_draws, n_repeats, 4); NaN without any."""
        cells = np.full((len(weights), len(self._repeats), 4), np.nan)
        for config, draws in _by_config(outcome["config"]):
            reached, place = self._reached[config], outcome["place"][draws, None]
            for k, each in enumerate(self._repeats):
                cells[draws, k] = self._cells(each, weights[draws], reached, place)
        return cells

    def columns_of(self, outcome: Outcome, left_out: np.ndarray) -> Mapping[str, np.ndarray]:
        """See `BoundSelection.columns_of`: with the cells of the samples left out."""
        return {**outcome.columns, "cells": self._chosen_cells(outcome, left_out)}

    def score_elsewhere(self, oof: OOFPredictions) -> float:
        """See `BoundSelection.score_elsewhere`: a single threshold, nothing to choose."""
        chosen = self.on_all()["threshold"]
        alone = WithThreshold(self._scoring, thresholds=chosen, jointly=True)
        rule = alone.bind(self.scored.metric.bind(oof))
        return float(rule.score(rule.on_all(), np.ones((1, oof.n_samples), dtype=np.uint8))[0])

    def _n_units(self, rows: Iterable[np.ndarray]) -> int:
        """Count the independent units with a weight among rows (n_some,) of all repeats."""
        sample = self.scored.oof.sample[np.concatenate([*rows])]
        if self.scored.oof.sample_weight is not None:
            sample = sample[self.scored.oof.sample_weight[sample] > 0]
        units = sample if self.scored.oof.groups is None else self.scored.oof.groups[sample]
        return len(np.unique(units))

    def describe(self, outcome: Outcome) -> dict[str, Any]:
        """See `BoundSelection.describe`."""
        one, cell_metric = self.on_all(), self._cell_metric
        values = outcome["threshold"][~np.isnan(outcome["threshold"])]
        details = {
            "rule": self.by,
            "threshold": float(one["threshold"][0]),
            "lowest_positive": float(self._lowest[one["config"][0], one["place"][0]]),
            # Thresholds that were chosen: there is nothing between one and infinity.
            "threshold_range": tuple(np.quantile(values, [0.05, 0.95], method="nearest").tolist()),
            "apparent_score": self.score_on_all(),
            "selected_by_metric": (self.metric if self._jointly else self.scored.metric).name,
            "pos_label": cell_metric.positive,
            "cells": self._chosen_cells(one, self.everything)[0],
        }
        if "cells" in outcome.columns:
            details["cells_left_out"] = outcome["cells"]
        if cell_metric.constraint is not None:
            rate = self._scored(
                one, self.everything, lambda cells: cell_metric.of_cells(_specificity, cells)
            )
            share = float(np.mean(outcome["reached"])) if len(outcome) > 1 else None
            details["demand"] = demand_details(cell_metric.constraint, float(rate[0]), share)
        config = int(one["config"][0])
        negatives, positives = (self._n_units(each) for each in zip(*self._repeats))
        details["unit_of_sizes"] = "sample" if self.scored.oof.groups is None else "group"
        details["class_sizes"] = dict(zip(self._classes, (negatives, positives)))
        if config >= 0:
            called = self._reached[config] > one["place"][0]
            details["n_called"] = tuple(
                self._n_units(
                    [rows[called[rows] == label] for each in self._repeats for rows in each]
                )
                for label in (False, True)
            )
            details["threshold_of"] = "probability" if self._own[config] else "decision value"
            own = cell_metric.choose(
                self._cells(each, self.everything, self._own_labels[config], 0)
                for each in self._repeats
            )
            if own[0] > self._best_threshold(self.everything, config)[1][0] + THRESHOLD_ROUNDING:
                details["better_own_threshold"] = float(self._own[config])
        return details


def _by_config(configs: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the configurations that were chosen, and the draws of each."""
    for config in np.unique(configs[configs >= 0]):
        yield int(config), np.flatnonzero(configs == config)
