"""Hears the results of one round of a search, and decides who is fitted on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..._warn import hold_warnings
from ...predictions import OOFPredictions
from .._metrics import SCORE
from ..recording._assembly import _positions
from ..recording._listening import responses_in
from ..recording._recording import Round
from ..recording._sheet import ResponseSheet
from ._race import LEAST_GROUPS, Race, batches_of
from ._splits import one_split
from ._standings import LeadTest, Standings

__all__ = ["Facts", "RoundJudge"]

TOO_FEW = (
    "before the last split there are never predictions for {least} different samples, "
    "{per_class} of each class"
)
NOT_COMPARABLE = (
    "no two configurations could be compared: they have no score in some split, or scores that "
    "their predictions do not give again"
)


@dataclass(frozen=True, eq=False)
class Facts:
    """What a judge must know of the search.

    Parameters
    ----------
    target : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Target.
    classifier : bool
        Whether the estimator says that the target holds classes.
    groups : ndarray of shape (n_samples,) or None
        What the splitter was given.
    weights : ndarray of shape (n_samples,) or None
        Sample weights of the scorers.
    test : LeadTest
        How leads are tested.
    standings : callable
        From the predictions of the first split, and its scores by the names of metrics, to an
        empty standing for each metric.
    tell : callable
        Tells the user after so many of the splits how many configurations were dropped and how
        many are left.
    metadata : mapping of str to object
        What scorers get besides predictions.
    """

    target: np.ndarray
    classifier: bool
    groups: np.ndarray | None
    weights: np.ndarray | None
    test: LeadTest
    standings: Callable[[OOFPredictions, Mapping[str, np.ndarray]], dict[str, Standings]]
    tell: Callable[[int, int, int, int], None]
    metadata: Mapping[str, Any] = field(default_factory=dict)


class RoundJudge:
    """Judge of one call of ``evaluate_candidates``.

    Whatever fails here drops nothing more and says why; the search goes on.

    Parameters
    ----------
    facts : Facts
        Of the search.
    this_round : Round
        Its configurations and splits.

    Attributes
    ----------
    why_not : str
        Why nothing could be dropped, or nothing more; empty where all went well.
    """

    def __init__(self, facts: Facts, this_round: Round) -> None:
        self._facts, self._round = facts, this_round
        self.why_not = ""
        self._batches: list[list[int]] = []
        self._classes: np.ndarray | None = None
        self._race: Race  # begins when the splits are known

    @property
    def n_splits_done(self) -> list[int]:
        """Splits of each configuration."""
        return self._race.n_splits_done.tolist()

    def batches(self) -> list[list[int]]:
        """Splits that are fitted together, see `Judge`."""
        facts, n_splits = self._facts, len(self._round.splits)
        self._race = Race(self._round.n_configs, n_splits, facts.test)
        self._batches = [list(range(n_splits))]
        if not len(facts.target):
            self.why_not = "there is no target, so there are no predictions to compare"
            return self._batches
        try:
            n_samples = len(facts.target)
            self._tests = [_positions(test, n_samples) for _, test in self._round.splits]
            holds_classes = facts.classifier and facts.target.ndim == 1
            self._classes = np.unique(facts.target) if holds_classes else None
            self._batches = batches_of(self._tests, facts.target, self._classes, facts.test)
        except Exception as error:  # a target of another kind
            self._give_up(error)
        if len(self._batches) == 1 and self._round.n_configs > 1 and not self.why_not:
            self.why_not = TOO_FEW.format(
                least=facts.test.min_predictions, per_class=facts.test.min_per_class
            )
            if facts.test.grouped:
                self.why_not += f", of {LEAST_GROUPS} groups"
        return self._batches

    def after(self, split: int, results: dict[int, dict[str, Any]]) -> None:
        """Take in the results of one split, see `Judge`."""
        if self.why_not or len(self._race.left) < 2 or split >= self._batches[-1][0]:
            return  # nothing could be spared
        try:
            with hold_warnings():
                self._add(split, results)
        # The fits are what has taken days. A test that fails drops nothing.
        except Exception as error:
            self._give_up(error)

    def left(self, n_done: int) -> np.ndarray:
        """Configurations that are fitted on, see `Judge`."""
        race, n_splits = self._race, len(self._round.splits)
        if not self.why_not and n_done < n_splits and len(race.left) > 1:
            try:
                with hold_warnings():
                    dropped = race.drop(n_done)
                self._facts.tell(n_done, n_splits, len(dropped), len(race.left))
                if n_done == self._batches[-1][0] and not race.compared:
                    self.why_not = NOT_COMPARABLE
            except Exception as error:
                self._give_up(error)
        return race.left

    def _give_up(self, error: Exception) -> None:
        why = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        self.why_not = why.rstrip(".")

    def _add(self, split: int, results: dict[int, dict[str, Any]]) -> None:
        facts, race = self._facts, self._race
        scores = _scores(results)
        heard = [responses_in(result["test_scores"]) for result in results.values()]
        if self._classes is None and facts.target.ndim == 1:
            if any(each is not None and each.classes is not None for each in heard):
                self._classes = np.unique(facts.target)  # a classifier without its tag
        test = self._tests[split]
        order = np.argsort(test)
        place = np.empty(len(order), dtype=np.intp)
        place[order] = np.arange(len(order))
        sheet = ResponseSheet(len(results), [place], self._classes)
        for position, responses in enumerate(heard):
            if responses is not None:
                sheet.write(position, 0, responses)
        sheet.mark_missing()
        if not sheet.arrays:
            raise ValueError(
                "no predictions were recorded, so configurations cannot be compared on them"
            )
        oof = one_split(
            facts.target,
            self._classes,
            sheet.arrays,
            test[order],
            groups=facts.groups,
            sample_weight=facts.weights,
            metadata=facts.metadata,
        )
        race.add(oof, scores, lambda: facts.standings(oof, scores))


def _scores(results: Mapping[int, Mapping[str, Any]]) -> dict[str, np.ndarray]:
    """Name of a metric -> scores of shape (n_configs,); NaN where the fit failed."""
    several = [each["test_scores"] for each in results.values()]
    known: list[str] = next((list(each) for each in several if isinstance(each, dict)), [SCORE])
    columns: dict[str, list[float]] = {name: [] for name in known}
    for result in results.values():
        scores = result["test_scores"]
        failed = result["fit_error"] is not None
        for name in known:
            value = scores.get(name) if isinstance(scores, dict) else scores
            columns[name].append(np.nan if failed or value is None else float(value))
    return {name: np.asarray(values) for name, values in columns.items()}
