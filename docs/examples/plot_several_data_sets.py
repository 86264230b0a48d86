"""
Several searches in one plot
============================

The same search on three data sets, with two metrics. Areas and log losses have different scales,
so each metric has a panel of its own, and each score the sign that people print.

Run it with ``python docs/examples/plot_several_data_sets.py``; it takes about ten seconds.
"""

import argparse
import sys

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.display import ForestDisplay

parser = argparse.ArgumentParser(description="Several searches in one plot.")
parser.add_argument("--output", default="several_data_sets.png", help="file of the plot")
# In a notebook the command line is that of the kernel, not of this example.
notebook = not sys.argv[0].endswith("plot_several_data_sets.py")
arguments = parser.parse_args([] if notebook else None)

# %%
# Three searches
# --------------
# 80 samples each: one class against the rest.

digits, wine = load_digits(return_X_y=True), load_wine(return_X_y=True)
tasks = {
    "malignant tumours": load_breast_cancer(return_X_y=True),
    "the digit 8": (digits[0], digits[1] == 8),
    "wine of cultivar 2": (wine[0], wine[1] == 1),
}
rng = np.random.default_rng(0)
searches = {}
for name, (X, y) in tasks.items():
    some = rng.permutation(len(y))[:80]
    searches[name] = BBCSearchCV(
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000)),
        {"logisticregression__C": np.logspace(-3, 3, 15)},
        scoring=["roc_auc", "neg_log_loss"],
        refit="roc_auc",
        cv=5,
        random_state=0,
    ).fit(X[some], y[some])

# %%
# The plot
# --------
# A row is a data set. Dots and bars are the corrected scores with their intervals, and the open
# diamonds the scores that a plain search would have reported.

display = ForestDisplay.from_searches(searches)
print(display.frame()[["label", "metric", "estimate", "low", "high", "best_score"]].round(3))
display.plot()
display.figure_.savefig(arguments.output, dpi=150)
print(f"The plot is in {arguments.output}")
