"""The contract of comparisons that train models, on every registered one."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

from sklearn_bbc import ComparisonResult
from sklearn_bbc.comparison import registered_refits
from sklearn_bbc.testing._common import assert_documented, assert_parameters

NAMES = sorted(registered_refits())
rng = np.random.default_rng(0)
y = np.arange(60) % 2
X = rng.normal(size=(60, 2)) + y[:, None]


def ready(name):
    return registered_refits()[name](random_state=0, verbose=0)


@pytest.mark.parametrize("name", NAMES)
def test_contract(name):
    method = ready(name)
    assert_parameters(method)
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    result = method.compare(GaussianNB(), DummyClassifier(), X, y, scoring="roc_auc")
    assert isinstance(result, ComparisonResult) and result.metric == "roc_auc"
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002
    assert 0 <= result.p_value <= 1 and result.difference > 0
    assert pickle.loads(pickle.dumps(result)) == result
    again = clone(method).compare(GaussianNB(), DummyClassifier(), X, y, scoring="roc_auc")
    assert again == result
    assert_documented(type(method), result.details)
    assert all(text.endswith(".") for text in method.assumptions)


@pytest.mark.parametrize("name", NAMES)
def test_metrics_must_agree(name):
    search = GridSearchCV(GaussianNB(), {}, scoring="roc_auc")
    with pytest.raises(ValueError, match=r"first would be scored by roc_auc, the second by"):
        ready(name).compare(search, DummyClassifier(), X, y)
    without = GridSearchCV(GaussianNB(), {}, refit=False)
    with pytest.raises(ValueError, match="refit=False"):
        ready(name).compare(without, DummyClassifier(), X, y)
