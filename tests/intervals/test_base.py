"""The base of interval methods: quantile rule, sidedness, standard errors, needs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import get_scorer

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import BBC, BBCF, BaseInterval, as_interval, registered
from sklearn_bbc.intervals._base import _REGISTRY
from sklearn_bbc.metrics import Metric, as_metric

ACCURACY = as_metric("accuracy")
UNBOUNDED = Metric(name="accuracy", scorer=max)
"""For draws that are ranks."""


def bounds_of_draws(scores, level=0.95, alternative="greater", **options):
    method = BBC(confidence_level=level, alternative=alternative)
    scores = np.asarray(scores, dtype=float)
    metric = UNBOUNDED if np.nanmax(scores, initial=0) > 1 else ACCURACY
    return method._from_draws(scores, metric, **options)


@pytest.mark.parametrize("n, rank", [(500, 25), (1000, 50), (10, 0), (19, 0), (20, 1), (40, 2)])
def test_the_lower_bound_is_number_floor_of_alpha_b(n, rank):
    shuffled = np.random.default_rng(0).permutation(n)
    assert bounds_of_draws(shuffled).low == rank
    assert bounds_of_draws(shuffled, alternative="less").high == n - 1 - rank


@pytest.mark.parametrize("n, rank", [(1000, 25), (40, 1), (39, 0)])
def test_two_sided_bounds_mirror_each_other(n, rank):
    assert tuple(bounds_of_draws(np.arange(n), alternative="two-sided")) == (rank, n - 1 - rank)


def test_the_open_side_is_the_end_of_the_range():
    assert bounds_of_draws([0.1, 0.9]).high == 1.0
    assert bounds_of_draws([0.1, 0.9], alternative="less").low == 0.0
    loss = as_metric("neg_log_loss")
    method = BBC(alternative="greater")
    assert method._from_draws(np.array([-3.0, -2.0]), loss).high == 0.0
    method = BBC(alternative="less")
    assert method._from_draws(np.array([-3.0, -2.0]), loss).low == -np.inf


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(1, 30)), min_size=1, max_size=30),
    st.sampled_from([0.5, 0.8, 0.95]),
    st.sampled_from(["greater", "less", "two-sided"]),
)
def test_a_multiplicity_is_a_repetition(pairs, level, alternative):
    scores, times = (np.array(part) for part in zip(*pairs))
    counted = bounds_of_draws(scores, level, alternative, multiplicity=times)
    repeated = bounds_of_draws(np.repeat(scores, times), level, alternative)
    assert tuple(counted) == tuple(repeated)
    assert counted.estimate == pytest.approx(repeated.estimate)
    np.testing.assert_array_equal(counted.draws, np.sort(repeated.draws))


def test_a_huge_multiplicity_finds_its_rank():
    """0.1 of ten thousand million is a thousand million, whatever the last bit says."""
    times = np.array([10**9, 9 * 10**9])
    assert bounds_of_draws([0.1, 0.2], 0.9, multiplicity=times).low == 0.2
    times = np.array([10**9 + 1, 9 * 10**9 - 1])
    assert bounds_of_draws([0.1, 0.2], 0.9, multiplicity=times).low == 0.1


@pytest.mark.parametrize("level", [1e-12, 1e-3, 0.999, 1 - 1e-12])
@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_extreme_levels_stay_within_the_draws(level, alternative):
    result = bounds_of_draws(np.arange(1, 8) / 8, level, alternative)
    assert 0 <= result.low <= result.high <= 1


def test_the_estimate_is_the_mean_and_exact_for_equal_draws():
    assert bounds_of_draws([0.1, 0.2, 0.6]).estimate == pytest.approx(0.3)
    assert bounds_of_draws(np.full(1000, 0.1)).estimate == 0.1
    assert bounds_of_draws([0.1, 0.2], estimate=0.7).estimate == 0.7


def test_undefined_draws_are_left_out_and_counted():
    scores = np.append(np.arange(95.0), [np.nan] * 5)
    result = bounds_of_draws(scores)
    assert result.details["n_undefined"] == 5
    assert len(result.draws) == 95
    assert result.low == 4  # floor(0.05 * 95)


def test_too_many_undefined_draws():
    scores = np.append(np.arange(89.0), [np.nan] * 11)
    with pytest.raises(UndefinedIntervalError, match="accuracy: it is undefined in 11 of 100"):
        bounds_of_draws(scores)
    with pytest.raises(UndefinedIntervalError):
        bounds_of_draws([np.nan] * 20)


def test_standard_errors():
    result = BBC()._from_se(0.7, 0.1, ACCURACY)
    assert result.low == pytest.approx(0.7 - 1.959964 * 0.1, abs=1e-7)
    assert result.high == pytest.approx(0.7 + 1.959964 * 0.1, abs=1e-7)
    assert not {"unclipped", "unclipped_estimate"} & set(result.details)
    assert result.details["standard_error"] == 0.1
    one_sided = BBC(alternative="greater")._from_se(0.8, 0.1, ACCURACY, quantile=2.0)
    assert tuple(one_sided) == (pytest.approx(0.6), 1.0)


def test_names_and_scorers_are_the_same():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    oof = OOFPredictions(y_true=y, y_pred=rng.random((40, 3)))
    method = BBC(n_bootstraps=64, random_state=0)
    by_name, by_scorer, by_metric = (
        method.estimate(oof, scoring)
        for scoring in ("roc_auc", get_scorer("roc_auc"), as_metric("roc_auc"))
    )
    np.testing.assert_array_equal(by_name.draws, by_scorer.draws)
    np.testing.assert_array_equal(by_name.draws, by_metric.draws)
    assert by_name.metric == "roc_auc"


def test_a_metric_known_by_its_fold_scores_cannot_be_computed():
    oof = OOFPredictions(y_true=[], classes=None, fold_scores={"dice": np.ones((5, 2))})
    metric = BBCF()._metric(oof, "dice")
    with pytest.raises(ValueError, match="known by its fold scores only"):
        metric.scorer(None, None, None)


def test_two_classes_are_asked_for_where_they_are_needed():
    class Binary(BBC):
        requires = frozenset({"predictions", "binary"})

    values = OOFPredictions(y_true=np.arange(8) / 2, y_pred=np.zeros((8, 1)), classes=None)
    with pytest.raises(ValueError, match=r"Binary needs a target with 2 classes.*without classes"):
        Binary().estimate(values, "r2")
    three = OOFPredictions(y_true=np.arange(9) % 3, y_pred=np.zeros((9, 1)))
    with pytest.raises(ValueError, match="got 3 classes"):
        Binary().estimate(three, "accuracy")


def test_the_base_is_no_method():
    with pytest.raises(TypeError, match="abstract"):
        BaseInterval()
    assert BaseInterval not in _REGISTRY.values()


def test_a_method_of_three_lines_registers_and_works(monkeypatch):
    monkeypatch.setattr("sklearn_bbc.intervals._base._REGISTRY", dict(_REGISTRY))

    class Whole(BaseInterval):
        name = "whole_range"
        estimand = "nothing"

        def __init__(self, *, confidence_level=0.95, alternative="two-sided"):
            self.confidence_level = confidence_level
            self.alternative = alternative

        def _estimate(self, oof, kernel):
            return self._from_draws(np.array(kernel.metric.bounds), kernel.metric)

    oof = OOFPredictions(y_true=[0, 1], y_pred=[0, 1])
    result = as_interval("whole_range").estimate(oof, "accuracy")
    assert tuple(result) == (0.0, 1.0)
    assert result.method == "whole_range"


def test_what_is_estimated_is_one_sentence_that_differs_where_methods_do():
    methods = {name: each.estimand for name, each in registered().items() if "tests" not in name}
    assert all(each.startswith("score on new samples of") or each.startswith("mean score on new")
               for each in methods.values())  # fmt: skip
    assert len({methods[name] for name in ("bbc", "bbcf", "rescaled_bbc", "tibshirani")}) == 1
