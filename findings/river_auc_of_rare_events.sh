#!/usr/bin/env bash
# river 0.26.1: the ROC AUC of calibrated risks of a rare event is 0.5, whatever the model.
#
# Expected: the documentation of metrics.ROCAUC calls it an approximation with a negligible error where
# probabilities are calibrated, and good enough to compare models.
# Seen: it has ten thresholds, equally spaced from 0 to 1. Where all risks are below the second one, 0.11, as
# calibrated risks of a rare event are, all fall together: 0.5 for a model that knows much, as for one that
# knows nothing. Progressive validation reports this number.
#     river 0.500, scikit-learn 0.765; with 1,000 thresholds 0.764
# No fault of ours: nothing here is ours, and the events are drawn with the predicted probabilities.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q --no-compile --disable-pip-version-check \
    river==0.26.1 numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pandas==2.3.3

cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PROGRAM'
import numpy as np
from river import metrics
from sklearn.metrics import roc_auc_score

rng = np.random.default_rng(0)
risks = rng.choice([0.002, 0.01, 0.05, 0.1], size=5000) * rng.uniform(0.9, 1, 5000)
events = rng.random(5000) < risks  # calibrated by construction
default, fine = metrics.ROCAUC(), metrics.ROCAUC(n_thresholds=1000)
for event, risk in zip(events.tolist(), risks.tolist()):
    default.update(event, risk)
    fine.update(event, risk)
right = roc_auc_score(events, risks)
print(f"river {default.get():.3f}, scikit-learn {right:.3f}; "
      f"with 1,000 thresholds {fine.get():.3f}")
assert right > 0.7 and abs(fine.get() - right) < 0.02
assert abs(default.get() - 0.5) < 1e-6, "ten thresholds now tell these risks apart"
PROGRAM
