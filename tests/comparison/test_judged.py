"""Scores of a judge that people correct: PPI++, equal cases, forms of input, checks, coverage."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, t
from statsmodels.stats.proportion import proportion_confint

from sklearn_bbc import OOFPredictions, ScoreMoments, best_of
from sklearn_bbc.comparison import _systems
from sklearn_bbc.exceptions import IntervalWarning

FEW = {"n_bootstraps": 200, "random_state": 0}
ROW = np.arange(40)
MARKS = (ROW * 7 % 5) / 4
RIGHT = (ROW * 7 % 5 + ROW * 3 % 4 > 4).astype(float)
COIN = (ROW * 7 % 10 > 4).astype(float)
WRONG_AT_TIMES = np.where(ROW % 11 == 1, 1 - COIN, COIN)


def two_scores(n_items=300, n_systems=4, accuracy=0.85, seed=0):
    """Scores of a judge and of people on all items, and a random order of the items."""
    rng = np.random.default_rng(seed)
    share = np.linspace(0.5, 0.65, n_systems)
    people = (rng.random((n_items, n_systems)) < share).astype(float)
    agrees = rng.random(people.shape) < accuracy
    return np.where(agrees, people, 1 - people), people, rng.permutation(n_items)


JUDGE, PEOPLE, ORDER = two_scores()
SOME = np.full_like(PEOPLE, np.nan)
SOME[ORDER[:80]] = PEOPLE[ORDER[:80]]
NAMES = ["now", "short", "long", "steps"]


def errors_of(result):
    """Standard errors of the table, n - 1 items divided by n, as `ppi_py` has them."""
    n = result.details["n_items"]
    degrees = min(result.details["judge"]["n_labels"].values()) - 1
    return (result.high - result.scores) / t.isf(0.025, degrees) * np.sqrt((n - 1) / n)


# Computed with ppi_python 0.2.3: ppi_mean_pointestimate, and the error in ppi_mean_ci.
PUBLISHED = {
    "four marks": (MARKS, RIGHT, ROW % 4 == 1, 0.5999999999999999, 0.010508437499999999),
    "right or wrong": (COIN, WRONG_AT_TIMES, ROW % 3 != 0, 0.48165680473372785,
                       0.007516562006670902),
    "worse than nothing": (COIN, 1 - COIN, ROW % 3 != 0, 0.4230769230769231,
                           0.009387801547564861),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:People scored only")
@pytest.mark.parametrize("case", PUBLISHED)
def test_one_system_has_the_mean_and_the_variance_of_ppi(case):
    judge, people, has_label, mean, variance = PUBLISHED[case]
    human = np.where(has_label, people, np.nan)[:, None]
    result = best_of(2 * judge[:, None], human=2 * human, **FEW)  # Student's limits
    assert result.scores[0] / 2 == pytest.approx(mean, abs=1e-12)
    assert (errors_of(result)[0] / 2) ** 2 == pytest.approx(variance, rel=1e-10)


def by_loop(judge, people):
    """Mean, and its variance, of one system: PPI++ in its own form, by loops."""
    has = ~np.isnan(people)
    pairs = [(f, y) for f, y in zip(judge[has], people[has])]
    rest = judge[~has]
    n, n_rest = len(pairs), len(rest)
    mean_f, mean_y = (sum(pair[k] for pair in pairs) / n for k in (0, 1))
    both = sum((f - mean_f) * (y - mean_y) for f, y in pairs) / n
    lam = both / judge.var(ddof=1) / (1 + n / n_rest)
    lam = min(max(lam, 0), 1)
    left = np.array([y - lam * f for f, y in pairs])
    return lam * rest.mean() + left.mean(), lam**2 * rest.var() / n_rest + left.var() / n


def test_each_system_is_that_of_a_loop():
    result = best_of(2 * JUDGE, human=2 * SOME, **FEW)  # not right or wrong: Student's limits
    expected = np.array([by_loop(*pair) for pair in zip(2 * JUDGE.T, 2 * SOME.T)])
    np.testing.assert_allclose(result.scores, expected[:, 0], rtol=1e-12)
    np.testing.assert_allclose(errors_of(result) ** 2, expected[:, 1], rtol=1e-10)


def test_with_all_labels_people_decide_alone():
    judged, alone = best_of(JUDGE, human=PEOPLE, **FEW), best_of(PEOPLE, **FEW)
    assert judged.interval == alone.interval
    pd.testing.assert_frame_equal(judged.frame(), alone.frame(), check_exact=True)
    assert judged.versus_runner_up == alone.versus_runner_up


USELESS = {
    "no spread": np.full_like(JUDGE, 0.5),
    "turned round": 1 - JUDGE,
    "of other items": JUDGE[::-1],
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("scale", [1, 2])  # right or wrong, or not
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("judge", USELESS)
def test_a_judge_that_tells_no_more_than_chance_is_no_judge(judge, grouped, scale):
    """The result is that of the items that people scored, whatever the judge says elsewhere."""
    groups = np.arange(300) // 3 if grouped else None
    has_label = np.isin(np.arange(300) // 3, np.random.default_rng(0).permutation(100)[:30])
    human = np.where(has_label[:, None], scale * PEOPLE, np.nan)
    weight = np.linspace(1, 2, 300)
    result = best_of(
        USELESS[judge],
        human=human,
        groups=groups,
        sample_weight=weight,
        baseline="system 3",
        **FEW,
    )
    alone = best_of(
        human[has_label], groups=None if groups is None else groups[has_label],
        sample_weight=weight[has_label], baseline="system 3", **FEW,
    )  # fmt: skip
    assert [result.interval.estimate, *result.interval] == [
        alone.interval.estimate, *alone.interval
    ]  # fmt: skip
    pd.testing.assert_frame_equal(result.frame(), alone.frame(), check_exact=True)
    assert [*result.versus_baseline] == [*alone.versus_baseline]
    assert any("more of what people think than chance" in note for note in result.details["notes"])
    assert (
        "since the judge does not clearly tell more than chance, corrected for the selection"
        in result.summary()
    )
    assert set(result.details["judge"]["lam"].values()) == {0.0}
    n_labelled = has_label.sum()
    assert result.labels_for(result.interval.width) == n_labelled
    assert n_labelled < result.labels_for(0.7 * result.interval.width) <= 300


@pytest.mark.long
@pytest.mark.parametrize(("quality", "fewest", "most"), [(0, 0, 2), (0.5, 98, 100)])
def test_a_judge_is_used_where_it_clearly_tells_something(quality, fewest, most):
    """Half of the useless ones have a positive mean correlation; one of a thousand passes."""
    rng = np.random.default_rng(0)
    n_used = 0
    for _ in range(100):
        people, own = rng.standard_normal((2, 120, 3))
        judge = quality * people + np.sqrt(1 - quality**2) * own
        human = np.where(np.arange(120)[:, None] < 60, people, np.nan)
        result = best_of(judge, human=human, n_bootstraps=20, random_state=0)
        n_used += result.details["judge"]["is_used"]
    assert fewest <= n_used <= most


def test_items_of_a_group_are_one_when_a_judge_is_tested():
    """Ten copies of each item say no more than one."""
    rng = np.random.default_rng(2)
    people, own = rng.standard_normal((2, 60, 2))
    judge = 0.4 * people + own
    human = np.where(np.arange(60)[:, None] < 30, people, np.nan)
    once = best_of(judge, human=human, **FEW)
    judge, human = np.repeat(judge, 10, axis=0), np.repeat(human, 10, axis=0)
    groups = np.repeat(np.arange(60), 10)
    assert not once.details["judge"]["is_used"]
    assert best_of(judge, human=human, **FEW).details["judge"]["is_used"]
    assert not best_of(judge, human=human, groups=groups, **FEW).details["judge"]["is_used"]


@pytest.mark.parametrize("unit", [1, 0.1, 0.3, 1 / 7])
def test_what_rounding_leaves_of_no_covariance_is_none(unit):
    """Mean of products and product of means are equal, but for the last bit."""
    judge = unit * np.tile([[1.0, 2], [2, 1], [3, 2], [4, 3]], (20, 1))
    people = unit * np.tile([[1.0, 1], [0, 1], [0, 1], [1, 1]], (20, 1))
    human = np.where(np.arange(80)[:, None] < 40, people, np.nan)
    result = best_of(judge, human=human, **FEW)
    assert set(result.details["judge"]["lam"].values()) == {0.0}
    assert not result.details["judge"]["is_used"]
    useful = best_of(np.c_[people[:, 0], judge[:, 1:]], human=human, **FEW)
    assert useful.details["judge"]["is_used"]
    assert useful.details["judge"]["lam"]["system 1"] == 0


def test_a_useless_judge_with_labels_of_other_items_for_other_systems_has_no_weight():
    human = np.full_like(PEOPLE, np.nan)
    for k in range(4):
        rows = ORDER[20 * k :][:80]
        human[rows, k] = PEOPLE[rows, k]
    result = best_of(1 - JUDGE, human=human, **FEW)
    np.testing.assert_allclose(result.scores, np.nanmean(human, axis=0), rtol=1e-12)
    weighted = best_of(1 - JUDGE, human=SOME, label_weights=1 + np.arange(300) / 300, **FEW)
    assert not weighted.details["judge"]["is_used"]
    weights = np.where(np.isnan(SOME[:, 0]), 0, 1 + np.arange(300) / 300)
    expected = weights @ np.nan_to_num(SOME) / weights.sum()
    np.testing.assert_allclose(weighted.scores, expected, rtol=1e-12)


def test_whether_a_judge_helps_is_asked_of_all_systems_together():
    """One of the systems is judged at random, but the judge is right of the others."""
    judge = JUDGE.copy()
    judge[:, 0] = 1 - PEOPLE[:, 0]
    result = best_of(2 * judge, human=2 * SOME, **FEW)
    expected = np.array([by_loop(*pair) for pair in zip(2 * judge.T, 2 * SOME.T)])
    np.testing.assert_allclose(result.scores, expected[:, 0], rtol=1e-12)
    assert result.details["judge"]["lam"]["system 0"] == 0
    assert any("tells nothing of what people think of 'system 0'" in note
               for note in result.details["notes"])  # fmt: skip


def test_a_judge_that_is_right_is_like_labels_of_all():
    result = best_of(PEOPLE, human=SOME, **FEW)
    alone = best_of(PEOPLE, **FEW)
    assert result.interval.width < 1.25 * alone.interval.width
    np.testing.assert_allclose(result.scores, PEOPLE.mean(axis=0), atol=0.02)


def test_the_selection_is_corrected_as_well():
    """All systems are equal: the best of them under the judge is still too high."""
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        people = (rng.random((400, 20)) < 0.6).astype(float)
        judge = np.where(rng.random(people.shape) < 0.85, people, 1 - people)
        human = np.where(np.arange(400)[:, None] < 80, people, np.nan)
        result = best_of(judge, human=human, n_bootstraps=100, random_state=0)
        found.append((result.interval.estimate, result.scores.max()))
    corrected, best = np.mean(found, axis=0)
    assert best > 0.66
    assert abs(corrected - 0.6) < 0.02


def test_right_on_every_label_is_not_right_on_every_item():
    """Thirty labels without an error: the judge may err on others, the system too."""
    rng = np.random.default_rng(0)
    people = (rng.random((400, 2)) < 0.6).astype(float)
    has_label = np.arange(400)[:, None] < 30
    result = best_of(people, human=np.where(has_label, people, np.nan), **FEW)
    assert result.interval.width > 1.3 * best_of(people, **FEW).interval.width
    all_right = best_of(people, human=np.where(has_label, np.ones(2), np.nan), **FEW)
    least, most = proportion_confint(30, 30, method="wilson")
    assert tuple(all_right.interval) == pytest.approx((least, most), abs=1e-12)
    assert (all_right.low[0], all_right.high[0]) == pytest.approx((least, most), abs=1e-12)


def test_errors_of_which_one_is_1_are_the_other_side_of_right():
    wrong = best_of(1 - JUDGE, human=1 - SOME, greater_is_better=False, **FEW)
    right = best_of(JUDGE, human=SOME, **FEW)
    assert -wrong.interval.low == pytest.approx(1 - right.interval.low, abs=1e-12)
    assert -wrong.interval.high == pytest.approx(1 - right.interval.high, abs=1e-12)


@pytest.mark.parametrize("sign", [1, -1])
def test_losses_are_scores_turned_round(sign):
    scores = {"human": 2 * sign * SOME, "greater_is_better": sign == 1}
    result = best_of(2 * sign * JUDGE, **scores, **FEW)
    expected = best_of(2 * JUDGE, human=2 * SOME, **FEW)
    assert result.interval.estimate == pytest.approx(expected.interval.estimate, rel=1e-12)
    assert tuple(result.interval) == pytest.approx(tuple(expected.interval), rel=1e-12)


@pytest.mark.parametrize("unit", [100, 0.01, 1e-300, 1e200])
def test_the_unit_of_the_judge_does_not_matter(unit):
    """On a scale of its own a judge tells people's scores as well, and a note says so."""
    expected = best_of(JUDGE, human=SOME, **FEW)
    result = best_of(unit * JUDGE, human=SOME, **FEW)
    assert tuple(result.interval) == pytest.approx(tuple(expected.interval), rel=1e-10)
    assert any("on the scale of people" in note for note in result.details["notes"])
    assert not any("on the scale of people" in note for note in expected.details["notes"])


