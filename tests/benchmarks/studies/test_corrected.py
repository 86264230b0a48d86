"""How far corrected scores are off: searches, what they are held against, and the table."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kurtosis
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss

from benchmarks import coverage
from benchmarks.studies import corrected
from benchmarks.studies.corrected import SETTINGS, HeldOut, Trained, Untrained


def seed(number=0):
    return np.random.SeedSequence(5, spawn_key=(0, number)).spawn(2)[0]


@pytest.mark.parametrize("numbers", [False, True])
def test_models_fitted_at_once_are_those_of_scikit_learn(numbers):
    setting = Trained("any", 80, 5, numbers=numbers)
    X, y = setting._sample(80, np.random.default_rng(0))
    pred = setting._predict(X, setting._fit(X, y))
    for config, penalty in enumerate(setting._penalties()):
        used = np.flatnonzero(penalty[1:] < 1e8)
        alpha = penalty[1 + used[0]]
        if numbers:
            expected = Ridge(alpha).fit(X[:, used], y).predict(X[:, used])
        else:
            model = LogisticRegression(C=1 / alpha, tol=1e-10).fit(X[:, used], y)
            expected = model.predict_proba(X[:, used])[:, 1]
        np.testing.assert_allclose(pred[:, config], expected, atol=1e-4)


def test_truth_is_the_score_of_the_refitted_configuration():
    setting = SETTINGS["weak_N50_C8"]
    found = setting.draw(seed(), 0)
    rng = np.random.Generator(np.random.PCG64(seed()))
    X, y = setting._enough(rng, lambda: setting._sample(50, rng))
    setting._cross_validated(X, y, rng)
    X_all, y_all = setting._sample(corrected.POPULATION, rng)
    pred = setting._predict(X_all, setting._fit(X, y))[:, 3]
    assert found.truth("neg_log_loss", 3) == pytest.approx(-log_loss(y_all, pred))
    again = setting.draw(seed(), 0)
    np.testing.assert_array_equal(found.pred, again.pred)
    assert set(found.others["f1"]) == {"nested CV", "optimism bootstrap"}
    assert np.isfinite([v for each in found.others.values() for v in each.values()]).all()


def test_what_needs_no_models_has_none():
    found = Untrained(50, 8).draw(seed(), 0)
    assert set(found.others["accuracy"]) == {"nested CV"}
    right = (found.pred == found.y[:, None]).mean(axis=0)
    assert np.corrcoef(right, [found.truth("accuracy", c) for c in range(8)])[0, 1] > 0.3


def test_held_out_data_are_what_they_are_called():
    samples = {
        kind: HeldOut(kind, 50, 8, **options)._sample(20_000, np.random.default_rng(0))
        for kind, options in corrected.OTHER_KINDS.items()
    }
    assert np.corrcoef(samples["correlated"][0][:, :2].T)[0, 1] == pytest.approx(0.9, abs=0.01)
    X, y = samples["binary"]
    assert len(np.unique(X)) == 2 and X.std() == pytest.approx(1, abs=0.01)
    assert kurtosis(samples["heavy-tailed"][0][:, 0]) > 3
    # The features that matter, alone or together, in units of the correlation with the target.
    X, y = samples["one feature"]
    assert (np.corrcoef(X.T, y)[-1, :3] > 0.2).tolist() == [True, False, False]
    X, y = samples["products"]
    product = X[:, -1] * X[:, -2]
    assert np.corrcoef(product, y)[0, 1] > 0.2 > abs(np.corrcoef(X[:, -1], y)[0, 1])
    # An outcome is nearly certain where the score is large: one in seven labels is wrong there.
    X, y = samples["mislabelled"]
    far = X[:, :4].sum(axis=1) > 4
    assert y[far].mean() == pytest.approx(0.85, abs=0.02)
    assert {setting.others for setting in corrected.HELD_OUT.settings.values()} == {()}


def test_the_command_writes_a_table_of_errors(tmp_path):
    arguments = ["corrected", "--settings", "rare_N50_C8", "numbers_N50_C8", "2018_N50_C8"]
    arguments += ["--repetitions", "2", "--n-bootstraps", "40", "--output", str(tmp_path)]
    table = coverage.main([*arguments, "--fresh", "--jobs", "1"])
    for _, row in table.iterrows():
        assert row["rmse"] >= abs(row["bias"]) - 1e-12
    pairs = set(zip(table["data"], table["part"], table["method"], strict=True))
    for name in arguments[2:5]:
        setting = SETTINGS[name]
        expected = {(setting.describe()["data"], *pair) for pair in corrected.parts(setting)}
        assert expected <= pairs
    pd.testing.assert_frame_equal(coverage.main([*arguments, "--report"]), table)


def test_errors_and_misses_by_hand():
    found = pd.DataFrame(
        {
            "setting": "2018_N50_C8", "part": "accuracy", "repetition": [0, 1],
            "method": "BBC", "estimate": [0.6, 0.9], "truth": [0.5, 0.7],
            "low": [0.55, 0.6], "high": [0.65, 0.8],
        }
    )  # fmt: skip
    (row,) = corrected.summarise(corrected.CORRECTED, found).to_dict("records")
    assert row["bias"] == pytest.approx(0.15)
    assert row["rmse"] == pytest.approx(np.sqrt((0.01 + 0.04) / 2))
    assert (row["below"], row["above"], row["rejected"]) == (0.5, 0, False)
    many = pd.concat([found] * 3)
    (row,) = corrected.summarise(corrected.CORRECTED, many).to_dict("records")
    assert row["rejected"]
