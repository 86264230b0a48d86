"""Paths given to the command line: what is recognised, asked for, left out and refused."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from sklearn_bbc import BBC, OOFPredictions, bbc
from sklearn_bbc.__main__ import main
from sklearn_bbc.predictions.readers._path import PathOptions, predictions_at

OF_TOOLS = Path(__file__).parent / "of_tools"
N = 30
RNG = np.random.default_rng(0)
Y = np.tile(["u", "v", "w"], 10)
P = RNG.dirichlet([1, 1, 1], size=(2, N))
TWO = np.tile(["no", "yes"], 15)
SCORES = RNG.random((N, 2))


def run(capsys, *arguments):
    """Return the exit code and what was printed, without line breaks."""
    try:
        code = main([str(each) for each in arguments])
    except SystemExit as stopped:
        code = stopped.code
    printed = capsys.readouterr()
    return code, " ".join((printed.out + printed.err).split())


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("caret_two.csv", ["of caret", "30 samples by 'rowIndex'", "3 configurations by 'k'",
                           "target 'obs'", "folds by 'Resample'", "The event is yes"]),
        ("caret_three.csv", ["of caret", "2 configurations by 'k'"]),
        ("mlr_three.csv", ["of mlr", "by 'learner.id'", "120 rows of training samples"]),
        ("orange_two.tab", ["of Orange", "3 configurations", "2 features", "The event is yes"]),
        ("weka_bayes.txt", ["of Weka", "30 samples by 'rid'", "inst# begins anew"]),
    ],
)  # fmt: skip
def test_what_is_recognised_is_said_and_nothing_is_computed(file, words, capsys):
    code, printed = run(capsys, OF_TOOLS / file, "--what")
    assert code == 0 and "Nothing was computed" in printed and "Corrected" not in printed
    for word in words:
        assert word in printed


def test_a_file_of_a_tool_needs_nothing_but_the_metric(capsys):
    code, printed = run(capsys, OF_TOOLS / "caret_two.csv", "--scoring", "roc_auc")
    result = BBC(random_state=0).estimate(
        OOFPredictions.from_long(OF_TOOLS / "caret_two.csv"), "roc_auc"
    )
    assert code == 0 and f"{result.low:.3f} to {result.high:.3f}" in printed
    assert printed.count("The event is yes") == 1
    code, printed = run(capsys, OF_TOOLS / "caret_two.csv")
    assert code == 2 and "--scoring is missing" in printed


def test_messages_name_options_of_the_command_line(capsys):
    code, printed = run(capsys, OF_TOOLS / "caret_final.csv", "--what")
    assert code == 2 and "say so: --config 'k'" in printed
    code, printed = run(capsys, OF_TOOLS / "caret_final.csv", "--what", "--config", "k")
    assert code == 0 and "1 configuration" in printed


@pytest.mark.parametrize(("least", "code"), [("-1", 0), ("0.99", 1), ("nan", 1), (None, 0)])
def test_the_exit_code_says_that_the_lower_limit_is_below(least, code, capsys):
    options = [] if least is None else ["--fail-below", least]
    found, printed = run(
        capsys, OF_TOOLS / "caret_values.csv", "--scoring", "r2", "--n-bootstraps", 100, *options
    )
    assert found == code
    assert ("exit code 1" in printed) == bool(code)


def test_the_exit_code_of_systems(tmp_path, capsys):
    frame = pd.DataFrame(RNG.integers(0, 2, (40, 2)), columns=["a", "b"]).assign(item=range(40))
    frame.to_csv(tmp_path / "s.csv", index=False)
    for least, code in (("0.1", 0), ("0.9", 1)):
        options = ["--item", "item", "--n-bootstraps", 100, "--fail-below", least]
        assert run(capsys, tmp_path / "s.csv", *options)[0] == code


def long():
    table = pd.DataFrame(SCORES, columns=["a", "b"]).assign(id=np.arange(N), y=TWO)
    return table.melt(["id", "y"], var_name="model", value_name="p")


@pytest.mark.parametrize("options", [["--sample", "id", "--config", "model"]])
def test_a_long_table_of_any_program(options, tmp_path, capsys):
    long().to_csv(tmp_path / "long.csv", index=False)
    arguments = [tmp_path / "long.csv", *options, "--target", "y", "--scoring", "roc_auc"]
    code, printed = run(capsys, *arguments)
    result = bbc(TWO, SCORES, "roc_auc", random_state=0)
    assert code == 0 and f"{result.low:.3f} to {result.high:.3f}" in printed
    assert "2 configurations by 'model'" in printed


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "--target is missing, for example --target y"),
        (["--config", "model"], "--sample is missing"),
        (["--config", "model", "--sample", "id"], "--target is missing, for example --target y"),
        (["--sample", "id", "--target", "y", "--predictions", "p"], "name it with --config"),
        (["--config", "mode", "--sample", "id", "--target", "y"], "Did you mean 'model'"),
        (["--config", "model", "--sample", "id", "--target", "y", "--order", "p"],
         "--order is for tables with a row for each sample"),
    ],
)  # fmt: skip
def test_what_is_missing_is_asked_for(options, words, tmp_path, capsys):
    long().to_csv(tmp_path / "long.csv", index=False)
    code, printed = run(capsys, tmp_path / "long.csv", "--what", *options)
    assert code == 2 and words in printed


@pytest.mark.parametrize("stem", ["{} ({})", "{}.{}", "{}_{}", "{}.prob.{}", "prediction_{}_{}"])
def test_columns_that_differ_in_the_class_are_one_configuration(stem, tmp_path, capsys):
    frame = pd.DataFrame({"y": Y})
    for k, name in enumerate(("m", "n")):
        for j, label in enumerate("uvw"):
            frame[stem.format(name, label)] = P[k, :, j]
    frame.to_csv(tmp_path / "p.csv", index=False)
    options = [tmp_path / "p.csv", "--target", "y", "--n-bootstraps", 200]
    code, printed = run(capsys, *options, "--scoring", "neg_log_loss")
    assert code == 0 and "2 configurations" in printed and "3 classes" in printed
    result = bbc(Y, P.transpose(1, 0, 2), "neg_log_loss", n_bootstraps=200, random_state=0)
    assert f"{-result.estimate:.2f}" in printed
    oof = OOFPredictions.from_table(tmp_path / "p.csv", target="y")
    np.testing.assert_array_equal(oof.responses["predict_proba"], P)


def test_of_two_classes_columns_of_both_are_one_configuration(tmp_path):
    frame = pd.DataFrame(
        {"y": TWO, "m": np.where(SCORES[:, 0] > 0.5, "yes", "no"),
         "m (no)": 1 - SCORES[:, 0], "m (yes)": SCORES[:, 0]}
    )  # fmt: skip
    frame.to_csv(tmp_path / "p.csv", index=False)
    oof = OOFPredictions.from_table(tmp_path / "p.csv", target="y", pos_label="no")
    assert oof.params == ({"configuration": "m"},) and oof.pos_label == "no"
    np.testing.assert_allclose(oof.responses["predict_proba"], SCORES[:, :1].T)
    assert any("m (labels beside probabilities)" in note for note in oof.notes)


def test_probabilities_that_do_not_sum_to_one_are_named_by_row(tmp_path, capsys):
    frame = pd.DataFrame(P[0], columns=[f"m ({label})" for label in "uvw"]).assign(y=Y)
    frame.loc[4, "m (u)"] += 0.2
    frame.to_csv(tmp_path / "p.csv", index=False)
    code, printed = run(capsys, tmp_path / "p.csv", "--target", "y", "--what")
    assert code == 2 and "the probabilities of row 5 are" in printed


def test_messages_of_a_table_name_arguments_in_python(tmp_path):
    pd.DataFrame({"y": TWO, "site": 1}).to_csv(tmp_path / "p.csv", index=False)
    with pytest.raises(
        ValueError, match=r"no column with predictions.*Name them with predictions="
    ):
        OOFPredictions.from_table(tmp_path / "p.csv", target="y")


# --- folders -----------------------------------------------------------------------------------


def folder(path, **changed):
    """A file for each of two models, with sample, target and score."""
    for k, name in enumerate(("a", "b")):
        frame = pd.DataFrame({"id": np.arange(N), "y": TWO, "p": SCORES[:, k]})
        if name in changed:
            frame = changed[name](frame)
        frame.to_csv(path / f"{name}.csv", index=False)
    return path


@pytest.mark.parametrize("options", [[], ["--sample", "id"]])
def test_a_folder_with_a_file_for_each_configuration(options, tmp_path, capsys):
    folder(tmp_path, b=lambda frame: frame.sample(frac=1, random_state=0) if options else frame)
    pd.DataFrame({"model": ["a", "b"], "auc": 1}).to_csv(tmp_path / "leaderboard.csv", index=False)
    folder_of = [tmp_path, "--target", "y", "--scoring", "roc_auc", "--predictions", "p", *options]
    code, printed = run(capsys, *folder_of)
    result = bbc(TWO, SCORES, "roc_auc", random_state=0)
    assert code == 0 and f"{result.low:.3f} to {result.high:.3f}" in printed
    assert "Left out: leaderboard.csv" in printed


def test_the_target_may_be_in_another_file(tmp_path, capsys):
    pd.DataFrame({"y": Y}).to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "models").mkdir()
    for k, name in enumerate(("a", "b", "Ensemble")):
        frame = pd.DataFrame(P[k % 2], columns=list("uvw"))
        frame.to_csv(tmp_path / "models" / f"{name}.csv")
    code, printed = run(
        capsys, tmp_path / "models", "--target", f"{tmp_path / 'data.csv'}:y", "--what"
    )
    assert code == 0 and "2 configurations (a and b), 30 samples" in printed
    assert "Left out: Ensemble.csv (an ensemble" in printed


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        (lambda frame: frame.iloc[:-3], [], "not about the same samples"),
        (lambda frame: frame.iloc[:-3], ["--sample", "id"], "3 values of 'id', such as 27"),
        (lambda frame: frame.assign(y=TWO[::-1]), [], "different targets in 30 rows"),
        (lambda frame: frame.rename(columns={"p": "q"}), [], "p and q are in one of them only"),
    ],
)
def test_a_run_of_other_data_among_the_files_is_named(change, options, words, tmp_path, capsys):
    folder(tmp_path, b=change)
    code, printed = run(capsys, tmp_path, "--target", "y", "--predictions", "p", *options)
    assert code == 2 and words in printed and "b.csv" in printed


def test_folders_without_models_and_halves_of_files_are_refused(tmp_path, capsys):
    code, printed = run(capsys, tmp_path, "--what")
    assert code == 2 and "has no file with predictions" in printed
    (tmp_path / "results.csv").write_text("a,b\n1,2\n")
    code, printed = run(capsys, tmp_path, "--what")
    assert code == 2 and "--ignore: results.csv. If one of them has" in printed
    (tmp_path / "results.csv").unlink()
    folder(tmp_path)
    content = (tmp_path / "b.csv").read_text()
    (tmp_path / "b.csv").write_text(content[:-5])
    code, printed = run(capsys, tmp_path, "--what", "--target", "y")
    assert code == 2 and "b.csv does not end with an end of line" in printed
    (tmp_path / "b.csv").write_text("")
    code, printed = run(capsys, tmp_path, "--what", "--target", "y")
    assert code == 2 and "b.csv is empty" in printed


def test_predictions_that_were_saved(tmp_path, capsys):
    OOFPredictions.from_long(OF_TOOLS / "caret_two.csv").save(tmp_path / "saved.npz")
    code, printed = run(capsys, tmp_path / "saved.npz", "--what")
    assert code == 0 and "n_configs=3" in printed


def of_columns(tmp_path):
    """Write two models, with their labels beside them; return how the target is named."""
    pd.DataFrame({"y": TWO, "who": np.arange(N)}).to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "models").mkdir()
    for name, p in zip("ab", SCORES.T):
        frame = pd.DataFrame({"no": 1 - p, "yes": p})
        frame.to_csv(tmp_path / "models" / f"{name}.csv", index=False)
    return [tmp_path / "models", "--target", f"{tmp_path / 'data.csv'}:y"]


def test_the_event_can_be_named_where_the_target_is_in_another_file(tmp_path, capsys):
    arguments = of_columns(tmp_path)
    code, printed = run(capsys, *arguments, "--scoring", "f1", "--pos-label", "no")
    expected = OOFPredictions.from_columns(
        {name: np.column_stack([1 - p, p]) for name, p in zip("ab", SCORES.T)}, TWO, positive="no"
    )
    result = BBC(random_state=0).estimate(expected, "f1")
    assert code == 0 and "The event is no." in printed
    assert f"{result.estimate:.3f} (95% confidence interval {result.low:.3f}" in printed
    code, printed = run(capsys, *arguments, "--what", "--pos-label", "maybe")
    assert code == 2 and "--pos-label 'maybe' must be one of two classes" in printed


@pytest.mark.parametrize("option", ["--config", "--repeat", "--predictions"])
def test_options_that_are_not_read_are_refused(option, tmp_path, capsys):
    code, printed = run(capsys, *of_columns(tmp_path), "--what", option, "who")
    assert code == 2 and f"{option}: each file of models is a configuration" in printed


def test_the_event_of_a_run_of_mljar_can_be_named(capsys):
    arguments = [OF_TOOLS / "mljar_text", "--scoring", "f1"]
    _, printed = run(capsys, *arguments, "--what")
    oof = OOFPredictions.from_mljar(OF_TOOLS / "mljar_text")
    assert f"mljar_text of mljar: {oof.n_samples} samples, {oof.n_configs} conf" in printed
    named = str(np.unique(oof.y_true)[0])
    _, printed = run(capsys, *arguments, "--what", "--pos-label", named)
    assert f"The event is {named}." in printed


def test_a_folder_of_h2o_has_its_own_scores_beside_ours(capsys):
    """The reader of H2O is the one that knows what its leaderboard says."""
    target = f"{OF_TOOLS / 'h2o_text_target.csv'}"
    column = pd.read_csv(target).columns[0]
    code, printed = run(capsys, OF_TOOLS / "h2o_text", "--target", f"{target}:{column}", "--what")
    assert code == 0 and "These predictions give the auc of H2O" in printed
    assert "3 configurations (DRF_1_AutoML_1" in printed
    assert "--fold names a column" in printed and "fold=" not in printed
    code, printed = run(
        capsys, OF_TOOLS / "h2o_text", "--target", f"{target}:{column}", "--what",
        "--ignore", "DRF_1_AutoML_1.csv",
    )  # fmt: skip
    assert code == 0 and "2 configurations (GBM_2_AutoML_1" in printed
    code, printed = run(
        capsys, OF_TOOLS / "h2o_text", "--target", f"{target}:{column}", "--groups", column
    )
    assert code == 2 and "--groups is not read with files of H2O" in printed


def test_a_folder_of_autogluon_has_its_own_scores_beside_ours(tmp_path, capsys):
    """Rows are found by the index that pandas writes as a first column without a name."""
    target = pd.read_csv(OF_TOOLS / "autogluon_text_target.csv", index_col=0)
    target.sample(frac=1, random_state=0).to_csv(tmp_path / "train.csv")
    options = ["--target", f"{tmp_path / 'train.csv'}:target"]
    code, printed = run(capsys, OF_TOOLS / "autogluon_text", *options, "--what")
    assert code == 0 and "These predictions give the log_loss of the leaderboard" in printed
    assert "--fold names a column" in printed and "WeightedEnsemble_L2" in printed
    code, printed = run(capsys, OF_TOOLS / "autogluon_text")
    assert code == 2 and "is of AutoGluon, whose files do not have the true values" in printed


@pytest.mark.parametrize(
    ("path", "options", "words"),
    [
        ("AutoML_1", [], "There is no file or folder AutoML_1 in "),
        ("mljar_txt", [], "Did you mean 'mljar_text'?"),
        ("mljar_text/leaderboard.csv", [], "a table of scores, .* Give the folder of the run"),
        ("mljar_text/2_Linear", [], "is the folder of one model, give the one above"),
        ("mljar_text/2_Linear/predictions_out_of_folds.csv", [], "of one model, .* the folder"),
        ("h2o_text", [], "--target train.csv:y"),
        ("h2o_text", ["--target", OF_TOOLS / "h2o_text_target.csv"], "target.csv:COLUMN"),
        ("caret_two.csv", ["--score", "auc"], "The metric of predictions is --scoring"),
        ("lm_eval", ["--scoring", "r2"], "The metric of these is --score"),
        ("caret_three.csv", ["--nothing"], "usage: python -m sklearn_bbc .--help. .PATH. "),
    ],
)
def test_refusals_say_the_next_step(path, options, words, capsys):
    code, printed = run(capsys, OF_TOOLS / path, *options)
    assert code == 2 and re.search(words, printed), printed


def test_results_of_the_harness_name_the_folder_of_the_samples(capsys):
    path = next((OF_TOOLS / "lm_eval").rglob("results_*.json"))
    code, printed = run(capsys, path)
    assert code == 2 and f"Give the folder: {path.parent}." in printed


def test_labels_cannot_be_ranked_and_the_message_says_what_to_write(tmp_path, capsys):
    table = pd.read_csv(OF_TOOLS / "caret_two.csv").drop(columns=["no", "yes"], errors="ignore")
    table.to_csv(tmp_path / "labels.csv", index=False)
    code, printed = run(capsys, tmp_path / "labels.csv", "--scoring", "roc_auc")
    assert code == 2 and "caret: classProbs=TRUE" in printed


@pytest.fixture
def columns(tmp_path):
    """A folder with a file for each model, and a file with the target beside it."""
    (tmp_path / "run").mkdir()
    for k in range(2):
        pd.DataFrame({"p": SCORES[:, k]}).to_csv(tmp_path / "run" / f"m{k}.csv", index=False)
    about = pd.DataFrame({"y": TWO, "g": np.arange(N) // 3, "w": np.arange(1.0, N + 1)})
    about.to_csv(tmp_path / "about.csv", index=False)
    return tmp_path


def at(columns, **options):
    path = columns / "run"
    target = f"{columns / 'about.csv'}:y"
    return predictions_at(OOFPredictions, path, PathOptions(target=target, **options)).oof


def test_options_count_where_the_target_is_in_another_file(columns):
    assert_array_equal(at(columns).responses["plain"], SCORES.T)
    oof = at(columns, pos_label="no", groups="g", sample_weight="w")
    by_hand = OOFPredictions(
        y_true=TWO,
        y_pred=SCORES,
        pos_label="no",
        groups=np.arange(N) // 3,
        sample_weight=np.arange(1.0, N + 1),
    )
    one, other = (BBC(random_state=0).estimate(each, "roc_auc") for each in (oof, by_hand))
    assert (one.estimate, one.low, one.high) == (other.estimate, other.low, other.high)
    with pytest.raises(ValueError, match="--config: each file of run is a configuration"):
        at(columns, config=["m"])


def test_the_event_is_asked_for_in_a_run_of_mljar():
    run = OF_TOOLS / "mljar_text"
    found = predictions_at(OOFPredictions, run, PathOptions(pos_label="benign"))
    assert found.oof.pos_label == "benign"
    with pytest.raises(ValueError, match="--pos-label 'x' must be one of two"):
        predictions_at(OOFPredictions, run, PathOptions(pos_label="x"))


def test_identifiers_that_are_numbers_in_one_file_and_text_in_another_are_others(tmp_path):
    for name, stem in (("a", ""), ("b", "s")):
        pd.DataFrame({"id": [f"{stem}{k}" for k in range(N)], "y": TWO, "p": SCORES[:, 0]}).to_csv(
            tmp_path / f"{name}.csv", index=False
        )
    with pytest.raises(ValueError, match="not about the same samples: 60 values of 'id'"):
        predictions_at(OOFPredictions, tmp_path, PathOptions(target="y", sample="id"))
