"""The tests whether a configuration is ahead: influence of rows, t tests, paired draws."""

import warnings

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import f1_score, get_scorer, log_loss, make_scorer, roc_auc_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.metrics import as_metric, within_folds
from sklearn_bbc.metrics._consumed import Unbound
from sklearn_bbc.predictions._predictions import with_fields
from sklearn_bbc.recording._racing import (
    Influence,
    Race,
    behind_in_draws,
    of_configs,
    one_split,
    paired_p_values,
    times_ahead,
)
from sklearn_bbc.search import DropClearlyWorse

RNG = np.random.default_rng(1)
N = 60
Y = np.tile([0, 1, 1], N // 3)
P = RNG.uniform(size=(4, N)) * 0.6 + 0.4 * Y * np.array([1, 0.8, 0.4, 0])[:, None]
P[2, 1] = P[2, 0]  # a tie
WEIGHT = RNG.uniform(0.5, 2, size=N)
FOLDS = np.arange(N) % 5
ONE = np.zeros(N, dtype=int)


def influences(metric, p=P, y=Y, folds=FOLDS, weight=None):
    parts = []
    for fold in np.unique(folds):
        rows = np.flatnonzero(folds == fold)
        oof = one_split(
            y, np.array([0, 1]), {"predict_proba": p[:, rows]}, rows, sample_weight=weight
        )
        parts.append(Influence.of(as_metric(metric).bind(oof)))
    return parts


def p_values(parts, leader=0, units=None, n=N):
    of_sample = np.arange(n) if units is None else units
    return paired_p_values(parts, leader, of_sample, grouped=units is not None)


# --- influence -----------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["alike", "weighted"])
@pytest.mark.parametrize(
    ("metric", "score"),
    [
        ("neg_log_loss", lambda y, p, w: -log_loss(y, p, sample_weight=w)),
        ("roc_auc", lambda y, p, w: roc_auc_score(y, p, sample_weight=w)),
        (make_scorer(roc_auc_score, greater_is_better=False, response_method="predict_proba"),
         lambda y, p, w: -roc_auc_score(y, p, sample_weight=w)),
    ],
    ids=["loss", "auc", "turned"],
)  # fmt: skip
def test_influences_add_up_to_the_score(metric, score, weight):
    found = influences(metric, weight=weight)[1]
    test = np.flatnonzero(FOLDS == 1)
    expected = [score(Y[test], p[test], None if weight is None else weight[test]) for p in P]
    np.testing.assert_allclose(found.score, expected)
    for stratum in np.unique(found.stratum):
        here = found.stratum == stratum
        assert found.mass[here].sum() == pytest.approx(1)
        np.testing.assert_allclose(found.values[:, here] @ found.mass[here], expected)
    np.testing.assert_array_equal(found.sample, test)


def test_a_placement_is_the_share_of_the_other_class_that_is_in_order():
    p, y = np.array([[0.9, 0.8, 0.3, 0.3, 0.6, 0.1]]), np.array([1, 0, 1, 0, 1, 0])
    (found,) = influences("roc_auc", p=p, y=y, folds=np.zeros(6, dtype=int))
    # 0.9 is above all three; 0.3 ties with one and is above one; 0.6 is above two.
    np.testing.assert_allclose(found.values[0, [0, 2, 4]], [1, 1.5 / 3, 2 / 3])
    # 0.8 is below one of three; 0.3 below two and ties with one; 0.1 below all.
    np.testing.assert_allclose(found.values[0, [1, 3, 5]], [1 / 3, 2.5 / 3, 1])


@pytest.mark.parametrize(
    ("metric", "weight"),
    [("neg_log_loss", FOLDS > 0), ("roc_auc", np.where(Y == 1, 0.0, WEIGHT))],
)
def test_without_weight_there_is_no_score(metric, weight):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(influences(metric, weight=weight)[0].score).all()


@pytest.mark.parametrize(
    ("metric", "known"),
    [("roc_auc", True), ("accuracy", True), ("neg_brier_score", True), ("f1", False),
     ("average_precision", False), ("balanced_accuracy", False)],
)  # fmt: skip
def test_a_formula_is_known_for_means_and_the_area_under_the_curve(metric, known):
    oof = one_split(Y, np.array([0, 1]), {"predict_proba": P}, np.arange(N))
    assert Influence.are_known(as_metric(get_scorer(metric)).bind(oof)) is known


# --- t tests ---------------------------------------------------------------------------------


def test_of_a_mean_over_samples_it_is_scipys_paired_t_test_in_any_number_of_repeats():
    losses, parts = (P - Y) ** 2, influences("neg_brier_score")
    expected = [stats.ttest_rel(each, losses[0], alternative="greater").pvalue for each in losses]
    np.testing.assert_allclose(p_values(parts)[1:], expected[1:])
    np.testing.assert_allclose(p_values(parts + parts), p_values(parts))


def test_of_groups_the_sums_are_compared_in_one_split_and_in_several():
    groups = np.arange(N) // 4
    expected = stats.ttest_1samp(
        ((P[1] - Y) ** 2 - (P[0] - Y) ** 2).reshape(-1, 4).mean(axis=1), 0, alternative="greater"
    ).pvalue
    for folds in (ONE, FOLDS):
        found = p_values(influences("neg_brier_score", folds=folds), units=groups)
        assert found[1] == pytest.approx(expected)


def test_both_classes_of_a_group_are_one_unit_of_the_area_under_the_curve():
    groups = np.arange(N) // 6  # of each class some
    (part,) = influences("roc_auc", folds=ONE)
    lead = part.score[0] - part.score[1]
    deviation = np.bincount(groups, (part.values[0] - part.values[1] - lead) * part.mass)
    error = np.sqrt((deviation**2).sum() * 10 / 9)
    assert p_values([part], units=groups)[1] == pytest.approx(stats.t.sf(lead / error, 9))


def test_scores_of_another_scale_in_each_split_make_no_difference():
    """A model's scores are compared with those of the same split only."""
    moved = influences("roc_auc", p=P * (0.1 + 0.2 * FOLDS) / 2)
    np.testing.assert_allclose(p_values(moved), p_values(influences("roc_auc")))


def test_equal_configurations_are_level_and_a_constant_lead_is_clear():
    p = np.stack([np.full(N, 0.4), np.full(N, 0.4), np.full(N, 0.7)])
    assert p_values(influences("accuracy", p=p, y=ONE)).tolist() == [1, 1, 0]


def test_what_has_no_score_leads_nobody_behind():
    p = P.copy()
    p[3, 7] = np.nan
    assert not p_values(influences("roc_auc", p=p))[3] < 0.4


@pytest.mark.long
def test_equal_configurations_are_dropped_about_as_often_as_the_level_says():
    """Two configurations without any difference, the first one taken as the leader."""
    rng, two = np.random.default_rng(5), np.arange(N) // (N // 2)
    clear = sum(
        p_values(influences("roc_auc", p=rng.uniform(size=(2, N)), folds=two))[1] < 0.05
        for _ in range(200)
    )
    assert 2 <= clear <= 22  # 10 expected, four standard errors of 3.1


def written(values, mass=None, score=None, stratum=None):
    """Influence that is written down."""
    values = np.array(values, dtype=float)
    n = values.shape[1]
    mass = np.full(n, 1 / n) if mass is None else np.array(mass)
    stratum = np.zeros(n, dtype=int) if stratum is None else np.array(stratum)
    score = values @ mass if score is None else np.array(score, dtype=float)
    return Influence(values, score, mass, stratum, np.arange(n))


def test_two_samples_by_hand():
    # Differences 3 and 1: t = 2. P(t > 2) with one degree of freedom is 1/2 - arctan(2)/pi.
    found = p_values([written([[3, 5], [0, 4]])], n=2)
    np.testing.assert_allclose(found, [1, 0.5 - np.arctan(2) / np.pi])


def test_what_large_values_leave_of_a_difference_is_rounding():
    part = written([[0.0, 0.0, 0.0], [1e8, -1e8, -3e-8]])
    assert part.score[0] > part.score[1]
    assert p_values([part], n=3)[1] == 0.5


@pytest.mark.parametrize("alone", [0, 3])
def test_one_sample_of_either_class_makes_no_lead_clear(alone):
    here = np.arange(4) == alone
    part = written(
        [[9, 9, 9, 9], [0, 1, 0, 1]],
        mass=np.where(here, 1, 1 / 3),
        score=[9, 0.5],
        stratum=here == bool(alone),
    )
    assert p_values([part], n=4).tolist() == [1, 1]


@pytest.mark.parametrize("units", [None, np.arange(4)])
def test_a_sample_without_weight_is_as_good_as_absent(units):
    values = np.array([[3.0, 5, 4, 7], [0, 4, 3, 9]])
    full = p_values([written(values, mass=[0.25, 0.25, 0.5, 0])], units=units, n=4)
    part = p_values([written(values[:, :3], mass=[0.25, 0.25, 0.5])], units=units, n=4)
    np.testing.assert_allclose(full, part)


# --- draws -------------------------------------------------------------------------------------


def predictions(signals, rng=None, n=100):
    rng = np.random.default_rng(3) if rng is None else rng
    y = np.tile([0, 1], n // 2)
    score = np.array(signals) * y[:, None] + rng.normal(size=(n, len(signals)))
    labels = (score > np.array(signals) / 2).astype(int)
    return OOFPredictions(y_true=y, y_pred=labels, fold=np.arange(n) % 5)


def behind(oof, metric="f1", level=0.99, n_bootstraps=200, n_jobs=None):
    """The first configuration is the leader."""
    rule = DropClearlyWorse(confidence_level=level, n_bootstraps=n_bootstraps)
    race = Race(rule, oof.groups, oof.n_samples, (oof.n_configs, 5), 1, n_jobs)
    turned = of_configs(oof, np.arange(oof.n_configs)[::-1])
    return behind_in_draws(Unbound(as_metric(metric), turned), race, key=0)[::-1]


@pytest.mark.long
def test_only_what_is_clearly_worse_is_behind_and_ties_are_no_lead():
    assert behind(predictions([4, 3.9, 0])).tolist() == [False, False, True]
    oof = predictions([3, 0])
    same = with_fields(oof, responses={k: v[[0, 0]] for k, v in oof.responses.items()})
    assert not behind(same).any()
    replayed = make_scorer(lambda y, p: f1_score(y, p, zero_division=0))
    assert behind(oof, replayed, level=0.9, n_bootstraps=10).tolist() == [False, True]


def test_any_number_of_jobs_gives_the_same():
    oof = predictions([2, 1.5, 1.2, 1, 0.8])
    found = behind(oof, level=0.8)
    assert found.any() and not found.all()
    np.testing.assert_array_equal(found, behind(oof, level=0.8, n_jobs=2))


@pytest.mark.parametrize("n_bootstraps", [64, 150])
def test_the_share_of_the_published_test_is_the_level(n_bootstraps):
    """BBCD-CV drops where the leader is ahead in more than 99% of the draws, ties not counted."""
    oof = predictions([3, 1.5])
    race = Race(DropClearlyWorse(), None, 100, (2, 5), 1)
    turned = of_configs(oof, np.array([1, 0]))
    bound = within_folds("f1").bind(turned)
    ahead = [times_ahead(bound, 64, (1, 0), race)[0]]
    if n_bootstraps > 64:  # those whom it can still become sure of are looked at again
        ahead += [times_ahead(bound, n_bootstraps - 64, (1, 1), race)[0]]
    p = (1 + n_bootstraps - sum(ahead)) / (n_bootstraps + 1)
    for level, expected in ((1 - p - 1e-6, True), (1 - p + 1e-6, False)):
        assert behind(oof, level=level, n_bootstraps=n_bootstraps)[1] == expected


@pytest.mark.long
def test_equal_configurations_are_behind_about_as_often_as_the_level_says():
    rng = np.random.default_rng(7)
    times = sum(
        bool(behind(predictions([1, 1], rng), level=0.9, n_bootstraps=60)[1]) for _ in range(60)
    )
    assert 1 <= times <= 15  # 6 expected, four standard errors of 2.3


@pytest.mark.parametrize("metric", ["balanced_accuracy", "matthews_corrcoef"])
def test_draws_without_a_class_are_drawn_again(metric):
    y = (np.arange(100) < 2).astype(int)
    pred = np.stack([y, np.zeros(100, int)], axis=1)
    oof = OOFPredictions(y_true=y, y_pred=pred, fold=np.arange(100) % 2)
    assert behind(oof, metric).tolist() == [False, True]
