"""What was recorded must give the scores of the search again; where not, it is told."""

import itertools
import warnings

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, roc_auc_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import RecordingWarning
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.predictions._matrix_file import MatrixFile, is_in_file
from sklearn_bbc.search.recording import _assembly
from sklearn_bbc.search.recording._check import (
    RecordCheck,
    _sample,
    check_record,
    describe_cells,
    not_the_same,
    without_cells,
)
from tests.search.small_search import GRID, TREE, X, Y, search

N, C, K = 60, 6, 5
RNG = np.random.default_rng(0)
FOLD = np.arange(N) % K
TARGET = RNG.integers(0, 2, N)
SCORES = RNG.normal(size=(C, N)) + TARGET


def record(scoring="roc_auc", values=SCORES, method="decision_function", target=TARGET, **fields):
    """A record and the fold scores that belong to it."""
    plain = OOFPredictions(y_true=target, responses={method: values}, fold=FOLD, **fields)
    metric = as_metric(scoring)
    scores = metric.bind(plain).fold_scores()
    oof = OOFPredictions(
        y_true=target, responses={method: values}, fold=FOLD, fold_scores={metric.name: scores},
        **fields,
    )  # fmt: skip
    return metric, oof


def changed(oof, config, split, by=5.0):
    """The same fold scores, but the predictions of one cell are another model's."""
    ((method, array),) = oof.responses.items()
    array = array.copy()
    rows = oof.fold == split
    array[config, rows] = array[config, rows][::-1] * -by
    return oof._with_fields(responses={method: array})


def check(metric, oof, best=0):
    return check_record({metric.name: (metric, oof)}, {metric.name: best})


def test_a_true_record_passes():
    assert not check(*record()).cells.any()


@pytest.mark.parametrize(
    ("scoring", "method"),
    [("roc_auc", "decision_function"), ("neg_log_loss", "predict_proba")],
)
@pytest.mark.parametrize(("config", "split"), [(0, 0), (5, 4), (3, 2)])
def test_one_wrong_cell_is_found_and_no_other(scoring, method, config, split):
    values = 1 / (1 + np.exp(-SCORES)) if method == "predict_proba" else SCORES
    metric, oof = record(scoring, values, method)
    wrong = oof._with_fields(responses={method: oof.responses[method].copy()})
    rows = wrong.fold == split
    wrong.responses[method][config, rows] = values[(config + 1) % C, rows]
    found = check(metric, wrong)
    assert np.argwhere(found.cells).tolist() == [[split, config]]
    assert found.methods == {method} and found.metrics == [metric.name]


def test_labels_that_are_another_models_are_found():
    codes = (SCORES > 0.5).astype(np.int8)
    metric, oof = record("accuracy", codes, "predict")
    wrong = codes.copy()
    wrong[2, oof.fold == 1] ^= 1
    found = check(metric, oof._with_fields(responses={"predict": wrong}))
    assert np.argwhere(found.cells).tolist() == [[1, 2]]


def test_cells_beyond_the_first_block_are_found(monkeypatch):
    monkeypatch.setattr("sklearn_bbc.search.recording._check.BLOCK_VALUES", N)
    metric, oof = record()
    assert np.argwhere(check(metric, changed(oof, 5, 3)).cells).tolist() == [[3, 5]]
    assert not check(metric, oof).cells.any()


def test_undefined_folds_and_failed_configurations_are_not_compared():
    metric, oof = record()
    wrong = changed(changed(oof, 1, 0), 2, 1)
    scores = oof.fold_scores["roc_auc"].copy()
    scores[0, 1] = np.nan
    failed = np.arange(C) == 2
    wrong = wrong._with_fields(fold_scores={"roc_auc": scores}, failed=failed)
    assert not check(metric, wrong).cells.any()


def test_the_score_that_stands_for_an_error_is_not_compared():
    metric, oof = record()
    scores = oof.fold_scores["roc_auc"].copy()
    scores[0, 1] = -7.0
    oof = oof._with_fields(fold_scores={"roc_auc": scores})
    views = {"roc_auc": (metric, oof)}
    assert not check_record(views, {}, error_score=-7.0).cells.any()
    assert np.argwhere(check_record(views, {}, error_score=0.0).cells).tolist() == [[0, 1]]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e9])
