"""
What is the best of 113 models really worth?
============================================

Sixty patients, a pipeline, and a search over five families of models: the usual beginning of a
clinical prediction study. The best cross-validated score is then reported, and it is too high,
since it is the best of many noisy numbers.

Here the data are the biopsies that come with scikit-learn. Only 60 of the 569 patients take part
in tuning. The others are what a real study does not have: they tell how good the selected model
is.

Run it with ``python docs/examples/plot_quickstart.py``; it takes about half a minute on two cores.
"""

import argparse
import sys

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.display import DrawsDisplay

parser = argparse.ArgumentParser(description="Tune on 60 patients, correct the score, check it.")
parser.add_argument("--output", default="quickstart.png", help="file of the plot")
parser.add_argument("--quick", action="store_true", help="only a few of the configurations")
# In a notebook the command line is that of the kernel, not of this example.
arguments = parser.parse_args(None if sys.argv[0].endswith("plot_quickstart.py") else [])

# %%
# Data
# ----
# Sixty patients for tuning, with the classes in the proportions of the whole.

X, y = load_breast_cancer(return_X_y=True)
y = 1 - y  # 1: malignant
X_tune, X_held_out, y_tune, y_held_out = train_test_split(
    X, y, train_size=60, stratify=y, random_state=0
)

# %%
# Search space
# ------------
# The last step of the pipeline is itself searched: each grid of the list is one family.

pipeline = Pipeline(
    [
        ("scale", StandardScaler()),
        ("select", SelectKBest()),
        ("model", LogisticRegression()),
    ]
)
n_features = [5, 10, "all"]
grid = [
    {
        "select__k": [5, 10, 20, "all"],
        "model": [LogisticRegression(max_iter=5000)],
        "model__C": [0.01, 0.1, 1, 10, 100],
    },
    {
        "select__k": n_features,
        "model": [SVC()],
        "model__kernel": ["linear", "poly", "rbf"],
        "model__C": [0.01, 0.1, 1, 10],
    },
    {
        "select__k": n_features,
        "model": [KNeighborsClassifier()],
        "model__n_neighbors": [1, 3, 5, 9, 15],
        "model__weights": ["uniform", "distance"],
    },
    {
        "select__k": n_features,
        "model": [DecisionTreeClassifier(random_state=0)],
        "model__max_depth": [2, 4, None],
        "model__min_samples_leaf": [1, 5],
    },
    {
        "select__k": n_features,
        "model": [RandomForestClassifier(n_estimators=50, random_state=0)],
        "model__min_samples_leaf": [1, 3, 5],
    },
]
if arguments.quick:
    grid = [{**family, "select__k": [5]} for family in grid[:2]]

# %%
# Search
# ------
# `BBCSearchCV` takes the place of `GridSearchCV`. It fits the same models on the same folds and
# keeps their predictions. From these it estimates, without another fit, what the selected model
# is worth once the luck of having been selected is taken off. The first of the methods in
# `ci` gives `ci_`.

search = BBCSearchCV(
    pipeline, grid, scoring="roc_auc", cv=10, n_jobs=2, random_state=0, ci=["bbc", "bbcf"]
)
search.fit(X_tune, y_tune)

# %%
# Result
# ------
# The held-out patients took no part in anything above.

results = search.ci_results_["roc_auc"]
display = DrawsDisplay.from_results(
    {"BBC": results["bbc"], "BBC-F": results["bbcf"]},
    best_score=search.best_score_,
    held_out_score=search.score(X_held_out, y_held_out),
)
rows = ["best CV score", "BBC", "BBC-F", "held-out score"]
table = display.frame().loc[rows, ["estimate", "low", "high"]].rename_axis(None)
print(table.round(3).to_string(na_rep=""))
print()
print(search.summary())
print(f"The winner: {search.best_params_}")

# %%
# The plot shows the distribution behind each estimate, with all four numbers.

display.plot()
display.ax_.set_title(f"ROC AUC of the best of {len(search.cv_results_['params'])} configurations")
display.figure_.savefig(arguments.output, dpi=150)
print(f"The plot is in {arguments.output}")
