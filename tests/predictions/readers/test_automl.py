"""Runs of AutoML tools: the tool's own scores to all of their digits, and the traps of each."""

import json
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score, root_mean_squared_error

from sklearn_bbc import BBC, OOFPredictions, bbc
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.selection import GreedyEnsemble

OF_TOOLS = Path(__file__).parent / "of_tools"
ELSEWHERE = os.environ.get("SKLEARN_BBC_TOOL_FILES")
TABLE = "predictions_out_of_folds.csv"


def target(name):
    return pd.read_csv(OF_TOOLS / f"{name}_target.csv")["target"]


def read(name):
    """Read a run of this folder by its tool's reader."""
    if name.startswith("mljar"):
        return OOFPredictions.from_mljar(OF_TOOLS / name)
    if name.startswith("h2o"):
        return OOFPredictions.from_h2o(OF_TOOLS / name, target(name))
    y = target({"autogluon_f1": "autogluon_text"}.get(name, name))
    y.index = [f"p{k}" for k in range(len(y))]
    return OOFPredictions.from_autogluon(OF_TOOLS / name, y)


def probabilities(oof, config):
    values = oof.responses["predict_proba"][config].astype(float)
    return np.column_stack([1 - values, values]) if values.ndim == 1 else values


def own_score(oof, config, metric):
    """Score all samples at once, by a plain loop where one line does it."""
    y = oof.y_true[oof.sample]
    if metric == "rmse":
        return root_mean_squared_error(y, oof.responses["predict"][config])
    p = probabilities(oof, config)
    place = {label: k for k, label in enumerate(oof.classes_)}
    if metric == "logloss":
        return -np.mean([np.log(max(row[place[label]], 1e-15)) for row, label in zip(p, y)])
    if metric == "single":  # 1 minus a number of single precision, too
        p = p.astype(np.float32)
        p = np.column_stack([1 - p[:, 1], p[:, 1]]).clip(np.finfo("f4").eps, None)
        return -np.mean([np.log(row[place[label]]) for row, label in zip(p, y)])
    if metric == "auc":
        return roc_auc_score(y == oof.classes_[1], p[:, 1])
    labels = oof.classes_[p.argmax(axis=1)]
    if metric == "f1":
        return f1_score(y, oof.classes_[(p[:, 1] > 0.5).astype(int)], pos_label=oof.classes_[1])
    if metric == "per class":
        return np.mean([np.mean(labels[y == label] != label) for label in oof.classes_])
    return accuracy_score(y, labels)


# run, samples, folds, metric, the tool's own scores
RUNS = [
    ("mljar_text", 42, 3, "single", {"1_DecisionTree": 3.2787762, "2_Linear": 0.6956130}),
    ("mljar_repeats", 42, 1, "single", {"1_DecisionTree": 3.4031084, "2_Linear": 0.6839990}),
    ("mljar_split", 21, 1, "single", {"1_DecisionTree": 7.6713252, "2_Linear": 0.6058483}),
    ("mljar_iris", 60, 3, "accuracy", {"1_DecisionTree": 0.6666667, "2_Linear": 0.8}),
    ("mljar_diabetes", 40, 3, "rmse", {"1_DecisionTree": 106.99775, "2_Linear": 74.317547}),
    ("h2o_text", 40, 1, "auc",
     {"DRF_1_AutoML_1": 0.94780220, "GBM_2_AutoML_1": 0.96153846, "GLM_1_AutoML_1": 0.94505495}),
    ("h2o_zero_one", 40, 1, "logloss", {"GBM_2_AutoML_4": 0.2920190, "GLM_1_AutoML_4": 0.2964874}),
    ("h2o_iris", 45, 1, "per class",
     {"DRF_1_AutoML_5": 0.4301994, "GBM_2_AutoML_5": 0.5077327, "GLM_1_AutoML_5": 0.3233618}),
    ("h2o_iris", 45, 1, "logloss",
     {"DRF_1_AutoML_5": 0.8817213, "GBM_2_AutoML_5": 0.7888081, "GLM_1_AutoML_5": 0.5383196}),
    ("h2o_diabetes", 40, 1, "rmse",
     {"DRF_1_AutoML_6": 76.144596, "GBM_2_AutoML_6": 73.549539, "GLM_1_AutoML_6": 68.947208}),
    ("autogluon_text", 60, 1, "logloss",
     {"ExtraTrees_BAG_L1": 0.662415, "RandomForest_2_BAG_L1": 0.778324,
      "RandomForest_BAG_L1": 0.707165}),
    ("autogluon_f1", 60, 1, "f1",
     {"ExtraTrees_BAG_L1": 0.5882353, "RandomForest_2_BAG_L1": 0.6153846,
      "RandomForest_BAG_L1": 0.5882353}),
    ("autogluon_iris", 60, 1, "logloss",
     {"ExtraTrees_BAG_L1": 0.590953, "RandomForest_2_BAG_L1": 0.516416,
      "RandomForest_BAG_L1": 0.526366}),
    ("autogluon_diabetes", 60, 1, "rmse",
     {"ExtraTrees_BAG_L1": 75.651661, "RandomForest_2_BAG_L1": 78.435369,
      "RandomForest_BAG_L1": 74.773347}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "n_samples", "n_splits", "metric", "scores"), RUNS)
