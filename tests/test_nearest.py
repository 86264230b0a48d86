import pickle
from inspect import signature

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone

from sklearn_bbc._utils import (
    did_you_mean,
    explain_arguments,
    explain_init,
    got,
)

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
            lambda: Method(alpha=0.1),
            r"^Method has no .* mean Method\(confidence_level=.*1 - alpha",
        ),
        (lambda: Child(seed=1), r"^Child has no parameter 'seed'\. Did you mean Child\(random_st"),
        (
            lambda: Method(unheard=1),
            "'unheard'. Its parameters are confidence_level, random_state.",
        ),
        (lambda: Method(1, 2), "no arguments by position; 1 is too much. Give the others by name"),
        (
            lambda: Method().ask(1, 2),
            r"^ask takes only scoring by position; 2 is too much\. A hint",
        ),
        (lambda: Method().ask(metric="f1"), r"Did you mean ask\(scoring="),
        (lambda: Method().nothing(x=1), "nothing has no parameter 'x'. It takes none."),
    ],
)
def test_arguments_that_are_not_there(call, words):
    with pytest.raises(TypeError, match=words):
        call()


def test_parameters_of_fit_are_not_taken_for_slips():
    assert Method().ask("f1", group=1, sample_weight=2) == ("f1", {"group": 1, "sample_weight": 2})


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
