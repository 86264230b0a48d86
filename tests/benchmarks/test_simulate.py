"""The simulation has the truth that it says it has."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from benchmarks.published import table2
from benchmarks.simulate import TABLE2, Setting, main, simulate
from sklearn_bbc import OOFPredictions


def draw(setting, seed=0):
    return simulate(setting, np.random.SeedSequence(seed))


def test_the_table_has_the_published_settings(shared):
    import pandas as pd

    published = pd.read_csv(shared / "reference" / "reference_simulation.csv")
    columns = ["alpha", "beta", "N", "C", "balance"]
    expected = published[columns].drop_duplicates().to_numpy().tolist()
    ours = [[s.alpha, s.beta, s.n_samples, s.n_configs, s.balance] for s in TABLE2]
    assert ours == expected


@pytest.mark.parametrize(
    "n_samples, balance, n_folds, per_fold",
    [(500, 0.1, 10, [5]), (500, 0.5, 10, [25]), (50, 0.1, 5, [1]), (50, 0.5, 10, [2, 3])],
)
def test_classes_have_fixed_sizes_and_a_share_in_every_fold(n_samples, balance, n_folds, per_fold):
    oof, truth = draw(Setting(24, 6, n_samples, 7, balance))
    assert (oof.y_true == 0).sum() == round(n_samples * balance)
    assert truth.shape == (7,)
    assert oof.n_splits == n_folds
    counts = np.bincount(oof.fold[oof.y_true == 0])
    assert sorted(set(counts)) == per_fold


def test_scores_have_their_true_auc():
    oof, truth = draw(Setting(9, 6, 20000, 6, 0.3))
    scores = oof.matrix("roc_auc")
    empirical = [roc_auc_score(oof.y_true, column) for column in scores.T]
    # The standard error of an AUC is at most 0.5 / sqrt(6000) here.
    np.testing.assert_allclose(empirical, truth, atol=0.02)
    assert np.ptp(truth) > 0.1


def test_the_truth_follows_its_distribution_and_configurations_are_independent():
    oof, truth = draw(Setting(24, 6, 50, 4000, 0.5))
    assert truth.mean() == pytest.approx(0.8, abs=0.005)
    assert truth.std() == pytest.approx(np.sqrt(0.8 * 0.2 / 31), rel=0.05)
    scores = oof.matrix("roc_auc")
    noise = scores - np.where(oof.y_true[:, None] == 0, scores[oof.y_true == 0].mean(axis=0), 0)
    correlation = np.corrcoef(noise[:, :200], rowvar=False)
    assert abs(correlation[np.triu_indices(200, 1)].mean()) < 0.01


def test_a_data_set_depends_on_its_own_seed_only():
    setting = TABLE2[5]
    first, again, other = draw(setting, 1), draw(setting, 1), draw(setting, 2)
    np.testing.assert_array_equal(first[0].matrix("roc_auc"), again[0].matrix("roc_auc"))
    assert not np.array_equal(first[1], other[1])


def test_the_command_writes_the_data_sets_of_table_2(tmp_path, monkeypatch, capsys):
    arguments = [
        "--rows",
        "13",
        "29",
        "--repetitions",
        "2",
        "--seed",
        "5",
        "--output",
        str(tmp_path),
    ]
    files = main(arguments)
    assert "4 of 4" in capsys.readouterr().err
    assert sorted(files) == sorted(tmp_path.iterdir()), "nothing half written is left"

    drawn = []

    def spy(setting, seed):
        drawn.append(simulate(setting, seed))
        return drawn[-1]

    monkeypatch.setattr(table2, "simulate", spy)
    for row, path in zip((13, 29, 13, 29), files, strict=True):
        assert f"row{row}" in path.name
        table2.one_data_set(row, int(path.stem[-4:]), (), 5, 10, "")
        oof, truth = drawn[-1]
        loaded = OOFPredictions.load(path)
        metric = table2.ROWS[row - 1].scoring
        np.testing.assert_array_equal(loaded.matrix(metric), oof.matrix(metric))
        np.testing.assert_array_equal(loaded.y_true, oof.y_true)
        np.testing.assert_array_equal(loaded.fold, oof.fold)
        assert [params["true_auc"] for params in loaded.params] == truth.tolist()


def test_the_command_goes_on_after_a_kill(tmp_path, capsys):
    arguments = ["--rows", "13", "--repetitions", "3", "--output", str(tmp_path)]
    first, second, third = main(arguments)
    text = third.read_bytes()
    third.unlink()
    third.with_suffix(".part.npz").write_bytes(b"half a file")
    first.write_bytes(b"is left alone")
    capsys.readouterr()
    assert main(arguments) == [first, second, third]
    assert "2 of 3 were there already" in capsys.readouterr().err
    assert first.read_bytes() == b"is left alone"
    assert OOFPredictions.load(third).n_configs == 100
    assert len(third.read_bytes()) == len(text)
    assert len([*tmp_path.iterdir()]) == 3
    assert main(["--seed", "1", *arguments])[0] != first, "another seed has files of its own"


def test_the_command_stands_alone(repository, tmp_path):
    done = subprocess.run(
        [sys.executable, "benchmarks/simulate.py", "--rows", "13", "--repetitions", "2",
         "--output", str(tmp_path)],
        cwd=repository, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "2 of 2" in done.stderr
    assert len([*tmp_path.glob("*.npz")]) == 2
