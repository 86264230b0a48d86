#!/usr/bin/env bash
# dask-ml 2025.1.0: one failing configuration loses the whole search, though error_score is a number.
#
# Expected: the documentation of GridSearchCV(error_score=) says that with a number a failed fit is scored
# with it and a warning is given. scikit-learn's GridSearchCV with error_score=nan ranks such
# configurations last and goes on.
# Seen: all fits are made; then the ranks are computed with NaN among the scores, no configuration has
# rank 1, and the search ends in an IndexError without results. A scorer that returns NaN does the same.
#     scikit-learn: best max_depth 3, ranks [2, 3, 1]
#     dask-ml: IndexError: index 0 is out of bounds for axis 0 with size 0
# No fault of ours: nothing here is ours.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q --no-compile --disable-pip-version-check \
    dask-ml==2025.1.0 dask==2026.8.0 distributed==2026.8.0 numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pandas==2.3.3

cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PROGRAM'
import dask_ml.model_selection
import numpy as np
import sklearn.model_selection
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier


class FailsAtTwo(DecisionTreeClassifier):
    def fit(self, X, y):
        if self.max_depth == 2:
            raise ValueError("this configuration does not work")
        return super().fit(X, y)


X, y = load_breast_cancer(return_X_y=True)
asked = {"param_grid": {"max_depth": [1, 2, 3]}, "cv": 3, "error_score": np.nan}
right = sklearn.model_selection.GridSearchCV(FailsAtTwo(random_state=0), **asked).fit(X, y)
print("scikit-learn: best max_depth", right.best_params_["max_depth"], "ranks",
      right.cv_results_["rank_test_score"].tolist())
assert right.best_params_ == {"max_depth": 3}
try:
    dask_ml.model_selection.GridSearchCV(FailsAtTwo(random_state=0), **asked).fit(X, y)
except IndexError as error:
    print("dask-ml: IndexError:", error)
else:
    raise SystemExit("dask-ml now ends with a result")
PROGRAM