@pytest.mark.parametrize("scoring", ["r2", "neg_mean_squared_error", "neg_median_absolute_error"])
def test_rounding_is_not_an_error_at_any_scale(dtype, scale, scoring):
    """scikit-learn's own number, in the precision in which it computes it."""
    target = RNG.normal(size=N) * scale + 3 * scale
    values = (target + RNG.normal(size=(C, N)) * scale).astype(dtype)
    metric, oof = record(scoring, values, "predict", target)
    scores = np.array([
        [metric.sign * metric.score_func(target[FOLD == k], values[c, FOLD == k])
         for c in range(C)]
        for k in range(K)
    ])  # fmt: skip
    oof = oof._with_fields(fold_scores={metric.name: scores})
    assert not check(metric, oof).cells.any()
    wrong = values.copy()
    wrong[4, oof.fold == 2] = values[1, oof.fold == 2]
    found = check(metric, oof._with_fields(responses={"predict": wrong}))
    assert np.argwhere(found.cells).tolist() == [[2, 4]]


def test_the_tolerance_is_relative_to_the_scores():
    _, oof = record()
    scores = np.full((K, C), -1e-12)
    again = scores.copy()
    again[0, 0] *= 3
    assert not not_the_same(scores, scores * (1 + 1e-9), oof).any()
    assert not_the_same(scores * 1e6, again * 1e6, oof).sum() == 1
    assert not not_the_same(np.full((K, C), np.nan), again, oof).any()


# ---------------------------------------------------------------------- metrics without a kernel
def best_threshold(estimator, X, y):
    """Nothing that a kernel knows."""
    scores = estimator.decision_function(X)
    return max(accuracy_score(y, scores > t) for t in (-0.5, 0.0, 0.5, 1.0))


def replayed_record():
    scores = np.array([
        [max(accuracy_score(TARGET[FOLD == k], SCORES[c, FOLD == k] > t)
             for t in (-0.5, 0.0, 0.5, 1.0)) for c in range(C)]
        for k in range(K)
    ])  # fmt: skip
    oof = OOFPredictions(
        y_true=TARGET, responses={"decision_function": SCORES}, fold=FOLD,
        fold_scores={"best_threshold": scores},
    )  # fmt: skip
    return as_metric(best_threshold), oof


def test_of_a_replayed_metric_the_winner_is_checked():
    metric, oof = replayed_record()
    assert not check(metric, oof, best=4).cells.any()
    wrong = changed(oof, 4, 1)
    assert np.argwhere(check(metric, wrong, best=4).cells).tolist() == [[1, 4]]


def test_a_replayed_metric_costs_a_tenth_of_the_calls():
    calls = []

    def counting(estimator, X, y):
        calls.append(1)
        return best_threshold(estimator, X, y)

    scores = np.tile(replayed_record()[1].fold_scores["best_threshold"], 10)
    oof = OOFPredictions(
        y_true=TARGET, responses={"decision_function": np.tile(SCORES, (10, 1))}, fold=FOLD,
        fold_scores={"counting": scores},
    )  # fmt: skip
    assert not check(as_metric(counting), oof, best=33).cells.any()
    assert len(calls) == C * K


def test_a_metric_that_wavers_is_told_apart():
    numbers = itertools.count()

    def wavering(estimator, X, y):
        return best_threshold(estimator, X, y) + next(numbers)

    _, oof = replayed_record()
    oof = oof._with_fields(fold_scores={"wavering": oof.fold_scores["best_threshold"]})
    found = check(as_metric(wavering), oof)
    assert not found.cells.any() and found.unsteady == ["wavering"]


def test_a_metric_that_is_a_number_only_now_and_then_wavers():
    numbers = itertools.cycle([99.0, np.nan])

    def flickering(estimator, X, y):
        return next(numbers)

    _, oof = replayed_record()
    oof = oof._with_fields(fold_scores={"flickering": oof.fold_scores["best_threshold"]})
    assert check(as_metric(flickering), oof).unsteady == ["flickering"]