def test_the_scores_are_those_of_the_leaderboard(name, n_samples, n_splits, metric, scores):
    oof = read(name)
    names = [each["configuration"] for each in oof.params]
    assert (oof.n_samples, oof.n_splits) == (n_samples, n_splits) and names == list(scores)
    found = [own_score(oof, config, metric) for config in range(oof.n_configs)]
    assert_allclose(found, list(scores.values()), rtol=2e-6)
    # The leaderboard's own are compared, and what was fitted on these predictions is named.
    assert any(note.startswith("These predictions give the ") for note in oof.notes)
    assert not any("do not give" in note for note in oof.notes)
    fitted = [note for note in oof.notes if note.startswith("Left out")]
    assert "Ensemble" in fitted[0] if name != "h2o_zero_one" else not fitted


@pytest.mark.skipif(ELSEWHERE is None, reason="SKLEARN_BBC_TOOL_FILES names no folder of files")
@pytest.mark.parametrize(
    ("tool", "metric", "n_splits", "scores"),
    [
        ("mljar", "single", 5,
         {"1_Baseline": 0.630935, "2_DecisionTree": 1.887602, "3_Linear": 0.549000}),
        ("mljar", "logloss", 5, {"3_Linear": 0.549000}),
        ("mljar_repeats", "single", 1, {"1_DecisionTree": 1.418992, "2_Linear": 0.548980}),
        ("h2o", "auc", 1, {"GLM_1_AutoML_1_20261128_10741": 0.796455}),
        ("h2o", "logloss", 1, {"GLM_1_AutoML_1_20261128_10741": 0.511340}),
        ("h2o/iris", "logloss", 1, {"GLM_1_AutoML_3_20261128_11234": 0.420242}),
        ("autogluon", "logloss", 1,
         {"RandomForest_BAG_L1": 0.554457, "ExtraTrees_BAG_L1": 0.559969,
          "RandomForest_2_BAG_L1": 0.621858}),
    ],
)  # fmt: skip
def test_the_scores_of_other_runs_are_those_of_the_leaderboard(tool, metric, n_splits, scores):
    path = Path(ELSEWHERE) / tool
    data = "iris" if tool.endswith("iris") else "bc"
    y = pd.read_csv(Path(ELSEWHERE) / "data" / f"{data}.csv")["target"]
    if tool.startswith("mljar"):
        oof = OOFPredictions.from_mljar(path)
        assert_array_equal(oof.y_true, y)
    elif tool.startswith("h2o"):
        oof = OOFPredictions.from_h2o(path, y)
    else:
        oof = OOFPredictions.from_autogluon(path, y)
    assert (oof.n_samples, oof.n_splits) == (len(y), n_splits)
    assert not any("do not give" in note for note in oof.notes)
    names = [each["configuration"] for each in oof.params]
    assert not any("Ensemble" in name for name in names)
    for name, expected in scores.items():
        assert_allclose(own_score(oof, names.index(name), metric), expected, atol=6e-7)


