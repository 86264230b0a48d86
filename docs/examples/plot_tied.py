"""
Which configurations may be the best
====================================

A grid has a winner, but the next data set would have another one. This example asks which
configurations are not shown to be worse than the best, takes the simplest of them, and draws
all of them by family.

Run it with ``python docs/examples/plot_tied.py``; it takes half a minute.
"""

import argparse
import sys

from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.display import TiedSetDisplay

parser = argparse.ArgumentParser(description="Configurations that may be the best.")
parser.add_argument("--output", default="tied.png", help="file of the plot")
parser.add_argument("--quick", action="store_true", help="a smaller grid")
# In a notebook the command line is that of the kernel, not of this example.
arguments = parser.parse_args(None if sys.argv[0].endswith("plot_tied.py") else [])

# %%
# A search over three kinds of models
# -----------------------------------
# 150 samples. `n_neighbors` and `C` range over what people usually try.

X, y = make_classification(
    150, 12, n_informative=4, n_redundant=2, class_sep=0.8, flip_y=0.1, random_state=3
)
step = 3 if arguments.quick else 1
grid = [
    {
        "model": [LogisticRegression(max_iter=2000)],
        "model__C": [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 100][::step],
    },
    {
        "model": [KNeighborsClassifier()],
        "model__n_neighbors": [1, 3, 5, 7, 9, 13, 17, 25, 35, 51][::step],
        "model__weights": ["uniform", "distance"],
    },
    {
        "model": [DecisionTreeClassifier(random_state=0)],
        "model__max_depth": [1, 2, 3, 4, 6, 8][::step],
        "model__min_samples_leaf": [1, 5, 10, 20][::step],
    },
]
pipeline = Pipeline([("scale", StandardScaler()), ("model", LogisticRegression())])
search = BBCSearchCV(pipeline, grid, scoring="accuracy", cv=10, random_state=0).fit(X, y)
print(search.best_params_)
print(search.summary())

# %%
# What may be the best
# --------------------
# The set holds the truly best configuration in 95% of data sets. Simple is here: first the
# logistic regression with the strongest penalty, then many neighbours, then small trees.


def complexity(params):
    model = params["model"]
    if isinstance(model, LogisticRegression):
        return params["model__C"]
    if isinstance(model, KNeighborsClassifier):
        return 1000 - params["model__n_neighbors"]
    return 1000 + params["model__max_depth"]


tied = search.tied_with_best(complexity=complexity, family="model")
print(tied)
print(tied.by_family()[["n_configs", "n_members", "best_score", "members"]].to_string())

# %%
# All configurations as a table, best first: the difference to the best is corrected for having
# picked the best, and `won` says how often a configuration is the best of a bootstrap draw. Few
# win often, and yet many may be the best.

columns = ["score", "difference", "low", "high", "p_value", "won", "member"]
print(tied.frame()[columns].head(8).round(3).to_string())

# %%
# Is the one with the best score shown to be better than every other? A small p value would say so.

print(f"p = {tied.details['best_p_value']:.2f}")

# %%
# The plot
# --------
# A row is a family. At such sizes the set is large: it shows which kinds of models, and
# which values, are out of the question, and that within the rest one may choose what is simple.

display = TiedSetDisplay.from_results(tied).plot()
display.figure_.savefig(arguments.output, dpi=150)
print(f"The plot is in {arguments.output}")
