"""Tuned models: every method is held against the configuration that it reports."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from benchmarks import coverage
from benchmarks.data import settings
from benchmarks.data.settings import SETTINGS, Generated
from benchmarks.studies import testbed, tuned_methods
from sklearn_bbc import OOFPredictions
from sklearn_bbc.metrics import as_metric


@pytest.fixture
def few_models(monkeypatch):
    """Two models instead of thirty, a small population."""
    models = (LogisticRegression(C=0.1), LogisticRegression(C=1e-6))
    monkeypatch.setattr(settings, "configurations", lambda: models)
    monkeypatch.setattr(settings, "POPULATION", 500)
    settings.population.cache_clear()
    yield
    settings.population.cache_clear()


def seed(number=0, setting=0):
    return np.random.SeedSequence(5, spawn_key=(setting, number)).spawn(2)[0]


def test_stored_truths_belong_to_the_configurations(shared):
    tuned = testbed.Stored("deo_50_5_s1").draw(seed(3), 0)
    assert tuned.probability.shape == (1, 50, 60)
    assert set(tuned.truth) == set(testbed.METRICS)
    assert all((tuned.truth["neg_log_loss"] < 0).tolist())
    # What is good out of fold is good on the hold-out: signs and order are right.
    for metric in testbed.METRICS:
        scores = as_metric(metric).bind(tuned.predictions(metric)).fold_scores().mean(axis=0)
        assert np.corrcoef(scores, tuned.truth[metric])[0, 1] > 0.5, metric


@pytest.mark.parametrize("name", testbed.FILES)
def test_truth_and_estimate_have_the_same_log_loss(name, shared):
    """Clipped further from 0 and 1 than the estimates, the truth was the loss of other models."""
    truths = np.concatenate(
        [-testbed.Stored(name).draw(seed(k), 0).truth["neg_log_loss"] for k in range(100)]
    )
    farthest = -np.log(np.finfo(np.float32).eps)
    tuned = testbed.Stored(name).draw(seed(0), 0)
    y, probability = tuned.y, tuned.probability[0]
    # One prediction that could not be worse costs the most that there is in either.
    worst = OOFPredictions(y_true=y, y_pred=(1 - y[:, None]).astype(probability.dtype))
    assert as_metric("neg_log_loss").bind(worst).on_data()[0] == pytest.approx(-farthest)
    assert tuned.predictions("neg_log_loss").responses["plain"].dtype == np.float32
    # A nearest neighbour has probabilities of 0 and 1 only, so its loss says where they are cut.
    sure = np.isin(probability, (0, 1)).all(axis=0)
    if sure.any():
        wrong = 1 - tuned.truth["accuracy"][sure]
        assert -tuned.truth["neg_log_loss"][sure] == pytest.approx(wrong * farthest, rel=0.01)
    assert truths.max() < farthest and (
        truths.max() > -np.log(0.01) or name.startswith(("bc", "imb"))
    )


def test_truth_of_generated_data_has_the_log_loss_of_the_metric():
    y, probability = np.array([0, 1, 1, 0]), np.array([0.0, 0.0, 1.0, 0.3])
    for dtype in (np.float32, np.float64):
        pred = probability.astype(dtype)
        oof = OOFPredictions(y_true=y, y_pred=pred[:, None])
        for metric, score in settings.true_scores(y, pred).items():
            if metric == "neg_log_loss":
                assert as_metric(metric).bind(oof).on_data()[0] == pytest.approx(score)


def test_each_data_set_of_a_file_comes_once(shared):
    first, other = (testbed.Stored("null_50_5_s1").draw(seed(k), 0) for k in (0, 1))
    assert not np.array_equal(first.probability, other.probability)
    with pytest.raises(ValueError, match="has 100 data sets, wanted is 101"):
        testbed.Stored("null_50_5_s1").draw(seed(100), 0)


def test_a_method_is_held_against_what_it_reports(shared):
    setting = testbed.Stored("int_100_5_s1")
    tuned = setting.draw(seed(2), 0)
    truth, wanted = tuned.truth["roc_auc"], {"BBC": "winner", "DL": "config", "MABT": "config"}
    found = {}
    for part in testbed.draw(setting, seed(2), 0):
        for method in wanted.keys() & part.intervals.keys() if part.name == "roc_auc" else ():
            details = part.intervals[method](100, 0).details
            found[method] = details[wanted[method]]
            assert part.truths["truth"] == truth[found[method]], method
    assert len(set(found.values())) > 1, "the split reports another one than all samples"


def test_the_command_writes_table_and_summary(shared, tmp_path):
    table = coverage.main(
        ["testbed", "--settings", "lin_50_10_s1", "--repetitions", "1", "--n-bootstraps", "40",
         "--output", str(tmp_path)]
    )  # fmt: skip
    assert set(table["part"]) == set(testbed.METRICS)
    pairs = set(zip(table["part"], table["method"], strict=True))
    assert pairs == set(testbed.TESTBED.parts(testbed.Stored("lin_50_10_s1")))
    text = (tmp_path / "testbed_summary.md").read_text(encoding="utf-8")
    assert "## balanced_accuracy" in text


def test_the_summary_compares_widths_with_bbc():
    table = pd.DataFrame(
        {
            "data": ["a", "a", "b", "b"], "N": 50, "part": "roc_auc",
            "method": ["BBC", "x"] * 2, "coverage": [1.0, 0.9, 1.0, 0.8],
            "verdict": ["over", "ok", "ok", "under"], "undefined": 0.0,
            "width": [0.2, 0.1, 0.4, 0.4], "bias": 0.0,
        }
    )  # fmt: skip
    found = testbed.summary(table).set_index("method")
    assert found.loc["x", "width_to_bbc"] == 0.75
    assert found.loc["x", ["under", "over", "lowest"]].tolist() == [1, 0, 0.8]
    assert found.loc["BBC", "over"] == 1


def test_groups_and_repeats_exclude_what_cannot_deal_with_them():
    everything = tuned_methods.names("accuracy")
    assert len(everything) == len(set(everything))
    grouped = tuned_methods.names("accuracy", grouped=True)
    assert "MABT" in everything
    assert "MABT" not in grouped
    assert {"BBC", "BBC-F", "ShrunkenBBC"} <= set(grouped)
    repeated = tuned_methods.names("accuracy", repeated=True)
    assert set(everything) - set(repeated) == {"GLMM, Wald", "GLMM, profile"}


@pytest.mark.parametrize("name", SETTINGS)
def test_generated_settings_are_what_they_say(name, few_models):
    setting = SETTINGS[name]
    tuned = setting.draw(seed(), 0)
    n, repeats = setting.n_samples, setting.n_repeats
    assert tuned.probability.shape == (repeats, n, 2)
    assert not np.isnan(tuned.probability).any()
    assert (np.bincount(tuned.fold[0]) > 0).sum() == setting.n_folds
    again = setting.draw(seed(), 0)
    np.testing.assert_array_equal(tuned.probability, again.probability)
    oof = tuned.predictions("roc_auc")
    assert oof.n_repeats == repeats
    if setting.grouped:
        per_group = pd.Series(tuned.fold[0]).groupby(oof.groups).nunique()
        assert (per_group == 1).all(), "no group is split"
        assert len(per_group) == n // setting.group_size


def test_generated_settings_have_the_signal_that_they_say():
    rng = np.random.default_rng(0)
    drawn = {name: setting.sample(20000, rng) for name, setting in SETTINGS.items()}
    score = {
        name: LogisticRegression().fit(X[:10000], y[:10000]).score(X[10000:], y[10000:])
        for name, (X, y, _) in drawn.items()
    }
    assert abs(score["null"] - 0.5) < 0.02
    assert score["linear"] > 0.72
    assert score["correlated"] > 0.72
    assert abs(score["interaction"] - 0.5) < 0.03
    X, y, _ = drawn["interaction"]
    products = np.column_stack([X[:, 0] * X[:, 1], X[:, 2] * X[:, 3]])
    assert LogisticRegression().fit(products, y).score(products, y) > 0.72
    assert 0.08 < drawn["imbalanced"][1].mean() < 0.16
    assert abs(np.corrcoef(drawn["correlated"][0][:, :2], rowvar=False)[0, 1]) > 0.85
    assert np.abs(drawn["heavy-tailed"][0]).max() > 50
    _, y, groups = drawn["grouped"]
    between = pd.Series(y).groupby(groups).mean().var()
    assert between > 1.5 * y.var() / Generated("grouped", group_size=5).group_size
