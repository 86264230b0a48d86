"""Models that count their fits, and can stop a search in the middle of one."""

import os
from pathlib import Path

from joblib import parallel_config
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.intervals import BBC

from ..small_search import X, Y

PIPE = "SKLEARN_BBC_TEST_PIPE"
FEW = BBC(n_bootstraps=40)
GRID = {"max_depth": [1, 2, 4], "min_samples_leaf": [1, 5]}


class Tally:
    """Counts fits in this process; interrupts the one after `most`."""

    def __init__(self):
        self.begin()

    def begin(self, most=None):
        self.n, self.most = 0, most

    def count(self):
        if self.n == self.most:
            raise KeyboardInterrupt
        self.n += 1


tally = Tally()


class TalliedTree(DecisionTreeClassifier):
    def fit(self, X, y, sample_weight=None, check_input=True):
        tally.count()
        return super().fit(X, y, sample_weight=sample_weight)


class TalliedLogistic(LogisticRegression):
    def fit(self, X, y, sample_weight=None):
        tally.count()
        return super().fit(X, y, sample_weight=sample_weight)


class TalliedRidge(Ridge):
    def fit(self, X, y, sample_weight=None):
        tally.count()
        return super().fit(X, y, sample_weight=sample_weight)


class TalliedMeans(KMeans):
    def fit(self, X, y=None, sample_weight=None):
        tally.count()
        return super().fit(X, y, sample_weight=sample_weight)


class TellingTree(DecisionTreeClassifier):
    """Tells a pipe of each fit that begins, and then takes its time."""

    def fit(self, X, y, sample_weight=None, check_input=True):
        if PIPE in os.environ:
            with open(os.environ[PIPE], "ab", buffering=0) as pipe:
                pipe.write(f"{os.getpid()}\n".encode())
            for _ in range(10):
                super().fit(X, y)
        return super().fit(X, y)


TREE = TalliedTree(random_state=0)


def search(estimator=TREE, grid=GRID, **options):
    defaults = {"cv": 3, "scoring": "accuracy", "ci": [], "random_state": 0, "refit": False}
    return BBCSearchCV(estimator, grid, **{**defaults, **options})


def long_search(**options):
    """60 fits, of some milliseconds where a pipe is told."""
    grid = {"max_depth": list(range(1, 6)), "min_samples_leaf": [1, 2, 4, 8]}
    return search(TellingTree(random_state=0), grid, ci=FEW, **options)


def run_long_search(folder, backend="loky"):
    """In a process that is going to be killed."""
    with parallel_config(backend=backend):
        long_search(n_jobs=2, store=folder).fit(X, Y)


def cells_in(folder):
    """Bytes of all logs, by name."""
    return {path.name: path.read_bytes() for path in Path(folder).glob("*.cells")}


def assert_same(one, other):
    """Equal bit for bit, but for times."""
    assert one.cv_results_.keys() == other.cv_results_.keys()
    for name, column in one.cv_results_.items():
        if "_time" in name:
            continue
        if name == "params":
            assert [{**each} for each in column] == [{**each} for each in other.cv_results_[name]]
        elif column.dtype.hasobject:
            assert list(column) == list(other.cv_results_[name])
        else:
            assert column.tobytes() == other.cv_results_[name].tobytes(), name
    assert one.oof_ == other.oof_
    for name, array in one.oof_.responses.items():
        assert array.dtype == other.oof_.responses[name].dtype
        assert array.tobytes() == other.oof_.responses[name].tobytes()
    for name in ("ci_", "bbc_score_", "best_index_"):
        if name in vars(one):
            assert getattr(one, name) == getattr(other, name)


__all__ = ["FEW", "GRID", "TREE", "X", "Y"]
