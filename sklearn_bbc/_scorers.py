"""Scorers by name: scikit-learn's, and those that this package adds to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from inspect import Parameter, signature
from threading import local
from typing import Any

import numpy as np
from sklearn.metrics import get_scorer, get_scorer_names

from ._utils import did_you_mean

OUR_SCORERS: dict[str, Callable[..., float]] = {}
"""Scorers that scikit-learn does not have, by name; `sklearn_bbc.metrics` adds them."""

SCORER_ALIASES = {
    "acc": "accuracy",
    "ap": "average_precision",
    "auc": "roc_auc",
    "auprc": "average_precision",
    "auroc": "roc_auc",
    "brier": "neg_brier_score",
    "calslope": "calibration_slope",
    "cindex": "concordance_index",
    "citl": "calibration_intercept",
    "crossentropy": "neg_log_loss",
    "ece": "neg_expected_calibration_error",
    "fscore": "f1",
    "ici": "neg_integrated_calibration_index",
    "logloss": "neg_log_loss",
    "mae": "neg_mean_absolute_error",
    "mape": "neg_mean_absolute_percentage_error",
    "mcc": "matthews_corrcoef",
    "meanabsoluteerror": "neg_mean_absolute_error",
    "meansquarederror": "neg_mean_squared_error",
    "mse": "neg_mean_squared_error",
    "ppv": "precision",
    "prauc": "average_precision",
    "rmse": "neg_root_mean_squared_error",
    "rocaucscore": "roc_auc",
    "rsquared": "r2",
    "sensitivity": "recall",
    "tpr": "recall",
    "truepositiverate": "recall",
}
"""What people call some scorers, in small letters and digits only."""
RECIPES = {
    "cohenkappa": "make_scorer(cohen_kappa_score)",
    "f2": "make_scorer(fbeta_score, beta=2)",
    "fbeta": "make_scorer(fbeta_score, beta=2)",
    "kappa": "make_scorer(cohen_kappa_score)",
    "npv": "make_scorer(precision_score, pos_label=0)",
    "specificity": "make_scorer(recall_score, pos_label=0)",
    "tnr": "make_scorer(recall_score, pos_label=0)",
    "truenegativerate": "make_scorer(recall_score, pos_label=0)",
    "youden": "make_scorer(balanced_accuracy_score, adjusted=True)",
}
"""What people want that has no name: the scorer, in small letters and digits only."""
SPECIFICITY = (
    " For the specificity at a threshold that is tuned: "
    "search.threshold(SensitivityAt(specificity=0.9)), from sklearn_bbc.selection."
)
SOME = (
    " Common ones are 'roc_auc', 'average_precision', 'accuracy', 'balanced_accuracy', 'f1', "
    "'neg_log_loss', 'neg_brier_score', 'r2' and 'neg_mean_absolute_error'."
)
ALL_NAMES = (
    " sklearn.metrics.get_scorer_names() lists scikit-learn's; ours are on the page 'Metrics'."
)


SURVIVAL = "predict_survival_function"


def survival_response(times: Any) -> str:
    """Name the response that holds the probabilities of surviving some times."""
    return f"{SURVIVAL}({','.join(repr(float(time)) for time in np.atleast_1d(times))})"


def is_survival_response(name: str) -> bool:
    """Check whether a response holds probabilities of surviving some times."""
    return name.startswith(f"{SURVIVAL}(")


ENDINGS: dict[Any, Callable[[Mapping[str, Any]], str]] = {}
"""Function of a metric -> what its arguments add to the name of the metric in results."""


def times_of_response(name: str) -> np.ndarray:
    """Read the times (n_times,) from the name of a response, ascending as they were named."""
    try:
        return np.array([float(time) for time in name[len(SURVIVAL) + 1 : -1].split(",")])
    except ValueError:
        raise ValueError(
            f"{name!r} must name times, as {SURVIVAL}(365) or {SURVIVAL}(90,365) do."
        ) from None


def response_words(name: str) -> str:
    """Write the name of a response for a message: of many times only the ends."""
    if not is_survival_response(name) or len(times := times_of_response(name)) < 4:
        return name
    return f"{SURVIVAL} at {len(times)} times from {times[0]:g} to {times[-1]:g}"


def record_words(name: str) -> str:
    """Write by which argument a search keeps a response, for a message."""
    if response_words(name) == name:
        return f"record={name!r}"
    return "a scorer at these times, such as neg_integrated_brier_score(times),"


class _Listening(local):
    """Those who want to know, in one thread, what scorers compute from answers of models."""

    def __init__(self) -> None:
        self.listeners: list[Callable[[str, Any, Any], None]] = []


_listening = _Listening()


def tell_answer(name: str, X: Any, answer: Any) -> None:
    """Tell who listens last what a scorer computed from a model's answer for `X`."""
    if _listening.listeners:
        _listening.listeners[-1](name, X, answer)


