"""From the arrays that people have to rows: each prediction stays with its sample and fold."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sklearn_bbc import OOFPredictions

N = 12
Y = np.arange(N) % 2


@given(st.integers(0, 10_000), st.integers(1, 3))
def test_the_order_of_rows_does_not_matter(seed, n_repeats):
    rng = np.random.default_rng(seed)
    n_rows = N * n_repeats
    values = {
        "responses": {"decision_function": rng.normal(size=(2, n_rows))},
        "sample": np.tile(np.arange(N), n_repeats),
        "fold": np.concatenate([rng.permutation(N) % 3 + 3 * r for r in range(n_repeats)]),
        "repeat": np.repeat(np.arange(n_repeats), N),
    }
    order = rng.permutation(n_rows)
    shuffled = {name: array[order] for name, array in values.items() if name != "responses"}
    responses = {name: array[:, order] for name, array in values["responses"].items()}
    oof = OOFPredictions(y_true=Y, responses=responses, **shuffled)
    assert oof == OOFPredictions(y_true=Y, **values)
    np.testing.assert_array_equal(oof.fold, values["fold"])
    np.testing.assert_array_equal(oof.sample, values["sample"])


@given(st.integers(0, 10_000))
def test_rows_of_a_rectangle_keep_sample_fold_and_prediction_together(seed):
    """The value of each prediction tells its repeat, sample and configuration."""
    rng = np.random.default_rng(seed)
    fold = rng.integers(-1, 3, size=(2, N))
    fold[:, :3] = [0, 1, 2]
    at = np.arange(2 * N * 3, dtype=float).reshape(2, N, 3)
    oof = OOFPredictions(y_true=Y, y_pred=at, fold=fold)
    for row in range(oof.n_rows):
        repeat, sample = oof.repeat[row], oof.sample[row]
        np.testing.assert_array_equal(oof.responses["plain"][:, row], at[repeat, sample])
        assert oof.fold[row] == fold[repeat, sample] + 3 * repeat
        assert oof.split_repeat[oof.fold[row]] == repeat
    assert oof.n_rows == np.count_nonzero(fold >= 0)


def test_values_beyond_the_integers_are_no_classes(recwarn):
    oof = OOFPredictions(y_true=np.array([1e200, -1e200, 0.0]), y_pred=np.zeros(3))
    assert oof.classes_ is None or oof.classes_.dtype.kind == "f"
    assert not recwarn.list
