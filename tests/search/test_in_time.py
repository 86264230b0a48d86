"""Splits in time: what is never held out, and folds that learn from different amounts."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold, TimeSeriesSplit

from sklearn_bbc import BBCSearchCV, OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import BBC, BBCF
from sklearn_bbc.predictions._validation import IN_TIME

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


class WalkForward(TimeSeriesSplit):
    """With as many splits as the data have, as scikit-learn's pull request 33424 proposes."""

    def __init__(self, n_splits="walk_forward", *, min_train_size, test_size, step):
        self.n_splits, self.min_train_size = n_splits, min_train_size
        self.test_size, self.step = test_size, step

    def split(self, X, y=None, groups=None):
        for k in range(self.min_train_size, len(X) - self.test_size + 1, self.step):
            yield np.arange(k), np.arange(k, k + self.test_size)

    def get_n_splits(self, X=None, y=None, groups=None):
        return len(list(self.split(X)))


class RollingTimeSeriesSplit:
    """Windows of one length that slide, as scikit-learn's pull request 33716 proposes."""

    def __init__(self, train_size, test_size):
        self.train_size, self.test_size = train_size, test_size

    def split(self, X, y=None, groups=None):
        yield from walk_forward(self.train_size, self.train_size, self.test_size, self.test_size)

    def get_n_splits(self, X=None, y=None, groups=None):
        return len(list(self.split(X)))


WALKS = {
    "every sample once": WalkForward(min_train_size=20, test_size=5, step=5),
    "some samples never": WalkForward(min_train_size=20, test_size=5, step=10),
    "some samples twice": WalkForward(min_train_size=20, test_size=10, step=5),
    "windows": RollingTimeSeriesSplit(20, 5),
}


@pytest.mark.parametrize("cv", WALKS.values(), ids=WALKS)
def test_splitters_that_walk_forward_are_known_as_such(cv):
    options = {"cv": cv, "scoring": "neg_mean_squared_error"}
    ridge, grid = Ridge(), {"alpha": [0.1, 10, 1000]}
    with pytest.warns(IntervalWarning, match="block_length='auto'"):
        search = BBCSearchCV(ridge, grid, ci=BBC(n_bootstraps=100), **options).fit(X, Y)
    assert search.oof_.notes[:2] == IN_TIME
    assert search.oof_.with_blocks(5).block_length == 5
    finished = GridSearchCV(ridge, grid, **options).fit(X, Y)
    for given in ((), (X, Y)):
        assert OOFPredictions.from_search(finished, *given).notes[:2] == IN_TIME


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