# --- weights and groups ------------------------------------------------------------------------


def test_a_weight_of_two_is_an_item_twice():
    """The mean of items with weights is that of a table with these items twice."""
    twice = ORDER[:10]
    weight = np.ones(len(JUDGE))
    weight[twice] = 2
    result = best_of(JUDGE, human=SOME, sample_weight=weight, **FEW)
    rows = np.r_[np.arange(len(JUDGE)), twice]
    expected = best_of(JUDGE[rows], human=SOME[rows], **FEW)
    np.testing.assert_allclose(result.scores, expected.scores, atol=2e-4)  # lam: n - 1


@pytest.mark.long
def test_labels_where_the_judge_said_no_are_weighted():
    """People looked at half of the zeros and a tenth of the ones, which the weights undo."""
    means = {"plain": [], "weighted": []}
    for seed in range(60):
        judge, people, _ = two_scores(1000, 2, seed=seed)
        chance = np.where(judge[:, 0] == 0, 0.5, 0.1)
        chosen = np.random.default_rng(seed).random(1000) < chance
        human = np.where(chosen[:, None], people, np.nan)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IntervalWarning)
            plain = best_of(judge, human=human, **FEW | {"n_bootstraps": 20})
        weighted = best_of(
            judge, human=human, label_weights=1 / chance, **FEW | {"n_bootstraps": 20}
        )
        means["plain"].append(plain.scores[0] - 0.5)
        means["weighted"].append(weighted.scores[0] - 0.5)
        half = weighted.high[0] - weighted.low[0]
    assert abs(np.mean(means["weighted"])) < 0.01
    assert np.mean(means["plain"]) < -0.03
    assert np.std(means["weighted"]) == pytest.approx(half / 3.92, rel=0.3)


