"""The study of pooled predictions: its truths, and the gap that it exists to show."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from benchmarks.studies import pooling
from sklearn_bbc.metrics import within_folds


def drawn(seed, setting):
    return {part.name: part for part in pooling.draw(setting, np.random.SeedSequence(seed), 0)}


def test_every_part_and_method_that_is_announced_is_there():
    setting = pooling.Pooling(40, 5)
    found = [
        (part.name, method)
        for part in drawn(0, setting).values()
        for method in dict(part.intervals)
    ]
    assert sorted(found) == sorted(setting.parts())


def test_without_tuning_pooling_alone_lowers_the_score():
    setting, gaps = pooling.Pooling(80, 10), {"BBC, pooled": [], "BBC, within folds": []}
    for seed in range(2):
        part = drawn(seed, setting)["C = 0.001"]
        best = part.intervals[pooling.BEST_SCORE](0, 0).estimate
        for name, gap in gaps.items():
            gap.append(part.intervals[name](200, 0).estimate - best)
    assert np.mean(gaps["BBC, pooled"]) < -0.04
    assert abs(np.mean(gaps["BBC, within folds"])) < 0.02


def test_the_score_within_folds_is_the_mean_of_equal_folds():
    rng = np.random.default_rng(0)
    y, fold = np.tile([0, 1], 20), np.repeat([0, 1, 2, 3], 10)
    score = y + rng.normal(size=40)
    oof = pooling.OOFPredictions(y_true=y, y_pred=score[:, None], fold=fold)
    kernel = within_folds("roc_auc").bind(oof)
    folds = [roc_auc_score(y[fold == k], score[fold == k]) for k in range(4)]
    everything = np.ones((1, 40), dtype=int)
    assert kernel.scores(everything)[0, 0] == pytest.approx(np.mean(folds), rel=1e-12)


def test_winners_of_the_testbed_have_their_truth(shared):
    setting = pooling.POOLING_TUNED.settings["lin_50_10_s1"]
    seed = np.random.SeedSequence(0, spawn_key=(1, 4)).spawn(1)[0]
    (part,) = pooling.draw_stored(setting, seed, 0)
    tuned = setting.draw(seed, 0)
    assert part.truths["truth"] in tuned.truth["roc_auc"]
    assert list(part.intervals) == [*pooling.OF_TUNED, pooling.BEST_SCORE]
    best = part.intervals[pooling.BEST_SCORE](0, 0)
    corrected = part.intervals["BBC, within folds"](60, 0)
    assert best.low == best.high > corrected.estimate
