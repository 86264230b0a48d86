"""What a search is asked to do, checked before it costs anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils._param_validation import InvalidParameterError

from .._integers import is_integer
from .._nearest import got
from .._scorers import check_scorer, scorer_names, unknown_scorer
from .._warn import warn_user
from ..exceptions import IntervalWarning
from ..metrics import as_metric
from ..predictions._checks import check_no_dates

SEVERAL = (list, tuple, set)


def named_scorers(scoring: Any) -> Iterator[str]:
    """Names of scorers in the parameter `scoring` of a search, known or not."""
    several = scoring.values() if isinstance(scoring, Mapping) else scoring
    if isinstance(scoring, str):
        yield scoring
    elif isinstance(several, SEVERAL) or isinstance(scoring, Mapping):
        yield from (name for name in several if isinstance(name, str))


def check_scoring(scoring: Any) -> None:
    """Raise for names that no scorer has, functions of predictions, and what is no metric."""
    known = set(scorer_names())
    for name in named_scorers(scoring):
        if name not in known:
            raise InvalidParameterError(unknown_scorer(name))
    for each in scoring.values() if isinstance(scoring, Mapping) else [scoring]:
        check_scorer(each)
    if scoring is None or callable(scoring) or isinstance(scoring, (str, Mapping, *SEVERAL)):
        return
    raise InvalidParameterError(
        "scoring must be the name of a metric, such as 'roc_auc', a scorer, several of them as a "
        f"list or dict, or None, got {got(scoring)}."
    )


def check_target(y: Any) -> None:
    """Raise for dates as a target, whose predictions could not be kept."""
    array = y.to_numpy() if hasattr(y, "to_numpy") else y
    if isinstance(array, (list, tuple)) and array and np.ndim(array[0]) == 0:
        array = np.asarray(array)
    if isinstance(array, np.ndarray):
        check_no_dates(array, "y")


def warn_of_positive_label(scoring: Any, y: Any) -> None:
    """Warn of metrics that will fail in every fold, since they look for a class named 1."""
    labels = np.asarray(y) if isinstance(y, (list, tuple)) or hasattr(y, "dtype") else np.empty(0)
    if labels.ndim != 1 or labels.dtype.kind not in "UTO" or not len(labels):
        return
    if labels.dtype.kind == "O" and not all(isinstance(label, str) for label in labels):
        return
    classes = np.unique(labels)
    known = set(scorer_names())
    for name in named_scorers(scoring):
        problem = as_metric(name).unknown_positive_label(classes) if name in known else None
        if problem:
            warn_user(problem, IntervalWarning)


def position_of(config: Any, params: Sequence[Mapping[str, Any]]) -> int:
    """Position of a configuration that is given by its position or by its parameters.

    Parameters
    ----------
    config : int or dict
        A position, or parameters, of which those that vary are enough.
    params : sequence of dict
        The configurations, ``cv_results_["params"]``.

    Raises
    ------
    ValueError
        If there is no such configuration, or several.
    """
    last = len(params) - 1
    if isinstance(config, Mapping):
        same = [k for k, each in enumerate(params) if each is config]
        found = same or [k for k, each in enumerate(params) if _has(each, config)]
        if len(found) == 1:
            return found[0]
        some = ", ".join(map(str, found[:5])) + (", ..." if len(found) > 5 else "")
        who = f"the {len(found)} configurations {some} all have" if found else "none has"
        raise ValueError(
            f"config must be the parameters of one configuration of this search, but {who} "
            f"{dict(config)!r}. Give all parameters of one, as in cv_results_['params'], or its "
            f"position, 0 to {last}."
        )
    if not is_integer(config, 0) or config > last:
        raise ValueError(
            f"config={config!r} is not a configuration of this search; known are 0 to {last}, "
            "the positions in cv_results_['params'], and the parameters there, as a dict such "
            "as best_params_."
        )
    return int(config)


def _has(params: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(name in params and _equal(params[name], wanted[name]) for name in wanted)


def _equal(one: Any, other: Any) -> bool:
    if one is other:
        return True
    try:
        return bool(np.all(one == other))
    except (TypeError, ValueError):  # what cannot be compared is not the same
        return False
