#!/usr/bin/env bash
# scikit-survival 0.28.0: the concordance of small risks is 0.5.
#
# Expected: a concordance index counts in which order risks are. Times a constant (events per day instead
# of per century, a probability of a rare event) the order is the same, and so is the index; lifelines
# gives the same one.
# Seen: risks that differ by 1e-8 or less count as equal (tied_tol, an absolute number). With risks
# around 1e-9 every pair is a tie, and the index is 0.5 for a model that ranks well. The scores of its models
# and its scorers for GridSearchCV take the same default.
#     risks x 1: scikit-survival 0.750, lifelines 0.750
#     risks x 1e-06: scikit-survival 0.750, lifelines 0.750
#     risks x 1e-09: scikit-survival 0.500, lifelines 0.750
# No fault of ours: nothing here is ours.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q --no-compile --disable-pip-version-check \
    scikit-survival==0.28.0 lifelines==0.30.3 numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pandas==2.3.3

cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PROGRAM'
import numpy as np
from lifelines.utils import concordance_index
from sksurv.metrics import concordance_index_censored

rng = np.random.default_rng(0)
times, known = rng.exponential(size=200), rng.random(200) < 0.7
risks = -np.log(times) + rng.normal(size=200)
found = []
for unit in (1, 1e-6, 1e-9):
    theirs = concordance_index_censored(known, times, risks * unit)[0]
    right = concordance_index(times, -risks * unit, known)
    print(f"risks x {unit}: scikit-survival {theirs:.3f}, lifelines {right:.3f}")
    found.append((theirs, right))
found = np.array(found)
assert np.ptp(found[:, 1]) == 0 and found[0, 1] > 0.7
assert abs(found[0, 0] - found[0, 1]) < 1e-3
assert abs(found[2, 0] - 0.5) < 1e-3, "small risks are no longer ties"
PROGRAM
