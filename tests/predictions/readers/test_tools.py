"""Files that caret, mlr, Orange and Weka wrote: the tool's own scores to all of their digits."""

import csv
import os
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import (
    accuracy_score,
    mean_squared_error,
    roc_auc_score,
    root_mean_squared_error,
)

from sklearn_bbc import BBC, OOFPredictions, bbc
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.predictions.readers._shared import scores_of

OF_TOOLS = Path(__file__).parent / "of_tools"
ELSEWHERE = os.environ.get("SKLEARN_BBC_TOOL_FILES")

READERS = {
    "caret": OOFPredictions.from_long,
    "mlr": OOFPredictions.from_long,
    "orange": OOFPredictions.from_orange,
    "weka": OOFPredictions.from_weka,
}


def own_scores(oof, metric, by_fold):
    """Score as the tool does, from predictions and labels as it wrote them."""
    y = oof.y_true[oof.sample]
    if metric == "roc_auc":
        values = oof.responses["predict_proba"]
        return scores_with(
            lambda t, p: roc_auc_score(t == oof.classes_[1], p), y, values, oof, by_fold
        )
    if metric == "accuracy":
        values = oof.classes_[oof.responses["predict"]]
        return scores_with(accuracy_score, y, values, oof, by_fold)
    if metric == "mse":  # mlr takes the root of the mean over folds
        return np.sqrt(scores_with(mean_squared_error, y, oof.responses["plain"], oof, by_fold))
    return scores_with(root_mean_squared_error, y, oof.responses["plain"], oof, by_fold)


def scores_with(function, y, values, oof, by_fold):
    found = scores_of(function, y, dict(enumerate(values)), oof.fold if by_fold else None)
    return list(found.values())


# file, samples, metric, whether the tool takes the mean over folds, its scores
FILES = [
    ("caret_two.csv", 30, "roc_auc", True, [0.6388888888889, 0.6180555555556, 0.7638888888889]),
    ("caret_rpart.csv", 30, "roc_auc", True, [0.5833333333333, 0.5833333333333, 0.5138888888889]),
    ("caret_repeats.csv", 30, "accuracy", True, [0.616666666666667, 0.7]),
    ("caret_three.csv", 30, "accuracy", True, [0.473737373737374, 0.429292929292929]),
    ("caret_values.csv", 30, "rmse", True, [1.79079889333897, 1.25083502980192]),
    ("caret_boot.csv", 26, "accuracy", True, [0.660714285714286, 0.632936507936508]),
    ("caret_loo.csv", 30, "accuracy", False, [0.666666666666667, 0.733333333333333]),
    ("caret_slices.csv", 15, "accuracy", True, [0.666666666666667, 0.8]),
    ("mlr_two.csv", 30, "roc_auc", True, [0.75, 0.7361111111]),
    ("mlr_two.csv", 30, "accuracy", True, [0.7333333333, 0.7333333333]),
    ("mlr_repeats.csv", 30, "roc_auc", True, [0.6792328042, 0.6583994709]),
    ("mlr_three.csv", 30, "accuracy", True, [0.4, 0.5]),
    ("mlr_values.csv", 30, "mse", True, [1.650150854, 1.186810303]),
    ("orange_two.csv", 30, "roc_auc", False, [0.57142857, 0.5625, 0.60267857]),
    ("orange_two.tab", 30, "accuracy", False, [0.53333333, 0.53333333, 0.6]),
    ("orange_three.csv", 30, "accuracy", False, [0.7, 0.66666667]),
    ("orange_values.csv", 30, "rmse", False, [1.04020289, 1.15763827]),
    ("weka_bayes.txt", 30, "accuracy", False, [0.633333]),
    ("weka_tree.txt", 30, "accuracy", False, [0.533333]),
    ("weka_values.txt", 30, "rmse", False, [1.4092]),
]  # fmt: skip


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("file", "n_samples", "metric", "by_fold", "scores"), FILES)
def test_the_scores_are_those_of_the_tool(file, n_samples, metric, by_fold, scores):
    oof = READERS[file.partition("_")[0]](OF_TOOLS / file)
    assert (oof.n_samples, oof.n_configs) == (n_samples, len(scores))
    # Orange writes six digits, Weka three, and Weka prints four of its errors.
    rtol = {"o": 2e-6, "w": 1e-4}.get(file[0], 1e-9)
    assert_allclose(own_scores(oof, metric, by_fold), scores, rtol=rtol)


