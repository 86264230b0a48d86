"""Replay of scorers without a kernel: score functions, plain callables, what they may ask for."""

import warnings
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import make_scorer, mean_absolute_error, roc_auc_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc._scorers import parameters_of
from sklearn_bbc.exceptions import SlowMetricWarning, UndefinedIntervalError
from sklearn_bbc.intervals import BBC, BBCF
from sklearn_bbc.metrics import Metric, as_metric
from tests.metrics.replay_cases import (
    LABELS,
    ONES,
    RNG,
    SCORES,
    N,
    Y,
    by_proba,
    draws,
    plain,
    recorded,
    same_as_kernel,
)


def my_auc(y_true, y_score, sample_weight=None):
    """No kernel knows this function."""
    return roc_auc_score(y_true, y_score, sample_weight=sample_weight)


def unweighted_auc(y_true, y_score):
    return roc_auc_score(y_true, y_score)


# --- score functions ---------------------------------------------------------------------


@pytest.mark.long
def test_a_function_without_kernel_equals_one_with():
    scorer = make_scorer(my_auc, response_method=("decision_function", "predict_proba"))
    for oof in (plain(), recorded(), recorded("predict_proba")):
        same_as_kernel(scorer, oof, "roc_auc", draws())


def test_functions_of_labels_get_labels():
    def share_of_yes(y_true, y_pred):
        assert set(y_true) <= set(LABELS) and set(y_pred) <= set(LABELS)
        return float(np.mean(y_pred == "yes"))

    kernel = as_metric(make_scorer(share_of_yes)).bind(recorded())
    np.testing.assert_allclose(kernel.scores(ONES)[0], (SCORES > 0).mean(axis=0))


def test_losses_and_keyword_arguments():
    def loss(y_true, y_pred, *, power):
        return float(np.mean(np.abs(y_true - y_pred) ** power))

    scorer = make_scorer(loss, greater_is_better=False, power=2)
    oof = plain(y_true=SCORES[:, 0] + 1)
    same_as_kernel(scorer, oof, "neg_mean_squared_error", draws())


def test_several_outputs():
    y = RNG.normal(size=(N, 2))
    pred = y + RNG.normal(size=(3, N, 2))
    oof = OOFPredictions.from_rows(y_true=y, responses={"predict": pred}, fold=np.arange(N) % 5)

    def error(y_true, y_pred):
        return mean_absolute_error(y_true, y_pred)

    scorer = make_scorer(error, greater_is_better=False)
    same_as_kernel(scorer, oof, "neg_mean_absolute_error", draws())


def test_counts_repeat_rows_whether_or_not_the_function_takes_weights():
    seen = []

    def size(y_true, y_pred, sample_weight=None):
        seen.append(sample_weight)
        return float(len(y_true))

    kernel = as_metric(make_scorer(size)).bind(plain())
    weights = draws(3)
    np.testing.assert_array_equal(kernel.scores(weights), N)
    np.testing.assert_array_equal(kernel.scores(weights.astype(float)), N)
    np.testing.assert_array_equal(kernel.scores(weights == 0)[:, 0], (weights == 0).sum(axis=1))
    assert set(seen) == {None}


def test_fractions_are_passed_as_weights():
    scorer = make_scorer(my_auc, response_method="decision_function")
    same_as_kernel(scorer, plain(), "roc_auc", RNG.random((4, N)))
    kernel = as_metric(make_scorer(unweighted_auc)).bind(plain())
    with pytest.raises(ValueError, match="takes only whole numbers as weights"):
        kernel.scores(RNG.random((1, N)))


def test_sample_weights_are_passed_where_they_are_taken():
    weight = RNG.random(N)
    scorer = make_scorer(my_auc, response_method="decision_function")
    same_as_kernel(scorer, plain(sample_weight=weight), "roc_auc", draws())
    whole = RNG.integers(1, 4, size=N)
    same_as_kernel(scorer, plain(sample_weight=whole), "roc_auc", draws())


def test_rows_without_weight_are_not_passed():
    def size(y_true, y_pred, sample_weight):
        assert (sample_weight > 0).all()
        return float(len(y_true))

    weight = np.arange(N) % 3
    kernel = as_metric(make_scorer(size)).bind(plain(sample_weight=weight))
    weights = draws(3)
    expected = ((weights > 0) & (weight > 0)).sum(axis=1)
    np.testing.assert_array_equal(kernel.scores(weights)[:, 0], expected)


