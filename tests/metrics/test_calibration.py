"""Numbers of calibration: equal to an independent fit, in draws too, and never selected by."""

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer

from sklearn_bbc import BBC, BBCSearchCV, OOFPredictions
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.metrics import (
    as_metric,
    calibration_intercept,
    calibration_slope,
    expected_calibration_error,
    integrated_calibration_index,
)
from tests.made import made

RNG = np.random.default_rng(3)
N = 200
LOG_ODDS = RNG.normal(size=(N, 4))
Y = (RNG.random(N) < 1 / (1 + np.exp(-0.6 * LOG_ODDS[:, 0] - 0.5))).astype(int)
RISKS = 1 / (1 + np.exp(-LOG_ODDS))
WEIGHTS = RNG.integers(0, 4, N)
FUNCTIONS = [calibration_slope, calibration_intercept, integrated_calibration_index,
             expected_calibration_error]  # fmt: skip
NAMES = ["calibration_slope", "calibration_intercept", "neg_integrated_calibration_index",
         "neg_expected_calibration_error"]  # fmt: skip


def oof(**fields):
    return made(y_true=Y, y_pred=RISKS, fold=np.arange(N) % 5, **fields)


def test_slope_and_intercept_are_those_of_a_generalised_linear_model():
    api = pytest.importorskip("statsmodels.api")
    x = LOG_ODDS[:, 0]
    model = api.GLM(Y, api.add_constant(x), api.families.Binomial(), freq_weights=WEIGHTS)
    slope = calibration_slope(Y, RISKS[:, 0], sample_weight=WEIGHTS)
    assert slope == pytest.approx(model.fit().params[1], rel=1e-7)
    large = api.GLM(Y, np.ones(N), api.families.Binomial(), offset=x, freq_weights=WEIGHTS)
    intercept = calibration_intercept(Y, RISKS[:, 0], sample_weight=WEIGHTS)
    assert intercept == pytest.approx(large.fit().params[0], rel=1e-7)


def test_slope_is_that_of_an_unpenalised_logistic_regression():
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
    model.fit(LOG_ODDS[:, [0]], Y, sample_weight=WEIGHTS)
    assert calibration_slope(Y, RISKS[:, 0], sample_weight=WEIGHTS) == pytest.approx(
        model.coef_[0, 0], abs=1e-5
    )


def test_numbers_are_those_of_r():
    """R 4.2.2 with rms 6.5.0: `val.prob(risks, y)`, and `glm` where it has no such number."""
    risks = [0.05, 0.12, 0.18, 0.22, 0.27, 0.31, 0.36, 0.40, 0.44, 0.49,
             0.53, 0.57, 0.61, 0.66, 0.70, 0.74, 0.79, 0.83, 0.88, 0.94]  # fmt: skip
    y = [0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1, 1]
    # The slope of `val.prob` ends its steps earlier than that of `glm(y ~ qlogis(risks))`.
    assert calibration_slope(y, risks) == pytest.approx(0.8483523778913, abs=1e-7)
    assert calibration_slope(y, risks) == pytest.approx(0.8483523945925, rel=1e-10)
    # glm(y ~ offset(qlogis(risks)))
    assert calibration_intercept(y, risks) == pytest.approx(-0.0244680890507, rel=1e-10)
    # Mean distance of glm(y ~ rcs(l, quantile(l, c(.1, .5, .9), type = 1))), l = qlogis(risks)
    index = integrated_calibration_index(y, risks)
    assert index == pytest.approx(0.0244683631238, rel=1e-10)


def test_expected_error_is_that_of_the_bins_of_calibration_curve():
    share, mean = calibration_curve(Y, RISKS[:, 0], n_bins=7)
    sizes = np.histogram(RISKS[:, 0], bins=7, range=(0, 1))[0]
    expected = np.average(np.abs(share - mean), weights=sizes[sizes > 0])
    assert expected_calibration_error(Y, RISKS[:, 0], n_bins=7) == pytest.approx(expected)


