"""
The results section of a clinical paper
=======================================

Tuned models on the data of 200 patients: will the disease of a patient with diabetes progress
within a year? A paper needs more than a score. Reviewers ask for the ROC curve, calibration and
clinical usefulness (TRIPOD+AI, items 12 and 23). Drawn from the predictions that selected the
model, all of them look too good. Here each is corrected for the selection, from the same draws and
without another fit.

The 242 other patients are what a real study does not have: their curves, in grey, show how good
the selected model is.

Run it with ``python docs/examples/plot_clinical.py``; it takes about half a minute.
"""

import argparse
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.curves import ROC, Calibration, NetBenefit, PrecisionRecall
from sklearn_bbc.display import CurveDisplay

parser = argparse.ArgumentParser(description="Tune on 200 patients, report all of it.")
parser.add_argument("--output", default="clinical.png", help="file of the plot")
parser.add_argument("--report", default="clinical.html", help="file of the report")
parser.add_argument("--quick", action="store_true", help="only a few configurations")
# In a notebook the command line is that of the kernel, not of this example.
arguments = parser.parse_args(None if sys.argv[0].endswith("plot_clinical.py") else [])

# %%
# Search
# ------
# ROC AUC selects. ``record="predict_proba"`` keeps the risks as well, which calibration and net
# benefit need.

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
y = (y > 140).rename("progression")
X, X_others, y, y_others = train_test_split(X, y, train_size=200, stratify=y, random_state=0)
model = Pipeline([("scale", StandardScaler()), ("model", LogisticRegression())])
forest = RandomForestClassifier(n_estimators=30, random_state=0)
grid = [
    {"model": [LogisticRegression(max_iter=1000)], "model__C": np.logspace(-3, 2, 6)},
    {"model": [KNeighborsClassifier()], "model__n_neighbors": [5, 9, 15, 25, 35]},
    {"model": [forest], "model__max_depth": [2, 4, 8], "model__max_features": [1, 3]},
]
search = BBCSearchCV(
    model, grid[:2] if arguments.quick else grid, scoring="roc_auc", cv=10, random_state=0,
    record="predict_proba",
)  # fmt: skip
search.fit(X, y)
print(search.summary())

# %%
# Discrimination and calibration in numbers
# -----------------------------------------
# A slope below 1 means risks that are too extreme; an intercept above 0 risks that are too low.

numbers = ["calibration_slope", "calibration_intercept", "neg_brier_score"]
intervals = [search.interval(scoring=name) for name in numbers]
print(search.table(show=intervals))

# %%
# Curves
# ------
# Blue is corrected, with limits at each point (dark) and for the whole curve (light). The dashed
# curve is what the predictions of the selected model show without a correction.

kinds = [ROC(), PrecisionRecall(), Calibration(), NetBenefit(high=0.8, n_points=80)]
curves = [search.curve(kind) for kind in kinds]
risks = search.predict_proba(X_others)[:, 1]
figure, axes = plt.subplots(2, 2, figsize=(10, 9.4), layout="constrained")
for kind, curve, ax in zip(kinds, curves, axes.ravel()):
    CurveDisplay.from_results(curve).plot(ax)
    others = kind.values(y_others.to_numpy(), risks, np.ones((1, len(risks))), curve.grid)[0]
    label = f"{len(risks)} other patients"
    ax.plot(curve.grid, others, color="0.45", linewidth=2.5, alpha=0.7, zorder=1, label=label)
    ax.legend(loc="best", fontsize=8, frameon=False)
figure.savefig(arguments.output, dpi=120)
print(f"The plot is in {arguments.output}")

# %%
# A threshold
# -----------
# Chosen on the predictions that judge it, a threshold looks too good; so every draw repeats its
# choice.

tuned = search.threshold("balanced_accuracy")
print(tuned.summary())
print(tuned.table()[["apparent", "estimate", "low_joint", "high_joint"]].round(2))

# %%
# Subgroups
# ---------
# Scores by sex and age, with limits for all groups at once, and how much the risk of a patient
# depends on which model was selected.

age = pd.cut(X["age"], [0, 50, 100], labels=["to 50", "above 50"])
groups = pd.DataFrame({"sex": X["sex"].astype(int), "age": age})
subgroups = search.subgroups(groups)
print(subgroups.summary())
stability = search.prediction_stability()
print(stability.summary())

# %%
# Is it worth the effort?
# -----------------------
# A logistic regression of the body mass index alone, on the same splits. The interval of the
# difference takes the selection among all models into account.

baseline = make_pipeline(
    ColumnTransformer([("bmi", "passthrough", ["bmi"])]), StandardScaler(), LogisticRegression()
)
print(search.compare(baseline, X, y, names=("the tuned model", "body mass index alone")))

# %%
# For the paper
# -------------
# The methods paragraph, and one page with all of the above, the set of models that may be the best
# and the items of the TRIPOD+AI checklist that a search can fill in.

print(search.summary("methods"))
page = search.report(
    arguments.report, title="Progression of diabetes", threshold=tuned,
    show=[*curves, *intervals, subgroups, stability],
)  # fmt: skip
print(f"The report is in {page}")
