"""Formulas for studies without data: published numbers, and the precision that they promise."""

import math

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import r2_score, roc_auc_score

from sklearn_bbc import planning

BINARY = {"prevalence": 0.174, "r2_cox_snell": 0.288, "n_parameters": 24}
SURVIVAL = {
    "r2_cox_snell": 0.051, "n_parameters": 25, "rate": 0.065, "time": 2, "mean_follow_up": 2.07,
}  # fmt: skip
CONTINUOUS = {"r2": 0.2, "n_parameters": 25, "mean": 1.9, "sd": 0.6}


# The tests of the R package pmsampsize, its examples of the help among them.
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, [623, 662, 221]),
        ({"r2_cox_snell": 0.55}, [255, 532, 221]),
        ({"n_parameters": 36}, [934, 992, 221]),
        ({"prevalence": 0.25}, [623, 590, 289]),
        # Riley et al. 2019, part II: 20 parameters, R2 of 0.1.
        ({"n_parameters": 20, "r2_cox_snell": 0.1, "prevalence": 0.5}, [1699, None, 385]),
    ],
)
def test_development_of_binary_outcomes_as_published(given, expected):
    result = planning.develop_binary(**{**BINARY, **given})
    found = list(result.criteria.values())
    assert all(one in (None, other) for one, other in zip(expected, found, strict=True))
    assert result.n_samples == max(found)
    assert result.n_events == result.n_samples * {**BINARY, **given}["prevalence"]


def test_the_largest_r2_as_published():
    result = planning.develop_binary(n_parameters=5, prevalence=0.5, r2_cox_snell=0.1)
    assert result.details["largest_r2"] == pytest.approx(0.75)
    result = planning.develop_binary(n_parameters=5, prevalence=0.048, r2_cox_snell=0.1)
    assert result.details["largest_r2"] == pytest.approx(0.31966, abs=5e-6)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, (4286, 866)),
        ({"r2_cox_snell": 0.065}, (3335, 859)),
        ({"n_parameters": 50}, (8572, 1731)),
        ({"rate": 0.1}, (4286, 731)),
        ({"time": 4}, (4286, 866)),
        ({"mean_follow_up": 4}, (4286, 679)),
        ({"r2_cox_snell": 0.06, "n_parameters": 40, "rate": 0.08, "time": 3, "mean_follow_up": 5},
         (5798, 969)),
        ({"r2_cox_snell": 0.03, "n_parameters": 10, "rate": 0.09, "time": 3, "mean_follow_up": 3},
         (2950, 272)),
        ({"r2_cox_snell": 0.3, "n_parameters": 80, "rate": 0.03, "time": 1, "mean_follow_up": 5},
         (1974, 2272)),
    ],
)  # fmt: skip
def test_development_of_survival_as_published(given, expected):
    result = planning.develop_survival(**{**SURVIVAL, **given})
    shrinkage, optimism, _ = result.criteria.values()
    assert shrinkage == expected[0]
    # pmsampsize rounds the events of 10,000 samples up.
    assert optimism == pytest.approx(expected[1], abs=1)
    assert result.n_samples == pytest.approx(max(expected), abs=1)


def test_the_risk_of_survival_is_known_so_well():
    rate, time, follow_up = 0.1, 3, 2
    result = planning.develop_survival(
        **{**SURVIVAL, "rate": rate, "time": time, "mean_follow_up": follow_up}
    )
    n = result.criteria["risk at 3 within 0.05"]

    def error(n):
        half = 1.96 * math.sqrt(rate / (n * follow_up))
        risks = [1 - math.exp(-each * time) for each in (rate - half, rate, rate + half)]
        return max(risks[1] - risks[0], risks[2] - risks[1])

    assert error(n) <= 0.05 < error(n - 1)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, [918, 401, 259]),
        ({"r2": 0.3}, [574, 351, 259]),
        ({"n_parameters": 50}, [1924, 801, 284]),
        ({"mean": 10}, [918, 401, 259]),
        ({"sd": 2}, [918, 401, 259]),
        ({"r2": 0.5, "n_parameters": 100, "sd": 2}, [1264, 1001, 334]),
        ({"r2": 0.89, "n_parameters": 30, "mean": 3.3, "sd": 1.1, "shrinkage": 0.84},
         [32, 67, 264]),
    ],
)  # fmt: skip
def test_development_of_continuous_outcomes_as_published(given, expected):
    result = planning.develop_continuous(**{**CONTINUOUS, **given})
    assert list(result.criteria.values())[:3] == expected
    assert result.n_samples == max(expected)


# Riley et al. 2021, and the tests of the R package pmvalsampsize.
@pytest.mark.parametrize(
    ("prevalence", "c_statistic", "width_of_ratio", "expected"),
    [
        (0.018, 0.8, 1, (905, 4252)),
        (0.018, 0.75, 1, (905, 5125)),
        (0.1, 0.7, 0.2, (3461, 1154)),
        (0.5, 0.8, 0.2, (385, 302)),
    ],
)
def test_validation_of_binary_outcomes_as_published(
    prevalence, c_statistic, width_of_ratio, expected
):
    result = planning.validate_binary(
        prevalence=prevalence, c_statistic=c_statistic, width_of_ratio=width_of_ratio
    )
    assert tuple(result.criteria.values()) == expected


