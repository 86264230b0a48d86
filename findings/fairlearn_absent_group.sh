#!/usr/bin/env bash
# fairlearn 0.15.0: draws without a group count as a difference of 0 between the groups.
#
# Expected: a bootstrap draw that holds none of a small group says nothing of the difference between the
# groups, so it is left out, as `by_group_ci` leaves it out (fairlearn #1450).
# Seen: what is left in such a draw is one group, whose largest and smallest score are the same: the
# difference is 0, the ratio 1. With 3 of 300 samples in a group 5% of the draws are like that, and the 95%
# interval of any difference reaches 0, without a word.
#     3 of 300 all wrong, the others 90% right: 5% of the draws lack the group
#     difference 0.86, 95% interval 0.00 to 0.90; over draws with both groups 0.82 to 0.90
#     ratio 0.00, 95% interval 0.00 to 1.00; over draws with both groups 0.00 to 0.00
# No fault of ours: nothing here is ours, and the bootstrap beside it is a plain loop.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q --no-compile --disable-pip-version-check \
    fairlearn==0.15.0 scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1 pandas==2.3.3

cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PROGRAM'
import numpy as np
from fairlearn.metrics import MetricFrame
from sklearn.metrics import accuracy_score

n, n_draws = 300, 1000
rng = np.random.default_rng(0)
is_small = np.arange(n) < 3
right = np.where(is_small, 0, rng.random(n) < 0.9).astype(int)
frame = MetricFrame(
    metrics=accuracy_score, y_true=np.ones(n, dtype=int), y_pred=right,
    sensitive_features=np.where(is_small, "small", "large"),
    n_boot=n_draws, ci_quantiles=[0.025, 0.975], random_state=0,
)

differences, ratios = [], []
for _ in range(n_draws):
    drawn = rng.integers(n, size=n)
    small, large = right[drawn][is_small[drawn]], right[drawn][~is_small[drawn]]
    if len(small):
        differences.append(abs(large.mean() - small.mean()))
        ratios.append(min(large.mean(), small.mean()) / max(large.mean(), small.mean()))
share = 1 - len(differences) / n_draws
print(f"3 of {n} all wrong, the others 90% right: {share:.0%} of the draws lack the group")
for name, score, found, loop in (
    ("difference", frame.difference(), frame.difference_ci(), differences),
    ("ratio", frame.ratio(), frame.ratio_ci(), ratios),
):
    low, high = np.quantile(loop, [0.025, 0.975])
    print(f"{name} {score:.2f}, 95% interval {found[0]:.2f} to {found[1]:.2f}; "
          f"over draws with both groups {low:.2f} to {high:.2f}")

assert min(differences) > 0.8 and max(ratios) == 0
assert frame.by_group_ci[1]["small"] == 0, "by_group_ci leaves draws without the group out"
assert frame.difference_ci()[0] == 0, "draws without a group are no longer differences of 0"
assert frame.ratio_ci()[1] == 1, "draws without a group are no longer ratios of 1"
PROGRAM