def test_equal_label_weights_change_nothing():
    expected = best_of(JUDGE, human=SOME, **FEW)
    result = best_of(JUDGE, human=SOME, label_weights=np.full(len(JUDGE), 300 / 80), **FEW)
    assert result.interval == expected.interval


@pytest.mark.parametrize("unknown", [np.nan, np.inf, 0])
def test_weights_of_items_that_nobody_scored_are_not_needed(unknown):
    weights = 2 + np.arange(300) / 300
    expected = best_of(JUDGE, human=SOME, label_weights=weights, **FEW)
    weights = np.where(np.isnan(SOME[:, 0]), unknown, weights)
    result = best_of(JUDGE, human=SOME, label_weights=weights, **FEW)
    assert result.interval == expected.interval
    assert result.interval != best_of(JUDGE, human=SOME, **FEW).interval


def test_labels_that_count_as_few_are_noted():
    weights = np.where(np.arange(300) == ORDER[0], 500.0, 2.0)
    with pytest.warns(IntervalWarning, match="80 items count as those on 2 chosen with the same"):
        best_of(JUDGE, human=SOME, label_weights=weights, **FEW)


def test_items_without_weight_change_nothing():
    weight = np.ones(300)
    weight[ORDER[70:100]] = 0  # of which people scored ten
    result = best_of(2 * JUDGE, human=2 * SOME, sample_weight=weight, **FEW)
    left = weight > 0
    expected = best_of(2 * JUDGE[left], human=2 * SOME[left], **FEW)
    np.testing.assert_allclose(result.scores, expected.scores, atol=2e-4)  # lam: n - 1
    assert set(result.details["judge"]["n_labels"].values()) == {70}


