"""
Fifty loans: categories, numbers, and a random search
=====================================================

The German credit data: 1000 applicants, 13 categorical and 7 numeric columns, "bad" or "good". As
in the published comparison of interval methods, 50 applicants take part in tuning and the 950
others tell what the selected model is worth.

The columns go through a ``ColumnTransformer``, the configurations are drawn at random, and the
intervals are lower bounds: "the AUC is at least ...".

Run it with ``python docs/examples/plot_credit_g.py``. The data are fetched from OpenML, once; with
``--data-dir FOLDER`` they are read from ``FOLDER/credit-g.csv.gz`` instead.
"""

import argparse
import sys
from pathlib import Path

import pandas as pd
from scipy.stats import loguniform
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.datasets import fetch_openml
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.display import IntervalsDisplay
from sklearn_bbc.intervals import BBC, BBCF, NaiveBootstrap

parser = argparse.ArgumentParser(description="Tune on 50 of 1000 applicants for a loan.")
parser.add_argument("--data-dir", type=Path, help="folder with credit-g.csv.gz")
parser.add_argument("--output", default="credit_g.png", help="file of the picture")
parser.add_argument("--n-iter", type=int, default=100, help="number of configurations")
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
X_tune, X_held_out, y_tune, y_held_out = train_test_split(
    X, y, train_size=50, stratify=y, random_state=0
)

# %%
# Search space
# ------------
# With 50 applicants some categories are rare: the encoder ignores those that a training fold
# lacks.

numeric = make_column_selector(dtype_include="number")
categorical = make_column_selector(dtype_exclude="number")
columns = ColumnTransformer(
    [
        ("numeric", StandardScaler(), numeric),
        ("categorical", OneHotEncoder(handle_unknown="ignore"), categorical),
    ]
)
pipeline = Pipeline([("columns", columns), ("model", LogisticRegression())])
distributions = [
    {"model": [LogisticRegression(max_iter=5000)], "model__C": loguniform(1e-3, 1e2)},
    {"model": [SVC()], "model__kernel": ["linear", "rbf"], "model__C": loguniform(1e-2, 1e2)},
    {
        "model": [RandomForestClassifier(n_estimators=50, random_state=0)],
        "model__min_samples_leaf": [1, 2, 3, 5, 8],
        "model__max_features": [0.05, 0.1, 0.2, 0.4, 0.8],
    },
]

# %%
# Search
# ------
# With ``n_iter`` the search is a random one, as `RandomizedSearchCV`. Any number of methods can
# look at the same predictions. The last of these three does not account for the selection.

search = BBCSearchCV(
    pipeline,
    distributions,
    n_iter=arguments.n_iter,
    scoring="roc_auc",
    cv=10,
    n_jobs=2,
    random_state=0,
    ci=[
        BBC(alternative="greater"),
        BBCF(alternative="greater"),
        NaiveBootstrap(alternative="greater"),
    ],
)
search.fit(X_tune, y_tune)
print(search.summary())

# %%
# Result
# ------

display = IntervalsDisplay.from_search(search, held_out_score=search.score(X_held_out, y_held_out))
print()
table = display.frame()[["estimate", "low", "high"]].rename_axis(None)
print(table.round(3).to_string(na_rep=""))

# %%
# The naive bootstrap believes the score of the winner, so its bound is far above what the model is
# worth on the other applicants. On a single data set a bound holds or it does not; how often each
# method's bounds hold is measured by ``benchmarks/coverage.py``.

display.plot()
display.ax_.set_title("credit-g: 50 applicants for tuning, 950 held out")
display.figure_.savefig(arguments.output, dpi=150)
print(f"The picture is in {arguments.output}")
