"""Draws that leave a class out are drawn again."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import BBC, Redraw
from sklearn_bbc.resampling import IID, Draws, check_likely

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
    assert draws.n_redrawn >= np.count_nonzero(~fine)
    np.testing.assert_array_equal(drawn, all_counts(None)[0], "Redraw() is the default")


def test_more_than_one_may_be_asked_for_out_of_bag():
    one = all_counts(Redraw())[0]
    two = all_counts(Redraw(min_out_of_bag=2))[0]
    assert not acceptable(one, least=2).all()
    assert acceptable(two, least=2).all()


def test_many_out_of_bag_units_are_counted_beyond_the_first_few():
    """More are asked for than the quick look at the first units can see."""
    n = 60
    ones = np.ones((n, 1), dtype=np.float32)
    policy = Redraw(min_out_of_bag=22)
    drawn = Draws(IID(n), 500, 1, indicator=ones, degenerate=policy).map(lambda c: c.astype(int))
    every = Draws(IID(n), 500, 1).map(lambda c: c.astype(int))
    fine = (every == 0).sum(axis=1) >= 22
    np.testing.assert_array_equal(drawn[fine], every[fine])
    assert ((drawn == 0).sum(axis=1) >= 22).all() and 0 < fine.sum() < 500


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


def test_too_few_samples_of_a_class_are_named_before_the_first_draw():
    with pytest.raises(UndefinedIntervalError, match=r"class 1 has 3 samples.*At least 4"):
        BBC(degenerate=Redraw(min_out_of_bag=3)).estimate(OOF, "roc_auc")


@pytest.mark.parametrize(
    "policy, message",
    [
        (Redraw(min_out_of_bag=0), "min_out_of_bag must be an integer of at least 1, got 0"),
        (Redraw(cap=0.5), "cap must be an integer of at least 1, got 0.5"),
        ("drop", "degenerate must be an object of a Redraw, such as Redraw"),
    ],
)
def test_wrong_settings_are_named(policy, message):
    with pytest.raises(ValueError, match=message):
        BBC(degenerate=policy).estimate(OOF, "roc_auc")


def test_redraws_are_given_up_beforehand_where_more_are_to_be_expected_than_the_cap():
    check_likely(Redraw(cap=3), 0.25, 2, out_of_bag=True)  # one in four: three redraws for each
    check_likely(Redraw(cap=3), 1.0, 2, out_of_bag=True)
    with pytest.raises(UndefinedIntervalError) as caught:
        check_likely(Redraw(cap=3), 0.125, 1234, out_of_bag=True)
    assert (
        "all 1,234 classes in-bag and out-of-bag in every draw, which 1 draw in 8 would "
        "fulfil; Redraw(cap=3) gives up at 1 in 4."
    ) in str(caught.value)
    with pytest.raises(UndefinedIntervalError, match="classes in-bag in every draw"):
        check_likely(Redraw(cap=3), 0.2, 2, out_of_bag=False)
    two = Redraw(cap=3, min_out_of_bag=2)
    with pytest.raises(UndefinedIntervalError, match=r"out-of-bag \(2 at least\) in every draw"):
        check_likely(two, 0.2, 2, out_of_bag=True)
    for chance, rate in (
        (1e-8, "1 draw in 100,000,000"),
        (1e-10, "hardly any draw"),
        (0.0, "hardly"),
    ):
        with pytest.raises(UndefinedIntervalError, match=f"which {rate}"):
            check_likely(Redraw(), chance, 2, out_of_bag=True)
