"""5x2cv: the published formulas on given differences, and the halves that are trained on."""

import pickle

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

from sklearn_bbc.comparison import FiveByTwo
from sklearn_bbc.comparison._two_learners import f_test, t_test
from sklearn_bbc.testing._common import assert_documented, assert_parameters

RNG = np.random.default_rng(0)
Y = np.arange(60) % 2
X = RNG.normal(size=(60, 3)) + Y[:, None]


def compared(first=None, second=None, y=Y, params=None, **fields):
    method = FiveByTwo(**{"random_state": 3, "verbose": 0, **(params or {})})
    return method.compare(first or GaussianNB(), second or DummyClassifier(), X, y, **fields)


@pytest.mark.parametrize(
    ("differences", "t", "f", "within"),
    [
        ([[0.02, -0.01], [0.03, 0.01], [0, 0.04], [0.05, -0.02], [0.01, 0.02]],
         (0.7115681, 0.508544), (0.8227848, 0.630502), 5e-7),
        # mlxtend's own tests: iris (as in the UCI repository), logistic regression and a tree,
        # full and with one split; samples of 75 that the first gets right beyond the second.
        (np.array([[0, 0], [3, -2], [1, 2], [1, 2], [1, 5]]) / 75, (0.0, 1.0), (1.14, 0.47), 5e-3),
        (np.array([[24, 26], [26, 20], [25, 33], [24, 25], [24, 26]]) / 75,
         (7.269, 0.001), (59.587, 0.0), 5e-4),
        (np.zeros((5, 2)), (0, 1), (0, 1), 0),
        (np.full((5, 2), 0.1), (np.inf, 0), (np.inf, 0), 0),
    ],
)  # fmt: skip
def test_known_values(differences, t, f, within):
    differences = np.array(differences)
    statistic, p_value, error = t_test(differences, "two-sided")
    assert (statistic, p_value) == pytest.approx(t, abs=within)
    assert f_test(differences) == pytest.approx(f, abs=within)
    if 0 < statistic < np.inf:
        assert error == pytest.approx(differences[0, 0] / statistic)
        assert t_test(differences, "greater")[1] == pytest.approx(p_value / 2)


def test_scores_are_those_of_models_trained_on_the_other_half():
    result, rng = compared(), np.random.default_rng(3)
    for row in result.details["differences"]:
        order = rng.permutation(60)
        one, other = np.sort(order[:30]), np.sort(order[30:])
        for found, (train, test) in zip(row, ((one, other), (other, one)), strict=True):
            nb, dummy = (
                accuracy_score(Y[test], model.fit(X[train], Y[train]).predict(X[test]))
                for model in (GaussianNB(), DummyClassifier())
            )
            assert found == pytest.approx(nb - dummy)
    assert result.difference == pytest.approx(np.mean(result.details["differences"]))
    assert result.metric == "accuracy" and result.names == ("GaussianNB", "DummyClassifier")
    assert np.isnan(result.low) and "combined=False" in result.details["reason"]
    assert result.p_value == result.details["f_p_value"]


def test_the_t_test_is_about_the_first_difference():
    result, of_f = compared(params={"combined": False}), compared()
    assert result.details["differences"] == of_f.details["differences"]
    first = result.details["differences"][0][0]
    assert result.difference == first
    assert result.statistic == pytest.approx(of_f.details["t_statistic"])
    half = 2.5705818356363146 * result.details["standard_error"]  # t(5), 97.5%
    assert tuple(result) == pytest.approx((first - half, first + half))


def test_contract():
    method = FiveByTwo(random_state=0, verbose=0)
    assert_parameters(method)
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    given = (GaussianNB(), DummyClassifier(), X, Y)
    result = method.compare(*given, scoring="roc_auc")
    assert result.metric == "roc_auc" and 0 <= result.p_value <= 1 and result.difference > 0
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002
    assert pickle.loads(pickle.dumps(result)) == result
    assert clone(method).compare(*given, scoring="roc_auc") == result
    assert_documented(FiveByTwo, result.details)
    with parallel_config(backend="threading"):
        assert method.set_params(n_jobs=2).compare(*given, scoring="roc_auc") == result
    assert compared().details["differences"] != result.details["differences"]


def test_the_same_learner_twice():
    result = compared(second=GaussianNB())
    assert result.difference == 0 and result.p_value == 1 and result.details["degenerate"]
    assert result.names == ("GaussianNB (first)", "GaussianNB (second)")


def test_the_cost_is_printed_before(capsys):
    compared(params={"verbose": 1}, names=("bayes", "dummy"))
    assert capsys.readouterr().out == "FiveByTwo: 20 fits of bayes and dummy\n"


@pytest.mark.parametrize(
    "change, message",
    [
        ({"params": {"alternative": "greater"}}, "F test has no sides.*combined=False"),
        ({"groups": np.arange(60)}, "takes samples as independent"),
        ({"second": LinearRegression()}, "One of the two is a classifier"),
        ({"y": np.zeros(59)}, "X has 60 samples, but y has 59"),
        ({"y": np.arange(60) == 0, "second": LogisticRegression()}, "class True has 1 sample"),
        ({"first": GridSearchCV(GaussianNB(), {}, scoring="roc_auc")},
         "first would be scored by roc_auc, the second by"),
        ({"first": GridSearchCV(GaussianNB(), {}, refit=False)}, "refit=False"),
    ],
)  # fmt: skip
def test_bad_input(change, message):
    with pytest.raises(ValueError, match=message):
        compared(**change)
