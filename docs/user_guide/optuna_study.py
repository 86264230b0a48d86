"""One process of an Optuna study whose predictions are kept.

Start it as often as there are processors to spare, in one folder, and once more after a crash.
"""

import optuna
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sklearn_bbc import OOFRecorder
from sklearn_bbc.intervals import BBC

X, y = load_breast_cancer(return_X_y=True)
model = make_pipeline(StandardScaler(), SVC())

# What was tried and its scores, for Optuna; predictions, for the correction.
trials = optuna.storages.journal.JournalFileBackend("trials.log")
recorder = OOFRecorder(y, cv=5, folder="predictions")


def objective(trial):
    params = {
        "svc__C": trial.suggest_float("svc__C", 1e-3, 1e3, log=True),
        "svc__gamma": trial.suggest_float("svc__gamma", 1e-5, 1, log=True),
    }
    return recorder.cross_val_score(model, X, params=params, scoring="roc_auc").mean()


study = optuna.create_study(
    storage=optuna.storages.JournalStorage(trials),
    study_name="svc",
    direction="maximize",
    load_if_exists=True,
)
# 20 finished trials of all processes together.
finished = (optuna.trial.TrialState.COMPLETE,)
study.optimize(objective, callbacks=[optuna.study.MaxTrialsCallback(20, states=finished)])

result = BBC(random_state=0).estimate(recorder.oof_, "roc_auc")
print(f"{recorder.oof_.n_configs} configurations")
print(f"AUC of the best one, mean over the folds: {study.best_value:.4f}")
print(f"corrected: {result.estimate:.4f} ({result.low:.4f} to {result.high:.4f})")
for note in result.details["notes"]:
    print("-", note)