def test_sample_weights_that_cannot_be_passed():
    with pytest.raises(ValueError, match=r"unweighted_auc takes no sample_weight.*leave"):
        as_metric(make_scorer(unweighted_auc)).bind(plain(sample_weight=np.ones(N)))


def test_equal_configurations_are_called_once():
    calls = []

    def counted(y_true, y_pred):
        calls.append(1)
        return float(np.mean(y_pred))

    kernel = as_metric(make_scorer(counted)).bind(plain(SCORES[:, [0, 1, 0, 1, 0]]))
    before = len(calls)
    kernel.scores(draws(4))
    assert len(calls) - before == 4 * 2


# --- undefined scores --------------------------------------------------------------------


@pytest.mark.long
def test_classes_that_a_metric_needs_are_found_and_drawn_again():
    scorer = make_scorer(unweighted_auc, response_method="decision_function")
    kernel = as_metric(scorer).bind(recorded())
    assert kernel.strata_names == ["class no", "class yes"]
    np.testing.assert_array_equal(kernel.strata, [Y == 0, Y == 1])
    by_replay, by_kernel = (
        BBC(n_bootstraps=30, random_state=0).estimate(recorded(), scoring)
        for scoring in (scorer, "roc_auc")
    )
    np.testing.assert_allclose(by_replay.draws, by_kernel.draws, atol=1e-14)
    assert by_replay.details["n_redrawn"] == by_kernel.details["n_redrawn"]
    with pytest.raises(UndefinedIntervalError, match="class yes has 1 sample"):
        rare = np.array([1] + [0] * (N - 1))
        BBC().estimate(plain(y_true=LABELS[rare]), scorer)


def test_metrics_that_need_no_class_have_no_strata():
    def share(y_true, y_pred):
        return float(np.mean(y_true == y_pred))

    assert as_metric(make_scorer(share)).bind(recorded()).strata is None


def test_strata_with_sample_weights():
    scorer = make_scorer(my_auc, response_method="decision_function")
    kernel = as_metric(scorer).bind(plain(sample_weight=RNG.random(N) + 0.1))
    assert kernel.strata_names == ["class 0", "class 1"]


def test_an_exception_on_a_draw_is_undefined():
    def fussy(y_true, y_pred):
        if len(np.unique(y_true)) < N - 12:
            raise ZeroDivisionError
        return 1.0

    y = RNG.normal(size=N)
    kernel = as_metric(make_scorer(fussy)).bind(plain(y_true=y))
    few = np.zeros((1, N), dtype=np.uint8)
    few[0, :5] = 6
    scores = kernel.scores(np.concatenate([ONES, few]))
    assert (scores[0] == 1).all() and np.isnan(scores[1]).all()
    np.testing.assert_array_equal(kernel.winners(few), [-1])


@pytest.mark.filterwarnings("error")
def test_warnings_of_draws_are_silent_and_nan_is_undefined():
    def warns(y_true, y_pred):
        if len(np.unique(y_true)) < 2:
            warnings.warn("one class", UndefinedMetricWarning, stacklevel=1)
            return np.nan
        return 1.0

    kernel = as_metric(make_scorer(warns)).bind(recorded())
    assert np.isnan(kernel.scores((Y == 1)[None])).all()


def test_an_exception_on_all_rows_is_reported():
    def broken(y_true, y_pred):
        raise KeyError("age")

    message = "predictions: its code raised KeyError: 'age'. It is given the target, the pred"
    with pytest.raises(ValueError, match=message) as info:
        as_metric(make_scorer(broken)).bind(plain())
    assert isinstance(info.value.__cause__, KeyError)


def test_a_configuration_that_the_metric_refuses_loses():
    def positive_only(y_true, y_pred):
        if (y_pred < 0).any():
            raise ValueError("negative")
        return float(-np.mean(y_pred))

    scores = np.abs(SCORES)
    scores[:, 0] = -1
    kernel = as_metric(make_scorer(positive_only)).bind(plain(scores))
    assert np.isnan(kernel.scores(ONES)[0, 0])
    assert kernel.winners(ONES)[0] in (1, 2)