def test_a_block_without_a_complete_configuration_hides_no_other(monkeypatch):
    monkeypatch.setattr("sklearn_bbc.search.recording._check.BLOCK_VALUES", N)
    metric, oof = record()
    wrong = changed(oof, 5, 3)
    values = wrong.responses["decision_function"].copy()
    values[2, 7] = np.nan
    found = check(metric, wrong._with_fields(responses={"decision_function": values}))
    assert np.argwhere(found.cells).tolist() == [[3, 5]]


def test_only_configurations_with_every_score_can_miss_predictions():
    metric, oof = record()
    scores = oof.fold_scores["roc_auc"].copy()
    scores[0, 1] = np.nan
    oof = oof._with_fields(fold_scores={"roc_auc": scores})
    heard = {"decision_function": np.arange(C) > 2}
    found = check_record({"roc_auc": (metric, oof)}, {"roc_auc": 0}, heard=heard)
    assert np.flatnonzero(found.missing).tolist() == [0, 2]


def test_a_metric_that_needs_more_than_predictions_is_not_checked():
    def looking(estimator, X, y):
        return float(X[:, 0].sum() + estimator.coef_.sum())

    _, oof = replayed_record()
    oof = oof._with_fields(fold_scores={"looking": oof.fold_scores["best_threshold"]})
    found = check(as_metric(looking), oof)
    assert not found.cells.any() and not found.unsteady


def test_scorers_that_were_given_more_than_weights_are_not_called_again():
    metric, oof = replayed_record()
    views = {"best_threshold": (metric, changed(oof, 4, 1))}
    assert check_record(views, {"best_threshold": 4}).cells.any()
    assert not check_record(views, {"best_threshold": 4}, replay=False).cells.any()


def test_weights_reach_a_replayed_metric():
    def weighted(estimator, X, y, sample_weight=None):
        return accuracy_score(y, estimator.decision_function(X) > 0, sample_weight=sample_weight)

    weights = RNG.uniform(0.1, 3, N)
    scores = np.array([
        [accuracy_score(TARGET[FOLD == k], SCORES[c, FOLD == k] > 0,
                        sample_weight=weights[FOLD == k]) for c in range(C)]
        for k in range(K)
    ])  # fmt: skip
    oof = OOFPredictions(
        y_true=TARGET, responses={"decision_function": SCORES}, fold=FOLD, sample_weight=weights,
        fold_scores={"weighted": scores},
    )  # fmt: skip
    assert not check(as_metric(weighted), oof).cells.any()
    found = check(as_metric(weighted), changed(oof, 0, 3))
    assert np.argwhere(found.cells).tolist() == [[3, 0]]
    without = oof._with_fields(sample_weight=None)
    assert check(as_metric(weighted), without).cells.any()


# ---------------------------------------------------------------------- each part by itself
def test_one_metric_that_agrees_or_cannot_be_had_hides_no_other():
    """Metrics are looked at one by one, whatever came of those before."""
    metric, oof = record()
    wrong = changed(oof, 3, 2)
    names = ("agrees", "fails", "wavers", "empty")
    own = {name: wrong._with_fields(fold_scores={name: np.zeros((K, C))}) for name in names}
    own["empty"] = own["empty"]._with_fields(responses={})
    numbers = itertools.count(1)

    def fails(estimator, X, y):
        raise RuntimeError("needs more")

    views = {
        "empty": (metric, own["empty"]),
        "fails": (as_metric(fails), own["fails"]),
        "agrees": (as_metric(lambda estimator, X, y: 0.0, name="agrees"), own["agrees"]),
        "wavers": (as_metric(lambda *given: float(next(numbers)), name="wavers"), own["wavers"]),
        "roc_auc": (metric, wrong),
    }
    found = check_record(views, dict.fromkeys(views))
    assert np.argwhere(found.cells).tolist() == [[2, 3]]
    assert found.metrics == ["roc_auc"] and found.unsteady == ["wavers"]
    assert found.methods == {"decision_function"}


