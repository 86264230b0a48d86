"""Tables of scores per item: every form gives the same predictions; what is wrong is refused."""

import re
import sys
import types
import warnings

import numpy as np
import pandas as pd
import pytest

from sklearn_bbc import BBC, OOFPredictions, compare, samples_for_power, samples_for_width
from sklearn_bbc.comparison import BBCDifference, Side, tied_with_best
from sklearn_bbc.exceptions import IntervalWarning

RNG = np.random.default_rng(0)
SCORES = RNG.integers(0, 2, size=(20, 3)).astype(float)
NAMES = ["a", "b", "c"]
WIDE = pd.DataFrame(SCORES, columns=NAMES)
LONG = WIDE.rename_axis("question").reset_index().melt("question", var_name="model")
PASSAGE = np.arange(20) // 4


def values_of(oof):
    return oof.responses["plain"].T


class Column(list):
    def to_numpy(self):
        return np.array(self)


def polars_like(frame):
    """A table with the few methods of polars that are needed."""
    table = type("DataFrame", (), {"__module__": "polars.dataframe.frame"})
    table.columns = list(frame.columns)
    table.__getitem__ = lambda self, name: Column(frame[name])
    return table()


@pytest.mark.parametrize(
    ("scores", "given"),
    [
        (SCORES, {"names": NAMES}),
        (SCORES.tolist(), {"names": NAMES}),
        (SCORES.astype(bool), {"names": NAMES}),
        (np.repeat(SCORES[..., None], 2, axis=2), {"names": NAMES}),
        (WIDE, {}),
        (WIDE.astype("Int64"), {}),
        (WIDE.astype(object), {}),
        (WIDE.astype("category"), {}),
        (WIDE.astype("boolean"), {}),
        (polars_like(WIDE), {}),
        (WIDE.assign(id=list("abcdefghijklmnopqrst")), {"item": "id"}),
        (LONG, {"item": "question", "system": "model", "score": "value"}),
        (LONG, {"item": "question", "system": ["model"], "score": "value"}),
        (
            pd.concat([LONG.assign(epoch=1), LONG.assign(epoch=2)]),
            {"item": "question", "system": "model", "score": "value", "run": "epoch"},
        ),
        (polars_like(LONG), {"item": "question", "system": "model", "score": "value"}),
    ],
    ids=[
        "array", "lists", "bools", "runs", "wide", "Int64", "objects", "category", "boolean",
        "polars", "item", "long",
        "list of one", "long runs", "long polars",
    ],
)  # fmt: skip
def test_every_form_of_a_table_is_the_same(scores, given):
    oof = OOFPredictions.from_scores(scores, **given)
    np.testing.assert_array_equal(values_of(oof), SCORES)
    assert [each["configuration"] for each in oof.params] == NAMES
    assert oof.score_sign == 1
    assert oof.classes_ is None


def test_runs_are_averaged_and_belong_to_their_item():
    runs = RNG.random((20, 3, 4))
    runs[:, 1, 2:] = np.nan  # a system that was run twice on all items
    with pytest.warns(IntervalWarning, match=r"fewer runs than others.*: 'system 1' \(40\)"):
        oof = OOFPredictions.from_scores(runs)
    np.testing.assert_allclose(values_of(oof), np.nanmean(runs, axis=2))
    assert oof.n_samples == 20
    assert any("mean of 2 to 4 runs" in note for note in oof.notes)


RUNS = (np.random.default_rng(2).random((30, 2, 4)) < 0.8).astype(float)
OF_RUNS = {"item": "item", "system": "system", "run": "run", "score": "score"}


def long_of(runs):
    """A row for each run, also for those without a score."""
    axes = [np.arange(size) for size in runs.shape]
    index = pd.MultiIndex.from_product(axes, names=["item", "system", "run"])
    return pd.Series(runs.ravel(), index, name="score").reset_index()


def without_wrong_runs(runs):
    """System 1 fails where it would be wrong, unless it is wrong in all runs of the item."""
    runs, some = runs.copy(), (runs[:, 1].max(axis=1) > 0)[:, None]
    runs[:, 1][some & (runs[:, 1] == 0)] = np.nan
    return runs


FAILED = without_wrong_runs(RUNS)
OWN = long_of(FAILED).assign(run=lambda long: long["item"] * 100 + long["run"])