@pytest.mark.parametrize("name", ["mljar_text", "h2o_text", "autogluon_text"])
def test_bbc_is_that_of_the_files_put_together_by_hand(name):
    oof = read(name)
    names = [each["configuration"] for each in oof.params]
    if name == "mljar_text":
        tables = [pd.read_csv(OF_TOOLS / name / each / TABLE) for each in names]
        y = tables[0]["target"].map({0: "benign", 1: "malignant"}).to_numpy(dtype=object)
        columns = [table.iloc[:, 1] for table in tables]
        fold = np.empty(len(y), dtype=int)
        for k in range(3):
            fold[np.load(OF_TOOLS / name / "folds" / f"fold_{k}_validation_indices.npy")] = k
    else:
        tables = [pd.read_csv(OF_TOOLS / name / f"{each}.csv") for each in names]
        y, columns, fold = target(name).to_numpy(), [each["malignant"] for each in tables], None
    by_hand = bbc(y, np.column_stack(columns), "roc_auc", fold=fold, random_state=0)
    result = BBC(random_state=0).estimate(oof, "roc_auc")
    # AutoGluon's two columns may each be rounded.
    assert_allclose([result.estimate, *result], [by_hand.estimate, *by_hand], rtol=1e-12)


# --- mljar -----------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path):
    """Return a copy of a run of mljar, to be spoiled."""
    return Path(shutil.copytree(OF_TOOLS / "mljar_text", tmp_path / "run"))


def test_mljar_copies_of_small_classes_are_left_out_with_a_warning():
    with pytest.warns(IntervalWarning, match="copied 10 samples of classes with fewer than 20"):
        oof = read("mljar_copies")
    assert oof.n_samples == 32 and np.bincount(oof.y_true).tolist() == [10, 22]
    assert any("1_DecisionTree 0.839773, 2_Linear 0.754545" in note for note in oof.notes)


def test_mljar_says_what_single_precision_does_and_that_repeats_were_averaged():
    notes = "\n".join(read("mljar_repeats").notes)
    assert "1_DecisionTree 7.231921 in double precision, not 3.403108" in notes
    assert "averaged the predictions of 2 repeats" in notes
    assert "held out 21 of 42 samples" in "\n".join(read("mljar_split").notes)


@pytest.mark.parametrize(
    ("column", "classes"),
    [
        ("prediction", [0, 1]),
        ("prediction_0_for_1_1_for_2", ["1", "2"]),
        ("prediction_0_for_a_1_for_b_1_for_c", [0, 1]),  # a | b_1_for_c, or a_1_for_b | c
    ],
)
def test_mljar_names_two_classes_in_its_columns(run, column, classes):
    for file in run.glob(f"*/{TABLE}"):
        file.write_text(
            file.read_text().replace("prediction_0_for_benign_1_for_malignant", column)
        )
    assert OOFPredictions.from_mljar(run).classes_.tolist() == classes
    info = json.loads((run / "data_info.json").read_text())
    (run / "data_info.json").write_text(json.dumps({**info, "target_is_numeric": True}))
    numbers = [1, 2] if classes == ["1", "2"] else [0, 1]
    assert OOFPredictions.from_mljar(run).classes_.tolist() == numbers


def test_autogluon_computes_the_log_loss_of_two_classes_in_double_precision(tmp_path):
    folder = shutil.copytree(OF_TOOLS / "autogluon_text", tmp_path / "run")
    y = pd.read_csv(OF_TOOLS / "autogluon_text_target.csv", index_col=0)["target"]
    table = pd.read_csv(folder / "ExtraTrees_BAG_L1.csv", index_col=0)
    least = float(np.float32(1e-7))  # its smallest probability, below what single precision clips
    table.loc[y.index[0]] = [1 - least, least] if y.iloc[0] == "malignant" else [least, 1 - least]
    table.to_csv(folder / "ExtraTrees_BAG_L1.csv")
    board = pd.read_csv(folder / "leaderboard.csv")
    own = np.mean([np.log(table.loc[label, event]) for label, event in y.items()])
    board.loc[board["model"] == "ExtraTrees_BAG_L1", "score_val"] = own
    board.to_csv(folder / "leaderboard.csv", index=False)
    notes = "\n".join(OOFPredictions.from_autogluon(folder, y).notes)
    assert f"ExtraTrees_BAG_L1 {own:.6f}" in notes and "double precision" not in notes


