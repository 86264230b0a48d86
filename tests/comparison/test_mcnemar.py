"""McNemar's test: published tables, statsmodels, and Tango's interval by brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import chi2, multinomial, norm
from sklearn.metrics import make_scorer, zero_one_loss

from sklearn_bbc.comparison import McNemar, Side
from sklearn_bbc.comparison._two_models import MCNEMAR_FORMS, mcnemar, tango
from tests.made import made


def sides(both, first, second, neither, **fields):
    """Two classifiers with given numbers of samples that both, one or none gets right."""
    right = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], [both, first, second, neither], axis=0)
    y = np.arange(len(right)) % 2
    pred = np.where(right == 1, y[:, None], 1 - y[:, None])
    oof = made(y_true=y, y_pred=pred, **fields)
    return Side(oof=oof, config=0, name="one"), Side(oof=oof, config=1, name="other")


def compared(table, scoring="accuracy", **params):
    return McNemar(**params).compare(*sides(*table), scoring)


# --- published tables
LECTURE, BENTUR, MLXTEND = (30, 5, 17, 42), (1, 1, 7, 12), (101, 121, 59, 33)


@pytest.mark.parametrize("table", [LECTURE, BENTUR, MLXTEND])
def test_the_table_is_counted(table):
    result = compared(table)
    assert result.difference == pytest.approx((table[1] - table[2]) / sum(table))
    counts = [f"n_{name}" for name in ("both_right", "first_only", "second_only", "both_wrong")]
    assert [result.details[name] for name in counts] == list(table)
    assert result.details["notes"] == []


@given(st.integers(0, 40), st.integers(0, 40))
def test_how_the_forms_compare(b, c):
    p = {form: min(1.0, 2 * min(mcnemar(form, b, c)[1:])) for form in MCNEMAR_FORMS}
    assert p["mid-p"] <= p["exact"] and p["chi-squared"] <= p["corrected"]
    assert abs(p["mid-p"] - p["chi-squared"]) < 0.5 / max(b + c, 1) ** 0.5
    one_sided = [sum(mcnemar(form, b, c)[1:]) for form in MCNEMAR_FORMS]
    assert min(one_sided) >= 1 - 1e-12


# --- the interval
def test_a_published_interval_of_tango():
    """Bentur's data; PropCIs gives three decimals."""
    assert tango(1, 7, 21, 0.025) == pytest.approx((-0.517, -0.026), abs=5e-4)


def likeliest_score(b, c, n, difference):
    """The score statistic with the most likely probabilities found by bisection."""
    low, high = max(0.0, -difference), (1 - difference) / 2

    def slope(second_only):  # of the log likelihood with `second_only` and `difference` given
        rest = 1 - 2 * second_only - difference
        terms = [(b, second_only + difference, 1.0), (c, second_only, 1.0), (n - b - c, rest, -2)]
        return sum(count * sign / value for count, value, sign in terms if count)

    inside = 1e-13
    ends = low + inside, high - inside
    if slope(ends[0]) <= 0:
        best = low
    elif slope(ends[1]) >= 0:
        best = high
    else:
        best = brentq(slope, *ends, xtol=1e-15)
    variance = n * (2 * best + difference - difference**2)
    return (b - c - n * difference) / np.sqrt(variance)


@given(
    st.integers(0, 30), st.integers(0, 30), st.integers(1, 60), st.sampled_from([0.025, 0.05, 0.2])
)
def test_bounds_are_where_the_score_test_stops_rejecting(b, c, others, tail):
    n = b + c + others
    for bound, quantile in zip(tango(b, c, n, tail), norm.ppf([1 - tail, tail]), strict=True):
        if abs(bound) < 1 - 1e-9:
            assert likeliest_score(b, c, n, bound) == pytest.approx(quantile, abs=1e-5)


@given(st.integers(0, 25), st.integers(0, 25), st.integers(0, 25))
def test_interval_and_chi_squared_form_agree(b, c, others):
    if b + c == 0:
        return
    n = b + c + others
    p = float(chi2.sf((b - c) ** 2 / (b + c), 1))
    if abs(p - 0.05) < 1e-9:
        return
    low, high = tango(b, c, n, 0.025)
    assert (low > 0 or high < 0) == (p < 0.05)
    assert low <= (b - c) / n <= high
    assert tango(c, b, n, 0.025) == pytest.approx((-high, -low), abs=1e-9)