def test_cells_and_methods_of_all_metrics_come_together():
    auc, oof = record()
    accuracy, labels = record("accuracy", (SCORES > 0.5).astype(np.int8), "predict")
    codes = labels.responses["predict"].copy()
    codes[4, FOLD == 4] ^= 1
    views = {
        "roc_auc": (auc, changed(oof, 1, 0)),
        "accuracy": (accuracy, labels._with_fields(responses={"predict": codes})),
    }
    found = check_record(views, {})
    assert np.argwhere(found.cells).tolist() == [[0, 1], [4, 4]]
    assert found.methods == {"decision_function", "predict"}
    assert found.metrics == ["roc_auc", "accuracy"]


@pytest.mark.parametrize("some", [[2], [2, 4], [0, 5]])
def test_failed_configurations_hide_no_other_and_miss_nothing(some):
    metric, oof = record()
    failed = np.isin(np.arange(C), some)
    wrong = changed(oof, 3, 1)._with_fields(failed=failed)
    heard = {"decision_function": np.zeros(C, dtype=bool)}
    found = check_record({"roc_auc": (metric, wrong)}, {}, heard=heard)
    assert np.argwhere(found.cells).tolist() == [[1, 3]]
    np.testing.assert_array_equal(found.missing, ~failed)
    nothing = wrong._with_fields(failed=np.ones(C, dtype=bool))
    found = check(metric, nothing)
    assert not found.cells.any() and not found.missing.any() and not found.unsteady


def test_every_metric_is_asked_for_its_own_method_only():
    auc, oof = record()
    accuracy, labels = record("accuracy", (SCORES > 0.5).astype(np.int8), "predict")
    heard = {"decision_function": np.arange(C) != 1, "predict": np.arange(C) != 2}
    missing = {}
    for name, view in (("roc_auc", (auc, oof)), ("accuracy", (accuracy, labels))):
        missing[name] = np.flatnonzero(check_record({name: view}, {}, heard=heard).missing)
    assert {name: each.tolist() for name, each in missing.items()} == {
        "roc_auc": [1],
        "accuracy": [2],
    }
    both = check_record({"roc_auc": (auc, oof), "accuracy": (accuracy, labels)}, {}, heard=heard)
    assert np.flatnonzero(both.missing).tolist() == [1, 2]
    # A metric that asks for a method nobody was heard with: any of the others will do.
    other = check_record({"roc_auc": (auc, oof)}, {}, heard={"predict": heard["predict"]})
    assert np.flatnonzero(other.missing).tolist() == [2]
    several = {"predict_proba": np.arange(C) < 3, "decision_function": np.arange(C) > 2}
    assert not check_record({"roc_auc": (auc, oof)}, {}, heard=several).missing.any()


@pytest.mark.parametrize(
    ("dtype", "relative"),
    [(np.float64, 1e-6), (np.float32, 1000 * np.finfo(np.float32).eps)],
)
def test_the_tolerance_is_a_millionth_or_a_thousand_roundings(dtype, relative):
    _, oof = record(values=SCORES.astype(dtype))
    scores = np.full((K, C), 2.0)
    for factor, differs in ((0.9995, False), (1.0005, True)):
        again = scores.copy()
        again[1, 2] -= 2 * factor * relative
        again[3, 4] = np.inf
        found = not_the_same(scores, again, oof)
        assert found.sum() == found[1, 2] == differs
    assert not not_the_same(np.zeros((K, C)), np.zeros((K, C)), oof).any()


def test_scores_near_zero_are_judged_by_the_typical_one_and_large_ones_by_their_own():
    _, oof = record()
    scores = np.full((K, C), 1.0)
    scores[0, 0], scores[1, 1] = 0.0, 1e9
    again = scores.copy()
    again[0, 0] += 5e-7
    again[1, 1] += 500
    assert not not_the_same(scores, again, oof).any()
    assert not not_the_same(again, scores, oof).any()
    again[0, 0], again[1, 1] = 2e-6, 1e9 + 2000
    assert np.argwhere(not_the_same(scores, again, oof)).tolist() == [[0, 0], [1, 1]]
    assert np.argwhere(not_the_same(again, scores, oof)).tolist() == [[0, 0], [1, 1]]