def test_what_is_calibrated_has_slope_1_intercept_0_and_no_error():
    risks = np.repeat([0.2, 0.5, 0.8], 10)
    y = np.concatenate([np.arange(10) < n for n in (2, 5, 8)]).astype(int)
    assert calibration_slope(y, risks) == pytest.approx(1)
    assert calibration_intercept(y, risks) == pytest.approx(0, abs=1e-9)
    assert integrated_calibration_index(y, risks) == pytest.approx(0, abs=1e-6)
    assert expected_calibration_error(y, risks) == pytest.approx(0)
    half = 1 / (1 + (1 / risks - 1) ** 0.5)  # log odds halved: not extreme enough
    assert calibration_slope(y, half) == pytest.approx(2)
    assert np.isnan(calibration_slope(y, np.full(30, 0.5)))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_weights_are_copies_and_labels_can_be_turned(function):
    score = function(Y, RISKS[:, 1], sample_weight=WEIGHTS)
    copies = np.repeat(np.arange(N), WEIGHTS)
    assert score == pytest.approx(function(Y[copies], RISKS[copies, 1]), rel=1e-6)
    turned = function(Y, 1 - RISKS[:, 1], pos_label=0, sample_weight=WEIGHTS)
    sign = -1 if function is calibration_intercept else 1
    one = function(Y, RISKS[:, 1], sample_weight=WEIGHTS)
    if function is calibration_intercept:
        assert turned == pytest.approx(sign * one, abs=1e-7)
    elif function is calibration_slope:
        assert turned == pytest.approx(one, rel=1e-6)


@pytest.mark.parametrize("pos_label", [0, 1])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_kernel_knows_which_class_is_positive(function, pos_label):
    scorer = make_scorer(function, response_method="predict_proba", pos_label=pos_label)
    kernel = as_metric(scorer).bind(oof())
    assert (kernel.family == "replay") == (function is integrated_calibration_index)
    np.testing.assert_allclose(
        kernel.scores(WEIGHTS[None])[0],
        [function(Y, risks, pos_label=pos_label, sample_weight=WEIGHTS) for risks in RISKS.T],
        rtol=1e-9,
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_reported_number_is_that_of_what_another_metric_selects(name):
    sign = -1 if name.startswith("neg_") else 1
    function = FUNCTIONS[NAMES.index(name)]
    result = BBC(n_bootstraps=50, random_state=0).estimate(oof(), name, selected_by="roc_auc")
    winner = BBC(n_bootstraps=50, random_state=0).estimate(oof(), "roc_auc").details["winner"]
    assert result.details["winner"] == winner
    assert result.details["pooled_score"] == pytest.approx(sign * function(Y, RISKS[:, winner]))
    assert result.low <= result.estimate <= result.high
    assert result.n_bootstraps == 50 and len(result.draws) == 50


def test_a_search_reports_them():
    X = LOG_ODDS
    grid = {"C": [0.01, 1, 100]}
    search = BBCSearchCV(LogisticRegression(), grid, scoring="neg_log_loss", random_state=0).fit(
        X, Y
    )
    result = search.interval(scoring="calibration_slope")
    assert result.details["winner"] == search.best_index_
    assert "calibration slope" in result.summary()


@pytest.mark.parametrize("name", NAMES[:2])
def test_nothing_is_selected_by_a_number_without_better_or_worse(name):
    with pytest.raises(ValueError, match="neither more nor less"):
        BBC(n_bootstraps=50).estimate(oof(), name)
    for options in ({"scoring": name}, {"scoring": ["roc_auc", name], "refit": name}):
        with pytest.raises(ValueError, match="neither more nor less"):
            BBCSearchCV(LogisticRegression(), {"C": [1, 2]}, **options).fit(LOG_ODDS, Y)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (([0, 1, 2], [0.1, 0.2, 0.3]), "2 classes"),
        (([0, 1, 1], [0.1, 0.2, 1.3]), "probabilities"),
        (([0, 1], [0.1, 0.2, 0.3]), "inconsistent"),
        (([0, 1], [[0.1, 0.9], [0.2, 0.8]]), "one class, got 2 columns"),
    ],
)
def test_wrong_arguments_are_named(function, arguments, word):
    y, risks, options = (*arguments, {})[:3]
    with pytest.raises(ValueError, match=word):
        function(y, risks, **options)


