"""Keep the predictions that scikit-learn's search makes, without copying its `fit`.

A `Recording` belongs to one `fit`. The hooks of `RecordedSearch` call it:

- ``_get_scorers``: `Recording.listening` makes scorers that keep what the estimator answers.
- ``_get_routed_params_for_fit``: `Recording.add_routed` keeps groups and weights.
- ``_run_search``: `Recording.watched` evaluates on splits that are kept, since
  those of a splitter without a seed cannot be asked for again.
- ``_format_results``: `Record.take_from` separates the answers from the scores before
  scikit-learn sees them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from numbers import Integral
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.metrics._scorer import _MultimetricScorer
from sklearn.utils import check_random_state
from sklearn.utils.metadata_routing import get_routing_for_object, process_routing
from sklearn.utils.validation import _num_samples

import sklearn_bbc.recording as recording

from .._warnings import Held
from ..predictions._validation import Order, check_splits
from ._capture import (
    CarriedScore,
    FoldResponses,
    RecordingMultimetricScorer,
    RecordingOptions,
    RecordingScorer,
    to_numpy,
)
from ._checks import wanted_responses
from ._tasks import SCORE_SIDES, TaskRunner, WithSplit, splitter_of, tasks_of


@dataclass(slots=True)
class Round:
    """One call of ``evaluate_candidates``: so many configurations on the same splits."""

    n_configs: int
    splits: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)


class FitData(NamedTuple):
    """What `fit` was given, in the order of `X`."""

    X: Any
    y: Any
    params: dict[str, Any]
    # What all results should say of it.
    notes: list[str]
    # The index of each pandas object, with its name.
    orders: tuple[Order, ...]
    # Warnings that were given of it.
    warned: Held = []


@dataclass(slots=True)
class Record:
    """What is known of one `fit`: what was asked of it, and what was recorded."""

    options: RecordingOptions = field(default_factory=RecordingOptions)
    # Where arrays that are large become files; None keeps all in memory.
    folder: Path | None = None
    # What the search scores with, without the recording.
    scorers: Any = None
    # Parameters of the scorers, such as weights.
    score_params: dict[str, Any] = field(default_factory=dict)
    # Metric name -> the sample weights (n_samples,) that its scorer was given, or None.
    score_weights: dict[str, Any] = field(default_factory=dict)
    # What scorers ask for by `set_score_request`, by the names under which `fit` got it.
    metadata: dict[str, Any] = field(default_factory=dict)
    # Groups (n_samples,) that the splitter was given, or None.
    groups: Any = None
    # One for grid and random search, several when the search space grows with the scores.
    rounds: list[Round] = field(default_factory=list)
    # Configuration by configuration, split by split. None: nothing was recorded.
    cells: list[FoldResponses | None] = field(default_factory=list)
    # For each cell, whether the fit raised.
    fit_failed: list[bool] = field(default_factory=list)
    # Splits on which each configuration was fitted; empty where nothing can be dropped.
    n_splits_done: list[int] = field(default_factory=list)
    # Why nothing was dropped, or nothing more.
    not_dropped: list[str] = field(default_factory=list)

    @property
    def n_fits(self) -> int:
        """Fits of the rounds so far, those that are still to come included."""
        return sum(each.n_configs * len(each.splits) for each in self.rounds)

    def take_from(self, out: list[dict[str, Any]]) -> None:
        """Take the responses off the scores of the models that are new in `out`.

        Where a callable returns several scores and raised for a model, each of them is the one
        that scikit-learn put in its place.
        """
        several = [r["test_scores"] for r in out if isinstance(r["test_scores"], dict)]
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
        for result in out if several else ():
            for side in SCORE_SIDES:
                if side in result and not isinstance(result[side], dict):
                    result[side] = dict.fromkeys(several[0], result[side])

    def keep_last(self, n_configs: int) -> int:
        """Forget the rounds before the last `n_configs` configurations; return what they had.

        From scikit-learn 1.10 on, ``cv_results_`` of successive halving has the last round only.
        """
        n_earlier = 0
        while len(self.rounds) > 1 and sum(each.n_configs for each in self.rounds) > n_configs:
            first = self.rounds.pop(0)
            n_cells = first.n_configs * len(first.splits)
            del self.cells[:n_cells], self.fit_failed[:n_cells]
            n_earlier += first.n_configs
        return n_earlier


class Recording:
    """One `fit` that is being recorded: its record, and what it needs while it runs."""

    def __init__(self, search: Any, data: FitData) -> None:
        wanted, also = wanted_responses(getattr(search, "record", True))
        self.data = data
        # Takes finished fits from a folder, and adds others.
        self.store: recording._resume.Resuming | None = None
        if getattr(search, "store", None) is not None:
            resuming = recording._resume.Resuming
            self.store = resuming(search, data.X, data.y, data.params, wanted, also)
        options = RecordingOptions(
            return_train_score=search.return_train_score,
            binary=_has_two_classes(data.y),
            wanted=wanted,
            also=also,
            error_score=getattr(search, "undefined_score", search.error_score),
        )
        self.record = Record(options)

    def end(self) -> None:
        """Give back what the fits needed."""
        self.record.options.lasting.release()
        if self.store is not None:
            self.store.close()

    @property
    def seed(self) -> int | None:
        """Seed of the store, for a search without one; None without a store."""
        return None if self.store is None else self.store.seed

    def draw_seed(self, search: Any) -> int:
        """Return the seed for draws of a search."""
        random_state = getattr(search, "random_state", None)
        if random_state is None and self.seed is not None:
            return self.seed
        if isinstance(random_state, Integral):
            return int(random_state)
        # From a copy of the generator: the next one to draw from it gets the
        # numbers that GridSearchCV would have left.
        return int(deepcopy(check_random_state(random_state)).randint(2**31))

    def listening(self, scorers: Any) -> Any:
        """Make the scorers of a search keep the predictions that they ask for."""
        options, self.record.scorers = self.record.options, scorers
        if not options.wanted:
            return scorers
        if isinstance(scorers, _MultimetricScorer):
            return RecordingMultimetricScorer(
                scorers=scorers._scorers, raise_exc=scorers._raise_exc, options=options
            )
        return RecordingScorer(scorers, options)

    def add_routed(self, routed: Any, params: dict[str, Any]) -> None:
        """Keep what splitter and scorers get of the parameters of `fit`."""
        record = self.record
        record.groups = routed.splitter.split.get("groups")
        record.score_params = dict(routed.scorer.score)
        record.score_weights = _weights_by_metric(record.scorers, routed.scorer.score)
        if get_config()["enable_metadata_routing"]:
            record.metadata = _metadata_of(record.scorers, params)

    def watched(
        self,
        search: Any,
        evaluate_candidates: Callable[..., Any],
        bar: TaskRunner | None,
        race: Callable[[Round], TaskRunner] | None,
    ) -> Callable[..., Any]:
        """Make ``evaluate_candidates`` keep its splits, and run its tasks by these and the store.

        `race` makes what runs those of one round.
        """
        store = self.store
        if store is not None:
            store.open(splitter_of(evaluate_candidates, search))
            self.record.folder = store.path

        def evaluate(candidate_params, cv=None, more_results=None, callback_ctx=None):
            candidates = list(candidate_params)
            if cv is None:
                cv = splitter_of(evaluate_candidates, search)
            if store is not None:
                cv = store.splitter(cv, candidates)
            this_round = Round(len(candidates))
            self.record.rounds.append(this_round)
            context = {}
            # Each task would carry the whole tree of contexts, megabytes in a large search.
            if callback_ctx is not None and _has_callbacks(search, candidates):
                context["callback_ctx"] = callback_ctx

            def split(*args: Any, **kwargs: Any) -> Iterator[Any]:
                this_round.splits[:] = cv.split(*args, **kwargs)
                check_splits(this_round.splits, _num_samples(args[0]))
                return iter(this_round.splits)

            runners = [bar, store, None if race is None else race(this_round)]
            with tasks_of(evaluate_candidates, search, [r for r in runners if r is not None]):
                return evaluate_candidates(
                    candidates, cv=WithSplit(cv, split), more_results=more_results, **context
                )

        return evaluate


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
    """Check whether the search, its estimator or a candidate value has callbacks."""
    owners = [search, *search.get_params(deep=True).values()]
    seen = {id(owner) for owner in owners}
    for value in (value for params in candidates for value in params.values()):
        if id(value) not in seen and isinstance(value, BaseEstimator):
            seen.add(id(value))
            owners += [value, *value.get_params(deep=True).values()]
    return any(getattr(owner, "_skl_callbacks", None) for owner in owners)


def _has_two_classes(y: Any) -> bool:
    """Check whether the target is one column with exactly two distinct values."""
    try:
        y = to_numpy(y)
        if y.ndim == 2 and y.shape[1] == 1:
            y = y[:, 0]
        return y.ndim == 1 and len(np.unique(y)) == 2
    except (TypeError, ValueError):  # no target, or values that cannot be compared
        return False
