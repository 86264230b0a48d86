import sys
import threading
import warnings

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from sklearn_bbc import BBCSearchCV
from sklearn_bbc import _warnings as _warn
from sklearn_bbc._warnings import (
    duration,
    hold_warnings,
    no_warnings,
    release_warnings,
    warn_user,
)
from sklearn_bbc.exceptions import IntervalWarning, RecordingWarning, SlowMetricWarning
from sklearn_bbc.intervals import HierarchicalBootstrap, PooledBootstrap, Wald


def test_lines_of_the_package_are_passed_over():
    inside = {"__name__": "sklearn_bbc.somewhere", "warn": _warn.warn_user}
    exec(compile("def fit(): warn('deep', UserWarning)", "package.py", "exec"), inside)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        inside["fit"]()
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "method",
    [Wald(), PooledBootstrap(n_bootstraps=20), HierarchicalBootstrap(n_bootstraps=20)],
    ids=lambda method: method.name,
)
def test_warnings_of_a_search_point_to_the_call_of_fit(method):
    """Labels that are always right leave no spread to be seen."""
    search = BBCSearchCV(
        DummyClassifier(), {"strategy": ["most_frequent"]}, scoring="accuracy", ci=[method], cv=3
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search.fit(np.zeros((30, 1)), np.zeros(30, dtype=int))
    ours = [w for w in caught if issubclass(w.category, IntervalWarning)]
    assert ours
    assert {w.filename for w in ours} == {__file__}


# ---------------------------------------------------------------------- warnings that wait
def test_held_warnings_come_when_they_are_released():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with hold_warnings() as held:
            warn_user("first", IntervalWarning)
            warn_user("second", RecordingWarning)
            assert not caught
        release_warnings(held)
    assert [str(each.message) for each in caught] == ["first", "second"]
    assert {each.filename for each in caught} == {__file__}


def test_as_errors_the_first_is_raised_with_the_others_as_notes():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with hold_warnings() as held:
            warn_user("first", IntervalWarning)
            warn_user("second", RecordingWarning)
        with pytest.raises(IntervalWarning, match="first") as caught:
            release_warnings(held)
    assert caught.value.__notes__ == ["RecordingWarning: second"]


def test_what_takes_long_is_said_at_once_but_stops_nothing():
    with hold_warnings() as held:
        with pytest.warns(SlowMetricWarning, match="slow"):
            warn_user("slow", SlowMetricWarning)
        assert not held
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warn_user("slow", SlowMetricWarning)
    assert held == [("slow", SlowMetricWarning)]


def test_another_thread_is_not_held():
    with hold_warnings() as held, pytest.warns(IntervalWarning, match="other"):
        thread = threading.Thread(target=warn_user, args=("other", IntervalWarning))
        thread.start()
        thread.join()
    assert not held


@pytest.mark.parametrize(
    "seconds, words",
    [(6, "6 seconds"), (119, "119 seconds"), (120, "2 minutes"), (8000, "2 hours")],
)
def test_duration(seconds, words):
    assert duration(seconds) == words


@pytest.mark.skipif(
    getattr(sys.flags, "context_aware_warnings", False), reason="each thread has its own filters"
)
def test_threads_that_overlap_put_back_the_filters_of_the_process():
    """The first to enter leaves first: `catch_warnings` would leave its filters behind."""
    inside, left = threading.Event(), threading.Event()

    def first():
        with no_warnings():
            inside.set()
            second_inside.wait(10)
        left.set()

    second_inside = threading.Event()

    def second():
        inside.wait(10)
        with no_warnings():
            second_inside.set()
            assert left.wait(10)
            warnings.warn("still silent", UserWarning, stacklevel=1)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        before = warnings.filters
        threads = [threading.Thread(target=each) for each in (first, second)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert warnings.filters is before
        warnings.warn("heard", UserWarning, stacklevel=1)
    assert [str(each.message) for each in caught] == ["heard"]


def test_silence_within_silence_and_after_an_error():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(ValueError), no_warnings():
            with no_warnings():
                pass
            warnings.warn("silent", UserWarning, stacklevel=1)
            raise ValueError
        warnings.warn("heard", UserWarning, stacklevel=1)
    assert [str(each.message) for each in caught] == ["heard"]
