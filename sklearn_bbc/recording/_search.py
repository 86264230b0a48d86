"""A search that keeps its predictions: check, record, assemble, verify, hand over."""

from __future__ import annotations

from concurrent.futures import BrokenExecutor
from copy import copy
from dataclasses import replace
from functools import partial, wraps
from pickle import PicklingError
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils._param_validation import validate_parameter_constraints
from sklearn.utils.validation import check_is_fitted

from .._parameters import By, Constraints, check_constrained
from .._scorers import with_our_scorers
from .._utils import check_splitter, with_groups
from .._warnings import hold_warnings, release_warnings, warn_user
from ..exceptions import RecordingWarning
from ..predictions._order import check_rows_in_order
from ..predictions._predictions import OOFPredictions
from ..predictions._validation import in_index_order, length
from ._capture import plain_scorer
from ._checks import (
    check_blocks,
    check_metrics_of_target,
    check_scoring,
    check_store,
    check_target,
    takes_no_weights,
    wanted_responses,
)
from ._finished import FinishedSearch
from ._progress import CountedFits, interrupt_of, say_what_is_kept
from ._racing import RoundRace, check_drop, dropped_of, mark_dropped, of_survivors
from ._recording import FitData, Recording
from ._refit_rule import check_refit


class RecordedSearch(BaseSearchCV):
    """Base of searches that keep the out-of-fold predictions of every configuration.

    `fit` runs scikit-learn's search as it is, and leaves a `FinishedSearch` behind. What is made
    of it is `_answer`'s business; whatever fails there, the search stays.
    """

    _constraints: ClassVar[Constraints] = {
        "record": By(wanted_responses),
        "store": By(check_store),
    }

    oof_: OOFPredictions
    cv_results_: dict[str, Any]
    scorer_: Any
    # While it is fitted.
    _recording: Recording
    # When it is fitted.
    _finished: FinishedSearch
    # Attribute -> why it is missing; and why all of them are.
    _reasons: dict[str, str]
    _failed: str

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Run the search, keep its predictions, and estimate what the winner is worth.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Training data; a square matrix for precomputed kernels and distances.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), default=None
            Target; None for unsupervised learning.
        **params : dict
            Parameters of the estimator's ``fit``, the scorer and the splitter, as for
            `GridSearchCV`. With `groups`, groups are what the bootstrap resamples.

            Pandas objects with the labels of `X` in another order, `y` as well, are brought into
            the order of `X`, which a note says. What has a plain RangeIndex is taken by position,
            as in `GridSearchCV`.

        Returns
        -------
        self : object
            The fitted search.

        Raises
        ------
        ValueError
            If `ci` names an unknown method, a method has an invalid parameter, `scoring` is no
            scorer or one that cannot take the classes of `y`, `y` holds dates, or groups, weights
            or other values per sample have labels that neither `X` nor `y` has; before the search
            begins. A method that fails after the search only warns.
        """
        data = self._check_search(X, y, params)
        # An earlier fit's results would be sent to every worker with the search itself.
        self._forget_fit()
        recording = self._recording = Recording(self, data)
        # On the instance, so that the `_run_search` of any subclass is recorded.
        run_search = self._run_search

        @wraps(run_search)  # `fit` looks at the signature before it passes a context
        def recorded_run(evaluate_candidates: Any, **context: Any) -> None:
            drop = getattr(self, "drop", None)
            race = None if drop is None else partial(RoundRace, self, recording)
            # More `verbose` prints every fit; callbacks have a bar of their own.
            wanted = getattr(self, "shows_progress", self.verbose == 1)
            shows = wanted and not getattr(self, "_skl_callbacks", None)
            bar = CountedFits(recording) if shows else None
            try:
                run_search(recording.watched(self, evaluate_candidates, bar, race), **context)
            finally:
                if bar is not None:
                    bar.close()

        self.__dict__["_run_search"] = recorded_run
        try:
            super().fit(data.X, data.y, **data.params)
        except KeyboardInterrupt:
            self._forget_fit()
            if (interrupt := interrupt_of(recording)) is None:
                raise
            raise interrupt from None  # what was running is of no use to the reader
        except (BrokenExecutor, PicklingError) as error:  # a worker died, or got no data
            self._forget_fit()
            say_what_is_kept(error, recording)
            raise
        except BaseException:
            self._forget_fit()
            raise
        finally:
            recording.end()
            del self._recording, self.__dict__["_run_search"]
        self.scorer_ = plain_scorer(self.scorer_)
        self._hand_over(recording)
        return self

    def _check_search(self, X: Any, y: Any, params: dict[str, Any]) -> FitData:
        """Raise where a parameter or the data are wrong; bring the data into one order."""
        if getattr(self, "drop", None) is not None:
            check_drop(self)
        in_blocks = getattr(self, "block_length", None) is not None
        if in_blocks:
            check_blocks(self)
        check_scoring(self.scoring)
        check_splitter(self.cv)
        check_constrained(self)
        self._validate_params()
        grid, n_iter = getattr(self, "param_grid", None), getattr(self, "n_iter", None)
        check_refit(self.refit, self.scoring, grid, n_iter)
        check_target(y, recorded=wanted_responses(getattr(self, "record", True))[0])
        check_metrics_of_target(self.scoring, y, self.estimator)
        if "groups" in params:
            params = with_groups(params)
        given, notes, orders = in_index_order(
            {"X": X, "y": y, **params}, length(X), as_sklearn=True
        )
        if in_blocks:
            check_rows_in_order(orders, params.get("groups"), "Sort the data by time.")
        return FitData(X, given["y"], {name: given[name] for name in params}, notes, orders)

    def _hand_over(self, recording: Recording) -> None:
        """Set `oof_` and what is made of it; a search may have taken days, and stays."""
        self._reasons, self._failed = {}, ""
        with hold_warnings() as held:
            for note in [] if recording.store is None else recording.store.notes():
                warn_user(note, RecordingWarning)
            try:
                self._finished = FinishedSearch.of(self, recording)
                self.oof_ = self._finished.oof
                self._answer(self._finished)
            except Exception as error:
                self._failed = f"{type(error).__name__}: {error}"
                warn_user(
                    f"No interval was computed: {self._failed}. The search itself is complete.",
                    RecordingWarning,
                )
            except BaseException:  # an interrupt
                if "_finished" not in vars(self):  # nothing half-fitted
                    self._forget_fit()
                raise
        # Only now, when nothing is lost where warnings are errors.
        warned = recording.data.warned
        release_warnings([each for each in dict.fromkeys(held) if each not in warned])

    def _answer(self, finished: FinishedSearch) -> None:
        """Make more of what was recorded."""

    # What scikit-learn's search calls, and hands what passes by to the record of this `fit`.

    def _validate_params(self) -> None:
        # Of names of scorers scikit-learn knows only its own; `check_scoring` has looked at them.
        constraints = {**self._parameter_constraints, "scoring": "no_validation"}
        validate_parameter_constraints(
            constraints, self.get_params(deep=False), caller_name=type(self).__name__
        )

    def _get_scorers(self) -> tuple[Any, Any]:
        search, scoring = self, with_our_scorers(self.scoring)
        if scoring is not self.scoring:  # the parameter itself stays as the user gave it
            search = copy(self)
            search.scoring = scoring
        scorers, refit_metric = super(RecordedSearch, search)._get_scorers()
        if "_recording" in vars(self):
            scorers = self._recording.listening(scorers)
        return scorers, refit_metric

    def _get_routed_params_for_fit(self, params: dict[str, Any]) -> Any:
        try:
            routed = super()._get_routed_params_for_fit(params)
        except AttributeError as error:
            if error.name != "_accept_sample_weight":
                raise
            raise takes_no_weights(self.scoring) from error
        self._recording.add_routed(routed, params)
        return routed

    def _format_results(
        self, candidate_params: Any, n_splits: int, out: Any, more_results: Any = None
    ) -> dict[str, Any]:
        self._recording.record.take_from(out)
        results: dict[str, Any] = super()._format_results(
            candidate_params, n_splits, out, more_results
        )
        if getattr(self, "drop", None) is not None:
            mark_dropped(results, self._recording.record.n_splits_done, n_splits, out)
        return results

    def _select_best_index(self, refit: Any, refit_metric: Any, results: Any) -> Any:
        select = super()._select_best_index
        if getattr(self, "drop", None) is None:
            return select(refit, refit_metric, results)
        # Whatever the rule, it never sees a configuration that was dropped.
        rest = np.flatnonzero(~dropped_of(results))
        return rest[select(refit, refit_metric, of_survivors(results, rest))]

    # The state of a search.

    def __getstate__(self) -> dict[str, Any]:
        # scikit-learn 1.9 sends the search itself to every worker: not what it has recorded.
        state = super().__getstate__()
        return {k: v for k, v in state.items() if k not in ("_recording", "_run_search")}

    def _forget_fit(self) -> None:
        own = ("_finished", "_reasons", "_failed")
        for name in [n for n in vars(self) if n in own or (n.endswith("_") and n[0] != "_")]:
            delattr(self, name)

    def _as_finished(self) -> FinishedSearch:
        """Return what was recorded, with the parameters that the search has now."""
        check_is_fitted(self, "oof_")
        return replace(self._finished, oof=self.oof_, n_jobs=self.n_jobs)


class RecordedGrid(RecordedSearch, GridSearchCV):
    """Grid search that keeps its predictions and refits nothing; nothing is asked of it.

    `record` is as in `BBCSearchCV`; `shows_progress` is whether it shows a bar of its fits.
    """

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        scoring: Any = None,
        n_jobs: int | None = None,
        cv: Any = None,
        error_score: Any = np.nan,
        record: Any = True,
        shows_progress: bool = False,
    ) -> None:
        super().__init__(
            estimator, param_grid, scoring=scoring, n_jobs=n_jobs, refit=False, cv=cv,
            error_score=error_score,
        )  # fmt: skip
        self.record = record
        self.shows_progress = shows_progress


def finished_of(search: RecordedSearch) -> FinishedSearch:
    """Return what was recorded of a fitted search, with the parameters that it has now."""
    return search._as_finished()
