#!/usr/bin/env bash
# confidenceinterval 1.0.5: the 95% interval of a macro-averaged precision has the truth in 70 of 100 samples.
#
# Expected: its docstring names the delta method with the covariance of multinomial cells p, which is
# diag(p) less the outer product of p with itself. A 95% interval contains the truth in about 95 of 100 samples.
# Seen: the product is taken cell by cell in place of the outer one, so the covariances of the cells are
# wrong. The interval is about half as wide as it should be. Macro recall
# is computed in the same way.
#     precision 0.448, interval of the package 0.423 to 0.473, by its own formula 0.400 to 0.496
#     samples whose 95% interval has the truth: 70 of 100; by its own formula 96 of 100
# No fault of ours: nothing here is ours; the right interval is computed from the same confusion matrix.
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

CELLS = np.array([[0.30, 0.25, 0.20], [0.03, 0.08, 0.03], [0.02, 0.03, 0.06]])  # true, predicted
N = 300


def precision(cells):
    return np.mean(np.diag(cells) / cells.sum(axis=0))


def by_the_formula(cells, n):
    p = cells / cells.sum()
    columns = p.sum(axis=0)
    slopes = (np.eye(3) - np.diag(p) / columns) / columns / 3  # of cell (i, j), by column j
    variance = (p * slopes**2).sum() - (p * slopes).sum() ** 2
    half = 1.959964 * np.sqrt(variance / n)
    return precision(p) - half, precision(p) + half


truth = precision(CELLS)
rng = np.random.default_rng(0)
held = np.zeros(2)
for counts in rng.multinomial(N, CELLS.ravel(), size=400):
    true, predicted = np.divmod(np.repeat(np.arange(9), counts), 3)
    score, theirs = confidenceinterval.precision_score(true, predicted, average="macro")
    right = by_the_formula(counts.reshape(3, 3), N)
    held += [theirs[0] < truth < theirs[1], right[0] < truth < right[1]]
print(f"precision {score:.3f}, interval of the package {theirs[0]:.3f} to {theirs[1]:.3f}, "
      f"by its own formula {right[0]:.3f} to {right[1]:.3f}")
print("samples whose 95% interval has the truth: {:.0f} of 100; by its own formula "
      "{:.0f} of 100".format(*held / 4))
assert held[0] < 300, "the interval of the package now holds the truth more often"
assert held[1] > 360, "the formula that this script compares with is wrong"
PROGRAM