def test_as_many_as_are_listed_leave_no_rest():
    assert describe_cells(np.ones((5, 1), bool)) == "configuration 0 (fold 0, 1, 2, 3, 4)"
    five = describe_cells(np.eye(6, 5, dtype=bool))
    assert five.endswith("configuration 4 (fold 4)") and "more" not in five
    assert describe_cells(np.ones((6, 1), bool)).endswith("4 and 1 more)")


def test_what_is_left_cannot_be_written_to():
    _, oof = record()
    cells = np.zeros((K, C), dtype=bool)
    left = without_cells(oof, RecordCheck(cells, cells[0], {"decision_function"}))
    assert not left.responses["decision_function"].flags.writeable
    np.testing.assert_array_equal(left.responses["decision_function"], SCORES)


@pytest.mark.parametrize(
    ("n_usable", "best", "expected"),
    [
        (1, None, [1]), (5, None, [1]), (30, None, [1, 15, 30]), (30, 7, [1, 7, 15]),
        (30, 99, [1, 15, 30]), (30, 1, [1, 15]), (10, 6, [6]), (14, None, [1]),
        (16, None, [1, 16]),
    ],
)  # fmt: skip
def test_a_tenth_is_spread_evenly_and_holds_the_winner(n_usable, best, expected):
    assert _sample(np.arange(1, n_usable + 1), best).tolist() == expected


def test_labels_derived_from_probabilities_are_those_of_the_recorded_method():
    probabilities = 1 / (1 + np.exp(-SCORES))
    metric, oof = record("accuracy", probabilities, "predict_proba")
    wrong = probabilities.copy()
    wrong[3, FOLD == 2] = 1 - wrong[3, FOLD == 2]
    found = check(metric, oof._with_fields(responses={"predict_proba": wrong}))
    assert np.argwhere(found.cells).tolist() == [[2, 3]]
    assert found.methods == {"predict_proba"}


def test_a_cell_that_was_not_recorded_in_full_is_not_called_again():
    called = []

    def counting(estimator, X, y):
        called.append(len(y))
        return best_threshold(estimator, X, y)

    _, oof = replayed_record()
    scores = oof.fold_scores["best_threshold"].copy()
    scores[3, 4] = np.nan
    values = SCORES.copy()
    values[4, np.flatnonzero(FOLD == 1)[0]] = np.nan
    labels = np.full((C, N), -1)
    oof = oof._with_fields(
        fold_scores={"counting": scores},
        # No model of configuration 4 answers with labels; that is no gap.
        responses={"decision_function": values, "predict": labels},
    )
    found = check(as_metric(counting), oof, best=4)
    assert not found.cells.any() and len(called) == K - 2
    labels[4, FOLD != 0] = 1
    called.clear()
    check(as_metric(counting), oof._with_fields(responses={**oof.responses, "predict": labels}), 4)
    assert len(called) == K - 3


def test_a_metric_that_wavers_once_cannot_be_compared():
    numbers = itertools.chain([1.0, 2.0], itertools.repeat(3.0))
    _, oof = replayed_record()
    oof = oof._with_fields(fold_scores={"moody": oof.fold_scores["best_threshold"]})
    found = check(as_metric(lambda *given: next(numbers), name="moody"), oof)
    assert found.unsteady == ["moody"] and not found.cells.any()


def test_what_a_scorer_warns_of_was_shown_by_the_search(recwarn):
    def warning(estimator, X, y):
        warnings.warn("again and again", UserWarning, stacklevel=1)
        return best_threshold(estimator, X, y)

    _, oof = replayed_record()
    oof = oof._with_fields(fold_scores={"warning": oof.fold_scores["best_threshold"]})
    assert not check(as_metric(warning), oof).cells.any() and not recwarn.list


def test_infinite_scores_are_not_compared_in_silence():
    _, oof = record()
    scores = np.full((K, C), 2.0)
    scores[0, 0] = scores[1, 1] = np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not not_the_same(scores, scores.copy(), oof).any()


