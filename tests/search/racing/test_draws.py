"""The paired bootstrap for metrics without a formula."""

import numpy as np
import pytest
from sklearn.metrics import f1_score, make_scorer

from sklearn_bbc import OOFPredictions
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.search import DropClearlyWorse, _racing
from sklearn_bbc.search._racing import (
    RaceSettings,
    behind_in_draws,
    of_configs,
    split_of,
    together,
)

RNG = np.random.default_rng(3)
N = 100
Y = np.tile([0, 1], N // 2)


def predictions(signals, rng=RNG):
    score = np.array(signals) * Y[:, None] + rng.normal(size=(N, len(signals)))
    labels = (score > np.array(signals) / 2).astype(int)
    oof = OOFPredictions(y_true=Y, y_pred=labels, fold=np.arange(N) % 5)
    return together([split_of(oof, k, np.arange(len(signals))) for k in range(5)])


def behind(oof, metric="f1", level=0.99, n_bootstraps=200, n_jobs=None, seed=1):
    """The first configuration is the leader."""
    rule = DropClearlyWorse(confidence_level=level, n_bootstraps=n_bootstraps)
    settings = RaceSettings.of(rule, oof.groups, oof.n_samples, seed, n_jobs)
    turned = of_configs(oof, np.arange(oof.n_configs)[::-1])
    return behind_in_draws(turned, as_metric(metric), settings, key=0)[::-1]


def test_only_what_is_clearly_worse_is_behind():
    oof = predictions([4, 3.9, 0])
    assert behind(oof).tolist() == [False, False, True]


def test_ties_never_count_as_a_lead():
    oof = predictions([3, 0])
    same = oof._with_fields(responses={k: v[[0, 0]] for k, v in oof.responses.items()})
    assert not behind(same).any()
    assert not behind(predictions([3, 0]), make_scorer(lambda y, p: 0.5), n_bootstraps=99).any()


def test_a_scorer_without_a_kernel_is_called_again():
    oof = predictions([4, 0])
    replayed = make_scorer(lambda y, p: f1_score(y, p, zero_division=0))
    assert behind(oof, replayed, level=0.9, n_bootstraps=10).tolist() == [False, True]


def test_looking_first_at_a_few_draws_changes_no_outcome(monkeypatch):
    """The second look adds to the first; nobody is left out who could still be behind."""
    oof = predictions([2, 1.5, 1.2, 1, 0.8, 0.5, 0], np.random.default_rng(4))
    drawn = []
    of_all = _racing._times_ahead

    def remembered(*arguments):
        found = of_all(*arguments)
        drawn.append((arguments[0].n_configs, found))
        return found

    monkeypatch.setattr(_racing, "_times_ahead", remembered)
    found = behind(oof, level=0.9)
    assert found.any() and not found.all()
    (n_first, first), (n_second, second) = drawn
    assert n_first == 7 > n_second
    most = 19  # (1 + 19) / 201 <= 0.1
    missed = 64 - first
    left = np.union1d(np.flatnonzero(missed <= most), [6])  # the leader is the last one here
    total = missed[left] + 136 - second
    expected = set(left[total <= most]) - {6}
    assert set(6 - np.flatnonzero(found)) == expected


def test_any_number_of_jobs_gives_the_same():
    oof = predictions([2, 1.5, 1.2, 1, 0.8])
    np.testing.assert_array_equal(behind(oof, level=0.8), behind(oof, level=0.8, n_jobs=2))
    tests = {tuple(behind(oof, level=0.8, seed=seed)) for seed in (1, 1)}
    assert len(tests) == 1


def test_the_share_of_the_published_test_is_the_level():
    """BBCD-CV drops where the leader is ahead in more than 99% of the draws, ties not counted."""
    oof = predictions([3, 1.5])
    turned = of_configs(oof, np.array([1, 0]))
    n_ahead = _racing._times_ahead(turned, as_metric("f1"), 64, (1, 0), None)[0]
    p = (1 + 64 - n_ahead) / 65
    for level, expected in ((1 - p - 1e-6, True), (1 - p + 1e-6, False)):
        assert behind(oof, level=level, n_bootstraps=64)[1] == expected


def test_equal_configurations_are_dropped_about_as_often_as_the_level_says():
    rng = np.random.default_rng(7)
    dropped = sum(
        bool(behind(predictions([1, 1], rng), level=0.9, n_bootstraps=60)[1]) for _ in range(100)
    )
    assert 1 <= dropped <= 22  # 10 expected, four standard errors of 3


@pytest.mark.parametrize("metric", ["balanced_accuracy", "matthews_corrcoef"])
def test_draws_without_a_class_are_drawn_again(metric):
    y = np.zeros(N, dtype=int)
    y[:2] = 1
    oof = OOFPredictions(
        y_true=y, y_pred=np.stack([y, np.zeros(N, int)], axis=1), fold=np.arange(N) % 2
    )
    assert behind(oof, metric).tolist() == [False, True]
