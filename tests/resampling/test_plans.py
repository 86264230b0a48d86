"""Independent, stratified and two-stage draws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_bbc.resampling import IID, Stratified, TwoStage

LABELS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=40)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_independent_draws(rng):
    counts = IID(30).draw(rng, 50)
    assert counts.shape == (50, 30)
    assert (counts.sum(axis=1) == 30).all()


@given(LABELS)
def test_strata_keep_their_size(labels):
    counts = Stratified(np.array(labels)).draw(np.random.default_rng(1), 8)
    for label in set(labels):
        members = np.array(labels) == label
        assert (counts[:, members].sum(axis=1) == members.sum()).all()


def test_strata_are_drawn_within(rng):
    counts = Stratified(np.array([1, 0, 1, 0, 1])).draw(rng, 4000)
    assert abs((counts[:, 1] == 0).mean() - 0.25) < 0.03
    assert abs((counts[:, 0] == 0).mean() - (2 / 3) ** 3) < 0.03


@given(LABELS)
def test_two_stages_draw_whole_groups_of_picks(labels):
    """n occurrences of a group draw n times its size from its samples."""
    labels = np.array(labels)
    counts = TwoStage(labels).draw(np.random.default_rng(2), 8).astype(int)
    names = np.unique(labels)
    occurrences = np.zeros((8, len(names)))
    for k, name in enumerate(names):
        members = labels == name
        occurrences[:, k] = counts[:, members].sum(axis=1) / members.sum()
    np.testing.assert_array_equal(occurrences, np.rint(occurrences))
    np.testing.assert_array_equal(occurrences.sum(axis=1), len(names))


def test_two_stages_resample_within_a_group(rng):
    counts = TwoStage(np.array(list("aabb"))).draw(rng, 4000)
    drawn_once = counts[:, :2].sum(axis=1) == 2
    assert abs((counts[drawn_once, 0] == 1).mean() - 0.5) < 0.05


def test_groups_of_one_are_independent_draws():
    singles = TwoStage(np.arange(20)).draw(np.random.default_rng(3), 5)
    assert (singles.sum(axis=1) == 20).all()


def test_a_count_beyond_255():
    counts = Stratified(np.zeros(1)).draw(np.random.default_rng(0), 2)
    assert counts.dtype == np.uint8
    counts = TwoStage(np.zeros(1)).draw(np.random.default_rng(0), 2)
    np.testing.assert_array_equal(counts, 1)
