"""Filters of warnings, which are those of the process: threads of draws do not change them."""

import sys
import threading
import warnings

import numpy as np
import pytest
from joblib import parallel_config
from sklearn import config_context, get_config
from sklearn.metrics import make_scorer

from sklearn_bbc.intervals import BBC
from sklearn_bbc.resampling import IID, STREAM_BLOCK, Draws
from sklearn_bbc.testing import example_predictions

pytestmark = pytest.mark.skipif(
    getattr(sys.flags, "context_aware_warnings", False), reason="each thread has its own filters"
)


@pytest.fixture
def filters():
    """The filters of a user, which must be there afterwards, in this order."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "mine", DeprecationWarning)
        yield list(warnings.filters)


def in_two_threads(function, prefer, backend="threading"):
    with parallel_config(backend=backend, n_jobs=2):
        return Draws(IID(12), 4 * STREAM_BLOCK, 5, prefer=prefer).map(function)


@pytest.mark.parametrize(("prefer", "are_changed"), [("threads", False), ("processes", True)])
def test_all_threads_have_the_filters_of_the_caller(prefer, are_changed, filters):
    before, seen, both = warnings.filters, [], threading.Barrier(2, timeout=10)

    def look(counts):
        both.wait()  # the other one is at work, too
        seen.append(warnings.filters)
        both.wait()
        return counts

    in_two_threads(look, prefer)
    assert len(seen) == 2 and seen[0] is seen[1]
    assert (seen[0] is not before) == are_changed
    assert warnings.filters is before and before == filters
    with pytest.raises(DeprecationWarning):
        warnings.warn("mine", DeprecationWarning, stacklevel=1)


def test_filters_are_put_back_when_a_draw_fails(filters):
    def fail(counts):
        raise RuntimeError("as told")

    for prefer in ("threads", "processes"):
        with pytest.raises(RuntimeError, match="as told"):
            in_two_threads(fail, prefer)
        assert warnings.filters == filters


def test_threads_have_the_configuration_of_the_caller():
    seen = []
    with config_context(assume_finite=True, working_memory=7):
        in_two_threads(lambda counts: seen.append(get_config()) or counts, "threads")
    assert [(each["assume_finite"], each["working_memory"]) for each in seen] == [(True, 7)] * 2


def test_a_scorer_that_warns_in_threads(filters):
    """No warning comes out of the draws, the numbers are those of one thread."""

    def share_right(y_true, y_pred):
        warnings.warn("with every call", UserWarning, stacklevel=1)
        return float(np.mean(y_true == y_pred))

    oof, scorer = example_predictions(), make_scorer(share_right)
    with pytest.warns(UserWarning, match="with every call"):
        kernel = BBC(n_bootstraps=130, random_state=0).estimate(oof, scorer)
    with parallel_config(backend="threading", n_jobs=2), warnings.catch_warnings(record=True) as w:
        warnings.simplefilter("always")
        found = BBC(n_bootstraps=130, random_state=0).estimate(oof, scorer)
    np.testing.assert_array_equal(found.draws, kernel.draws)
    assert 0 < len([each for each in w if "every call" in str(each.message)]) < 20
    assert warnings.filters == filters
