"""Leads and their standard errors against scipy and DeLong's method."""

import warnings

import numpy as np
import pytest
from scipy import stats

from sklearn_bbc.intervals._auc import auc_parts
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.search._racing import Contributions, Leads, one_split

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
        parts.append(Contributions.of(oof, as_metric(metric).bind(oof)))
    return parts


def leads(parts, leader=0, units=None, n=N):
    units_ = np.arange(n) if units is None else units
    return Leads.of(parts, leader, units_, grouped=units is not None)


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


def test_one_sample_of_a_class_shows_no_spread():
    y = np.zeros(N, dtype=int)
    y[0] = 1
    parts = splits("roc_auc", y=y, folds=np.zeros(N, dtype=int))
    assert not leads(parts).are_clear(0.6).any()


def test_blocks_of_configurations_make_no_difference(monkeypatch):
    parts = splits("roc_auc")
    found = leads(parts)
    monkeypatch.setattr("sklearn_bbc.search._racing.AT_ONCE", 1)
    again = leads(parts)
    np.testing.assert_allclose(found.standard_error, again.standard_error, rtol=1e-14)


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
    part = Contributions(
        values, values.mean(axis=1), np.full(3, 1 / 3), np.zeros(3, dtype=int), np.arange(3)
    )
    assert part.score[0] > part.score[1]
    assert leads([part], n=3).lead.tolist() == [0, 0]


def test_equal_configurations_raise_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = leads(splits("neg_brier_score", p=np.stack([P[0], P[0]])))
    assert found.standard_error.tolist() == [0, 0] and found.lead.tolist() == [0, 0]


def part_of(values, mass=None, score=None, stratum=None):
    """Contributions that are written down."""
    values = np.array(values, dtype=float)
    n = values.shape[1]
    mass = np.full(n, 1 / n) if mass is None else np.array(mass)
    return Contributions(
        values,
        values @ mass if score is None else np.array(score, dtype=float),
        mass,
        np.zeros(n, dtype=int) if stratum is None else np.array(stratum),
        np.arange(n),
    )


EPS = np.finfo(float).eps


@pytest.mark.parametrize(
    ("size", "lead", "expected"),
    [
        (1, 16 * EPS, 0),
        (1, 16.5 * EPS, 16.5 * EPS),
        (1, -16 * EPS, 0),
        (4, 64 * EPS, 0),
        (4, 66 * EPS, 66 * EPS),
        (0.25, 5 * EPS, 5 * EPS),
    ],
)
@pytest.mark.parametrize("large", ["leader", "other"])
@pytest.mark.parametrize("split", [0, 1])
def test_a_lead_within_sixteen_roundings_of_the_largest_value_is_none(
    size, lead, expected, large, split
):
    values = np.zeros((2, 2, 3))
    values[split, 0 if large == "leader" else 1, 1] = -size
    found = leads([part_of(each, score=[lead, 0]) for each in values], n=3)
    assert found.lead.tolist() == [0, expected]


def test_only_the_values_of_the_two_that_are_compared_count_as_large():
    values = [[1, 1, 1], [1, 1, 1], [1e9, 1, 1]]
    found = leads([part_of(values, score=[1, 1 - 1e-9, 0])], n=3)
    assert found.lead[1] > 0


def test_an_error_within_sixteen_roundings_is_none():
    """Two samples: deviations of half of d each, squared, added up and doubled are d squared."""
    for d, expected in ((2.0**-48, 0), (2.0**-48 + 2.0**-51, 2.0**-48 + 2.0**-51)):
        found = leads([part_of([[-1, 0], [-1 + d, -d]], score=[0, 0])], n=2)
        assert found.standard_error.tolist() == [0, expected]


def test_two_samples_by_hand():
    found = leads([part_of([[3, 5], [0, 4]])], n=2)
    assert found.lead.tolist() == [0, 2]
    assert found.standard_error.tolist() == [0, 1]  # differences 3 and 1
    assert found.degrees[1] == 1
    # P(t > 2) of Student's distribution with one degree is 1/2 - arctan(2)/pi = 0.1476.
    assert [found.are_clear(level)[1] for level in (0.85, 0.86)] == [True, False]


def test_two_samples_of_each_class_by_hand():
    values = [[3, 5, 4, 4], [0, 4, 3, 1]]
    part = part_of(values, mass=[0.5] * 4, score=[4, 2], stratum=[0, 0, 1, 1])
    found = leads([part], n=4)
    # Differences 3 and 1, and 1 and 3: each class adds a variance of 1 on one degree.
    assert found.lead[1] == 2
    assert found.standard_error[1] == pytest.approx(np.sqrt(2))
    assert found.degrees[1] == pytest.approx(2)


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
    full = Leads.of([part_of(values, mass=[0.25, 0.25, 0.5, 0])], 0, units, grouped=grouped)
    part = Leads.of([part_of(values[:, :3], mass=[0.25, 0.25, 0.5])], 0, units, grouped=grouped)
    assert full.standard_error[1] == part.standard_error[1]
    assert full.degrees[1] == part.degrees[1] == 2


def test_no_lead_is_clear_without_one():
    """At a level of one half a lead of 0 is at the boundary, and a spread of 0 leaves it."""
    for error in (0.0, 1.0, np.inf):
        found = Leads(np.zeros(1), np.array([error]), np.array([5.0]))
        assert found.are_clear(0.5).tolist() == [False]


def test_leads_without_any_spread_are_clear_whatever_their_size():
    found = Leads(np.array([1e-300, 1.0, 0.0, -1.0, np.nan]), np.zeros(5), np.full(5, np.nan))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clear = found.are_clear(0.999)
    assert clear.tolist() == [True, True, False, False, False]


def test_rows_of_a_group_in_one_split_and_in_several_add_up():
    values = np.array([[3.0, 5, 4, 7, 1, 2], [0, 4, 3, 9, 0, 0]])
    units = np.array([0, 0, 1, 1, 2, 2])
    one = Leads.of([part_of(values)], 0, units, grouped=True)
    halves = []
    for rows in (np.array([0, 2, 4]), np.array([1, 3, 5])):
        half = part_of(values[:, rows], score=[1, 0])
        halves.append(Contributions(half.values, half.score, half.mass, half.stratum, rows))
    two = Leads.of(halves, 0, units, grouped=True)
    # Differences by group: 4, -1, 3; two of six samples each, so a mean of 1 is theirs.
    assert one.lead[1] == pytest.approx(1)
    assert one.standard_error[1] == pytest.approx(stats.sem([2, -0.5, 1.5]))
    assert two.standard_error[1] == pytest.approx(one.standard_error[1])
    assert one.degrees[1] == pytest.approx(2)


def test_a_group_of_both_classes_is_one_unit_and_each_class_may_be_in_one_group():
    """One positive in each of two groups would show no spread if classes were apart."""
    part = part_of([[3, 5, 4, 7], [0, 4, 3, 9]], mass=[0.5] * 4, stratum=[1, 0, 1, 0])
    found = Leads.of([part], 0, np.array([0, 0, 1, 1]), grouped=True)
    assert found.degrees[1] == pytest.approx(1) and np.isfinite(found.standard_error[1])
