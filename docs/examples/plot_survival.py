"""
Survival times: tuning a Cox model by its concordance
=====================================================

686 patients with breast cancer (German Breast Cancer Study Group 2), of whom 299 had a recurrence
while they were watched; the others are right-censored. 100 patients take part in tuning, the
others show what the selected model is worth.

Any estimator works that predicts a risk or a time. Here lifelines' Cox model is wrapped in a
small estimator of scikit-learn's kind; models of scikit-survival need no wrapper. The target is a
structured array with a boolean field (event seen?) and a time.

Run it with ``python docs/examples/plot_survival.py`` after ``pip install lifelines``. The data
come with lifelines; with ``--data-dir FOLDER`` they are read from ``FOLDER/surv-gbsg2.csv.gz``.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from lifelines import CoxPHFitter
from lifelines.datasets import load_gbsg2
from sklearn.base import BaseEstimator
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.feature_selection import VarianceThreshold
from sklearn.model_selection import KFold, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.display import DrawsDisplay

parser = argparse.ArgumentParser(description="Tune a Cox model on 100 of 686 patients.")
parser.add_argument("--data-dir", type=Path, help="folder with surv-gbsg2.csv.gz")
parser.add_argument("--output", default="survival.png", help="file of the plot")
# In a notebook the command line is that of the kernel, not of this example.
arguments = parser.parse_args(None if sys.argv[0].endswith("plot_survival.py") else [])


# %%
# The model
# ---------
# ``predict`` gives the logarithm of the hazard relative to the average: greater is riskier, as
# the scorer ``"concordance_index"`` expects.


class CoxModel(BaseEstimator):
    """Lifelines' Cox model with a penalty, as a scikit-learn estimator."""

    def __init__(self, penalizer=0.1, l1_ratio=0.0):
        self.penalizer = penalizer
        self.l1_ratio = l1_ratio

    def fit(self, X, y):
        """Fit on a matrix and a structured array of event and time."""
        frame = pd.DataFrame(np.asarray(X)).add_prefix("x")
        frame["event"], frame["time"] = y["event"], y["time"]
        self.model_ = CoxPHFitter(penalizer=self.penalizer, l1_ratio=self.l1_ratio)
        self.model_.fit(frame, duration_col="time", event_col="event")
        return self

    def predict(self, X):
        """Log partial hazard of each row."""
        frame = pd.DataFrame(np.asarray(X)).add_prefix("x")
        return self.model_.predict_log_partial_hazard(frame).to_numpy()


# %%
# Data
# ----

if arguments.data_dir is None:
    data = load_gbsg2().rename(columns={"cens": "event"})
else:
    data = pd.read_csv(arguments.data_dir / "surv-gbsg2.csv.gz")
y = np.empty(len(data), dtype=[("event", bool), ("time", float)])
y["event"], y["time"] = data.pop("event") == 1, data.pop("time")
X_tune, X_held_out, y_tune, y_held_out = train_test_split(
    data, y, train_size=100, stratify=y["event"], random_state=0
)

# %%
# Tuning
# ------

columns = make_column_transformer(
    (OneHotEncoder(drop="if_binary", handle_unknown="ignore", sparse_output=False),
     make_column_selector(dtype_include=["object", "string", "category"])),
    remainder=StandardScaler(),
)  # fmt: skip
pipeline = Pipeline([("columns", columns), ("vary", VarianceThreshold()), ("cox", CoxModel())])
search = BBCSearchCV(
    pipeline,
    {"cox__penalizer": [0.01, 0.03, 0.1, 0.3, 1.0], "cox__l1_ratio": [0.0, 0.5]},
    scoring="concordance_index",
    cv=KFold(5, shuffle=True, random_state=0),
    random_state=0,
).fit(X_tune, y_tune)
held_out = search.score(X_held_out, y_held_out)

low, high = search.ci_
print(f"best CV score   {search.best_score_:.3f}")
print(f"BBC             {search.bbc_score_:.3f}  {low:.3f}  {high:.3f}")
print(f"BBC-F           {search.bbcf_score_:.3f}")
print(f"held-out score  {held_out:.3f}")
print()
print(search.summary())

# %%
# Plot
# ----

display = DrawsDisplay.from_search(search, held_out_score=held_out).plot()
display.figure_.savefig(arguments.output, dpi=150, bbox_inches="tight")
print(f"The plot is in {arguments.output}")
