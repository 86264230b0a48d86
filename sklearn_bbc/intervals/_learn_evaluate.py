"""Learn and evaluate split: one part proposes configurations, the other reports one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from .._parameters import By, Kind, Number, check_parameters
from .._rounding import levelled
from ..exceptions import UndefinedIntervalError
from ..metrics._base import first_best
from ..metrics._metric import BoundMetric
from ..resampling import Units, check_random_state, entropy_of


class SelectionRule(BaseEstimator, ABC):
    """Base of the rules by which the learn part proposes configurations.

    A subclass defines `candidates` and `label`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.intervals import LearnEvaluate, SelectionRule
    >>> class FirstTwo(SelectionRule):
    ...     label = "-first-two"
    ...     def candidates(self, scores):
    ...         return np.array([0, 1])
    >>> LearnEvaluate(FirstTwo()).label
    '-first-two'
    """

    @abstractmethod
    def candidates(self, scores: np.ndarray) -> np.ndarray:
        """Choose configurations.

        Parameters
        ----------
        scores : ndarray of shape (n_configs,)
            Scores on the learn part, greater is better; NaN is undefined.

        Returns
        -------
        ndarray of shape (n_candidates,) of int
            Indices of the candidates in rising order, at least one.
        """

    @property
    @abstractmethod
    def label(self) -> str:
        """Suffix that the rule adds to the name of a method in results."""


class Best(SelectionRule):
    """Rule that proposes only the best configuration of the learn part."""

    def candidates(self, scores: np.ndarray) -> np.ndarray:
        """Choose the configuration with the best score, the first one on ties."""
        return first_best(levelled(scores)[None])

    @property
    def label(self) -> str:
        """Empty suffix: the plain name of the method."""
        return ""


class TopShare(SelectionRule):
    """Rule that proposes the configurations in the top share of the learn part.

    Parameters
    ----------
    share : float in (0, 1), default=0.1
        Configurations at or above the quantile ``1 - share`` of the scores are
        candidates; ties can enlarge the set.

    See Also
    --------
    Best : Propose one only.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.intervals import TopShare
    >>> rule = TopShare(0.1)
    >>> rule.label, rule.candidates(np.linspace(0.5, 0.9, 21)).tolist()
    ('10p', [18, 19, 20])
    """

    _constraints = {
        "share": Number(above=0, below=1, hint="0.1 keeps the best tenth of the configurations.")
    }

    def __init__(self, share: float = 0.1) -> None:
        self.share = share

    def candidates(self, scores: np.ndarray) -> np.ndarray:
        """Choose all configurations from the quantile upwards."""
        check_parameters(self)
        finite = scores[np.isfinite(scores)]
        ends = (finite.min() - 1, finite.max() + 1) if len(finite) else (-1, 1)
        scores = np.clip(scores, *ends)  # there is no way from one infinite score to the next
        threshold = np.quantile(scores[~np.isnan(scores)], 1 - self.share)
        return np.flatnonzero(scores >= threshold)

    @property
    def label(self) -> str:
        """Share in per cent, as in ``"10p"``."""
        return f"{100 * self.share:g}p"


MAX_SPLITS = 1000
"""Random splits tried before the data are declared too small."""

_STREAM = 0x4C45
"""Keeps the stream of the split apart from those of the bootstrap blocks."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Selected:
    """Parts, scores and candidates of a split; `turned` are those whose scores are reversed.

    `learn`, `evaluate` (n_samples,) bool, `learn_scores` (n_configs,) means over the folds,
    `candidates`, `evaluate_scores`, `turned` (n_candidates,); `reported` is the candidate with the
    best score on the evaluation part.
    """

    learn: np.ndarray
    evaluate: np.ndarray
    learn_scores: np.ndarray
    candidates: np.ndarray
    evaluate_scores: np.ndarray
    reported: int
    turned: np.ndarray
    seed: int

    def sidak_level(self, confidence_level: float) -> float:
        """Compute the level that each candidate's interval needs so that all of them hold."""
        return float(confidence_level ** (1 / len(self.candidates)))


