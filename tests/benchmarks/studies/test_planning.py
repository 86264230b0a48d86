"""The study of predicted widths: its models, its parts, and the table."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from benchmarks.studies import planning
from sklearn_bbc import BBC


def test_models_are_as_good_as_said():
    rng = np.random.default_rng(0)
    y, scores = planning.Fixed("one better").sample(rng, 20_000)
    areas = [roc_auc_score(y, column) for column in scores.T]
    assert np.ptp(areas[:-1]) < 0.02 < areas[-1] - max(areas[:-1])
    y, scores = planning.Fixed("spread", 0.15).sample(rng, 20_000)
    assert y.mean() == pytest.approx(0.15, abs=0.01)
    areas = [roc_auc_score(y, column) for column in scores.T]
    assert areas == sorted(areas) or np.all(np.diff(areas) > -0.01)


def test_every_part_is_announced_and_compares_a_prediction_with_a_real_study(monkeypatch):
    monkeypatch.setattr(planning, "METRICS", ("accuracy",))
    setting = planning.SETTINGS["spread"]
    parts = list(planning.draw(setting, np.random.SeedSequence(0), 1))
    announced = planning.PLANNING.parts(setting)
    assert [(part.name, method) for part in parts for method in part.intervals] == announced
    small, large = parts[0], parts[-1]
    assert (small.name, large.name) == ("accuracy, 50", "accuracy, 400")
    found = {part.name: {m: run(200, 3).estimate for m, run in part.intervals.items()}
             for part in (small, large)}  # fmt: skip
    for widths in found.values():
        assert widths[planning.PREDICTED] == pytest.approx(widths[planning.REAL], rel=0.5)
    laws = [found[part.name][planning.LAW] for part in (small, large)]
    assert laws[0] / laws[1] == pytest.approx(np.sqrt(8))
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(0)))
    setting.study(rng, 100)
    real = BBC(n_bootstraps=200, random_state=3).estimate(setting.study(rng, 50), "accuracy")
    assert found[small.name][planning.REAL] == real.width


def test_the_table_has_the_ratio_of_medians():
    found = pd.DataFrame(
        {
            "setting": "equal", "part": "roc_auc, 50", "repetition": [0, 1, 2] * 3,
            "method": np.repeat([planning.PREDICTED, planning.LAW, planning.REAL], 3),
            "estimate": [0.2, 0.22, 0.3, 0.4, 0.4, 0.4, 0.1, 0.2, 0.9],
        }
    )  # fmt: skip
    (row,) = planning.summarise(planning.PLANNING, found).to_dict("records")
    assert (row["width"], row["predicted"], row["size"], row["runs"]) == (0.2, 0.22, 50, 3)
    assert row["ratio"] == pytest.approx(1.1) and row["ratio, law"] == pytest.approx(2)
    assert not row["is near"] or row["ratio"] <= 1.1
