"""Systems that are scored item by item: exact small cases, files, and the promise."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from sklearn_bbc import SequentialBestOf
from sklearn_bbc.comparison import evidence_not_best


def scored(right, rng, n_items=200, rho=0.5):
    """Right or wrong answers that have their difficulty in common."""
    noise = np.sqrt(rho) * rng.standard_normal((n_items, 1))
    noise = noise + np.sqrt(1 - rho) * rng.standard_normal((n_items, len(right)))
    return pd.DataFrame(
        (noise < norm.ppf(right)).astype(float), columns=[f"s{k}" for k in range(len(right))]
    )


def plain(scores, alpha):
    """Dropped systems with their item, and evidence, by loops over items and pairs."""
    n, c = scores.shape
    wealth, seen, alive, dropped = {}, {}, list(range(c)), []
    evidence = np.full((n, c), np.nan)
    for i in range(n):
        for j, k in itertools.permutations(alive, 2):
            past = seen.setdefault((j, k), [])
            bet = min(max(sum(past) / (0.25 + sum(d * d for d in past)), 0), 0.5)
            d = scores[i, k] - scores[i, j]
            wealth[j, k] = wealth.get((j, k), 1.0) * (1 + bet * d)
            past.append(d)
        for j in alive:
            evidence[i, j] = np.mean([wealth[j, k] for k in range(c) if k != j])
        out = [j for j in alive if evidence[i, j] >= 1 / alpha]
        dropped += [(j, i + 1) for j in out]
        alive = [j for j in alive if j not in out]
    return dropped, evidence


def test_wealth_by_hand():
    run = SequentialBestOf(["a", "b"])
    run.update({"a": 1, "b": 0}).update({"a": 1, "b": 0}).update({"a": 0.5, "b": 1.0})
    # Of b against a: no bet, then 1 / 1.25 cut to 1/2, then 2 / 2.25 cut to 1/2.
    assert run.evidence["b"].tolist() == pytest.approx([1, 1.5, 1.5 * 0.75], rel=1e-14)
    assert run.evidence["a"].tolist() == [1, 1, 1]
    # Of three: a bet of 0.2 / (0.25 + 0.04), cut to 1/2; and of 0.1 / (0.25 + 0.01).
    run = SequentialBestOf(list("abc")).update({"a": 0.5, "b": 0.4, "c": 0.3})
    run.update({"a": 0.5, "b": 0.5, "c": 0.3})
    of_c = (1 + 0.5 * 0.2 + 1 + 0.1 / 0.26 * 0.2) / 2
    assert run.evidence["c"].iloc[1] == pytest.approx(of_c, rel=1e-14)


@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_as_loops_over_items_and_pairs(alpha):
    scores = scored([0.4, 0.5, 0.7, 0.8], np.random.default_rng(1))
    run = SequentialBestOf(scores.columns, alpha).update(scores, order="random")
    dropped, evidence = plain(scores.to_numpy(), alpha)
    assert len(dropped) >= 2
    assert sorted((f"s{j}", i) for j, i in dropped) == sorted(
        (each.system, each.n_items) for each in run.dropped
    )
    np.testing.assert_allclose(run.evidence, evidence, rtol=1e-10)
    assert all(each.evidence >= (1 - 1e-8) / alpha for each in run.dropped)
    assert set(run.alive) | {each.system for each in run.dropped} == set(run.systems)
    assert run.n_scores == np.isfinite(evidence).sum()


def test_a_system_is_dropped_on_reaching_the_limit_exactly():
    # Logarithms of 1.5 add up to a bit less than the logarithm of its 32nd power.
    run = SequentialBestOf(["a", "b"], alpha=1.5**-32)
    while run.n_items < 33:
        run.update({"a": 1, "b": 0})
    assert [each[:3] for each in run.dropped] == [("b", "33", 33)]
    assert run.dropped[0].evidence == pytest.approx(1.5**32)


def test_order_of_systems_does_not_matter():
    scores = scored([0.5, 0.55, 0.6, 0.7, 0.8], np.random.default_rng(0))
    run = SequentialBestOf(scores.columns).update(scores, order="random")
    turned = SequentialBestOf(scores.columns[::-1]).update(
        scores[scores.columns[[2, 0, 4, 1, 3]]], order="random"
    )
    pd.testing.assert_frame_equal(
        turned.evidence[run.evidence.columns], run.evidence, check_exact=True
    )
    assert set(turned.dropped) == set(run.dropped)


def test_equal_systems_are_never_dropped():
    column = np.random.default_rng(0).integers(2, size=50)
    scores = pd.DataFrame({"a": column, "b": column, "c": column})
    run = SequentialBestOf(scores.columns).update(scores, order="random")
    assert run.alive == ("a", "b", "c")
    assert (run.evidence == 1).all(axis=None)


def test_a_scale_of_its_own_and_losses():
    scores = scored([0.4, 0.6, 0.8], np.random.default_rng(2))
    run = SequentialBestOf(scores.columns).update(scores, order="random")
    ratings = SequentialBestOf(scores.columns, score_range=(1, 5))
    ratings.update(1 + 4 * scores, order="random")
    losses = SequentialBestOf(scores.columns, greater_is_better=False)
    losses.update(1 - scores, order="random")
    for other in (ratings, losses):
        assert other.dropped == run.dropped
    assert losses.best_of(n_bootstraps=20, random_state=0).selected == "s2"
    assert losses.frame().loc["s2", "score"] == pytest.approx(1 - scores["s2"].mean())


@pytest.mark.parametrize("kind", [object, bool, "Int64", "boolean", "float32", "polars"])
def test_numbers_of_every_kind_are_the_same_scores(kind):
    scores = scored([0.4, 0.6, 0.8], np.random.default_rng(2), 60)
    expected = SequentialBestOf(scores.columns).update(scores, order="random").evidence
    if kind == "polars":
        polars = pytest.importorskip("polars")
        given = polars.DataFrame({name: scores[name].to_numpy() for name in scores})
    else:
        given = scores.astype(bool).astype(kind)
    found = SequentialBestOf(scores.columns).update(given, order="random").evidence
    pd.testing.assert_frame_equal(found, expected, check_exact=True)


def test_a_group_is_one_item():
    scores = scored([0.5, 0.8], np.random.default_rng(0), 60)
    groups = np.arange(60) % 20  # their rows are apart
    table = SequentialBestOf(scores.columns).update(scores, groups=groups, order="random")
    one_by_one, means = (SequentialBestOf(scores.columns) for _ in range(2))
    for label in range(20):
        rows = scores[groups == label]
        one_by_one.update({name: list(rows[name]) for name in rows}, item=label)
        means.update(rows.mean(), item=label)
    assert table.n_items == 20
    assert table.items == tuple(map(str, range(20)))
    assert table.n_scores == one_by_one.n_scores == 2 * 60
    for other in (one_by_one, means):
        pd.testing.assert_frame_equal(other.evidence, table.evidence)
    named = SequentialBestOf(scores.columns)
    named.update(scores.assign(passage=groups), groups="passage", order="random")
    pd.testing.assert_frame_equal(named.evidence, table.evidence)
    assert "each group counts once" in str(table.best_of(n_bootstraps=20, random_state=0))


def test_a_table_is_shuffled_by_its_seed():
    scores = scored([0.4, 0.8], np.random.default_rng(0), 40).set_axis(
        [f"q{k}" for k in range(40)]
    )

    def shuffled(seed):
        run = SequentialBestOf(scores.columns)
        return run.update(scores, order="shuffle", random_state=seed)

    assert shuffled(0).items == shuffled(0).items != shuffled(1).items
    assert set(shuffled(0).items) == set(scores.index) != shuffled(0).items
    again = SequentialBestOf(scores.columns)
    again.update(scores.loc[list(shuffled(3).items)], order="random")
    pd.testing.assert_frame_equal(again.evidence, shuffled(3).evidence, check_exact=True)


@pytest.mark.long
def test_a_run_that_was_killed_goes_on_bit_for_bit(tmp_path):
    rng = np.random.default_rng(3)
    scores = scored([0.3, 0.5, 0.7, 0.8], rng) * 0.7 + 0.3 * rng.random((200, 4))
    whole = SequentialBestOf(scores.columns, 0.1)
    parts = SequentialBestOf(scores.columns, 0.1)
    for number, row in scores.iterrows():
        whole.update(row, item=f"q{number}")
        parts.update({name: row[name] for name in parts.alive}, item=f"q{number}")
        parts.save(tmp_path / "run.json")
        parts = SequentialBestOf.load(tmp_path / "run.json")
    assert whole.dropped
    assert parts.dropped == whole.dropped
    assert parts.items == whole.items
    pd.testing.assert_frame_equal(parts.evidence, whole.evidence, check_exact=True)
    assert str(parts) == str(whole)
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    run = SequentialBestOf(list("ab")).update({"a": 1, "b": 0})
    run.save(tmp_path / "run.json")

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="as before"):
        run.update({"a": 1, "b": 0}).save(tmp_path / "run.json")
    assert SequentialBestOf.load(tmp_path / "run.json").n_items == 1
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: content.update(format="another"), "no file of"),
        (lambda content: content.update(version=99), "version 99"),
        (lambda content: content.update(alpha=2), "damaged or was changed"),
        (lambda content: content["rows"][0].pop("scores"), "damaged or was changed"),
        (lambda content: content["rows"][-1].update(scores=[None, 1]), "damaged or was changed"),
        (lambda content: content["rows"][0].update(size=-1), "has the name None and the size -1"),
        (lambda content: content["rows"][0].update(item=[3]), r"has the name \[3\]"),
        (lambda content: content["rows"][0].update(scores=[10**400, 0]), "damaged or was changed"),
        (lambda content: content["dropped"].append({"system": "a", "n_items": 3}), "says"),
    ],
)
def test_files_that_are_no_run(tmp_path, change, message):
    path = tmp_path / "run.json"
    SequentialBestOf(list("ab")).update({"a": 1, "b": 0}).save(path)
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match=message):
        SequentialBestOf.load(path)
    path.write_text(json.dumps(content)[:20])
    with pytest.raises(ValueError, match="no file of"):
        SequentialBestOf.load(path)


TABLE = pd.DataFrame({"a": [1, 0], "b": [0, 1]})


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        ({"a": 1}, {}, "b is alive, but without a score"),
        ({"a": 1, "b": np.nan}, {}, "b is alive, but without a score"),
        ({"a": 1, "b": None}, {}, "score of b must be a number"),
        ({"a": 1, "b": "C"}, {}, "score of b must be a number"),
        ({"a": 1, "b": 1.5}, {}, "outside of score_range"),
        ({"a": 1, "B": 1}, {}, "Did you mean 'b'"),
        ({"a": [1, 0], "b": [1]}, {}, "different numbers of scores"),
        ({"a": 1, "b": 0}, {"item": "q0"}, "'q0' was there before"),
        ({"a": 1, "b": 0}, {"item": 1.5}, "item must be a text"),
        ({"a": 1, "b": 0}, {"order": "random"}, "belong to a table"),
        ([1, 0], {}, "must be a dict"),
        ({"a": 1, "b": np.ma.array([1, 0], mask=[0, 1])}, {}, "score of b is a masked array"),
        (pd.Series([1, 0, 1, 0], index=list("aabb")), {}, "names a system twice"),
        (TABLE, {}, "order is needed"),
        (TABLE, {"order": "sorted"}, "order must be one of"),
        (TABLE, {"order": "random", "random_state": 0}, "seed of order='shuffle'"),
        (TABLE, {"order": "random", "item": "q"}, "names one item"),
        (TABLE, {"order": "random", "groups": [0]}, "a label for each of the 2 rows"),
        (TABLE, {"order": "random", "groups": "passage"}, "no column"),
        (TABLE.assign(c=1), {"order": "random"}, "Others: \\['c'\\]"),
        (TABLE.astype(str), {"order": "random"}, "must be numbers"),
        (TABLE.replace(0, 7), {"order": "random"}, "outside of score_range"),
        (TABLE.set_axis(["q9", None]), {"order": "random"}, "lacks 1 name"),
        (
            TABLE.set_index(pd.MultiIndex.from_tuples([("q", 1), ("q", np.nan)])),
            {"order": "random"},
            "lacks 1 name",
        ),
        (TABLE.set_axis(["q9", "q9"]), {"order": "random"}, "'q9' was there before"),
    ],
)
def test_what_is_refused_changes_nothing(scores, options, message):
    run = SequentialBestOf(list("ab")).update({"a": 1, "b": 0}, item="q0")
    before = str(run), run.items, run.evidence
    with pytest.raises(ValueError, match=message):
        run.update(scores, **options)
    assert (str(run), run.items) == before[:2]
    pd.testing.assert_frame_equal(run.evidence, before[2])
    assert run.update({"a": 1, "b": 0}, item="q9").evidence["b"].iloc[-1] == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("systems", "options", "message"),
    [
        (["a"], {}, "at least two different names"),
        (["a", "a"], {}, "at least two different names"),
        (3, {}, "list of names"),
        ("ab", {}, "list of names"),
        (["a", "b"], {"alpha": 1}, "alpha must be"),
        (["a", "b"], {"alpha": 5}, "alpha must be"),
        (["a", "b"], {"score_range": (1, 0)}, "score_range must be"),
        (["a", "b"], {"score_range": (0, np.inf)}, "score_range must be"),
        (["a", "b"], {"score_range": 1}, "score_range must be"),
        (["a", "b"], {"greater_is_better": "no"}, "greater_is_better must be"),
    ],
)
def test_what_a_run_is_made_of(systems, options, message):
    with pytest.raises(ValueError, match=message):
        SequentialBestOf(systems, **options)


def test_a_system_has_one_score():
    with pytest.raises(ValueError, match="'1' is there twice"):
        SequentialBestOf([1, 2]).update({1: 0.5, "1": 0.6, 2: 1})


def test_a_whole_number_is_one_name_also_as_a_float():
    run = SequentialBestOf(list("ab")).update(TABLE.set_axis([3.0, 4.0]), order="random")
    assert run.items == ("3", "4")
    for again in ({"groups": [3, 3]}, {"groups": [4.0, 4.0]}, {"groups": ["3", "3"]}):
        with pytest.raises(ValueError, match="was there before"):
            run.update(TABLE, order="random", **again)


def test_the_end_says_what_dropping_did():
    scores = scored([0.3, 0.6, 0.65], np.random.default_rng(0))
    run = SequentialBestOf(scores.columns).update(scores, order="random")
    result = run.best_of(n_bootstraps=50, random_state=0)
    assert result.names == ("s1", "s2")
    assert result.details["n_items"] == 200
    assert "1 of 3 systems was dropped" in str(result)
    assert result.summary().startswith("Of 2 systems that are left of 3, ")
    assert "decided when to stop" in str(result)
    assert "After 200 items 2 of 3 systems may be the best: s1, s2." in run.summary()
    with pytest.raises(ValueError, match="baseline='s0'"):
        run.best_of(baseline="s0")


def test_the_one_that_is_left():
    scores = scored([0.3, 0.4, 0.9], np.random.default_rng(0))
    run = SequentialBestOf(scores.columns).update(scores, order="random")
    result = run.best_of(n_bootstraps=20, random_state=0)
    assert result.tied == run.alive == ("s2",)
    assert result.summary().endswith(
        "It is the one that is left: 2 other systems were dropped before."
    )


def test_before_the_first_item(tmp_path):
    run = SequentialBestOf(["a", "b"])
    run.save(tmp_path / "run.json")
    for each in (run, SequentialBestOf.load(tmp_path / "run.json")):
        assert each.n_items == each.n_scores == 0
        assert each.frame()["evidence"].tolist() == [1, 1]
        assert "After 0 items 2 of 2" in str(each)
    with pytest.raises(ValueError, match="at least 3 are needed"):
        run.best_of()


def test_evidence_of_one_system_is_that_of_the_run():
    scores = scored([0.4, 0.5, 0.7, 0.8], np.random.default_rng(1))
    run = SequentialBestOf(scores.columns).update(scores, order="random")
    first = run.dropped[0]
    own = scores[first.system][: first.n_items]
    others = scores.drop(columns=first.system)[: first.n_items]
    found = evidence_not_best(own, others)
    np.testing.assert_allclose(found, run.evidence[first.system][: first.n_items], rtol=1e-13)
    # One that was stopped keeps its part.
    assert evidence_not_best([0, 0, 0], [[1, 1], [1, np.nan], [1, np.nan]])[-1] == pytest.approx(
        (1.5**2 + 1) / 2
    )
    texts, ragged = [["a"], ["b"], ["c"]], [[1], [1, 0], [1]]
    for bad in ([[1], [np.nan], [1]], [[1], [2], [1]], [1, 1, 1], [[1], [1]], texts, ragged):
        with pytest.raises(ValueError, match=r"shape|score"):
            evidence_not_best([0, 0, 0], bad)


@pytest.mark.slow
@pytest.mark.parametrize("n_systems", [2, 5, 20, 50])
@pytest.mark.parametrize("lead", [0.0, 0.1])
def test_the_best_is_hardly_ever_dropped(n_systems, lead):
    rng, right, lost, runs = np.random.default_rng(n_systems), np.full(n_systems, 0.5), 0, 200
    right[0] += lead
    for _ in range(runs):
        scores = scored(right, rng, 150)
        run = SequentialBestOf(scores.columns, 0.1).update(scores, order="random")
        lost += "s0" not in run.alive
    assert lost <= 0.1 * runs + 3 * np.sqrt(0.09 * runs)
