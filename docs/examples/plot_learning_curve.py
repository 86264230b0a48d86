"""
Would more data help?
=====================

A model is trained on growing parts of the data, and each size gets an interval. The plot shows
whether the score still rises, and how much higher it is on the training samples.

Run it with ``python docs/examples/plot_learning_curve.py``; it takes a few seconds.
"""

import argparse
import sys

from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc.comparison import learning_curve_intervals
from sklearn_bbc.display import LearningCurveDisplay

parser = argparse.ArgumentParser(description="A learning curve with intervals.")
parser.add_argument("--output", default="learning_curve.png", help="file of the plot")
# In a notebook the command line is that of the kernel, not of this example.
notebook = not sys.argv[0].endswith("plot_learning_curve.py")
arguments = parser.parse_args([] if notebook else None)

# %%
# Scores at six sizes
# -------------------
# Five folds, repeated three times. In each of them a tree is trained on parts of the training
# samples, each part contained in the next, and scored on the part itself and on the samples left
# out. A search can be given in place of the tree: it then tunes anew within each part.

X, y = load_breast_cancer(return_X_y=True)
curve = learning_curve_intervals(
    DecisionTreeClassifier(min_samples_leaf=5, random_state=0),
    X,
    y,
    scoring="roc_auc",
    train_sizes=[25, 50, 100, 200, 300, 450],
    random_state=0,
)
columns = ["test_score", "low", "high", "train_score", "gap", "gap_low", "gap_high"]
print(curve.frame()[columns].round(3).to_string())

# %%
# What the curve says, in words. The gap is the training score minus the test score.

print(curve)

# %%
# A curve ``a + b n^-c`` is fitted to the mean test scores. It may be read a little beyond the
# data; beyond four times the largest size `predict` warns, since such a value rests on the
# assumed shape alone.

print(f"twice as many samples: {curve.predict(900):.3f}")

# %%
# The plot
# --------
# Points of one curve share their samples, so they go up and down together: an interval is for
# its size alone. At small sizes intervals are wide, wider than they would have to be.

display = LearningCurveDisplay.from_results(curve).plot()
display.figure_.savefig(arguments.output, dpi=150)
print(f"The plot is in {arguments.output}")
