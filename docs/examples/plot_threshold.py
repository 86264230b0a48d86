"""
A threshold for a clinical score, and how much of its worth is luck
===================================================================

A model gives each patient a probability, a decision needs a threshold. It is usually tuned on the
very predictions that say how good it is, after the model was tuned on them too. Both choices make
the score look better than it is.

Here the question is whether a biopsy is malignant, with only three of the measurements at hand. 80
of the 569 patients take part in tuning. The others are what a real study does not have: they show
how good the model is at the threshold.

Run it with ``python docs/examples/plot_threshold.py``; it takes about twenty seconds.
"""

import argparse
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.intervals import BBC

parser = argparse.ArgumentParser(description="Tune a threshold on 80 patients, check its score.")
parser.add_argument("--output", default="threshold.png", help="file of the plot")
parser.add_argument("--quick", action="store_true", help="only a few samples of patients")
# In a notebook the command line is that of the kernel, not of this example.
arguments = parser.parse_args(None if sys.argv[0].endswith("plot_threshold.py") else [])

# %%
# Data
# ----
# 1 stands for malignant, the class of interest.

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X, y = X[["mean texture", "mean smoothness", "mean symmetry"]].to_numpy(), 1 - y.to_numpy()


def patients(seed):
    """80 patients for tuning, and the others."""
    return train_test_split(X, y, train_size=80, stratify=y, random_state=seed)


# %%
# Search
# ------
# The models are compared by their log loss, which needs no threshold.

pipeline = make_pipeline(
    StandardScaler(), PolynomialFeatures(include_bias=False), LogisticRegression(max_iter=1000)
)
grid = {
    "polynomialfeatures__degree": [1, 2],
    "logisticregression__C": [0.01, 0.1, 1, 10],
}
X_tune, X_held_out, y_tune, y_held_out = patients(seed=1)
search = BBCSearchCV(pipeline, grid, scoring="neg_log_loss", cv=5, random_state=0)
search.fit(X_tune, y_tune)

# %%
# Threshold
# ---------
# ``search.threshold`` takes the predictions that the search kept. Nothing is fitted again. Every
# bootstrap draw repeats both choices, that of the configuration and that of the threshold.

tuned = search.threshold("balanced_accuracy")
print(tuned.summary())

# %%
# ``tuned.estimator`` is the best model with that threshold, ready to predict. On the other
# patients:

labels = tuned.estimator.predict(X_held_out)
held_out = balanced_accuracy_score(y_held_out, labels)
print(f"balanced accuracy on {len(y_held_out)} other patients: {held_out:.3f}")

# %%
# If a missed tumour is worse than a false alarm, say so by a cost matrix: true class by predicted
# class, here ten to one. The score is the mean cost with a minus, since greater is better.

costs = search.threshold([[0, 1], [10, 0]])
print(costs.summary())

# %%
# Twenty other samples of patients
# --------------------------------
# One data set proves nothing: the score of 80 patients varies far more than the luck that is to be
# shown. So the same is done with other samples of 80 patients.

rows = []
for seed in range(2 if arguments.quick else 20):
    X_some, X_others, y_some, y_others = patients(seed)
    some = BBCSearchCV(pipeline, grid, scoring="neg_log_loss", cv=5, random_state=0, ci=[])
    found = some.fit(X_some, y_some).threshold("balanced_accuracy", method=BBC(n_bootstraps=300))
    truth = balanced_accuracy_score(y_others, found.estimator.predict(X_others))
    rows.append({"apparent": found.apparent_score, "corrected": found.ci.estimate, "truth": truth})
    rows[-1]["in interval"] = truth in found.ci
samples = pd.DataFrame(rows)
print(samples[["apparent", "corrected", "truth"]].mean().round(3).to_string())
print(f"95% intervals that hold the truth: {samples['in interval'].sum()} of {len(samples)}")

# %%
# Result
# ------
# Left, what goes wrong: the curve of few patients has peaks of its own, and tuning finds the
# highest of them. Right, what that does: on average the apparent score is too high, and the
# corrected one is close to what the other patients say.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained")
thresholds = np.linspace(0.02, 0.98, 97)
curves = {
    "80 tuning patients, out-of-fold": (
        y_tune, search.oof_.responses["predict_proba"][search.best_index_], "#D55E00"
    ),
    "489 other patients": (y_held_out, search.predict_proba(X_held_out)[:, 1], "#0072B2"),
}  # fmt: skip
for name, (truth, scores, color) in curves.items():
    values = [balanced_accuracy_score(truth, scores >= t) for t in thresholds]
    left.plot(thresholds, values, color=color, label=name)
left.axvline(tuned.threshold, color="#1A1A1A", linestyle=":", label="tuned threshold")
left.set_xlabel("threshold")
left.set_ylabel("balanced accuracy")
left.legend(frameon=False, fontsize=8, loc="upper right")
for place, (name, color) in enumerate([("apparent", "#D55E00"), ("corrected", "#0072B2")]):
    error = samples[name] - samples["truth"]
    spread = np.linspace(-0.12, 0.12, len(error))
    right.plot(place + spread, error, "o", ms=4, color=color, alpha=0.7)
    right.plot([place - 0.25, place + 0.25], [error.mean()] * 2, color=color, linewidth=2.5)
right.axhline(0, color="#1A1A1A", linewidth=0.8)
right.set_xticks([0, 1], ["apparent", "corrected"])
right.set_xlim(-0.6, 1.6)
right.set_ylabel("score minus that of the other patients")
right.set_title(f"{len(samples)} samples of 80 patients; line: mean", fontsize=10)
for ax in (left, right):
    ax.spines[["top", "right"]].set_visible(False)
figure.savefig(arguments.output, dpi=150)
print(f"The plot is in {arguments.output}")