@pytest.mark.parametrize("value", [None, {"a": 1.0}, "0.5", np.zeros(2), np.zeros((1, 1))])
def test_one_number_is_asked_for(value):
    with pytest.raises(ValueError, match=r"it returned a .* instead of one number"):
        as_metric(make_scorer(lambda y, p: value)).bind(plain())


@pytest.mark.parametrize("value", [1, np.float32(1), np.array(1.0), True])
def test_numbers_of_any_kind(value):
    kernel = as_metric(make_scorer(lambda y, p: value)).bind(plain())
    np.testing.assert_array_equal(kernel.scores(ONES), 1.0)


def test_an_interruption_is_no_undefined_score():
    started = []

    def interrupted(y_true, y_pred):
        if len(started) > 10:
            raise KeyboardInterrupt
        started.append(1)
        return 1.0

    with pytest.raises(KeyboardInterrupt):
        BBC(n_bootstraps=50).estimate(plain(), make_scorer(interrupted))


# --- time and workers --------------------------------------------------------------------


def test_a_long_replay_is_announced_with_the_line_that_asked(monkeypatch):
    monkeypatch.setattr("sklearn_bbc.metrics._metric.SLOW_SECONDS", 1e-9)
    scorer = make_scorer(unweighted_auc)
    with pytest.warns(SlowMetricWarning, match=r"called \d+ times") as seen:
        BBC(n_bootstraps=20, random_state=0).estimate(plain(), scorer)
    assert len(seen) == 1
    assert seen[0].filename == __file__
    with pytest.warns(SlowMetricWarning, match="called 15 times"):
        BBCF().estimate(plain(), scorer)


def test_very_slow_metrics_are_timed_once(monkeypatch):
    ticks = iter(range(0, 1000, 2))
    clock = SimpleNamespace(perf_counter=ticks.__next__)
    monkeypatch.setattr("sklearn_bbc.metrics._replay.time", clock)
    calls = []

    def slow(y_true, y_pred):
        calls.append(1)
        return 1.0

    kernel = as_metric(make_scorer(slow)).bind(plain(y_true=SCORES[:, 0]))
    assert len(calls) == 2  # once to see that it works, once to see how long it takes
    assert kernel.repeats[0].kernel.seconds_per_score == 2


@dataclass(frozen=True)
class Unhashable:
    options: list

    def __call__(self, y_true, y_pred, *, sample_weight=None):
        return float(np.average(y_true == y_pred, weights=sample_weight))


def test_parameters_of_functions_that_have_no_signature_or_no_hash():
    assert not parameters_of(type)
    assert "sample_weight" in parameters_of(Unhashable([]))


def test_short_replays_say_nothing(recwarn):
    BBC(n_bootstraps=20, random_state=0).estimate(plain(), make_scorer(unweighted_auc))
    assert not recwarn.list


def test_processes_share_the_work():
    """Lambdas travel too."""
    scorer = make_scorer(lambda y, p: float(np.mean(y == (p > 0))))
    assert as_metric(scorer).bind(plain()).prefers == "processes"
    one, two = (
        BBC(n_bootstraps=130, random_state=0, n_jobs=n_jobs).estimate(plain(), scorer)
        for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.draws, two.draws)


def test_metrics_made_by_hand():
    metric = Metric(
        name="mine", scorer=by_proba, score_func=my_auc, response_method=("predict_proba",)
    )
    result = BBC(n_bootstraps=20, random_state=0).estimate(recorded(), metric)
    expected = BBC(n_bootstraps=20, random_state=0).estimate(recorded(), "roc_auc")
    np.testing.assert_allclose(result.draws, expected.draws, atol=1e-14)
    assert result.metric == "mine"


def test_a_scorer_of_scikit_learn_warns_of_no_cast(recwarn):
    """Labels of 1e300 are beyond the integers as which scikit-learn looks at them."""
    y_pred = np.tile([0.0, 1e300], 6)[:, None]
    oof = OOFPredictions(y_true=np.tile([0.0, 1.0], 6), y_pred=y_pred)
    scores = as_metric("rand_score").bind(oof).scores(np.ones((1, 12), dtype=np.uint8))
    assert scores.shape == (1, 1)
    assert not [w for w in recwarn if issubclass(w.category, RuntimeWarning)]
