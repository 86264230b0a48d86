"""Comparisons that need nothing but the scores per fold of both sides."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import t

from .._utils import with_parameters
from ..exceptions import UndefinedIntervalError
from ..intervals._base import only_fold_scores
from ..intervals._fold_scores import size_ratio
from ..intervals._notes import best_by_folds, lacking_note, no_spread
from ..metrics._metric import Metric, as_metric
from ..results._results import ComparisonResult
from ._base import BaseComparison, Pair, Side, difference_of, is_number, names_apart, not_accounted

FIXED = "Both sides were fixed before the folds were looked at."
OVERLAP = "The overlap of the training sets correlates the folds by the share of test samples."
OF_TRAINING = "difference of two learners, expected over training sets of the folds' size"


class FoldComparison(BaseComparison):
    """Base of comparisons on folds: `Pair.kernel` holds the scores, shape (n_splits, 2).

    They work from published scores per fold and from any fitted search as well, since no
    prediction is needed.
    """

    requires = frozenset({"folds"})
    estimand = OF_TRAINING

    def _metric(self, first: Side, second: Side, scoring: Any) -> Metric:
        """Make the metric; any name under which both sides have scores per fold is one."""
        try:
            return as_metric(scoring)
        except ValueError:
            known = [side.oof.fold_scores for side in (first, second)]
            if isinstance(scoring, str) and all(scoring in scores for scores in known):
                return Metric(name=scoring, scorer=only_fold_scores)
            raise

    def _bind(self, first: Side, second: Side, metric: Metric, notes: list[str]) -> Pair:
        configs = self._configs(first, second, metric)
        oof = first.oof if first.oof.n_rows else second.oof  # for its splits
        names = names_apart(first.described, second.described)
        scores = np.empty((oof.n_splits, 2))
        for side, config, column, name in zip((first, second), configs, scores.T, names):
            found = metric.recorded_fold_scores(side.oof)
            if found is None and side.oof.responses:
                found = metric.bind(side.oof).fold_scores(configs=np.array([config]))
            elif found is None:
                found = metric.fold_scores(side.oof)  # which names those that there are
            column[:] = np.nan if side.oof.failed[config] else found[:, config]
            undefined = np.flatnonzero(~np.isfinite(column)).tolist()
            if undefined:
                raise UndefinedIntervalError(
                    f"{name} has no finite {metric.name} in fold {undefined}: it failed there, or "
                    "the fold lacks a class. Use fewer or stratified folds."
                )
        n_lacking, of_lacking = lacking_note(oof, metric)
        about = dict.fromkeys([*notes, *first.oof.notes, *second.oof.notes, *of_lacking])
        details: dict[str, Any] = {
            "scores": scores.mean(axis=0).tolist(),
            "configs": list(configs),
            "unit": "fold",
            "n_folds": len(scores),
            "n_repeats": oof.n_repeats,
            "n_folds_lacking_class": n_lacking,
            "notes": [*about, *not_accounted(first, second)],
        }
        return Pair(oof=oof, kernel=scores, metric=metric, names=names, details=details)

    def _selected(self, side: Side, metric: Metric) -> int:
        """Return the search's choice, or the best mean over the folds."""
        if side.oof.selected is not None:
            return side.oof.selected
        best = best_by_folds(np.where(side.oof.failed, np.nan, metric.fold_scores(side.oof)))
        if best is None:
            raise UndefinedIntervalError(
                f"No configuration of {side.described} has a {metric.name} in every fold."
            )
        return int(best)

    def _ratio(self, pair: Pair) -> float:
        """Return the ratio of test to training samples, given or that of the splits."""
        given: float | None = getattr(self, "test_over_train", None)
        return size_ratio(pair.oof, type(self).__name__) if given is None else given

    def _validate(self) -> None:
        super()._validate()
        ratio = getattr(self, "test_over_train", None)
        if ratio is not None and not (is_number(ratio) and ratio >= 0):
            raise ValueError(
                f"test_over_train must be a number >= 0 or None, got {ratio!r}. For 10-fold "
                "cross-validation it is 1 / 9."
            )


def moments(pair: Pair, ratio: float) -> tuple[float, float, int]:
    """Compute mean, standard error and degrees of freedom of the differences per fold."""
    values = pair.kernel[:, 0] - pair.kernel[:, 1]  # (n_splits,)
    error = float(np.std(values, ddof=1) * np.sqrt(1 / len(values) + ratio))
    return float(values.mean()), error, len(values) - 1


