"""Table 2 in its own form, the switched methods, and the rows with five classes."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from benchmarks import coverage
from benchmarks.harness import references
from benchmarks.published import table2
from benchmarks.published.table2_methods import base_of, lower_bound, methods
from benchmarks.published.table2_report import count_of_misses, misses, rank_table, report
from benchmarks.simulate import Setting, simulate
from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import LearnEvaluate


def test_methods_of_one_data_set_share_its_splits(monkeypatch):
    drawn, split = [], LearnEvaluate._split

    def counted(self, *arguments):
        drawn.append(self.label)
        return split(self, *arguments)

    monkeypatch.setattr(LearnEvaluate, "_split", counted)
    oof, _ = simulate(Setting(24, 6, 100, 20, 0.5), np.random.SeedSequence(0))
    shared_steps = methods(20, 0)
    reported = {}
    for name in ("DL", "HM", "DL10p", "HM10p", "MABT"):
        reported[name] = shared_steps[name].estimate(oof, "roc_auc").details
    assert len(drawn) == 2, "one for each rule"
    assert reported["DL"]["config"] == reported["HM"]["config"]
    assert reported["DL10p"]["n_evaluate"] == reported["MABT"]["n_evaluate"] == 25
    alone = methods(20, 0)["MABT"].estimate(oof, "roc_auc").details
    assert alone["config"] == reported["MABT"]["config"]
    other, _ = simulate(Setting(24, 6, 100, 20, 0.5), np.random.SeedSequence(1))
    fresh = methods(20, 0)["DL"].estimate(other, "roc_auc")
    assert shared_steps["DL"].estimate(other, "roc_auc").low == fresh.low


def test_a_published_form_without_a_bound_is_a_row_without_a_bound():
    """All of the judged samples on the wrong side of the threshold of the published code."""
    y = np.repeat([0, 1], 40)
    scores = np.where(y == 1, -1.0, 1.0) * np.linspace(1, 2, 80)
    fold = np.arange(80) % 10
    oof = OOFPredictions(y_true=y, y_pred=scores[:, None], fold=fold)
    for name in ("HM (rink)", "HM10p (rink)"):
        outcome = lower_bound(methods(20, 0)[name], oof, "roc_auc")
        assert np.isnan(outcome["low"])
        assert "0 right ones of 20" in outcome["reason"]


def test_rules_of_other_code_change_what_they_say():
    oof, _ = simulate(Setting(24, 6, 50, 40, 0.1), np.random.SeedSequence(4))
    of = {name: lower_bound(method, oof, "roc_auc") for name, method in methods(100, 0).items()
          if base_of(name) in ("BBC", "BBC-F", "NB")}  # fmt: skip
    for base in ("BBC", "BBC-F", "NB"):
        # 5 of 100 draws: number 5 from 0, (100 - 1) * 0.05 = 4.95, (100 + 1) * 0.05 - 1 = 4.05
        lows = [of[f"{base}{rule}"]["low"] for rule in (" (normal scores)", " (linear)", "")]
        assert lows == sorted(lows)
        assert of[f"{base} (single precision)"]["low"] == pytest.approx(lows[2], abs=1e-3)
    assert of["BBC (normal scores)"]["low"] < of["BBC"]["low"]
    assert len(methods(100, 0)["BBC (drop)"].estimate(oof, "roc_auc").draws) < 100
    assert of["BBC (drop)"]["low"] != of["BBC"]["low"]
    pooled = np.array([roc_auc_score(oof.y_true, scores) for scores in oof.responses["plain"]])
    for base in ("BBC", "BBC-F", "NB"):
        assert of[f"{base} (pooled winner)"]["config"] == pooled.argmax() != of[base]["config"]
    assert of["BBC (pooled winner)"]["low"] == of["BBC"]["low"] != of["NB"]["low"]


def test_coverage_is_counted_by_every_rule_in_use():
    """A bound on the truth counts except strictly; the paper compares the draw before it."""
    found = pd.DataFrame(
        {"estimate": 0.8, "low": [0.7, 0.7, 0.7], "counted": [0.7, 0.69, 0.69],
         "truth": [0.7, 0.695, 0.6], "seconds": 0.1}
    )  # fmt: skip
    of_bbc = table2.performance(found)
    assert of_bbc["inclusion"] == pytest.approx(1 / 3)
    assert of_bbc["inclusion_strict"] == 0
    assert of_bbc["inclusion_paper"] == pytest.approx(2 / 3)
    assert "inclusion_paper" not in table2.performance(found.assign(counted=np.nan))
    assert "inclusion_strict" not in table2.performance(found.drop(columns="counted"))
    oof, _ = simulate(Setting(24, 6, 50, 5, 0.5), np.random.SeedSequence(4))
    result = methods(500, 0)["BBC"].estimate(oof, "roc_auc")
    outcome = lower_bound(methods(500, 0)["BBC"], oof, "roc_auc")
    draws = np.sort(np.asarray(result.draws))
    assert (outcome["counted"], outcome["low"]) == (draws[24], draws[25])
    assert np.mean(draws <= outcome["counted"]) >= 0.05 > np.mean(draws < outcome["counted"])
    assert np.isnan(lower_bound(methods(20, 0)["DL"], oof, "roc_auc")["counted"])


@pytest.mark.parametrize("balance, sizes", [(0.1, [5, 11, 11, 11, 12]), (0.5, [10] * 5)])
def test_five_classes_have_their_sizes(balance, sizes):
    setting = Setting(24, 6, 50, 3, balance, n_classes=5)
    assert sorted(setting.class_sizes) == sorted(sizes)
    oof, _ = simulate(setting, np.random.SeedSequence(0))
    assert list(np.bincount(oof.y_true)) == list(setting.class_sizes)
    assert oof.n_splits == min(sizes)


def test_pairs_of_five_classes_have_the_true_auc_that_is_said():
    setting = Setting(9, 6, 10000, 4, 0.5, n_classes=5)
    oof, truth = simulate(setting, np.random.SeedSequence(0))
    scores, y = oof.matrix("roc_auc_ovo"), oof.y_true
    for config in range(4):
        areas = [
            roc_auc_score(y[(y == a) | (y == b)] == a, scores[(y == a) | (y == b), config, a])
            for a in range(5)
            for b in range(5)
            if a != b
        ]
        assert np.ptp(areas) > 0.2, "each pair has its own"
        assert np.mean(areas) == pytest.approx(truth[config], abs=0.015)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    output = tmp_path_factory.mktemp("small")
    arguments = ["--rows", "13", "14", "--repetitions", "2", "--n-bootstraps", "40"]
    arguments += ["--methods", "BBC", "NB", "DL", "DL (auto direction)", "ShrunkenBBC"]
    table = coverage.main(["table2", "--output", str(output), "--five-classes", *arguments])
    return output, table


def test_the_report_has_the_form_of_the_published_table(small):
    output, table = small
    text = (output / "table2.md").read_text(encoding="utf-8")
    assert "## Ours: inclusion (tightness), bold when not rejected" in text
    assert "## Ours: switched to what the published code does" in text
    assert "## Ours: five classes" in text
    assert "are void" in text
    of_dl = table[(table["method"] == "DL") & (table["balance"] == 0.1)].iloc[0]
    assert (of_dl["runs"], of_dl["undefined"]) == (0, 1), "one minority sample per fold"
    assert set(table.loc[table["classes"] == 5, "method"]) == {"BBC", "NB", "ShrunkenBBC"}


SETTING = {"alpha": 24, "beta": 6, "N": 500, "C": 100, "balance": 0.1, "classes": 2, "row": 1}


def compared(folder, **bounds):
    """Methods that include 60%, with these lower bounds, beside the published numbers."""
    names = {name.replace("__", " (").replace("_", " "): bound for name, bound in bounds.items()}
    ours = pd.DataFrame(
        [
            {**SETTING, "method": f"{name})" if "(" in name else name, "runs": 200,
             "undefined": 0.0, "lower_bound": bound, "inclusion": 0.6, "tightness": 0.01,
             "true_auc": 0.925, "rejected": True}
            for name, bound in names.items()
        ]
    )  # fmt: skip
    return references.compare(ours, folder)


def test_rows_with_five_classes_have_nothing_beside_them(shared):
    two = compared(shared / "reference", BBC=0.9, NB=0.9)
    beside = [name for name in two if name.startswith(("published_", "replication_"))]
    assert len(beside) == 13 and two[beside].notna().all().all()
    five = two.drop(columns=beside).assign(classes=5)
    both = references.compare(pd.concat([two.drop(columns=beside), five]), shared / "reference")
    pd.testing.assert_frame_equal(both.iloc[:2][beside], two[beside], check_dtype=False)
    verdicts = ["published_verdict", "replication_verdict"]
    assert (both.iloc[2:][verdicts] == "").all(axis=None)
    assert both.iloc[2:][beside].drop(columns=verdicts).isna().all(axis=None)


def test_committed_rows_with_five_classes_have_nothing_beside_them(repository):
    table = pd.read_csv(repository / "benchmarks" / "results" / "table2.csv")
    beside = [name for name in table if name.startswith(("published_", "replication_"))]
    assert table.loc[table["classes"] > 2, beside].isna().all(axis=None)
    assert (
        table.loc[table["method"].eq("BBC") & table["classes"].eq(2), beside].notna().any().all()
    )


def test_a_miss_names_the_switch_that_closes_it(shared):
    folder = shared / "reference"
    table = compared(folder, DL10p=0.95, DL10p__auto_direction=0.915)
    assert table["published_verdict"].iloc[0].startswith("lower bound +0.035")
    assert table["published_verdict"].iloc[1] == "ok"
    (miss,) = misses(table).to_dict("records")
    assert miss["closed by"] == "DL10p (auto direction)"
    assert miss["ours"] == "0.600 / 0.950 / 0.925"
    assert miss["with it"] == "0.600 / 0.915 / 0.925"
    assert miss["published"].startswith("0.535 / 0.915")
    assert count_of_misses(table) == {"compared": 1, "missed": 1, "closed": 1}
    text = report(table, folder)
    ranks, _ = rank_table(table, folder)
    assert "1 numbers of correct forms were compared, 1 differ by more than chance, 1 of" in text
    assert "| DL10p (auto direction) | 0.600 / 0.915 / 0.925 |" in text
    assert ranks["ours"].isna().all(), "not all methods are there"
    assert ranks["published"].round(2).tolist()[:3] == [1, 2.12, 5.12]


def test_a_miss_that_nothing_closes_is_not_hidden(shared):
    folder = shared / "reference"
    table = compared(folder, DL10p=0.95, DL10p__auto_direction=0.96, NB=0.8)
    assert list(misses(table)["closed by"]) == ["", ""]
    text = report(table, folder)
    assert "2 differ by more than chance, 0 of these" in text
    assert "| none; nearest is DL10p (auto direction) | 0.600 / 0.960 / 0.925 |" in text
    assert "| none; has no switched form |" in text


def test_another_winner_is_a_miss_even_where_the_bound_agrees(shared):
    table = compared(shared / "reference", DL10p=0.915)
    table = table.assign(true_auc=0.95)[
        [
            *SETTING,
            "method",
            "runs",
            "undefined",
            "lower_bound",
            "inclusion",
            "tightness",
            "true_auc",
            "rejected",
        ]
    ]
    verdict = references.compare(table, shared / "reference")["published_verdict"].item()
    assert verdict.startswith("true AUC +0.0")


def test_the_report_alone_computes_nothing(small, monkeypatch):
    output, table = small
    monkeypatch.setattr(table2, "one_data_set", None)
    arguments = ["--rows", "13", "14", "--repetitions", "2", "--n-bootstraps", "40"]
    arguments += ["--methods", "BBC", "NB", "DL", "DL (auto direction)", "ShrunkenBBC"]
    again = coverage.main(
        ["table2", "--report", "--output", str(output), "--five-classes", *arguments]
    )
    pd.testing.assert_frame_equal(again, table)


@pytest.mark.parametrize("command", ["table2", "bias", "single"])
def test_a_report_of_nothing_says_so(command, tmp_path):
    with pytest.raises(SystemExit, match="Nothing was computed yet"):
        coverage.main([command, "--report", "--output", str(tmp_path)])
