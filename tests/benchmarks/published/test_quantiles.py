"""The linear rule against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.published.replication import LinearQuantile

SIZES, LEVELS = st.integers(1, 3000), st.floats(1e-4, 1 - 1e-4)


@given(SIZES, LEVELS)
def test_linear_is_what_numpy_does(n, level):
    draws = np.random.default_rng(n).normal(size=n)
    index, share = LinearQuantile().place(n, level)
    ordered = np.append(np.sort(draws), np.nan)
    expected = np.quantile(draws, level)
    found = ordered[index] + (share * (ordered[index + 1] - ordered[index]) if share else 0.0)
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-6)
