"""Small tools: equality, files, integers, names that are near, registries."""

import copy
import errno
import importlib
import os
import pickle
import stat
import sys
from inspect import signature

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from sklearn_bbc._rounding import levelled
from sklearn_bbc._utils import (
    check_integer,
    did_you_mean,
    explain_arguments,
    explain_init,
    got,
    is_integer,
    lowest_reaching,
    nan_loses,
    other_class,
    register,
    replacing,
    same,
    suppress_fp_warnings,
)
from sklearn_bbc.display._base import _DISPLAYS as DISPLAYS
from sklearn_bbc.display._base import BaseDisplay
from sklearn_bbc.intervals import BBC, RefitInterval, as_interval
from sklearn_bbc.intervals._refit_base import _REFIT_INTERVALS as REFITS
from sklearn_bbc.metrics import MetricKernel, families

nan = np.nan
SURVIVAL = np.array([(True, 1.0), (False, nan)], dtype=[("event", "?"), ("time", "<f8")])
OTHERS = np.array([(True, 1.0), (True, nan)], dtype=[("event", "?"), ("time", "<f8")])

EQUAL = [
    (1, 1.0),
    (nan, nan),
    (np.float64(nan), nan),
    (None, None),
    ("a", np.str_("a")),
    (np.array([1, 2]), np.array([1.0, 2.0])),
    (np.array([1, nan]), np.array([1, nan])),
    (np.array([nan], np.float32), np.array([nan])),
    (np.array(["a", "b"]), np.array(["a", "b"])),
    (np.array(["a", None, nan], dtype=object), np.array(["a", None, nan], dtype=object)),
    (SURVIVAL, SURVIVAL.copy()),
    ({"a": [nan, (1, np.ones(2))]}, {"a": [nan, (1, np.ones(2))]}),
    (LogisticRegression(C=2), LogisticRegression(C=2)),
    (make_pipeline(LogisticRegression(C=nan)), make_pipeline(LogisticRegression(C=nan))),
    (pd.DataFrame({"a": [1, nan]}), pd.DataFrame({"a": [1, nan]})),
    (pd.Timestamp("2026-01-01"), pd.Timestamp("2026-01-01")),
]
DIFFERENT = [
    (1, 2),
    (1, nan),
    (nan, None),
    ("1", 1),
    (np.array([1, 2]), np.array([1, 3])),
    (np.array([1, nan]), np.array([nan, 1])),
    (np.array([1, 2]), np.array([[1, 2]])),
    (np.array(["a"]), np.array([1])),
    (np.array([None], dtype=object), np.array([1])),
    (np.array([1, 2]), [1, 2]),
    (np.array([1]), 1),
    ([1, 2], (1, 2)),
    ([1, 2], [1, 2, 3]),
    (SURVIVAL, OTHERS),
    (SURVIVAL, np.array([1.0, 2.0])),
    ({"a": 1}, {"b": 1}),
    ({"a": 1}, {"a": 1, "b": 1}),
    ({"a": np.ones(2)}, {"a": np.zeros(2)}),
    (LogisticRegression(C=2), LogisticRegression(C=3)),
    (LogisticRegression(), LogisticRegression),
    (pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [2]})),
    (pd.Series([1]), np.array([1])),
]


@pytest.mark.parametrize("one, other", EQUAL)
def test_equal(one, other):
    assert same(one, other) is True and same(other, one) is True


@pytest.mark.parametrize("one, other", DIFFERENT)
def test_different(one, other):
    assert same(one, other) is False and same(other, one) is False


@pytest.mark.parametrize("value", [one for one, _ in EQUAL + DIFFERENT])
def test_copies_are_equal(value):
    assert same(value, copy.deepcopy(value))
    assert same(value, pickle.loads(pickle.dumps(value)))


def test_a_new_file_is_there_when_it_is_complete(tmp_path):
    path = tmp_path / "a"
    with replacing(path) as file:
        file.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new" and os.listdir(tmp_path) == ["a"]


def test_a_fault_leaves_the_older_file_and_no_rest(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), replacing(path) as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["a"]


def test_permissions_and_links_stay(tmp_path):
    path, link = tmp_path / "a", tmp_path / "link"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    with replacing(link) as file:
        file.write(b"new")
    assert link.is_symlink() and path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(IsADirectoryError, match="another name"), replacing(tmp_path):
        pass


@pytest.mark.parametrize("before", [None, b"old"])
def test_a_file_that_cannot_be_written_is_named(before, tmp_path, monkeypatch):
    """What a full disk says, and nothing is left of the attempt."""
    path = tmp_path / "report.html"
    if before is not None:
        path.write_bytes(before)

    def full(file):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("sklearn_bbc._utils.os.fsync", full)
    words = r"could not be written.*No space left.*save it elsewhere"
    with pytest.raises(OSError, match=words) as error, replacing(path) as file:
        file.write(b"new")
    assert (error.value.errno, error.value.filename) == (errno.ENOSPC, str(path))
    assert ("is as before" in str(error.value)) == (before is not None)
    assert [each.read_bytes() for each in tmp_path.iterdir()] == [before] * (before is not None)