@pytest.mark.skipif(ELSEWHERE is None, reason="SKLEARN_BBC_TOOL_FILES names no folder of files")
@pytest.mark.parametrize(
    ("file", "metric", "by_fold", "scores"),
    [
        ("caret/caret_bc_all.csv", "roc_auc", True, {"25": 0.734382}),
        ("caret/caret_bc_repeats.csv", "roc_auc", True, {"1": 0.528099, "15": 0.721685}),
        ("caret/caret_bc_svm_labels.csv", "accuracy", True, {"10.0, 0.1": 0.707044}),
        ("caret/caret_diabetes_all.csv", "rmse", True, {"1": 82.49336, "15": 58.07497}),
        ("mlr/mlr_bc_benchmark.csv", "roc_auc", True, {"rp1": 0.661502, "svm": 0.728099}),
        ("orange/orange_bc.csv", "roc_auc", False, {"kNN": 0.650364, "Tree": 0.727287}),
        ("orange/orange_bc.tab", "accuracy", False, {"kNN": 0.616667, "Tree": 0.683333}),
        ("weka/nb.csv", "accuracy", False, {"nb": 0.716667}),
        ("weka/nb_dist.csv", "accuracy", False, {"nb_dist": 0.716667}),
        ("weka/nb_as_printed.txt", "accuracy", False, {"nb_as_printed": 0.716667}),
        ("weka/weka_3.6.14_as_printed.txt", "accuracy", False, {"": 0.716667}),
    ],
)  # fmt: skip
def test_the_scores_of_other_files_are_those_of_the_tool(file, metric, by_fold, scores):
    oof = READERS[file.partition("/")[0]](Path(ELSEWHERE) / file)
    names = [", ".join(map(str, params.values())) for params in oof.params]
    found = dict(zip(names, own_scores(oof, metric, by_fold)))
    for name, expected in scores.items():
        mine = found[name or names[0]]
        assert_allclose(mine, expected, atol=1e-6 if metric != "rmse" else 1e-5)


def test_bbc_of_a_long_table_is_that_of_a_matrix_made_by_hand():
    cells, truth, folds = defaultdict(dict), {}, {}
    with open(OF_TOOLS / "caret_two.csv", newline="") as file:
        for row in csv.DictReader(file):
            place = int(row["rowIndex"])
            truth[place], folds[place] = row["obs"], row["Resample"]
            cells[place][int(row["k"])] = float(row["yes"])
    places = sorted(truth)
    matrix = np.array([[cells[p][k] for k in (1, 5, 9)] for p in places])
    y = np.array([truth[p] for p in places], dtype=object)
    by_hand = bbc(y, matrix, "roc_auc", fold=[folds[p] for p in places], random_state=0)
    result = BBC(random_state=0).estimate(
        OOFPredictions.from_long(OF_TOOLS / "caret_two.csv"), "roc_auc"
    )
    assert (result.estimate, result.low, result.high) == (
        by_hand.estimate,
        by_hand.low,
        by_hand.high,
    )


@pytest.mark.parametrize("seed", [0, 1])
def test_the_order_of_rows_and_columns_changes_nothing(seed):
    table = pd.read_csv(OF_TOOLS / "caret_two.csv")
    rng = np.random.default_rng(seed)
    mixed = table.iloc[rng.permutation(len(table))]
    # The event is that of the first column of probabilities, so these keep their order.
    names = ["Resample", "yes", "rowIndex", "pred", "no", "obs", "k"]
    one, other = (OOFPredictions.from_long(each) for each in (table, mixed[names]))
    for field in ("y_true", "fold", "sample"):
        assert_array_equal(getattr(one, field), getattr(other, field))
    for method, values in one.responses.items():
        assert_array_equal(values, other.responses[method])
    assert one.params == other.params and one.pos_label == other.pos_label == "yes"


def test_the_first_level_is_the_event():
    table = pd.read_csv(OF_TOOLS / "caret_two.csv")
    assert OOFPredictions.from_long(table).pos_label == "yes"
    assert OOFPredictions.from_long(table, positive="no").pos_label == "no"
    turned = table.rename(columns={"yes": "no", "no": "yes"}).replace({"yes": "no", "no": "yes"})
    oof = OOFPredictions.from_long(turned)
    assert oof.pos_label == "no"
    assert any("The event is no, caret's first level" in note for note in oof.notes)


