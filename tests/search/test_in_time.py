"""Splits in time: what is never held out, and folds that learn from different amounts."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, TimeSeriesSplit

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.intervals import BBC, BBCF

N = 60
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 3))
Y = X @ [1, 0.5, 0] + RNG.normal(size=N)


class Purged:
    """Folds in time that leave out the training samples near the test samples, on both sides."""

    def __init__(self, n_splits, near):
        self.n_splits, self.near = n_splits, near

    def get_n_splits(self, X=None, y=None, groups=None):
        return self.n_splits

    def split(self, X, y=None, groups=None):
        every = np.arange(len(X))
        for test in np.array_split(every, self.n_splits):
            far = (every < test[0] - self.near) | (every > test[-1] + self.near)
            yield every[far], test


def walk_forward(first, train, test, step):
    """Sliding windows that begin every `step` samples; some samples may be between them."""
    return [
        (np.arange(k - train, k), np.arange(k, k + test)) for k in range(first, N - test + 1, step)
    ]


FIRST = "The first {} of 60 samples were never held out, so the result rests on the other {}."
AMOUNTS = "different amounts of data, {} to {} of 60 samples."


@pytest.mark.parametrize(
    ("cv", "n_untested", "sizes", "said"),
    [
        (TimeSeriesSplit(5), 10, [10, 20, 30, 40, 50],
         [FIRST.format(10, 50), AMOUNTS.format(10, 50)]),
        (TimeSeriesSplit(5, max_train_size=10), 10, [10] * 5, [FIRST.format(10, 50)]),
        (TimeSeriesSplit(5, max_train_size=25), 10, [10, 20, 25, 25, 25],
         [FIRST.format(10, 50), AMOUNTS.format(10, 25)]),
        (TimeSeriesSplit(5, gap=4), 10, [6, 16, 26, 36, 46],
         [FIRST.format(10, 50), AMOUNTS.format(6, 46)]),
        (TimeSeriesSplit(3, test_size=5), 45, [45, 50, 55], [FIRST.format(45, 15)]),
        (walk_forward(20, 15, 10, 10), 20, [15] * 4, [FIRST.format(20, 40)]),
        (walk_forward(20, 15, 5, 10), 40, [15] * 4, ["rests on the 20 of 60 samples"]),
        (Purged(5, near=3), 0, [45, 42, 42, 42, 45], []),
        (Purged(3, near=10), 0, [30, 20, 30], [AMOUNTS.format(20, 30)]),
        (KFold(5), 0, [48] * 5, []),
    ],
)  # fmt: skip
def test_splitters(cv, n_untested, sizes, said):
    search = BBCSearchCV(
        Ridge(), {"alpha": [0.1, 10, 1000]}, cv=cv, scoring="neg_mean_squared_error",
        ci=BBC(n_bootstraps=100), random_state=0,
    ).fit(X, Y)  # fmt: skip
    assert search.oof_.train_size.tolist() == sizes
    for details in (search.ci_.details, search.interval(BBCF(n_bootstraps=100)).details):
        notes = [n for n in details["notes"] if "held out" in n or "amounts" in n]
        assert len(notes) == len(said)
        for note, words in zip(notes, said):
            assert words in note
    assert search.ci_.details["n_untested"] == n_untested
    of_amounts = AMOUNTS.format(min(sizes), max(sizes)) in "".join(search.ci_.details["notes"])
    learned = f"The models of the folds learned from {min(sizes)} to {max(sizes)} samples"
    more = f"; {n_untested} samples were never held out." if n_untested else "."
    assert (learned + more in search.summary()) is of_amounts
    held_out = f"({N - n_untested} held-out samples of {N}" if n_untested else f"({N} samples"
    assert held_out in search.summary()
