"""
Which learner wins over many data sets?
=======================================

Five learners on twelve data sets. Scores of different data sets are on different scales, so
learners are ranked within each. A critical difference diagram shows the mean ranks, and which
learners are not shown to differ.

Run it with ``python docs/examples/plot_critical_difference.py``; it takes a few seconds.
"""

import argparse
import sys

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc.comparison import BonferroniDunn, Friedman, Nemenyi
from sklearn_bbc.display import BoxesDisplay, CriticalDifferenceDisplay

parser = argparse.ArgumentParser(description="A critical difference diagram.")
parser.add_argument("--output", default="critical_difference.png", help="file of the plot")
# In a notebook the command line is that of the kernel, not of this example.
notebook = not sys.argv[0].endswith("plot_critical_difference.py")
arguments = parser.parse_args([] if notebook else None)

# %%
# Twelve data sets that come with scikit-learn
# --------------------------------------------
# Each is one class against the rest, and 100 samples of it. Ten of them are digits: such
# relatives say less than ten unrelated data sets would, which no test knows.

digits, wine = load_digits(return_X_y=True), load_wine(return_X_y=True)
tasks = {f"digit {k}": (digits[0], digits[1] == k) for k in range(10)}
tasks["wine 0"] = wine[0], wine[1] == 0
tasks["tumours"] = load_breast_cancer(return_X_y=True)
learners = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    "neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier()),
    "naive Bayes": make_pipeline(StandardScaler(), GaussianNB(var_smoothing=0.1)),
    "tree": DecisionTreeClassifier(min_samples_leaf=3, random_state=0),
    "discriminant": make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
}
rng = np.random.default_rng(0)
cv = StratifiedKFold(5, shuffle=True, random_state=0)
scores = pd.DataFrame(index=list(tasks), columns=list(learners), dtype=float)
for name, (X, y) in tasks.items():
    some = rng.permutation(len(y))[:100]
    for learner, model in learners.items():
        found = cross_val_score(model, X[some], y[some], cv=cv, scoring="roc_auc")
        scores.loc[name, learner] = found.mean()
print(scores.round(2).to_string())

# %%
# What there is to see
# --------------------
# Boxes of the scores show how they spread over the data sets. Most of that spread is the data
# sets themselves: some are easy for every learner. Ranks within each data set are free of it.

BoxesDisplay.from_results(scores, metric="roc_auc").plot()
BoxesDisplay.from_results(scores, metric="roc_auc", ranks=True).plot()

# %%
# Do any of them differ?
# ----------------------
# Friedman's test asks this of all learners together, Nemenyi's test then of each pair.

print(f"p = {Friedman().compare(scores).p_value:.1g}")
ranking = Nemenyi().compare(scores)
print(ranking.frame().round(2).to_string())
print(ranking)

# %%
# The plot
# --------
# The best mean rank is on the left. A bar joins learners that are not shown to differ. Not shown
# is not the same as equal: twelve data sets are few.

display = CriticalDifferenceDisplay.from_results(ranking).plot()
display.figure_.savefig(arguments.output, dpi=150)
print(f"The plot is in {arguments.output}")

# %%
# Against one control
# -------------------
# Where only differences to one learner matter, here the tree, Bonferroni and Dunn's test
# compares fewer pairs. The bar is the region around the control in which no difference is shown.

control = BonferroniDunn(control="tree").compare(scores)
CriticalDifferenceDisplay.from_results(control).plot()
