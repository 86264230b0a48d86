"""
Is my AutoML leaderboard too good?
==================================

mljar-supervised 1.3.2 tried models on 90 patients of scikit-learn's diabetes data: did the disease
progress? This example reads the folder that it wrote, corrects the first line of its leaderboard,
and looks at the truth, the AUC of each model on the 352 other patients. The folder is
``docs/examples/automl_run`` of the repository, so the notebook runs in a checkout.

mljar need not be installed. On your own run it is
``OOFPredictions.from_mljar("AutoML_1")``, or, without Python,
``python -m sklearn_bbc AutoML_1 --scoring roc_auc``.
"""

import argparse
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from sklearn_bbc import BBC, OOFPredictions

parser = argparse.ArgumentParser(description="Correct the leaderboard of a run of mljar.")
parser.add_argument("--run", type=Path, help="folder of the run")
parser.add_argument("--output", default="automl.png", help="file of the plot")
# In a notebook the command line is that of the kernel, not of this example.
arguments = parser.parse_args(None if sys.argv[0].endswith("plot_automl.py") else [])
# The gallery runs this in its folder, a notebook in the root of a checkout.
here = Path(__file__).parent if "__file__" in globals() else Path()
if not (here / "automl_run").exists():
    here = Path("docs/examples")
run = arguments.run or here / "automl_run"

# %%
# The leaderboard, and the first line corrected
# ----------------------------------------------
# The first note says that the predictions that were read give the scores of the leaderboard;
# others name what is left out, such as ensembles, and what cannot be known. This run was stopped
# early.

board = pd.read_csv(run / "leaderboard.csv").set_index("name")["metric_value"]
board = board.sort_values(ascending=False)
oof = OOFPredictions.from_mljar(run)
print(board.round(3).to_string(), *oof.notes, "", sep="\n")

result = BBC(random_state=0).estimate(oof, "roc_auc")
print(result)

# %%
# Board beside corrected
# ----------------------
# ``truth.csv`` has what a real study does not: the AUC of each model, trained on the 90 patients,
# on the 352 others.

singles = board.drop([name for name in board.index if name.startswith("Ensemble")])
truth = None
if (run / "truth.csv").exists():
    truth = pd.read_csv(run / "truth.csv", index_col="name")["auc"]
place = np.arange(len(singles))[::-1]
figure, axes = plt.subplots(figsize=(7, 0.3 * len(singles) + 1.6), layout="constrained")
axes.plot(singles, place, "o", color="C0", label="leaderboard")
if truth is not None:
    axes.plot(truth[singles.index], place, "x", color="C2", label="352 other patients")
axes.errorbar(
    result.estimate, len(singles) + 0.3,
    xerr=[[result.estimate - result.low], [result.high - result.estimate]],
    fmt="D", color="C1", capsize=3, label="first line, corrected (95% CI)",
)  # fmt: skip
axes.set_yticks(place, singles.index)
axes.set(xlabel="ROC AUC", title="Leaderboard of mljar")
figure.legend(loc="outside lower center", ncols=3, fontsize="small")
figure.savefig(arguments.output, dpi=110)

if truth is not None:
    print(
        f"First line {singles.iloc[0]:.3f}, corrected {result.estimate:.3f}, "
        f"on other patients {truth[singles.index[0]]:.3f}."
    )
