"""The study of curves of survival times: its truth, its parts, and a run that makes a table."""

import numpy as np
import pytest

from benchmarks import coverage
from benchmarks.studies import survival_curves
from benchmarks.studies.survival_curves import (
    LAST,
    NAMES,
    SETTINGS,
    STEPS,
    SURVIVAL_CURVES,
    Censored,
    draw,
)
from sklearn_bbc.metrics import dynamic_auc_score

SEED = np.random.SeedSequence(1)


def test_parts_are_those_that_are_announced():
    setting = SETTINGS["censored0.4_N100"]
    found = [(part.name, method) for part in draw(setting, SEED, 0) for method in part.intervals]
    assert found == SURVIVAL_CURVES.parts(setting)


@pytest.mark.parametrize("share", LAST)
def test_a_quarter_is_followed_beyond_the_last_time(share):
    rng = np.random.default_rng(0)
    _, time = Censored(share, 1).sample(rng, 40_000)
    end = rng.exponential(1 / survival_curves.RATES[share], 40_000)
    assert (time > end).mean() == pytest.approx(share, abs=0.02)
    assert (np.minimum(time, end) > LAST[share]).mean() == pytest.approx(0.25, abs=0.01)


def test_the_truth_is_the_curve_of_the_refitted_model_on_new_samples(monkeypatch):
    asked = {}
    monkeypatch.setattr(
        survival_curves, "band_of", lambda curve, oof, scoring, y_new, new_scores:
        asked.update({curve.name: (curve, oof, y_new, new_scores)})
    )  # fmt: skip
    list(draw(SETTINGS["censored0.2_N300"], SEED, 0))
    times = LAST[0.2] * STEPS
    curve, oof, y_new, new_scores = asked["auc_over_time"]
    assert 0.1 < 1 - oof.y_true[:, 0].mean() < 0.3 and y_new[:, 0].all()
    scores = new_scores(3)
    found = curve.values(y_new, scores, np.ones((1, len(y_new))), times)[0]
    assert found[-1] == pytest.approx(dynamic_auc_score(y_new, scores, times=times[-1]), abs=1e-12)
    risks = asked["brier_over_time"][3](3)
    assert risks.shape == (len(y_new), 10) and (np.diff(risks, axis=1) >= 0).all()
    np.testing.assert_array_equal(asked["survival_calibration"][3](3), risks[:, -1])
    died = y_new[:, 1] <= times[-1]
    assert risks[died, -1].mean() > risks[~died, -1].mean() + 0.1


def test_a_small_run(tmp_path):
    table = coverage.main(
        ["survival_curves", "--settings", "censored0.4_N100", "--repetitions", "2",
         "--n-bootstraps", "50", "--output", str(tmp_path)]
    )  # fmt: skip
    assert table["curve"].tolist() == [*NAMES]
    assert table["joint"].between(0, 1).all() and (table["runs"] == 2).all()
    assert (table["width"] > 0).all() and (table["censored"] == 0.4).all()
