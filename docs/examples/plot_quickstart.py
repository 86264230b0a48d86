"""
What is the best of 150 models really worth?
============================================

Sixty patients, a pipeline, and a search over 150 configurations: the usual beginning of a clinical
prediction study. The best cross-validated score is then reported, and it is too high, since it is
the best of many noisy numbers.

Here the data come with scikit-learn: did the disease of a patient with diabetes progress within a
year? Only 60 of the 442 patients take part in tuning. The others are what a real study does not
have: they show how good the selected model is.

Run it with ``python docs/examples/plot_quickstart.py``; it takes a few seconds.
"""

import argparse
import sys

from sklearn.datasets import load_diabetes
from sklearn.feature_selection import SelectKBest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.display import DrawsDisplay

parser = argparse.ArgumentParser(description="Tune on 60 patients, correct the score, check it.")
parser.add_argument("--output", default="quickstart.png", help="file of the plot")
parser.add_argument("--quick", action="store_true", help="only a few of the configurations")
# In a notebook the command line is that of the kernel, not of this example.
arguments = parser.parse_args(None if sys.argv[0].endswith("plot_quickstart.py") else [])

# %%
# Search
# ------
# `BBCSearchCV` takes the place of `GridSearchCV`. It fits the same models on the same folds and
# keeps their predictions. From these it estimates, without another fit, what the selected model
# is worth once the luck of having been selected is taken off. The first of the methods in
# `ci` gives `ci_`.

X, y = load_diabetes(return_X_y=True)
y = y > 140
model = make_pipeline(SelectKBest(), KNeighborsClassifier())
n_neighbors = range(1, 16, 7) if arguments.quick else range(1, 16)
grid = {"selectkbest__k": range(1, 11), "kneighborsclassifier__n_neighbors": n_neighbors}
search = BBCSearchCV(model, grid, cv=10, random_state=0, ci=["bbc", "bbcf"])
search.fit(X[:60], y[:60])
print(search.table())

# %%
# The sentence for the paper:

print(search.summary())

# %%
# Truth
# -----
# The other 382 patients took no part in anything above. The plot shows the draws behind each
# estimate, and all four numbers.

results = search.ci_results_["accuracy"]
display = DrawsDisplay.from_results(
    {"BBC": results["bbc"], "BBC-F": results["bbcf"]},
    best_score=search.best_score_,
    held_out_score=search.score(X[60:], y[60:]),
)
display.plot()
display.figure_.savefig(arguments.output, dpi=150)
print(f"The plot is in {arguments.output}")
