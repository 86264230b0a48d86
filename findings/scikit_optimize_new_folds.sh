#!/usr/bin/env bash
# scikit-optimize 0.10.2: BayesSearchCV scores each configuration on other folds.
#
# Expected: it has the interface and the cv_results_ of scikit-learn's GridSearchCV, which draws the folds once and
# scores every configuration on them: split0_test_score is of the same samples in every row.
# Seen: the splitter is asked again for each batch of configurations. With KFold(shuffle=True) or
# ShuffleSplit without a random_state one and the same configuration has another score each time, the best
# one is the one with the luckiest folds, and differences fold by fold compare different samples. No word.
#     one configuration, six times: 6 different scores; with random_state=0: 1
# No fault of ours: nothing here is ours.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q --no-compile --disable-pip-version-check \
    scikit-optimize==0.10.2 numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pandas==2.3.3 joblib==1.6.0

cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PROGRAM'
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier
from skopt import BayesSearchCV
from skopt.space import Categorical

X, y = load_breast_cancer(return_X_y=True)
different = []
for seed in (None, 0):
    search = BayesSearchCV(
        DecisionTreeClassifier(random_state=0), {"max_depth": Categorical([1])}, n_iter=6,
        cv=KFold(5, shuffle=True, random_state=seed), random_state=0,
    ).fit(X, y)
    different.append(len({round(score, 9) for score in search.cv_results_["mean_test_score"]}))
print(f"one configuration, six times: {different[0]} different scores; "
      f"with random_state=0: {different[1]}")
assert different[0] > 2 and different[1] == 1
PROGRAM
