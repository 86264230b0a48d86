"""Real runs of AutoML tools, where one is installed: the leaderboard beside these predictions.

Each tool wants an environment of its own, which `.ci/run tools` makes; of one tool::

    CI_TOOLS=mljar .ci/run tools
"""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from sklearn_bbc import BBC, OOFPredictions, OOFRecorder

# What other packages do to themselves is not ours to mend.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


def data(several):
    """Return features and labels, two classes by words or three."""
    if several:
        X, y = load_iris(return_X_y=True, as_frame=True)
        words = {0: "setosa", 1: "versicolor", 2: "virginica"}
    else:
        X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        words = {0: "malignant", 1: "benign"}
    rows = np.random.default_rng(0).permutation(len(y))[:110]
    X = X.iloc[rows, :3].set_axis(list("abc"), axis=1).reset_index(drop=True)
    return X, y.iloc[rows].map(words).reset_index(drop=True)


def check(oof, y, n_configs):
    assert (oof.n_samples, oof.n_configs) == (len(y), n_configs)
    assert oof.y_true.tolist() == y.tolist()
    assert any(note.startswith("These predictions give the ") for note in oof.notes)
    assert not any("do not give" in note for note in oof.notes)
    assert BBC(random_state=0).estimate(oof, "neg_log_loss").low < 0


@pytest.mark.parametrize("several", [False, True])
def test_mljar(several, tmp_path):
    supervised = pytest.importorskip("supervised", reason="a run of mljar-supervised")
    X, y = data(several)
    folds = {"validation_type": "kfold", "k_folds": 3, "shuffle": True, "stratify": True}
    supervised.AutoML(
        results_path=str(tmp_path / "run"), algorithms=["Linear", "Decision Tree"],
        validation_strategy={**folds, "random_seed": 0}, explain_level=0, verbose=0,
        start_random_models=1, total_time_limit=120,
    ).fit(X, y)  # fmt: skip
    check(OOFPredictions.from_mljar(tmp_path / "run"), y, 2)


@pytest.fixture(scope="module")
def h2o():
    package = pytest.importorskip("h2o", reason="a run of H2O, which needs Java")
    package.init(nthreads=1, max_mem_size="1g", verbose=False)
    package.no_progress()
    yield package
    package.cluster().shutdown()


@pytest.mark.parametrize("several", [False, True])
def test_h2o(several, h2o):
    from h2o.automl import H2OAutoML

    X, y = data(several)
    frame = h2o.H2OFrame(X.assign(target=y))
    frame["target"] = frame["target"].asfactor()
    automl = H2OAutoML(
        max_models=3, nfolds=3, seed=1, include_algos=["GLM", "DRF", "StackedEnsemble"],
        keep_cross_validation_predictions=True,
    )  # fmt: skip
    automl.train(y="target", training_frame=frame)
    board = automl.leaderboard.as_data_frame()["model_id"]
    singles = board[~board.str.contains("Ensemble")]
    oof = OOFPredictions.from_h2o(automl, y)
    check(oof, y, len(singles))
    assert oof.fold.tolist() == [row % 3 for row in range(len(y))]


@pytest.mark.parametrize("several", [False, True])
def test_autogluon(several, tmp_path):
    tabular = pytest.importorskip("autogluon.tabular", reason="a run of AutoGluon")
    X, y = data(several)
    frame = X.assign(target=y).set_axis([f"p{row}" for row in range(len(y))])
    forest = {"n_estimators": 20}
    predictor = tabular.TabularPredictor(
        "target", eval_metric="log_loss", path=str(tmp_path), verbosity=0
    ).fit(
        frame.sample(frac=1, random_state=0),
        hyperparameters={"RF": [{**forest, "max_depth": 3}, forest]}, num_bag_folds=3,
        ag_args_ensemble={"use_child_oof": False, "fold_fitting_strategy": "sequential_local"},
    )  # fmt: skip
    check(OOFPredictions.from_autogluon(predictor, frame["target"]), y, 2)


@pytest.mark.parametrize("several", [False, True])
def test_lightautoml(several):
    presets = pytest.importorskip(
        "lightautoml.automl.presets.tabular_presets", reason="a run of LightAutoML"
    )
    tasks = pytest.importorskip("lightautoml.tasks")
    X, y = data(several)
    automl = presets.TabularAutoML(
        task=tasks.Task("multiclass" if several else "binary"), cpu_limit=1, timeout=120,
        reader_params={"cv": 3, "random_state": 1},
        general_params={"use_algos": [["linear_l2", "lgb"]], "return_all_predictions": True},
    )  # fmt: skip
    predictions = automl.fit_predict(X.assign(target=y), roles={"target": "target"})
    oof = OOFPredictions.from_lightautoml(predictions, y)
    assert (oof.n_configs, oof.n_splits, oof.y_true.tolist()) == (2, 3, y.tolist())
    found = oof.classes_[np.atleast_3d(oof.responses["predict_proba"])[0].argmax(axis=1)]
    if several:
        assert np.mean(found == y) > 0.6  # columns belong to their labels
    assert any("its log has the" in note for note in oof.notes)


def test_flaml(tmp_path):
    flaml = pytest.importorskip("flaml", reason="a run of FLAML")
    X, y = data(several=False)
    automl, log = flaml.AutoML(), str(tmp_path / "flaml.log")
    automl.fit(
        X, y, task="classification", eval_method="cv", n_splits=3, max_iter=4, time_budget=-1,
        estimator_list=["rf"], seed=1, verbose=0, log_file_name=log, log_type="all",
    )  # fmt: skip
    recorder = OOFRecorder(y, cv=3)
    for record in range(4):
        model = automl.get_estimator_from_log(log, record, "classification")
        recorder.cross_val_score(model, X, params={}, scoring="neg_log_loss")
    assert 1 <= recorder.oof_.n_configs <= 4
    BBC(random_state=0).estimate(recorder.oof_, "neg_log_loss")


BEFORE_TPOT = """
from sklearn.datasets import load_breast_cancer

X, y = load_breast_cancer(return_X_y=True)
X, y = X[:110, :3], y[:110]
options = {"population_size": 6, "generations": 2, "cv": 3, "n_jobs": 1, "random_state": 0}
options |= {"max_time_mins": None, "search_space": "linear-light"}
"""
AFTER_TPOT = """
    print(recorder.oof_.n_configs, fitted.evaluated_individuals["roc_auc_score"].notna().sum())
"""


def test_tpot(tmp_path):
    if find_spec("tpot") is None:
        pytest.skip("a run of TPOT")
    page = Path(__file__).parents[3] / "docs" / "user_guide" / "automl.md"
    blocks = re.findall(r"^```\{code-block\} python\n(.*?)^```", page.read_text(), re.M | re.S)
    (lines,) = [each for each in blocks if "TPOTEstimator" in each]
    lines = lines.replace("classification=True)", "classification=True, **options)")
    (tmp_path / "run.py").write_text(BEFORE_TPOT + lines + AFTER_TPOT)
    printed = subprocess.run(
        [sys.executable, "-W", "ignore", "run.py"], cwd=tmp_path, check=True, text=True,
        stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ).stdout  # fmt: skip
    n_configs, n_scores = map(int, printed.split()[-2:])
    assert 2 <= n_configs == n_scores
    assert "Corrected for the selection among" in printed
