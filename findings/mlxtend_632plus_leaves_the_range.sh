#!/usr/bin/env bash
# mlxtend 0.25.0: the .632+ bootstrap gives accuracies of -8 and negative squared errors.
#
# Expected: an accuracy is within 0 and 1. Efron and Tibshirani (1997), to whom .632+ is due
# (doi:10.1080/01621459.1997.10474007), keep the relative overfitting rate R within 0 and 1, so that the
# weight .632 / (1 - .368 R) is within .632 and 1.
# Seen: R is not kept within these bounds. On small samples it passes 1 / .368, where the weight is
# infinite and then negative. The mean over the draws looks like a score, and is none.
#     accuracy:      .632 0.512 (0.184 to 0.855), .632+ 0.228 (-8.429 to 3.385)
#     squared error: .632 2.622 (0.555 to 99.589), .632+ 1.970 (-142.250 to 176.146)
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
from mlxtend.evaluate import bootstrap_point632_score
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier

rng = np.random.default_rng(0)
noise = rng.normal(size=(30, 12)), rng.normal(size=30)
classes = rng.normal(size=(20, 3)), np.tile([0, 1], 10)
for name, model, (X, y) in (
    ("accuracy", KNeighborsClassifier(3), classes), ("squared error", LinearRegression(), noise)
):
    said = []
    for method in (".632", ".632+"):
        scores = bootstrap_point632_score(model, X, y, n_splits=200, method=method, random_seed=0)
        said.append(f"{method} {scores.mean():.3f} ({scores.min():.3f} to {scores.max():.3f})")
        outside = scores.min() < 0
        assert outside == (method == ".632+"), f"{name}, {method}: {said[-1]}"
    print(f"{name}: {', '.join(said)}")
PROGRAM
