#!/usr/bin/env bash
# mlxtend 0.25.0: the bounds of feature selectors are for one fold more than there is.
#
# Expected: get_metric_dict(confidence_interval=0.95) of SequentialFeatureSelector documents ci_bound as the
# bound of a confidence interval of the mean of the scores. That of k scores is t * standard error
# with k - 1 degrees of freedom (scipy.stats.t.interval, R's t.test).
# Seen: it takes k degrees of freedom. With 3 folds the half-width is 0.74 of the right one, with 2 folds
# 0.34. (That folds share training samples makes the right one too narrow as well.)
#     2 folds: 0.34 of the t interval
#     3 folds: 0.74 of the t interval
#     10 folds: 0.98 of the t interval
# No fault of ours: nothing here is ours.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q --no-compile --disable-pip-version-check \
    mlxtend==0.25.0 numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pandas==2.3.3 matplotlib==3.11.2 joblib==1.6.0

cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PROGRAM'
import numpy as np
from mlxtend.feature_selection import SequentialFeatureSelector
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.neighbors import KNeighborsClassifier

X, y = load_breast_cancer(return_X_y=True)
for n_folds in (2, 3, 10):
    selector = SequentialFeatureSelector(KNeighborsClassifier(), k_features=1, cv=n_folds)
    found = selector.fit(X[:, :3], y).get_metric_dict(confidence_interval=0.95)[1]
    error = stats.sem(found["cv_scores"])
    share = found["ci_bound"] / (error * stats.t.ppf(0.975, n_folds - 1))
    print(f"{n_folds} folds: {share:.2f} of the t interval")
    expected = stats.t.ppf(0.975, n_folds) / stats.t.ppf(0.975, n_folds - 1)
    np.testing.assert_allclose(share, expected, rtol=1e-9)
PROGRAM
