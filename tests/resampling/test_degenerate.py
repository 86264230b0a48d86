"""Policies for draws that leave a class out: what all of them share, and drawing again."""

import numpy as np
import pytest

from benchmarks.published.replication import Drop, Refuse
from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import BBC, DegenerateDraws, Redraw
from sklearn_bbc.resampling import IID, Draws

N, RARE = 30, 3
INDICATOR = np.eye(2, dtype=np.float32)[(np.arange(N) < RARE).astype(int)]
Y = (np.arange(N) < RARE).astype(int)
RNG = np.random.default_rng(5)
OOF = OOFPredictions(y_true=Y, y_pred=RNG.normal(size=(N, 4)) + Y[:, None], fold=np.arange(N) % 3)


def all_counts(policy, n_draws=1000, **options):
    draws = Draws(IID(N), n_draws, 7, indicator=INDICATOR, degenerate=policy, **options)
    return draws.map(lambda counts: counts.astype(int)), draws


def out_of_bag(counts):
    """Samples of the rare class that are in-bag and out-of-bag in each draw."""
    return (counts[:, :RARE] > 0).sum(axis=1), (counts[:, :RARE] == 0).sum(axis=1)


def acceptable(counts, least=1):
    inside, outside = out_of_bag(counts)
    return (inside >= 1) & (outside >= least)


def test_redraw_replaces_only_the_degenerate_draws():
    every = Draws(IID(N), 1000, 7).map(lambda counts: counts.astype(int))
    fine = acceptable(every)
    drawn, draws = all_counts(Redraw())
    np.testing.assert_array_equal(drawn[fine], every[fine])
    assert acceptable(drawn).all()
    assert draws.n_dropped == 0
    assert draws.n_redrawn >= np.count_nonzero(~fine)
    np.testing.assert_array_equal(drawn, all_counts(None)[0], "Redraw() is the default")


@pytest.mark.parametrize("policy", [Redraw, Drop], ids=lambda policy: policy.__name__)
def test_more_than_one_may_be_asked_for_out_of_bag(policy):
    options = {"max_share": 1.0} if policy is Drop else {}
    one = all_counts(policy(**options))[0]
    two = all_counts(policy(min_out_of_bag=2, **options))[0]
    assert not acceptable(one, least=2).all()
    assert acceptable(two, least=2).all()
    if policy is Drop:
        assert len(two) == np.count_nonzero(acceptable(one, least=2))


def test_many_out_of_bag_units_are_counted_beyond_the_first_few():
    """More are asked for than the quick look at the first units can see."""
    n = 60
    ones = np.ones((n, 1), dtype=np.float32)
    policy = Drop(max_share=1, min_out_of_bag=22)
    kept = Draws(IID(n), 500, 1, indicator=ones, degenerate=policy).map(lambda c: c.astype(int))
    every = Draws(IID(n), 500, 1).map(lambda c: c.astype(int))
    np.testing.assert_array_equal(kept, every[(every == 0).sum(axis=1) >= 22])
    assert 0 < len(kept) < 500


def test_redraws_have_a_cap():
    impossible = Redraw(cap=2, min_out_of_bag=RARE)
    rare = {"indicator": INDICATOR[:, 1:], "degenerate": impossible}
    with pytest.raises(UndefinedIntervalError, match="64 draws took more than 128 redraws"):
        Draws(IID(N), 1000, 7, **rare).map(np.copy)
    with pytest.raises(UndefinedIntervalError, match="20 draws took more than 40 redraws"):
        Draws(IID(N), 20, 7, **rare).map(np.copy)
    # With several classes the chances are known beforehand.
    with pytest.raises(UndefinedIntervalError, match=r"all 2 classes .* hardly any draw"):
        all_counts(impossible)


def test_bbc_says_what_became_of_them():
    redrawn = BBC(random_state=0).estimate(OOF, "roc_auc")
    dropped = BBC(degenerate=Drop(max_share=0.5), random_state=0).estimate(OOF, "roc_auc")
    assert redrawn.details["n_dropped"] == dropped.details["n_redrawn"] == 0
    assert len(dropped.draws) == 2000 - dropped.details["n_dropped"] < 2000
    assert len(redrawn.draws) == 2000
    assert any("degenerate draws were dropped" in note for note in dropped.details["notes"])
    # Both condition on the same event, so they differ by Monte-Carlo error only.
    assert dropped.estimate == pytest.approx(redrawn.estimate, abs=0.03)


def test_too_few_samples_of_a_class_are_named_before_the_first_draw():
    with pytest.raises(UndefinedIntervalError, match=r"class 1 has 3 samples.*At least 4"):
        BBC(degenerate=Redraw(min_out_of_bag=3)).estimate(OOF, "roc_auc")


@pytest.mark.parametrize(
    "policy, message",
    [
        (Drop(max_share=0), "max_share must be a number above 0 and at most 1, got 0"),
        (Drop(max_share=True), "max_share"),
        (Refuse(min_out_of_bag=0), "min_out_of_bag must be an integer of at least 1, got 0"),
    ],
)
def test_wrong_policies_are_named(policy, message):
    with pytest.raises(ValueError, match=message):
        BBC(degenerate=policy).estimate(OOF, "roc_auc")


# --- what policies share -----------------------------------------------------------------


class Quiet(DegenerateDraws):
    """A policy of three lines."""

    def settle(self, counts, rejected, draw_again):
        return np.delete(counts, rejected, axis=0), 0


def test_a_policy_of_ones_own_asks_for_one_unit_out_of_bag():
    assert Quiet().min_out_of_bag == Redraw().min_out_of_bag == 1
    assert Redraw().cap == 1000
    counts, draws = all_counts(Quiet())
    assert acceptable(counts).all() and len(counts) == 1000 - draws.n_dropped < 1000
    assert Quiet().check_likely(0.0, 2, True) is None  # no say beforehand


@pytest.mark.parametrize(
    "least, message",
    [
        (1, r"All 5 draws lack a class \(or all samples\) in-bag or out-of-bag and were"),
        (2, "All 5 draws have, of a class .*, nothing in-bag or fewer than 2 out-of-bag and were"),
    ],
)
def test_what_is_wrong_with_draws_is_said_in_words(least, message):
    policy = Quiet()
    policy.min_out_of_bag = least
    policy.check(4, 5)
    with pytest.raises(UndefinedIntervalError, match=message):
        policy.check(5, 5)


def test_redraws_are_given_up_beforehand_where_more_are_to_be_expected_than_the_cap():
    Redraw(cap=3).check_likely(0.25, 2, True)  # one in four: three redraws for each
    Redraw(cap=3).check_likely(1.0, 2, True)
    with pytest.raises(UndefinedIntervalError) as caught:
        Redraw(cap=3).check_likely(0.125, 1234, True)
    assert (
        "all 1,234 classes in-bag and out-of-bag in every draw, which 1 draw in 8 would "
        "fulfil; Redraw(cap=3) gives up at 1 in 4."
    ) in str(caught.value)
    with pytest.raises(UndefinedIntervalError, match="classes in-bag in every draw"):
        Redraw(cap=3).check_likely(0.2, 2, False)
    two = Redraw(cap=3, min_out_of_bag=2)
    with pytest.raises(UndefinedIntervalError, match=r"out-of-bag \(2 at least\) in every draw"):
        two.check_likely(0.2, 2, True)
    for chance, rate in (
        (1e-8, "1 draw in 100,000,000"),
        (1e-10, "hardly any draw"),
        (0.0, "hardly"),
    ):
        with pytest.raises(UndefinedIntervalError, match=f"which {rate}"):
            Redraw().check_likely(chance, 2, True)