def test_bounds_at_the_ends():
    """All samples right with one side only: the largest difference fits the data best."""
    assert tango(5, 0, 5, 0.025)[1] == 1 and tango(0, 5, 5, 0.025)[0] == -1
    assert 0 < tango(5, 0, 5, 0.025)[0] < 0.2
    assert tango(7, 3, 20, 0.5) == (0.2, 0.2)


@pytest.mark.parametrize("table", [(7, 3, 20), (5, 0, 5), (0, 5, 5), (0, 0, 9), (1, 0, 30)])
@pytest.mark.parametrize("tail", [0.025, 0.3, 0.45])
def test_an_error_rate_above_one_half_exchanges_the_bounds(table, tail):
    """A one-sided bound at a level below 50% lies on the other side of the estimate."""
    assert tango(*table, 1 - tail) == pytest.approx(tango(*table, tail)[::-1], abs=1e-9)


def tables(n, first_only, second_only):
    """All tables of n samples: b, c and their probability."""
    for b in range(n + 1):
        for c in range(n + 1 - b):
            rest = 1 - first_only - second_only
            p = multinomial.pmf([b, c, n - b - c], n, [first_only, second_only, rest])
            yield b, c, float(p)


@pytest.mark.parametrize(("n", "share"), [(20, 0.05), (25, 0.2)])
def test_error_rates_by_enumeration(n, share):
    """Of a nominal 5%: mid-p stays near it, exact and corrected below it."""
    rate = dict.fromkeys(MCNEMAR_FORMS, 0.0)
    for b, c, probability in tables(n, share, share):
        for form in MCNEMAR_FORMS:
            rate[form] += probability * (2 * min(mcnemar(form, b, c)[1:]) <= 0.05)
    assert rate["exact"] <= 0.05 and rate["corrected"] <= 0.05
    assert rate["exact"] <= rate["mid-p"] <= 0.052 and rate["chi-squared"] <= 0.07


@pytest.mark.parametrize("form", MCNEMAR_FORMS)
def test_one_sided(form):
    table = (10, 4, 13, 3)
    greater, less, both = (
        compared(table, form=form, alternative=side).p_value
        for side in ("greater", "less", "two-sided")
    )
    assert both == pytest.approx(2 * less) and greater > 0.9
    result = compared(table, form=form, alternative="less")
    assert result.low == -1 and result.high == pytest.approx(tango(4, 13, 30, 0.05)[1])


@pytest.mark.parametrize("form", MCNEMAR_FORMS)
def test_as_many_or_the_same_samples_on_either_side(form):
    assert compared((10, 6, 6, 3), form=form).p_value == pytest.approx(1)
    result = compared((10, 0, 0, 5), form=form)
    assert result.p_value == 1 and result.difference == 0 and 0 in result
    assert result.low < -0.1 and result.high > 0.1  # of 15 samples little is known
    assert result.statistic == 0
    for alternative in ("greater", "less"):
        assert compared((10, 0, 0, 5), form=form, alternative=alternative).p_value == 1
    assert "no difference to test" in result.details["notes"][-1]


def test_the_loss_of_accuracy_counts_too():
    scorer = make_scorer(zero_one_loss, greater_is_better=False)
    by_loss, by_score = compared((9, 5, 2, 4), scorer), compared((9, 5, 2, 4))
    assert by_loss.p_value == by_score.p_value
    assert tuple(by_loss) == pytest.approx(tuple(by_score))


TWICE = {"y_pred": np.random.default_rng(1).integers(0, 2, (2, 20, 2)),
         "fold": [np.arange(20) % 4] * 2}  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "scoring", "params", "message"),
    [
        ({"groups": np.arange(20) // 2}, "accuracy", {}, "have groups. Use .* PairedBootstrap"),
        ({"sample_weight": np.arange(20) + 1}, "accuracy", {}, "have sample_weight. Use"),
        ({}, "f1", {}, "needs a metric that is a mean over samples"),
        ({"y_pred": np.random.default_rng(0).random((20, 2))}, "neg_brier_score", {},
         "needs accuracy, got neg_brier_score"),
        (TWICE, "accuracy", {}, "there are 2 repeats of cross-validation"),
    ],
)  # fmt: skip
def test_refusals(fields, scoring, params, message):
    y = np.arange(20) % 2
    labels = np.random.default_rng(1).integers(0, 2, (20, 2))
    oof = made(**{"y_true": y, "y_pred": labels, **fields})
    with pytest.raises(ValueError, match=message):
        McNemar(**params).compare(Side(oof=oof, config=0), Side(oof=oof, config=1), scoring)
