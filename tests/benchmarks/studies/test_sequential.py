"""Data of the study of systems that are scored item by item, and the package beside them."""

import sys
from importlib import metadata
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.studies import sequential
from benchmarks.studies.sequential import ADASTOP_STUDY, SEQUENTIAL, Simulated, adastop


@pytest.mark.parametrize("name", SEQUENTIAL.settings)
def test_the_best_one_is_last_and_scores_are_within_the_range(name):
    setting = SEQUENTIAL.settings[name]
    scores, truth = setting.draw(np.random.default_rng(0))
    assert scores.shape == (setting.n_items, setting.n_systems)
    assert truth[-1] == truth.max()
    assert scores.to_numpy().min() >= 0 and scores.to_numpy().max() <= 1


@pytest.mark.parametrize("data", ["mostly alike", "copies", "right or wrong", "drift"])
def test_true_means_are_those_of_many_items(data):
    setting = Simulated(data, 200_000, 4, "spread")
    scores, truth = setting.draw(np.random.default_rng(0))
    np.testing.assert_allclose(scores.mean(), truth, atol=0.005)


def test_ties():
    scores, _ = Simulated("mostly alike", 2000, 5, "one ahead").draw(np.random.default_rng(0))
    assert (scores.nunique(axis=1) == 1).mean() > 0.9
    copies, truth = Simulated("copies", 100, 4, "spread").draw(np.random.default_rng(0))
    assert (copies["s0"] == copies["s1"]).all() and (copies["s2"] == copies["s3"]).all()
    assert truth[0] == truth[1] < truth[2] == truth[3]


class Comparator:
    """Stands in for the package: finds system 2 to be larger than system 0 at the second look."""

    def __init__(self, n, K, alpha, seed):
        assert (n, K, alpha) == (5, 10, 0.05)
        self.k, self.is_finished = 0, False
        self.comparisons = np.array([(0, 1), (0, 2), (1, 2)])
        self.decisions = dict.fromkeys(map(str, self.comparisons), "equal")

    def partial_compare(self, values, verbose):
        self.k += 1
        assert [len(each) for each in values.values()] == [5 * self.k] * 3
        self.current_comparisons = self.comparisons[:1] if self.k == 2 else self.comparisons
        if self.k == 2:
            self.decisions["[0 2]"] = "smaller"
        self.is_finished = self.k == 3


def test_adastop_drops_what_is_found_to_be_smaller(monkeypatch):
    monkeypatch.setattr(metadata, "version", lambda name: "0.1.3")
    monkeypatch.setitem(
        sys.modules, "adastop", SimpleNamespace(MultipleAgentsComparator=Comparator)
    )
    alive, used, stopped = adastop(np.zeros((500, 3)))
    assert alive.tolist() == [False, True, True]
    assert (used, stopped) == (50 * (3 + 3 + 2), 150)
    monkeypatch.setattr(metadata, "version", lambda name: "9.0")
    with pytest.raises(ValueError, match=r"adastop 9.0 is installed"):
        adastop(np.zeros((500, 3)))


def test_adastop_is_run_only_in_its_own_study(monkeypatch):
    monkeypatch.setattr(
        sequential, "adastop", lambda scores: (np.ones(scores.shape[1], bool), scores.size, 500)
    )
    name, setting = next(iter(ADASTOP_STUDY.settings.items()))
    for study in (SEQUENTIAL, ADASTOP_STUDY):
        drawn = study.draw(study.settings[name], np.random.SeedSequence(0), 0)
        found = {(part.name, method) for part in drawn for method in part.intervals}
        assert found == set(study.parts(setting))
