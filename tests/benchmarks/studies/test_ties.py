"""The study of tied sets: what a set holds, and that data sets are kept."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import coverage
from benchmarks.data import settings
from benchmarks.studies import ties
from sklearn_bbc import OOFPredictions
from sklearn_bbc.comparison import Bonferroni, tied_with_best
from sklearn_bbc.intervals import BBC
from sklearn_bbc.testing import example_predictions

SEED = np.random.SeedSequence(5, spawn_key=(0, 0))


@pytest.fixture
def small(monkeypatch, tmp_path):
    """Four models, and few samples behind the truth."""
    few = settings.configurations()[::8]
    monkeypatch.setattr(settings, "configurations", lambda: few)
    monkeypatch.setattr(settings, "POPULATION", 300)
    monkeypatch.setattr(ties, "FOLDER", tmp_path / "tuned")
    settings.population.cache_clear()
    yield ties.Kept(settings.Generated("linear", n_samples=40))
    settings.population.cache_clear()


def test_what_a_set_holds():
    truth = np.array([0.7, 0.9, 0.895, 0.6])
    for members, best, close in (
        ([False, True, False, False], True, True),
        ([True, False, True, False], False, True),
        ([True, False, False, True], False, False),
    ):
        found = ties.Found.of(np.array(members), truth)
        assert tuple(found) == (best, close) and found.estimate == sum(members) / 4
    # Of several that are the best any one will do.
    assert ties.Found.of(np.array([False, True]), np.array([0.9, 0.9])).holds_best


def test_every_method_is_announced_and_runs(small):
    parts = list(ties.draw(small, SEED, 1))
    assert [part.name for part in parts] == list(ties.METRICS)
    announced = list(ties.TIES.parts(small))
    assert [(part.name, method) for part in parts for method in part.intervals] == announced
    for part in parts:
        for run in part.intervals.values():
            found = run(100, 0)
            assert 0 < found.estimate <= 1 and tuple(found) == tuple(run(100, 0))


def test_a_set_is_that_of_the_package():
    oof = example_predictions()
    truth = np.array([0.1, 0.2, 0.3, 0.4])
    found = ties._set_of(Bonferroni(), oof, "roc_auc", truth)(100, 0)
    tied = tied_with_best(
        oof, "roc_auc", method="bonferroni", draws=BBC(n_bootstraps=100, random_state=0)
    )
    assert found.estimate == len(tied) / 4 and found.holds_best == (3 in tied)


def test_one_standard_error_and_winners_by_hand():
    y = np.tile([0, 1], 10)
    right = np.ones((20, 3), dtype=bool)
    right[:3, 1] = right[:, 2] = False
    pred = np.where(right, y[:, None], 1 - y[:, None])
    oof = OOFPredictions(y_true=y, y_pred=pred, fold=np.arange(20) // 5)
    truth = np.array([0.5, 0.9, 0.1])
    # The first has no error at all, so its standard error is zero.
    assert ties._within_one_standard_error(oof, "accuracy", truth)(100, 0).estimate == 1 / 3
    # It wins all draws but those without the three samples that tell it from the second.
    assert ties._winners(oof, "accuracy", truth)(400, 0).estimate == 1 / 3


def test_data_sets_are_made_once(small, monkeypatch):
    first = small.draw(SEED, 1)
    monkeypatch.setattr(settings.Generated, "draw", None)
    again = small.draw(SEED, 1)
    np.testing.assert_array_equal(again.probability, first.probability)
    np.testing.assert_array_equal(again.fold, first.fold)
    assert again.groups is None and set(again.truth) == set(first.truth)
    for metric, scores in first.truth.items():
        np.testing.assert_array_equal(again.truth[metric], scores)
    with pytest.raises(TypeError):
        small.draw(np.random.SeedSequence(6, spawn_key=(0, 0)), 1)


def test_the_summary_rejects_what_holds_too_seldom():
    rows = [
        {"setting": "null_50_5_s1", "part": "roc_auc", "method": method, "repetition": k,
         "estimate": 0.5, "low": float(k < held), "high": 1.0, "seconds": 0.01}
        for method, held in (("good", 95), ("bad", 80))
        for k in range(100)
    ]  # fmt: skip
    table = ties.summarise(ties.TIES, pd.DataFrame(rows))
    assert list(table["verdict"]) == ["ok", "under"]
    assert list(table["holds_best"]) == [0.95, 0.8] and list(
        table["milliseconds"]
    ) == pytest.approx([10, 10])
    total = ties.over_settings(table)
    assert list(total["under"]) == [0, 1] and list(total["lowest"]) == [0.95, 0.8]


def test_the_command_writes_the_table(small, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(ties.TIES.settings, "linear", small)
    arguments = ["ties", "--settings", "linear", "--repetitions", "2", "--n-bootstraps", "100"]
    table = coverage.main([*arguments, "--output", str(tmp_path)])
    assert (tmp_path / "ties.csv").is_file() and set(table["runs"]) == {2}
    assert "softmin" in capsys.readouterr().out


def test_no_two_settings_have_one_description():
    described = [tuple(setting.describe().values()) for setting in ties.TIES.settings.values()]
    assert len(set(described)) == len(described) == 14


@pytest.mark.parametrize("decimals", [0, 1, 6])
def test_truths_are_those_of_scikit_learn(decimals):
    from sklearn.metrics import accuracy_score, balanced_accuracy_score, log_loss, roc_auc_score

    rng = np.random.default_rng(decimals)
    y, probability = rng.integers(2, size=200), rng.random(200).round(decimals)
    expected = {
        "roc_auc": roc_auc_score(y, probability),
        "accuracy": accuracy_score(y, probability > 0.5),
        "balanced_accuracy": balanced_accuracy_score(y, probability > 0.5),
        "neg_log_loss": -log_loss(y, probability),
    }
    assert settings.true_scores(y, probability) == pytest.approx(expected, rel=1e-12)
