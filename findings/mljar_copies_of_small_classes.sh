#!/usr/bin/env bash
# mljar-supervised 1.3.2: samples of classes with fewer than 20 are copied before the folds are made.
#
# Expected: in cross-validation a sample is predicted by models that have not seen it. So features that
# have nothing to do with the target have an AUC of about one half.
# Seen: AutoML.fit appends copies, drawn with replacement, of classes with fewer than 20 samples
# (`_handle_drastic_imbalance`), and then splits. Copies of a held-out sample are in the training data, and
# the leaderboard scores the copies, too. Nothing is said of it. 8 events among 60 samples, 3 features of
# noise, decision tree, mean of five data sets:
#     leaderboard 0.85, the tree on the same folds of the 60 samples alone 0.53
# No fault of ours: nothing here is ours.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q --no-compile --disable-pip-version-check \
    mljar-supervised==1.3.2 numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pandas==3.1.1

cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PROGRAM'
import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier
from supervised import AutoML

folds = {"validation_type": "kfold", "k_folds": 4, "shuffle": True, "stratify": True, "random_seed": 0}
theirs, alone, rows = [], [], []
for seed in range(5):
    X = pd.DataFrame(np.random.default_rng(seed).normal(size=(60, 3)), columns=list("abc"))
    y = pd.Series((np.arange(60) < 8).astype(int))
    automl = AutoML(results_path=f"run_{seed}", algorithms=["Decision Tree"], eval_metric="auc", verbose=0,
                    validation_strategy=folds, explain_level=0, train_ensemble=False, start_random_models=1)
    automl.fit(X.copy(), y.copy())
    theirs.append(pd.read_csv(f"run_{seed}/leaderboard.csv")["metric_value"][0])
    rows.append(len(pd.read_csv(f"run_{seed}/1_DecisionTree/predictions_out_of_folds.csv")))
    tree = DecisionTreeClassifier(max_depth=4, random_state=0)
    p = cross_val_predict(tree, X, y, cv=StratifiedKFold(4, shuffle=True, random_state=0), method="predict_proba")
    alone.append(roc_auc_score(y, p[:, 1]))
print("leaderboard", np.round(theirs, 2), "mean", round(np.mean(theirs), 2), "rows", rows)
print("the 60 samples alone", np.round(alone, 2), "mean", round(np.mean(alone), 2))
mended = "mljar-supervised now splits before it copies, or does not copy"
assert rows == [72] * 5 and np.mean(theirs) >= 0.65 and np.mean(alone) <= 0.6, mended
PROGRAM
