"""
Why the corrected AUC can be too low: pooling
=============================================

`best_score_` is a mean of scores per fold. BBC scores the predictions of all folds together. For
rank metrics such as the AUC these are two different things, even for a single model and without
any selection: pairs of samples from different folds are compared by the scores of two different
models, each on a scale of its own.

Here one model, a logistic regression, is scored on small data sets whose true AUC is known from
many further samples. Nothing is selected, so nothing is lucky: whatever differs is pooling.

Run it with ``python docs/examples/plot_pooling.py``; it takes about a minute.
"""

import argparse
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import within_folds

parser = argparse.ArgumentParser(description="What pooling the folds does to an AUC.")
parser.add_argument("--output", default="pooling.png", help="file of the plot")
parser.add_argument("--quick", action="store_true", help="only a few data sets")
# In a notebook the command line is that of the kernel, not of this example.
arguments = parser.parse_args(None if sys.argv[0].endswith("plot_pooling.py") else [])

# %%
# Many small data sets
# --------------------
# 80 samples each, 10 folds. A small `C` shrinks all coefficients, so the scores of one model
# hardly differ; what is left is the intercept, which follows the shares of the classes in the
# training folds. A held-out fold with one positive more was predicted by a model that saw one
# fewer.

grid = {"C": [0.001, 0.01, 0.1, 1]}
method = BBC(n_bootstraps=100 if arguments.quick else 300)
rows = []
for seed in range(4 if arguments.quick else 60):
    X, y = make_classification(
        4080, 20, n_informative=2, flip_y=0.5, class_sep=0.7, random_state=seed
    )
    search = BBCSearchCV(
        LogisticRegression(max_iter=1000), grid, scoring="roc_auc", cv=10, ci=[], random_state=0
    )
    search.fit(X[:80], y[:80])
    for config, params in enumerate(grid["C"]):
        model = LogisticRegression(C=params, max_iter=1000).fit(X[:80], y[:80])
        pooled = search.interval(method, config=config)
        by_folds = search.interval(method, within_folds("roc_auc"), config=config)
        rows.append(
            {
                "C": params,
                "truth": roc_auc_score(y[80:], model.decision_function(X[80:])),
                "mean over folds": search.cv_results_["mean_test_score"][config],
                "BBC, pooled": pooled.estimate,
                "BBC, within folds": by_folds.estimate,
            }
        )

# %%
# Result
# ------
# Means over the data sets.

means = pd.DataFrame(rows).groupby("C").mean()
print(means.round(3).to_string())

# %%
# Only the pooled score is too low, and the more so the more the model is shrunk. A search reports
# how much of its optimism this is:

search = BBCSearchCV(
    LogisticRegression(max_iter=1000), {"C": [0.001]}, scoring="roc_auc", cv=10, random_state=0
)
X, y = make_classification(80, 20, n_informative=2, flip_y=0.5, random_state=7)
search.fit(X, y)
print()
print({name: round(part, 3) for name, part in search.optimism_parts_.items()})
print(search.summary())

# %%
# What to do: ask for the score within folds, ``search.interval(scoring=within_folds("roc_auc"))``,
# which compares pairs of the same fold only. It is wider with few samples.
#
# The plot: left, the scores of one search at ``C=0.001``, fold by fold. Within most folds the
# positives are higher; across folds the level of the fold decides. Right, the means above.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained")
scores = search.oof_.matrix("roc_auc")[:, 0]
shift = np.where(y == 1, 0.15, -0.15)
for label, color, name in ((0, "#0072B2", "negative"), (1, "#D55E00", "positive")):
    here = y == label
    left.plot(
        search.oof_.fold[here] + shift[here], scores[here], "o", ms=4, color=color, label=name
    )
left.set_xlabel("fold")
left.set_ylabel("score of the fold's own model")
left.legend(frameon=False)
styles = {
    "truth": ("#1A1A1A", "-"),
    "mean over folds": ("#D55E00", "--"),
    "BBC, pooled": ("#CC79A7", ":"),
    "BBC, within folds": ("#0072B2", "-."),
}
for name, (color, line) in styles.items():
    right.plot(means.index, means[name], line, marker="o", ms=4, color=color, label=name)
right.set_xscale("log")
right.set_xlabel("C (smaller: more shrinkage)")
right.set_ylabel("AUC, mean over the data sets")
right.legend(frameon=False)
for ax in (left, right):
    ax.spines[["top", "right"]].set_visible(False)
figure.savefig(arguments.output, dpi=150)
print(f"The plot is in {arguments.output}")