class LearnEvaluate(BaseEstimator):
    """Selection of configurations on one part of the samples, evaluation on the other.

    A random share of the samples, the learn part, proposes candidates by their mean score
    over the folds. On the other samples, the evaluation part, the candidates are scored
    once more, and the best of them is reported. Nothing is refitted: both parts use the
    out-of-fold predictions that are there.

    Parameters
    ----------
    rule : SelectionRule, default=None
        `Best` proposes one configuration, ``TopShare(0.1)`` the best tenth (``"10p"`` in
        the literature). None is ``TopShare(0.1)``.
    learn_share : float in (0, 1), default=0.75
        Share of the samples (of the groups, where there are groups) in the learn part.
    random_state : int, RandomState instance or None, default=None
        Seed of the split. None takes the seed of the interval method when that has one.

    See Also
    --------
    DeLong, HanleyMcNeil, BootstrapTilting, MABT : Take this as ``selection=``.
    BBC : Accounts for the selection without giving up samples.

    Notes
    -----
    The split is not stratified. It is drawn again until the metric is defined in every
    fold of the learn part and in the evaluation part. With the best of several
    candidates, intervals are computed at Šidák's level [1]_, ``confidence_level **
    (1 / n_candidates)``, which treats the candidates as independent.

    A quarter of the samples for the evaluation is little: of 50 samples 13 remain, on
    which the best of ten candidates easily looks perfect.

    References
    ----------
    .. [1] Z. Šidák, "Rectangular confidence regions for the means of multivariate normal
       distributions", Journal of the American Statistical Association 62, 626-633
       (1967). :doi:`10.1080/01621459.1967.10482935`
    .. [2] P. Rink, W. Brannath, "Post-selection confidence bounds for prediction
       performance", Machine Learning 114, 82 (2025). :doi:`10.1007/s10994-024-06632-w`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import LearnEvaluate, TopShare
    >>> from sklearn_bbc.metrics import as_metric
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 50)
    >>> scores = rng.normal(size=(100, 20)) + y[:, None]
    >>> oof = OOFPredictions(y_true=y, y_pred=scores, fold=np.arange(100) // 20)
    >>> step = LearnEvaluate(rule=TopShare(0.1), random_state=0)
    >>> selected = step.select(as_metric("roc_auc").bind(oof))
    >>> int(selected.learn.sum()), int(selected.evaluate.sum()), len(selected.candidates)
    (75, 25, 2)
    >>> round(selected.sidak_level(0.95), 4)
    0.9747
    """

    _constraints = {
        "rule": Kind(SelectionRule, "TopShare(0.1)", or_none=True),
        "learn_share": Number(
            above=0, below=1, hint="0.75 leaves a quarter of the samples for the evaluation."
        ),
        "random_state": By(check_random_state),
    }

    def __init__(
        self,
        rule: SelectionRule | None = None,
        *,
        learn_share: float = 0.75,
        random_state: Any = None,
    ) -> None:
        self.rule = rule
        self.learn_share = learn_share
        self.random_state = random_state

    @property
    def label(self) -> str:
        """Suffix that the rule adds to the name of a method in results."""
        return self._rule().label

    def select(self, kernel: BoundMetric, random_state: Any = None) -> Selected:
        """Split the samples, find the candidates and the one to report.

        Parameters
        ----------
        kernel : BoundMetric
            Metric bound to the predictions of every configuration.
        random_state : int, RandomState instance or None, default=None
            Seed of the split when the object's own `random_state` is None.

        Returns
        -------
        Selected
            Parts, candidates and the reported configuration.

        Raises
        ------
        ValueError
            If a parameter is out of range.
        UndefinedIntervalError
            If no split leaves the metric defined in every fold of the learn part and in
            the evaluation part.
        """
        rule = self._rule()
        check_parameters(self)
        Kind(BoundMetric, "as_metric('roc_auc').bind(oof)").check("kernel", kernel)
        seed = entropy_of(random_state if self.random_state is None else self.random_state)
        learn, evaluate = self._split(kernel, seed)
        learn_scores = self._fold_scores(kernel, learn).mean(axis=0)
        if np.isnan(learn_scores).all():
            raise UndefinedIntervalError(
                f"{kernel.metric.name} is undefined in some fold of the learn part for every "
                "configuration. Fewer folds, or a larger learn_share, may help."
            )
        candidates = rule.candidates(learn_scores)
        scores = kernel.scores(evaluate[None])[0, candidates]
        turned = self._turned(kernel, candidates, evaluate)
        scores = np.where(turned, 1 - scores, scores)
        if np.isnan(scores).all():
            raise UndefinedIntervalError(
                f"{kernel.metric.name} is undefined on the evaluation part for every candidate."
            )
        reported = int(kernel.first_best(scores[None])[0])
        return Selected(
            learn=learn,
            evaluate=evaluate,
            learn_scores=learn_scores,
            candidates=candidates,
            evaluate_scores=scores,
            reported=int(candidates[reported]),
            turned=turned,
            seed=seed,
        )

    def _rule(self) -> SelectionRule:
        return TopShare(0.1) if self.rule is None else self.rule

    def _fold_scores(self, kernel: BoundMetric, samples: np.ndarray) -> np.ndarray:
        """Score configurations on some samples by fold: (n_samples,) -> (n_splits, n_configs)."""
        return kernel.fold_scores(samples)

    def _turned(self, kernel: BoundMetric, configs: np.ndarray, samples: np.ndarray) -> np.ndarray:
        """Mark configurations whose scores are replaced by one minus the score: none here."""
        return np.zeros(len(configs), dtype=bool)

    def _split(self, kernel: BoundMetric, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Split the samples into a learn and an evaluation part, each (n_samples,), bool."""
        oof = kernel.oof
        units = Units.of(oof)
        n_learn = int(np.floor(self.learn_share * units.n_units + 1e-9))
        strata = (
            np.ones((1, oof.n_samples), dtype=bool) if kernel.strata is None else kernel.strata
        )
        names = ["sample"] if kernel.strata is None else kernel.strata_names
        # Which sample is held out in which split and stratum: (n_samples, n_splits, n_strata).
        held_out = np.zeros((oof.n_samples, oof.n_splits), dtype=bool)
        held_out[oof.sample, oof.fold] = True
        cells = held_out[:, :, None] & strata.T[:, None, :]
        empty = np.argwhere(~cells.any(axis=0))
        if len(empty):
            fold, stratum = empty[0]
            raise UndefinedIntervalError(
                f"LearnEvaluate scores {kernel.metric.name} fold by fold, but fold {fold} holds "
                f"no {names[stratum]}. Use stratified or fewer folds."
            )
        rng = np.random.Generator(
            np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(_STREAM,)))
        )
        for _ in range(MAX_SPLITS):
            in_learn = np.zeros(units.n_units, dtype=bool)
            in_learn[rng.permutation(units.n_units)[:n_learn]] = True
            learn = np.where(units.of_sample >= 0, in_learn[units.of_sample], False)
            evaluate = (units.of_sample >= 0) & ~learn
            if cells[learn].any(axis=0).all() and (strata & evaluate).any(axis=1).all():
                return learn, evaluate
        raise UndefinedIntervalError(
            f"LearnEvaluate needs {' and '.join(names)} in every one of the {oof.n_splits} folds "
            f"of the learn part and in the evaluation part; none of {MAX_SPLITS} random splits "
            f"into {n_learn} and {units.n_units - n_learn} {units.kind}s had that. Use fewer "
            "folds, more samples, or BBC, which gives up no samples."
        )
