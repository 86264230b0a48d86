"""An estimate with its interval in print."""

import math

import pytest

from sklearn_bbc._text import MetricWords, printed_score

GAIN, LOSS = MetricWords("ROC AUC"), MetricWords("mean absolute error", -1)


def made(metric=GAIN, estimate=0.866, low=0.82, high=0.9123, **options):
    return printed_score(metric, estimate, low, high, confidence_level=0.95, **options)


def test_two_sided():
    printed = made(others=[0.9])
    assert printed.interval() == "95% confidence interval 0.820 to 0.912"
    assert printed.cell() == "0.866 (0.820 to 0.912)" and printed.others == ("0.900",)


def test_one_sided_and_the_end_of_the_range_costs_no_decimals():
    printed = made(high=1.0, alternative="greater")
    assert printed.interval() == "one-sided 95% confidence interval: at least 0.820"
    assert printed.cell() == "0.866 (at least 0.820)"
    # The bound that is shown is near, so five decimals; the other one is not looked at.
    assert made(low=0.8659, high=1.0, alternative="greater").cell() == (
        "0.86600 (at least 0.86590)"
    )
    assert made(low=0.0, high=0.8662, alternative="less").cell() == "0.86600 (at most 0.86620)"
    printed = made(low=-math.inf, alternative="less")
    assert printed.interval() == "one-sided 95% confidence interval: at most 0.912"


def test_a_loss_is_turned_with_its_bounds_and_its_side():
    printed = made(LOSS, -23.406, -30.0, -20.0, others=[-22.9])
    assert printed.cell() == "23.4 (20.0 to 30.0)" and printed.others == ("22.9",)
    printed = made(LOSS, -23.406, -30.0, 0.0, alternative="greater")
    assert printed.interval() == "one-sided 95% confidence interval: at most 30.0"
    printed = made(LOSS, -23.406, -math.inf, -20.0, alternative="less")
    assert printed.interval() == "one-sided 95% confidence interval: at least 20.0"


@pytest.mark.parametrize("bounds", [(math.nan, 0.9), (0.8, math.nan), (math.nan, math.nan)])
def test_without_an_interval(bounds):
    printed = made(GAIN, 0.866, *bounds)
    assert printed.interval() == printed.bounds() == "no interval"
    assert printed.cell() == "0.866"


def test_infinite_bounds_are_bounds():
    assert made(low=-math.inf, high=math.inf).bounds() == "-inf to inf"
