"""PairedTest and their standard errors against scipy and DeLong's method."""

import numpy as np
import pytest
from scipy import stats

from sklearn_bbc.intervals._auc import auc_parts
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.search._racing import Influence, PairedTest, one_split

RNG = np.random.default_rng(1)
N = 60
Y = np.tile([0, 1, 1], N // 3)
P = RNG.uniform(size=(4, N)) * 0.6 + 0.4 * Y * np.array([1, 0.8, 0.4, 0])[:, None]
FOLDS = np.arange(N) % 5


def splits(metric, p=P, y=Y, folds=FOLDS, classes=(0, 1)):
    parts = []
    for fold in np.unique(folds):
        rows = np.flatnonzero(folds == fold)
        oof = one_split(y, np.array(classes), {"predict_proba": p[:, rows]}, rows)
        parts.append(Influence.of(oof, as_metric(metric).bind(oof)))
    return parts


def leads(parts, leader=0, units=None, n=N):
    units_ = np.arange(n) if units is None else units
    return PairedTest.of(parts, leader, units_, grouped=units is not None)


def test_a_mean_over_samples_is_scipys_paired_t_test():
    found = leads(splits("neg_brier_score"))
    losses = (P - Y) ** 2
    for config in (1, 2, 3):
        t = stats.ttest_rel(losses[config], losses[0], alternative="greater")
        assert found.lead[config] / found.standard_error[config] == pytest.approx(t.statistic)
        assert found.degrees[config] == pytest.approx(N - 1)
        for level in (1 - t.pvalue * 1.01, 1 - t.pvalue * 0.99):
            assert found.are_clear(level)[config] == (1 - level > t.pvalue)


def test_the_area_under_the_curve_of_one_split_is_delongs():
    parts = splits("roc_auc", folds=np.zeros(N, dtype=int))
    found = leads(parts, leader=1)
    covariance = auc_parts(P, Y == 1).covariance()
    for config in (0, 2, 3):
        variance = covariance[1, 1] + covariance[config, config] - 2 * covariance[1, config]
        assert found.standard_error[config] == pytest.approx(np.sqrt(variance))


def test_of_several_splits_the_mean_area_is_compared():
    parts = splits("roc_auc")
    found = leads(parts)
    of_splits = np.array([each.score for each in parts])
    np.testing.assert_allclose(found.lead, of_splits[:, [0]].mean(0) - of_splits.mean(0))


def test_the_area_of_another_scale_in_each_split_is_the_same():
    """A model's scores are compared with those of the same split only."""
    p = P * (0.1 + 0.2 * FOLDS) / 2
    moved, found = leads(splits("roc_auc", p=p)), leads(splits("roc_auc"))
    np.testing.assert_allclose(moved.standard_error, found.standard_error)


def test_a_sample_in_two_repeats_counts_once():
    once = splits("neg_brier_score")
    found, twice = leads(once), leads(once + once)
    np.testing.assert_allclose(twice.standard_error, found.standard_error)
    np.testing.assert_allclose(twice.degrees, found.degrees)


def test_of_groups_the_sums_are_compared():
    groups = np.arange(N) // 4
    found = leads(splits("neg_brier_score"), units=groups)
    difference = (P[2] - Y) ** 2 - (P[0] - Y) ** 2
    sums = difference.reshape(-1, 4).mean(axis=1)
    assert found.standard_error[2] == pytest.approx(stats.sem(sums))
    assert found.degrees[2] == N / 4 - 1


def test_equal_configurations_are_level_and_a_constant_lead_is_clear():
    y = np.zeros(N, dtype=int)
    p = np.stack([np.full(N, 0.4), np.full(N, 0.4), np.full(N, 0.7)])
    found = leads(splits("accuracy", p=p, y=y))
    assert found.lead.tolist() == pytest.approx([0, 0, 1])
    assert found.standard_error.tolist() == [0, 0, 0]
    assert found.are_clear(0.99).tolist() == [False, False, True]


def test_what_has_no_score_leads_nobody_behind():
    p = P.copy()
    p[3, 7] = np.nan
    assert not leads(splits("roc_auc", p=p)).are_clear(0.6)[3]


def test_equal_configurations_are_dropped_about_as_often_as_the_level_says():
    """Two configurations without any difference, the first one taken as the leader."""
    rng = np.random.default_rng(5)
    clear = 0
    two = np.arange(N) // (N // 2)
    for _ in range(300):
        p = rng.uniform(size=(2, N))
        clear += bool(leads(splits("roc_auc", p=p, folds=two)).are_clear(0.95)[1])
    assert 3 <= clear <= 30  # 15 expected, four standard errors of 3.8


def by_hand(values, mass, cells):
    """Standard error of the lead of the first configuration over the second, by cells."""
    difference = values[0] - values[1]
    deviation = (difference - difference @ mass) * mass
    sums = np.array([deviation[cells == cell].sum() for cell in np.unique(cells)])
    return np.sqrt((sums**2).sum() * len(sums) / (len(sums) - 1))


def test_rows_of_a_group_are_added_up_before_they_are_squared():
    groups = np.arange(N) // 4
    parts = splits("neg_brier_score", folds=np.zeros(N, dtype=int))
    found = leads(parts, units=groups)
    values = -((P - Y) ** 2)
    mass = np.full(N, 1 / N)
    assert found.standard_error[1] == pytest.approx(by_hand(values[:2], mass, groups))
    assert found.degrees[1] == pytest.approx(N / 4 - 1)


def test_both_classes_of_a_group_are_one_unit_of_the_area_under_the_curve():
    groups = np.arange(N) // 6  # of each class some
    (part,) = splits("roc_auc", folds=np.zeros(N, dtype=int))
    found = leads([part], units=groups)
    difference = part.values[0] - part.values[1]
    lead = part.score[0] - part.score[1]
    deviation = (difference - lead) * part.mass
    sums = np.bincount(groups, deviation)
    n = len(sums)
    assert found.standard_error[1] == pytest.approx(np.sqrt((sums**2).sum() * n / (n - 1)))


def test_what_large_values_leave_of_a_difference_is_rounding():
    values = np.array([[0.0, 0.0, 0.0], [1e8, -1e8, -3e-8]])
    part = Influence(
        values, values.mean(axis=1), np.full(3, 1 / 3), np.zeros(3, dtype=int), np.arange(3)
    )
    assert part.score[0] > part.score[1]
    assert leads([part], n=3).lead.tolist() == [0, 0]


def part_of(values, mass=None, score=None, stratum=None):
    """Influence that are written down."""
    values = np.array(values, dtype=float)
    n = values.shape[1]
    mass = np.full(n, 1 / n) if mass is None else np.array(mass)
    return Influence(
        values,
        values @ mass if score is None else np.array(score, dtype=float),
        mass,
        np.zeros(n, dtype=int) if stratum is None else np.array(stratum),
        np.arange(n),
    )


def test_two_samples_by_hand():
    found = leads([part_of([[3, 5], [0, 4]])], n=2)
    assert found.lead.tolist() == [0, 2]
    assert found.standard_error.tolist() == [0, 1]  # differences 3 and 1
    assert found.degrees[1] == 1
    # P(t > 2) of Student's distribution with one degree is 1/2 - arctan(2)/pi = 0.1476.
    assert [found.are_clear(level)[1] for level in (0.85, 0.86)] == [True, False]


@pytest.mark.parametrize("alone", [0, 3])
def test_one_sample_of_either_class_makes_no_lead_clear(alone):
    stratum = np.where(np.arange(4) == alone, 1 if alone else 0, 0 if alone else 1)
    part = part_of(
        [[9, 9, 9, 9], [0, 1, 0, 1]],
        mass=np.where(np.arange(4) == alone, 1, 1 / 3),
        score=[9, 0.5],
        stratum=stratum,
    )
    found = leads([part], n=4)
    assert found.lead.tolist() == [0, 8.5]
    assert np.isinf(found.standard_error).all() and np.isnan(found.degrees).all()
    assert not found.are_clear(0.51).any()


@pytest.mark.parametrize("grouped", [False, True])
def test_a_sample_without_weight_is_as_good_as_absent(grouped):
    values = np.array([[3.0, 5, 4, 7], [0, 4, 3, 9]])
    units = np.arange(4)
    full = PairedTest.of([part_of(values, mass=[0.25, 0.25, 0.5, 0])], 0, units, grouped=grouped)
    part = PairedTest.of(
        [part_of(values[:, :3], mass=[0.25, 0.25, 0.5])], 0, units, grouped=grouped
    )
    assert full.standard_error[1] == part.standard_error[1]
    assert full.degrees[1] == part.degrees[1] == 2


def test_rows_of_a_group_in_one_split_and_in_several_add_up():
    values = np.array([[3.0, 5, 4, 7, 1, 2], [0, 4, 3, 9, 0, 0]])
    units = np.array([0, 0, 1, 1, 2, 2])
    one = PairedTest.of([part_of(values)], 0, units, grouped=True)
    halves = []
    for rows in (np.array([0, 2, 4]), np.array([1, 3, 5])):
        half = part_of(values[:, rows], score=[1, 0])
        halves.append(Influence(half.values, half.score, half.mass, half.stratum, rows))
    two = PairedTest.of(halves, 0, units, grouped=True)
    # Differences by group: 4, -1, 3; two of six samples each, so a mean of 1 is theirs.
    assert one.lead[1] == pytest.approx(1)
    assert one.standard_error[1] == pytest.approx(stats.sem([2, -0.5, 1.5]))
    assert two.standard_error[1] == pytest.approx(one.standard_error[1])
    assert one.degrees[1] == pytest.approx(2)
