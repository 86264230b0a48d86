"""Counts that each way to draw groups gives."""

import numpy as np

from benchmarks.published.replication import LinearQuantile
from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals._holdout import GROUP_BOOTSTRAPS
from sklearn_bbc.metrics import as_metric

GROUPS = np.repeat(np.arange(6), 4)
OOF = OOFPredictions(y_true=np.arange(24) % 2, y_pred=np.arange(24) % 3 > 0, groups=GROUPS)


def counts(name, random_state=0, oof=OOF):
    draws = GROUP_BOOTSTRAPS[name]().draws(
        oof, as_metric("accuracy").bind(oof), method="test", n_bootstraps=200,
        random_state=random_state, n_jobs=None,
    )  # fmt: skip
    return draws.map(lambda counts: counts)


def test_whole_groups_are_drawn_together():
    drawn = counts("cluster").reshape(200, 6, 4)
    assert (drawn == drawn[:, :, :1]).all()
    assert (drawn[:, :, 0].sum(axis=1) == 6).all() and drawn.max() > 1


def test_samples_are_drawn_within_the_drawn_groups():
    drawn = counts("two-stage").reshape(200, 6, 4)
    of_groups = drawn.sum(axis=2)
    assert (of_groups % 4 == 0).all() and (of_groups.sum(axis=1) == 24).all()
    assert (drawn != drawn[:, :, :1]).any()


def test_published_draws_know_no_seed_and_have_their_own_percentiles():
    np.testing.assert_array_equal(counts("ferrer-riera", 0), counts("ferrer-riera", 1))
    kind = GROUP_BOOTSTRAPS["ferrer-riera"]()
    assert isinstance(kind.quantile("percentile"), LinearQuantile)
    assert kind.quantile("basic") is None is GROUP_BOOTSTRAPS["cluster"]().quantile("percentile")