def test_mljar_models_that_were_fitted_on_predictions_are_left_out(run):
    board = pd.read_csv(run / "leaderboard.csv")
    for name in ("3_LightGBM_Stacked", "4_Xgboost_BoostOnErrors", "5_Xgboost"):
        shutil.copytree(run / "2_Linear", run / name)
        board.loc[len(board)] = board.iloc[1].replace("2_Linear", name)
    board.to_csv(run / "leaderboard.csv", index=False)
    oof = OOFPredictions.from_mljar(run)
    assert [each["configuration"] for each in oof.params] == [
        "1_DecisionTree", "2_Linear", "5_Xgboost"
    ]  # fmt: skip
    notes = "\n".join(oof.notes)
    assert "3_LightGBM_Stacked, 4_Xgboost_BoostOnErrors, Ensemble" in notes
    assert "Early stopping is not seen: if 5_Xgboost" in notes


def test_mljar_models_without_predictions_are_warned_of(run):
    (run / "2_Linear" / TABLE).unlink()
    with pytest.warns(IntervalWarning, match="although the tool could: 2_Linear"):
        assert OOFPredictions.from_mljar(run).n_configs == 1


def test_a_leaderboard_with_other_scores_is_warned_of(run):
    board = pd.read_csv(run / "leaderboard.csv")
    board["metric_value"] += [0, 0.001, 0]
    board.to_csv(run / "leaderboard.csv", index=False)
    with pytest.warns(IntervalWarning, match="2_Linear 0.696613 there, 0.695613 here"):
        OOFPredictions.from_mljar(run)


