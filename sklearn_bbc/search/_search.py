"""`BBCSearchCV`: grid and random search."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.model_selection import ParameterGrid, ParameterSampler
from sklearn.model_selection._search import BaseSearchCV

from .._parameters import By, Whole
from .._utils import explain_arguments
from ..recording._checks import check_grid, check_search_seed
from ..recording._racing import DropClearlyWorse
from ._mixin import BBCSearchMixin


class BBCSearchCV(BBCSearchMixin, BaseSearchCV):
    """Hyperparameter search that estimates what its winner is really worth.

    Replaces `GridSearchCV`, and with `n_iter` `RandomizedSearchCV`: the same results, the
    same attributes, the same number of calls of the estimator. In addition it keeps the
    out-of-fold predictions of every configuration and bootstraps them, selection included,
    since the best of many cross-validated scores is optimistic. Nothing is refitted.

    Parameters
    ----------
    estimator : estimator object
        Has ``fit``, and ``score`` when `scoring` is None.
    param_grid : dict or list of dict
        Parameter name -> values to try; with `n_iter` also distributions with a method
        ``rvs``. Several dicts are several search spaces.
    n_iter : int or None, default=None
        Number of configurations to sample at random, as in `RandomizedSearchCV`. None tries
        every combination, as in `GridSearchCV`.
    scoring : str, callable, list, tuple, dict or None, default=None
        Metric or metrics, as for `GridSearchCV`, and ``"concordance_index"`` for censored
        survival times. None is the estimator's own ``score``.
    ci : str, interval object, list or tuple of these, or None, default=None
        Interval methods of `sklearn_bbc.intervals`, by name (``"bbc"``) or as objects
        (``BBC(confidence_level=0.9)``). The first gives `ci_`. None is ``BBC()``; the empty
        list computes no interval and no corrected score until `interval` is called.
    n_jobs : int or None, default=None
        Number of fits at the same time, and of threads of the methods that have no `n_jobs`
        of their own. None is 1 outside of a joblib context, -1 all processors.
    refit : bool, str, Selection or callable, default=True
        Whether to fit the winner on all data; with several metrics the name of the one that
        selects. Or a rule of `sklearn_bbc.selection` such as ``OneStandardError("C")`` (with
        several metrics ``SelectedBy(name, rule)``), or a function from ``cv_results_`` to the
        selected configuration: intervals and corrected scores are about the configuration that
        it selects, and it is repeated in every draw. As in `GridSearchCV` there is no
        `best_score_` then. Where a function cannot be repeated, draws select by the best mean
        score if that selects the same configuration, and a note says so; otherwise there is no
        corrected score, and asking for one names the reason.
    cv : int, splitter, iterable or None, default=None
        How to split, as for `GridSearchCV`. None is 5 folds.
    verbose : int, default=0
        How much to print, as for `GridSearchCV`.
    pre_dispatch : int or str, default="2*n_jobs"
        Number of fits to send to the workers in advance.
    random_state : int, RandomState instance or None, default=None
        Seed of the sampled configurations, as in `RandomizedSearchCV`, and of methods that
        have none of their own. None draws a seed once and keeps it, so that `interval` gives
        the same again.
    error_score : "raise" or number, default=np.nan
        Score of a fit that failed. A configuration that failed in some fold cannot win in a
        bootstrap draw.
    return_train_score : bool, default=False
        Whether ``cv_results_`` has training scores.
    record : bool, str or list of str, default=True
        Whether to keep the out-of-fold predictions, which takes memory: 8 bytes (4 in single
        precision, 1 for labels) per sample and configuration, times classes when there are
        more than two. True keeps what the scorers ask for. With ``"predict_proba"``,
        ``"decision_function"``, ``"predict"`` or a list of these, models are asked for them as
        well: one more prediction of each test fold, part of the score time. So a search by
        ``"roc_auc"`` has the probabilities of `curve` and of other metrics, and one of survival
        models by any metric, with ``"predict_survival_function(365)"``, those of surviving a
        time. With False only the scores per fold are kept, as in `GridSearchCV`: the default
        interval is BBC-F's then, and there is no `bbc_score_`.
    drop : DropClearlyWorse or None, default=None
        Rule by which configurations are not fitted on the splits that are left. None fits all on
        all splits. With ``DropClearlyWorse()`` the search goes split by split; what is clearly
        worse than the leader gets NaN in ``cv_results_`` for the rest, ranks last and cannot be
        selected. The column ``n_splits_done`` is there then. Results are about the
        configurations that are left, and their notes say so.
    store : str, Path or None, default=None
        Folder in which every finished fit is kept. After a crash, or with a larger grid, `fit`
        takes from it what is finished and fits the rest. It belongs to one problem: with other
        data, splits, metrics, versions or another estimator, `fit` refuses it and says what
        differs.
    block_length : int, "auto" or None, default=None
        Samples per block, where samples depend on those before and after them, as in a time
        series with ``cv=TimeSeriesSplit()``: draws take blocks of samples that follow each other
        in the order of the rows, within `groups` where there are some. ``"auto"`` chooses it by
        the autocorrelation. None draws single samples, as if they were independent. See
        `OOFPredictions.with_blocks` for other orders and blocks; it can also be set afterwards,
        ``search.oof_ = search.oof_.with_blocks("auto")``.

    Attributes
    ----------
    bbc_score_ : float
        The winner's score, corrected for its selection (BBC). In scorer orientation, as
        everything here: greater is better.
    bbcf_score_ : float
        The same from resampled folds (BBC-F).
    optimism_ : float
        ``best_score_ - bbc_score_``; with a rule as `refit` the mean score of the selected
        configuration takes the place of `best_score_`.
    optimism_parts_ : dict
        ``"pooling"``, the winner's mean over the folds minus its score on the predictions of
        all folds together, and ``"selection"``, that minus `bbc_score_`. Their sum is
        `optimism_`.
    ci_ : ConfidenceInterval
        Result of the first method of `ci` for the metric that selects. Unpacks as
        ``low, high``. A method that failed leaves NaN, the reason in ``details["error"]``,
        and a warning; `interval` raises it again.
    ci_results_ : dict of str to dict of str to ConfidenceInterval
        Metric name -> method name -> result. A second method of the same name is
        ``"bbc_2"``.
    oof_ : OOFPredictions
        Out-of-fold predictions and scores per fold of every configuration.
    interval_time_ : float
        Seconds that the intervals took, not part of any other time.
    cv_results_, best_estimator_, best_score_, best_params_, best_index_, scorer_, n_splits_, \
            refit_time_, multimetric_, classes_, n_features_in_, feature_names_in_
        As in `GridSearchCV`.

    See Also
    --------
    sklearn.model_selection.GridSearchCV : The search without the correction.
    sklearn_bbc.OOFPredictions : For predictions from any other tool.
    sklearn_bbc.search.BBCSearchMixin : The same for other search classes.

    Notes
    -----
    An attribute that cannot be computed is missing, and asking for it says why: `bbc_score_`
    without predictions, for example in unsupervised learning, or with several metrics and
    ``refit=False``. The results for each metric are in `ci_results_` then.

    Nothing after the search can cost its results: what fails there warns, and where warnings
    are errors, the first is raised at the very end of `fit`, when the search is fitted.

    Only what the scorer asks the estimator is kept, unless `record` names more. An interval for
    another metric works when that is enough: ``interval(scoring="accuracy")`` after
    ``scoring="roc_auc"``, but not the other way round.

    References
    ----------
    .. [1] I. Tsamardinos, E. Greasidou, G. Borboudakis, "Bootstrapping the
       out-of-sample predictions for efficient and accurate cross-validation",
       Machine Learning 107, 1895-1922 (2018). :doi:`10.1007/s10994-018-5714-4`

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from sklearn_bbc import BBCSearchCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> grid = {"max_depth": [1, 2, 3, 4], "min_samples_leaf": [1, 5, 20]}
    >>> search = BBCSearchCV(
    ...     DecisionTreeClassifier(random_state=0), grid, scoring="roc_auc", random_state=0
    ... )
    >>> search.fit(X[:100], y[:100]).best_params_
    {'max_depth': 2, 'min_samples_leaf': 5}
    >>> bool(search.optimism_ > 0), bool(search.ci_.low < search.bbc_score_ < search.ci_.high)
    (True, True)
    >>> low, high = search.ci_
    """

    # `requested_methods` checks `ci`; others are in `RecordedSearch`, or scikit-learn's.
    _constraints = {
        "param_grid": By(check_grid),
        "n_iter": Whole(1, or_none=True),
        "random_state": By(check_search_seed),
    }

    @explain_arguments(
        " Distributions are given as param_grid, together with n_iter.", of_method="ci=BBC({}=...)"
    )
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
        record: bool | str | Sequence[str] = True,
        drop: DropClearlyWorse | None = None,
        store: str | os.PathLike[str] | None = None,
        block_length: int | str | None = None,
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
        self.record = record
        self.drop = drop
        self.store = store
        self.block_length = block_length

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
            seed = self._recording.seed if self.random_state is None else self.random_state
            return ParameterSampler(self.param_grid, self.n_iter, random_state=seed)
        try:
            return ParameterGrid(self.param_grid)
        except TypeError as error:
            error.add_note("Distributions are sampled when n_iter is given, as in n_iter=60.")
            raise
