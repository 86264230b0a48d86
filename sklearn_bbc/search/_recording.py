"""Keep the predictions that scikit-learn's search makes, without copying its `fit`.

This file and `_capture.py` are the only ones that touch private code of
scikit-learn's searches; they work with scikit-learn 1.6 to 1.9.

- ``_get_scorers`` hands out scorers that listen to what the estimator answers.
- ``_format_results`` takes the answers off the scores before scikit-learn sees them.
- ``_validate_params`` and ``_get_scorers`` know the names of our scorers too.
- ``_run_search`` evaluates on splits that remember themselves: the splits of a splitter
  without a seed cannot be asked for again.
"""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.metrics._scorer import _MultimetricScorer
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils._param_validation import StrOptions, validate_parameter_constraints
from sklearn.utils.metadata_routing import get_routing_for_object, process_routing

from .._scorers import scorer_names, with_our_scorers
from .._utils import with_groups
from ._capture import (
    CarriedScore,
    FoldResponses,
    Keeper,
    LastingShadows,
    RecordingMultimetricScorer,
    RecordingOptions,
    RecordingScorer,
    to_numpy,
)
from ._metrics import wanted_responses
from ._resume import Resuming, resuming


class RecordedSplits:
    """A splitter that remembers the splits it gave; in everything else the splitter itself."""

    def __init__(self, splitter: Any, splits: list[tuple[np.ndarray, np.ndarray]]):
        self._splitter, self._splits = splitter, splits

    def split(self, *args: Any, **kwargs: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        self._splits[:] = self._splitter.split(*args, **kwargs)
        return iter(self._splits)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("_splitter", "_splits"):
            raise AttributeError(name)
        return getattr(self._splitter, name)


@dataclass(slots=True)
class Round:
    """One call of ``evaluate_candidates``: so many configurations on the same splits."""

    n_configs: int
    splits: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)


@dataclass(slots=True)
class Recording:
    """Record of one `fit`."""

    # One for grid and random search, several when the search space grows with the scores.
    rounds: list[Round] = field(default_factory=list)
    # Configuration by configuration, split by split. None: nothing was recorded.
    cells: list[FoldResponses | None] = field(default_factory=list)
    # For each cell, whether the fit raised.
    fit_failed: list[bool] = field(default_factory=list)
    # Groups (n_samples,) that the splitter was given, or None.
    groups: Any = None
    # Metric name -> the sample weights (n_samples,) that its scorer was given, or None.
    score_weights: dict[str, Any] = field(default_factory=dict)
    # Whether the target has exactly two classes.
    binary: bool = False
    # What the search scores with, without the recording.
    scorers: Any = None
    # Parameters of the scorers, such as weights.
    score_params: dict[str, Any] = field(default_factory=dict)
    # What scorers ask for by `set_score_request`, by the names under which `fit` got it.
    metadata: dict[str, Any] = field(default_factory=dict)
    # Whether predictions are recorded at all.
    wanted: bool = True
    # Response methods that are recorded besides those that the scorers ask for.
    also: tuple[str, ...] = ()
    # Whether something could not be kept, of which a warning came then.
    problems: bool = False
    # Response method -> which configurations (n_configs,) have it in every fold.
    recorded: dict[str, np.ndarray] = field(default_factory=dict)
    # Knows what is recorded in this process.
    keeper: Keeper = field(default_factory=Keeper)
    # Stand-ins on models that threads share.
    lasting: LastingShadows = field(default_factory=LastingShadows)
    # Takes finished fits from a folder and adds others.
    store: Resuming | None = None
    # Target of the search.
    y: Any = None
    # Splits on which each configuration was fitted; empty where nothing can be dropped.
    n_splits_done: list[int] = field(default_factory=list)
    # Why nothing was dropped, or nothing more.
    not_dropped: list[str] = field(default_factory=list)
    # What all results should say.
    notes: list[str] = field(default_factory=list)

    def take_from(self, out: list[dict[str, Any]]) -> None:
        """Take the responses off the scores of the models that are new in `out`."""
        for result in out[len(self.cells) :]:
            scores, responses = result["test_scores"], None
            if isinstance(scores, dict):
                for name, score in scores.items():
                    if type(score) is CarriedScore:
                        responses, scores[name] = score.responses, float(score)
            elif type(scores) is CarriedScore:
                responses, result["test_scores"] = scores.responses, float(scores)
            self.cells.append(responses)
            self.fit_failed.append(result["fit_error"] is not None)