@pytest.mark.slow
def test_the_calibration_slope_and_net_benefit_are_as_precise_as_promised():
    mean, sd, threshold = -0.5, 1.2, 0.4
    rng = np.random.default_rng(0)
    population = rng.normal(mean, sd, 400_000)
    events = rng.random(len(population)) < expit(population)
    positive = expit(population) >= threshold
    given = {
        "prevalence": events.mean(), "c_statistic": roc_auc_score(events, population),
        "linear_predictor": (mean, sd), "threshold": threshold,
        "sensitivity": positive[events].mean(), "specificity": 1 - positive[~events].mean(),
    }  # fmt: skip
    result = planning.validate_binary(**given)
    of_values = planning.validate_binary(**{**given, "linear_predictor": population})
    assert of_values.criteria["calibration slope"] == pytest.approx(
        result.criteria["calibration slope"], rel=0.01
    )
    slopes, benefits, areas = [], [], []
    for _ in range(300):
        chosen = rng.integers(len(population), size=result.criteria["calibration slope"])
        model = LogisticRegression(C=np.inf).fit(population[chosen, None], events[chosen])
        slopes.append(model.coef_.item())
        chosen = rng.integers(len(population), size=result.criteria["standardised net benefit"])
        true, false = (positive[chosen] & events[chosen]), (positive[chosen] & ~events[chosen])
        benefit = true.mean() - false.mean() * threshold / (1 - threshold)
        benefits.append(benefit / given["prevalence"])
        chosen = rng.integers(len(population), size=result.criteria["C statistic"])
        areas.append(roc_auc_score(events[chosen], population[chosen]))
    width = 2 * 1.96
    assert width * np.std(slopes) == pytest.approx(0.2, rel=0.12)
    assert np.mean(benefits) == pytest.approx(result.details["net_benefit"], abs=0.01)
    assert width * np.std(areas) == pytest.approx(0.1, rel=0.12)


@pytest.mark.slow
def test_validation_of_continuous_outcomes_is_as_precise_as_promised():
    r2, variance = 0.6, 4.0
    result = planning.validate_continuous(r2=r2, variance=variance, width_of_mean=0.4)
    rng = np.random.default_rng(0)
    widths = {"R2": 0.1, "calibration in the large": 0.4, "calibration slope": 0.2}
    for criterion, width in widths.items():
        found = []
        for _ in range(500):
            n = result.criteria[criterion]
            predicted = math.sqrt(variance * r2) * rng.standard_normal(n)
            y = predicted + math.sqrt(variance * (1 - r2)) * rng.standard_normal(n)
            found.append(
                {
                    "R2": r2_score(y, np.polyval(np.polyfit(predicted, y, 1), predicted)),
                    "calibration in the large": (y - predicted).mean(),
                    "calibration slope": np.polyfit(predicted, y, 1)[0],
                }[criterion]
            )
        assert 2 * 1.96 * np.std(found) == pytest.approx(width, rel=0.12), criterion


def test_validation_of_continuous_outcomes_by_hand():
    # The example of fat-free mass in the help of pmvalsampsize, after Archer et al. 2021.
    result = planning.validate_continuous(r2=0.9, variance=0.089, width_of_mean=0.08)
    error = {name: width / 3.92 for name, width in {"r2": 0.1, "mean": 0.08, "slope": 0.2}.items()}
    assert list(result.criteria.values()) == [
        math.ceil(4 * 0.9 * 0.1**2 / error["r2"] ** 2),
        math.ceil(0.089 * 0.1 / error["mean"] ** 2),
        math.ceil(0.1 / (0.9 * error["slope"] ** 2) + 1),
        235,
    ]


def test_results_say_what_decides():
    result = planning.develop_binary(**BINARY)
    frame = result.frame()
    assert frame["n_samples"].tolist() == [623, 662, 221]
    assert frame.index[frame["decides"]].tolist() == ["small optimism (0.05 in Nagelkerke's R2)"]
    assert str(result) == (
        "Developing a model of a binary outcome with 24 parameters takes 662 samples with about "
        "116 events, for small optimism (0.05 in Nagelkerke's R2)."
    )
    assert "n_samples=662" in repr(result)
    again = planning.develop_binary(**BINARY)
    assert result == again and hash(result) == hash(again)


CALLS = {
    "binary": lambda **given: planning.develop_binary(**{**BINARY, **given}),
    "survival": lambda **given: planning.develop_survival(**{**SURVIVAL, **given}),
    "continuous": lambda **given: planning.develop_continuous(**{**CONTINUOUS, **given}),
    "validate": lambda **given: planning.validate_binary(
        **{"prevalence": 0.2, "c_statistic": 0.8, **given}
    ),
    "validate continuous": lambda **given: planning.validate_continuous(
        **{"r2": 0.5, "variance": 1, "width_of_mean": 0.1, **given}
    ),
}


@pytest.mark.parametrize(
    ("call", "given", "message"),
    [
        ("binary", {"r2_cox_snell": 0.7}, "above 0 and below 0.603, its largest value"),
        ("binary", {"r2_cox_snell": 0}, "r2_cox_snell must be above 0"),
        ("binary", {"shrinkage": 0.2}, "below shrinkage=0.2"),
        ("survival", {"rate": 2}, "4.14 events per sample"),
        ("survival", {"rate": 500}, "1.04e\\+03 events per sample"),
        ("continuous", {"mean": 0}, "mean must not be 0"),
        ("continuous", {"mean": 1e-6}, "More than a billion samples"),
        ("validate", {"threshold": 0.1}, "belong together, but only threshold"),
        ("validate", {"linear_predictor": (0, 0)}, "must be positive, got 0"),
        ("validate", {"linear_predictor": (1, 1, 1)}, "linear_predictor is constant"),
    ],
)
def test_bad_input(call, given, message):
    with pytest.raises(ValueError, match=message):
        CALLS[call](**given)
