#!/usr/bin/env bash
# mlinsights 0.5.3: a search without scoring selects the worst quantile regression.
#
# Expected: scikit-learn's searches call the model's own score, and its API says that a greater score is
# better; that of its regressors is R2.
# Seen: QuantileLinearRegression.score is a mean absolute error, where less is better (its docstring
# says so). GridSearchCV without scoring takes the configuration with the largest error, without a word.
#     selected fit_intercept=False with an error of 9.7; fit_intercept=True has 0.8
# No fault of ours: nothing here is ours; the search is scikit-learn's.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q --no-compile --disable-pip-version-check \
    mlinsights==0.5.3 numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pandas==2.3.3 joblib==1.6.0

cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PROGRAM'
import numpy as np
from mlinsights.mlmodel import QuantileLinearRegression
from sklearn.model_selection import GridSearchCV

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 2))
y = X @ [5, 3] + 10 + rng.normal(size=200)
model, grid = QuantileLinearRegression(), {"fit_intercept": [True, False]}
own = GridSearchCV(model, grid, cv=5).fit(X, y)
named = GridSearchCV(model, grid, cv=5, scoring="neg_mean_absolute_error").fit(X, y)
errors = -named.cv_results_["mean_test_score"]
print(f"selected fit_intercept={own.best_params_['fit_intercept']} with an error of "
      f"{errors[own.best_index_]:.1f}; fit_intercept=True has {errors[0]:.1f}")
assert named.best_params_["fit_intercept"] and errors[1] > 5 * errors[0]
assert not own.best_params_["fit_intercept"], "its own score no longer prefers large errors"
PROGRAM