@pytest.mark.parametrize(("config", "n_configs"), [(None, 0), ("k", 1)])
def test_the_winner_alone_is_refused_unless_nothing_else_was_tried(config, n_configs):
    file = OF_TOOLS / "caret_final.csv"
    if config is None:
        with pytest.raises(ValueError, match=r'savePredictions="all".*config=\'k\''):
            OOFPredictions.from_long(file)
    else:
        assert OOFPredictions.from_long(file, config=config).n_configs == n_configs


def test_repeats_are_found():
    assert OOFPredictions.from_long(OF_TOOLS / "caret_repeats.csv").n_repeats == 2
    assert OOFPredictions.from_long(OF_TOOLS / "mlr_repeats.csv").n_repeats == 2
    assert OOFPredictions.from_long(OF_TOOLS / "caret_boot.csv").n_repeats == 1


def test_leave_one_out_of_caret_has_no_folds():
    oof = OOFPredictions.from_long(OF_TOOLS / "caret_loo.csv")
    assert oof.n_splits == 1 and oof.pos_label == "yes"
    assert any("all at once, as here" in note for note in oof.notes)


def test_time_slices_of_caret_are_known():
    for file, in_time in (("caret_slices.csv", True), ("caret_boot.csv", False)):
        oof = OOFPredictions.from_long(OF_TOOLS / file)
        assert any("as in a time series" in note for note in oof.notes) == in_time


@pytest.mark.parametrize("file", ["caret_two.csv", "caret_three.csv", "caret_values.csv"])
def test_what_failed_in_a_fold_of_caret_cannot_win(file, tmp_path):
    table = pd.read_csv(OF_TOOLS / file)
    failed = (table["k"] == 5) & (table["Resample"] == "Fold2")
    table.loc[failed, table.columns.difference(["obs", "rowIndex", "k", "Resample"])] = np.nan
    table.to_csv(tmp_path / file, index=False)  # caret writes NA into all of these cells
    oof = OOFPredictions.from_long(tmp_path / file)
    metric = {"caret_two.csv": "roc_auc", "caret_values.csv": "r2"}.get(file, "accuracy")
    with pytest.warns(IntervalWarning, match=r"\(k=5\) is left out: a prediction is missing"):
        BBC(random_state=0).estimate(oof, metric)


def test_training_rows_of_mlr_are_left_out():
    oof = OOFPredictions.from_long(OF_TOOLS / "mlr_three.csv")
    assert oof.n_rows == 30
    assert any("120 rows of training samples" in note for note in oof.notes)


def test_files_of_weka_are_joined_by_the_attribute_that_tells_rows_apart(tmp_path):
    lines = (OF_TOOLS / "weka_bayes.txt").read_text().splitlines()
    first = next(k for k, line in enumerate(lines) if "(18)" in line)
    second = next(k for k, line in enumerate(lines) if "(8)" in line)
    (tmp_path / "other.txt").write_text(
        "\n".join(
            lines[k].replace("(18)", "(x)").replace("(8)", "(18)").replace("(x)", "(8)")
            if k in (first, second)
            else lines[k]
            for k in range(len(lines))
        )
        + "\n"
    )
    one = OOFPredictions.from_weka({"a": OF_TOOLS / "weka_bayes.txt", "b": tmp_path / "other.txt"})
    p = one.responses["predict_proba"]
    assert_array_equal(p[1, [17, 7]], p[0, [7, 17]])
    assert_array_equal(np.delete(p[1], [7, 17]), np.delete(p[0], [7, 17]))


def test_the_probability_that_weka_prints_is_of_the_predicted_class(tmp_path):
    file = tmp_path / "w.csv"
    file.write_text(
        "inst#,actual,predicted,error,prediction,rid\n"
        "1,1:a,1:a,,0.9,3\n2,2:b,1:a,+,0.6,1\n1,2:b,2:b,,0.8,2\n2,1:a,2:b,+,0.7,4\n"
    )
    oof = OOFPredictions.from_weka(file)
    assert_array_equal(oof.y_true, ["b", "b", "a", "a"])
    assert_allclose(oof.responses["predict_proba"], [[0.4, 0.8, 0.1, 0.7]])
    assert_array_equal(oof.fold, [0, 1, 0, 1])


