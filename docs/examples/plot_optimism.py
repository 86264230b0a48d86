"""
How much of a good score comes from trying a lot?
=================================================

Every configuration that is tried is one more chance to be lucky. This example takes one finished
search and asks what it would have reported with fewer configurations, and what of that is real.
Nothing is fitted again.

Run it with ``python docs/examples/plot_optimism.py``; it takes half a minute.
"""

import argparse
import sys

from sklearn.datasets import make_classification
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.display import OptimismDisplay, SelectionFrequencyDisplay

parser = argparse.ArgumentParser(description="Optimism by the number of configurations.")
parser.add_argument("--output", default="optimism.png", help="file of the plot")
parser.add_argument("--quick", action="store_true", help="a smaller grid")
# In a notebook the command line is that of the kernel, not of this example.
arguments = parser.parse_args(None if sys.argv[0].endswith("plot_optimism.py") else [])

# %%
# A search with a lot of configurations
# -------------------------------------
# 80 samples, 200 features without any information, and one that helps a little.

X, y = make_classification(
    80, 201, n_informative=1, n_redundant=0, n_clusters_per_class=1, class_sep=0.4, flip_y=0.2,
    random_state=0,
)  # fmt: skip
step = 4 if arguments.quick else 1
grid = [
    {
        "model": [DecisionTreeClassifier(random_state=0)],
        "model__max_depth": [1, 2, 3, 4, 6, 8][::step],
        "model__min_samples_leaf": [1, 2, 3, 5, 8, 12][::step],
        "model__max_features": [None, 0.5, 0.2, 0.1],
    },
    {
        "model": [KNeighborsClassifier()],
        "model__n_neighbors": [1, 3, 5, 7, 9, 13, 17, 25, 35, 51][::step],
        "model__p": [1, 2],
        "model__weights": ["uniform", "distance"],
    },
]
pipeline = make_pipeline(StandardScaler(), "passthrough")
pipeline.steps[-1] = ("model", DecisionTreeClassifier())
search = BBCSearchCV(pipeline, grid, scoring="roc_auc", cv=5, random_state=0).fit(X, y)
print(search.summary())

# %%
# What fewer configurations would have given
# ------------------------------------------
# Random subsets of the configurations, 50 of each size. The best score rises with every further
# configuration. The corrected score, for which the selection is repeated in every draw, shows
# how much of that is real.

curve = search.optimism_curve()
print(curve)
print(curve.frame()[["best", "corrected", "optimism"]].round(3).to_string())

display = OptimismDisplay.from_results(curve).plot()
display.figure_.savefig(arguments.output, dpi=150)
print(f"The plot is in {arguments.output}")

# %%
# The bands say how much it matters which configurations are tried. They are no confidence
# intervals: those of the whole search are in ``search.ci_``, and wider.
#
# Who wins?
# ---------
# Where the data determine the winner, it wins most draws. Here no configuration does. A low share
# is no proof that others are as good, and a high one none that they are worse: that is what
# `search.tied_with_best()` is for.

frequency = SelectionFrequencyDisplay.from_search(search)
print(frequency.frame().head(5).round(3).to_string())
frequency.plot()
