"""Select an ensemble, from the out-of-fold predictions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .._parameters import Whole
from .._text import count
from ..metrics._base import RowData
from ..metrics._consumed import towards_pos_label
from ..metrics._metric import BoundMetric
from ..metrics._scored import Scored
from ..predictions._predictions import OOFPredictions
from ..predictions._validation import taken_metadata
from ._base import BoundSelection, Outcome, Selection

GAIN_ROUNDING = 1e-12
"""How far averages of probabilities that are equal in theory may be apart."""


class GreedyEnsemble(Selection):
    """Average the predictions of configurations that are added one by one.

    Each step adds the configuration that makes the score of the average best; one can be added
    again, and then counts more. The score of an ensemble on the predictions that it was built
    from is too good. Here every draw builds an ensemble of its own in-bag and scores it
    out-of-bag, so no further holdout is needed.

    Parameters
    ----------
    n_members : int, default=20
        Number of steps, at least 1. The best of the ensembles after 1, 2, ... steps is taken.

    Raises
    ------
    ValueError
        If there are no probabilities (or values) to average.

    See Also
    --------
    WithThreshold : A threshold with one configuration.

    Notes
    -----
    Forward selection with replacement [1]_, without its bagging. Probabilities are averaged
    where there are any, for label metrics such as accuracy too: the label is the class with
    the largest mean. Without probabilities values of ``decision_function`` are averaged for
    metrics of scores, in which models with larger values count more. Of a regression the
    predicted values are averaged. Configurations with failures are not members.

    For any metric with a bootstrap kernel: log loss, Brier score, AUC, accuracy, squared
    error. Cost: O(n_bootstraps * n_members * n_configs * n_samples), with a sort for AUC;
    200 draws suffice for the estimate. Methods on scores per fold, such as `BBCF`, refuse it, and
    so does `ShrunkenBBC`.

    `details` of a result add ``weights`` (of each configuration in the ensemble of all
    samples), ``mean_weights`` (mean over the draws), ``n_distinct`` (configurations in the
    ensemble of all samples), ``apparent_score`` (its score on all samples, which is too good),
    ``averaged`` (what is averaged), ``rule``. ``winner`` is the configuration with the largest
    weight, ``winner_share`` the share of draws with the very same weights.

    References
    ----------
    .. [1] R. Caruana, A. Niculescu-Mizil, G. Crew, A. Ksikes, "Ensemble selection from
       libraries of models", ICML (2004). :doi:`10.1145/1015330.1015432`

    Examples
    --------
    >>> from sklearn_bbc.intervals import BBC
    >>> from sklearn_bbc.selection import GreedyEnsemble
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions(n_samples=100)
    >>> method = BBC(selection=GreedyEnsemble(), n_bootstraps=50, random_state=0)
    >>> result = method.estimate(oof, "neg_log_loss")
    >>> [round(weight, 2) for weight in result.details["weights"]]
    [0.0, 0.0, 0.47, 0.53]
    >>> bool(result.estimate < result.details["apparent_score"])
    True
    """

    name = "greedy_ensemble"
    needs = frozenset({"predictions"})

    _constraints = {"n_members": Whole(1)}

    def __init__(self, n_members: int = 20) -> None:
        self.n_members = n_members

    def _bind(self, scored: Scored) -> BoundSelection:
        assert isinstance(scored, BoundMetric)  # it needs predictions
        return BoundGreedyEnsemble(scored, int(self.n_members))


class _Part:
    """Rows of one repeat."""

    def __init__(self, oof: OOFPredictions, repeat: int, pred: np.ndarray, rows: RowData) -> None:
        here = np.flatnonzero(oof.repeat == repeat)
        self.sample, self.fold = oof.sample[here], oof.fold[here]
        self.y = oof.y_true[self.sample]
        self.pred = np.ascontiguousarray(pred[:, here])
        self.weight = None if oof.sample_weight is None else oof.sample_weight[self.sample]
        self.rows = rows

    def weigh(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Find the rows with weight in a draw, and their weights."""
        of_rows = weights[self.sample]
        if self.weight is not None:
            of_rows = of_rows * self.weight
        here = np.flatnonzero(of_rows)
        return here, of_rows[here]


