"""Threads and scorings inside scorings: each hears only its own calls."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score, get_scorer

from tests.search.recording.listening import MODEL, OPTIONS, X, recorded


class Meeting(BaseEstimator):
    """Answers when as many threads as expected are inside, each with its own rows."""

    def __init__(self, barrier=None):
        self.barrier = barrier

    def __sklearn_clone__(self):
        return self

    def predict(self, X):
        self.barrier.wait(timeout=20)
        answer = X[:, 0] * 2
        self.barrier.wait(timeout=20)
        return answer


def in_threads(*calls):
    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


def test_each_thread_hears_only_its_own_calls_of_a_shared_model():
    shared, parts = Meeting(threading.Barrier(4)), np.split(X, 4)
    before = dict(vars(shared))

    def scored(part):
        scorer = lambda est, X, y: float(est.predict(X).sum())  # noqa: E731
        return lambda: recorded(scorer, shared, part)

    for score, part in zip(in_threads(*map(scored, parts)), parts):
        np.testing.assert_array_equal(score.responses.arrays["predict"], part[:, 0] * 2)
    # Other threads may walk over its attributes: these stay until the search ends.
    assert "predict" in vars(shared)
    OPTIONS.lasting.release()
    assert vars(shared) == before


def test_a_thread_that_does_not_score_is_not_heard():
    shared, parts = Meeting(threading.Barrier(2)), np.split(X, 2)
    score, answer = in_threads(
        lambda: recorded(lambda est, X, y: float(est.predict(X).sum()), shared, parts[0]),
        lambda: shared.predict(parts[1]),
    )
    np.testing.assert_array_equal(score.responses.arrays["predict"], parts[0][:, 0] * 2)
    np.testing.assert_array_equal(answer, parts[1][:, 0] * 2)


def test_a_scoring_inside_a_scoring_has_a_listener_of_its_own():
    inner_scores = []

    def outer(estimator, X, y):
        inner_scores.append(recorded(get_scorer("accuracy"), estimator, X[:7]))
        return accuracy_score(y, estimator.predict(X))

    score = recorded(outer)
    np.testing.assert_array_equal(score.responses.arrays["predict"], MODEL.predict(X))
    np.testing.assert_array_equal(
        inner_scores[0].responses.arrays["predict"], MODEL.predict(X[:7])
    )
    assert "predict" not in vars(MODEL)