def test_groups_of_copies_are_the_items_that_were_copied():
    copies = np.repeat(np.arange(300), 3)
    result = best_of(2 * JUDGE[copies], human=2 * SOME[copies], groups=copies, **FEW)
    expected = best_of(2 * JUDGE, human=2 * SOME, **FEW)
    np.testing.assert_allclose(result.scores, expected.scores, atol=1e-3)
    np.testing.assert_allclose(result.high - result.low, expected.high - expected.low, rtol=0.01)


# --- forms of input ----------------------------------------------------------------------------


def wide():
    index = pd.Index([f"q{k}" for k in range(300)], name="question")
    judge = pd.DataFrame(JUDGE, columns=NAMES, index=index)
    human = pd.DataFrame(SOME, columns=NAMES, index=index)
    return judge, human


def of_long(judge, human, **given):
    long = judge.stack().rename("judge").to_frame()
    long["human"] = human.stack()
    long = long.rename_axis(["question", "prompt"]).reset_index().sample(frac=1, random_state=0)
    return best_of(long, item="question", system="prompt", score="judge", human="human", **given)


JUDGED, HUMAN = wide()
FORMS = {
    "frames": lambda: best_of(JUDGED, human=HUMAN, **FEW),
    "columns in another order": lambda: best_of(JUDGED, human=HUMAN[NAMES[::-1]], **FEW),
    "rows in another order": lambda: best_of(JUDGED, human=HUMAN.iloc[::-1], **FEW),
    "rows that people scored": lambda: best_of(JUDGED, human=HUMAN.dropna(), **FEW),
    "a column of items": lambda: best_of(
        JUDGED.reset_index(), human=HUMAN.dropna().reset_index(), item="question", **FEW
    ),
    "items of one, index of the other": lambda: best_of(
        JUDGED.reset_index(), human=HUMAN.dropna(), item="question", **FEW
    ),
    "weights in both": lambda: best_of(
        JUDGED.assign(w=1.0), human=HUMAN.assign(w=1.0), label_weights="w", **FEW
    ),
    "objects": lambda: best_of(JUDGED, human=HUMAN.astype(object), **FEW),
    "names": lambda: best_of(JUDGE, human=SOME, names=NAMES, **FEW),
    "nullable": lambda: best_of(JUDGED, human=HUMAN.astype("Int64"), **FEW),
    "a masked array": lambda: best_of(
        JUDGE, human=np.ma.masked_invalid(SOME), names=NAMES, **FEW
    ),
    "runs": lambda: best_of(
        np.stack([JUDGE, JUDGE], axis=2), human=SOME, names=NAMES, **FEW
    ),
    "None": lambda: best_of(
        JUDGE, human=np.where(np.isnan(SOME), None, SOME), names=NAMES, **FEW
    ),
}  # fmt: skip


@pytest.mark.one_in(4)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_the_same_scores_gives_the_same(form):
    expected = best_of(JUDGED, human=HUMAN, **FEW)
    result = FORMS[form]()
    assert result.interval.estimate == expected.interval.estimate
    pd.testing.assert_frame_equal(result.frame(), expected.frame())


def test_tables_of_polars_give_the_same():
    polars = pytest.importorskip("polars")
    frames = [
        polars.DataFrame({name: table[name].to_numpy() for name in table})
        for table in (JUDGED.reset_index(), HUMAN.dropna().reset_index())
    ]
    result = best_of(frames[0], human=frames[1], item="question", **FEW)
    assert result.interval.estimate == best_of(JUDGED, human=HUMAN, **FEW).interval.estimate


