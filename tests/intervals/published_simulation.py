"""The simulated predictions behind the published comparison of interval methods."""

import csv

import numpy as np
from scipy.stats import norm

from sklearn_bbc import OOFPredictions


def simulated(alpha, beta, n_samples, n_configs, balance, seed):
    """True areas of the configurations, and predictions with these areas.

    Areas are drawn from a Beta distribution, scores from normal ones, independently between
    configurations. Class 0 is the smaller one; folds are stratified.
    """
    rng = np.random.default_rng(seed)
    truth = rng.beta(alpha, beta, size=n_configs)
    n_negative = round(n_samples * balance)
    y = np.repeat([0, 1], [n_negative, n_samples - n_negative])
    scores = rng.normal(size=(n_samples, n_configs))
    scores[:n_negative] -= np.sqrt(2) * norm.ppf(truth)
    n_folds = min(10, n_negative)
    fold = np.arange(n_samples) % n_folds
    return truth, OOFPredictions(y_true=y, y_pred=scores, fold=fold)


def lower_bounds(method, setting, n_runs):
    """Mean lower bound and share of runs that it holds, over new simulated data."""
    low, held = [], []
    for seed in range(n_runs):
        truth, oof = simulated(*setting, seed=7000 + seed)
        method.set_params(selection__random_state=seed)
        result = method.estimate(oof, "roc_auc")
        low.append(result.low)
        held.append(truth[result.details["config"]] >= result.low)
    return float(np.nanmean(low)), float(np.mean(held))


def published(shared, setting, method):
    """Mean lower bound and inclusion as published, unrounded."""
    with open(shared / "reference" / "reference_simulation.csv", newline="") as file:
        for row in csv.DictReader(file):
            found = tuple(float(row[key]) for key in ("alpha", "beta", "N", "C", "balance"))
            if found == tuple(map(float, setting)) and row["method"] == method:
                return float(row["lower_bound"]), float(row["inclusion"])
    raise LookupError((setting, method))
