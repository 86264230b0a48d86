"""
An ensemble that needs no holdout of its own
============================================

The out-of-fold predictions of a search are enough to build an ensemble: start with the best
configuration, add the one whose average with it is best, and so on. The score of the ensemble on
those predictions is too good, since it was built to be good there. So it is usually checked on
samples that were set aside, which are then missing for training.

Here nothing is set aside. Every bootstrap draw builds an ensemble of its own on the drawn samples
and scores it on those left out.

Run it with ``python docs/examples/plot_ensemble.py``; it takes about fifteen seconds.
"""

import argparse
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import ParameterGrid
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.intervals import BBC
from sklearn_bbc.selection import GreedyEnsemble

parser = argparse.ArgumentParser(description="Build an ensemble of out-of-fold predictions.")
parser.add_argument("--output", default="ensemble.png", help="file of the plot")
parser.add_argument("--quick", action="store_true", help="only a few data sets")
# In a notebook the command line is that of the kernel, not of this example.
arguments = parser.parse_args(None if sys.argv[0].endswith("plot_ensemble.py") else [])

# %%
# Search
# ------
# 100 samples for tuning. 3,900 others show what the results are worth.

pipeline = Pipeline([("scale", StandardScaler()), ("model", LogisticRegression())])
grid = [
    {"model": [LogisticRegression(max_iter=1000)], "model__C": [0.01, 0.1, 1]},
    {"model": [KNeighborsClassifier()], "model__n_neighbors": [5, 11, 25]},
    {
        "model": [DecisionTreeClassifier(random_state=0)],
        "model__min_samples_leaf": [5, 10, 20],
    },
    {"model": [GaussianNB()], "model__var_smoothing": [1e-9, 0.1, 1]},
]


def data(seed):
    """100 samples for tuning, and 3,900 others."""
    X, y = make_classification(
        4000, 20, n_informative=6, n_clusters_per_class=3, class_sep=0.9, flip_y=0.1,
        random_state=seed,
    )  # fmt: skip
    return X[:100], X[100:], y[:100], y[100:]


X_tune, X_held_out, y_tune, y_held_out = data(seed=0)
search = BBCSearchCV(pipeline, grid, scoring="neg_log_loss", cv=5, random_state=0)
search.fit(X_tune, y_tune)

# %%
# Ensemble
# --------
# 200 draws suffice for the estimate: each has a whole ensemble to build.

result = search.interval(BBC(selection=GreedyEnsemble(10), n_bootstraps=200))
weights = np.array(result.details["weights"])
members = np.flatnonzero(weights)
names = []
for params in ParameterGrid(grid):
    model = type(params.pop("model")).__name__
    names.append(f"{model} " + ", ".join(f"{k[7:]}={v:g}" for k, v in params.items()))
for member in members[np.argsort(-weights[members])]:
    print(f"{weights[member]:.2f}  {names[member]}")
print(
    f"log loss of the ensemble: {-result.details['apparent_score']:.3f} on the predictions that "
    f"built it, corrected {-result.estimate:.3f} ({-result.high:.3f} to {-result.low:.3f})"
)

# %%
# To use it, fit the members on all samples and average their probabilities with these weights.
# That is what ``VotingClassifier`` does:


def fitted(search, weights, X, y):
    """The ensemble with these weights of the configurations of a search."""
    members = np.flatnonzero(weights)
    models = [clone(search.estimator).set_params(**search.oof_.params[m]) for m in members]
    named = [(f"member {m}", model) for m, model in zip(members, models)]
    return VotingClassifier(named, voting="soft", weights=weights[members]).fit(X, y)


ensemble = fitted(search, weights, X_tune, y_tune)
print(
    f"log loss on {len(y_held_out)} other samples: ensemble "
    f"{log_loss(y_held_out, ensemble.predict_proba(X_held_out)):.3f}, best single configuration "
    f"{log_loss(y_held_out, search.predict_proba(X_held_out)):.3f}"
)

# %%
# Other data sets
# ---------------
# On one data set chance decides which number is nearest to the truth. So here are more of the same
# kind, with their means.

rows = []
for seed in range(1 if arguments.quick else 8):
    X_some, X_others, y_some, y_others = data(seed)
    some = BBCSearchCV(pipeline, grid, scoring="neg_log_loss", cv=5, random_state=0, ci=[])
    some.fit(X_some, y_some)
    method = BBC(selection=GreedyEnsemble(10), n_bootstraps=200)
    found = some.interval(method)
    shares = np.array(found.details["weights"])
    of_ensemble = fitted(some, shares, X_some, y_some).predict_proba(X_others)
    rows.append(
        {
            "apparent": -found.details["apparent_score"],
            "corrected": -found.estimate,
            "truth": log_loss(y_others, of_ensemble),
            "best single": log_loss(y_others, some.predict_proba(X_others)),
        }
    )
data_sets = pd.DataFrame(rows)
print()
print(data_sets.mean().round(3).to_string())

# %%
# Result
# ------
# Left, the ensemble of the first data set. Right, all of them: by its own score the ensemble looks
# better than it is, on average; the corrected score is right on average.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
order = members[np.argsort(weights[members])]
left.barh([names[m] for m in order], weights[order], color="#0072B2", height=0.6)
left.set_xlabel("weight in the ensemble")
left.tick_params(labelsize=8)
for place, (name, color) in enumerate([("apparent", "#D55E00"), ("corrected", "#0072B2")]):
    error = data_sets[name] - data_sets["truth"]
    spread = np.linspace(-0.12, 0.12, len(error))
    right.plot(place + spread, error, "o", ms=4, color=color, alpha=0.7)
    right.plot([place - 0.25, place + 0.25], [error.mean()] * 2, color=color, linewidth=2.5)
right.axhline(0, color="#1A1A1A", linewidth=0.8)
right.set_xticks([0, 1], ["apparent", "corrected"])
right.set_xlim(-0.6, 1.6)
right.set_ylabel("log loss minus that of the other samples")
right.set_title(f"{len(data_sets)} data sets of 100 samples; line: mean", fontsize=10)
for ax in (left, right):
    ax.spines[["top", "right"]].set_visible(False)
figure.savefig(arguments.output, dpi=150)
print(f"The plot is in {arguments.output}")