class RecordingSearch(BaseSearchCV):
    """Search that records its predictions; goes before another search class in the bases.

    ``fit`` ends with the hook ``_finish_fit(recording, X, y)``. Whatever interrupts the
    search before, no half-fitted attribute is left.
    """

    _recording: Recording
    scorer_: Any

    def fit(self, X: Any, y: Any = None, **params: Any) -> Any:
        params = with_groups(params)
        # An earlier fit's results would be sent to every worker with the search itself.
        self._forget_fit()
        wanted, also = wanted_responses(getattr(self, "record", True))
        recording = self._recording = Recording(
            binary=_has_two_classes(y), wanted=wanted, also=also, y=y
        )
        recording.store = resuming(self, X, y, params, wanted, also)
        # On the instance, so that the `_run_search` of any subclass is recorded.
        run_search = self._run_search

        @functools.wraps(run_search)  # `fit` looks at the signature before it passes a context
        def recorded_run(evaluate_candidates: Any, **context: Any) -> None:
            run_search(self._recorded(evaluate_candidates), **context)

        self.__dict__["_run_search"] = recorded_run
        try:
            super().fit(X, y, **params)
        except BaseException:
            self._forget_fit()
            raise
        finally:
            recording.lasting.release()
            if recording.store is not None:
                recording.store.close()
            del self._recording, self.__dict__["_run_search"]
        if isinstance(self.scorer_, RecordingScorer):
            self.scorer_ = self.scorer_._scorer
        self._finish_fit(recording, X, y)
        return self

    def _finish_fit(self, recording: Recording, X: Any, y: Any) -> None:
        """Use what was recorded; subclasses say how."""
        raise NotImplementedError

    def _forget_fit(self) -> None:
        for name in [name for name in vars(self) if name.endswith("_") and name[0] != "_"]:
            delattr(self, name)

    def _seed_of_store(self, recording: Recording | None = None) -> int | None:
        """Return the seed of the store, for a search without one; None without a store."""
        recording = recording or vars(self).get("_recording")
        return recording.store.seed if recording is not None and recording.store else None

    def __getstate__(self) -> dict[str, Any]:
        # scikit-learn 1.9 sends the search itself to every worker: not what it has recorded.
        state = super().__getstate__()
        return {k: v for k, v in state.items() if k not in ("_recording", "_run_search")}

    def _validate_params(self) -> None:
        # The same check as scikit-learn's, which knows only its own names of scorers.
        constraints = dict(self._parameter_constraints)
        others = [each for each in constraints["scoring"] if not isinstance(each, StrOptions)]
        constraints["scoring"] = [StrOptions(set(scorer_names())), *others]
        validate_parameter_constraints(
            constraints, self.get_params(deep=False), caller_name=type(self).__name__
        )

    def _get_scorers(self) -> tuple[Any, Any]:
        search, scoring = self, with_our_scorers(self.scoring)
        if scoring is not self.scoring:  # the parameter itself stays as the user gave it
            search = copy.copy(self)
            search.scoring = scoring
        scorers, refit_metric = super(RecordingSearch, search)._get_scorers()
        if "_recording" in vars(self):
            self._recording.scorers = scorers
            recording = self._recording
            options = RecordingOptions(
                self.return_train_score, recording.binary, recording.also, recording.keeper,
                recording.lasting,
            )  # fmt: skip
            if not recording.wanted:
                pass
            elif isinstance(scorers, _MultimetricScorer):
                scorers = RecordingMultimetricScorer(
                    scorers=scorers._scorers, raise_exc=scorers._raise_exc, options=options
                )
            else:
                scorers = RecordingScorer(scorers, options)
        return scorers, refit_metric

    def _get_routed_params_for_fit(self, params: dict[str, Any]) -> Any:
        routed = super()._get_routed_params_for_fit(params)
        if "_recording" in vars(self):
            recording = self._recording
            recording.groups = routed.splitter.split.get("groups")
            recording.score_params = dict(routed.scorer.score)
            recording.score_weights = _weights_by_metric(recording.scorers, routed.scorer.score)
            recording.metadata = _metadata_of(recording.scorers, params)
        return routed

    def _recorded(self, evaluate_candidates: Callable[..., Any]) -> Callable[..., Any]:
        recording, store = self._recording, self._recording.store
        if store is not None:
            store.open(_checked_splitter(self, evaluate_candidates))
            evaluate_candidates = store.taking(evaluate_candidates)

        def evaluate(candidate_params, cv=None, more_results=None, callback_ctx=None):
            candidates = list(candidate_params)
            if cv is None:
                cv = _checked_splitter(self, evaluate_candidates)
            if store is not None:
                cv = store.splitter(cv, candidates)
            this_round = Round(len(candidates))
            recording.rounds.append(this_round)
            context = {}
            # Each task would carry the whole tree of contexts, megabytes in a large search.
            if callback_ctx is not None and _has_callbacks(self, candidates):
                context["callback_ctx"] = callback_ctx
            cv = RecordedSplits(cv, this_round.splits)
            with self._evaluating(evaluate_candidates, this_round):
                return evaluate_candidates(candidates, cv=cv, more_results=more_results, **context)

        return evaluate

    def _evaluating(
        self, evaluate_candidates: Callable[..., Any], this_round: Round
    ) -> AbstractContextManager[None]:
        """Return the context of a call of ``evaluate_candidates``; subclasses may change it."""
        return nullcontext()

    def _format_results(
        self, candidate_params: Any, n_splits: int, out: Any, more_results: Any = None
    ) -> dict[str, Any]:
        if "_recording" in vars(self):
            self._recording.take_from(out)
        return super()._format_results(candidate_params, n_splits, out, more_results)