def overflow():
    return np.float64(1e308) * np.float64(10)


def test_nothing_is_said_inside_and_the_settings_come_back():
    with np.errstate(over="raise"):
        with suppress_fp_warnings():
            assert np.isinf(overflow())
        with pytest.raises(FloatingPointError):
            overflow()


def test_the_settings_come_back_after_an_error():
    before = np.geterr()
    with pytest.raises(KeyError), suppress_fp_warnings():
        raise KeyError
    assert np.geterr() == before


def test_an_undefined_score_never_wins():
    scores = np.array([[np.nan, 0.2, np.inf], [np.nan, -3.0, -4.0], [np.nan, np.nan, np.nan]])
    filled = nan_loses(scores)
    assert filled.argmax(axis=1).tolist() == [2, 1, 0]
    assert np.isneginf(filled[2]).all() and np.isnan(scores[0, 0])


@pytest.mark.parametrize("value", [0, 3, -2, np.int64(3), np.uint8(0), 2**70])
def test_whole_numbers_of_python_and_numpy(value):
    assert is_integer(value)
    assert is_integer(value, 0) == (value >= 0)
    check_integer("n", value)


@pytest.mark.parametrize("value", [True, np.True_, 1.0, np.float64(2), "1", None, np.array([1])])
def test_what_only_looks_like_one(value):
    assert not is_integer(value)
    assert not is_integer(value, 0)
    with pytest.raises(ValueError, match=r"^n must be an integer, got "):
        check_integer("n", value)


def test_the_message_names_the_parameter_its_range_and_what_was_given():
    with pytest.raises(ValueError, match=r"^n must be an integer of at least 2, got 1\.$"):
        check_integer("n", 1, 2)
    with pytest.raises(ValueError, match=r"^n must be None or an integer of at least 0, got"):
        check_integer("n", -1, 0, or_none=True)
    with pytest.raises(ValueError, match=r"at least 20, got 3: too few\.$"):
        check_integer("n", 3, 20, why=": too few.")


KNOWN = ["bbc", "bbcf", "corrected_t"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [("BBC", "bbc"), ("bbc-f", "bbcf"), ("BBC_F", "bbcf"), ("corected t", "corrected_t")],
)
def test_case_signs_and_slips_do_not_matter(name, meant):
    assert did_you_mean(name, KNOWN) == f" Did you mean {meant!r}?"


def test_another_word_leads_to_the_name_unless_there_is_no_such_name():
    words = {"nadeau": "corrected_t", "jackknife": "infinitesimal"}
    assert did_you_mean("Nadeau", KNOWN, words) == " Did you mean 'corrected_t'?"
    assert did_you_mean("jackknife", KNOWN, words) == ""


@pytest.mark.parametrize("name", ["", "-", "xyz", "a very long name of something else"])
def test_nothing_near_is_nothing_said(name):
    assert did_you_mean(name, KNOWN) == ""


class Method(BaseEstimator):
    def __init__(self, *, confidence_level=0.95, random_state=None):
        self.confidence_level = confidence_level
        self.random_state = random_state

    @explain_arguments(" A hint.", "ask(BBC({}=...))")
    def ask(self, scoring=None, **fit_params):
        return scoring, fit_params

    @explain_arguments(of_method="BBC({}=...)")
    def of_data(self, X=None, **fit_params):
        return X, fit_params

    @explain_arguments()
    def nothing(self):
        return self


class Child(Method):
    pass


SIGNATURE = signature(Method)
explain_init(Method)
explain_init(Child)


def test_a_class_with_explained_arguments_is_a_scikit_learn_object_as_before():
    assert signature(Method) == SIGNATURE == signature(Child)
    again = pickle.loads(pickle.dumps(clone(Child(confidence_level=0.9))))
    assert again.get_params() == {"confidence_level": 0.9, "random_state": None}
    assert again.set_params(random_state=3).random_state == 3


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: Method(confidence=0.1),
            r"^Method has no .* mean Method\(confidence_level=\.\.\.\)\? Its parameters are con",
        ),
        (lambda: Child(RandomState=1), r"^Child has no parameter 'Ran.* mean Child\(random_st"),
        (
            lambda: Method(unheard=1),
            "'unheard'. Its parameters are confidence_level, random_state.",
        ),
        (lambda: Method(1, 2), "no arguments by position; 1 is too much. Its parameters are conf"),
        (
            lambda: Method().ask(1, 2),
            r"^ask takes only scoring by position; 2 .*\. Its parameters are scoring\. A hint\.$",
        ),
        (lambda: Method().of_data(n_job=1), r"It belongs to the method: BBC\(n_jobs=\.\.\.\)\."),
        (
            lambda: Method().of_data(depth=1),
            "no parameter 'depth'. Its .* Those of fit need X",
        ),
        (lambda: Method().nothing(x=1), "nothing has no parameter 'x'. It takes none."),
    ],
)
def test_arguments_that_are_not_there(call, words):
    with pytest.raises(TypeError, match=words):
        call()


