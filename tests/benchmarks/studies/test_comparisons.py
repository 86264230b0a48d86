"""The study of comparisons: truths by their formula, and every announced method is there."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import accuracy_score, roc_auc_score

from benchmarks import coverage
from benchmarks.data.blocks import Blocks, ridge, subsets
from benchmarks.studies import comparisons

SEED = np.random.SeedSequence(1)


def test_true_scores_are_those_of_a_large_sample():
    blocks = Blocks(8, 1.2, 0.6)
    rng = np.random.default_rng(0)
    X, y = blocks.sample(60000, rng)
    weights, offset = rng.normal(size=(2, 8)) + 0.3, np.array([0.2, -0.4])
    for side in (0, 1):
        truth = blocks.truth(side, weights, offset)
        for k in range(2):
            scores = X[side] @ weights[k] + offset[k]
            assert truth["roc_auc"][k] == pytest.approx(roc_auc_score(y, scores), abs=0.008)
            assert truth["accuracy"][k] == pytest.approx(accuracy_score(y, scores > 0), abs=0.008)


def test_ridge_is_scikit_learns():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 6)), np.arange(30) % 2
    features = subsets(6, 3)
    weights, offset = ridge(X, y, (0.5, 20.0), features)
    assert weights.shape == (6, 6) and [len(f) for f in features] == [6, 3, 3]
    for row, (of_subset, penalty) in enumerate((f, p) for f in features for p in (0.5, 20.0)):
        model = Ridge(alpha=penalty).fit(X[:, of_subset], 2 * y - 1)
        np.testing.assert_allclose(weights[row, of_subset], model.coef_, atol=1e-10)
        assert offset[row] == pytest.approx(model.intercept_)


@pytest.mark.parametrize("name", [*comparisons.SETTINGS])
def test_every_method_that_is_announced_is_there(name):
    setting = comparisons.SETTINGS[name]
    found = list(comparisons.draw(setting, SEED, 0))
    pairs = [(part.name, method) for part in found for method in part.intervals]
    assert pairs == comparisons.COMPARISONS.parts(setting)
    for part in found:
        for run in part.intervals.values():
            assert 0 <= run(40, 0).estimate <= 1


def test_sides_are_equal_or_not_by_construction():
    null = {name for name, setting in comparisons.SETTINGS.items() if setting.is_null}
    assert null == {name for name in comparisons.SETTINGS if "equal" in name or "noise" in name}
    part, *_ = comparisons.draw(comparisons.SETTINGS["default_noise_60"], SEED, 0)
    assert part.truths["difference"] == 0


def test_ties_in_full_is_the_former_count():
    part, *_ = comparisons.draw(comparisons.SETTINGS["few_differ_different_200"], SEED, 0)
    now, before = (part.intervals[name](500, 3) for name in ("compare", "ties in full"))
    assert now.estimate < before.estimate and before.low <= now.low


def test_frozen_predictions_are_as_good_as_announced():
    y = np.arange(20000) % 2
    rng = np.random.default_rng(0)
    searches = comparisons.FrozenSearches(20000, (0.70, 0.78))
    areas = [roc_auc_score(y, pred[:, 5]) for pred in searches._predictions(y, rng)]
    assert areas == pytest.approx([0.70, 0.78], abs=0.01)
    labels = comparisons.FewDiffer(20000, (0.045, 0.005))._predictions(y, rng)
    right = [(pred[:, 0] == y) for pred in labels]
    only = [np.mean(right[0] & ~right[1]), np.mean(right[1] & ~right[0])]
    assert only == pytest.approx([0.045, 0.005], abs=0.004)


def test_the_table_counts_rejections(tmp_path, capsys):
    command = ["comparisons", "--settings", "fixed_equal_60", "--repetitions", "3",
               "--n-bootstraps", "40", "--output", str(tmp_path)]  # fmt: skip
    table = coverage.main(command).set_index(["part", "method"])
    journal = pd.read_csv(tmp_path / "journal" / "comparisons.csv")
    of = journal[(journal["part"] == "roc_auc") & (journal["method"] == "corrected t")]
    row = table.loc[("roc_auc", "corrected t")]
    assert row["runs"] == 3 and row["rejected"] == (of["estimate"] <= 0.05).mean()
    assert row["coverage"] == ((of["low"] <= 0) & (of["high"] >= 0)).mean()
    assert (tmp_path / "comparisons.csv").is_file() and "too_often" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        coverage.main(["comparisons", "--settings", "nothing", "--output", str(tmp_path)])
    assert "invalid choice: 'nothing'" in capsys.readouterr().err
