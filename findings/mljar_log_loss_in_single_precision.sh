#!/usr/bin/env bash
# mljar-supervised 1.3.2: the log loss of the leaderboard is computed in single precision.
#
# Expected: the log loss on the leaderboard is that of the predictions in the run's own files, by
# sklearn.metrics.log_loss, which mljar uses.
# Seen: predictions are in single precision when they are scored, where scikit-learn takes a probability
# of 0 for 1.2e-7 and not for 2.2e-16. So each certain mistake costs 16 and not 36, and models that make
# such mistakes look half as bad as they are: `logloss` is also what mljar selects by when nothing is said.
# 60 samples of noise, decision tree:
#     leaderboard 2.75, from its own predictions_out_of_folds.csv 5.43
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
from sklearn.metrics import log_loss
from supervised import AutoML

folds = {"validation_type": "kfold", "k_folds": 4, "shuffle": True, "stratify": True, "random_seed": 0}
X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=list("abc"))
y = pd.Series(np.arange(60) % 2)
AutoML(results_path="run", algorithms=["Decision Tree"], verbose=0, validation_strategy=folds,
       explain_level=0, train_ensemble=False, start_random_models=1).fit(X, y)
board = pd.read_csv("run/leaderboard.csv").iloc[0]
rows = pd.read_csv(f"run/{board['name']}/predictions_out_of_folds.csv")
truth, risk = rows["target"], rows.filter(like="prediction").iloc[:, -1]
again = log_loss(truth, risk)
print(f"{board['metric_type']} {board['metric_value']:.3f}, from its own file {again:.3f}")
single = log_loss(truth, risk.astype(np.float32))
assert board["metric_type"] == "logloss" and abs(board["metric_value"] - single) < 1e-4
assert again > 1.5 * board["metric_value"], "It is mended."
PROGRAM
