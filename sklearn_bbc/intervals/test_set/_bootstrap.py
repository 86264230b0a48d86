"""Bootstrap of a test set: one model, a pair, or several seeds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._floats import quiet
from ...exceptions import UndefinedIntervalError
from ...metrics import BoundKernel, Metric
from ...predictions import OOFPredictions
from ...resampling._units import Units
from ...results import ConfidenceInterval
from .._base import check_n_bootstraps
from .._bounds import IntervalRules
from ..single._replicate import check_can_vary, n_scores
from ._group_draws import GroupBootstrap
from ._joint_bootstrap import JointBootstrap
from ._roles import OF_POPULATION, Roles


class HoldoutBootstrap(IntervalRules):
    """The bootstrap of `holdout_interval`, for every form and every role of the columns.

    Parameters
    ----------
    group_bootstrap : GroupBootstrap
        How samples are drawn.
    n_bootstraps : int
        Number of draws, at least 20.
    confidence_level : float in (0, 1)
        Share of test sets for which the interval should hold the true score.
    alternative : {"two-sided", "greater", "less"}
        Which bounds to give.
    random_state : int, RandomState instance or None
        Seed of the draws.
    n_jobs : int or None
        Number of threads.
    """

    name = "holdout"
    estimand = OF_POPULATION

    def __init__(
        self,
        group_bootstrap: GroupBootstrap,
        *,
        n_bootstraps: int,
        confidence_level: float,
        alternative: str,
        random_state: Any,
        n_jobs: int | None,
    ) -> None:
        self.group_bootstrap = group_bootstrap
        self.n_bootstraps = n_bootstraps
        self.confidence_level = confidence_level
        self.alternative = alternative
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def _label(self) -> str:
        return "holdout_interval"

    def _validate(self) -> None:
        super()._validate()
        check_n_bootstraps(self.n_bootstraps)

    @quiet()
    def estimate(
        self, oof: OOFPredictions, metric: Metric, roles: Roles, form: str
    ) -> ConfidenceInterval:
        """Interval of what `roles` says of the columns.

        Parameters
        ----------
        oof : OOFPredictions
            Predictions, one configuration for each column.
        metric : Metric
            The metric.
        roles : Roles
            What the columns are.
        form : str
            One of `FORMS`.
        """
        kernel = metric.bind(oof)
        units = Units.of(oof)
        _check_defined(kernel, oof, units, self._label)
        check_can_vary(oof, kernel, units, self._label)
        n_each = n_scores(form, self.n_bootstraps, units.n_units)
        kernel.warn_if_slow(roles.n_columns * n_each, self.n_jobs)
        draws = self.group_bootstrap.draws(
            oof, kernel, method=self._label, n_bootstraps=self.n_bootstraps,
            random_state=self.random_state, n_jobs=self.n_jobs,
        )  # fmt: skip
        rule = self.group_bootstrap.quantile(form)
        joint = JointBootstrap(rules=self, form=form, roles=roles, quantile=rule)
        return joint.interval(oof, kernel, self.group_bootstrap.units(oof), draws)


def _check_defined(kernel: BoundKernel, oof: OOFPredictions, units: Units, method: str) -> None:
    """Raise before the draws when the data have no score; name the class that is missing."""
    if not np.isnan(kernel.on_data()).any():
        return
    missing = None
    if kernel.strata is not None:
        sizes = units.indicator(kernel.strata).sum(axis=0)
        empty = [name for name, n in zip(kernel.strata_names, sizes, strict=True) if n == 0]
        missing = empty[0] if empty else None
    elif oof.classes_ is not None and len(oof.classes_) == 1:
        missing = _other_class(oof.classes_.tolist()[0])
    why = "it is undefined on these data."
    if missing is not None:
        why = (
            f"{missing} has 0 {units.kind}s, so no resample can be scored. At least 2 "
            f"{units.kind}s are needed."
        )
    raise UndefinedIntervalError(f"{method} cannot bootstrap {kernel.metric.name}: {why}")


def _other_class(label: Any) -> str:
    """Name of the class that a binary target lacks, as far as the other one tells it."""
    if isinstance(label, bool):
        return f"class {not label}"
    usual = {0: "class 1", 1: "class 0 (or -1)", -1: "class 1"}
    return usual.get(label, f"every class but {label}")
