#!/usr/bin/env bash
# confidenceinterval 1.0.5: macro F1 of classes 1 and 2 counts a class 0 that does not exist.
#
# Expected: the README promises scikit-learn's names and interface, with intervals. F1 does not depend on
# the numbers that stand for the classes.
# Seen: its confusion matrix has a row for each integer from 0 to the largest label. With the labels
# 1 and 2, as SPSS and Stata files often have them, the mean is over three classes, one of which has
# an F1 of 0, so a third of the score is missing. No word. Precision and recall take another matrix and are right.
#     classes 0 and 1: F1 0.800 (scikit-learn 0.800), precision 0.800
#     classes 1 and 2: F1 0.533 (scikit-learn 0.800), precision 0.800
# No fault of ours: nothing here is ours, and the labels are valid for scikit-learn.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q --no-compile --disable-pip-version-check \
    confidenceinterval==1.0.5 numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pandas==2.3.3 statsmodels==0.15.0 setuptools==68.2.2

cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PROGRAM'
import confidenceinterval
import numpy as np
from sklearn.metrics import f1_score

true = np.repeat([0, 1], 50)
predicted = np.where(np.arange(100) % 5 == 0, 1 - true, true)
found = []
for first in (0, 1):
    score, _ = confidenceinterval.f1_score(true + first, predicted + first, average="macro")
    right = f1_score(true + first, predicted + first, average="macro")
    other, _ = confidenceinterval.precision_score(true + first, predicted + first, average="macro")
    print(f"classes {first} and {first + 1}: F1 {score:.3f} (scikit-learn {right:.3f}), "
          f"precision {other:.3f}")
    found.append(score)
np.testing.assert_allclose(found, [0.8, 0.8 * 2 / 3], rtol=1e-6)
PROGRAM
