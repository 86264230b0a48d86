"""Successive halving as scikit-learn 1.10 has it, on top of the one that is installed.

Its ``cv_results_`` has the last round only, with ranks of its own, and ``best_index_`` is a
position there; ``all_cv_results_`` has every round, without ranks (scikit-learn's pull request
34250, merged in June 2026). `SamplesOnly` is what pull request 34253 proposes besides: no
parameter `resource`.
"""

import numpy as np
from scipy.stats import rankdata
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import HalvingGridSearchCV, HalvingRandomSearchCV


class LastRound:
    """Takes the earlier rounds out of ``cv_results_``, where the installed release keeps them."""

    def fit(self, X, y=None, **params):
        super().fit(X, y, **params)
        if hasattr(self, "all_cv_results_"):
            return self
        every = self.cv_results_
        last = np.flatnonzero(np.equal(every["iter"], np.max(every["iter"])))
        self.all_cv_results_ = {k: v for k, v in every.items() if not k.startswith("rank_")}
        self.cv_results_ = {
            name: [column[k] for k in last] if isinstance(column, list) else column[last]
            for name, column in every.items()
        }
        ranks = rankdata(-self.cv_results_["mean_test_score"], method="min")
        self.cv_results_["rank_test_score"] = ranks.astype(np.int32)
        self.best_index_ = int(self.best_index_ - last[0])
        return self


class LastRoundGrid(LastRound, HalvingGridSearchCV):
    """All configurations of a grid."""


class LastRoundRandom(LastRound, HalvingRandomSearchCV):
    """Configurations that are drawn."""


class SamplesOnly(LastRoundGrid):
    """Without the parameter `resource`."""

    def __init__(
        self, estimator, param_grid, *, factor=3, min_resources="exhaust", cv=5, scoring=None,
        refit=True, random_state=None,
    ):  # fmt: skip
        super().__init__(
            estimator, param_grid, factor=factor, min_resources=min_resources, cv=cv,
            scoring=scoring, refit=refit, random_state=random_state,
        )  # fmt: skip

    def fit(self, X, y=None, **params):
        self.resource = "n_samples"  # for the installed release
        super().fit(X, y, **params)
        del self.resource
        return self