def test_rows_of_weka_without_an_attribute_are_taken_in_their_order(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text(
            "inst#,actual,predicted,error,distribution,,\n"
            "1,1:a,1:a,,*0.9,0.1,0\n2,2:b,1:a,+,*0.6,0.4,0\n1,3:c,2:b,+,0.1,*0.8,0.1\n"
        )
    oof = OOFPredictions.from_weka([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert oof.classes_.tolist() == ["a", "b", "c"] and oof.n_configs == 2
    assert any("order of the files" in note for note in oof.notes)


@pytest.mark.parametrize(
    ("file", "n_lines", "words"),
    [
        ("weka_bayes.txt", 22, "7 to 10 rows.* differ by 1 at most"),
        ("orange_two.csv", 15, "names the folds .* of which there is no row"),
        ("caret_two.csv", 55, "pairs of sample and configuration are missing"),
        ("mlr_two.csv", 40, "pairs of sample and configuration are missing"),
    ],
)
def test_files_that_are_cut_off_between_two_lines_are_refused(file, n_lines, words, tmp_path):
    lines = (OF_TOOLS / file).read_text().splitlines(keepends=True)
    (tmp_path / file).write_text("".join(lines[:n_lines]))
    with pytest.raises(ValueError, match=words):
        READERS[file.partition("_")[0]](tmp_path / file)


@pytest.mark.parametrize(
    "file", ["weka_bayes.txt", "orange_two.csv", "caret_two.csv", "mlr_two.csv"]
)
@pytest.mark.parametrize("share", [0, 0.5, 0.95, 0.999])
def test_files_that_are_cut_off_anywhere_are_refused(file, share, tmp_path):
    content = (OF_TOOLS / file).read_bytes().rstrip()
    (tmp_path / file).write_bytes(content[: int(share * len(content))])
    with pytest.raises(ValueError, match=re.escape(file)):
        READERS[file.partition("_")[0]](tmp_path / file)


def test_numbers_of_samples_that_weka_left_out_are_noted(tmp_path):
    text = (OF_TOOLS / "weka_bayes.txt").read_text().replace("(30)", "(40)")
    (tmp_path / "w.txt").write_text(text)
    with pytest.warns(IntervalWarning, match="10 of these numbers have no row"):
        OOFPredictions.from_weka(tmp_path / "w.txt")


def weka(folder, name, rows):
    """Write rows of actual, predicted and its probability, in two folds, as Weka does."""
    lines = [
        f"{k % 2 + 1},{actual},{predicted},,{share},{k}"
        for k, (actual, predicted, share) in enumerate(rows)
    ]
    (folder / name).write_text(
        "inst#,actual,predicted,error,prediction,rid\n" + "\n".join(lines) + "\n"
    )
    return folder / name


A, B, C = "1:a", "2:b", "3:c"


@pytest.mark.parametrize(
    "rows",
    [
        [(A, A, 0.9), (C, A, 0.6), (C, C, 0.8), (A, C, 0.7)],  # no row has class 2
        [(A, A, 0.9), (B, A, 0.45), (B, B, 0.8), (A, B, 0.7)],  # nor class 3
    ],
)
def test_weka_says_less_than_all_probabilities_where_a_class_has_no_row(rows, tmp_path):
    oof = OOFPredictions.from_weka(weka(tmp_path, "w.csv", rows))
    assert set(oof.responses) == {"predict"}
    assert_array_equal(oof.classes_[oof.responses["predict"][0]], [r[1][2:] for r in rows])


def test_weka_files_whose_classes_are_in_another_order_are_refused(tmp_path):
    rows = [(A, A, 0.9), (B, A, 0.6), (B, B, 0.8), (A, B, 0.7)]
    turned = [tuple({A: "2:a", B: "1:b"}.get(each, each) for each in row) for row in rows]
    files = [weka(tmp_path, "one.csv", rows), weka(tmp_path, "other.csv", turned)]
    with pytest.raises(ValueError, match=r"other.csv has 2:a, and another file 2:b"):
        OOFPredictions.from_weka(files)


def test_weights_of_orange_are_said_to_be_left_out(tmp_path):
    lines = (OF_TOOLS / "orange_two.csv").read_text().splitlines()
    assert lines[2].endswith(",,")
    lines[2] = lines[2][:-1] + ",weight"  # of feature b
    (tmp_path / "o.csv").write_text("\n".join(lines) + "\n")
    oof = OOFPredictions.from_orange(tmp_path / "o.csv")
    assert any("'b' with the role weight is left out" in note for note in oof.notes)
