#!/usr/bin/env bash
# uncertainty-calibration 0.1.4: the interval of a calibration error has another level than asked for.
#
# Expected: the docstring of get_calibration_error_uncertainties (alpha=0.1) promises bootstrap
# intervals of the level 1 - alpha: 90% by default, and 50% with alpha=0.5.
# Seen: alpha is handed on to a function that takes it as per cent. alpha=0.1 means the percentiles 0.05
# and 99.95 of 100 draws, which are nearly the smallest and the largest one; alpha=0.5 changes next to nothing.
# The 90% interval is what alpha=10 gives.
#     alpha=0.1: 0.005 to 0.081   alpha=0.5: 0.007 to 0.081   alpha=10: 0.020 to 0.069
# No fault of ours: nothing here is ours.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q --no-compile --disable-pip-version-check \
    uncertainty-calibration==0.1.4 numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1

cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PROGRAM'
import calibration
import numpy as np

rng = np.random.default_rng(0)
risks = rng.random(400)
events = (rng.random(400) < risks).astype(int)
widths, shown = [], []
for alpha in (0.1, 0.5, 10):
    np.random.seed(0)  # the same draws each time
    low, _, high = calibration.get_calibration_error_uncertainties(risks, events, p=1, alpha=alpha)
    shown.append(f"alpha={alpha}: {low:.3f} to {high:.3f}")
    widths.append(high - low)
print("   ".join(shown))
share = widths[1] / widths[0]
assert share > 0.9, f"a 50% interval is now {share:.2f} as wide as a 90% one: 0.41 would be right"
assert widths[2] < 0.75 * widths[0], "alpha=10 is no longer narrower than alpha=0.1"
PROGRAM