class BoundGreedyEnsemble(BoundSelection):
    """An ensemble for each draw."""

    of_configurations = False

    scored: BoundMetric

    def __init__(self, scored: BoundMetric, n_members: int) -> None:
        super().__init__(scored)
        oof, self._n_members = scored.oof, n_members
        self.by = f"largest weight in a greedy ensemble of {count(n_members, 'step')}"
        labels = oof.classes_ is not None and self.metric.response_method == ("predict",)
        self._to_labels = labels
        pred, self._averaged = _values_to_average(scored, labels)
        finite = np.isfinite(pred.reshape(len(pred), -1)).all(axis=1)
        self._members = np.flatnonzero(finite & scored.valid)
        if not len(self._members):
            raise ValueError(
                f"No configuration has complete, finite {self._averaged} to put into an ensemble."
            )
        pred = pred[self._members]
        self._parts = [
            _Part(oof, repeat, pred, part.kernel.rows)
            for repeat, part in enumerate(scored.repeats)
        ]
        each = scored.seconds_per_score
        self.seconds_per_draw = each * n_members * len(self._members)

    def choose(self, weights: np.ndarray) -> Outcome:
        """See `BoundSelection.choose`."""
        chosen = np.zeros((len(weights), self.scored.n_configs))
        for draw, of_draw in enumerate(weights):
            chosen[draw, self._members] = self._ensemble(of_draw)
        config = np.where(chosen.any(axis=1), chosen.argmax(axis=1), -1)
        return Outcome({"config": config, "weights": chosen})

    def _ensemble(self, weights: np.ndarray) -> np.ndarray:
        """Compute the weights of the members for one draw; all 0 where nothing has a score."""
        parts = [(part, *part.weigh(weights)) for part in self._parts]
        pools = [part.pred[:, here] for part, here, _ in parts]
        sums = [np.zeros(pool.shape[1:]) for pool in pools]
        picks: list[int] = []
        best, n_best = np.array(-np.inf), 0
        for step in range(1, self._n_members + 1):
            candidates = [total + pool for total, pool in zip(sums, pools)]
            scores = np.zeros(len(self._members))
            for (part, here, of_rows), candidate in zip(parts, candidates):
                scores += self._scores(part, here, of_rows, candidate / step)
            pick = int(self.scored.first_best(scores[None])[0])
            if pick < 0:
                break
            picks.append(pick)
            sums = [candidate[pick] for candidate in candidates]
            if self.scored.difference(scores[pick], best) > 0:
                best, n_best = scores[pick], step
        counts = np.bincount(picks[:n_best], minlength=len(self._members))
        return counts / max(n_best, 1)

    def _scores(
        self, part: _Part, here: np.ndarray, weights: np.ndarray, pred: np.ndarray
    ) -> np.ndarray:
        """Score predictions of some rows, one score per candidate; greater is better."""
        if self._to_labels:
            # Of averages that are equal up to rounding the first label, as of equal ones.
            if pred.ndim == 3:
                pred = (pred >= pred.max(axis=2, keepdims=True) - GAIN_ROUNDING).argmax(axis=2)
            else:
                pred = (pred > 0.5 + GAIN_ROUNDING).astype(np.intp)
        rows = replace(
            part.rows, y=part.y[here], pred=pred, codes_given=self._to_labels, responses={},
            fold=part.fold[here], metadata=taken_metadata(part.rows.metadata, here),
        )  # fmt: skip
        kernel = self.metric.kernel_of(rows)
        values = None if self._to_labels else kernel.pointwise()
        if values is None:
            return self.metric.sign * kernel.scores(weights[None], np.arange(len(pred)))[0]
        strata = () if kernel.strata is None else kernel.strata
        complete = all((weights[members] > 0).any() for members in strata)
        defined = True if kernel.defined is None else kernel.defined
        # Row by row for each candidate: two to three times faster than `kernel.scores`.
        with np.errstate(invalid="ignore", divide="ignore"):
            means = (values * weights).sum(axis=1) / weights.sum()
        return np.where(complete & defined, self.metric.sign * means, np.nan)

    def score(self, outcome: Outcome, weights: np.ndarray) -> np.ndarray:
        """See `BoundSelection.score`."""
        scores = np.full(len(weights), np.nan)
        for draw, (shares, of_draw) in enumerate(zip(outcome["weights"], weights)):
            shares = shares[self._members]
            if not shares.any():
                continue
            total = 0.0
            # One draw at a time: a kernel scales its sums by all that it holds.
            for part in self._parts:
                here, of_rows = part.weigh(of_draw)
                if not len(here):
                    total = np.nan
                    break
                mean = np.zeros(part.pred[0, here].shape)
                for member in np.flatnonzero(shares):
                    mean += shares[member] * part.pred[member, here]
                total += float(self._scores(part, here, of_rows, mean[None])[0])
            scores[draw] = total / len(self._parts)
        return scores

    def same(self, outcome: Outcome, one: Outcome) -> np.ndarray:
        """See `BoundSelection.same`: the same weights."""
        return (outcome["weights"] == one["weights"][0]).all(axis=1)

    def members(self) -> np.ndarray:
        """See `BoundSelection.members`: all configurations with a weight."""
        return np.flatnonzero(self.on_all()["weights"][0])

    def score_elsewhere(self, oof: OOFPredictions) -> float:
        """See `BoundSelection.score_elsewhere`."""
        rule = BoundGreedyEnsemble(self.metric.bind(oof), self._n_members)
        shares = self.on_all()["weights"][:, self.members()]
        ensemble = Outcome({"config": np.array([0]), "weights": shares})
        return float(rule.score(ensemble, np.ones((1, oof.n_samples), dtype=np.uint8))[0])

    def describe(self, outcome: Outcome) -> dict[str, Any]:
        """See `BoundSelection.describe`."""
        one = self.on_all()
        return {
            "rule": f"greedy ensemble of {count(self._n_members, 'step')}",
            "weights": one["weights"][0].tolist(),
            "mean_weights": outcome["weights"].mean(axis=0).tolist(),
            "n_distinct": int(np.count_nonzero(one["weights"][0])),
            "apparent_score": self.score_on_all(),
            "averaged": self._averaged,
        }