def test_parameters_of_fit_come_with_the_data():
    for given in ({"X": 1, "depth": 2}, {"X": 0, "n_job": 2}):
        assert Method().of_data(**given) == (given.pop("X"), given)
    assert Method().of_data(1, depth=2) == (1, {"depth": 2})
    assert Method().ask(depth=2) == (None, {"depth": 2})


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.ones((2, 3)), "an array of shape (2, 3)"),
        (pd.DataFrame({"a": [1]}), "a DataFrame of shape (1, 1)"),
        (Method, "the class Method"),
        ("x" * 99, "a str"),
        ([1], "[1]"),
        (np.float64(2), repr(np.float64(2))),
    ],
)
def test_a_value_in_a_message_is_short(value, words):
    assert got(value) == words


def test_another_class_with_the_name_is_refused_and_both_are_named():
    registry = {}
    one, other = (type(name, (), {"name": "mine"}) for name in ("One", "Other"))
    register(registry, one, "thing")
    with pytest.raises(ValueError, match=r"'mine' of the thing .*\.Other is taken by .*\.One\."):
        register(registry, other, "thing")
    assert registry == {"mine": one}


def test_the_same_class_defined_again_replaces_the_earlier_one():
    registry = {}
    for _ in range(2):
        again = type("One", (), {"name": "mine"})
        register(registry, again, "thing")
        assert registry["mine"] is again


@pytest.mark.parametrize(
    "base, taken, of_name",
    [
        (BBC, "bbc", as_interval),
        (MetricKernel, "roc_auc", lambda name: families()[name]),
        (RefitInterval, next(iter(REFITS)), REFITS.get),
        (BaseDisplay, next(iter(DISPLAYS)), DISPLAYS.get),
    ],
)
def test_nothing_that_registers_can_be_replaced_by_accident(base, taken, of_name):
    before = of_name(taken)
    with pytest.raises(ValueError, match=f"The name '{taken}' .* is taken by sklearn_bbc"):
        type("Intruder", (base,), {"name": taken})
    assert type(of_name(taken)) is type(before)


def test_a_module_may_be_loaded_again(tmp_path, monkeypatch):
    (tmp_path / "their_method.py").write_text(
        "from sklearn_bbc.intervals import BBC\n\nclass Theirs(BBC):\n    name = 'theirs'\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(
        "sklearn_bbc.intervals._base._INTERVALS",
        dict(sys.modules["sklearn_bbc.intervals._base"]._INTERVALS),
    )
    module = importlib.import_module("their_method")
    again = importlib.reload(module)
    assert type(as_interval("theirs")) is again.Theirs


@pytest.mark.parametrize("kind", [float, np.float32])
@pytest.mark.parametrize("n", [3, 7, 10, 100])
def test_scores_within_rounding_of_a_threshold_reach_it(n, kind):
    """Multiples of 1 / n, and those of the other class, at each of them: integers decide."""
    parts = np.arange(n + 1)
    scores = (parts / n).astype(kind)
    for turned, values in ((False, scores), (True, other_class(scores)[::-1])):
        lowest = lowest_reaching(parts / n, values, turned=turned)
        found = values.astype(float)[:, None] >= lowest
        np.testing.assert_array_equal(found, parts[:, None] >= parts)


@pytest.mark.parametrize(
    "scores",
    [[-1e300, -5.0, 0.0, 1e300], [1e-300, 1e-20, 1e-15, 1 - 1e-13, 1.0], [1e6, 1e6 + 1, 2e7],
     [0.1, 0.1 + 1e-12]],
)  # fmt: skip
def test_scores_that_differ_by_more_than_rounding_do_not_tie(scores):
    scores = np.array(scores)
    lowest = lowest_reaching([-np.inf, *scores, np.inf], scores)
    assert lowest[0] == -np.inf and lowest[-1] == np.inf
    found = np.searchsorted(lowest, scores, side="right")
    assert found.tolist() == list(range(2, len(scores) + 2))


@pytest.mark.parametrize(
    "values, expected",
    [
        ([0.3, 0.1 + 0.2, 0.2], [0.1 + 0.2, 0.1 + 0.2, 0.2]),
        ([0.8, np.nextafter(0.8, 1), np.nextafter(0.8, 0)], [np.nextafter(0.8, 1)] * 3),
        ([1.0, 1.0 + 1e-9], [1.0, 1.0 + 1e-9]),
        ([-0.3, -0.1 - 0.2], [-0.3, -0.3]),
        ([np.nan, 0.5, -np.inf, np.inf, -np.inf], [np.nan, 0.5, -np.inf, np.inf, -np.inf]),
        ([1e-20, 2e-20, 1e30], [1e-20, 2e-20, 1e30]),
        ([], []),
    ],
)
def test_what_rounding_alone_tells_apart_is_one_value(values, expected):
    np.testing.assert_array_equal(levelled(np.array(values, dtype=float)), expected)
