"""The program of the page "With any tuner", in two processes at once."""

import os
import subprocess
import sys

import pytest
from sklearn.datasets import load_breast_cancer

from sklearn_bbc import OOFRecorder

optuna = pytest.importorskip("optuna", reason="the program runs a study of optuna")


@pytest.mark.long
def test_two_processes_share_a_study(repository, tmp_path):
    program = [sys.executable, str(repository / "docs" / "user_guide" / "optuna_study.py")]
    environment = {**os.environ, "PYTHONPATH": str(repository)}
    processes = [
        subprocess.Popen(
            program,
            cwd=tmp_path,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(2)
    ]
    printed = [process.communicate() for process in processes]
    assert [process.returncode for process in processes] == [0, 0], printed

    backend = optuna.storages.journal.JournalFileBackend(str(tmp_path / "trials.log"))
    study = optuna.load_study(storage=optuna.storages.JournalStorage(backend), study_name="svc")
    trials = study.get_trials(states=[optuna.trial.TrialState.COMPLETE])
    _, y = load_breast_cancer(return_X_y=True)
    oof = OOFRecorder(y, cv=5, folder=tmp_path / "predictions").oof_
    assert len(trials) in (20, 21)  # the other process may be in its last one
    assert oof.n_configs == len(trials)
    # What Optuna was told and what was kept are the same, whichever process did it.
    means = oof.fold_scores["roc_auc"].mean(axis=0)
    recorded = {tuple(params.values()): mean for params, mean in zip(oof.params, means)}
    assert recorded == {tuple(trial.params.values()): trial.value for trial in trials}
    last = printed[0][0] + printed[1][0]
    assert f"{len(trials)} configurations\n" in last
    assert f"mean over the folds: {study.best_value:.4f}" in last
    assert "The tuner chose configurations by looking at the scores" in last