def _checked_splitter(search: Any, evaluate_candidates: Callable[..., Any]) -> Any:
    """Find the splitter that ``fit`` made of ``cv``: an attribute since 1.9, a local before."""
    local = inspect.getclosurevars(evaluate_candidates).nonlocals
    return local["cv_orig"] if "cv_orig" in local else search._checked_cv_orig


def _weights_by_metric(scorers: Any, score_params: dict[str, Any]) -> dict[str, Any]:
    """Map the name of each metric to the sample weights that its scorer will be given."""
    if not isinstance(scorers, _MultimetricScorer):
        return {"score": score_params.get("sample_weight")}
    if not score_params:
        return dict.fromkeys(scorers._scorers)
    if get_config()["enable_metadata_routing"]:
        routed = process_routing(scorers, "score", **score_params)
        return {name: routed[name].score.get("sample_weight") for name in scorers._scorers}
    return {
        name: score_params.get("sample_weight") if scorer._accept_sample_weight() else None
        for name, scorer in scorers._scorers.items()
    }


def _metadata_of(scorers: Any, params: dict[str, Any]) -> dict[str, Any]:
    """Pick the parameters of `fit` that some scorer asks for by `set_score_request`."""
    if not get_config()["enable_metadata_routing"]:
        return {}
    given = {name: value for name, value in params.items() if value is not None}
    each = each_scorer(scorers)
    names = set().union(*(get_routing_for_object(s).consumes("score", given) for s in each))
    return {name: value for name, value in given.items() if name in names}


def each_scorer(scorers: Any) -> list[Any]:
    """List the scorers of one or several metrics."""
    return (
        list(scorers._scorers.values()) if isinstance(scorers, _MultimetricScorer) else [scorers]
    )


def _has_callbacks(search: Any, candidates: list[dict[str, Any]]) -> bool:
    """Whether there are callbacks: callbacks of the search, its estimator or a candidate value."""
    owners = [search, *search.get_params(deep=True).values()]
    seen = {id(owner) for owner in owners}
    for value in (value for params in candidates for value in params.values()):
        if id(value) not in seen and isinstance(value, BaseEstimator):
            seen.add(id(value))
            owners += [value, *value.get_params(deep=True).values()]
    return any(getattr(owner, "_skl_callbacks", None) for owner in owners)


def _has_two_classes(y: Any) -> bool:
    """Whether the target is one column with exactly two distinct values."""
    try:
        y = to_numpy(y)
        if y.ndim == 2 and y.shape[1] == 1:
            y = y[:, 0]
        return y.ndim == 1 and len(np.unique(y)) == 2
    except (TypeError, ValueError):  # no target, or values that cannot be compared
        return False