def spoiled(what, run):
    table = run / "2_Linear" / TABLE
    if what == "empty":
        table.write_text("")
    elif what == "half":
        table.write_text(table.read_text()[:-5])
    elif what == "fewer":
        table.write_text("\n".join(table.read_text().splitlines()[:-3]) + "\n")
    elif what == "other data":
        shutil.copy(OF_TOOLS / "mljar_iris" / "2_Linear" / TABLE, table)
    elif what == "other targets":
        lines = table.read_text().splitlines()
        lines[4] = f"{1 - int(lines[4][0])}{lines[4][1:]}"
        table.write_text("\n".join(lines) + "\n")
    elif what == "text":
        table.write_text(table.read_text().replace("0.", "zero.", 1))
    elif what == "json":
        (run / "params.json").write_text((run / "params.json").read_text()[:100])
    elif what == "fold":
        (run / "folds" / "fold_1_validation_indices.npy").unlink()
    elif what == "half a fold":
        file = run / "folds" / "fold_1_validation_indices.npy"
        file.write_bytes(file.read_bytes()[:-20])
    elif what == "no model":
        for file in run.glob(f"*/{TABLE}"):
            file.unlink()
    elif what == "no run":
        (run / "params.json").unlink()
    elif what == "above":
        return run.parent
    elif what == "model":
        return run / "2_Linear"
    elif what == "absent":
        return run / "nowhere"
    elif what == "columns":
        table.write_text(table.read_text().replace("prediction_0", "score_0"))
    return run


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("empty", r"predictions_out_of_folds.csv is empty"),
        ("half", "does not end with an end of line"),
        ("fewer", r"2_Linear/predictions_out_of_folds.csv has 39 rows, .* has 42"),
        ("other data", "2_Linear/predictions_out_of_folds.csv has"),
        ("other targets", "different targets in 1 row, the first in row 4: [01] and [01]. They"),
        ("text", "which is not a number"),
        ("json", "params.json is no complete JSON file"),
        ("fold", "The folds of .* are of 28 samples, but its predictions of 42"),
        ("half a fold", "fold_1_validation_indices.npy cannot be read"),
        ("no model", "has no model with a file predictions_out_of_folds.csv"),
        ("no run", "has no params.json"),
        ("above", "holds several runs, give one of them: run"),
        ("model", "is the folder of one model"),
        ("absent", "does not exist"),
        ("columns", "expected target and prediction as of mljar-supervised 1.3.2"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_no_number_comes_from_half_of_a_run(run, what, message):
    with pytest.raises(ValueError, match=message):
        OOFPredictions.from_mljar(spoiled(what, run))


# --- H2O: models in its memory ---------------------------------------------------------------


class Frame:
    def __init__(self, table):
        self.table = table

    def as_data_frame(self):
        return self.table


class Model:
    """What the reader asks a model of H2O for."""

    def __init__(self, name, table, fold=None, algo="gbm", **params):
        self.model_id, self.algo, self.table, self.fold = name, algo, table, fold
        self.actual_params = {"nfolds": 3, "fold_assignment": "Random", "stopping_rounds": 0}
        self.actual_params |= params

    def cross_validation_holdout_predictions(self):
        return None if self.table is None else Frame(self.table)

    def cross_validation_fold_assignment(self):
        return None if self.fold is None else Frame(pd.DataFrame({"fold_assignment": self.fold}))

    def logloss(self, xval):
        return {"GLM_1_AutoML_1": 0.2964874}.get(self.model_id, 0.268313)


def h2o_models(**params):
    folder = OF_TOOLS / "h2o_text"
    return [
        Model(name, pd.read_csv(folder / f"{name}.csv"), **params)
        for name in ("GLM_1_AutoML_1", "GBM_2_AutoML_1")
    ]


def test_h2o_folds_are_those_that_were_kept_or_follow_from_the_row():
    y, kept = target("h2o_text"), np.arange(40) // 14
    one = OOFPredictions.from_h2o(h2o_models(fold=kept), y)
    assert_array_equal(one.fold, kept)
    by_row = OOFPredictions.from_h2o(h2o_models(fold_assignment="Modulo"), y)
    assert_array_equal(by_row.fold, np.arange(40) % 3)
    lost = OOFPredictions.from_h2o(h2o_models(), y)
    assert lost.n_splits == 1 and any("keep_cross_validation_fold" in n for n in lost.notes)
    given = OOFPredictions.from_h2o(h2o_models(fold=kept), y, fold=np.arange(40) % 4)
    assert given.n_splits == 4


def test_h2o_models_of_automl_are_asked_for_by_its_leaderboard():
    models = h2o_models(fold_assignment="Modulo")
    models.append(Model("StackedEnsemble_1", None, algo="stackedensemble"))
    models.append(Model("DRF_lost", None))
    automl = SimpleNamespace(
        leaderboard=Frame(
            pd.DataFrame({
                "model_id": [each.model_id for each in models],
                "auc": [0.94505495, 0.96153846, 0.9, 0.8],
            })
        ),
        get_model=lambda name: next(each for each in models if each.model_id == name),
    )  # fmt: skip
    with pytest.warns(IntervalWarning, match="although the tool could: DRF_lost.*keep_cross"):
        oof = OOFPredictions.from_h2o(automl, target("h2o_text"))
    assert oof.n_configs == 2 and oof.n_splits == 3
    notes = "\n".join(oof.notes)
    assert "auc of H2O" in notes and "StackedEnsemble_1" in notes
    models_only = OOFPredictions.from_h2o(SimpleNamespace(models=models[:3]), target("h2o_text"))
    assert "logloss of H2O, to 6 decimals: GLM_1_AutoML_1 0.296487" in "\n".join(models_only.notes)


def test_h2o_labels_are_never_taken():
    y = target("h2o_text")
    models = h2o_models()
    for model in models:
        model.table["predict"] = "malignant"
    oof = OOFPredictions.from_h2o(models, y)
    assert set(oof.responses) == {"predict_proba"}
    assert_allclose(oof.responses["predict_proba"][0], models[0].table["malignant"])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("models", "y", "message"),
    [
        ([], None, "There is no model"),
        ("nowhere", None, "does not exist"),
        ([object()], None, "must be H2O's AutoML, grid or models"),
        ([Model("a", None)], None, "keep_cross_validation_predictions=True"),
        (h2o_models(), np.tile(["benign", "malignant"], 19), "38 values, but .* 40 rows"),
        (h2o_models(), np.tile(["benign", "sick"], 20), "one column with its name"),
    ],
)
def test_h2o_bad_input(models, y, message):
    with pytest.raises(ValueError, match=message):
        OOFPredictions.from_h2o(models, target("h2o_text") if y is None else y)


# --- AutoGluon: a predictor in memory --------------------------------------------------------