@pytest.mark.parametrize(
    ("scores", "given"),
    [
        (FAILED, {}),
        (long_of(FAILED), OF_RUNS),
        (long_of(FAILED).dropna(), OF_RUNS),
        (OWN.dropna(), OF_RUNS),
        (OWN.dropna().reset_index().rename(columns={"run": "r", "index": "run"}), OF_RUNS),
    ],
    ids=["array", "long", "no rows", "labels of items", "labels of rows"],
)
def test_runs_that_failed_are_missing(scores, given):
    n_lacking, complete = int(np.isnan(FAILED).sum()), ~np.isnan(FAILED).any(axis=(1, 2))
    name = "1" if given else "system 1"
    are_missing = rf"{n_lacking} runs of 240 are missing, those of '{name}' \({n_lacking}\)\."
    kept = f"{complete.sum()} of 30 items of which every system has all runs"
    with pytest.raises(ValueError, match=are_missing + ".*'drop_items' takes the " + kept):
        OOFPredictions.from_scores(scores, **given)
    with pytest.warns(IntervalWarning, match=f"{kept}.*looks better than it is.*fills in 0"):
        oof = OOFPredictions.from_scores(scores, **given, missing="drop_items")
    np.testing.assert_allclose(values_of(oof), RUNS[complete].mean(axis=2))
    assert sum(kept in note for note in oof.notes) == 1
    assert list(oof.n_missing.values()) == [0, n_lacking]


@pytest.mark.parametrize(
    ("scores", "given"), [(FAILED, {}), (long_of(FAILED).dropna(), OF_RUNS)], ids=["array", "long"]
)
def test_missing_runs_are_left_out_or_wrong_answers_where_that_is_asked(scores, given):
    n_lacking = int(np.isnan(FAILED).sum())
    with pytest.warns(IntervalWarning, match="is by the runs that there are"):
        oof = OOFPredictions.from_scores(scores, **given, missing="drop_runs")
    np.testing.assert_allclose(values_of(oof), np.nanmean(FAILED, axis=2))
    filled = OOFPredictions.from_scores(scores, **given, missing="zero")
    np.testing.assert_allclose(values_of(filled), np.nan_to_num(FAILED).mean(axis=2))
    for each in (oof, filled):
        assert list(each.n_missing.values()) == [0, n_lacking]
    assert any("0 is filled in" in note for note in filled.notes)
    with pytest.raises(ValueError, match="of losses 0 is the best"):
        OOFPredictions.from_scores(scores, **given, missing="zero", greater_is_better=False)


def test_an_item_without_any_run_of_a_system_is_dropped_by_either_rule():
    runs = RUNS.copy()
    runs[3, 1] = np.nan
    runs[5, 0, 1] = np.nan
    with pytest.warns(
        IntervalWarning, match="on the 29 of 30 items of which every system has one"
    ):
        oof = OOFPredictions.from_scores(runs, missing="drop_runs")
    np.testing.assert_allclose(values_of(oof), np.nanmean(np.delete(runs, 3, axis=0), axis=2))
    whole = np.where(np.isnan(RUNS[:, :, 0]), 0, RUNS[:, :, 0])
    whole[2, 1] = np.nan
    np.testing.assert_allclose(
        values_of(OOFPredictions.from_scores(whole, missing="zero")), np.nan_to_num(whole)
    )


