"""Predictions of a finished search that kept none: the same fits on the same splits, once more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.model_selection import check_cv

from .._utils import check_integer, same, with_groups
from .._warnings import warn_user
from ..exceptions import RecordingWarning
from ..predictions._predictions import OOFPredictions
from ..predictions._sources import arguments_of
from ._mixin import RecordedGrid

CLOSE = 1e-6
"""Relative difference of two scores up to which they come from the same model."""


def predicted_again(
    search: Any,
    X: Any,
    y: Any,
    fit_params: Mapping[str, Any],
    *,
    n_best: int | None = None,
    n_jobs: int | None = None,
) -> OOFPredictions:
    """Fit the configurations of a search again, and keep their out-of-fold predictions.

    Arguments are those of `OOFPredictions.from_search`, which calls this; groups and weights are
    among the parameters of ``fit``.
    """
    fit_params = with_groups({k: v for k, v in fit_params.items() if v is not None})
    given = arguments_of(search)
    selected = given["selected"]
    so_far = f" So far: {', '.join(sorted(fit_params))}." if fit_params else ""
    advice = (
        "If `fit` of the search was given sample_weight, groups or other parameters, pass the "
        f"same ones: OOFPredictions.from_search(search, X, y, sample_weight=...).{so_far}"
    )
    if y is None and (is_classifier(search) or is_regressor(search)):
        raise ValueError("y is missing: from_search(search, X, y) fits the configurations again.")
    params, scores = given["params"], given["fold_scores"]
    if len(params) > 1 and not any(params):
        raise ValueError(
            f"{type(search).__name__} does not say which parameters it tried: cv_results_ has "
            "neither params nor param_* columns. Its configurations cannot be fitted again."
        )
    if getattr(search, "resource", None) == "n_samples":
        raise ValueError(
            f"{type(search).__name__} fitted its configurations on parts of the samples, which "
            "cannot be drawn again. The scores per fold of the last ones are enough for BBC-F: "
            f"BBCF().estimate(OOFPredictions.from_search(search), {next(iter(scores))!r}). For "
            "other methods make a search of `BBCSearchMixin` and this class, which records while "
            "it runs."
        )
    first = next(iter(scores.values()))
    cv = check_cv(getattr(search, "cv", None), y, classifier=is_classifier(search.estimator))
    splits, same_again = (
        [tuple(map(np.asarray, pair)) for pair in cv.split(X, y, fit_params.get("groups"))]
        for _ in range(2)
    )
    if len(splits) != len(first) or not same(splits, same_again):
        raise ValueError(
            f"The splits of cv={search.cv!r} cannot be made again: a shuffled splitter needs an "
            "integer random_state, and a generator is used up by the search. Its scores per fold "
            "are enough for BBC-F: BBCF().estimate(OOFPredictions.from_search(search), "
            f"{next(iter(scores))!r}). For other methods fit it as BBCSearchCV."
        )
    chosen = np.arange(len(params))
    if n_best is not None:
        check_integer("n_best", n_best, 1)
        means = np.where(np.isnan(first).any(axis=0), -np.inf, first.mean(axis=0))
        if selected is not None:  # always among them
            means[selected] = np.inf
        chosen = np.sort(np.argsort(-means, kind="stable")[:n_best])
    again = RecordedGrid(
        search.estimator,
        [{name: [value] for name, value in params[config].items()} for config in chosen],
        scoring=getattr(search, "scoring", None),
        cv=getattr(search, "cv", None),
        refit=False,
        n_jobs=n_jobs,
        error_score=getattr(search, "error_score", np.nan),
    )
    try:
        again.fit(X, y, **fit_params)
    except Exception as error:
        # Where all fits failed, scikit-learn's last line is the error of one of them.
        *more, last = str(error).strip().splitlines() or [""]
        why = last if more else f"{type(error).__name__}: {last}"
        raise ValueError(
            f"The configurations could not be fitted again ({why}). {advice}"
        ) from error
    oof = again.oof_
    notes = [*oof.notes, *given["notes"]]
    worst, n_different = 0.0, np.zeros(len(chosen), dtype=bool)
    for old, new in zip(scores.values(), oof.fold_scores.values()):
        old = old[:, chosen]
        apart = ~np.isclose(old, new, rtol=CLOSE, atol=CLOSE, equal_nan=True)
        n_different |= apart.any(axis=0)
        worst = max(worst, float(np.nanmax(np.abs(old - new)[apart], initial=0.0)))
    if n_different.any():
        notes.append(
            f"{n_different.sum()} of {len(chosen)} configurations score otherwise than in the "
            f"search (by up to {worst:.3g}): the data, a version or an estimator without "
            "random_state made other models. The predictions, and all results from them, are "
            f"those of the new models. {advice}"
        )
        warn_user(notes[-1], RecordingWarning)
    if len(chosen) < len(params):
        notes.append(
            f"Only the {len(chosen)} best of {len(params)} configurations were predicted again: "
            "draws cannot select another one, so some optimism may remain."
        )
    return oof._with_fields(
        selected=None if selected is None else int(np.flatnonzero(chosen == selected)[0]),
        selected_by="the search",
        notes=tuple(dict.fromkeys(notes)),
    )
