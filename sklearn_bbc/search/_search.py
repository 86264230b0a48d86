"""BBCSearchCV: grid or random search that reports what its winner is really worth."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import ParameterGrid, ParameterSampler
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils._param_validation import HasMethods, Interval

from ._mixin import BBCSearchMixin


class BBCSearchCV(BBCSearchMixin, BaseSearchCV):
    """Search over parameter settings that corrects the winner's score for the selection."""

    _parameter_constraints = {
        **BaseSearchCV._parameter_constraints,
        "param_grid": [dict, list],
        "n_iter": [Interval(Integral, 1, None, closed="left"), None],
        "ci": [str, HasMethods(["estimate"]), list, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        n_iter: int | None = None,
        scoring: Any = None,
        ci: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: int | str = "2*n_jobs",
        random_state: Any = None,
        error_score: Any = np.nan,
        return_train_score: bool = False,
    ) -> None:
        super().__init__(
            estimator=estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.param_grid = param_grid
        self.n_iter = n_iter
        self.ci = ci
        self.random_state = random_state

    def _run_search(
        self, evaluate_candidates: Callable[..., Any], *, callback_ctx: Any = None
    ) -> None:
        candidates = self._candidates()
        if callback_ctx is None:  # before scikit-learn 1.9
            evaluate_candidates(candidates)
            return
        context = callback_ctx.subcontext(
            task_name="search",
            max_subtasks=len(candidates) * self.n_splits_,
            sequential_subtasks=False,
        ).call_on_fit_task_begin(estimator=self)
        evaluate_candidates(candidates, callback_ctx=context)
        context.call_on_fit_task_end(estimator=self)

    def _candidates(self) -> ParameterGrid | ParameterSampler:
        if self.n_iter is not None:
            return ParameterSampler(self.param_grid, self.n_iter, random_state=self.random_state)
        try:
            return ParameterGrid(self.param_grid)
        except TypeError as error:
            error.add_note("Distributions are sampled when n_iter is given, as in n_iter=60.")
            raise