def test_a_method_that_the_metric_does_not_use_was_not_wrong():
    codes = (SCORES > 0.5).astype(np.int8)
    metric, oof = record("accuracy", codes, "predict")
    wrong = codes.copy()
    wrong[2, oof.fold == 1] ^= 1
    responses = {"predict": wrong, "decision_function": SCORES, "predict_proba": SCORES}
    assert check(metric, oof._with_fields(responses=responses)).methods == {"predict"}


def test_the_first_label_is_there():
    called = []

    def counting(estimator, X, y):
        called.append(len(y))
        return best_threshold(estimator, X, y)

    _, oof = replayed_record()
    responses = {**oof.responses, "predict": np.tile(TARGET, (C, 1))}
    scores = {"counting": oof.fold_scores["best_threshold"]}
    check(as_metric(counting), oof._with_fields(fold_scores=scores, responses=responses))
    assert len(called) == K


# ---------------------------------------------------------------------- what follows
def test_cells_are_described_by_numbers_and_the_rest_is_counted():
    cells = np.zeros((8, 9), dtype=bool)
    cells[2, 1] = cells[:, 3] = True
    text = describe_cells(cells)
    assert text == "configuration 1 (fold 2), configuration 3 (fold 0, 1, 2, 3, 4 and 3 more)"
    assert describe_cells(np.ones((1, 7), bool)).endswith("and 2 more configurations")


