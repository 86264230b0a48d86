"""5x2cv: the published formulas on given differences, and the halves that are trained on."""

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.naive_bayes import GaussianNB

from sklearn_bbc.comparison import FiveByTwo
from sklearn_bbc.comparison._refits import f_test, t_test

DIFFERENCES = np.array([[0.02, -0.01], [0.03, 0.01], [0, 0.04], [0.05, -0.02], [0.01, 0.02]])


def data(n=60, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, 3)) + y[:, None], y


def test_t_by_known_values():
    statistic, p_value, error = t_test(DIFFERENCES, "two-sided")
    assert statistic == pytest.approx(0.7115681, abs=5e-8)
    assert p_value == pytest.approx(0.508544, abs=5e-7)
    assert error == pytest.approx(0.02 / 0.7115681, rel=1e-6)
    assert t_test(DIFFERENCES, "greater")[1] == pytest.approx(0.508544 / 2, abs=5e-7)


def test_f_by_known_values():
    statistic, p_value = f_test(DIFFERENCES)
    assert statistic == pytest.approx(0.8227848, abs=5e-8)
    assert p_value == pytest.approx(0.630502, abs=5e-7)


@pytest.mark.parametrize(
    ("counts", "t", "f"),
    [
        ([[0, 0], [3, -2], [1, 2], [1, 2], [1, 5]], (0.0, 1.0), (1.14, 0.47)),
        ([[24, 26], [26, 20], [25, 33], [24, 25], [24, 26]], (7.269, 0.001), (59.587, 0.0)),
    ],
)
def test_values_of_mlxtend(counts, t, f):
    """Iris (as in the UCI repository), logistic regression and a tree, full and with one split.

    The differences are how many of 75 test samples the first gets right beyond the second, in
    the halves of mlxtend's seed 1; the values are those that its own tests expect.
    """
    differences = np.array(counts) / 75
    assert tuple(np.round(t_test(differences, "two-sided")[:2], 3)) == t
    assert tuple(np.round(f_test(differences), 3)) == f


def test_without_spread():
    assert f_test(np.zeros((5, 2))) == (0, 1) and t_test(np.zeros((5, 2)), "two-sided")[:2] == (
        0,
        1,
    )
    constant = np.full((5, 2), 0.1)
    assert f_test(constant) == (np.inf, 0)
    assert t_test(constant, "two-sided")[:2] == (np.inf, 0)


def test_scores_are_those_of_models_trained_on_the_other_half():
    X, y = data()
    test = FiveByTwo(random_state=3, verbose=0)
    result = test.compare(GaussianNB(), DummyClassifier(), X, y)
    rng = np.random.default_rng(3)
    for row in result.details["differences"]:
        order = rng.permutation(60)
        one, other = np.sort(order[:30]), np.sort(order[30:])
        for found, (train, held_out) in zip(row, ((one, other), (other, one)), strict=True):
            scores = [
                accuracy_score(y[held_out], model.fit(X[train], y[train]).predict(X[held_out]))
                for model in (GaussianNB(), DummyClassifier())
            ]
            assert found == pytest.approx(scores[0] - scores[1])
    assert result.difference == pytest.approx(np.mean(result.details["differences"]))
    assert result.metric == "accuracy" and result.names == ("GaussianNB", "DummyClassifier")
    assert np.isnan(result.low) and "combined=False" in result.details["reason"]


def test_the_t_test_is_about_the_first_difference():
    X, y = data()
    both = [
        FiveByTwo(random_state=3, verbose=0, combined=combined).compare(
            GaussianNB(), DummyClassifier(), X, y
        )
        for combined in (True, False)
    ]
    assert both[0].details["differences"] == both[1].details["differences"]
    first = both[1].details["differences"][0][0]
    assert both[1].difference == first
    assert both[1].statistic == pytest.approx(both[0].details["t_statistic"])
    assert both[0].p_value == both[1].details["f_p_value"]
    half = 2.5705818356363146 * both[1].details["standard_error"]  # t(5), 97.5%
    assert tuple(both[1]) == pytest.approx((first - half, first + half))


def test_the_same_learner_twice():
    X, y = data()
    result = FiveByTwo(random_state=0, verbose=0).compare(GaussianNB(), GaussianNB(), X, y)
    assert result.difference == 0 and result.p_value == 1 and result.details["degenerate"]
    assert result.names == ("GaussianNB (first)", "GaussianNB (second)")


def test_seeds_and_workers():
    X, y = data()

    def run(**params):
        return FiveByTwo(verbose=0, **params).compare(GaussianNB(), DummyClassifier(), X, y)

    with parallel_config(backend="threading"):
        assert run(random_state=1) == run(random_state=1, n_jobs=2)
    assert run(random_state=1).details["differences"] != run(random_state=2).details["differences"]


def test_the_cost_is_told_before(capsys):
    X, y = data()
    FiveByTwo(random_state=0).compare(
        GaussianNB(), DummyClassifier(), X, y, names=("bayes", "dummy")
    )
    assert capsys.readouterr().out == "FiveByTwo: 20 fits of bayes and dummy\n"


@pytest.mark.parametrize(
    "change, message",
    [
        ({"params": {"alternative": "greater"}}, "F test has no sides.*combined=False"),
        ({"params": {"combined": 1}}, "combined must be True or False"),
        ({"params": {"confidence_level": 2}}, "confidence_level"),
        ({"groups": np.arange(60)}, "takes samples as independent"),
        ({"second": LinearRegression()}, "One of the two is a classifier"),
        ({"second": "nothing"}, "second must be an estimator"),
        ({"y": np.zeros(59)}, "X has 60 samples, but y has 59"),
        ({"y": np.arange(60) == 0}, "class True has 1 sample"),
    ],
)
def test_bad_input(change, message):
    X, y = data()
    change = {"second": LogisticRegression(), "y": y, "params": {}, **change}
    test = FiveByTwo(verbose=0, random_state=0, **change.pop("params"))
    second, y = change.pop("second"), change.pop("y")
    with pytest.raises(ValueError, match=message):
        test.compare(GaussianNB(), second, X, y, **change)
