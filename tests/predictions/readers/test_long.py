"""Long tables whose columns are named, or known; tables of tune and mlr3 as documented."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from sklearn_bbc import BBC, OOFPredictions, bbc

N = 24
RNG = np.random.default_rng(0)
TRUTH = np.array(["no", "yes"])[RNG.integers(0, 2, N)]
FOLD = np.array([RNG.permutation(N) % 3 for _ in range(2)])
P = RNG.random((2, 3, N))  # repeat, configuration, sample
ROLES = {
    "sample": "s", "config": "c", "target": "t", "prediction": "p", "fold": "f", "repeat": "r",
}  # fmt: skip


def long():
    """Rows of samples 1 to 24, in no order."""
    rows = [
        {"s": i + 1, "c": f"m{c}", "t": TRUTH[i], "p": P[r, c, i], "f": f"F{FOLD[r, i]}", "r": r}
        for r in range(2)
        for c in range(3)
        for i in range(N)
    ]
    return pd.DataFrame(rows).sample(frac=1, random_state=0, ignore_index=True)


def test_a_long_table_gives_the_numbers_of_a_matrix():
    oof = OOFPredictions.from_long(long(), **ROLES)
    result = BBC(random_state=0).estimate(oof, "roc_auc")
    by_hand = bbc(TRUTH, P.transpose(0, 2, 1), "roc_auc", fold=FOLD, random_state=0)
    assert (result.estimate, result.low, result.high) == (
        by_hand.estimate,
        by_hand.low,
        by_hand.high,
    )
    assert oof.n_repeats == 2 and oof.params[1] == {"configuration": "m1"}


@pytest.mark.parametrize("kind", ["csv", "folds name repeats", "categories", "several columns"])
def test_forms_of_one_table_give_the_same_predictions(kind, tmp_path):
    table, roles = long(), dict(ROLES)
    if kind == "csv":
        table.to_csv(tmp_path / "long.csv", index=False)
        table = tmp_path / "long.csv"
    if kind == "folds name repeats":
        table["f"] += ".Rep" + (table["r"] + 1).astype(str)
        roles.pop("repeat")
    if kind == "categories":
        table = table.astype({"t": "category", "c": "category", "s": "category"})
    if kind == "several columns":
        table["kind"] = "m"
        table["number"] = table["c"].str[1].astype(int)
        roles["config"] = ["kind", "number"]
    one, other = (
        OOFPredictions.from_long(long(), **ROLES),
        OOFPredictions.from_long(table, **roles),
    )
    for field in ("y_true", "sample", "fold", "repeat"):
        assert_array_equal(getattr(one, field), getattr(other, field))
    assert_array_equal(one.responses["plain"], other.responses["plain"])


def tune():
    """The table of collect_predictions() with repeats, as its documentation has it."""
    table = long()
    return pd.DataFrame(
        {
            "id": "Repeat" + (table["r"] + 1).astype(str),
            "id2": table["f"].str.replace("F", "Fold"),
            ".pred_no": 1 - table["p"], ".pred_yes": table["p"], ".row": table["s"],
            ".pred_class": np.where(table["p"] > 0.5, "yes", "no"),
            "penalty": 10.0 ** table["c"].str[1].astype(int), "status": table["t"],
            ".config": table["c"].str.replace("m", "Preprocessor1_Model"),
        }
    )  # fmt: skip


def mlr3():
    """Predictions of a benchmark of mlr3, with the learner and the iteration, as documented."""
    table = tune()
    table["iteration"] = table["id"].str[-1].astype(int) * 3 + table["id2"].str[-1].astype(int)
    names = {
        ".row": "row_ids", "status": "truth", ".pred_class": "response", ".pred_no": "prob.no",
        ".pred_yes": "prob.yes", ".config": "learner_id",
    }  # fmt: skip
    return table.rename(columns=names).drop(columns=["penalty", "id", "id2"])


@pytest.mark.parametrize("table", [tune, mlr3])
def test_forms_that_are_documented_need_no_options(table):
    oof = OOFPredictions.from_long(table())
    assert (oof.n_samples, oof.n_configs, oof.n_repeats, oof.n_splits) == (N, 3, 2, 6)
    assert oof.pos_label == "no"
    expected = P.transpose(1, 0, 2).reshape(3, -1)
    assert_array_equal(oof.responses["predict_proba"], expected)
    assert any("from its documentation" in note for note in oof.notes)


def test_the_outcome_of_tune_is_the_column_that_differs_within_a_model():
    assert OOFPredictions.from_long(tune()).params[2] == {
        ".config": "Preprocessor1_Model2",
        "penalty": 100.0,
    }
    two = tune().assign(other=np.arange(144))
    with pytest.raises(ValueError, match=r"status and other may be.*target="):
        OOFPredictions.from_long(two)
    assert OOFPredictions.from_long(two, target="status").n_configs == 3


def changed(**columns):
    table = long()
    for name, (row, value) in columns.items():
        table[name] = table[name].astype(object)
        table.loc[row, name] = value
    return table


@pytest.mark.parametrize(
    ("table", "change", "words"),
    [
        (long, {"repeat": None}, r"are there several times \(c=m0: .*name it with config="),
        (long, {"config": None}, "144 rows|several times"),
        (long, {"sample": "ss"}, "sample='ss' is not a column of table. Did you mean 's'"),
        (long, {"target": "s"}, "Column 's' is named by sample= and by target="),
        (long, {"target": None}, "target= is missing. Its columns are"),
        (
            long,
            {"positive": "maybe"},
            "positive='maybe' must be one of two classes; the target has no, yes",
        ),
        (lambda: long().iloc[:-2], {}, "2 of 144 pairs of sample and configuration are missing"),
        (
            lambda: pd.concat([long(), long().iloc[:1]]),
            {},
            "1 pair of sample and configuration is",
        ),
        (
            lambda: long().rename(columns={"p": "p_no"}),
            {"prediction": "p_no"},
            "named after class 'no'.*positive='no'",
        ),
        (lambda: changed(t=(3, "other")), {}, "1 sample of 24 have several targets"),
        (lambda: changed(p=(3, "x")), {}, "'p' has 'x' in row 4"),
        (lambda: changed(s=(3, np.nan)), {}, "'s' is empty in row 4"),
        (lambda: changed(t=(3, np.nan)), {}, "'t' is empty in row 4"),
        (lambda: long().assign(t="no"), {}, "the target 't' is no in every row"),
        (lambda: tune().assign(**{".pred_no": 0.3}), None, "probabilities of row 1 are 0.3"),
        (lambda: {"a": 1}, {}, "table must be a DataFrame"),
        (lambda: long().iloc[:0], {}, "table has no row"),
    ],
)
def test_what_is_wrong_is_named(table, change, words):
    options = (
        {} if change is None else {k: v for k, v in (ROLES | change).items() if v is not None}
    )
    with pytest.raises(ValueError, match=words):
        OOFPredictions.from_long(table(), **options)


@pytest.mark.parametrize("content", ["", "s,t\n1,a\n2,"])
def test_files_that_are_empty_or_written_by_half_are_refused(content, tmp_path):
    (tmp_path / "a.csv").write_text(content)
    with pytest.raises(ValueError, match=r"a\.csv (is empty|does not end with an end of line)"):
        OOFPredictions.from_long(tmp_path / "a.csv", **ROLES)


def test_scores_of_the_first_class_are_turned():
    oof = OOFPredictions.from_long(long(), **ROLES, positive="no")
    assert oof.pos_label == "no"
    assert_array_equal(oof.responses["plain"], 1 - P.transpose(1, 0, 2).reshape(3, -1))


def test_folds_that_begin_anew_are_repeats_where_no_other_column_tells_the_rows_apart():
    table = long().sort_values(["r", "c", "f", "s"], ignore_index=True)
    expected = OOFPredictions.from_long(table, **ROLES)
    roles = {name: column for name, column in ROLES.items() if name != "repeat"}
    found = OOFPredictions.from_long(table.drop(columns="r"), **roles)
    assert any("Folds begin anew 1 time" in note for note in found.notes)
    assert found.n_repeats == expected.n_repeats == 2
    for field in ("sample", "fold", "split_repeat"):
        assert_array_equal(getattr(found, field), getattr(expected, field))
    assert_array_equal(found.responses["plain"], expected.responses["plain"])
    for other in (table, table.drop(columns="r").sample(frac=1, random_state=1)):
        with pytest.raises(ValueError, match="there several times"):
            OOFPredictions.from_long(other, **roles)


def test_configurations_with_folds_of_their_own_are_compared_by_sample():
    table = long().query("r == 0").drop(columns="r")
    other = table["c"] == "m1"
    table.loc[other, "f"] = "F" + ((table.loc[other, "s"] + 1) % 3).astype(str)
    roles = {name: column for name, column in ROLES.items() if name != "repeat"}
    oof = OOFPredictions.from_long(table, **roles)
    assert oof.n_splits == 1 and any("folds of their own" in note for note in oof.notes)


@pytest.mark.filterwarnings("ignore:.*groups are split")
def test_groups_and_weights_are_one_for_each_sample():
    table = long().assign(patient=lambda t: t["s"] // 2, w=lambda t: t["s"] / 2)
    oof = OOFPredictions.from_long(table, **ROLES, groups="patient", sample_weight="w")
    assert_array_equal(oof.groups, np.arange(1, N + 1) // 2)
    assert_array_equal(oof.sample_weight, np.arange(1, N + 1) / 2)
    with pytest.raises(ValueError, match="several groups"):
        OOFPredictions.from_long(table.assign(patient=np.arange(144)), **ROLES, groups="patient")


def test_values_that_come_later_are_aligned_by_the_sample():
    table = long().query("r == 0").drop(columns="r")
    roles = {name: column for name, column in ROLES.items() if name != "repeat"}
    times = pd.Series(np.arange(N)[::-1], index=np.arange(1, N + 1)[::-1])
    oof = OOFPredictions.from_long(table, **roles).with_blocks(3, order=times)
    assert_array_equal(oof.order, np.arange(N))


@pytest.mark.parametrize("labels", [("FALSE", "TRUE"), ("0", "1")])
def test_logical_and_numeric_levels_of_r_have_their_columns(labels):
    table = tune().rename(
        columns=dict(zip((".pred_no", ".pred_yes"), [f".pred_{e}" for e in labels]))
    )
    for name in ("status", ".pred_class"):
        table[name] = (table[name] == "yes") * (1 if labels[0] == "0" else True)
    oof = OOFPredictions.from_long(table)
    assert_array_equal(oof.responses["predict_proba"], P.transpose(1, 0, 2).reshape(3, -1))
    assert oof.pos_label == oof.classes_[0]


@pytest.mark.parametrize("form", ["tune", "caret"])
def test_a_class_that_no_sample_has_is_a_class_by_its_column(form):
    if form == "tune":
        table = tune().assign(**{".pred_maybe": 0.5})
        table[[".pred_no", ".pred_yes"]] /= 2
    else:
        table = tune().query("id == 'Repeat1'")
        table = pd.DataFrame(
            {"pred": table[".pred_class"], "obs": table["status"], "maybe": 0.5,
             "no": table[".pred_no"] / 2, "yes": table[".pred_yes"] / 2,
             "rowIndex": table[".row"], "k": table[".config"], "Resample": table["id2"]}
        )  # fmt: skip
    oof = OOFPredictions.from_long(table)
    assert oof.n_configs == 3 and oof.classes_.tolist() == ["maybe", "no", "yes"]
    assert_array_equal(oof.responses["predict_proba"][:, :, 0], 0.5)


def test_columns_that_are_not_named_after_the_classes_are_refused():
    table = tune().rename(columns={".pred_no": ".pred_0", ".pred_yes": ".pred_1"})
    with pytest.raises(ValueError, match=r"\.pred_0 and \.pred_1 are not named after the classes"):
        OOFPredictions.from_long(table)


def of_mlr3(**more):
    """A table of mlr3 of 12 samples in 3 folds, with rows of training samples, too."""
    rows = [
        {"learner_id": m, "iteration": f, "row_ids": i + 1, "truth": TRUTH[i],
         "prob.no": 1 - P[0, m, i], "prob.yes": P[0, m, i] if held else float(TRUTH[i] == "yes"),
         "set": "test" if held else "train", **more}
        for m in range(2)
        for f in range(3)
        for i in range(12)
        for held in [i % 3 == f]
    ]  # fmt: skip
    table = pd.DataFrame(rows)
    table["prob.no"] = 1 - table["prob.yes"]
    return table


def test_rows_of_training_samples_are_not_taken_for_further_repeats():
    oof = OOFPredictions.from_long(of_mlr3())
    assert oof.n_repeats == 1 and oof.n_rows == 12
    yes = oof.responses["predict_proba"]
    assert_array_equal(yes, P[0, :2, :12])
    assert any("48 rows of training samples" in note for note in oof.notes)


@pytest.mark.parametrize("config", ["learner_id", ["learner_id", "Part"]])
def test_columns_that_say_training_are_refused(config):
    table = of_mlr3().rename(columns={"set": "Part", "row_ids": "s", "truth": "t"})
    options = {"sample": "s", "target": "t", "prediction": "prob.yes", "fold": "iteration"}
    with pytest.raises(ValueError, match="'Part' says 'train' in some rows"):
        OOFPredictions.from_long(table, config=config, **options)
    held = table[table["Part"] == "test"]
    assert OOFPredictions.from_long(held, config="learner_id", **options).n_configs == 2


@pytest.mark.parametrize("kind", [int, float, str])
def test_probabilities_are_taken_whatever_the_labels_are(kind):
    table = of_mlr3().rename(columns={"prob.no": "prob.0", "prob.yes": "prob.1"})
    table["truth"] = (table["truth"] == "yes").astype(int).astype(kind)
    oof = OOFPredictions.from_long(table)
    assert set(oof.responses) == {"predict_proba"} and str(oof.pos_label)[0] == "0"
    assert_array_equal(oof.responses["predict_proba"], P[0, :2, :12])


def test_numbers_and_text_in_one_target_are_refused(tmp_path):
    table = long()
    table["t"] = (table["t"] == "yes").astype(int).astype(object)
    table.loc[table["s"] == 3, "t"] = table["t"].astype(str)
    with pytest.raises(ValueError, match=r"column 't' has the text '[01]' and the number [01]"):
        OOFPredictions.from_long(table, **ROLES)
    wide = pd.DataFrame({"y": [0, 1, "1"] * 5, "m": RNG.random(15)})
    wide.to_json(tmp_path / "w.json", orient="records")
    with pytest.raises(ValueError, match=r"column 'y' of w.json has the text '1' and the number"):
        OOFPredictions.from_table(tmp_path / "w.json", target="y")
