"""What all comparisons share: the contract, sides, what can be compared, p values, results."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

import sklearn_bbc.comparison
from benchmarks.published.replication import LinearQuantile
from sklearn_bbc import BBCSearchCV, OOFPredictions
from sklearn_bbc.comparison import (
    BaseComparison,
    BBCDifference,
    CorrectedResampledT,
    PairedBootstrap,
    Side,
    registered,
)
from sklearn_bbc.comparison._base import difference_of, joined_sides, p_of_draws
from sklearn_bbc.intervals import NormalScoreQuantile
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.predictions._predictions import with_fields
from sklearn_bbc.testing import checks, example_predictions

OOF = example_predictions()
ONE_FOLD_SCORE = OOFPredictions.from_fold_scores({"roc_auc": np.full((6, 1), 0.5)})


@pytest.mark.one_in(4)
@pytest.mark.parametrize("check", checks(BaseComparison), ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", registered())
def test_contract(name, check):
    check(registered()[name])


def test_registered_ones_are_public():
    for cls in registered().values():
        if cls.__module__.startswith("sklearn_bbc."):
            assert getattr(sklearn_bbc.comparison, cls.__name__) is cls


class Plain(BaseComparison):
    """Difference of the scores, with a given standard error."""

    label, estimand, assumptions = "plain difference", "difference", ("None.",)

    def __init__(self, *, error=0.1, confidence_level=0.95, alternative="two-sided"):
        self.error = error
        self.confidence_level = confidence_level
        self.alternative = alternative
        self.name = "plain"  # of the object only, so the class is not registered

    def _compare(self, pair):
        one, other = pair.details["scores"]
        return self._from_standard_error(pair, round(one - other, 12), self.error)


def compared(first=2, second=1, oof=OOF, other=None, scoring="roc_auc", **params):
    sides = Side(oof=oof, config=first), Side(oof=oof if other is None else other, config=second)
    return Plain(**params).compare(*sides, scoring)


def test_scores_are_those_of_the_two_configurations():
    result, matrix = compared(), OOF.matrix("roc_auc")
    expected = [roc_auc_score(OOF.y_true, matrix[:, k]) for k in (2, 1)]
    np.testing.assert_allclose(result.details["scores"], expected, rtol=1e-12)
    assert result.difference == pytest.approx(expected[0] - expected[1])
    assert result.details["configs"] == [2, 1]
    assert result.details["unit"] == "sample" and result.details["n_samples"] == 60
    assert result.names == ("configuration 2", "configuration 1")


def test_other_objects_and_other_orders_of_the_rows_are_matched():
    order = np.random.default_rng(0).permutation(OOF.n_rows)
    mixed = OOFPredictions.from_rows(
        y_true=OOF.y_true,
        responses={name: array[:, order] for name, array in OOF.responses.items()},
        sample=OOF.sample[order],
        fold=OOF.fold[order],
        repeat=OOF.repeat[order],
    )
    assert compared(other=example_predictions()).details == compared().details
    assert compared(other=mixed).difference == pytest.approx(compared().difference, abs=1e-12)


def test_a_tuned_side_is_its_winner_and_a_note_says_so():
    tuned = Plain().compare(OOF.with_selected(3), Side(oof=OOF, config=0), "roc_auc")
    fixed = compared(3, 0)
    assert tuned.difference == fixed.difference
    assert any("chosen on these samples" in note for note in tuned.details["notes"])
    assert not any("chosen on these samples" in note for note in fixed.details["notes"])
    assert tuned.names[0] == "the winner of 4 configurations"


FAILED = OOFPredictions.from_rows(
    y_true=OOF.y_true, responses=OOF.responses, fold=OOF.fold, failed=[True] + [False] * 3
)
GIVEN = OOFPredictions(y_true=OOF.y_true, y_pred=np.linspace(0, 1, 60), fold=OOF.fold)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (OOF.with_selected(3), Side(oof=OOF, config=3), "baseline is the winner itself"),
        (OOF, OOF, "nothing to compare"),
        (Side(oof=FAILED, config=1), Side(oof=FAILED, config=0), "configuration 0 failed"),
        (Side(oof=OOF, config=0), ONE_FOLD_SCORE, "out-of-fold predictions.*CorrectedResampledT"),
        (Side(oof=OOF, config=0), GIVEN, "predict_proba.*responses="),
        (BBCSearchCV(None, {}), OOF, "Fit the search first"),
    ],
)
def test_refusals(first, second, message):
    with pytest.raises(ValueError, match=message):
        Plain().compare(first, second, "roc_auc")


def test_unknown_needs_are_refused_when_the_class_is_made():
    with pytest.raises(ValueError, match=r"requires holds \['magic'\]"):
        type("Magic", (Plain,), {"requires": frozenset({"magic"})})


# --- sides ---


def made(y=None, folds=None, **fields):
    y = np.tile([0, 1], 10) if y is None else y
    scores = np.random.default_rng(len(fields)).normal(size=(len(y), 2))
    folds = np.arange(len(y)) // 4 if folds is None else folds
    return OOFPredictions(y_true=y, y_pred=scores, fold=folds, **fields)


GROUPS = np.repeat(np.arange(5), 4)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (made(np.tile([0, 1], 12)), "first side has 20 samples, the second 24"),
        (made(np.tile([1, 0], 10)), "different target values in 20 of 20 samples, first in sam"),
        (made(folds=np.arange(20) % 5), "different folds .different splits.*cv"),
        (made(folds=np.arange(20) // 5), "different folds .5 and 4 splits"),
        (made(groups=GROUPS), "only one has groups"),
        (made(sample_weight=np.ones(20)), "only one has sample_weight"),
        (made(classes=[0, 1, 2]), "different classes"),
    ],
)
def test_other_data_are_refused(other, message):
    with pytest.raises(ValueError, match=message):
        compared(0, 1, made(), other)
    with pytest.raises(ValueError, match="different groups"):
        compared(0, 1, made(groups=GROUPS), made(groups=GROUPS[::-1].copy() + 1))


def test_scores_per_fold_alone_cannot_be_checked():
    result = CorrectedResampledT().compare(Side(oof=OOF, config=0), ONE_FOLD_SCORE, "roc_auc")
    assert any("cannot be checked" in note for note in result.details["notes"])
    few = OOFPredictions.from_fold_scores({"roc_auc": np.ones((3, 1))})
    with pytest.raises(ValueError, match="6 and 3 splits"):
        CorrectedResampledT().compare(Side(oof=OOF, config=0), few, "roc_auc")


def test_sides_know_whether_they_were_tuned():
    assert Side(oof=OOF).is_tuned and not Side(oof=OOF, config=1).is_tuned
    assert not Side(oof=example_predictions(n_configs=1)).is_tuned


def test_names_have_the_parameters_and_differ():
    oof = with_fields(OOF, params=[{"C": 1}, {"C": "x" * 100}, {}, {}])
    one, other = compared(0, 1, oof).names
    assert one == "configuration 0 (C=1)" and other.endswith("...)") and len(other) < 90
    sides = (Side(oof=OOF, config=k, name="model") for k in (1, 2))
    assert Plain().compare(*sides, "roc_auc").names == ("model (first)", "model (second)")


# --- two configurations side by side ---


def predictions(values, **fields):
    y = np.array([0, 1, 0, 1])
    return Side(
        oof=OOFPredictions.from_rows(y_true=y, responses=values, fold=[0, 0, 1, 1], **fields)
    )


def test_responses_that_one_side_lacks_are_missing():
    one = predictions({"decision_function": [[-1.0, 2.0, -3.0, 4.0]]}, params=[{"a": 1}])
    other = predictions({"predict_proba": [[0.1, 0.6, 0.2, 0.8]], "predict": [[0, 1, 0, 1]]})
    both = joined_sides(one, other, (0, 0))
    assert both.n_configs == 2 and both.params == ()
    np.testing.assert_array_equal(both.responses["decision_function"][0], [-1, 2, -3, 4])
    assert np.isnan(both.responses["decision_function"][1]).all()
    assert np.isnan(both.responses["predict_proba"][0]).all()
    np.testing.assert_array_equal(both.responses["predict"], [[-1] * 4, [0, 1, 0, 1]])
    np.testing.assert_array_equal(as_metric("roc_auc").bind(both).on_data(), [1, 1])
    three = predictions({"predict_proba": np.full((1, 4, 3), 1 / 3)}, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="different shapes"):
        joined_sides(three, other, (0, 0))


def test_fold_scores_of_both_are_kept():
    scores = {"accuracy": [[1, 2], [3, 4]], "f1": np.ones((2, 2))}
    one = predictions({"predict": [[0, 1, 0, 1]] * 2}, fold_scores=scores)
    other = predictions({"predict": [[0, 1, 1, 1]]}, fold_scores={"accuracy": [[5], [6]]})
    both = joined_sides(one, other, (1, 0))
    assert set(both.fold_scores) == {"accuracy"}
    np.testing.assert_array_equal(both.fold_scores["accuracy"], [[2, 5], [4, 6]])


@pytest.mark.parametrize(
    ("scoring", "expected"), [("roc_auc", 1), ("matthews_corrcoef", 2), ("neg_log_loss", np.inf)]
)
def test_a_difference_ranges_from_worst_minus_best_to_best_minus_worst(scoring, expected):
    metric = difference_of(as_metric(scoring))
    assert metric.bounds == (-expected, expected) and metric.name == scoring


# --- p values ---


@pytest.mark.parametrize("error", [0.02, 0.5])
def test_p_values_are_tails_of_the_distribution(error):
    z = compared(3, 0, error=error).difference / error
    expected = {"greater": stats.norm.sf(z), "less": stats.norm.cdf(z),
                "two-sided": 2 * stats.norm.sf(abs(z))}  # fmt: skip
    for alternative, p in expected.items():
        result = compared(3, 0, error=error, alternative=alternative)
        assert result.p_value == pytest.approx(p) and result.statistic == pytest.approx(z)


@pytest.mark.filterwarnings("ignore:.*no spread can be seen")
@pytest.mark.parametrize(
    ("alternative", "p_values", "bounds"),
    [
        ("two-sided", (0, 0, 1), (0, 0)),
        ("greater", (0, 1, 1), (0, 1)),
        ("less", (1, 0, 1), (-1, 0)),
    ],
)
def test_a_zero_standard_error_is_marked(alternative, p_values, bounds):
    params = {"error": 0.0, "alternative": alternative}
    same = with_fields(
        OOF, responses={"predict_proba": OOF.responses["predict_proba"][[3, 0, 0, 0]]}
    )
    results = [compared(0, 1, same, **params), compared(1, 0, same, **params)]
    results.append(compared(1, 2, same, **params))
    assert tuple(result.p_value for result in results) == p_values
    assert all(result.details["degenerate"] for result in results)
    assert tuple(results[2]) == bounds
    with pytest.warns(UserWarning, match="no spread can be seen"):
        compared(0, 1, same, **params)


@pytest.mark.parametrize(
    ("draws", "greater", "less"),
    [
        ([-1, 0, 1, 2, 3, 4, 5, 6, 7, 8], 2 / 10, 9 / 10),  # one tie: 1.5 and 8.5, rounded up
        ([-1, 0, 0, 2, 3, 4, 5, 6, 7, 8], 2 / 10, 8 / 10),
        ([-1, -1, 0, 0, 0, 0, 5, 6, 7, 8], 4 / 10, 6 / 10),
        ([1] * 10, 1 / 11, 1),  # nothing is known beyond the draws
        ([0] * 10, 1, 1),
        ([0] * 9 + [1], 0.5, 1),
    ],
)
def test_draws_without_a_difference_count_half(draws, greater, less):
    draws = np.array(draws, dtype=float)
    assert p_of_draws(draws, "greater") == pytest.approx(greater)
    assert p_of_draws(draws, "less") == pytest.approx(less)
    assert p_of_draws(draws, "two-sided") == pytest.approx(min(1, 2 * min(greater, less)))
    assert p_of_draws(-draws, "less") == pytest.approx(greater)


METHODS = [
    *(BBCDifference(quantile=rule) for rule in (None, LinearQuantile(), NormalScoreQuantile())),
    *(PairedBootstrap(form=form) for form in ("percentile", "basic")),
]


@given(
    st.sampled_from(METHODS),
    st.sampled_from(["two-sided", "greater", "less"]),
    st.tuples(st.integers(0, 12), st.integers(1, 12)),
    st.floats(0.5, 0.98),
    st.integers(0, 99),
)
def test_the_interval_excludes_zero_from_the_level_of_the_p_value_on(
    method, alternative, only, level, seed
):
    """Labels that differ in few samples, so that many draws show no difference at all."""
    y = np.arange(60) % 2
    right = np.repeat([1, 2, 3, 0], [*only, 25, 35 - sum(only)])
    pred = np.stack([np.where(right & bit, y, 1 - y) for bit in (1, 2)], axis=1)
    oof = OOFPredictions(y_true=y, y_pred=pred, fold=np.arange(60) // 2 % 5)
    method = clone(method).set_params(
        alternative=alternative, confidence_level=level, n_bootstraps=99, random_state=seed
    )
    result = method.compare(Side(oof=oof, config=0), Side(oof=oof, config=1), "accuracy")
    if abs(result.p_value - (1 - level)) > 1e-9:
        assert (0 not in result) == (result.p_value < 1 - level)
    if isinstance(method, BBCDifference):
        less = 1 - np.mean(result.draws < 0) - np.mean(result.draws == 0) / 2
        half = {"greater": 1 - less, "less": less}.get(alternative, 2 * min(less, 1 - less))
        if min(result.draws) < 0 < max(result.draws):
            assert result.p_value == pytest.approx(half, abs=2.5 / 99)  # a draw for each side
