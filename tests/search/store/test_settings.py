"""Tasks of a search with a store have its settings, as those of scikit-learn's `delayed`."""

import pickle
import threading
import warnings

import pytest
from sklearn import config_context, get_config, set_config
from sklearn.utils.parallel import Parallel, delayed

from sklearn_bbc.search._resume import WithSettings, _filters

SENDS_FILTERS = hasattr(delayed(print)()[0], "with_config_and_warning_filters")


def seen(*args, **kwargs):
    """What a task sees, and what it was given."""
    return get_config(), list(_filters()), args, kwargs


def plain(filters):
    """Filters without the difference between a text and a pattern of it."""
    return [tuple(getattr(part, "pattern", part) for part in each) for each in filters]


def told(function, config):
    """Tell a function the settings as this version of scikit-learn does."""
    if SENDS_FILTERS:
        return function.with_config_and_warning_filters(config, _filters())
    return function.with_config(config)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("prefer", ["threads", "processes"])
def test_a_task_sees_what_it_would_see(n_jobs, prefer):
    found = []
    with config_context(working_memory=7), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="of this test only")
        for function in (WithSettings(seen), delayed(seen)()[0]):
            tasks = ((function, (number,), {"k": number}) for number in range(3))
            found.append(Parallel(n_jobs=n_jobs, prefer=prefer)(tasks))
    ours, theirs = found
    for one, other in zip(ours, theirs, strict=True):
        assert one[0] == other[0] and one[0]["working_memory"] == 7
        assert plain(one[1]) == plain(other[1])
        assert one[2:] == other[2:]


def test_settings_that_are_here_are_not_set_again(monkeypatch):
    ours = told(WithSettings(seen), get_config())
    monkeypatch.setattr(ours, "_setting", None)  # scikit-learn's way
    assert ours(1, a=2)[2:] == ((1,), {"a": 2})
    with config_context(working_memory=7), pytest.raises(TypeError):
        ours()
    ours(3)


def test_without_filters_only_the_configuration_counts(monkeypatch):
    """As scikit-learn 1.6 tells it."""
    ours = WithSettings(seen)
    ours._setting.with_config = lambda config: None
    ours.with_config(get_config())
    monkeypatch.setattr(ours, "_setting", None)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="of this test only")
        assert ours(4)[2] == (4,)


@pytest.mark.skipif(not SENDS_FILTERS, reason="this scikit-learn does not send filters")
def test_other_filters_are_set_by_scikit_learn(monkeypatch):
    ours = told(WithSettings(seen), get_config())
    before = list(_filters())
    ours.with_config_and_warning_filters(get_config(), list(before))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="of this test only")
        assert plain(ours()[1]) == plain(before)
    monkeypatch.setattr(ours, "_setting", None)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="of this test only")
        with pytest.raises(TypeError):
            ours()


def test_in_a_thread_of_its_own_settings_the_search_s_are_used():
    with config_context(working_memory=7):
        ours = told(WithSettings(seen), get_config())
    found = []
    thread = threading.Thread(target=lambda: found.append(ours()))
    thread.start()
    thread.join()
    assert found[0][0]["working_memory"] == 7


def changing():
    set_config(working_memory=7)
    warnings.simplefilter("ignore")


def test_what_a_task_sets_ends_with_it():
    before, filters = get_config(), list(_filters())
    with warnings.catch_warnings():
        ours = told(WithSettings(changing), before)
        ours()
        assert not SENDS_FILTERS or list(_filters()) == filters
    assert get_config() == before

    def failing():
        changing()
        raise ValueError("of the task")

    with pytest.raises(ValueError, match="of the task"):
        told(WithSettings(failing), before)()
    assert get_config() == before


def warning():
    warnings.warn("again", UserWarning, stacklevel=1)


def test_each_task_warns_anew():
    numbers = []
    for function in (WithSettings(warning), delayed(warning)()[0]):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            for _ in range(3):
                told(function, get_config())()
        numbers.append(len(caught))
    assert numbers[0] == numbers[1]


def test_it_travels():
    ours = pickle.loads(pickle.dumps(told(WithSettings(seen), get_config())))
    assert ours(1)[2] == (1,)


def test_without_settings_scikit_learn_complains():
    with pytest.warns(UserWarning, match="should be used with"):
        WithSettings(seen)()
