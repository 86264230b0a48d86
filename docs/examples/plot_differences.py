"""
Is the tuned model better, and by how much?
===========================================

A tuned tree is compared with its own defaults, a stump, and another search. A forest plot
shows all differences with their intervals side by side.

Run it with ``python docs/examples/plot_differences.py``; it takes a quarter of a minute.
"""

import argparse
import sys

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.display import DifferencesDisplay

parser = argparse.ArgumentParser(description="Differences of a search and its baselines.")
parser.add_argument("--output", default="differences.png", help="file of the plot")
# In a notebook the command line is that of the kernel, not of this example.
notebook = not sys.argv[0].endswith("plot_differences.py")
arguments = parser.parse_args([] if notebook else None)

# %%
# Two searches on the same folds
# ------------------------------
# 150 of 569 patients. Both searches get the same splits, so that they can be compared sample by
# sample.

X, y = load_breast_cancer(return_X_y=True)
X, _, y, _ = train_test_split(X, y, train_size=150, stratify=y, random_state=0)
cv = StratifiedKFold(10, shuffle=True, random_state=0)
options = {"scoring": "roc_auc", "cv": cv, "random_state": 0}

tree = BBCSearchCV(
    DecisionTreeClassifier(random_state=0),
    {"max_depth": [1, 2, 3, 5, None], "min_samples_leaf": [1, 3, 5, 10, 20]},
    **options,
).fit(X, y)
logistic = BBCSearchCV(
    make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
    {"logisticregression__C": [0.001, 0.01, 0.1, 1, 10]},
    **options,
).fit(X, y)

# %%
# One comparison for each question
# --------------------------------
# Every comparison repeats the choice of the tuned tree in each bootstrap draw, so the tree gains
# nothing from having had 25 attempts. Whether it is better than a stump, a tree with one split,
# is asked one-sided: that interval has only a lower bound.

results = {
    "tuned tree or stump": tree.compare(
        {"max_depth": 1, "min_samples_leaf": 1}, alternative="greater", names=("tree", "stump")
    ),
    "tuned tree or its default": tree.compare("default", names=("tree", "its default")),
    "tuned tree or tuned logistic": tree.compare(logistic, names=("tree", "logistic")),
}
for result in results.values():
    print(result)

# %%
# The plot
# --------
# Zero is no difference. The shaded region is what we would call equivalent in practice here:
# AUCs that differ by at most 0.02. An interval within it would show that two models are as good
# as each other; one that crosses zero and leaves the region leaves the question open.

display = DifferencesDisplay.from_results(results, rope=0.02).plot()
display.figure_.savefig(arguments.output, dpi=150)
print(f"The plot is in {arguments.output}")

# %%
# The same numbers as a table. Each interval is for one comparison by itself: the more of them,
# the more likely it is that one excludes zero by chance.

print(display.frame()[["difference", "low", "high", "p_value", "method"]].round(3).to_string())