def listen(listener: Callable[[str, Any, Any], None]) -> Callable[[], None]:
    """Call `listener` with what scorers tell in this thread; what is returned ends it."""
    _listening.listeners.append(listener)
    return lambda: _listening.listeners.remove(listener)


def scorer_names() -> list[str]:
    """List all names that `scorer_named` knows."""
    return sorted({*get_scorer_names(), *OUR_SCORERS})


def scorer_named(name: str) -> Any:
    """Return the scorer of that name; raise `ValueError` when there is none."""
    if name in OUR_SCORERS:
        return OUR_SCORERS[name]
    try:
        return _of_sklearn(name)
    except ValueError:
        raise ValueError(unknown_scorer(name)) from None


def unknown_scorer(name: str) -> str:
    """Write a message that no scorer has this name, and which one was probably meant."""
    word = "".join(letter for letter in name.casefold() if letter.isalnum())
    known = scorer_names()
    if word in RECIPES:
        recipe = RECIPES[word]
        classes = " for classes 0 and 1" * ("pos_label" in recipe)
        return (
            f"scoring={name!r} is unknown. Make it of functions of sklearn.metrics: "
            f"scoring={recipe}{classes}.{SPECIFICITY * ('recall' in recipe)}"
        )
    meant = did_you_mean(name, known, SCORER_ALIASES)
    return f"scoring={name!r} is unknown.{meant or SOME}{ALL_NAMES}"


def check_scorer(scoring: Any) -> None:
    """Raise for a metric ``f(y_true, y_pred)`` in place of a scorer, and for wrong arguments."""
    function = getattr(scoring, "_score_func", None)
    if function is not None:
        _check_arguments(function, getattr(scoring, "_kwargs", {}))
        return
    # Of functions of one's own nothing is known: scikit-learn calls them, and says what fails.
    module = getattr(scoring, "__module__", None) or ""
    ours = module.startswith("sklearn_bbc.metrics.") and "y_true" in parameters_of(scoring)
    if not ours and (not module.startswith("sklearn.metrics.") or module.endswith("._scorer")):
        return
    name = getattr(scoring, "__name__", type(scoring).__name__)
    known = [
        each for each in scorer_names() if getattr(scorer_named(each), "_score_func", 0) is scoring
    ]
    advice = f"make_scorer({name}), with greater_is_better=False for a loss"
    if known:
        advice = f"the name, scoring={min(known, key=len)!r}"
    raise ValueError(
        f"scoring must be a scorer or its name, but {name} takes y_true and y_pred. Pass {advice}."
    )


@lru_cache(maxsize=128)  # a signature takes longer to read than a small bootstrap does
def _read_once(function: Any) -> Mapping[str, Parameter]:
    try:
        return signature(function).parameters
    except (TypeError, ValueError):
        return {}


def parameters_of(function: Any) -> Mapping[str, Parameter]:
    """Read the parameters of a callable; an empty mapping where they are not known."""
    try:
        return _read_once(function)
    except TypeError:  # it has no hash
        return _read_once.__wrapped__(function)


def _check_arguments(function: Any, kwargs: Mapping[str, Any]) -> None:
    """Raise for arguments of `make_scorer` that its function will refuse in every fold."""
    parameters = parameters_of(function)
    takes_all = any(each.kind == Parameter.VAR_KEYWORD for each in parameters.values())
    for name in kwargs if parameters and not takes_all else ():
        if name not in parameters:
            meant = did_you_mean(name, parameters)
            if name in ("needs_proba", "needs_threshold"):
                meant = " Since scikit-learn 1.6 it is response_method='predict_proba'."
                if name == "needs_threshold":
                    meant = (
                        " Since scikit-learn 1.6 it is "
                        "response_method=('decision_function', 'predict_proba')."
                    )
            raise ValueError(
                f"make_scorer was given {name!r}, which {function.__name__} does not take.{meant}"
            )


@cache
def _of_sklearn(name: str) -> Any:
    """Look up scikit-learn's scorer, once: each look-up validates and copies it."""
    return get_scorer(name)


def with_our_scorers(scoring: Any) -> Any:
    """Replace the names in `scoring` that only this package knows by their scorers."""
    if isinstance(scoring, str):
        return OUR_SCORERS.get(scoring, scoring)
    if isinstance(scoring, (list, tuple)):
        names = [name for name in scoring if isinstance(name, str)]
        if len(set(names)) < len(scoring):
            return scoring
        by_name = dict(zip(names, names))
    elif isinstance(scoring, dict):
        by_name = scoring
    else:
        return scoring
    ours = {
        key: OUR_SCORERS[value]
        for key, value in by_name.items()
        if isinstance(value, str) and value in OUR_SCORERS
    }
    return {**by_name, **ours} if ours else scoring
