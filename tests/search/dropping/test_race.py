"""Who is left: several metrics, ties, and smallest numbers."""

import numpy as np
import pytest

from sklearn_bbc.metrics import as_metric
from sklearn_bbc.search import DropClearlyWorse
from sklearn_bbc.search._racing import LEAST_GROUPS, Race, Standings, batches_of, one_split

N = 120
Y = np.tile([0, 1], N // 2)
FOLDS = np.split(np.arange(N), 4)
TEST = DropClearlyWorse()._lead_test(np.arange(N), False, 0)


def race_of(p, metrics, n_done=2):
    race = Race(len(p), len(FOLDS), TEST)
    for rows in FOLDS[:n_done]:
        oof = one_split(Y, np.array([0, 1]), {"predict_proba": p[race.left][:, rows]}, rows)
        scores = {name: as_metric(name).bind(oof).on_data() for name in metrics}
        race.add(oof, scores, lambda: {name: Standings(as_metric(name)) for name in metrics})
    return race


def probabilities():
    rng = np.random.default_rng(0)
    good = 0.5 + 0.3 * (2 * Y - 1) + rng.uniform(-0.18, 0.18, N)
    ranks_well = good**8 / 2  # the order of the first one, far from calibrated
    poor = rng.uniform(0.3, 0.7, N)
    return np.stack([good, ranks_well, poor, good])


def test_what_leads_in_one_metric_stays_however_bad_in_another():
    p = probabilities()
    assert race_of(p, ["neg_log_loss"]).drop(2).tolist() == [1, 2]
    assert race_of(p, ["roc_auc"]).drop(2).tolist() == [2]
    for metrics in (["roc_auc", "neg_log_loss"], ["neg_log_loss", "roc_auc"]):
        assert race_of(p, metrics).drop(2).tolist() == [2]


def test_with_a_constant_metric_beside_nothing_is_dropped():
    p = probabilities()
    race = Race(4, 4, TEST)
    rows = FOLDS[0]
    oof = one_split(Y, np.array([0, 1]), {"predict_proba": p[:, rows]}, rows)
    constant = as_metric(lambda estimator, X, y: 1.0)
    metrics = {"roc_auc": as_metric("roc_auc"), "constant": constant}
    scores = {"roc_auc": metrics["roc_auc"].bind(oof).on_data(), "constant": np.ones(4)}
    race.add(oof, scores, lambda: {name: Standings(m) for name, m in metrics.items()})
    assert race.drop(1).tolist() == []


def test_numbers_of_splits_are_kept():
    race = race_of(probabilities(), ["roc_auc"])
    race.drop(2)
    assert race.n_splits_done.tolist() == [4, 4, 2, 4]
    assert race.left.tolist() == [0, 1, 3]
    assert race.drop(3).tolist() == []  # nothing new


def test_groups_are_the_units_that_must_be_enough():
    units = np.arange(N) // 15
    assert N // 15 < LEAST_GROUPS
    grouped = DropClearlyWorse()._lead_test(units, True, 0)
    classes = np.array([0, 1])
    assert len(batches_of(FOLDS, Y, classes, grouped)) == 1
    assert len(batches_of(FOLDS, Y, classes, TEST)) == 3


def test_what_was_compared_once_stays_so():
    race = race_of(probabilities(), ["roc_auc"])
    assert not race.compared
    race.drop(2)
    assert race.compared
    for standing in race._standings.values():
        standing.comparable[:] = False
    race.drop(3)
    assert race.compared


def test_by_a_metric_that_compares_nobody_nothing_was_compared():
    race = race_of(probabilities(), ["roc_auc", "accuracy"])
    race._standings["accuracy"].comparable[1:] = False
    race.drop(2)
    assert not race.compared


@pytest.mark.parametrize(("n_groups", "n_batches"), [(9, 1), (10, 2)])
def test_ten_groups_are_enough(n_groups, n_batches):
    units = np.arange(N) % n_groups
    test = DropClearlyWorse(min_predictions=3, min_per_class=2)._lead_test(units, True, 0)
    halves = [np.arange(60), np.arange(60, N)]
    assert len(batches_of(halves, Y, np.array([0, 1]), test)) == n_batches


def test_samples_need_not_be_ten():
    test = DropClearlyWorse(min_predictions=4, min_per_class=2)._lead_test(np.arange(8), False, 0)
    halves = [np.arange(4), np.arange(4, 8)]
    assert batches_of(halves, Y[:8], np.array([0, 1]), test) == [[0], [1]]


def test_each_split_counts_for_every_metric():
    race = race_of(probabilities(), ["roc_auc", "accuracy"], n_done=3)
    assert [len(each.scores) for each in race._standings.values()] == [3, 3]


def test_two_configurations_are_a_comparison():
    race = race_of(probabilities()[:2], ["roc_auc"])
    race.drop(2)
    assert race.compared


def test_tests_without_draws_come_first_and_the_others_look_at_what_they_left(monkeypatch):
    asked = []
    clearly_worse = Standings.clearly_worse

    def remembered(self, test, among):
        asked.append((self.metric.name, among.tolist()))
        return clearly_worse(self, test, among)

    monkeypatch.setattr(Standings, "clearly_worse", remembered)
    race = race_of(probabilities(), ["f1", "roc_auc"])
    race.drop(2)
    assert asked == [("roc_auc", [True] * 4), ("f1", [False, False, True, False])]
