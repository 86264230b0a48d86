"""Values are equal when they hold the same: arrays by content, NaN equal to NaN."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from sklearn_bbc._utils import same

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
