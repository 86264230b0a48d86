"""Stability of predictions: mean absolute differences by the shares that win draws."""

import pickle

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.display import StabilityDisplay
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import BBC
from sklearn_bbc.predictions._predictions import with_fields
from tests.search.small_search import OftenWithoutRisks

N = 80
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 3))
Y = (X[:, 0] + 2 * RNG.normal(size=N) > 0).astype(int)


NEIGHBORS, GRID = KNeighborsClassifier(), {"n_neighbors": [3, 5, 9, 15, 25]}


def fitted(model=NEIGHBORS, grid=GRID, y=Y, **options):
    given = {"scoring": "neg_brier_score", "random_state": 0, "ci": [], **options}
    return BBCSearchCV(model, grid, **given).fit(X, y)


@pytest.mark.parametrize("n_repeats", [1, 2])
def test_each_draw_is_compared_with_the_selected_configuration(n_repeats):
    search = fitted(cv=RepeatedStratifiedKFold(n_repeats=n_repeats, random_state=0))
    result = search.prediction_stability(method=BBC(n_bootstraps=100))
    details = search.interval(BBC(n_bootstraps=100)).details
    oof, won = search.oof_, details["won"]
    risks = np.zeros((oof.n_configs, N))
    for k, sample in enumerate(oof.sample):
        risks[:, sample] += oof.responses["predict_proba"][:, k] / n_repeats
    np.testing.assert_allclose(result.predicted, risks[search.best_index_], rtol=1e-12)
    draws = np.repeat(list(won), np.rint(100 * np.array(list(won.values()))).astype(int))
    assert len(draws) == 100 and len(won) > 2
    away = np.abs(risks[draws] - risks[search.best_index_])
    np.testing.assert_allclose(result.difference, away.mean(axis=0), rtol=1e-9)
    assert result.mean_difference == pytest.approx(away.mean())
    ends = np.quantile(risks[draws], [0.025, 0.975], axis=0, method="inverted_cdf")
    np.testing.assert_allclose([result.low, result.high], ends, rtol=1e-12)
    assert pickle.loads(pickle.dumps(result)) == result
    frame = StabilityDisplay(result=result).plot().frame()
    np.testing.assert_array_equal(frame["difference"], result.difference)
    assert f"{len(won) - 1} others in the rest" in str(result)


def test_one_configuration_is_stable_and_a_regression_has_values():
    alone = fitted(grid={"n_neighbors": [9]}).prediction_stability(method=BBC(n_bootstraps=100))
    assert alone.mean_difference == 0 and (alone.low == alone.high).all()
    assert str(alone).endswith("The same configuration is selected in 100% of the draws.")
    of_values = fitted(Ridge(), {"alpha": [1, 100]}, X[:, 0], scoring="r2")
    result = of_values.prediction_stability(method=BBC(n_bootstraps=100))
    assert result.label == "value" and "The predicted value of a sample" in str(result)


def test_weights_count_in_the_mean_over_samples():
    weights = RNG.random(N)
    search = fitted()
    search.oof_ = with_fields(search.oof_, sample_weight=weights)
    # The search itself gave its scorer no weights.
    result = search.prediction_stability(scoring="neg_log_loss", method=BBC(n_bootstraps=100))
    assert result.mean_difference == pytest.approx(np.average(result.difference, weights=weights))


@pytest.mark.parametrize(
    ("search", "message"),
    [(lambda: fitted(scoring="accuracy"), "needs predict_proba, but only predict"),
     (lambda: fitted(y=np.arange(N) % 3, scoring="accuracy"), "2 classes")],
)  # fmt: skip
def test_what_has_no_risk_is_refused(search, message):
    with pytest.raises(ValueError, match=f"prediction_stability .*{message}"):
        search().prediction_stability()


def test_draws_whose_winner_has_no_risks_are_counted_and_refused_beyond_a_tenth():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 4))
    y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)

    def searched(with_risks, without):
        grid = [{"cut": with_risks}, {"cut": without, "with_risks": [False]}]
        search = BBCSearchCV(OftenWithoutRisks(), grid, scoring="accuracy", random_state=0, ci=[],
                             record="predict_proba").fit(X, y)  # fmt: skip
        return search, search.interval(BBC(n_bootstraps=100)).details["won"]

    search, won = searched([0.0, 0.05], [-0.4])
    assert 0.01 <= won[2] <= 0.1 and won[1] > 0.01
    result = search.prediction_stability(method=BBC(n_bootstraps=100))
    assert result.details["n_undefined"] == round(100 * won.pop(2))
    risks = search.oof_.matrix("predict_proba")  # (n_samples, n_configs)
    draws = np.repeat(list(won), np.rint(100 * np.array(list(won.values()))).astype(int))
    away = np.abs(risks[:, draws] - risks[:, [search.best_index_]]).mean(axis=1)
    np.testing.assert_allclose(result.difference, away, rtol=1e-9)
    ends = np.quantile(risks[:, draws], [0.025, 0.975], axis=1, method="inverted_cdf")
    np.testing.assert_allclose([result.low, result.high], ends, rtol=1e-12)
    assert "that did not predict every sample" in " ".join(result.details["notes"])
    search, won = searched([0.1], [0.3, -0.3])
    assert won[0] < 0.9 and search.best_index_ == 0
    with pytest.raises(UndefinedIntervalError, match="undefined in 12 of 100 draws"):
        search.prediction_stability(method=BBC(n_bootstraps=100))
    search, won = searched([0.1], [0.05, -0.05])
    assert won[0] < 0.5 and search.best_index_ == 2
    with pytest.raises(UndefinedIntervalError, match="which configuration 2, which is selected"):
        search.prediction_stability(method=BBC(n_bootstraps=100))


def test_the_metric_is_the_one_that_selected():
    """A metric that is asked for scores, it does not select: the draws are those of the search."""
    search = fitted()
    asked = search.prediction_stability(scoring="neg_log_loss", method=BBC(n_bootstraps=100))
    assert asked == search.prediction_stability(method=BBC(n_bootstraps=100))
    assert asked.metric == "neg_brier_score"
    nothing = fitted(refit=False, scoring=["neg_log_loss", "roc_auc"])
    assert (
        nothing.prediction_stability(scoring="roc_auc", method=BBC(n_bootstraps=100)).metric
        == "roc_auc"
    )