def separable(n, signal=4.0, seed=0):
    """Risks of a model that is nearly always right, in steps, so that ties touch (n, 2)."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    risks = np.round(
        1 / (1 + np.exp(-(signal * (2 * y - 1)[:, None] + 2 * rng.normal(size=(n, 2))))), 3
    )
    return y, risks


def fit_by_hand(y, risks, weights):
    """Compute the slope by a linear scan of the two classes and statsmodels; NaN if separated."""
    api = pytest.importorskip("statsmodels.api")
    keep = weights > 0
    x = np.log(np.clip(risks, 1e-6, 1 - 1e-6) / (1 - np.clip(risks, 1e-6, 1 - 1e-6)))[keep]
    y, weights = y[keep], weights[keep]
    if y.all() or not y.any() or x[y == 1].min() >= x[y == 0].max():
        return np.nan
    if x[y == 1].max() <= x[y == 0].min():
        return np.nan
    model = api.GLM(y, api.add_constant(x), api.families.Binomial(), freq_weights=weights)
    return model.fit(maxiter=200, tol=1e-13).params[1]


@pytest.mark.parametrize(("n", "signal"), [(24, 4.0), (60, 4.0), (150, 1.0)])
def test_slopes_of_draws_are_those_of_statsmodels_and_none_where_separated(n, signal):
    y, risks = separable(n, signal)
    kernel = as_metric("calibration_slope").bind(OOFPredictions(y_true=y, y_pred=risks))
    counts = np.random.default_rng(1).integers(0, 3, (60, n))
    slopes = kernel.scores(counts)
    expected = [[fit_by_hand(y, risks[:, k], w) for k in range(2)] for w in counts]
    assert np.isnan(slopes).any() == (signal > 1)
    np.testing.assert_allclose(slopes, expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("y", "risks"),
    [
        ([0, 0, 1, 1], [0.1, 0.2, 0.3, 0.4]),
        ([0, 0, 1, 1], [0.1, 0.3, 0.3, 0.4]),  # they touch
        ([1, 1, 0, 0], [0.1, 0.3, 0.3, 0.4]),
        ([0, 1, 0, 1], [0.3, 0.3, 0.3, 0.3]),
    ],
)
def test_separated_classes_have_no_slope(y, risks):
    assert np.isnan(calibration_slope(y, risks))
    assert np.isnan(calibration_slope(y, [1 - risk for risk in risks], pos_label=0))


@pytest.mark.parametrize("gap", [1e-2, 1e-4, 1e-6])
def test_a_slope_of_a_tiny_overlap_is_the_best_one_and_not_where_steps_ended(gap):
    x = np.array([-3, -gap, gap, 3, -0.5, 0.5])
    y = np.array([0, 1, 0, 1, 0, 1])
    slope = calibration_slope(y, 1 / (1 + np.exp(-x)))
    fitted = 1 / (1 + np.exp(-slope * x))
    assert slope > 5 and abs(((y - fitted) * x).sum()) < 1e-8


def test_draws_without_a_slope_are_counted_and_many_of_them_refused():
    y, risks = separable(40)
    few = OOFPredictions(y_true=y, y_pred=risks)
    with pytest.raises(UndefinedIntervalError, match=r"of 100 draws\. Where the risks of all"):
        BBC(n_bootstraps=100, random_state=0).estimate(
            few, "calibration_slope", selected_by="roc_auc"
        )
    y, risks = separable(60, 2.0)
    more = OOFPredictions(y_true=y, y_pred=risks)
    result = BBC(n_bootstraps=400, random_state=0).estimate(
        more, "calibration_slope", selected_by="roc_auc"
    )
    n_undefined = result.details["n_undefined"]
    assert 0 < n_undefined <= 40
    assert f"{n_undefined} of 400 draws have no calibration slope" in result.details["notes"][-1]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("weights", [[1, -1, 1, 1], [0, 0, 0, 0], [1, np.inf, 1, 1]])
def test_weights_below_zero_are_refused(function, weights):
    with pytest.raises(ValueError, match="sample_weight must be"):
        function([0, 1, 0, 1], [0.1, 0.4, 0.5, 0.6], sample_weight=weights)


def test_bins_of_a_scorer_are_a_whole_number():
    scorer = make_scorer(expected_calibration_error, response_method="predict_proba", n_bins=2.5)
    with pytest.raises(ValueError, match="n_bins must be an integer of at least 1"):
        as_metric(scorer).bind(oof())


def test_a_function_as_scoring_and_short_names_are_explained():
    with pytest.raises(ValueError, match="Pass the name, scoring='calibration_slope'"):
        BBC().estimate(oof(), calibration_slope)
    with pytest.raises(ValueError, match="mean 'neg_integrated_calibration_index'"):
        BBC().estimate(oof(), "ici")
