"""Logistic model with a random effect of the fold."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import brentq, minimize, minimize_scalar
from scipy.special import expit, log_expit, logit, logsumexp, ndtr, roots_hermitenorm
from scipy.stats import chi2, norm

from .._utils import with_parameters
from .._warnings import warn_user
from ..exceptions import IntervalWarning, UndefinedIntervalError
from ..metrics._bound import BoundKernel
from ..predictions._predictions import OOFPredictions
from ..results._results import ConfidenceInterval
from ._analytic import row_values, wilson
from ._fold_scores import OF_TRAINING
from ._single_base import OneConfigInterval

N_NODES = 20
STEP = 0.25
"""Of the trapezoidal rule: 1e-14 of the mean, from tau = 0 to as far as one likes."""


@with_parameters
class FoldGLMM(OneConfigInterval):
    """Logistic model of being right, with a random effect of the fold.

    Parameters
    ----------
    interval : {"wald", "profile"}, default="wald"
        ``"wald"`` uses the curvature of the likelihood at its top, ``"profile"`` the
        values that the likelihood ratio test does not reject.
    marginal : bool, default=False
        Report the mean over folds of the share of right predictions instead of that of
        the median fold; the bounds are turned in the same way.
    {config}
    {sides}

    Raises
    ------
    ValueError
        If the metric is not a proportion of right predictions.

    See Also
    --------
    Wald : The same without an effect of the fold.

    Notes
    -----
    The number of right predictions in fold k is binomial with
    ``logit(p_k) = b + u_k`` and ``u_k`` normal with mean 0 and standard deviation tau.
    Both are fitted by maximum likelihood with adaptive Gauss-Hermite quadrature of 20
    nodes, tau = 0 allowed (the interval is then Wald's on the logit scale). With few
    folds tau is hardly identified: it is often estimated as 0, and the interval is then
    too narrow. Where every fold is right or wrong as a whole, b or tau is infinite;
    Wilson's interval is reported instead (of predictions if all agree or each is a fold,
    else of folds), and a warning says so. The same holds for the profile where the
    information has no inverse. For accuracy and the recall of
    one class. Of repeated cross-validation each fold of each repeat would count as new
    samples, so it is refused.

    `details` of the result: ``tau``, ``intercept``, ``standard_error`` (of the intercept),
    ``fallback``, {details of one}.

    References
    ----------
    .. [1] M. J. A. Eugster, "Benchmark experiments: a tool for analyzing statistical
       learning algorithms", thesis, LMU Munich (2011).
    .. [2] G. Rosenthal, "Confidence intervals for cross-validated performance", thesis
       (2024).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import FoldGLMM
    >>> y = np.tile([0, 1], 50)
    >>> wrong = np.concatenate([np.arange(20) < n for n in (2, 10, 4, 1, 8)])
    >>> oof = OOFPredictions(y_true=y, y_pred=np.where(wrong, 1 - y, y), fold=np.arange(100) // 20)
    >>> result = FoldGLMM().estimate(oof, "accuracy")
    >>> print(f"{result.estimate:.3f}, {result.low:.3f} to {result.high:.3f}")
    0.783, 0.582 to 0.903
    """

    name = "fold_glmm"
    requires = frozenset({"predictions", "folds", "ungrouped", "unweighted"})
    estimand = OF_TRAINING
    meant_for = "a proportion, such as accuracy, that varies between few folds"
    cost = "a likelihood fit: O(F) per step"
    limits = (
        "few folds: their spread is hardly known, very wide; all right or all wrong "
        "(Wilson's interval instead, noted)"
    )
    interval: str = "wald"
    marginal: bool = False
    config: int | None = None
    confidence_level: float = 0.95
    alternative: str = "two-sided"

    def _validate(self) -> None:
        super()._validate()
        if self.interval not in ("wald", "profile"):
            raise ValueError(f"interval must be 'wald' or 'profile', got {self.interval!r}.")

    def _estimate(self, oof: OOFPredictions, kernel: BoundKernel) -> ConfidenceInterval:
        target = self._target(oof, kernel)
        found = row_values(kernel, target.config)
        if found is None or kernel.metric.sign < 0 or not np.isin(found[0], (0.0, 1.0)).all():
            raise ValueError(
                f"FoldGLMM is for proportions (accuracy, recall of one class), got "
                f"{kernel.metric.name}. Use HierarchicalBootstrap, which takes any metric."
            )
        if (not oof.is_partition and len(np.unique(oof.sample)) < oof.n_rows) or oof.n_repeats > 1:
            raise ValueError(
                "FoldGLMM takes each prediction as a new sample, but some samples were predicted "
                "several times. Use one pass of K-fold, or HierarchicalBootstrap."
            )
        values, counted = found
        right = np.bincount(oof.fold[counted], values[counted], oof.n_splits)
        trials = np.bincount(oof.fold[counted], minlength=oof.n_splits).astype(float)
        right, trials = right[trials > 0], trials[trials > 0]
        bounds = kernel.metric.bounds
        total, n = float(right.sum()), float(trials.sum())
        if n == 0:
            raise UndefinedIntervalError(
                f"No sample counts for {kernel.metric.name}, so there is nothing to fit."
            )
        target.details["fallback"] = None
        whole = (right == 0) | (right == trials)
        if whole.all():
            # The likelihood rises towards an infinite spread of the folds, or none at all.
            single = bool((trials == 1).all()) or total in (0.0, n)
            right_units, units = (total, n) if single else (float((right > 0).sum()), len(right))
            what = (
                f"All {int(n)} predictions are {'right' if total else 'wrong'}"
                if total in (0.0, n)
                else "Every fold is right or wrong as a whole"
            )
            note = (
                f"{what}, which puts the model's parameters at infinity; this is Wilson's "
                f"interval of {'predictions' if single else 'folds'} instead."
            )
            target.details["fallback"] = "wilson"
            target.details["notes"].append(note)
            warn_user(f"FoldGLMM: {note}", IntervalWarning)
            low, high = self._sided(*wilson(right_units, units, self._tail()), bounds)
            return self._result(kernel.metric, total / n, low, high, details=target.details)
        model = RandomIntercept(right, trials)
        target.details.update(tau=model.tau, intercept=model.intercept)
        form = self.interval
        if form == "wald" and np.isnan(model.standard_error):
            note = (
                "The likelihood is so flat in the spread of the folds that the information has no "
                "inverse; this is the profile likelihood interval instead."
            )
            form = target.details["fallback"] = "profile"
            target.details["notes"].append(note)
            warn_user(f"FoldGLMM: {note}", IntervalWarning)
        if form == "wald":
            target.details["standard_error"] = model.standard_error
            half = norm.ppf(1 - self._tail()) * model.standard_error
            low, high = model.intercept - half, model.intercept + half
        else:
            low, high = model.profile(self._tail())
        tau = model.tau if self.marginal else 0.0
        estimate, low, high = (marginal_mean(b, tau) for b in (model.intercept, low, high))
        low, high = self._sided(low, high, bounds)
        return self._result(kernel.metric, estimate, low, high, details=target.details)


class RandomIntercept:
    """Binomial counts, (n_groups,), with one normal random effect per group, fitted by likelihood.

    `intercept` and `tau` are the estimates of the mean and the standard deviation of the log odds,
    `standard_error` that of the intercept, from the observed information; of the intercept alone
    where tau is 0; NaN where the information is not positive definite.
    """

    def __init__(self, right: np.ndarray, trials: np.ndarray) -> None:
        self._right, self._trials = right, trials
        nodes, weights = roots_hermitenorm(N_NODES)
        self._nodes, self._log_weights = nodes, np.log(weights)
        start = float(logit(right.sum() / trials.sum()))
        candidates = [np.array([start, 0.0])]
        for tau in (0.3, 1.0):
            found: Any = minimize(
                lambda p: -self.log_likelihood(p[0], p[1]),
                np.array([start, tau]),
                bounds=[(None, None), (0.0, None)],
                method="L-BFGS-B",
            )
            candidates.append(found.x)
        best = max(candidates, key=lambda p: self.log_likelihood(p[0], p[1]))
        self.intercept, self.tau = float(best[0]), float(best[1])
        self._top = self.log_likelihood(self.intercept, self.tau)
        self.standard_error = self._standard_error()

    def log_likelihood(self, intercept: float, tau: float) -> float:
        """Log likelihood up to a constant."""
        right, wrong = self._right, self._trials - self._right
        if tau < 1e-4:
            log_odds = np.full(len(right), intercept)
            return float((right * log_expit(log_odds) + wrong * log_expit(-log_odds)).sum())
        mode, spread = self._modes(intercept, tau)
        u = mode[:, None] + spread[:, None] * self._nodes  # (n_groups, n_nodes)
        log_odds = intercept + tau * u
        log_density = (
            right[:, None] * log_expit(log_odds)
            + wrong[:, None] * log_expit(-log_odds)
            - 0.5 * u**2
            # Nodes are for the weight exp(-x^2 / 2), which the integrand is divided by.
            + 0.5 * self._nodes**2
            + self._log_weights
        )
        integral = logsumexp(log_density, axis=1) + np.log(spread) - 0.5 * np.log(2 * np.pi)
        return float(integral.sum())

    def _modes(self, intercept: float, tau: float) -> tuple[np.ndarray, np.ndarray]:
        """Where the integrand over each group's effect peaks, and how wide it is."""
        # The slope falls with u, so its root stays bracketed: Newton's step where it keeps
        # within, else the middle. Newton alone swings around it when the effect is large.
        low, high = -tau * self._trials, tau * self._trials
        u = np.zeros(len(self._right))
        for _ in range(100):
            p = expit(intercept + tau * u)
            slope = tau * (self._right - self._trials * p) - u
            low, high = np.where(slope > 0, u, low), np.where(slope > 0, high, u)
            new = u + slope / (tau**2 * self._trials * p * (1 - p) + 1)
            new = np.where((new > low) & (new < high), new, (low + high) / 2)
            moved, u = np.abs(new - u).max(), new
            if moved < 1e-12:
                break
        p = expit(intercept + tau * u)
        return u, 1 / np.sqrt(tau**2 * self._trials * p * (1 - p) + 1)

    def _standard_error(self) -> float:
        step = 1e-3

        def value(db: float, dt: float) -> float:
            return self.log_likelihood(self.intercept + db, self.tau + dt)

        bb = (value(step, 0) - 2 * self._top + value(-step, 0)) / step**2
        if self.tau <= 2 * step:
            return float(1 / np.sqrt(-bb))
        tt = (value(0, step) - 2 * self._top + value(0, -step)) / step**2
        bt = (
            value(step, step) - value(step, -step) - value(-step, step) + value(-step, -step)
        ) / (4 * step**2)
        determinant = bb * tt - bt**2
        return float(np.sqrt(-tt / determinant)) if tt < 0 < determinant else np.nan

    def profile(self, tail: float) -> tuple[float, float]:
        """Intercepts at which the profile likelihood drops to the critical value."""
        critical = self._top - 0.5 * float(chi2.ppf(1 - 2 * tail, 1))

        def excess(intercept: float) -> float:
            found = minimize_scalar(
                lambda tau: -self.log_likelihood(intercept, tau), bounds=(0, 20), method="bounded"
            )
            known = (self.log_likelihood(intercept, tau) for tau in (0.0, self.tau))
            return max(-float(found.fun), *known) - critical

        ends = []
        for direction in (-1, 1):
            distance = 1.0
            while excess(self.intercept + direction * distance) > 0 and distance < 64:
                distance *= 2
            far = self.intercept + direction * distance
            if excess(far) > 0:  # flat: the data do not bound this side
                ends.append(direction * np.inf)
            else:
                ends.append(float(brentq(excess, *sorted((self.intercept, far)))))
        return ends[0], ends[1]


def marginal_mean(intercept: float, tau: float) -> float:
    """Mean of expit(intercept + tau * u) over a standard normal u, to rounding.

    The trapezoidal rule, whose error falls exponentially with the step for integrands that are
    smooth and vanish at both ends. Up to tau = 1 that is so over u. Beyond, expit turns into a
    step, so the mean is taken the other way round: with x logistic it is
    ``P(x < intercept + tau * u)``, the mean of ``Phi((intercept - x) / tau)`` over x.
    """
    if tau == 0 or np.isinf(intercept):
        return float(expit(intercept))
    if tau <= 1:
        u = STEP * np.arange(-40, 41)  # the normal density at 10 is 1e-22
        return float(STEP * (expit(intercept + tau * u) * norm.pdf(u)).sum())
    x = STEP * np.arange(-160, 161)  # the logistic density at 40 is 4e-18
    density = expit(x) * expit(-x)
    return float(STEP * (ndtr((intercept - x) / tau) * density).sum())