def test_a_long_table_gives_the_same():
    expected = best_of(JUDGED[sorted(NAMES)], human=HUMAN, **FEW)
    result = of_long(*wide(), **FEW)
    np.testing.assert_allclose(result.scores, expected.scores, rtol=1e-12)
    assert result.details["judge"]["n_labels"] == dict.fromkeys(sorted(NAMES), 80)


def test_several_columns_make_an_item_of_both_tables():
    parts = {"task": np.arange(300) // 100, "number": np.arange(300) % 100}
    judge, human = (table.reset_index(drop=True).assign(**parts) for table in (JUDGED, HUMAN))
    expected = best_of(JUDGED, human=HUMAN, **FEW)
    some = human.dropna()[::-1]
    result = best_of(judge, human=some, item=["task", "number"], **FEW)
    pd.testing.assert_frame_equal(result.frame(), expected.frame())
    new = some.assign(task=some["task"] + 7)
    with pytest.raises(ValueError, match=r"80 items that the judge did not, such as '[789] / "):
        best_of(judge, human=new, item=["task", "number"], **FEW)


def test_a_system_that_no_person_scored_is_left_out():
    with pytest.warns(IntervalWarning, match="No person scored 'long'"):
        result = best_of(JUDGED, human=HUMAN.drop(columns="long"), **FEW)
    expected = best_of(JUDGED.drop(columns="long"), human=HUMAN.drop(columns="long"), **FEW)
    assert result.names == ("now", "short", "steps")
    assert result.interval.estimate == expected.interval.estimate


def test_items_without_a_score_of_the_judge_are_dropped_with_their_labels():
    judge = JUDGE.copy()
    gone = [0, 17, ORDER[0]]
    judge[gone, 1] = np.nan
    with pytest.raises(ValueError, match="missing='drop_items'"):
        best_of(judge, human=SOME, **FEW)
    with pytest.warns(IntervalWarning, match="missing"):
        result = best_of(judge, human=SOME, missing="drop_items", **FEW)
    keep = np.delete(np.arange(300), gone)
    expected = best_of(JUDGE[keep], human=SOME[keep], **FEW)
    assert result.interval.estimate == expected.interval.estimate
    assert result.details["n_missing"]["system 1"] == len(set(gone))


def test_no_score_of_the_judge_is_a_wrong_answer_where_that_is_said():
    gone = [0, 17, ORDER[0]]
    judge, filled = JUDGE.copy(), JUDGE.copy()
    judge[gone, 1], filled[gone, 1] = np.nan, 0
    result = best_of(judge, human=SOME, missing="zero", **FEW)
    assert result.interval.estimate == best_of(filled, human=SOME, **FEW).interval.estimate
    assert result.details["missing"] == "zero"
    with pytest.raises(ValueError, match="of losses 0 is the best"):
        best_of(judge, human=SOME, missing="zero", greater_is_better=False, **FEW)


@pytest.mark.parametrize("losses", [False, True])
@pytest.mark.parametrize("baseline", [None, "system 3"])
def test_systems_that_cannot_win_change_nothing_under_a_judge(baseline, losses, monkeypatch):
    rng = np.random.default_rng(2)
    share = np.linspace(0.1, 0.95, 30)
    people = (rng.random((400, 30)) < (1 - share if losses else share)).astype(float)
    judge = np.where(rng.random(people.shape) < np.linspace(0.6, 0.95, 30), people, 1 - people)
    human = np.where(np.arange(400)[:, None] < 60, people, np.nan)
    given = {"human": human, "baseline": baseline, "greater_is_better": not losses, **FEW}
    whole = best_of(judge, **given)
    monkeypatch.setattr(_systems, "MANY_SYSTEMS", 3)
    drawn, taken = [], _systems.taken
    monkeypatch.setattr(
        _systems,
        "taken",
        lambda oof, configs: drawn.append(configs) or taken(oof, configs=configs),
    )
    less = best_of(judge, **given)
    assert 1 < len(drawn[0]) < 25
    assert [less.interval.estimate, *less.interval] == pytest.approx(
        [whole.interval.estimate, *whole.interval]
    )
    pd.testing.assert_frame_equal(less.frame(), whole.frame())
    for name in ("versus_runner_up", "versus_baseline"):
        if getattr(whole, name) is not None:
            assert [*getattr(less, name)] == pytest.approx([*getattr(whole, name)])


def test_a_difference_that_these_items_show_takes_as_many_items():
    result = best_of(JUDGE, human=SOME, **FEW)
    assert result.items_for(result.smallest_difference) == 300
    assert 4 * 300 > result.items_for(result.smallest_difference / 2) > 4 * 290


def test_sums_of_scores_have_no_items_that_people_could_score():
    moments = ScoreMoments(4).update(JUDGE)
    for given in ({"human": SOME}, {"label_weights": np.ones(300)}):
        with pytest.raises(ValueError, match="human and label_weights need the table"):
            best_of(moments, **given, **FEW)


# --- checks ------------------------------------------------------------------------------------

REFUSED = {
    "other shape": (dict(human=SOME[:-1]), "the judge of 300 items and 4 systems"),
    "no label": (dict(human=np.full_like(SOME, np.nan)), "too few items: 'system 0' 0"),
    "nine labels": (
        dict(human=np.where(np.arange(300)[:, None] < 9, PEOPLE, np.nan)), "At least 10",
    ),
    "a name for a wide table": (dict(human="human"), "is no file. Only a long table"),
    "infinite": (dict(human=np.where(np.isnan(SOME), np.inf, SOME)), "human: .*infinite"),
    "text": (dict(human=np.full(SOME.shape, "yes")), "human: .*must hold numbers"),
    "probabilities": (
        dict(human=SOME, label_weights=np.full(300, 0.2)), "pass 1 / probability",
    ),
    "weights that are missing": (
        dict(human=SOME, label_weights=np.full(300, np.nan)), "got nan for an item",
    ),
    "labels without a weight": (
        dict(human=SOME, sample_weight=np.isnan(SOME[:, 0]) * 1.0), "too few items: 'system 0' 0",
    ),
    "too few weights": (dict(human=SOME, label_weights=np.ones(9)), "label_weights has 9"),
    "weights without people": (dict(label_weights=np.ones(300)), "Give human="),
    "one group": (
        dict(human=SOME, groups=np.where(np.isnan(SOME[:, 0]), np.arange(300), -1)),
        "one group only",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_used_is_refused(case):
    given, message = REFUSED[case]
    with pytest.raises(ValueError, match=message):
        best_of(JUDGE, **FEW, **given)


REFUSED_FRAMES = {
    "an unknown system": (HUMAN.rename(columns={"now": "nows"}), "'nows', which is none.*'now'"),
    "items of others": (HUMAN.dropna().rename(index={"q1": "x"}), None),
    "no labels of items": (HUMAN.dropna().reset_index(drop=True), "which items they are"),
    "an item twice": (pd.concat([HUMAN, HUMAN[:1]]), "several rows in human"),
    "an item that is new": (
        pd.concat([HUMAN, HUMAN[:1].rename(index={"q0": "x9"})]), "1 item that the judge did not",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", [case for case in REFUSED_FRAMES if REFUSED_FRAMES[case][1]])
def test_rows_and_columns_that_do_not_fit_are_refused(case):
    human, message = REFUSED_FRAMES[case]
    with pytest.raises(ValueError, match=message):
        best_of(JUDGED, human=human, **FEW)


def test_predictions_are_no_table_of_a_judge():
    with pytest.raises(ValueError, match="Pass the table"):
        best_of(OOFPredictions.from_scores(JUDGE), human=SOME)


def test_few_labels_are_noted():
    with pytest.warns(IntervalWarning, match="scored only 29 items"):
        best_of(JUDGE, human=np.where(np.arange(300)[:, None] < 29, PEOPLE, np.nan), **FEW)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        best_of(JUDGE, human=np.where(np.arange(300)[:, None] < 30, PEOPLE, np.nan), **FEW)


def test_labels_where_the_judge_said_no_are_noted():
    human = np.where((JUDGE.mean(axis=1) < 0.5)[:, None], PEOPLE, np.nan)
    with pytest.warns(IntervalWarning, match="do not look like drawn at random"):
        best_of(JUDGE, human=human, **FEW)


@pytest.mark.parametrize("overlap", [0, 40])
def test_labels_of_other_items_for_other_systems(overlap):
    human = np.full_like(PEOPLE, np.nan)
    for k in range(4):
        rows = ORDER[k * (60 - overlap) // (4 if overlap else 1) :][:60]
        human[rows, k] = PEOPLE[rows, k]
    if overlap:
        result = best_of(JUDGE, human=human, **FEW)
        assert any("same items of all systems" in note for note in result.details["notes"])
    else:
        with pytest.warns(IntervalWarning, match="no item in common"):
            result = best_of(JUDGE, human=human, **FEW)
    expected = [by_loop(*pair)[0] for pair in zip(JUDGE.T, human.T)]
    np.testing.assert_allclose(result.scores, expected, rtol=1e-12)


# --- people in a long table of their own -------------------------------------------------------


def long_tables():
    """The judge's and the people's tables in long form, rows in no order."""
    judge, human = (
        table.stack().rename(name).rename_axis(["question", "prompt"]).reset_index()
        for table, name in ((JUDGED, "judge"), (HUMAN, "human"))
    )
    return judge.sample(frac=1, random_state=0), human.dropna().sample(frac=1, random_state=1)


JUDGE_LONG, HUMAN_LONG = long_tables()
ROLES = {"item": "question", "system": "prompt", "score": "judge"}


def in_two_parts(table):
    prompts = {"now": ("a", 1), "short": ("a", 2), "long": ("b", 1), "steps": ("b", 2)}
    parts = [prompts[name] for name in table["prompt"]]
    parts = pd.DataFrame(parts, columns=["model", "try"], index=table.index)
    return table.drop(columns="prompt").join(parts)


LONG = {
    "rows in another order": (JUDGE_LONG, HUMAN_LONG),
    "the same name of the score": (JUDGE_LONG, HUMAN_LONG.rename(columns={"human": "judge"})),
    "empty rows": (
        JUDGE_LONG,
        pd.concat([HUMAN_LONG, JUDGE_LONG[["question", "prompt"]].assign(human=np.nan)]),
    ),
    "a column of that name": (JUDGE_LONG.assign(human="?"), HUMAN_LONG),
    "a column for each system": (JUDGE_LONG, HUMAN.dropna().reset_index()),
    "a column for each system, items in the index": (JUDGE_LONG, HUMAN.dropna()),
    "a column for each system, items in an index without a name": (
        JUDGE_LONG, HUMAN.dropna().rename_axis(index=None),
    ),
    "items and systems in the index": (
        JUDGE_LONG, HUMAN_LONG.set_index(["question", "prompt"]),
    ),
    "categories": (
        JUDGE_LONG.astype({"prompt": "category"}), HUMAN_LONG.astype({"question": "category"}),
    ),
    "an index that repeats": (JUDGE_LONG.set_axis([0] * len(JUDGE_LONG)), HUMAN_LONG),
}  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize("form", LONG)
def test_people_have_a_long_table_of_their_own(form):
    judge, human = LONG[form]
    expected = best_of(JUDGED[sorted(NAMES)], human=HUMAN, **FEW)
    result = best_of(judge, human=human, **ROLES, **FEW)
    np.testing.assert_allclose(result.scores, expected.scores, rtol=1e-12)
    assert result.names == expected.names
    assert result.details["judge"]["n_labels"] == dict.fromkeys(sorted(NAMES), 80)


def test_systems_and_items_of_several_columns_are_found_in_the_table_of_people():
    parts = {"item": ["task", "number"], "system": ["model", "try"], "score": "judge"}

    def split(table):
        number = table["question"].str[1:].astype(int)
        return in_two_parts(table).assign(task=number // 100, number=number % 100)

    result = best_of(split(JUDGE_LONG), human=split(HUMAN_LONG).drop(columns="question"),
                     **parts, **FEW)  # fmt: skip
    expected = best_of(JUDGED, human=HUMAN, **FEW)
    np.testing.assert_allclose(result.scores, expected.scores, rtol=1e-12)
    assert result.names == ("a / 1", "a / 2", "b / 1", "b / 2")


@pytest.mark.parametrize("with_runs", [False, True])
def test_people_score_each_run_or_the_answer(with_runs):
    runs = pd.concat([JUDGE_LONG.assign(run=k) for k in range(2)])
    human = pd.concat([HUMAN_LONG.assign(run=k) for k in range(2)]) if with_runs else HUMAN_LONG
    result = best_of(runs, human=human, **ROLES, run="run", **FEW)
    expected = best_of(JUDGE_LONG, human=HUMAN_LONG, **ROLES, **FEW)
    np.testing.assert_allclose(result.scores, expected.scores, rtol=1e-12)


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
@pytest.mark.parametrize("wide", [False, True])
def test_people_are_read_from_a_file(tmp_path, ending, wide):
    table = HUMAN.dropna().reset_index() if wide else HUMAN_LONG
    path = tmp_path / f"people.{ending}"
    if ending == "csv":
        table.to_csv(path, index=False)
    else:
        table.to_json(path, orient="records", lines=True)
    expected = best_of(JUDGED[sorted(NAMES)], human=HUMAN, **FEW).scores
    for given in (path, str(path)):
        np.testing.assert_allclose(
            best_of(JUDGE_LONG, human=given, **ROLES, **FEW).scores, expected, rtol=1e-12
        )
    if wide:
        result = best_of(JUDGED[sorted(NAMES)].reset_index(), human=path, item="question", **FEW)
        np.testing.assert_allclose(result.scores, expected, rtol=1e-12)


def test_an_answer_that_only_people_scored_is_one_that_the_judge_lacks():
    first = HUMAN_LONG.iloc[0]
    gone = (JUDGE_LONG["question"] == first["question"]) & (
        JUDGE_LONG["prompt"] == first["prompt"]
    )
    judge = JUDGE_LONG[~gone].assign(passage=lambda table: table["question"])
    given = {**ROLES, **FEW, "human": HUMAN_LONG, "groups": "passage"}
    with pytest.raises(ValueError, match=r"1 score of 1,200 is missing"):
        best_of(judge, **given)
    with pytest.warns(IntervalWarning, match="1 score of 1,200 is missing"):
        result = best_of(judge, **given, missing="drop_items")
    assert result.details["n_items"] == 299
    assert set(result.details["judge"]["n_labels"].values()) == {79}
    filled = best_of(judge, **given, missing="zero")
    assert set(filled.details["judge"]["n_labels"].values()) == {80}


REFUSED_LONG = {
    "unknown items": (
        HUMAN_LONG.replace({"question": {q: f"x{q}" for q in HUMAN_LONG["question"][:5]}}),
        r"scored \d items that the judge did not: 'x?q\d+' \(\d+ scores\), .* alike in both",
    ),
    "numbers for texts": (
        HUMAN_LONG.assign(question=HUMAN_LONG["question"].str[1:].astype(int)),
        r"80 items that the judge did not: \d+ \(4 scores\), .* and 77 more.* The judge has 'q",
    ),
    "an unknown system": (
        HUMAN_LONG.replace({"prompt": {"now": "nows"}}),
        r"1 system that the judge did not: 'nows' \(80 scores\). Did you mean 'now'",
    ),
    "doubles": (
        pd.concat([HUMAN_LONG, HUMAN_LONG[:3]]), "several scores of 3 answers, such as",
    ),
    "no score": (HUMAN_LONG.drop(columns="human"), "no column 'judge'.* none besides"),
    "several columns": (HUMAN_LONG.assign(who="me", when=1), "but 'human', 'who', 'when'"),
    "no item": (HUMAN_LONG.rename(columns={"question": "q"}), "no column 'question'"),
    "no item in a table with a column for each system": (
        HUMAN.dropna().reset_index(drop=True), "no column 'question'",
    ),
    "a missing item": (
        HUMAN_LONG.assign(question=HUMAN_LONG["question"].where(HUMAN_LONG["prompt"] != "now")),
        "human: Column 'question' has 80 missing values",
    ),
    "text": (HUMAN_LONG.assign(human="good"), "human: .*must hold numbers"),
    "infinite": (HUMAN_LONG.assign(human=np.inf), "human: .*infinite"),
    "an array": (SOME, "a table of its own"),
    "a column": (JUDGE_LONG["judge"], "the name of its column .* or a table of its own"),
    "no such file": ("peoples.csv", "neither a column of the table nor a file"),
    "no such column": ("judg", "neither a column .*Did you mean 'judge'"),
    "nothing": (HUMAN_LONG[:0], "too few items: 'long' 0"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED_LONG)
def test_long_tables_of_people_that_do_not_fit_are_refused(case):
    human, message = REFUSED_LONG[case]
    with pytest.raises(ValueError, match=message):
        best_of(JUDGE_LONG, human=human, **ROLES, **FEW)


# --- words, labels needed ----------------------------------------------------------------------


def test_the_sentence_says_who_judged():
    result = best_of(JUDGE, human=SOME, **FEW)
    assert "Judged by a model, corrected by 80 human labels and for the selection, it is" in (
        result.summary()
    )
    again = pickle.loads(pickle.dumps(result))
    assert again.summary() == result.summary()
    one = best_of(JUDGE[:, :1], human=SOME[:, :1], **FEW).summary()
    assert "judged by a model, corrected by 80 human labels" in one


def test_more_labels_make_the_interval_as_narrow_as_promised():
    judge, people, order = two_scores(2000, 3, 0.9, seed=1)

    def result_of(n_labels):
        human = np.full_like(people, np.nan)
        human[order[:n_labels]] = people[order[:n_labels]]
        return best_of(judge, human=human, **FEW)

    few = result_of(100)
    width = 0.75 * few.interval.width
    n_labels = few.labels_for(width)
    assert 100 / 0.75**2 < n_labels < 500
    assert result_of(n_labels).interval.width == pytest.approx(width, rel=0.1)
    assert few.labels_for(few.interval.width) == 100
    with pytest.raises(ValueError, match="takes more items"):
        few.labels_for(few.interval.width / 100)


@pytest.mark.parametrize("width", [0, -1, np.nan, np.inf, "0.1", None])
def test_widths_are_positive(width):
    with pytest.raises(ValueError, match="width must be a positive number"):
        best_of(JUDGE, human=SOME, **FEW).labels_for(width)


def test_without_a_judge_there_is_no_number_of_labels():
    with pytest.raises(ValueError, match="needs a judge"):
        best_of(PEOPLE, **FEW).labels_for(0.1)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The judge scores the items")  # by chance in 1 of 2,000
@pytest.mark.parametrize("n_labels", [50, 150])
@pytest.mark.parametrize("accuracy", [0.5, 0.85, 0.97])
def test_the_interval_covers_the_selected_system(accuracy, n_labels):
    """As often as it promises, and hardly wider than that of the labels alone."""
    held, widths = [], []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        truth = 0.6 + 0.01 * rng.normal(size=20)
        people = (rng.random((800, 20)) < truth).astype(float)
        judge = np.where(rng.random(people.shape) < accuracy, people, 1 - people)
        judge = np.where(rng.random(people.shape) < 0.1 * rng.random(20), 1, judge)
        human = np.where(np.arange(800)[:, None] < n_labels, people, np.nan)
        few = {"n_bootstraps": 200, "random_state": seed}
        result = best_of(judge, human=human, **few)
        alone = best_of(people[:n_labels], **few)
        held.append(truth[result.names.index(result.selected)] in result.interval)
        widths.append((result.interval.width, alone.interval.width))
    assert binomtest(sum(held), len(held), 0.95, "less").pvalue > 0.001
    judged, people_alone = np.mean(widths, axis=0)
    assert judged < {0.5: 1.05, 0.85: 0.9, 0.97: 0.6}[accuracy] * people_alone
