"""The bias of the best score, and what nested cross-validation costs beside BBC."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import coverage
from benchmarks.data.real import DATA_SETS, encoded, load, train_and_rest
from benchmarks.studies import bias as _bias
from benchmarks.studies import bias_real


def test_the_inner_selection_does_not_see_the_outer_fold():
    correct = np.array([[5, 0, 1], [0, 5, 1], [1, 1, 1]])
    # Without fold 0 the second is best (6 against 1 and 2), without 1 the first, without 2 both.
    assert _bias.nested_score(correct) == pytest.approx((0 + 0 + 1) / 3)


def test_all_methods_are_about_the_same_predictions():
    part = next(iter(_bias.draw(_bias.Size(20, 40), np.random.SeedSequence(3), 0)))
    found = {name: interval(50, 0) for name, interval in part.intervals.items()}
    corrected = found["Tibshirani-Tibshirani"]
    assert corrected.details["winner_score"] == pytest.approx(found["best CV score"].estimate)
    assert corrected.estimate < found["best CV score"].estimate
    assert found["nested CV"].estimate < found["best CV score"].estimate
    assert np.isnan(list(found["nested CV"])).all()
    assert found["BBC"].details["winner"] == found["BBC-F"].details["winner"]


def test_the_published_pattern_of_biases(tmp_path, capsys, monkeypatch):
    """100 configurations: Tibshirani's correction is too small with 20, too large with 100."""
    monkeypatch.setattr(_bias, "BBCF", _bias.BBC)  # nothing here is about its 92,378 draws
    table = coverage.main(
        ["bias", "--settings", "C100_N20", "C100_N100", "--repetitions", "60",
         "--n-bootstraps", "200", "--output", str(tmp_path)]
    ).set_index(["N", "method"])  # fmt: skip
    bias = table["bias"]
    assert bias[20, "Tibshirani-Tibshirani"] == pytest.approx(0.085, abs=0.04)
    assert bias[100, "Tibshirani-Tibshirani"] == pytest.approx(-0.075, abs=0.025)
    assert bias[20, "best CV score"] > 0.12 > bias[100, "best CV score"] > 0.02
    for n_samples in (20, 100):
        assert abs(bias[n_samples, "nested CV"]) < 0.05
        assert abs(bias[n_samples, "BBC"]) < 0.05
    assert table.loc[(100, "BBC"), "coverage"] > 0.9
    assert np.isnan(table.loc[(100, "nested CV"), "coverage"])
    assert "| 100 | 20 | +0." in capsys.readouterr().out
    assert "C | N | best CV score" in (tmp_path / "bias.md").read_text(encoding="utf-8")


def test_settings_of_the_other_part_are_refused(tmp_path):
    with pytest.raises(SystemExit, match="Unknown settings"):
        coverage.main(["bias", "--real", "--settings", "C100_N20", "--output", str(tmp_path)])


@pytest.fixture
def toy_data(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 4))
    y = (X[:, 0] + rng.normal(size=1000) > 0).astype(int)
    monkeypatch.setattr(bias_real, "encoded", lambda name: (X, y))


@pytest.mark.slow
def test_nested_cross_validation_costs_more_and_none_sees_the_hold_out(toy_data, tmp_path):
    table = coverage.main(
        ["bias", "--real", "--settings", "phoneme", "--repetitions", "2", "--n-bootstraps", "40",
         "--output", str(tmp_path)]
    ).set_index("method")  # fmt: skip
    assert list(table.index) == list(bias_real.METHODS)
    seconds = table["seconds_each"]
    assert seconds["nested CV, 3 repeats"] > seconds["nested CV"] > seconds["BBC"] > 0
    assert table["truth"].nunique() == 1
    assert table.loc["BBC", "width"] > 0
    assert np.isnan(table.loc["best CV score", "width"])


def test_a_split_is_stratified_and_whole():
    y = np.repeat([0, 1], [900, 100])
    train, rest = train_and_rest(y, 50, np.random.SeedSequence(0))
    assert len(train) == 50
    assert y[train].sum() == 5
    assert sorted([*train, *rest]) == list(range(1000))
    again, _ = train_and_rest(y, 50, np.random.SeedSequence(0))
    other, _ = train_and_rest(y, 50, np.random.SeedSequence(1))
    assert list(train) == list(again) != list(other)


@pytest.mark.parametrize("name", ["credit-g", "phishing-websites", "phoneme"])
def test_data_are_those_of_the_manifest(name, shared):
    manifest = pd.read_csv(shared / "data" / "MANIFEST.csv").set_index("name").loc[name]
    X, y = load(name, shared / "data")
    assert X.shape == (manifest["rows"], manifest["columns"])
    assert y.mean() == pytest.approx(manifest["balance"], abs=1e-4)
    text = [column for column in X if not pd.api.types.is_numeric_dtype(X[column])]
    nominal = len(X.columns) if name == "phishing-websites" else manifest["categorical_columns"]
    assert len(text) == nominal
    numbers, labels = encoded(name, shared / "data")
    assert numbers.shape[1] >= X.shape[1]
    assert not np.isnan(numbers).any()
    np.testing.assert_array_equal(labels, y)


def test_the_published_names_and_dependent_rows_are_known(shared):
    published = pd.read_csv(shared / "reference" / "paper_table3.csv")["dataset"].unique()
    assert [data.published for data in DATA_SETS.values()] == list(published)
    dependent = {name for name, data in DATA_SETS.items() if data.dependent}
    assert dependent == {"musk", "electricity", "mozilla4", "eeg-eye-state"}
