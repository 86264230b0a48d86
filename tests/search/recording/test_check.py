"""What was recorded must give the scores of the search again; where not, it is told."""

import itertools

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, roc_auc_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import RecordingWarning
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.predictions._matrix_file import MatrixFile, is_in_file
from sklearn_bbc.search import _assembly
from sklearn_bbc.search._metrics import describe_cells
from sklearn_bbc.search._verify import (
    RecordCheck,
    check_record,
    not_the_same,
    without_cells,
)
from tests.search.recording.checked import (
    FOLD,
    RNG,
    SCORES,
    TARGET,
    C,
    K,
    N,
    best_threshold,
    changed,
    check,
    record,
    replayed_record,
    with_labels_of_another_model,
)
from tests.search.small_search import GRID, TREE, X, Y, search


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
    metric, oof, wrong = with_labels_of_another_model()
    found = check(metric, oof._with_fields(responses={"predict": wrong}))
    assert np.argwhere(found.cells).tolist() == [[1, 2]]


def test_cells_beyond_the_first_block_are_found(monkeypatch):
    monkeypatch.setattr("sklearn_bbc.search._verify.BLOCK_VALUES", N)
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
    monkeypatch.setattr("sklearn_bbc.search._verify.BLOCK_VALUES", N)
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
    ours = [each for each in caught if issubclass(each.category, RecordingWarning)]
    assert len(ours) == 1 and ours[0].filename == __file__
    assert "cannot win" in str(ours[0].message)
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