class Predictor:
    """What the reader asks a predictor for; `predict_oof` of classes must not be."""

    problem_type, positive_class = "binary", "malignant"

    def __init__(self, name="autogluon_text", **tables):
        folder = OF_TOOLS / name
        self.tables = {
            file.stem: pd.read_csv(file, index_col=0)
            for file in folder.glob("*.csv")
            if file.stem != "leaderboard"
        } | tables
        self.board = pd.read_csv(folder / "leaderboard.csv")

    def leaderboard(self):
        return self.board

    def model_names(self):
        return list(self.tables)

    def predict_proba_oof(self, name):
        if self.tables[name] is None:
            raise AssertionError("not bagged")
        return self.tables[name]

    def predict_oof(self, name):
        raise NotImplementedError("the threshold was chosen on these predictions")


def indexed_target():
    y = target("autogluon_text")
    return y.set_axis([f"p{k}" for k in range(len(y))])


def test_an_ensemble_of_the_models_of_autogluon_is_built_here():
    predictor, y = Predictor(), indexed_target()
    oof = OOFPredictions.from_autogluon(predictor, y)
    for config, params in enumerate(oof.params):
        table = predictor.tables[params["configuration"]]
        assert_array_equal(oof.matrix("roc_auc")[:, config], table.loc[y.index, "malignant"])
    method = BBC(selection=GreedyEnsemble(), n_bootstraps=20, random_state=0)
    weights = method.estimate(oof, "neg_log_loss").details["weights"]
    assert len(weights) == oof.n_configs and sum(weights) == pytest.approx(1)


def test_autogluon_rows_are_found_by_the_index_of_the_target():
    y = indexed_target()
    one = OOFPredictions.from_autogluon(Predictor(), y)
    mixed = y.sample(frac=1, random_state=0)
    other = OOFPredictions.from_autogluon(Predictor(), mixed)
    place = y.index.get_indexer(mixed.index)
    assert_array_equal(other.y_true, one.y_true[place])
    for name, values in one.responses.items():
        assert_array_equal(other.responses[name], values[:, place])
    assert any("rows were taken by label" in note for note in other.notes)


def test_autogluon_rows_that_were_dropped_or_never_held_out_are_no_samples_of_it():
    y, predictor = indexed_target(), Predictor()
    for name, table in predictor.tables.items():
        table = table.copy()
        table.iloc[3] = np.nan  # never held out
        predictor.tables[name] = table.drop(index=["p5", "p6"])
    with pytest.warns(IntervalWarning, match="do not give"):
        oof = OOFPredictions.from_autogluon(predictor, y)
    assert oof.n_untested == 3 and "Never held out: 3 samples of 60" in "\n".join(oof.notes)


def test_autogluon_model_that_lacks_some_samples_cannot_win():
    predictor = Predictor()
    predictor.tables["ExtraTrees_BAG_L1"].iloc[:4] = np.nan
    with (
        pytest.warns(IntervalWarning, match="although the tool could: ExtraTrees_BAG_L1"),
        pytest.warns(IntervalWarning, match="do not give .*: ExtraTrees_BAG_L1 -0.66"),
    ):
        oof = OOFPredictions.from_autogluon(predictor, indexed_target())
    assert any("RandomForest_BAG_L1 -0.707165" in note for note in oof.notes)
    with pytest.warns(IntervalWarning, match="ExtraTrees_BAG_L1 is left out"):
        result = BBC(random_state=0).estimate(oof, "neg_log_loss")
    winner = result.details["winner"]
    assert oof.params[winner]["configuration"] != "ExtraTrees_BAG_L1"


def test_autogluon_stacked_refitted_and_unbagged_models_are_left_out_by_name():
    table = Predictor().tables["ExtraTrees_BAG_L1"]
    more = {"LightGBM_BAG_L2": table, "ExtraTrees_BAG_L1_FULL": table, "KNN": None}
    predictor = Predictor(**more, CatBoost_BAG_L1=table)
    with pytest.warns(IntervalWarning, match="although the tool could: KNN"):
        oof = OOFPredictions.from_autogluon(predictor, indexed_target())
    notes = "\n".join(oof.notes)
    assert "were used to fit them: WeightedEnsemble_L2, LightGBM_BAG_L2." in notes
    assert "Refitted on all data, without out-of-fold predictions: ExtraTrees_BAG_L1_FULL" in notes
    assert "Early stopping is not seen: if CatBoost_BAG_L1" in notes
    assert oof.n_configs == 4


