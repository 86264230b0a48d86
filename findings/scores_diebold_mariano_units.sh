#!/usr/bin/env bash
# scores 2.7.0: the default Diebold-Mariano test depends on the unit of the losses.
#
# Expected: the statistic is a mean divided by its standard error, so metres and kilometres give the same
# one; scores' own method="HLN" does.
# Seen: the default, method="HG", fits the autocovariances by least squares from a start at 1 with absolute
# tolerances. Where the losses are small (metres as kilometres, rates, squared errors of probabilities)
# the fit stops at once, far too high: a clear difference disappears, without a word.
#     losses x 1: statistic 2.68, confidence that the mean is above 0: 0.996; HLN 3.66
#     losses x 0.001: statistic 0.43, confidence that the mean is above 0: 0.665; HLN 3.66
#     losses x 0.0001: statistic 0.04, confidence that the mean is above 0: 0.517; HLN 3.66
# No fault of ours: nothing here is ours, and the differences of losses are plain independent numbers.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q --no-compile --disable-pip-version-check \
    scores==2.7.0 xarray==2026.9.0 numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 statsmodels==0.15.0

cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PROGRAM'
import numpy as np
import xarray
from scores.stats.statistical_tests import diebold_mariano

losses = np.random.default_rng(0).normal(0.35, 1, 60)
found = []
for unit in (1, 0.001, 0.0001):
    series = xarray.DataArray(
        [losses * unit], dims=["series", "time"], coords={"series": [0], "h": ("series", [1])}
    )
    default = diebold_mariano(series, "series", "h")
    other = diebold_mariano(series, "series", "h", method="HLN")
    found.append((float(default.dm_test_stat[0]), float(other.dm_test_stat[0])))
    print(f"losses x {unit}: statistic {found[-1][0]:.2f}, confidence that the mean is above 0: "
          f"{float(default.confidence_gt_0[0]):.3f}; HLN {found[-1][1]:.2f}")
(one, right), (small, same), (smaller, equal) = found
assert abs(right - same) < 1e-6 and abs(right - equal) < 1e-6
assert one > 2 and small < one / 4 and smaller < one / 40, "the unit no longer matters as it did"
PROGRAM
