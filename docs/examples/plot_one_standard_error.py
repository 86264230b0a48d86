"""
The simplest model within one standard error
============================================

The best of many scores is best partly by luck, so a simpler model is often as good. An old rule
takes the simplest model whose score is at most one standard error below the best. What is such a
model worth? Its own cross-validated score does not say, since the rule looked at it too. A rule
is an object here: given as `refit` it selects the model, and every bootstrap draw repeats it.

The data are the diabetes patients that come with scikit-learn: ten measurements, and how far the
disease went within a year. 150 of the 442 patients take part in tuning.

Run it with ``python docs/examples/plot_one_standard_error.py``; it takes a few seconds.
"""

import argparse
import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Lasso
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.selection import OneStandardError

parser = argparse.ArgumentParser(description="Select the simplest model that is good enough.")
parser.add_argument("--output", default="one_standard_error.png", help="file of the plot")
# In a notebook the command line is that of the kernel, not of this example.
arguments = parser.parse_args(None if sys.argv[0].endswith("plot_one_standard_error.py") else [])

X, y = load_diabetes(return_X_y=True)
X_tune, X_held_out, y_tune, y_held_out = train_test_split(X, y, train_size=150, random_state=0)

# %%
# What is simple
# --------------
# A lasso on the measurements, their squares and products: 65 terms. A larger penalty keeps fewer
# of them. What is simple only you know, so you give it to the rule: a larger `alpha` is simpler.

pipeline = make_pipeline(
    PolynomialFeatures(2, include_bias=False), StandardScaler(), Lasso(max_iter=20_000)
)
grid = {"lasso__alpha": np.geomspace(0.5, 40, 20).round(2)}
rule = OneStandardError([("lasso__alpha", "larger is simpler")])

# %%
# Two searches
# ------------
# One takes the best score, as usual. The other gets the rule as `refit`. Everything that it says
# is about the model that the rule selects.

options = {"scoring": "neg_mean_absolute_error", "cv": 10, "random_state": 0}
best = BBCSearchCV(pipeline, grid, **options).fit(X_tune, y_tune)
simple = BBCSearchCV(pipeline, grid, refit=rule, **options).fit(X_tune, y_tune)
for name, search in (("best score", best), ("simplest", simple)):
    terms = int(np.count_nonzero(search.best_estimator_["lasso"].coef_))
    print(
        f"{name:10}  alpha {search.best_params_['lasso__alpha']:5.2f}  {terms:2d} terms  "
        f"corrected {search.bbc_score_:.1f} ({search.ci_.low:.1f} to {search.ci_.high:.1f})  "
        f"other patients {search.score(X_held_out, y_held_out):.1f}"
    )

# %%
# The sentence for the paper names the rule:

print(simple.summary())

# %%
# Result
# ------
# The curve of the means is flat near its top, and the standard errors are larger than its
# differences. The rule uses that to keep a third of the terms. What it costs is on the right: the
# corrected score, and the score on the other patients, are two to three units worse. Whether 15
# terms fewer are worth that is yours to decide, by numbers that account for the choice.

results = simple.cv_results_
alphas = np.array([params["lasso__alpha"] for params in results["params"]])
errors = results["std_test_score"] / np.sqrt(simple.n_splits_ - 1)
figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained")
left.errorbar(
    alphas, results["mean_test_score"], errors, fmt="o-", ms=4, color="#0072B2", linewidth=1
)
limit = results["mean_test_score"][best.best_index_] - errors[best.best_index_]
left.axhline(limit, color="#D55E00", linestyle="--", label="best minus one standard error")
left.plot(
    alphas[best.best_index_], results["mean_test_score"][best.best_index_], "s", ms=9,
    color="#D55E00", label="best score",
)  # fmt: skip
left.plot(
    alphas[simple.best_index_], results["mean_test_score"][simple.best_index_], "D", ms=9,
    color="#009E73", label="simplest within one standard error",
)  # fmt: skip
left.set_xscale("log")
left.set_xlabel("alpha (larger: fewer terms)")
left.set_ylabel("minus mean absolute error, 10 folds")
left.legend(frameon=False, fontsize=8)
right.hist(best.ci_.draws, bins=40, color="#D55E00", alpha=0.5, label="best score")
right.hist(simple.ci_.draws, bins=40, color="#009E73", alpha=0.5, label="simplest")
for search, color in ((best, "#D55E00"), (simple, "#009E73")):
    right.axvline(search.bbc_score_, color=color)
    right.axvline(search.score(X_held_out, y_held_out), color=color, linestyle=":")
right.set_xlabel("minus mean absolute error, out-of-bag")
right.set_ylabel("draws")
right.set_title("line: corrected score; dotted: other patients", fontsize=10)
right.legend(frameon=False, fontsize=8)
for ax in (left, right):
    ax.spines[["top", "right"]].set_visible(False)
figure.savefig(arguments.output, dpi=150)
print(f"The plot is in {arguments.output}")