def test_autogluon_averaged_repeats_and_own_samples_are_said():
    predictor = Predictor()
    predictor.info = lambda: {
        "model_info": {
            "ExtraTrees_BAG_L1": {"bagged_info": {"_n_repeats": 2, "bagged_mode": True}},
            "RandomForest_BAG_L1": {"bagged_info": {"_n_repeats": 1, "bagged_mode": False}},
        }
    }
    notes = "\n".join(OOFPredictions.from_autogluon(predictor, indexed_target()).notes)
    assert "several repeats (num_bag_sets) of ExtraTrees_BAG_L1" in notes
    assert "RandomForest_BAG_L1 predicted by the samples that their own trees" in notes


def test_autogluon_event_is_that_of_the_predictor():
    predictor = Predictor()
    assert OOFPredictions.from_autogluon(predictor, indexed_target()).pos_label is None
    predictor.positive_class = "benign"
    assert OOFPredictions.from_autogluon(predictor, indexed_target()).pos_label == "benign"
    chosen = OOFPredictions.from_autogluon(predictor, indexed_target(), positive="malignant")
    assert chosen.pos_label == "malignant"


@pytest.mark.filterwarnings("ignore")
def test_autogluon_bad_input(tmp_path):
    y = indexed_target()
    read = OOFPredictions.from_autogluon
    with pytest.raises(ValueError, match="must be a fitted TabularPredictor"):
        read(object(), y)
    with pytest.raises(ValueError, match="no CSV file"):
        read(tmp_path, y)
    with pytest.raises(ValueError, match="different indexes"):
        read(Predictor(), y.set_axis([f"q{k}" for k in range(60)]))
    with pytest.raises(ValueError, match="59 values, but"):
        read(Predictor(), y.iloc[1:])
    wrong = Predictor()
    wrong.tables["ExtraTrees_BAG_L1"].iloc[2] = [0.9, 0.8]
    with pytest.raises(ValueError, match="probabilities of row 3"):
        read(wrong, y)
    fewer = Predictor()
    fewer.tables["ExtraTrees_BAG_L1"] = fewer.tables["ExtraTrees_BAG_L1"].iloc[:50]
    with pytest.raises(ValueError, match="not about the same samples"):
        read(fewer, y)
    with pytest.raises(ValueError, match="fit with bagging"):
        read({"WeightedEnsemble_L2": wrong.tables["WeightedEnsemble_L2"]}, y)


# --- LightAutoML -----------------------------------------------------------------------------


def lightautoml(name, **changed):
    """Return what ``fit_predict`` returned, and the target as it was given."""
    table = pd.read_csv(OF_TOOLS / f"lightautoml_{name}.csv")
    data = table.drop(columns=["target", "fold", "y"])
    kind, metric = {"iris": ("multiclass", "crossentropy"), "diabetes": ("reg", "mse")}.get(
        name, ("binary", "auc")
    )
    found = {
        "data": data.to_numpy(np.float32),
        "features": list(data),
        "target": table["target"].to_numpy(),
        "folds": table["fold"].to_numpy(),
        "task": SimpleNamespace(name=kind, metric_name=metric),
    }
    return SimpleNamespace(**found | changed), table["y"]


@pytest.mark.parametrize("name", ["text", "iris"])
def test_lightautoml_numbers_of_labels_are_found_by_the_target(name):
    predictions, y = lightautoml(name)
    oof = OOFPredictions.from_lightautoml(predictions, y)
    assert (oof.n_samples, oof.n_configs, oof.n_splits) == (60, 2, 3)
    assert_array_equal(oof.classes_, np.unique(y))
    # The most frequent label is number 0.
    number = {label: k for k, label in enumerate(y.value_counts().index)}
    assert_array_equal(y.map(number), predictions.target)
    p = probabilities(oof, 0)
    for k, label in enumerate(oof.classes_):
        column = number[label] if name == "iris" else 0
        expected = predictions.data[:, column]
        expected = 1 - expected if name == "text" and number[label] == 0 else expected
        assert_allclose(p[:, k], expected, atol=1e-6)
    best = own_score(oof, 0, "auc" if name == "text" else "logloss")
    shown = [note for note in oof.notes if "its log has the" in note]
    assert f"LinearL2 {best if name == 'iris' else max(best, 1 - best):.6f}" in shown[0]


