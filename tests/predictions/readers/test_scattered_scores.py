"""Large long tables of scores per item: in parts the same scores and messages as all rows give."""

import json

import numpy as np
import pandas as pd
import pytest

import sklearn_bbc.__main__ as command
from sklearn_bbc import _batches
from sklearn_bbc._tables import TableInParts
from sklearn_bbc.predictions.readers import _scattered

OPTIONS = "--item item --system system --score score"
RUNS = f"{OPTIONS} --run run"
SIZES = [(7, 2), (31, 20)]
"""Rows of a batch, and rows that show what the columns are."""


def table(n_runs=1, order="none", n_items=14, n_systems=4):
    """Make a long table of scores, a row for each item, system and run."""
    rng = np.random.default_rng(0)
    shape = n_items, n_systems, n_runs
    found = pd.DataFrame(
        dict(zip(("item", "system", "run"), np.indices(shape).reshape(3, -1))),
    ).assign(score=rng.random(np.prod(shape)).round(3))
    if order == "systems":
        return found.sort_values("system", kind="stable").reset_index(drop=True)
    return found if order == "items" else found.sample(frac=1, random_state=1, ignore_index=True)


def write(found, path):
    if path.suffix == ".parquet":
        pytest.importorskip("pyarrow")
        found.to_parquet(path, row_group_size=13, index=False)
    elif path.suffix == ".jsonl":
        rows = found.astype(object).where(found.notna(), None).to_dict("records")
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    else:
        found.to_csv(path, index=False)
    return path


@pytest.fixture
def run(monkeypatch, capsys):
    """Return a function that runs the command: what it says, the scores, how often all is read."""
    init = TableInParts.__init__
    read_whole, taken = [], []

    def counted(self, *given, **named):
        init(self, *given, **named)
        whole = self.whole
        object.__setattr__(self, "whole", lambda: read_whole.append(self.name) or whole())

    def stop(scores, **settings):
        taken.append(scores)
        raise ValueError("scores are there")

    monkeypatch.setattr(TableInParts, "__init__", counted)
    monkeypatch.setattr(command, "best_of", stop)

    def run(path, options, sizes=None):
        read_whole.clear(), taken.clear()
        with monkeypatch.context() as patch:
            if sizes is not None:
                patch.setattr(_batches, "BATCH_BYTES", 0)
                patch.setattr(_batches, "BATCH_ROWS", sizes[0])
                patch.setattr(_batches, "SOME_ROWS", sizes[1])
                patch.setattr(_scattered, "AT_ONCE", 5)
                patch.setattr(_scattered, "AT_A_TIME", 2**7)
                patch.setattr(_scattered, "LARGE", 2**4)
                patch.setattr(_scattered, "FEW_PAIRS", 2**7)
            try:
                code = command.main([str(path), *options.split()])
            except SystemExit as error:
                code = error.code
        return (code, *capsys.readouterr()), [*taken], len(read_whole)

    return run


