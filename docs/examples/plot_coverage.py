"""
How often does an interval contain the truth?
=============================================

A 95% interval should contain the truth in 95% of data sets. This can be counted where the truth
is known. Here configurations are right with known probabilities, the best of them is reported,
and two methods say how good it is: BBC, and a bootstrap of the winner that ignores the selection.

Run it with ``python docs/examples/plot_coverage.py``; it takes about half a minute.
"""

import argparse
import sys

import numpy as np
import pandas as pd

from sklearn_bbc import OOFPredictions
from sklearn_bbc.display import CoverageDisplay
from sklearn_bbc.intervals import BBC, PooledBootstrap

parser = argparse.ArgumentParser(description="Coverage of two methods.")
parser.add_argument("--output", default="coverage.png", help="file of the plot")
parser.add_argument("--quick", action="store_true", help="fewer data sets")
# In a notebook the command line is that of the kernel, not of this example.
arguments = parser.parse_args(None if sys.argv[0].endswith("plot_coverage.py") else [])
n_data_sets = 20 if arguments.quick else 100

# %%
# Data sets whose truth is known
# ------------------------------
# Each setting has a number of samples, a number of configurations, and probabilities of being
# right around 0.75. Settings differ in how far these probabilities lie apart.


def data_set(rng, n_samples, probabilities):
    """Labels of a data set, and predictions that are right with the given probabilities."""
    y = np.arange(n_samples) % 2
    right = rng.random((n_samples, len(probabilities))) < probabilities
    return OOFPredictions(y_true=y, y_pred=np.where(right, y[:, None], 1 - y[:, None]))


methods = {
    "BBC": BBC(n_bootstraps=200, random_state=0),
    "bootstrap of the winner": PooledBootstrap(n_bootstraps=200, random_state=0),
}
rows = []
for n_samples in (50, 100, 200):
    for n_configs in (5, 20, 60):
        for spread in (0.0, 0.1):
            rng = np.random.default_rng([n_samples, n_configs, int(10 * spread)])
            covered = dict.fromkeys(methods, 0)
            for _ in range(n_data_sets):
                probabilities = 0.75 + spread * rng.uniform(-1, 1, n_configs)
                oof = data_set(rng, n_samples, probabilities)
                for name, method in methods.items():
                    result = method.estimate(oof, "accuracy")
                    covered[name] += probabilities[result.details["winner"]] in result
            for name, count in covered.items():
                rows.append(
                    {
                        "method": name, "samples": n_samples, "configurations": n_configs,
                        "spread": spread, "coverage": count / n_data_sets, "runs": n_data_sets,
                    }
                )  # fmt: skip
study = pd.DataFrame(rows)
print(study.groupby("method")["coverage"].describe()[["count", "min", "mean", "max"]].round(3))

# %%
# The plot
# --------
# A dot is a setting. Where its coverage differs from 95% by more than chance, its mark says so.
# BBC over-covers here; the bootstrap that ignores the selection under-covers, the more so the more
# configurations were tried.

display = CoverageDisplay.from_results(study, level=0.95).plot()
display.figure_.savefig(arguments.output, dpi=150)
print(f"The plot is in {arguments.output}")
