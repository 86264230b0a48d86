"""What the columns of predictions on a test set are, and by which method to judge them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from .._nearest import did_you_mean
from ..metrics import Metric
from ..predictions import OOFPredictions
from ..predictions._arrays import predictions_of
from .single._base import OneConfigInterval
from .single._bootstrap_forms import FORMS
from .single._delong import DeLong
from .single._hanley_mcneil import HanleyMcNeil
from .single._proportions import PROPORTION_FORMS
from .single._takahashi import SCORES, Takahashi, score_and_average
from .single._wald import Wald
from .test_set._group_draws import GROUP_BOOTSTRAPS
from .test_set._roles import Roles


def systems_of(
    y_pred: Any, other: Any, pool_seeds: bool, n_samples: int
) -> tuple[np.ndarray, Roles]:
    """Columns of all models, shape (n_samples, n_models[, n_classes])."""

    def columns(values: Any, name: str) -> np.ndarray:
        array = predictions_of(values, name)
        if array.shape[:1] != (n_samples,):
            raise ValueError(
                f"{name} has shape {array.shape}, but there are {n_samples} samples: expected "
                "one prediction per sample."
            )
        if pool_seeds:
            if array.ndim < 2:
                raise ValueError(
                    f"pool_seeds=True needs {name} of shape (n_samples, n_seeds), "
                    f"got {array.shape}."
                )
            return array
        return array[:, None]

    first = columns(y_pred, "y_pred")
    if other is None:
        return first, Roles(first.shape[1], False)
    second = columns(other, "y_pred_other")
    if second.shape != first.shape:
        raise ValueError(
            f"y_pred has shape {np.shape(y_pred)}, but y_pred_other {np.shape(other)}: they must "
            "be predictions of the same samples."
        )
    return np.concatenate([first, second], axis=1), Roles(first.shape[1], True)


def choose(
    method: Any, metric: Metric, oof: OOFPredictions, roles: Roles, group_bootstrap: str
) -> str | OneConfigInterval:
    """Form of the bootstrap, or the method object of a formula."""
    if isinstance(method, OneConfigInterval):
        _check_object(method, roles, group_bootstrap)
        return method
    plain_sampling = oof.groups is None and oof.sample_weight is None
    if method == "auto":
        method = "percentile"
        if plain_sampling and roles.n_first == 1:
            method = formula_for(metric, oof, roles) or method
    formulas: dict[str, Callable[[], OneConfigInterval]] = {
        "delong": DeLong,
        "hanley-mcneil": HanleyMcNeil,
        "takahashi": Takahashi,
        "wald": Wald,
        **{form: partial(Wald, form=form) for form in PROPORTION_FORMS if form != "normal"},
    }
    if method in FORMS:
        if method in ("studentised", "bca"):
            _check_simple_draws(method, roles, group_bootstrap)
        return method
    if method not in formulas:
        raise ValueError(
            f"method must be 'auto', an interval object for one configuration, or one of "
            f"{sorted([*FORMS, *formulas])}, got {method!r}."
            f"{did_you_mean(method, [*FORMS, *formulas])}"
        )
    if group_bootstrap != "cluster":
        raise ValueError(
            f"group_bootstrap={group_bootstrap!r} is for bootstraps, but method={method!r} is a "
            "formula. Use 'percentile'."
        )
    if roles.n_first > 1 or (roles.paired and method != "delong"):
        raise ValueError(
            f"method={method!r} is for one model{' or a pair' if method == 'delong' else ''}. Use "
            "'percentile' or another bootstrap for differences and pooled seeds."
        )
    return formulas[method]()


def _check_simple_draws(method: str, roles: Roles, group_bootstrap: str) -> None:
    """Raise where a correction from single units misses a part of the spread of the draws."""
    what = {
        "studentised": "standard errors from inner draws of",
        "bca": "an acceleration from leaving out",
    }[method]
    if roles.n_first > 1:
        why = "pooled seeds spread between training runs, too"
    elif not GROUP_BOOTSTRAPS[group_bootstrap].draws_whole_units:
        why = f"group_bootstrap={group_bootstrap!r} draws groups and then samples within them"
    else:
        return
    raise ValueError(
        f"method={method!r} takes {what} samples or whole groups, but {why}. Use 'percentile', "
        "'basic' or 'normal'."
    )


def _check_object(method: OneConfigInterval, roles: Roles, group_bootstrap: str) -> None:
    """Raise when an object would have to drop what it was asked for."""
    if group_bootstrap != "cluster":
        raise ValueError(
            f"group_bootstrap={group_bootstrap!r} is for bootstraps by name, but method="
            f"{method!r} draws or computes in its own way. Use 'percentile'."
        )
    if roles.n_first > 1 or (roles.paired and not method.pairs):
        raise ValueError(
            f"method={method!r} is for one model. For differences and pooled seeds name a "
            "bootstrap, as in method='percentile', or use method='delong' for a pair and roc_auc."
        )
    if roles.paired:
        method.check_pairs()


def formula_for(metric: Metric, oof: OOFPredictions, roles: Roles) -> str | None:
    binary = oof.classes_ is not None and len(oof.classes_) == 2
    if metric.score_func is roc_auc_score and binary and not metric.kwargs.get("max_fpr"):
        return "delong"
    if roles.paired:
        return None
    kernel = metric.bind(oof)
    values = kernel.pointwise(0)
    if values is not None and metric.sign > 0 and np.isin(values, (0.0, 1.0)).all():
        return "wilson"
    if metric.score_func not in SCORES:
        return None
    try:
        score, average, _ = score_and_average(kernel)
    except ValueError:
        return None
    return "wilson" if (score, average) == ("recall", "binary") else "takahashi"
