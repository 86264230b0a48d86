"""Large files, read in batches: the same predictions and messages as of the file as a whole."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sklearn_bbc import OOFPredictions, _batches
from sklearn_bbc.__main__ import main
from sklearn_bbc.predictions.readers._json_lines import table_of_json

OF_TOOLS = Path(__file__).parent / "of_tools"
# Options of a file of a tool, and of the tables below.
LABELS = {
    "texts.csv", "caret_three.csv", "caret_repeats.csv", "mlr_two.csv", "mlr_three.csv",
    "mlr_repeats.csv",
}  # fmt: skip
OPTIONS = {
    "caret_two.csv": "", "caret_three.csv": "", "caret_repeats.csv": "", "caret_values.csv": "",
    "mlr_two.csv": "", "mlr_three.csv": "", "mlr_repeats.csv": "",
    "wide.csv": "--target y --ignore late", "quoted.csv": "--target y --ignore late",
    "texts.csv": "--target y",
    "long.csv": "--sample id --config model k --target y --fold fold --groups group",
    "turned.csv": "--sample id --config model --target y --predictions p --pos-label a",
    "three.csv": "--sample id --config model --target y", "caret.json": "",
    "rows.jsonl": "--sample id --config model k --target y --fold fold --groups group",
    "rows.json": "--sample id --config model k --target y --fold fold --groups group",
    "lines.json": "--sample id --config model k --target y --fold fold --groups group",
    "columns.json": "--target y", "lists.json": "--target y",
    "scores.jsonl": "--item doc.task,doc.id --system model --run epoch --score right",
    "scores.csv": "--item item --system model --score right --missing zero",
}  # fmt: skip


def write(name, folder):
    """Write one of the tables of `OPTIONS`; values differ in kind between its parts."""
    path, rng, n = folder / name, np.random.default_rng(0), 36
    if (OF_TOOLS / name).exists():
        path.write_bytes((OF_TOOLS / name).read_bytes())
        return path
    y = np.array(["a", "b, \"c\"\nd"])[np.arange(n) % 2] if name == "quoted.csv" else (
        np.array(["a", "b"])[rng.integers(0, 2, n)]
    )  # fmt: skip
    wide = pd.DataFrame({
        "y": y, "m0": rng.random(n) * 1e-7, "m1": rng.random(n).round(1),
        "age": [30] * 20 + [41.5] * 16, "late": ["7"] * (n - 1) + ["x"],
        "empty": [np.nan] * 30 + ["é"] * 6,
        "known": [True] * 20 + [None] * 16, "day": ["2026-01-02"] * 35 + ["2026-01-03"],
    })  # fmt: skip
    rows = pd.concat([
        pd.DataFrame({
            "id": [f"p{row}" if row > 20 else f"{row}" for row in range(n)], "y": y,
            "model": model, "k": k, "p": rng.random(n),
            "fold": [f"Fold{row % 3}.Rep1" for row in range(n)],
            "group": np.arange(n) // 2,
        })
        for model, k in (("tree", 1.0), ("tree", 2.5), ("svm", 10**12))
    ], ignore_index=True)  # fmt: skip
    if name in ("wide.csv", "quoted.csv"):
        wide.to_csv(path, index=False)
    elif name == "texts.csv":
        labels = {each: rng.permutation(y) for each in ("t0", "t1")}
        pd.DataFrame({"y": y, **labels}).to_csv(path, index=False)
    elif name in ("long.csv", "turned.csv"):
        rows = rows.drop(columns="k")[rows["k"] != 2.5] if name == "turned.csv" else rows
        rows.sample(frac=1, random_state=0).to_csv(path, index=False)
    elif name == "three.csv":
        p = rng.dirichlet([1, 1], size=len(rows))
        rows.assign(prob_a=p[:, 0], prob_b=p[:, 1])[rows["k"] != 2.5].drop(
            columns=["k", "p", "fold", "group"]
        ).to_csv(path, index=False)
    elif name == "caret.json":
        pd.read_csv(OF_TOOLS / "caret_two.csv").to_json(path, orient="records", indent=1)
    elif name in ("columns.json", "lists.json"):
        wide = wide[["y", "m0", "m1", "empty"]]
        text = wide.to_json() if name == "columns.json" else json.dumps(
            {each: wide[each].astype(object).where(wide[each].notna(), None).tolist()
             for each in wide}
        )  # fmt: skip
        path.write_text(text, encoding="utf-8")
    elif name.startswith("scores"):
        records = [
            {"doc": {"task": f"t{item % 3}", "id": item}, "model": model, "epoch": epoch,
             "right": float(rng.random() < 0.6), "answer": "long " * (item % 5)}
            for item in range(12) for model in ("big", "small") for epoch in range(2)
        ]  # fmt: skip
        if name == "scores.csv":
            frame = pd.json_normalize(records)
            frame = frame[frame["epoch"] == 0].rename(columns={"doc.id": "item"})
            frame.iloc[1:].drop(columns=["doc.task", "epoch"]).to_csv(path, index=False)
        else:
            path.write_text("".join(f"{json.dumps(each)}\n" for each in records))
    else:
        orient = {"rows.json": {}}.get(name, {"lines": True})
        rows.to_json(path, orient="records", **orient)
    return path


def said(path, options, capsys):
    command = [str(path), *options.split()]
    of_labels = path.name in LABELS
    metric = "r2" if "values" in path.name else "accuracy" if of_labels else "roc_auc"
    more = [] if "--item" in command else ["--scoring", metric]
    more += ["--n-bootstraps", "50"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["sklearn_bbc"])
        try:
            code = main([*command, *more])
        except SystemExit as error:
            code = error.code
    found = capsys.readouterr()
    return code, found.out, found.err


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", OPTIONS)
def test_batches_give_what_the_whole_file_gives(name, tmp_path, capsys, monkeypatch):
    path = write(name, tmp_path)
    whole = said(path, OPTIONS[name], capsys)
    assert whole[0] == 0, whole[2]
    monkeypatch.setattr(_batches, "BATCH_BYTES", 0)
    for rows in (1, 7, 10**6):
        monkeypatch.setattr(_batches, "BATCH_ROWS", rows)
        monkeypatch.setattr(_batches, "PART_BYTES", 4 if rows == 1 else 2**24)
        assert said(path, OPTIONS[name], capsys) == whole


@pytest.mark.parametrize("name", ["caret_two.csv", "long.csv", "rows.jsonl"])
def test_fields_of_batches_are_those_of_the_whole_file(name, tmp_path, monkeypatch):
    path = write(name, tmp_path)
    options = {} if "caret" in name else {
        "sample": "id", "config": ["model", "k"], "target": "y", "prediction": "p",
        "fold": "fold", "groups": "group",
    }  # fmt: skip
    whole = OOFPredictions.from_long(path, **options)
    monkeypatch.setattr(_batches, "BATCH_BYTES", 0)
    monkeypatch.setattr(_batches, "BATCH_ROWS", 5)
    batches = OOFPredictions.from_long(path, **options)
    for field in ("y_true", "sample", "fold", "groups", "split_repeat", "classes_"):
        expected, found = getattr(whole, field), getattr(batches, field)
        assert np.array_equal(expected, found), field
        assert np.asarray(expected).dtype.kind == np.asarray(found).dtype.kind, field
    assert repr(whole.params) == repr(batches.params) and whole.notes == batches.notes
    for kind, values in whole.responses.items():
        np.testing.assert_array_equal(values, batches.responses[kind])


def test_whole_numbers_beyond_2_to_the_63_stay_different(tmp_path, monkeypatch):
    hashes = np.array([5, 2**63 + 1, 2**63 + 2], dtype=np.uint64)
    table = pd.DataFrame({"hash": np.repeat(hashes, 20), "id": np.tile(np.arange(20), 3)})
    table["y"], table["p"] = table["id"] % 2, np.random.default_rng(0).random(60)
    table.to_csv(tmp_path / "p.csv", index=False)
    monkeypatch.setattr(_batches, "BATCH_BYTES", 0)
    monkeypatch.setattr(_batches, "BATCH_ROWS", 7)
    roles = {"sample": "id", "config": "hash", "target": "y", "prediction": "p"}
    assert OOFPredictions.from_long(tmp_path / "p.csv", **roles).n_configs == 3


BROKEN = {
    "cut.json": '[{"y": 1, "p": 0.5}, {"y": 0, "p"', "open.json": '[{"y": 1, "p": 0.5}',
    "comma.json": '[{"y": 1, "p": 0.5} {"y": 0}]', "more.json": '[{"y": 1, "p": 0.5}] 7',
    "number.json": '[{"y": 1, "p": 0.5}, 7]', "plain.json": "7", "none.json": "[]",
    "text.json": '[{"y": "unfinished]', "name.json": '{"y": [1, 0], p: [1, 2]}',
    "object.json": '{"y": 1, "p": 2}', "uneven.json": '{"y": [1, 2], "p": [1]}',
    "cut.jsonl": '{"y": 1}\n{"y"\n', "list.jsonl": "[1]\n", "blank.json": " ",
    "latin.json": b'[{"y": "\xe9"}]', "escape.json": '[{"y": "\\x"}]' + " " * 50,
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_large_file_that_is_broken_is_refused_in_the_same_words(
    name, tmp_path, capsys, monkeypatch
):
    content = BROKEN[name]
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    whole = said(tmp_path / name, "--target y", capsys)
    assert whole[0] == 2
    monkeypatch.setattr(_batches, "BATCH_BYTES", 0)
    monkeypatch.setattr(_batches, "PART_BYTES", 4)
    assert said(tmp_path / name, "--target y", capsys) == whole


@pytest.mark.parametrize("name", ["long.csv", "rows.jsonl", "rows.json", "lists.json"])
def test_a_table_that_does_not_fit_is_refused_before_memory_runs_out(
    name, tmp_path, capsys, monkeypatch
):
    path = write(name, tmp_path)
    monkeypatch.setattr(_batches, "BATCH_BYTES", 0)
    monkeypatch.setattr(_batches, "BATCH_ROWS", 7)
    monkeypatch.setattr(_batches, "free_bytes", lambda: 50)
    code, _, message = said(path, OPTIONS[name], capsys)
    assert code == 2 and f"{name} does not fit into memory" in message


@pytest.mark.parametrize("rows", [1, 2, 3, 10])
@pytest.mark.parametrize("more", [[None], ["absent"], [1.5], [-1], [2], [2**64]], ids=str)
def test_large_whole_numbers_of_json_are_the_same_in_parts_of_any_size(
    more, rows, tmp_path, monkeypatch
):
    values = [2**63 + 1, *more, 2**63 + 5000, 5]
    lines = [json.dumps({"b": 1} if each == "absent" else {"a": each, "b": 1}) for each in values]
    (tmp_path / "a.jsonl").write_text("\n".join(lines) + "\n")
    whole = table_of_json(tmp_path / "a.jsonl")["a"]
    monkeypatch.setattr(_batches, "BATCH_BYTES", 0)
    monkeypatch.setattr(_batches, "BATCH_ROWS", rows)
    found = table_of_json(tmp_path / "a.jsonl")["a"]
    assert found.dtype == whole.dtype
    assert found.fillna(-2).tolist() == whole.fillna(-2).tolist()


KINDS = {
    "small": [0, -1, 2**31 - 1, -(2**31)], "large": [0, 2**31, 2**63 - 1],
    "unsigned": [1, 2**63 + 1, 5],
    "numbers": [0.5, 2.0, 1e300], "gaps": [0.5, None, 3.0], "texts": ["b", "a", "", "é", "b"],
    "texts with gaps": ["b", None, "a"], "booleans": [True, False], "nothing": [None, None],
    "numbers and texts": [1.5, "a"], "booleans with gaps": [True, None], "negative": [-1, -5],
}  # fmt: skip


@pytest.mark.parametrize("n_gap", [0, 2])
@pytest.mark.parametrize("then", KINDS)
@pytest.mark.parametrize("first", KINDS)
def test_a_column_in_batches_is_the_column(first, then, n_gap):
    """With rows of other columns before, between and after; columns of several kinds are named."""
    rng, whole = np.random.default_rng(0), [None] * n_gap
    batches, kinds = _batches.Batches("a.csv"), set()
    batches.add(pd.DataFrame({"other": [0] * n_gap}), 1.0)
    for kind in (first, then, first):
        part = pd.Series([KINDS[kind][k] for k in rng.integers(0, len(KINDS[kind]), 4)])
        kinds |= {_batches.kind_of(part)} - {""}
        batches.add(pd.DataFrame({"x": part, "other": 0}), 1.0)
        batches.add(pd.DataFrame({"other": [0] * n_gap}), 1.0)
        whole += [*part.astype(object), *[None] * n_gap]
    there = [value for value in whole if not pd.isna(value)]
    if "unsigned" in kinds:  # of which a float of 64 bits does not hold all digits
        are_whole = all(type(value) is int and value >= 0 for value in there)
        several = not are_whole or len(there) < len(whole)
    else:
        several = len(kinds) > 1
    assert batches.mixed == ["x"] * several
    found = batches.frame()["x"]
    assert found.isna().tolist() == [pd.isna(value) for value in whole]
    assert [isinstance(value, str) for value in found.dropna()] == [
        isinstance(value, str) for value in there
    ]
    # As in one column of pandas: of numbers some of which are missing, or are no whole ones.
    of_numbers = kinds <= {"number", "unsigned"} and (several or "unsigned" not in kinds)
    as_one = float if of_numbers else lambda value: value
    assert [*map(as_one, found.dropna())] == [*map(as_one, there)]
    are_marks = [isinstance(value, (bool, np.bool_)) for value in found.dropna()]
    assert are_marks == [isinstance(value, bool) for value in there]
    if kinds == {"string"}:
        assert [*found.cat.categories] == sorted({*there})