def test_several_columns_make_an_item_and_a_run():
    long = long_of(RUNS)
    parts = long.assign(
        task=long["item"] % 3,
        number=long["item"] // 3,
        seed=long["run"] % 2,
        turn=long["run"] // 2,
    )
    given = {"item": ["task", "number"], "run": ["seed", "turn"]}
    oof = OOFPredictions.from_scores(parts, system="system", score="score", **given)
    one = OOFPredictions.from_scores(long, **OF_RUNS)
    order = np.lexsort((np.arange(30) // 3, np.arange(30) % 3))
    np.testing.assert_array_equal(values_of(oof), values_of(one)[order])
    with pytest.raises(ValueError, match=r"pass item=\[..., ...\]"):
        OOFPredictions.from_scores(parts, system="system", score="score", item="number")
    with pytest.raises(ValueError, match=r"Name several in a list: item=\['task', 'number'\]"):
        OOFPredictions.from_scores(parts, system="system", score="score", item="task,number")
    wide = pd.DataFrame(values_of(one), columns=["a", "b"])
    wide = wide.assign(task=np.arange(30) % 3, number=np.arange(30) // 3)
    assert OOFPredictions.from_scores(wide, item=["task", "number"]).n_samples == 30
    with pytest.raises(ValueError, match="Item '0 / 0' has several rows"):
        OOFPredictions.from_scores(wide.assign(number=0), item=["task", "number"])


@pytest.mark.parametrize(
    "rows",
    [
        lambda long: (long["system"] == 0) | (long["run"] < 2),
        lambda long: (long["item"] % 2 == 0) | (long["run"] < 2),
        lambda long: (long["system"] == 0) == (long["run"] < 2),
        lambda long: ((long["system"] == 0) | (long["run"] < 2)) & (long["run"] != long["item"]),
    ],
    ids=["a system", "some items", "seeds of each system", "both"],
)
def test_fewer_runs_by_design_are_not_missing(rows):
    long = long_of(RUNS)[rows]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        oof = OOFPredictions.from_scores(long, **OF_RUNS)
    mean = long.groupby(["item", "system"])["score"].mean().unstack()
    np.testing.assert_allclose(values_of(oof), mean)
    assert not oof.n_missing
    differ = long.groupby("system").size().nunique() > 1
    assert any("fewer runs than others" in str(each.message) for each in caught) == differ


def test_a_run_that_all_systems_lack_is_seen_by_its_row():
    runs = RUNS.copy()
    runs[4, :, 1] = np.nan
    for scores, given in ((runs, {}), (long_of(runs), OF_RUNS)):
        with pytest.raises(ValueError, match="2 runs of 240 are missing"):
            OOFPredictions.from_scores(scores, **given)


def test_the_order_of_rows_of_a_long_table_does_not_matter():
    rng = np.random.default_rng(0)
    long = long_of(rng.random((25, 4, 7))).replace({"system": dict(enumerate("bdca"))})
    long = long.assign(item="q" + long["item"].astype(str), group=long["item"] // 3, weight=1.5)
    copy = long[long["system"] == "a"].assign(system="e")  # a tie
    long = pd.concat([long, copy], ignore_index=True)
    given = {**OF_RUNS, "groups": "group", "sample_weight": "weight"}
    first = OOFPredictions.from_scores(long, **given)
    assert [each["configuration"] for each in first.params] == list("abcde")
    for seed in range(10):
        other = OOFPredictions.from_scores(long.sample(frac=1, random_state=seed), **given)
        assert first == other  # bit for bit
    wide = long.pivot_table("score", "item", ["system"], aggfunc=list).map(np.array)
    runs = np.array(wide.to_numpy().tolist())
    np.testing.assert_array_equal(values_of(OOFPredictions.from_scores(runs)), values_of(first))


@pytest.mark.parametrize("item", [["a", 1, 2.5], [(1, "a"), (2, "b"), ("c", 3)]])
def test_items_without_an_order_are_put_into_one(item):
    long = long_of(np.random.default_rng(0).random((3, 2, 1)))
    long["item"] = long["item"].map(dict(enumerate(item)))
    with pytest.warns(IntervalWarning, match="only 3 items"):
        first = OOFPredictions.from_scores(long, **OF_RUNS)
        assert first == OOFPredictions.from_scores(long[::-1], **OF_RUNS)


DOUBLE = pd.concat([long_of(RUNS).assign(prompt=prompt) for prompt in ("x", "y", "z")])
DOUBLE["time"] = np.arange(len(DOUBLE))
DOUBLE["is_long"] = DOUBLE["prompt"] == "y"  # does not tell all apart


@pytest.mark.parametrize("run", ["run", None])
def test_double_scores_name_the_columns_that_tell_them_apart(run):
    table = DOUBLE if run else DOUBLE[DOUBLE["run"] == 0].drop(columns="run")
    with pytest.raises(ValueError, match="scores of '0'") as error:
        OOFPredictions.from_scores(table, **{**OF_RUNS, "run": run})
    said = str(error.value)
    assert "The rows differ in 'prompt', 'time', 'is_long'." in said
    assert "pass system=['system', 'prompt']" in said
    assert "such as task and number" in said
    assert ("run=..." in said) == (run is None)
    with pytest.raises(ValueError, match=r"in 'is_long'\. .* pass system=\[\.\.\., \.\.\.\]"):
        left = table.drop(columns=["prompt", "time"])
        OOFPredictions.from_scores(left, **{**OF_RUNS, "run": run})


def test_several_columns_make_a_system():
    long = LONG.assign(prompt=np.tile([1, 2], 30))
    twice = pd.concat([long, long.assign(prompt=3 - long["prompt"])])
    oof = OOFPredictions.from_scores(
        twice, item="question", system=["model", "prompt"], score="value"
    )
    names = {each["configuration"] for each in oof.params}
    assert names == {f"{model} / {prompt}" for model in NAMES for prompt in (1, 2)}


def test_levels_of_columns_make_a_system():
    """As `pivot` leaves them."""
    columns = pd.MultiIndex.from_tuples([("m", 1), ("m", 2), ("n", 1)])
    oof = OOFPredictions.from_scores(WIDE.set_axis(columns, axis=1))
    assert [each["configuration"] for each in oof.params] == ["m / 1", "m / 2", "n / 1"]
    flat = SCORES[:10, :2].cumsum(axis=0)  # all different, but not the numbers of rows
    assert OOFPredictions.from_scores(pd.DataFrame(flat)).n_configs == 2


@pytest.mark.parametrize("form", ["wide", "long", "array"])
def test_groups_and_weights_belong_to_items(form):
    weight = np.arange(20.0) + 1
    if form == "array":
        oof = OOFPredictions.from_scores(SCORES, groups=PASSAGE, sample_weight=weight)
    elif form == "wide":
        wide = WIDE.assign(passage=PASSAGE, w=weight)
        oof = OOFPredictions.from_scores(wide, groups="passage", sample_weight="w")
    else:
        long = LONG.assign(passage=LONG["question"] // 4, w=LONG["question"] + 1.0)
        oof = OOFPredictions.from_scores(
            long.sample(frac=1, random_state=0), item="question", system="model", score="value",
            groups="passage", sample_weight="w",
        )  # fmt: skip
        order = np.argsort(oof.sample_weight)
        oof = OOFPredictions.from_scores(
            values_of(oof)[order], groups=oof.groups[order], sample_weight=oof.sample_weight[order]
        )
    np.testing.assert_array_equal(oof.groups, PASSAGE)
    np.testing.assert_array_equal(oof.sample_weight, weight)
    assert oof.n_configs == 3


def test_items_that_not_every_system_has_are_dropped_and_named():
    scores = SCORES.copy()
    scores[[2, 5], 1] = np.nan
    with pytest.raises(ValueError, match=r"2 scores of 60 are missing, those of 'b' \(2\)"):
        OOFPredictions.from_scores(scores, names=NAMES)
    with pytest.raises(ValueError, match="18 of 20 items that every system has"):
        OOFPredictions.from_scores(scores, names=NAMES)
    with pytest.warns(IntervalWarning, match="18 of 20 items"):
        oof = OOFPredictions.from_scores(scores, names=NAMES, groups=PASSAGE, missing="drop_items")
    kept = np.delete(np.arange(20), [2, 5])
    np.testing.assert_array_equal(values_of(oof), SCORES[kept])
    np.testing.assert_array_equal(oof.groups, PASSAGE[kept])
    assert any("18 of 20 items" in note for note in oof.notes)
    # A row that is not in a long table is missing as well.
    with pytest.raises(ValueError, match="1 score of 60 is missing, that of"):
        OOFPredictions.from_scores(LONG.iloc[1:], item="question", system="model", score="value")


OF_LONG = {"item": "question", "system": "model", "score": "value"}
LIKE_NAMES = pd.concat(  # 'x / y' and 'z' are not 'x' and 'y / z'
    [LONG.assign(model="x / y", prompt="z"), LONG.assign(model="x", prompt="y / z")]
).drop_duplicates(["question", "model"])
INFINITE = np.where(np.arange(60).reshape(20, 3) == 4, np.inf, SCORES)


@pytest.mark.parametrize(
    ("scores", "given", "message"),
    [
        (SCORES.astype(str), {}, "scores must hold numbers, such as 1 for a right answer"),
        ((SCORES > 0).astype(str), {}, "Turn marks into numbers first"),
        (SCORES.astype(str), {}, r"numbers written as text: convert them, .*astype\(float\)"),
        (SCORES * 1j, {}, "real numbers, got complex ones"),
        ("scores.csv", {}, "Read the file first"),
        ({"a": [1, 0]}, {}, r"Make a table of it with pandas\.DataFrame\(scores\)"),
        (SCORES, {"groups": np.zeros(20)}, "All 20 items are in one group"),
        (SCORES * 1e200, {}, r"The largest score is .*e\+200.*Multiply all scores"),
        (SCORES * 1e-200, {}, r"The largest score is .*e-200.*Multiply all scores"),
        (SCORES, {"sample_weight": np.full(20, np.nan)}, "sample_weight"),
        (SCORES, {"sample_weight": ["a"] * 20}, "sample_weight must be one number per item"),
        (WIDE.assign(a=np.nan), {}, "and none of 20 items has a score of every system"),
        (WIDE.assign(a="C"), {}, "Column 'a' of the table holds no numbers, but 'C'"),
        (WIDE.reset_index(), {}, "Column 'index' of the table counts its rows"),
        (WIDE.assign(n=range(1, 21)), {}, "Column 'n' of the table counts its rows"),
        (SCORES[:, 0], {}, "One system alone has nothing to be compared with"),
        (np.empty((0, 3)), {}, r"must have shape \(n_items, n_systems\)"),
        (INFINITE, {"names": NAMES}, r"1 infinite value: 'b' \(1\)"),
        (SCORES, {"names": ["a", "a", "b"]}, "Two systems are called 'a'"),
        (pd.DataFrame(SCORES, columns=["x", "y", "x"]), {}, "Two systems are called 'x'"),
        (SCORES, {"names": ["a", "b"]}, "names has 2 entries for 3 systems"),
        (SCORES[:2], {}, "scores has 2 items, rows being items: at least 3"),
        (SCORES, {"groups": "passage"}, "names a column, but the scores are an array"),
        (WIDE, {"groups": "passage"}, "groups='passage' is not a column"),
        (SCORES, {"groups": PASSAGE[:-1]}, "groups has 19 entries for 20 items"),
        (SCORES, {"score": "value"}, "belongs to a long table"),
        (SCORES, {"system": "model"}, "so scores must be a DataFrame"),
        (LONG, {"system": "model"}, "item= is missing beside system='model'"),
        (LONG, {**OF_LONG, "system": "modle"}, "Did you mean 'model'"),
        (
            LONG,
            {**OF_LONG, "system": "model, question"},
            r"Name several in a list: system=\['model', 'question'\]",
        ),
        (pd.concat([LONG, LONG]), OF_LONG, "Item 0 has 2 scores of 'a'"),
        (
            pd.concat([LONG, LONG]).assign(epoch=1),
            {**OF_LONG, "run": "epoch"},
            "several scores of 'a' in one run",
        ),
        (LONG.assign(question=None), OF_LONG, "'question' has 60 missing values"),
        (
            LONG.assign(passage=np.arange(60)),
            {**OF_LONG, "groups": "passage"},
            "has several values for item 0",
        ),
        (
            LONG.assign(passage=np.where(LONG["question"] == 3, None, "a")),
            {**OF_LONG, "groups": "passage"},
            "Column 'passage' has 3 missing values: each item needs one",
        ),
        (pd.concat([WIDE.assign(id=1)]), {"item": "id"}, "Item 1 has several rows"),
        (WIDE.assign(id=range(1001, 1021)), {}, "Column 'id' of the table counts its rows"),
        (WIDE.assign(id=RNG.permutation(20)), {}, "'id' of the table counts .* give an array"),
        (LONG.assign(value="C"), OF_LONG, "Column 'value' must hold numbers, .* got 'C'. Turn"),
        (LONG.astype({"value": str}), OF_LONG, "'value' must .*numbers written as text: convert"),
        (LONG, {**OF_LONG, "system": []}, r"system=\[\] names no column"),
        (LONG, {**OF_LONG, "item": "value"}, "'value' is named for both item and score"),
        (LONG, {**OF_LONG, "run": "model"}, "'model' is named for both system and run"),
        (LIKE_NAMES, {**OF_LONG, "system": ["model", "prompt"]}, "are called 'x / y / z'"),
        ([{"a": 1, "b": 0}] * 20, {}, r"Make a table of it with pandas\.DataFrame\(scores\)"),
        (LONG.assign(value=[(-24.2, 6)] * 60), OF_LONG, r"got \(-24.2, 6\).*divisor as sample_w"),
        (LONG.assign(value="[-24.2, 6]"), OF_LONG, r"got '\[-24.2, 6\]'.*-loglikelihood / words"),
        (LONG.assign(value=[0.5, [1, 2]] * 30), OF_LONG, r"one number each, got \[1, 2\]\. If"),
        (LONG.assign(value=[{"f": 1}] * 60), OF_LONG, r"several scores\..* column\.str\.get\("),
        (LONG.assign(value='{"f": 1}'), OF_LONG, r"several.*column\.map\(json\.loads\)\.str"),
        (WIDE.assign(a=[{"f": 1}] * 20), {}, r"one number each, got {'f': 1}\. Each of these"),
        (WIDE.assign(a='{"f": 1}'), {}, r"Column 'a' of the table must hold one number each"),
        (LONG.assign(value="(A)"), OF_LONG, r"got '\(A\)'\. Turn marks into numbers"),
    ],
)
def test_what_is_no_table_of_scores_is_refused(scores, given, message):
    with pytest.raises(ValueError, match=message):
        OOFPredictions.from_scores(scores, **given)


@pytest.mark.parametrize(
    ("scores", "given", "note"),
    [
        (np.column_stack([SCORES, np.ones(20)]), {}, "'system 3' has the same score on every"),
        (np.repeat(SCORES[:, :1], 3, axis=1), {}, "All systems have the same score on every item"),
        (RNG.random((12, 13)), {}, r"more systems \(13\) than items \(12\)"),
        (SCORES, {"groups": np.arange(20)}, "Every item is a group of its own"),
        (SCORES, {"groups": PASSAGE}, "only 5 groups of items"),
    ],
)
def test_what_may_not_be_meant_is_noted_in_results(scores, given, note):
    oof = OOFPredictions.from_scores(scores, **given)
    result = BBC(n_bootstraps=200, random_state=0).estimate(oof)
    found = " ".join(result.details["notes"])
    assert pd.Series([found]).str.contains(note).all(), found


def test_columns_of_another_kind_are_noted():
    table = WIDE.assign(difficulty=3 * SCORES[:, 0] + SCORES[:, 1])
    with pytest.warns(IntervalWarning, match="'difficulty' has values beyond 0 and 1, but most"):
        oof = OOFPredictions.from_scores(table)
    assert any("groups=..." in note for note in oof.notes)
    shifted = table[["a", "difficulty"]] + 1
    for fine in (WIDE, WIDE * 4, WIDE.assign(half=SCORES[:, 0] / 2), shifted):
        assert not any("beyond" in note for note in OOFPredictions.from_scores(fine).notes)


def test_few_items_warn():
    with pytest.warns(IntervalWarning, match="There are only 9 items"):
        OOFPredictions.from_scores(SCORES[:9])


def test_results_say_what_is_estimated_without_training():
    oof = OOFPredictions.from_scores(SCORES, names=NAMES)
    result = BBC(n_bootstraps=200, random_state=0).estimate(oof)
    text = result.summary()
    assert "train" not in text
    assert "configuration" not in text
    assert "mean score" in text
    assert "draws of items" in text
    tied = tied_with_best(oof, draws=BBC(n_bootstraps=200, random_state=0))
    assert "of 3 systems" in tied.summary()
    loss = OOFPredictions.from_scores(1 - SCORES, names=NAMES, greater_is_better=False)
    turned = BBC(n_bootstraps=200, random_state=0).estimate(loss)
    assert turned.estimate == pytest.approx(result.estimate - 1)
    assert "mean loss" in turned.summary()


OF_MODELS = re.compile(
    r"(?i)train|learn from|\bmodels?\b|cross-validat|\bsamples?\b|configuration"
)
STUDIES = {"n_studies": 20, "n_bootstraps": 50, "random_state": 0}
SIDES = [
    Side(oof=OOFPredictions.from_scores(SCORES, names=NAMES, groups=groups), config=config)
    for groups in (None, np.arange(20) // 2)
    for config in (0, 1)
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "ask",
    [
        lambda one, other: samples_for_width(one.oof, 0.4, **STUDIES),
        lambda one, other: samples_for_width(one.oof, n_samples=[30], **STUDIES),
        lambda one, other: samples_for_power(one, other, n_samples=[30], **STUDIES),
        lambda one, other: samples_for_power(one, other, 0.999, **STUDIES),
        lambda one, other: samples_for_width(one.oof, 0.001, **STUDIES),
        lambda one, other: samples_for_width(one.oof, n_samples=[3], **STUDIES),
        lambda one, other: compare(one, other, n_bootstraps=50),
        lambda one, other: BBCDifference(n_bootstraps=50).compare(
            one, Side(oof=one.oof, config=0)
        ),
    ],
)
@pytest.mark.parametrize("sides", [SIDES[:2], SIDES[2:]], ids=["items", "groups"])
@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
def test_nothing_is_said_of_models_or_samples(ask, sides):
    try:
        result = ask(*sides)
        said = " ".join([str(result), *result.details["notes"]])
    except ValueError as error:
        said = str(error).replace("n_samples", "")
    assert not OF_MODELS.search(said), said


def test_a_metric_of_predictions_is_refused():
    oof = OOFPredictions.from_scores(SCORES)
    for call in (
        lambda: BBC().estimate(oof, "accuracy"),
        lambda: tied_with_best(oof, "roc_auc"),
        lambda: BBCDifference().compare(oof, oof, "roc_auc"),
    ):
        with pytest.raises(ValueError, match="leave scoring out"):
            call()


def test_the_kind_of_values_is_kept(tmp_path):
    oof = OOFPredictions.from_scores(SCORES, greater_is_better=False)
    oof.save(tmp_path / "scores")
    again = OOFPredictions.load(tmp_path / "scores")
    assert again == oof
    assert again.score_sign == -1
    other = OOFPredictions.from_scores(SCORES)
    assert other != oof
    with pytest.raises(ValueError, match="kinds of values"):
        OOFPredictions.concat([oof, other])


@pytest.mark.parametrize("what", ["groups", "sample_weight"])
@pytest.mark.parametrize("item", [None, "id"])
def test_values_of_items_are_taken_by_label(what, item):
    n = len(SCORES)
    order = np.random.default_rng(0).permutation(n)
    ids = np.array([f"question {k}" for k in order])
    given = pd.Series(order // 2 + 1, ids)
    table = pd.DataFrame(SCORES, columns=NAMES)
    table = table.set_index(ids) if item is None else table.assign(id=ids)
    expected = getattr(OOFPredictions.from_scores(SCORES, **{what: order // 2 + 1}), what)
    for each in (given, given.sort_index(), given.reset_index(drop=True)):
        oof = OOFPredictions.from_scores(table, item=item, **{what: each})
        np.testing.assert_array_equal(getattr(oof, what), expected)
    if item is None:
        with pytest.raises(ValueError, match=f"scores and {what} have different indexes"):
            OOFPredictions.from_scores(table, **{what: given.add_prefix("former ")})
    noted = OOFPredictions.from_scores(table, item=item, **{what: given.sort_index()}).notes
    assert f"{what} had the index of scores in another order" in " ".join(noted)
    plain = table.reset_index(drop=True)
    with pytest.raises(ValueError, match=rf"pass {what}\.loc\[scores\.index\]"):
        OOFPredictions.from_scores(plain, item=item, **{what: pd.Series(order // 2, order)})


def test_polars_itself():
    polars = pytest.importorskip("polars")
    assert isinstance(sys.modules["polars"], types.ModuleType)
    table = polars.DataFrame(dict(zip(NAMES, SCORES.T)))
    oof = OOFPredictions.from_scores(table)
    np.testing.assert_array_equal(values_of(oof), SCORES)
    with pytest.raises(ValueError, match=r"no values yet: scores\.collect\(\)"):
        OOFPredictions.from_scores(table.lazy())


def test_of_many_systems_the_three_that_lack_most_are_named():
    scores = np.random.default_rng(0).random((30, 6))
    for system, n_missing in enumerate((1, 4, 0, 3, 2, 1)):
        scores[:n_missing, system] = np.nan
    named = r"'system 1' \(4\), 'system 3' \(3\), 'system 4' \(2\) and 2 more\. Systems"
    with pytest.raises(ValueError, match=named):
        OOFPredictions.from_scores(scores)
