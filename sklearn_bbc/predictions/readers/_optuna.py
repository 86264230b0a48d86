"""Read what the trials of an Optuna study reported for each item or fold."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..._text import count
from ..._utils import got
from .._sources import ADAPTIVE
from ._models import named
from ._shared import Predictions, compare_with_board, set_on

FIXED = {"RandomSampler", "GridSampler", "QMCSampler", "BruteForceSampler"}
"""Samplers that do not look at the scores of earlier trials."""


def from_optuna(
    cls: type[Predictions], study: Any, *, steps: str = "items", metric: str = "score"
) -> Predictions:
    """Read the values that an objective reported step by step in the trials of an Optuna study.

    So do objectives for ``WilcoxonPruner``: ``trial.report(value, step)`` for each item or fold,
    and their mean in the end. Read with Optuna 5.0. Predictions are kept by `OOFRecorder`.

    Parameters
    ----------
    study : optuna.Study
        A study with one objective. Trials that were pruned, failed, or reported other steps are
        left out.
    steps : {"items", "folds"}, default="items"
        What the steps are: items on which nothing was trained, such as questions or problems,
        as in `from_scores`; or folds of cross-validation, as in `from_fold_scores`.
    metric : str, default="score"
        With folds: the name of the scores, such as ``"roc_auc"``; smaller ones are negative, as
        ``"neg_log_loss"`` is.

    Returns
    -------
    OOFPredictions
        A configuration for each trial. A note says whether the mean of its values is the value of
        the trial.

    Raises
    ------
    ValueError
        If there are several objectives, or no trial reported at least three steps.

    Warns
    -----
    IntervalWarning
        If the value of a trial is not the mean of what it reported.

    Examples
    --------
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import BBCF
    >>> oof = OOFPredictions.from_optuna(study, steps="folds", metric="r2")  # doctest: +SKIP
    >>> BBCF().estimate(oof, "r2")  # doctest: +SKIP
    """
    if steps not in ("items", "folds"):
        raise ValueError(f"steps must be 'items' or 'folds', got {got(steps)}.")
    if not isinstance(metric, str) or not metric:
        raise ValueError(f"metric must be the name of the scores, got {got(metric)}.")
    if not hasattr(study, "trials") or not hasattr(study, "directions"):
        raise ValueError(f"study must be a study of Optuna, got {got(study)}.")
    if len(study.directions) != 1:
        raise ValueError(f"The study has {len(study.directions)} objectives: give one with one.")
    complete = [trial for trial in study.trials if trial.state.name == "COMPLETE"]
    n_steps = pd.Series([len(trial.intermediate_values) for trial in complete], dtype=int)
    if not len(n_steps) or n_steps.max() < 3:
        raise ValueError(
            f"Of {count(len(study.trials), 'trial')}, {len(complete)} complete, none has reported "
            "three steps or more: call trial.report(value, step) for each item or fold in the "
            "objective, or keep predictions by OOFRecorder."
        )
    known = complete[int(n_steps.idxmax())].intermediate_values
    kept = [trial for trial in complete if set(trial.intermediate_values) == set(known)]
    table = pd.DataFrame(
        {f"trial {trial.number}": trial.intermediate_values for trial in kept}
    ).sort_index()
    greater = study.directions[0].name == "MAXIMIZE"
    notes = _notes(study, complete, kept)
    notes += compare_with_board(
        "the study of Optuna", "value",
        table.mean().to_dict(), {f"trial {trial.number}": trial.value for trial in kept},
        why="Then the objective returns something else than the mean of the steps, which is what "
        "selects here.",
    )  # fmt: skip
    if steps == "folds":
        scores = table.to_numpy(dtype=float) * (1 if greater else -1)
        params = [dict(trial.params) for trial in kept]
        return cls.from_fold_scores({metric: scores}, params=params, notes=notes)
    oof = cls.from_scores(table, greater_is_better=greater)
    set_on(oof, notes=(*oof.notes, *notes))
    return oof


def _notes(study: Any, complete: list[Any], kept: list[Any]) -> list[str]:
    """Say which trials are left out, and whether later ones were chosen by earlier ones."""
    notes = []
    states = pd.Series([trial.state.name.lower() for trial in study.trials])
    lost = states[states != "complete"].value_counts()
    if len(lost):
        what = ", ".join(f"{n} {state}" for state, n in lost.items())
        notes.append(
            f"Of {count(len(study.trials), 'trial')} left out, so that no draw can select them: "
            f"{what}. They looked worse on the steps that they had reported, if pruned; some "
            "optimism may remain."
        )
    others = [f"trial {trial.number}" for trial in complete if trial not in kept]
    if others:
        notes.append(f"Left out, since they reported other steps: {named(others)}.")
    sampler = type(getattr(study, "sampler", None)).__name__
    if sampler not in FIXED:
        notes.append(ADAPTIVE.format(f"{sampler} may have chosen"))
    return notes
