"""Models of scikit-survival that score themselves with weights of censoring.

Its wrappers, such as ``as_integrated_brier_score_scorer``, are estimators around an estimator:
what a search takes as the model's own score is the measure, with weights from the samples on which
the model was fitted. Here the same measure is a scorer, which draws can repeat.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import sklearn

from ._concordance import survival_target
from ._kaplan_meier import KaplanMeier
from ._survival import dynamic_auc, neg_integrated_brier_score, uno_concordance

WRAPPER_NOTE = (
    "{name} of scikit-survival weighs each fold by the censoring in its training samples, and so "
    "are the scores in cv_results_. Draws are scored with weights from all samples, see "
    "'Survival times' in the user guide."
)
TOLERANCE = (
    " Risks that differ by less than tied_tol={tol:g} are taken as different there, not as equal."
)
MOST_TOLERATED = 1e-6
"""A larger ``tied_tol`` is worth a remark."""


def wrapper_in(model: Any) -> Any:
    """Find the wrapper of scikit-survival whose score is that of a model; None without one."""
    package = sys.modules.get("sksurv.metrics")  # a model of it cannot be there otherwise
    while isinstance(model, sklearn.pipeline.Pipeline) and model.steps:
        model = model.steps[-1][1]
    kinds = tuple(kind for name in _SCORERS if (kind := getattr(package, name, None)) is not None)
    return model if isinstance(model, kinds) else None


def scorer_of(wrapper: Any, y: Any) -> Any:
    """Make the scorer of the same measure, with the censoring of the target of a search."""
    return next(
        make(wrapper, y) for name, make in _SCORERS.items()
        if isinstance(wrapper, getattr(sys.modules["sksurv.metrics"], name, ()))
    )  # fmt: skip


def note_on(wrapper: Any) -> str:
    """Write what differs from the scores that the search itself made."""
    note = WRAPPER_NOTE.format(name=type(wrapper).__name__)
    tolerance = getattr(wrapper, "tied_tol", 0.0)
    return note + TOLERANCE.format(tol=tolerance) * (tolerance > MOST_TOLERATED)


def times_asked(model: Any) -> np.ndarray | None:
    """Find the times (n_times,) at which a model's own score asks for survival, else None."""
    wrapper = wrapper_in(model)
    if wrapper is None or not hasattr(wrapper, "times") or hasattr(wrapper, "tied_tol"):
        return None
    return np.unique(np.asarray(wrapper.times, dtype=np.float64))


def _wrapped_brier(wrapper: Any, y: Any) -> Any:
    return neg_integrated_brier_score(np.unique(wrapper.times), censoring=y)


def _weighed_times(wrapper: Any, y: Any) -> Any:
    """Weigh times by how much survival falls before them, as scikit-survival does."""
    times = np.unique(wrapper.times)
    event, time = survival_target(y)
    curve = KaplanMeier(event, time)
    survival = curve.of(np.ones((1, len(time))))[0, curve.at(times)]
    fall = -np.diff(survival, prepend=1.0)
    return dynamic_auc(times, weights=fall if fall.sum() > 0 else None, censoring=y)


def _concordance(wrapper: Any, y: Any) -> Any:
    return uno_concordance(wrapper.tau, censoring=y)


_SCORERS = {
    "as_integrated_brier_score_scorer": _wrapped_brier,
    "as_cumulative_dynamic_auc_scorer": _weighed_times,
    "as_concordance_index_ipcw_scorer": _concordance,
}
"""Name in ``sksurv.metrics`` -> what makes its scorer."""