def _values_to_average(scored: BoundMetric, labels: bool) -> tuple[np.ndarray, str]:
    """Take the values to average, (n_configs, n_rows[, n_classes]), and their name."""
    oof, metric = scored.oof, scored.metric
    if not metric.response_method:
        raise ValueError(
            f"GreedyEnsemble does not know what {metric.name} consumes: give a scorer made by "
            "make_scorer, or its name."
        )
    if labels and "plain" in oof.responses:
        raise ValueError(
            f"GreedyEnsemble averages probabilities, but y_pred holds labels for {metric.name}. "
            "Give probabilities as responses={'predict_proba': ...}."
        )
    if oof.classes_ is None:
        pred, used = oof.response(metric.response_method)
        return np.asarray(pred, dtype=float), used
    methods = ["predict_proba"]
    if "decision_function" in metric.response_method:
        methods.append("decision_function")
    for method in methods:
        if method in oof.responses or "plain" in oof.responses:
            pred, used = oof.response((method,))
            if not labels:
                named = metric.name, metric.pos_label
                pred = towards_pos_label(pred, used, oof.classes_, *named)
            return np.asarray(pred, dtype=float), used
    raise ValueError(
        f"GreedyEnsemble averages probabilities for {metric.name}, but the recorded predictions "
        f"are {sorted(oof.responses)}. Add a metric of probabilities, such as neg_log_loss, to "
        "`scoring` of the search."
    )
