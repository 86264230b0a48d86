"""What is kept of a finished search, whatever became of its predictions."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from ..._warn import warn_user
from ...exceptions import RecordingWarning
from ...metrics import Metric
from ...predictions import OOFPredictions
from ._assembly import assemble
from ._check import check_record, describe_cells, without_cells
from ._recording import Recording

__all__ = ["NOT_WANTED", "checked_predictions", "kept_predictions", "scorer_failures"]

NOT_WANTED = "record=False keeps the scores per fold only"
NOTHING_HEARD = (
    "the scorer asked the estimators for no prediction of the rows it was given, or there is "
    "no target"
)
OUT_OF_MEMORY = "memory ran out while predictions were recorded"
NOT_KEPT = "the predictions could not be kept"
LOST_OTHERS = "These configurations cannot win in a bootstrap draw."
LOST_WINNER = (
    "Since the best configuration is among them, no interval uses these predictions; BBC-F's, "
    "from the scores per fold, takes its place."
)
NOT_SCORED = "the best configuration's predictions are missing, or are not those that were scored"


def kept_predictions(
    recording: Recording,
    X: Any,
    y: Any,
    cv_results: dict[str, Any],
    *,
    selected: int | None,
    classifier: bool,
) -> tuple[OOFPredictions, str]:
    """Assemble the record; without memory, or after a fault, the scores per fold.

    Parameters
    ----------
    recording : Recording
        What the search recorded; its cells are gone afterwards.
    X, y : array-like
        Data of the search.
    cv_results : dict
        ``cv_results_`` of the search.
    selected : int or None
        The configuration that the search selected.
    classifier : bool
        Whether the target holds classes.

    Returns
    -------
    oof : OOFPredictions
        Predictions, or only scores per fold.
    why : str
        Why there are only scores, if that is so.
    """

    def assembled(target: Any) -> OOFPredictions:
        return assemble(recording, X, target, cv_results, selected=selected, classifier=classifier)

    why = NOTHING_HEARD if recording.wanted else NOT_WANTED
    out_of_memory = recording.keeper.stopped or any(
        cell is not None and cell.out_of_memory for cell in recording.cells
    )
    try:
        if not out_of_memory:
            return assembled(y), why
    except MemoryError:
        pass  # told below
    # The search itself is complete and must not be lost, whatever the predictions are.
    except Exception as error:
        warn_user(
            f"The predictions could not be kept ({type(error).__name__}: {error}); only the "
            "scores per fold are.",
            RecordingWarning,
        )
        return assembled(None), f"{NOT_KEPT} ({type(error).__name__}: {error})"
    recording.cells[:] = [None] * len(recording.cells)
    warn_user(
        "There was not enough memory for the predictions of all configurations, so recording "
        "stopped and only the scores per fold are kept: intervals come from BBC-F. "
        "record=False asks for this from the beginning.",
        RecordingWarning,
    )
    try:
        return assembled(y), OUT_OF_MEMORY
    except Exception:  # not even the target
        return assembled(None), OUT_OF_MEMORY


def checked_predictions(
    oof: OOFPredictions,
    views: Mapping[str, tuple[Metric, OOFPredictions]],
    best: Mapping[str, int | None],
    error_score: Any,
    recording: Recording,
) -> OOFPredictions:
    """Leave out what is not what the search scored, and say so.

    Parameters
    ----------
    oof : OOFPredictions
        The record.
    views, best, error_score
        As in `check_record`.
    recording : Recording
        Knows which cells were never recorded, and whether that was said already.

    Returns
    -------
    OOFPredictions
        The same where everything agrees. Cells that disagree are missing; when the winner's
        are among them, so are the other configurations', since an interval that leaves the
        winner out would be about another search.
    """
    if not oof.responses or not views:
        return oof
    found = check_record(views, best, error_score, recording.heard)
    for name in found.unsteady:
        warn_user(
            f"{name} gives another number each time it is called on the same predictions, so "
            "the recorded predictions cannot be compared with cv_results_. A fixed seed inside "
            "the scorer helps.",
            RecordingWarning,
        )
    winners = {config for config in best.values() if config is not None}
    if found.missing.any():
        configs = np.flatnonzero(found.missing).tolist()
        lost_winner = bool(winners & set(configs))
        if lost_winner or not recording.problems:
            warn_user(
                "Not every prediction was recorded of configurations that were scored: "
                f"{_listed(configs)}. {LOST_WINNER if lost_winner else LOST_OTHERS}",
                RecordingWarning,
            )
        if lost_winner:
            return _without(oof, set(oof.responses))
    if not found.cells.any():
        return oof
    lost = np.atleast_1d(found.cells.any(axis=0))
    nothing_left = any(lost[config] for config in winners) or bool(lost[~oof.failed].all())
    warn_user(
        f"What was recorded is not what was scored: {', '.join(found.metrics)} computed from "
        f"the recorded predictions differs from cv_results_ for {describe_cells(found.cells)}. "
        f"They are treated as not recorded. {LOST_WINNER if nothing_left else LOST_OTHERS} "
        "Known reasons are models or scorers that threads share, scikit-learn scorers with an "
        "estimator whose classes_ are not sorted, and scorers that use more than predictions or "
        "give another number each time. The results of the search itself are not affected.",
        RecordingWarning,
    )
    return _without(oof, found.methods) if nothing_left else without_cells(oof, found)


def _listed(configs: list[int], most: int = 10) -> str:
    more = f" and {len(configs) - most} more" if len(configs) > most else ""
    return ", ".join(map(str, configs[:most])) + more


def _without(oof: OOFPredictions, methods: set[str]) -> OOFPredictions:
    """The same predictions without some response methods; without any, without rows."""
    left = {name: array for name, array in oof.responses.items() if name not in methods}
    fields: dict[str, Any] = {"responses": MappingProxyType(left)}
    if not left:
        fields.update(dict.fromkeys(("sample", "fold", "repeat"), np.zeros(0, dtype=np.int64)))
    return oof._with_fields(**fields)


def scorer_failures(
    search: Any, recording: Recording, oof: OOFPredictions, X: Any, y: Any
) -> dict[str, str]:
    """Why every score of a metric failed, for metrics of which that is true.

    scikit-learn prints the scorer's error in the process where it happened and keeps only
    NaN. The scorer is called once more, on the refitted winner, to learn it.

    Parameters
    ----------
    search : BBCSearchMixin
        The finished search.
    recording : Recording
        Knows the parameters of the scorers.
    oof : OOFPredictions
        Has the scores per fold under the names in ``cv_results_``.
    X, y : array-like
        Data of the search.

    Returns
    -------
    dict of str to str
        Name in ``cv_results_`` -> sentence with the error. A metric without an entry has
        scores, or a scorer that works on all samples together.
    """
    failures = {}
    for name, scores in oof.fold_scores.items():
        scores = scores[:, ~oof.failed]
        nothing: np.ndarray = np.isnan(scores)
        if isinstance(search.error_score, (int, float)) and not oof.responses:
            nothing |= scores == search.error_score
        if not scores.size or not nothing.all():
            continue
        if not hasattr(search, "best_estimator_"):
            if not oof.responses:
                failures[name] = (
                    "Every score of the search failed. The scorer's error is in scikit-learn's "
                    'warnings; error_score="raise" stops at it.'
                )
            continue
        scorer = search.scorer_[name] if isinstance(search.scorer_, dict) else search.scorer_
        try:
            data = (X,) if y is None else (X, y)
            scorer(search.best_estimator_, *data, **recording.score_params)
        # Whatever a scorer raises is what was asked for.
        except Exception as error:
            lines = str(error).strip().splitlines() or [""]
            failures[name] = (
                f"Every score of the search failed, with {type(error).__name__}: {lines[0]}"
            )
    return failures
