"""Long runs: told before they begin, spread over workers, and ended when the user says so."""

import os
import threading
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from joblib import Parallel, delayed
from sklearn.metrics import make_scorer
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_info, threadpool_limits

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.exceptions import SlowMetricWarning
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.resampling import IID, Draws
from sklearn_bbc.testing import example_predictions

OOF = example_predictions(n_samples=60, n_configs=4)
MANY = 400
"""Draws: seven blocks, so that several workers have something to do."""


def spread(y_true, y_pred):
    """No kernel knows this function."""
    return float(np.std(y_pred))


# ------------------------------------------------------------------ replayed metrics
def test_the_message_comes_before_the_work(monkeypatch):
    monkeypatch.setattr("sklearn_bbc.metrics._metric.SLOW_SECONDS", 1e-9)
    calls = []

    def counted(y_true, y_pred):
        calls.append(1)
        return 1.0

    with warnings.catch_warnings():
        warnings.simplefilter("error", SlowMetricWarning)
        with pytest.raises(SlowMetricWarning):
            BBC(n_bootstraps=MANY, random_state=0).estimate(OOF, make_scorer(counted))
    assert 3 < len(calls) < 20, "measured, but not yet scored"


@pytest.mark.parametrize(
    ("n_jobs", "words"), [(1, "5,000 times, 500 ms each: expect about 42 minutes"),
                          (2, "5,000 times, 500 ms each: expect about 21 minutes")]
)  # fmt: skip
def test_the_expected_time_is_measured(monkeypatch, n_jobs, words):
    """On a clock that half a second passes on with every call: 1,000 draws, 4 + 1 scores each."""
    ticks = iter(np.arange(0, 1e4, 0.5))
    clock = SimpleNamespace(perf_counter=ticks.__next__)
    monkeypatch.setattr("sklearn_bbc.metrics._replay.time", clock)
    monkeypatch.setattr(Draws, "map", lambda self, function: pytest.fail("the work began"))
    with warnings.catch_warnings():
        warnings.simplefilter("error", SlowMetricWarning)
        with pytest.raises(SlowMetricWarning, match=words):
            method = BBC(n_bootstraps=1000, n_jobs=n_jobs)
            method.estimate(OOF, make_scorer(spread))


def test_five_seconds_are_not_worth_a_message():
    kernel = as_metric(make_scorer(spread)).bind(OOF)
    kernel.seconds_per_score = 2.0**-10
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel.warn_if_slow(5 * 2**10, n_jobs=1)
    with pytest.warns(SlowMetricWarning, match="about 5 seconds"):
        kernel.warn_if_slow(5 * 2**10 + 1, n_jobs=1)


@pytest.mark.parametrize("scoring", [make_scorer(spread), lambda e, X, y: spread(y, e.predict(X))])
def test_a_search_has_one_message(monkeypatch, scoring):
    """Although it estimates BBC, BBC-F and the corrected scores."""
    monkeypatch.setattr("sklearn_bbc.metrics._metric.SLOW_SECONDS", 1e-9)
    X = np.random.default_rng(0).normal(size=(60, 3))
    search = BBCSearchCV(
        DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3]}, scoring=scoring,
        ci=[BBC(n_bootstraps=20), "bbcf"], random_state=0,
    )  # fmt: skip
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search.fit(X, X[:, 0] > 0)
    [message] = [w for w in caught if w.category is SlowMetricWarning]
    assert message.filename == __file__, "it points to the call of fit"


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interruption_ends_the_run(n_jobs):
    """Also one that a worker sees first, where any other exception is an undefined score."""

    home, calls = os.getpid(), []

    def interrupted(y_true, y_pred):
        calls.append(1)
        if os.getpid() != home or len(calls) > 20:
            raise KeyboardInterrupt
        return 1.0

    with pytest.raises(KeyboardInterrupt):
        BBC(n_bootstraps=MANY, n_jobs=n_jobs).estimate(OOF, make_scorer(interrupted))


# ------------------------------------------------------------------ threads
@pytest.fixture
def two_blas_threads():
    """BLAS with two threads, as on a machine of two cores where nobody limits it."""
    with threadpool_limits(2, user_api="blas"):
        if max((pool["num_threads"] for pool in blas()), default=1) < 2:
            pytest.skip("this BLAS has one thread")
        yield


def blas():
    return [pool for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_each_worker_has_one_blas_thread(two_blas_threads):
    seen = []

    def look(counts):
        seen.append((threading.get_ident(), {pool["num_threads"] for pool in blas()}))
        return counts[:, 0]

    Draws(IID(5), MANY, 0, n_jobs=2).map(look)
    assert {threads for _, pools in seen for threads in pools} == {1}
    assert threading.get_ident() not in {worker for worker, _ in seen}
    assert max(pool["num_threads"] for pool in blas()) == 2, "as before, once they are done"


def test_inside_an_outer_loop_there_are_no_more_workers():
    def workers():
        seen = set()

        def look(counts):
            seen.add((os.getpid(), threading.get_ident()))
            return counts[:, 0]

        Draws(IID(5), MANY, 0).map(look)
        return seen == {(os.getpid(), threading.get_ident())}

    assert Parallel(n_jobs=2, prefer="threads")(delayed(workers)() for _ in range(4)) == [True] * 4