def test_lightautoml_labels_in_another_order_turn_the_score():
    predictions, y = lightautoml("text")
    oof = OOFPredictions.from_lightautoml(predictions, y)
    naive = roc_auc_score(y == "malignant", predictions.data[:, 0])
    assert_allclose(own_score(oof, 0, "auc"), naive)  # number 1 is malignant, the rarer one
    rarer = y.replace({"benign": "sick", "malignant": "healthy"})
    turned = OOFPredictions.from_lightautoml(predictions, rarer)
    assert_allclose(roc_auc_score(rarer == "sick", probabilities(turned, 0)[:, 1]), naive)
    assert_allclose(roc_auc_score(rarer == "sick", predictions.data[:, 0]), 1 - naive)


def test_lightautoml_values():
    predictions, y = lightautoml("diabetes")
    oof = OOFPredictions.from_lightautoml(predictions, y)
    assert_allclose(oof.responses["predict"], predictions.data.T)


def test_lightautoml_model_that_ran_out_of_time_cannot_win():
    predictions, y = lightautoml("text")
    predictions.data[predictions.folds > 0, 1] = np.nan
    with pytest.warns(IntervalWarning, match="could: Lvl_0_Pipe_1_Mod_0_LightGBM"):
        oof = OOFPredictions.from_lightautoml(predictions, y)
    assert oof.n_samples == 60 and oof.n_untested == 0


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"data": np.full((60, 1), 0.5), "features": [1]}, "blend or of a second level"),
        ({"target": np.arange(60) % 2}, "do not belong together"),
        ({"task": SimpleNamespace(name="multilabel")}, "several targets"),
    ],
)
def test_lightautoml_bad_input(changed, message):
    predictions, y = lightautoml("text", **changed)
    with pytest.raises(ValueError, match=message):
        OOFPredictions.from_lightautoml(predictions, y)
    with pytest.raises(ValueError, match="what fit_predict of LightAutoML returned"):
        OOFPredictions.from_lightautoml(np.zeros((60, 2)), y)


@pytest.mark.parametrize("of_all", [False, True])
def test_mljar_groups_are_those_of_the_samples(of_all):
    held = np.sort(np.load(OF_TOOLS / "mljar_split" / "split_validation_indices.npy"))
    patient = np.arange(42) // 2
    oof = OOFPredictions.from_mljar(
        OF_TOOLS / "mljar_split", groups=patient if of_all else patient[held]
    )
    assert_array_equal(oof.groups, patient[held])


def test_tables_without_labels_of_rows_need_a_target_of_their_length():
    y = target("h2o_text")
    longer = pd.Series([*y, *y])
    with pytest.raises(ValueError, match="give the target with which the models were fitted"):
        OOFPredictions.from_h2o(OF_TOOLS / "h2o_text", longer)


def test_autogluon_tables_that_were_written_without_an_index_are_refused(tmp_path):
    p = np.linspace(0.1, 0.9, 12)
    pd.DataFrame({"0": 1 - p, "1": p}).to_csv(tmp_path / "m.csv", index=False)
    y = np.tile([0, 1], 6)
    with pytest.raises(ValueError, match="the first one is that of class '0'"):
        OOFPredictions.from_autogluon(tmp_path, y)
    pd.DataFrame({"0": 1 - p, "1": p}).to_csv(tmp_path / "m.csv")
    assert_allclose(OOFPredictions.from_autogluon(tmp_path, y).responses["predict_proba"], [p])


def test_numbers_in_files_are_read_to_their_last_digit(tmp_path):
    p = np.random.default_rng(0).random(300)
    table = pd.DataFrame({"0": 1 - p, "1": p})
    table.to_csv(tmp_path / "m.csv")
    y = np.tile([0, 1], 150)
    read = OOFPredictions.from_autogluon(tmp_path, y).responses["predict_proba"]
    assert_array_equal(read, [p])