@with_parameters
class CorrectedResampledT(FoldComparison):
    """Corrected resampled t test of the differences per fold.

    The paired t test over folds takes their differences as independent, although their
    training sets overlap. The correction adds the share of test to training samples to the
    variance.

    Parameters
    ----------
    test_over_train : float, default=None
        Ratio of test to training samples of a split. None takes the mean over the splits: the
        recorded sizes, or ``1 / (n_folds - 1)`` of K-fold when there are none. 0 gives the
        paired t test over folds.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What speaks against no difference; ``"greater"`` is that the first side is better.

    Notes
    -----
    With J differences (of all repeats) of standard deviation S the standard error is
    ``S * sqrt(1 / J + n_test / n_train)``, and the distribution Student's with J - 1 degrees of
    freedom. The ratio is a heuristic: the test tends to be liberal on few repeats.

    `details` of the result: ``scores``, ``configs``, ``unit``, ``n_folds``, ``n_repeats``,
    ``n_folds_lacking_class``, ``test_over_train``, ``standard_error``, ``degrees``,
    ``degenerate``, ``notes``.

    References
    ----------
    .. [1] C. Nadeau, Y. Bengio, "Inference for the generalization error", Machine
       Learning 52, 239-281 (2003). :doi:`10.1023/A:1024068626366`

    Examples
    --------
    >>> from sklearn_bbc.comparison import CorrectedResampledT, Side
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions()
    >>> best, worst = Side(oof=oof, config=3), Side(oof=oof, config=0)
    >>> result = CorrectedResampledT().compare(best, worst, "roc_auc")
    >>> print(f"{result.difference:.3f}, p = {result.p_value:.3f}")
    0.120, p = 0.318
    """

    name = "corrected_resampled_t"
    label = "corrected resampled t test"
    assumptions = ("The differences per fold are about normally distributed.", OVERLAP, FIXED)
    meant_for = "two configurations or learners of which the scores per fold are known, any metric"
    cost = "O(F)"
    limits = "few folds: little power; a heuristic that tends to be too liberal; no selection"

    test_over_train: float | None = None
    confidence_level: float = 0.95
    alternative: str = "two-sided"

    def _compare(self, pair: Pair) -> ComparisonResult:
        ratio = self._ratio(pair)
        mean, error, degrees = moments(pair, ratio)
        return self._from_standard_error(
            pair, mean, error, degrees=degrees, details={"test_over_train": ratio}
        )


@with_parameters
class BayesianCorrelatedT(FoldComparison):
    """Posterior of the difference, and how likely the two are equivalent in practice.

    The posterior of the mean difference is Student's, with the spread of the corrected
    resampled t test. It gives three probabilities: that the first side is better, that the
    second is, and that the difference lies in the region of practical equivalence.

    Parameters
    ----------
    rope : float, default=0.01
        Half the width of the region of practical equivalence, in the metric's unit: smaller
        differences do not matter. 0.01 is what [1]_ takes for accuracies. 0 leaves two
        probabilities.
    test_over_train : float, default=None
        Ratio of test to training samples of a split. None takes the mean over the splits: the
        recorded sizes, or ``1 / (n_folds - 1)`` of K-fold when there are none.
    confidence_level : float in (0, 1), default=0.95
        Probability of the credible interval.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps the lower bound only, ``"less"`` the upper one.

    Notes
    -----
    With J differences of mean m and standard deviation S the posterior is
    ``m + S * sqrt(1 / J + n_test / n_train) * t(J - 1)``, from a prior without information. The
    credible interval equals the confidence interval of `CorrectedResampledT`.

    `details` of the result: ``probabilities`` (of ``first``, ``equivalent`` and ``second``),
    ``rope``, ``sentence`` (the probabilities in words), ``interval`` (``"credible interval"``),
    ``scores``, ``configs``, ``unit``, ``n_folds``, ``n_repeats``, ``n_folds_lacking_class``,
    ``test_over_train``, ``scale`` (of the posterior), ``degrees``, ``degenerate``, ``notes``.

    References
    ----------
    .. [1] G. Corani, A. Benavoli, "A Bayesian approach for comparing cross-validated
       algorithms on multiple data sets", Machine Learning 100, 285-304 (2015).
       :doi:`10.1007/s10994-015-5486-z`
    .. [2] A. Benavoli, G. Corani, J. Demsar, M. Zaffalon, "Time for a change: a tutorial for
       comparing multiple classifiers through Bayesian analysis", Journal of Machine Learning
       Research 18, 1-36 (2017).

    Examples
    --------
    >>> from sklearn_bbc.comparison import BayesianCorrelatedT, Side
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions()
    >>> best, worst = Side(oof=oof, config=3), Side(oof=oof, config=0)
    >>> result = BayesianCorrelatedT(rope=0.02).compare(best, worst, "roc_auc")
    >>> {side: round(p, 2) for side, p in result.details["probabilities"].items()}
    {'first': 0.8, 'equivalent': 0.07, 'second': 0.13}
    """

    name = "bayesian_correlated_t"
    label = "Bayesian correlated t test"
    assumptions = (
        "The differences per fold are about normally distributed, and nothing was known before.",
        OVERLAP,
        FIXED,
    )
    meant_for = "how likely two configurations or learners are equivalent in practice, any metric"
    cost = "O(F)"
    limits = "few folds: little is learned; depends on the region that is called equivalent"

    rope: float = 0.01
    test_over_train: float | None = None
    confidence_level: float = 0.95
    alternative: str = "two-sided"

    def _validate(self) -> None:
        super()._validate()
        if not (is_number(self.rope) and 0 <= self.rope < np.inf):
            raise ValueError(
                f"rope must be a finite number >= 0 in the unit of the metric, got {self.rope!r}. "
                "0.01 calls accuracies equivalent that differ by at most one per cent."
            )

    def _compare(self, pair: Pair) -> ComparisonResult:
        ratio, rope = self._ratio(pair), float(self.rope)
        mean, scale, degrees = moments(pair, ratio)
        degenerate = no_spread(scale, mean)
        if degenerate:
            first, second, half = float(mean > rope), float(mean < -rope), 0.0
        else:
            first = float(t.sf((rope - mean) / scale, degrees))
            second = float(t.cdf((-rope - mean) / scale, degrees))
            half = float(t.ppf(1 - self._tail(), degrees)) * scale
        equivalent = max(0.0, 1 - first - second)
        more = f"better by more than {rope:g}" if rope else "better"
        words = [
            f"{name} is {more} with probability {p:.3f}"
            for name, p in zip(pair.names, (first, second))
        ]
        if rope:
            words.insert(1, f"they are equivalent with {equivalent:.3f}")
        details = {
            **pair.details,
            "probabilities": {"first": first, "equivalent": equivalent, "second": second},
            "rope": rope,
            "sentence": ", ".join(words) + ".",
            "interval": "credible interval",
            "test_over_train": ratio,
            "scale": scale,
            "degrees": degrees,
            "degenerate": degenerate,
        }
        if np.isinf(difference_of(pair.metric).bounds[1]) and rope:
            details["notes"].append(
                f"Differences of {pair.metric.name} of at most {rope:g} are called equivalent: "
                "choose a rope that means something for this metric."
            )
        if degenerate:
            self._note_no_spread(mean, details)
        return self._of_bounds(pair, mean, mean - half, mean + half, details)


