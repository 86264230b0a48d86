#!/usr/bin/env bash
# optuna-integration 5.0.0: a configuration that fails in the hardest fold wins by the others.
#
# Expected: scikit-learn's GridSearchCV gives a configuration with a missing score in some fold the last
# rank, since its mean is missing, too: folds differ in how hard they are.
# Seen: OptunaSearchCV(error_score=nan) takes the mean over the folds that are left (`np.nanmean`). The
# configuration that fails in the hard fold has the best score and is returned.
#     GridSearchCV: best strategy 'prior', mean of the failing one nan
#     OptunaSearchCV: best strategy 'most_frequent', its mean 1.0, without the fold of 0.0
# No fault of ours: nothing here is ours.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q --no-compile --disable-pip-version-check \
    optuna-integration==5.0.0 optuna==5.0.0 numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pandas==3.1.1

cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PROGRAM'
import numpy as np
import optuna
from optuna_integration import OptunaSearchCV
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV, PredefinedSplit

optuna.logging.set_verbosity(optuna.logging.ERROR)


class Fails(DummyClassifier):
    """Fails where it would be tested on the last samples, the hard ones."""

    def fit(self, X, y):
        if self.strategy == "most_frequent" and X.max() < 29:
            raise ValueError("this configuration does not work here")
        return super().fit(X, y)


X, fold = np.arange(30.0)[:, None], np.repeat([0, 1, 2], 10)
y = np.where(fold == 2, 1, 0)
y[:2] = 0
options = {"cv": PredefinedSplit(fold), "scoring": "accuracy", "error_score": np.nan}
right = GridSearchCV(Fails(), {"strategy": ["most_frequent", "prior"]}, **options).fit(X, y)
print("GridSearchCV: best", right.best_params_, "means", right.cv_results_["mean_test_score"].round(2).tolist())
space = {"strategy": optuna.distributions.CategoricalDistribution(["most_frequent", "prior"])}
study = optuna.create_study(direction="maximize", sampler=optuna.samplers.BruteForceSampler(seed=0))
found = OptunaSearchCV(Fails(), space, n_trials=2, study=study, **options).fit(X, y)
table = found.cv_results_
print("OptunaSearchCV: best", found.best_params_, "means", np.round(table["mean_test_score"], 2).tolist(),
      "folds", [np.round(table[f"split{k}_test_score"], 2).tolist() for k in range(3)])
assert right.best_params_ == {"strategy": "prior"}
if found.best_params_ != {"strategy": "most_frequent"}:
    raise SystemExit("OptunaSearchCV no longer selects what failed in a fold")
PROGRAM
