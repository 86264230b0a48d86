"""
Fifty loans: how much too high is the best score?
=================================================

The German credit data: 1000 applicants for a loan, 13 categorical and 7 numeric columns, "bad" or
"good". Fifty applicants take part in tuning. The 950 others are what a real study does not have:
they show what the selected model is worth.

One such experiment proves little, since on one data set every score can be too high or too low.
So this example runs several, each with another fifty applicants, and looks at the mean.

Run it with ``python docs/examples/plot_credit_g.py``; it takes about a minute on two cores. The
data are fetched from OpenML, once; with ``--data-dir FOLDER`` they are read from
``FOLDER/credit-g.csv.gz`` instead.
"""

import argparse
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from scipy.stats import loguniform
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.datasets import fetch_openml
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV

parser = argparse.ArgumentParser(description="Tune on 50 of 1000 applicants for a loan.")
parser.add_argument("--data-dir", type=Path, help="folder with credit-g.csv.gz")
parser.add_argument("--output", default="credit_g.png", help="file of the plot")
parser.add_argument("--n-iter", type=int, default=30, help="number of configurations")
parser.add_argument("--n-samples", type=int, default=10, help="how many times 50 applicants")
# In a notebook the command line is that of the kernel, not of this example.
arguments = parser.parse_args(None if sys.argv[0].endswith("plot_credit_g.py") else [])

# %%
# Data
# ----
# 1 stands for a bad loan, the class of interest.

if arguments.data_dir is None:
    X, y = fetch_openml("credit-g", version=1, as_frame=True, return_X_y=True)
    y = (y == "bad").astype(int)
else:
    X = pd.read_csv(arguments.data_dir / "credit-g.csv.gz", keep_default_na=False)
    y = X.pop("target")

# %%
# Search space
# ------------
# With 50 applicants some categories are rare: the encoder ignores those that a training fold
# lacks. The configurations are drawn at random from three families of models.

columns = ColumnTransformer(
    [
        ("numeric", StandardScaler(), make_column_selector(dtype_include="number")),
        (
            "categorical",
            OneHotEncoder(handle_unknown="ignore"),
            make_column_selector(dtype_exclude="number"),
        ),
    ]
)
pipeline = Pipeline([("columns", columns), ("model", LogisticRegression())])
distributions = [
    {"model": [LogisticRegression(max_iter=5000)], "model__C": loguniform(1e-3, 1e2)},
    {
        "model": [SVC()],
        "model__kernel": ["linear", "poly", "rbf"],
        "model__C": loguniform(1e-2, 1e2),
    },
    {
        "model": [DecisionTreeClassifier(random_state=0)],
        "model__max_depth": [1, 2, 3, 5],
        "model__min_samples_leaf": [1, 2, 5],
        "model__max_features": [0.2, 0.5, None],
    },
]

# %%
# One search
# ----------
# With ``n_iter`` the search is a random one, as `RandomizedSearchCV`. It keeps the predictions
# that cross-validation makes anyway, and corrects the best score for having been chosen.


def tune(seed):
    """Search on 50 applicants; the search, and its score on the others."""
    X_tune, X_held_out, y_tune, y_held_out = train_test_split(
        X, y, train_size=50, stratify=y, random_state=seed
    )
    search = BBCSearchCV(
        pipeline,
        distributions,
        n_iter=arguments.n_iter,
        scoring="roc_auc",
        cv=10,
        n_jobs=2,
        random_state=seed,
    )
    search.fit(X_tune, y_tune)
    return search, search.score(X_held_out, y_held_out)


first, held_out = tune(seed=0)
print(first.summary())
print(f"On the other applicants the selected model has a ROC AUC of {held_out:.3f}.")

# %%
# The same with other applicants
# ------------------------------
# Each row is another sample of fifty. ``low`` and ``high`` are the 95% interval.

tuned = [(first, held_out), *(tune(seed) for seed in range(1, arguments.n_samples))]
rows = [
    [search.best_score_, search.bbc_score_, *search.ci_, held_out] for search, held_out in tuned
]
table = pd.DataFrame(rows, columns=["best score", "corrected", "low", "high", "held out"])
print(table.round(3).to_string(index=False))
print()
off = table[["best score", "corrected"]].sub(table["held out"], axis=0)
print("too high by, on average:")
print(off.mean().round(3).to_string())
covered = table["held out"].between(table["low"], table["high"]).sum()
print(f"intervals that contain the held-out score: {covered} of {len(table)}")

# %%
# The best score is too high for most of the samples. The corrected score is sometimes too high
# and sometimes too low, as every estimate from fifty applicants; the width of the intervals shows
# how little so few of them can show. ``benchmarks/real_data.py showcase`` does the same with more
# configurations and more samples; the start page of the documentation has its plot.

figure, ax = plt.subplots(figsize=(7, 2.6), layout="constrained")
for height, (name, color) in enumerate({"corrected": "C0", "best score": "C3"}.items()):
    ax.scatter(off[name], [height] * len(off), s=30, alpha=0.6, color=color)
    ax.plot(off[name].mean(), height, "|", markersize=34, markeredgewidth=3, color=color)
ax.axvline(0, color="0.3", linewidth=1)
ax.set_yticks([0, 1], ["corrected (BBC)", "best score"])
ax.set_ylim(-0.5, 1.5)
ax.set_xlabel("score minus held-out score (ROC AUC); bars are means")
ax.set_title(f"credit-g, {len(off)} times 50 applicants")
figure.savefig(arguments.output, dpi=150)
print(f"The plot is in {arguments.output}")
