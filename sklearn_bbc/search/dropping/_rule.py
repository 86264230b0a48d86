"""The rule by which a search stops fitting configurations, as users write it."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ..._integers import check_integer
from ..._nearest import explain_arguments
from ...metrics import as_metric
from ...predictions import OOFPredictions
from ...resampling._streams import entropy_of
from ._race import Race, batches_of
from ._splits import split_of
from ._standings import LeadTest, Standings

__all__ = ["DropClearlyWorse", "units_of"]


class DropClearlyWorse(BaseEstimator):
    """Stop fitting configurations that are clearly worse than the best one so far.

    For `drop` of `BBCSearchCV`. The search then goes split by split. After each it compares
    every configuration with the leader, on the out-of-fold predictions so far, and does not
    fit those that are worse beyond chance on the splits that are left.

    Parameters
    ----------
    confidence_level : float in (0.5, 1), default=0.99
        Level of the one-sided test. A larger one drops less.
    min_predictions : int, default=50
        Nothing is dropped before so many different samples were predicted.
    min_per_class : int, default=5
        Nor before so many samples of each class were; of survival times, so many events.
    n_bootstraps : int, default=500
        Number of draws of the test for metrics without a formula.
    random_state : int, RandomState instance or None, default=None
        Seed of these draws; None takes that of the search.

    See Also
    --------
    sklearn_bbc.BBCSearchCV : The search that takes it.
    sklearn.model_selection.HalvingGridSearchCV : Fits all configurations on few samples and the
        better ones on more.

    Notes
    -----
    What is compared is what the search selects by, the mean score over the splits so far. The
    leader is the configuration with the best one.

    - For means over samples (accuracy, log loss, squared error) and the area under the ROC curve
      of two classes the test is a paired t test on the influence of each sample. The value of a
      sample is its own loss, or its placement among the samples of the other class of its split
      (DeLong's method [2]_, within splits). With groups the influences of a group are added up.
    - For any other metric samples (or groups) are drawn with replacement, the same for all
      configurations, and scored within splits. A configuration is dropped when the leader is
      ahead in so large a share of the draws.

    The idea, the bootstrap test and its level are those of BBCD-CV [1]_, which pools
    predictions of all splits. A metric that compares samples of different models can then drop
    what is best within each split.

    With several metrics a configuration is dropped when it is clearly worse in all of them. So
    what leads in one metric is never dropped. A configuration without a score in some split is
    neither dropped nor a leader. With more than 20 splits they are looked at when another
    twentieth of the predictions is there. With groups, 10 of them are needed.

    The test does not account for the number of configurations, for looking several times, nor for
    what training sets share. It decides what is fitted, not what is reported. How often the
    best configuration was lost is on the page of evidence on dropping.

    References
    ----------
    .. [1] I. Tsamardinos, E. Greasidou, G. Borboudakis, "Bootstrapping the
       out-of-sample predictions for efficient and accurate cross-validation",
       Machine Learning 107, 1895-1922 (2018). :doi:`10.1007/s10994-018-5714-4`
    .. [2] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, "Comparing the areas under
       two or more correlated receiver operating characteristic curves: a nonparametric
       approach", Biometrics 44, 837-845 (1988). :doi:`10.2307/2531595`

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from sklearn_bbc import BBCSearchCV
    >>> from sklearn_bbc.search import DropClearlyWorse
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> grid = {"min_samples_leaf": [1, 10, 150, 250]}
    >>> search = BBCSearchCV(
    ...     tree, grid, scoring="roc_auc", drop=DropClearlyWorse(), random_state=0
    ... ).fit(X, y)
    >>> search.cv_results_["n_splits_done"]
    array([3, 5, 4, 1])
    >>> search.best_params_
    {'min_samples_leaf': 10}
    """

    @explain_arguments()
    def __init__(
        self,
        *,
        confidence_level: float = 0.99,
        min_predictions: int = 50,
        min_per_class: int = 5,
        n_bootstraps: int = 500,
        random_state: Any = None,
    ) -> None:
        self.confidence_level = confidence_level
        self.min_predictions = min_predictions
        self.min_per_class = min_per_class
        self.n_bootstraps = n_bootstraps
        self.random_state = random_state

    def _validate(self) -> None:
        level = self.confidence_level
        if not isinstance(level, Real) or not 0.5 < level < 1:
            raise ValueError(
                "confidence_level of DropClearlyWorse must be above 0.5 and below 1, got "
                f"{level!r}. With 0.99 a configuration that is as good as the leader is dropped "
                "in about one comparison of a hundred."
            )
        check_integer("min_predictions", self.min_predictions, 3)
        check_integer("min_per_class", self.min_per_class, 2)
        least = math.ceil(1 / (1 - level) - 1e-6) - 1
        why = (
            f": the smallest p value is 1 / (n_bootstraps + 1), and confidence_level={level:g} "
            "asks for at most "
            f"{1 - level:.3g}."
        )
        check_integer("n_bootstraps", self.n_bootstraps, least, why=why)

    def _lead_test(
        self, units: np.ndarray, grouped: bool, seed: int, n_jobs: int | None = None
    ) -> LeadTest:
        """The test with these parameters, on units that are samples or groups."""
        return LeadTest(
            confidence_level=self.confidence_level,
            min_predictions=self.min_predictions,
            min_per_class=self.min_per_class,
            n_bootstraps=self.n_bootstraps,
            units=units,
            grouped=grouped,
            seed=seed,
            n_jobs=n_jobs,
        )

    def replay(self, oof: OOFPredictions, scoring: Any) -> np.ndarray:
        """Find what would have been dropped of a finished search; nothing is fitted.

        Parameters
        ----------
        oof : OOFPredictions
            Predictions of all configurations, such as ``oof_`` of a search without `drop`.
        scoring : str, scorer or Metric
            The metric that selects.

        Returns
        -------
        ndarray of shape (n_configs,) of int
            Splits that each configuration would have been fitted on. Their sum is the number of
            fits.

        Raises
        ------
        ValueError
            If a parameter is out of range, or the metric cannot be computed from these
            predictions.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_bbc import OOFPredictions
        >>> from sklearn_bbc.search import DropClearlyWorse
        >>> rng = np.random.default_rng(0)
        >>> y = np.tile([0, 1], 100)
        >>> signal = np.array([2.0, 1.9, 0.0])
        >>> scores = y[:, None] * signal + rng.normal(size=(200, 3))
        >>> oof = OOFPredictions(y_true=y, y_pred=scores, fold=np.arange(200) // 20)
        >>> DropClearlyWorse().replay(oof, "roc_auc")
        array([10, 10,  3])
        """
        self._validate()
        metric = as_metric(scoring)
        if not oof.responses:
            raise ValueError(
                "oof has scores per fold only, and dropping compares predictions. A search with "
                "record=True keeps them."
            )
        scores = metric.bind(oof).fold_scores()
        units, grouped = units_of(oof.groups, oof.n_samples)
        test = self._lead_test(units, grouped, entropy_of(self.random_state))
        tests = [oof.sample[oof.fold == split] for split in range(oof.n_splits)]
        race = Race(oof.n_configs, oof.n_splits, test)
        # After the last batch nothing is left to be spared.
        for batch in batches_of(tests, oof.y_true, oof.classes_, test)[:-1]:
            for split in batch:
                race.add(
                    split_of(oof, split, race.left),
                    {metric.name: scores[split, race.left]},
                    lambda: {metric.name: Standings(metric)},
                )
            race.drop(batch[-1] + 1)
        return race.n_splits_done


def units_of(groups: np.ndarray | None, n_samples: int) -> tuple[np.ndarray, bool]:
    """Independent unit of each sample, and whether units are groups.

    Parameters
    ----------
    groups : ndarray of shape (n_samples,) or None
        Groups.
    n_samples : int
        Number of samples.
    """
    if groups is None:
        return np.arange(n_samples), False
    return np.unique(groups, return_inverse=True)[1], True
