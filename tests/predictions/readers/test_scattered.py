"""Large long tables, read in parts: the same predictions and messages as of all rows together."""

import numpy as np
import pandas as pd
import pytest

from sklearn_bbc import OOFPredictions, _batches
from sklearn_bbc.__main__ import main
from sklearn_bbc._tables import TableInParts
from sklearn_bbc.predictions.readers import _scattered

FIELDS = (
    "y_true", "sample", "fold", "repeat", "groups", "sample_weight", "split_repeat", "classes_",
    "failed",
)  # fmt: skip


def table(kind, seed=0, n=12, n_configs=6):
    """Make a long table, in any order of its rows, and the roles of its columns."""
    rng = np.random.default_rng(seed)
    ids = {
        "texts": [f"p{k}" for k in rng.permutation(n)], "codes": [f"{k:03}" for k in range(n)],
        "mixed": [f"{k}" if k > 9 else f"x{k}" for k in range(n)],
        "equal": ["7", "007", *map(str, range(10, 8 + n))], "hashes": list(2**62 + np.arange(n)),
    }.get(kind, list(rng.permutation(3 * n)[:n] - 5))  # fmt: skip
    y = rng.integers(0, 3 if kind == "three" else 2, n)
    y = {"values": rng.random(n) + 1, "counts": rng.integers(0, 9, n), "booleans": y == 1}.get(
        kind, y
    )
    y = np.array(["no", "yes", "maybe"])[y] if kind in ("three", "labels", "two") else y
    n_repeats = 2 if kind in ("repeats", "names", "tool", "blocks", "again") else 1
    sample = np.tile(np.arange(n), n_repeats * n_configs)
    repeat = np.tile(np.repeat(np.arange(n_repeats), n), n_configs)
    config = np.repeat(np.arange(n_configs), n * n_repeats)
    fold = (sample + repeat * (sample // 3)) % 4
    p = rng.random(len(sample))
    found = pd.DataFrame({"id": np.array(ids, dtype=object)[sample], "y": y[sample]})
    if not isinstance(ids[0], str):
        found["id"] = found["id"].astype("int64")
    found["config"] = np.array([3.5, 1, 2, 7, 10, -4])[config]
    roles = {"sample": "id", "target": "y", "config": "config", "prediction": "p"}
    if kind == "params":
        found["config"] = np.array(["tree", "svm"])[config // 3]
        found["depth"] = np.array([np.nan, 2, 2.5])[config % 3]
        roles["config"] = ["depth", "config"]
    if kind in ("three", "two"):
        labels = np.unique(y)
        shares = rng.dirichlet([1] * len(labels), len(sample))
        shares[5] = np.nan
        for k, label in enumerate(labels):
            found[f"p.{label}"] = shares[:, k]
        roles["prediction"] = {label: f"p.{label}" for label in labels}
    elif kind in ("labels", "booleans", "tool"):
        labels = np.unique(y)
        found["p"] = labels[rng.integers(0, len(labels), len(sample))]
        if kind == "labels":
            found.loc[3, "p"] = np.nan
    else:
        found["p"] = p if kind != "counts" else np.round(9 * p).astype(int)
        found.loc[7, "p"] = np.nan if kind not in ("counts", "comma") else found["p"][7]
    if kind in ("blocks", "again"):  # repeats that no column names, and bootstrap samples
        found["fold"] = fold + 4 * repeat
        roles["fold"] = "fold"
        if kind == "again":
            found = found[(found["fold"] != 6)]
    if kind in ("repeats", "names", "folds"):
        found["fold"] = fold
        roles["fold"] = "fold"
        if kind == "repeats":
            found["round"] = repeat
            roles["repeat"] = "round"
        if kind == "names":
            found["fold"] = [f"Fold{a}.Rep{b}" for a, b in zip(fold, repeat)]
    if kind == "folds":
        found["patient"] = np.array([f"q{k % 8}" for k in range(n)])[sample]
        found["w"] = rng.random(n)[sample]
        found["note"] = rng.integers(0, 99, len(found)).astype(str) + " of a note"
        found["more"] = rng.random(len(found))
        roles |= {"groups": "patient", "sample_weight": "w"}
    if kind == "tool":
        found = found.rename(columns={"id": "rowIndex", "y": "obs", "p": "pred"})
        found["Resample"] = [f"Fold{a}.Rep{b}" for a, b in zip(fold, repeat)]
        found, roles = found[["pred", "obs", "rowIndex", "config", "Resample"]], {}
    if seed % 3 == 1:
        found = found.sample(frac=1, random_state=seed).reset_index(drop=True)
    elif seed % 3 == 2:
        found = found.sort_values("rowIndex" if kind == "tool" else "id", kind="stable")
        found = found.reset_index(drop=True)
    return found, roles


def write(found, path):
    if path.suffix == ".parquet":
        pytest.importorskip("pyarrow")
        of_seed = path.stem[-1:] == "1"  # an index that is kept as a column, or a range
        found.set_axis(found.index[::-1] if of_seed else found.index).to_parquet(
            path, row_group_size=17
        )
    elif path.suffix == ".jsonl":
        found.to_json(path, orient="records", lines=True, double_precision=15)
    else:
        comma = path.stem.startswith("comma")
        sep = ";" if comma else "\t" if path.suffix == ".tsv" else ","
        found.to_csv(path, index=False, sep=sep, decimal="," if comma else ".")
    return path


@pytest.fixture
def in_parts(monkeypatch):
    """Read files of any size in parts of some rows; count how often all of one is read."""
    read_whole: list[str] = []
    init = TableInParts.__init__

    def small(n_rows, some_rows=20):
        monkeypatch.setattr(_batches, "BATCH_BYTES", 0)
        monkeypatch.setattr(_batches, "BATCH_ROWS", n_rows)
        monkeypatch.setattr(_batches, "SOME_ROWS", some_rows)
        monkeypatch.setattr(_scattered, "AT_ONCE", 5)
        monkeypatch.setattr(_scattered, "LARGE", 2**4)

        def counted(self, *given, **named):
            init(self, *given, **named)
            whole = self.whole
            object.__setattr__(self, "whole", lambda: read_whole.append(self.name) or whole())

        monkeypatch.setattr(TableInParts, "__init__", counted)
        return read_whole

    return small


def check_same(found, expected, notes=True):
    for field in FIELDS:
        one, other = getattr(found, field), getattr(expected, field)
        assert (one is None) == (other is None), field
        if one is not None:
            np.testing.assert_array_equal(one, other, err_msg=field)
            assert np.asarray(one).dtype == np.asarray(other).dtype, field
    assert repr(found.params) == repr(expected.params)
    assert found.pos_label == expected.pos_label and {*found.responses} == {*expected.responses}
    for name, values in found.responses.items():
        np.testing.assert_array_equal(values, expected.responses[name])
        assert values.dtype == expected.responses[name].dtype
    assert not notes or found.notes == expected.notes


KINDS = [
    "scores", "texts", "codes", "mixed", "equal", "hashes", "three", "two", "labels", "booleans",
    "values", "counts", "params", "repeats", "names", "folds", "tool", "comma", "blocks", "again",
]  # fmt: skip


@pytest.mark.one_in(4)
@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("kind", KINDS)
def test_parts_of_any_size_give_what_the_whole_gives(
    kind, ending, tmp_path, in_parts, monkeypatch
):
    if kind in ("comma", "equal", "codes", "mixed") and ending in (".tsv", ".parquet"):
        pytest.skip("of text with a comma only")
    cases = []
    for seed in range(3):
        found, roles = table(kind, seed)
        path = write(found, tmp_path / f"{kind}{seed}{ending}")
        whole = OOFPredictions.from_long(path, **roles)
        if kind != "equal" and ending != ".jsonl":
            check_same(OOFPredictions.from_long(found, **roles), whole, notes=False)
        cases.append((path, roles, whole))
    for n_rows, (path, roles, whole) in zip((7, 31, 10**6), cases):
        read_whole = in_parts(n_rows)
        check_same(OOFPredictions.from_long(path, **roles), whole)
    in_no_order = [path.name for path, _, _ in cases[1:2] if kind == "blocks"]
    assert read_whole == in_no_order


FAULTS = {
    "missing": lambda t: t.drop(index=[30, 57]),
    "cut": lambda t: t.iloc[:-9],
    "double": lambda t: pd.concat([t, t.iloc[[5, 40, 41]]]),
    "double at once": lambda t: t.loc[t.index.repeat(np.where(t.index == 9, 2, 1))],
    "double and missing at once": lambda t: t.loc[t.index.repeat([0, 2] + [1] * (len(t) - 2))],
    "all double": lambda t: pd.concat([t, t, t]),
    "double and missing": lambda t: pd.concat([t.drop(index=30), t.iloc[[5]]]),
    "target": lambda t: t.assign(y=t["y"].where(t.index != 55, 1 - t["y"])),
    "text": lambda t: t.assign(p=t["p"].astype(object).where(t.index != 55, "high")),
    "no id": lambda t: t.assign(id=t["id"].where(t.index != 55)),
    "no config": lambda t: t.assign(config=t["config"].where(t.index != 55)),
    "no target": lambda t: t.assign(y=t["y"].where(t.index != 55)),
    "training": lambda t: t.assign(part=np.where(t.index < 50, "test", "train")),
    "text target": lambda t: t.assign(y=t["y"].astype(object).where(t.index != 55, "one")),
    "text and missing": lambda t: t.assign(
        p=t["p"].astype(object).where(t.index != 55, "high")
    ).drop(index=30),
    "one class": lambda t: t.assign(y=1),
    "folds": lambda t: t.assign(fold=t["id"] % 3 + (t.index == 55)),
    "folds of each": lambda t: t.assign(fold=(t["id"] + t["config"].astype(int)) % 3),
    "folds and missing": lambda t: t.assign(fold=t["id"] % 3).drop(index=9),
    "groups": lambda t: t.assign(group=t["id"] // 4 + (t.index == 55)),
    "weights": lambda t: t.assign(weight=t["id"] + 9 + (t.index == 55)),
}  # fmt: skip


@pytest.mark.one_in(4)
@pytest.mark.parametrize("n_rows", [11, 50])
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_said_in_the_same_words(fault, n_rows, tmp_path, in_parts, capsys):
    found, _ = table("scores", seed=1)
    found = FAULTS[fault](found)
    path = write(found, tmp_path / "p.csv")
    options = "--sample id --config config --target y --predictions p --what".split()
    for name, option in (("fold", "--fold"), ("group", "--groups"), ("weight", "--sample-weight")):
        options += [option, name] if name in found else []

    def said():
        try:
            code = main([str(path), *options])
        except SystemExit as error:
            code = error.code
        return code, *capsys.readouterr()

    whole = said()
    read_whole = in_parts(n_rows)
    assert said() == whole
    are_pairs = {*fault.split()} <= {"missing", "cut", "double", "and", "at", "once", "all"}
    assert not (read_whole and are_pairs)


def test_what_some_rows_do_not_show_is_found_in_the_others(tmp_path, in_parts):
    found, roles = table("three")
    late = found["id"].isin(found["id"].unique()[-1:])
    found.loc[late, "y"], found.loc[~late, "y"] = (
        "maybe",
        np.where(found["id"] % 2, "yes", "no")[~late],
    )
    found = found.sort_values("id", key=lambda ids: ids == found["id"].iloc[-1], kind="stable")
    path = write(found, tmp_path / "p.csv")
    whole = OOFPredictions.from_long(path, **roles)
    read_whole = in_parts(9, some_rows=2)
    check_same(OOFPredictions.from_long(path, **roles), whole)
    assert len(read_whole) <= 1


def test_numbers_are_labels_where_a_later_row_has_them_as_target(tmp_path, in_parts):
    found, _ = table("tool")
    found = found.sort_values("rowIndex", kind="stable").reset_index(drop=True)
    last = found["rowIndex"] == found["rowIndex"].max()
    found["obs"] = np.where(last, 2, found["rowIndex"].rank(method="dense").astype(int) % 2)
    found["pred"] = np.arange(len(found)) % 3
    path = write(found, tmp_path / "p.csv")
    whole = OOFPredictions.from_long(path)
    assert {*whole.responses} == {"predict"} and whole.classes_.tolist() == [0, 1, 2]
    in_parts(9, some_rows=2)
    check_same(OOFPredictions.from_long(path), whole)


@pytest.mark.parametrize("levels", ["dbca", "zdbca"])
def test_levels_of_a_factor_keep_their_order(levels, tmp_path, in_parts):
    pytest.importorskip("pyarrow")
    found, roles = table("scores", seed=1, n_configs=4)
    names = found["config"].map(dict(zip(found["config"].unique(), "abcd")))
    found["config"] = pd.Categorical(names, [*levels])
    path = write(found, tmp_path / "p.parquet")
    whole = OOFPredictions.from_long(path, **roles)
    assert [each["configuration"] for each in whole.params] == [*"dbca"]
    read_whole = in_parts(9)
    check_same(OOFPredictions.from_long(path, **roles), whole)
    assert not read_whole


def test_a_wide_table_is_read_once_and_as_a_whole(tmp_path, in_parts):
    rng = np.random.default_rng(0)
    wide = pd.DataFrame({"y": rng.integers(0, 2, 60), "a": rng.random(60), "b": rng.random(60)})
    path = write(wide, tmp_path / "wide.csv")
    read_whole = in_parts(7)
    assert main([str(path), "--target", "y", "--what"]) == 0
    assert read_whole == ["wide.csv"]


def test_a_long_table_that_does_not_fit_is_refused_in_parts(
    tmp_path, in_parts, monkeypatch, capsys
):
    path = write(table("scores")[0], tmp_path / "p.csv")
    read_whole = in_parts(7)
    monkeypatch.setattr(_batches, "free_bytes", lambda: 500)
    with pytest.raises(SystemExit) as ended:
        main([str(path), *"--sample id --config config --target y --predictions p".split()])
    message = capsys.readouterr().err
    assert ended.value.code == 2 and "p.csv does not fit into memory" in message
    assert not read_whole


@pytest.mark.parametrize("ending", [".csv", ".json", ".dta", ".parquet"])
def test_files_of_all_kinds_are_whole_without_an_end_of_line(ending, tmp_path):
    found, roles = table("scores")
    found = found.round(6)
    path, y = tmp_path / f"p{ending}", found["y"][:12]
    one = found[found["config"] == found["config"][0]][["p"]].fillna(0.5).reset_index(drop=True)
    for each, frame in ((path, found), (tmp_path / f"a{ending}", one)):
        if ending == ".json":
            frame.to_json(each, orient="records", double_precision=15)
        elif ending == ".dta":
            frame.to_stata(each, write_index=False)
        else:
            write(frame, each)
    check_same(
        OOFPredictions.from_long(path, **roles), OOFPredictions.from_long(found, **roles), False
    )
    oof = OOFPredictions.from_columns({"a": tmp_path / f"a{ending}"}, y)
    np.testing.assert_allclose(oof.responses["plain"][0], one["p"])


def test_a_reader_that_runs_out_of_memory_does_not_begin_again(
    tmp_path, in_parts, monkeypatch, capsys
):
    path = write(table("scores")[0], tmp_path / "p.csv")
    read_whole, read_csv, n_calls = in_parts(7), pd.read_csv, []

    def fail_later(*given, **named):
        n_calls.append(1)
        if len(n_calls) > 2:
            raise pd.errors.ParserError("Error tokenizing data. C error: out of memory")
        return read_csv(*given, **named)

    monkeypatch.setattr(pd, "read_csv", fail_later)
    with pytest.raises(SystemExit) as ended:
        main([str(path), *"--sample id --config config --target y --predictions p --what".split()])
    message = capsys.readouterr().err
    assert ended.value.code == 2 and "p.csv does not fit into memory: the file has" in message
    assert not read_whole and len(n_calls) == 3
