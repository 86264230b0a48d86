#!/usr/bin/env bash
# imbalanced-learn 0.14.2: one prediction of a class that a test fold lacks makes the fold's G-mean 0.
#
# Expected: the documentation says that the G-mean is 0 where the model does not recognise a class.
# A class without samples in the fold cannot be missed; scikit-learn's balanced accuracy leaves it out.
# Seen: the classes are those of the truth and of the predictions, and the recall of one without samples
# counts as 0. 99 of 100 right predictions score 0, so the mean over folds depends on where a rare
# class fell. A warning speaks of recall only.
#     100 of 100 right: G-mean 1.000, balanced accuracy 1.000
#     99 of 100 right, one said to be of the rare class: G-mean 0.000, balanced accuracy 0.990
#     the same with labels=[0, 1]: G-mean 0.990
# No fault of ours: nothing here is ours.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q --no-compile --disable-pip-version-check \
    imbalanced-learn==0.14.2 numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pandas==2.3.3 joblib==1.6.0

cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PROGRAM'
import numpy as np
from imblearn.metrics import geometric_mean_score
from sklearn.metrics import balanced_accuracy_score

true = np.repeat([0, 1], 50)  # the fold has no sample of class 2
predicted = true.copy()
before = geometric_mean_score(true, predicted)
print(f"100 of 100 right: G-mean {before:.3f}, "
      f"balanced accuracy {balanced_accuracy_score(true, predicted):.3f}")
predicted[0] = 2
after = geometric_mean_score(true, predicted)
balanced = balanced_accuracy_score(true, predicted)
print(f"99 of 100 right, one said to be of the rare class: G-mean {after:.3f}, "
      f"balanced accuracy {balanced:.3f}")
left = geometric_mean_score(true, predicted, labels=[0, 1])
print(f"the same with labels=[0, 1]: G-mean {left:.3f}")
assert (before, after) == (1, 0) and left > 0.98 and abs(balanced - 0.99) < 1e-9
PROGRAM