def test_only_wrong_methods_lose_their_cells():
    _, oof = record()
    labels = (SCORES > 0).astype(np.int8)
    oof = oof._with_fields(responses={**oof.responses, "predict": labels})
    cells = np.zeros((K, C), dtype=bool)
    cells[1, 2] = True
    left = without_cells(oof, RecordCheck(cells, cells.any(axis=0), {"decision_function"}))
    missing = np.isnan(left.responses["decision_function"])
    assert np.array_equal(np.argwhere(missing)[:, 0], np.full(N // K, 2))
    assert np.array_equal(missing[2], FOLD == 1)
    assert left.responses["predict"] is labels
    coded = without_cells(oof, RecordCheck(cells, cells.any(axis=0), {"predict"})).responses[
        "predict"
    ]
    assert np.array_equal(coded[2] == -1, FOLD == 1)
    assert (labels >= 0).all()


def test_cells_of_predictions_in_a_file_are_left_out_in_another_file(tmp_path):
    """There may be more of them than memory."""
    _, oof = record()
    file = MatrixFile(tmp_path, SCORES.shape, SCORES.dtype, 0)
    for config, scores in enumerate(SCORES):
        file.row(config)[...] = scores
    on_disk = file.finish()
    cells = np.zeros((K, C), dtype=bool)
    cells[1, 2] = cells[0, 2] = cells[3, 0] = True
    found = RecordCheck(cells, cells.any(axis=0), {"decision_function"})
    kept = oof._with_fields(responses={"decision_function": on_disk})
    left = without_cells(kept, found).responses["decision_function"]
    assert is_in_file(left) and not np.shares_memory(left, on_disk)
    expected = without_cells(oof, found).responses["decision_function"]
    np.testing.assert_array_equal(left, expected)
    assert np.array_equal(np.isnan(expected), cells.T[:, FOLD])
    np.testing.assert_array_equal(on_disk, SCORES)


def own_auc(estimator, X, y):
    return roc_auc_score(y, estimator.predict_proba(X)[:, 1])


def tampered(monkeypatch, which):
    """Answers of some models stand in reverse order."""
    write = _assembly.ResponseSheet.write

    def swapping(self, config, split, responses):
        if (config, split) in which:
            responses.arrays = {k: v[::-1] for k, v in responses.arrays.items()}
        return write(self, config, split, responses)

    monkeypatch.setattr(_assembly.ResponseSheet, "write", swapping)


def test_a_wrong_cell_of_a_loser_costs_that_configuration_only(monkeypatch):
    plain = search(scoring="neg_log_loss", ci=None).fit(X, Y)
    loser = int(np.argmin(plain.cv_results_["mean_test_score"]))
    tampered(monkeypatch, {(loser, 2)})
    with pytest.warns(RecordingWarning, match=rf"configuration {loser} \(fold 2\)") as caught:
        found = search(scoring="neg_log_loss", ci=None).fit(X, Y)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert "cannot win" in str(caught[0].message)
    assert np.isnan(found.oof_.responses["predict_proba"][loser]).sum() == 18
    assert found.ci_.method == "bbc" and found.ci_.details["n_valid"] == 5
    assert found.best_score_ == plain.best_score_


def test_a_wrong_cell_of_the_winner_leaves_the_fold_scores(monkeypatch):
    plain = search(ci=None).fit(X, Y)
    tampered(monkeypatch, {(plain.best_index_, 0)})
    with pytest.warns(RecordingWarning, match="best configuration is among them") as caught:
        found = search(ci=None).fit(X, Y)
    assert any("BBC-F's" in str(w.message) for w in caught)
    assert not found.oof_.responses
    assert found.ci_.method == "bbcf"
    assert found.ci_.estimate == plain.interval("bbcf").estimate
    with pytest.raises(AttributeError, match="not those that were scored"):
        found.bbc_score_  # noqa: B018


def test_a_wavering_scorer_is_named():
    random = np.random.RandomState(0)

    def wavering(estimator, X, y):
        return roc_auc_score(y, estimator.predict_proba(X)[:, 1]) + random.normal()

    with pytest.warns(RecordingWarning, match="wavering gives another number each time"):
        search(scoring=wavering, ci=[]).fit(X, Y)


def test_an_own_score_that_is_accuracy_for_most_models_is_told():
    """Believed to be accuracy it would give wrong intervals; silence would hide a fault."""

    class Mostly(type(TREE)):
        def score(self, X, y):
            return super().score(X, y) - 0.1 * (self.max_depth == 2)

    model = Mostly(random_state=0)
    with pytest.warns(RecordingWarning, match="accuracy for most configurations"):
        found = search(model, GRID, scoring=None, ci=None).fit(X, Y)
    assert found.ci_.method == "bbcf" and found.ci_.metric == "score"


@pytest.mark.parametrize(
    "scoring", ["roc_auc", "accuracy", own_auc], ids=["auc", "accuracy", "own"]
)
def test_models_that_were_not_heard_are_named_when_others_were(monkeypatch, scoring):
    plain = search(scoring=scoring, ci=[]).fit(X, Y)
    order = np.argsort(-plain.cv_results_["mean_test_score"], kind="stable").tolist()
    write = _assembly.ResponseSheet.write

    def without(lost):
        def deaf(self, config, split, responses):
            if (config, split) != lost:
                write(self, config, split, responses)

        monkeypatch.setattr(_assembly.ResponseSheet, "write", deaf)

    without((order[-1], 3))
    with pytest.warns(RecordingWarning, match=f"that were scored: {order[-1]}. These") as caught:
        found = search(scoring=scoring).fit(X, Y)
    assert [w.category for w in caught].count(RecordingWarning) == 1
    assert found.ci_.method == "bbc" and found.ci_.details["n_valid"] == 5
    without((plain.best_index_, 0))
    with pytest.warns(RecordingWarning, match="the best configuration is among them"):
        found = search(scoring=scoring, ci=None).fit(X, Y)
    assert not found.oof_.responses and found.ci_.method == "bbcf"


def test_when_nothing_is_complete_the_fold_scores_are_left(monkeypatch):
    write = _assembly.ResponseSheet.write

    def deaf(self, config, split, responses):
        if split != config % 5:
            write(self, config, split, responses)

    monkeypatch.setattr(_assembly.ResponseSheet, "write", deaf)
    with pytest.warns(RecordingWarning, match="0, 1, 2, 3, 4, 5. Since the best") as caught:
        found = search(ci=None).fit(X, Y)
    assert [w.category for w in caught].count(RecordingWarning) == 1
    assert found.ci_.method == "bbcf"