NOT_RECOMMENDED = (
    "Not recommended: training sets of different folds overlap, so the test finds differences "
    "that are not there too often. Use CorrectedResampledT."
)


class KFoldPairedT(FoldComparison):
    """Paired t test of the differences per fold; not recommended.

    It takes the folds as independent samples. Their training sets overlap, so it rejects true
    hypotheses too often [1]_. It is here to repeat published analyses.

    Parameters
    ----------
    confidence_level : float in (0, 1), default=0.95
        {level} It holds it less often.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What speaks against no difference; ``"greater"`` is that the first side is better.

    Notes
    -----
    With J differences of mean m and standard deviation S the statistic is
    ``m / (S / sqrt(J))``, with J - 1 degrees of freedom.

    `details` of the result: ``scores``, ``configs``, ``unit``, ``n_folds``, ``n_repeats``,
    ``n_folds_lacking_class``, ``standard_error``, ``degrees``, ``degenerate``, ``notes``.

    References
    ----------
    .. [1] T. G. Dietterich, "Approximate statistical tests for comparing supervised
       classification learning algorithms", Neural Computation 10, 1895-1923 (1998).
       :doi:`10.1162/089976698300017197`

    Examples
    --------
    >>> from sklearn_bbc.comparison import KFoldPairedT, Side
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions()
    >>> best, worst = Side(oof=oof, config=3), Side(oof=oof, config=0)
    >>> result = KFoldPairedT().compare(best, worst, "roc_auc")
    >>> result.details["notes"][0][:16]
    'Not recommended:'
    """

    name = "k_fold_paired_t"
    label = "paired t test over folds (not recommended)"
    assumptions = (
        "The differences per fold are independent, which they are not: training sets overlap.",
        "The differences per fold are about normally distributed.",
        FIXED,
    )
    meant_for = "repeating published analyses only; CorrectedResampledT is the test to use"
    cost = "O(F)"
    limits = "finds differences that are not there too often: training sets overlap"

    def __init__(self, *, confidence_level: float = 0.95, alternative: str = "two-sided") -> None:
        self.confidence_level = confidence_level
        self.alternative = alternative

    def _compare(self, pair: Pair) -> ComparisonResult:
        mean, error, degrees = moments(pair, 0)
        pair.details["notes"].insert(0, NOT_RECOMMENDED)
        return self._from_standard_error(pair, mean, error, degrees=degrees)