def check_same(found, expected):
    """Check that scores have the same bits in the same order, and all else is the same."""
    (said, scores, _), (expected_said, expected_scores, _) = found, expected
    assert said == expected_said and len(scores) == len(expected_scores)
    for one, other in zip(scores, expected_scores):
        values, others = one.responses["plain"], other.responses["plain"]
        assert values.tobytes() == others.tobytes() and values.shape == others.shape
        assert values.strides == others.strides  # so that sums add in the same order
        for name in ("groups", "sample_weight"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        for name in ("params", "notes", "n_missing", "missing", "score_sign"):
            assert repr(getattr(one, name)) == repr(getattr(other, name)), name


VALID = {
    "numbers": (lambda t: t, ""),
    "by systems": (lambda t: table(order="systems"), ""),
    "by items": (lambda t: table(order="items"), ""),
    "texts": (lambda t: t.assign(**{c: t[c].map("x{}".format) for c in ("item", "system")}), ""),
    "codes": (lambda t: t.assign(item=t["item"].map(str).replace("9", "007")), ""),
    "fractions": (lambda t: t.assign(system=t["system"] / 2), ""),
    "marks": (lambda t: t.assign(score=t["score"] > 0.5), ""),
    "zeros": (lambda t: t.assign(score=-0.0 * t["score"]), ""),
    "losses": (lambda t: t, "--losses"),
    "infinite": (lambda t: t.assign(score=t["score"].where(t.index != 9, np.inf)), ""),
    "several": (
        lambda t: t.assign(
            task=t["item"] // 7, no=t["item"] % 7, m=t["system"] // 2, p=t["system"] % 2
        ),
        "--item task,no --system m,p",
    ),
    "of items": (
        lambda t: t.assign(passage="p" + (t["item"] // 3).astype(str), w=1.0 + t["item"] % 4),
        "--cluster passage --sample-weight w",
    ),
    "groups of one": (lambda t: t, "--cluster item"),
    "weights of a system": (lambda t: t[t["system"] == 2], "--sample-weight system"),
    "ignored": (lambda t: t.assign(more="x"), "--ignore more"),
    "answers": (lambda t: t.assign(answer=[*range(54), "x", 55]), ""),
    "of training": (lambda t: t.assign(part="train"), ""),
    **{
        f"missing {rule}": (
            lambda t: t.assign(score=t["score"].where(t.index % 20 > 0)).drop(index=[3, 33]),
            f"--missing {rule}",
        )
        for rule in ("raise", "drop_items", "zero")
    },
}  # fmt: skip


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("kind", VALID)
def test_parts_of_any_size_give_what_the_whole_gives(kind, ending, tmp_path, run):
    if ending == ".parquet" and kind == "answers":
        pytest.skip("Parquet has no columns of several kinds")
    make, options = VALID[kind]
    path = write(make(table().drop(columns="run")), tmp_path / f"t{ending}")
    whole = run(path, f"{OPTIONS} {options}")
    for sizes in SIZES:
        in_parts = run(path, f"{OPTIONS} {options}", sizes)
        check_same(in_parts, whole)
        assert not in_parts[2]


LABELS = {
    "common": lambda t: t,
    "of systems": lambda t: t.assign(run=t["system"].astype(str) + "-" + t["run"].astype(str)),
    "of systems, some without a score": lambda t: t.assign(
        run=t["system"] * 3 + t["run"], score=t["score"].where((t["system"] < 3) | (t["run"] < 2))
    ),
    "fewer of a system": lambda t: t[(t["run"] < 2) | (t["system"] != 1)],
    "fewer of items": lambda t: t[(t["run"] < 2) | (t["item"] > 5)],
    "of two columns": lambda t: t.assign(turn=t["run"] // 2, run=t["run"] % 2),
    "some without a score": lambda t: t.assign(score=t["score"].where(t.index % 31 > 0)),
    "some not there": lambda t: t[t.index % 31 > 0],
    "infinite": lambda t: t.assign(score=t["score"].where(t["item"] > 0, [np.inf, -np.inf] * 84)),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("rule", "order"),
    [("raise", "systems"), ("drop_items", "none"), ("drop_runs", "items"), ("zero", "none")],
)
@pytest.mark.parametrize("labels", LABELS)
def test_runs_are_averaged_as_of_the_whole(labels, rule, order, tmp_path, run):
    found = LABELS[labels](table(3, order))
    found = found[found.index != 77]
    path = write(found, tmp_path / "t.csv")
    options = f"{RUNS}{',turn' if 'turn' in found else ''} --missing {rule}"
    whole = run(path, options)
    for sizes in SIZES:
        in_parts = run(path, options, sizes)
        check_same(in_parts, whole)
        assert not in_parts[2]


def test_means_of_parts_are_those_of_a_plain_loop(tmp_path, run):
    found = table(3)
    found = found[found.index % 11 > 0]
    path = write(found, tmp_path / "t.csv")
    _, (oof,), read_whole = run(path, f"{RUNS} --missing drop_runs", SIZES[0])
    for (item, system), scores in found.groupby(["item", "system"])["score"]:
        np.testing.assert_allclose(oof.responses["plain"][system, item], scores.mean())
    assert not read_whole


FAULTS = {
    "double": lambda t: pd.concat([t, t.iloc[[5]]]),
    "no run": lambda t: t.assign(run=t["run"].where(t.index != 55)),
    "no item": lambda t: t.assign(item=t["item"].where(t.index != 55)),
    "no system": lambda t: t.assign(system=t["system"].where(t.index != 55)),
    "text": lambda t: t.assign(score=t["score"].astype(object).where(t.index != 55, "high")),
    "all text": lambda t: t.assign(score="C"),
    "groups": lambda t: t.assign(g=t["item"] + (t.index == 55)),
    "no group": lambda t: t.assign(g=t["item"].where(t.index != 55)),
    "weights": lambda t: t.assign(w=t["item"] + 1 + (t.index == 55)),
    "no score": lambda t: t.drop(columns="score"),
    "runs that read alike": lambda t: t.assign(
        run=t["run"].map(["a", "a / b", "c"].__getitem__),
        more=t["run"].map(["b / c", "c", "d"].__getitem__),
    ),
    "every run its own": lambda t: t.assign(run=t.index),
}  # fmt: skip


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("fault", FAULTS)
def test_what_only_the_whole_can_tell_is_left_to_it(fault, sizes, tmp_path, run):
    found = FAULTS[fault](table(3))
    path = write(found, tmp_path / "t.csv")
    options = f"{RUNS}{',more' * ('more' in found)}"
    options += " --cluster g" * ("g" in found) + " --sample-weight w" * ("w" in found)
    in_parts = run(path, options, sizes)
    check_same(in_parts, run(path, options))
    assert in_parts[2] == 1


@pytest.mark.parametrize(
    "options",
    [
        "--item item --system system --score item", "--item item --system item --score score",
        f"{OPTIONS} --cluster system", f"{OPTIONS} --ignore score", f"{OPTIONS} --ignore zz",
        "--item items --system system --score score",
    ],
)  # fmt: skip
def test_options_that_are_wrong_are_refused_in_the_same_words(options, tmp_path, run):
    path = write(table().drop(columns="run"), tmp_path / "t.csv")
    whole = run(path, options)
    assert whole[0][0] == 2
    check_same(run(path, options, SIZES[0]), whole)


@pytest.mark.parametrize("levels", ["dbca", "zdbca"])
def test_levels_of_a_factor_keep_their_order(levels, tmp_path, run):
    found = table().drop(columns="run")
    found["system"] = pd.Categorical(found["system"].map(dict(enumerate("abcd"))), [*levels])
    path = write(found, tmp_path / "t.parquet")
    whole, in_parts = run(path, OPTIONS), run(path, OPTIONS, SIZES[0])
    check_same(in_parts, whole)
    assert not in_parts[2]
    assert [each["configuration"] for each in whole[1][0].params] == [*"dbca"]


def test_a_table_that_does_not_fit_is_refused_in_parts(tmp_path, run, monkeypatch):
    path = write(table().drop(columns="run"), tmp_path / "t.csv")
    monkeypatch.setattr(_batches, "free_bytes", lambda: 500)
    (code, _, message), _, read_whole = run(path, OPTIONS, SIZES[0])
    assert code == 2 and "t.csv does not fit into memory" in message
    assert "Take fewer systems" in message and not read_whole
