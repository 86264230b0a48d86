"""What was recorded must give the scores of the search again; where not, it is left out."""

import itertools
import warnings

import numpy as np
import pytest
from sklearn.metrics import accuracy_score

from sklearn_bbc.exceptions import RecordingWarning
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.metrics._consumed import Unbound
from sklearn_bbc.predictions._files import MatrixFile, is_in_file
from sklearn_bbc.predictions._predictions import with_fields
from sklearn_bbc.recording import _assembly
from sklearn_bbc.recording._assembly import not_the_same, verified
from tests.made import made
from tests.search.small_search import X, Y, search

N, C, K = 60, 6, 5
RNG = np.random.default_rng(0)
FOLD = np.arange(N) % K
TARGET = RNG.integers(0, 2, N)
SCORES = RNG.normal(size=(C, N)) + TARGET
LABELS = (SCORES > 0.5).astype(np.int8)


def predictions(values, method="decision_function", target=TARGET, **fields):
    return made(y_true=target, responses={method: values}, fold=FOLD, **fields)


def by_fold(score, values=SCORES, target=TARGET):
    """Scores (n_splits, n_configs) by a function of target and predictions."""
    return np.array([
        [score(target[FOLD == k], each[FOLD == k]) for each in values] for k in range(K)
    ])  # fmt: skip


def found(oof, scoring, scores, best=None, error_score=np.nan, **recorded):
    """Cells (split, configuration) that are left out, and what is said."""
    metric = as_metric(scoring)
    view = with_fields(oof, fold_scores={metric.name: scores})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        left = verified(
            view, {metric.name: (metric, view)}, {metric.name: best}, error_score, **recorded
        )  # fmt: skip
    cells = set()
    for name, array in oof.responses.items():
        after = left.responses[name].astype(float)
        gone = (np.isnan(after) if name != "predict" else after < 0) & (array >= 0) | (
            np.isnan(after) & ~np.isnan(array.astype(float))
        )
        cells |= {(int(FOLD[row]), int(config)) for config, row in np.argwhere(gone)}
    return sorted(cells), [str(each.message) for each in caught]


def swapped(values, *cells):
    """Predictions of some cells (split, configuration) are those of the next configuration."""
    wrong = values.copy()
    for split, config in cells:
        wrong[config, FOLD == split] = values[(config + 1) % C, FOLD == split]
    return wrong


@pytest.mark.parametrize(
    ("scoring", "method", "values"),
    [
        ("roc_auc", "decision_function", SCORES),
        ("neg_log_loss", "predict_proba", 1 / (1 + np.exp(-SCORES))),
        ("accuracy", "predict", LABELS),
    ],
)
def test_wrong_cells_are_found_and_no_others(scoring, method, values, monkeypatch):
    monkeypatch.setattr("sklearn_bbc.recording._assembly.BLOCK_VALUES", N)
    true = predictions(values, method)
    scores = as_metric(scoring).bind(true).fold_scores()
    assert found(true, scoring, scores) == ([], [])
    cells = [(0, 0), (2, 3), (4, 5)]
    wrong = predictions(swapped(values, *cells), method)
    there, (said,) = found(wrong, scoring, scores)
    assert there == cells
    assert "configuration 0 (fold 0), configuration 3 (fold 2), configuration 5 (fold 4)" in said
    # What is undefined, failed, or stands for an error is not compared.
    undefined = scores.copy()
    undefined[0, 0], undefined[2, 3] = np.nan, -7.0
    wrong = with_fields(wrong, failed=np.arange(C) == 5)
    assert found(wrong, scoring, undefined, error_score=-7.0) == ([], [])
    # The winner's are worth more than the others'.
    wrong = with_fields(predictions(swapped(values, (1, 2)), method))
    with pytest.warns(RecordingWarning, match="the best configuration is among them"):
        metric = as_metric(scoring)
        view = with_fields(wrong, fold_scores={metric.name: scores})
        views = {metric.name: (metric, view)}
        left = verified(view, views, {metric.name: 2}, np.nan)
    assert not left.responses and left.n_rows == 0


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("scale", [1e-6, 1e9])
@pytest.mark.parametrize("scoring", ["r2", "neg_median_absolute_error"])
def test_rounding_is_not_an_error_at_any_scale(dtype, scale, scoring):
    """scikit-learn's own number, in the precision in which it computes it."""
    target = RNG.normal(size=N) * scale + 3 * scale
    values = (target + RNG.normal(size=(C, N)) * scale).astype(dtype)
    metric = as_metric(scoring)
    scores = by_fold(lambda y, pred: metric.sign * metric.score_func(y, pred), values, target)
    assert found(predictions(values, "predict", target), scoring, scores)[0] == []
    wrong = predictions(swapped(values, (2, 4)), "predict", target)
    view = with_fields(wrong, fold_scores={metric.name: scores})
    with pytest.warns(RecordingWarning, match=r"configuration 4 \(fold 2\)"):
        verified(view, {metric.name: (metric, view)}, {metric.name: 0}, np.nan)


def test_the_tolerance_is_relative_to_the_scores():
    oof = predictions(SCORES)
    scores = np.full((K, C), -1e-12)
    again = scores.copy()
    again[0, 0] *= 3
    assert not not_the_same(scores, scores * (1 + 1e-9), oof).any()
    assert not_the_same(scores * 1e6, again * 1e6, oof).sum() == 1
    assert not_the_same(np.ones((1, 2)), np.array([[1.0, 1 + 2e-6]]), oof).tolist() == [[0, 1]]
    assert not not_the_same(np.full((K, C), np.nan), again, oof).any()
    assert not not_the_same(np.full((K, C), np.inf), again, oof).any()


def best_threshold(estimator, X, y, sample_weight=None):
    """Nothing that a kernel knows."""
    scores = estimator.decision_function(X)
    return max(accuracy_score(y, scores > t, sample_weight=sample_weight) for t in (-0.5, 0, 0.5))


BEST = by_fold(lambda y, scores: max(accuracy_score(y, scores > t) for t in (-0.5, 0, 0.5)))


def reverse(values, split, config):
    wrong = values.copy()
    wrong[config, FOLD == split] = -5 * wrong[config, FOLD == split][::-1]
    return wrong


def test_a_metric_that_is_called_is_checked_for_a_tenth_and_the_winner():
    calls = []

    def counting(estimator, X, y):
        calls.append(1)
        return best_threshold(estimator, X, y)

    many = np.tile(SCORES, (10, 1))
    cells, said = found(predictions(many), counting, np.tile(BEST, 10), best=33)
    assert (cells, said, len(calls)) == ([], [], C * K)
    metric = as_metric(best_threshold)
    view = with_fields(predictions(reverse(SCORES, 1, 4)), fold_scores={metric.name: BEST})
    with pytest.warns(RecordingWarning, match=r"configuration 4 \(fold 1\)"):
        verified(view, {metric.name: (metric, view)}, {metric.name: 4}, np.nan)
    # With its weights, as in the search.
    weights = RNG.uniform(0.1, 3, N)
    scores = by_fold(
        lambda rows, each: max(
            accuracy_score(TARGET[rows], each > t, sample_weight=weights[rows])
            for t in (-0.5, 0, 0.5)
        ),
        target=np.arange(N),
    )
    weighted = predictions(SCORES, sample_weight=weights)
    assert found(weighted, best_threshold, scores) == ([], [])
    assert found(predictions(SCORES), best_threshold, scores)[1]


@pytest.mark.parametrize("numbers", [itertools.count(7), itertools.cycle([99.0, np.nan])])
def test_a_metric_that_gives_another_number_each_time_is_named(numbers):
    def wavering(estimator, X, y):
        return next(numbers)

    cells, (said,) = found(predictions(SCORES), wavering, BEST)
    assert cells == [] and said.startswith("wavering gives another number each time")


def test_a_metric_that_needs_more_than_predictions_is_not_checked():
    def looking(estimator, X, y):
        return float(X[:, 0].sum() + estimator.coef_.sum())

    assert found(predictions(SCORES), looking, BEST) == ([], [])


def test_configurations_that_were_scored_but_not_recorded_are_listed():
    oof = predictions(np.tile(SCORES, (3, 1)))
    scores = as_metric("roc_auc").bind(oof).fold_scores().copy()
    scores[0, 1] = np.nan
    complete = {"decision_function": np.arange(3 * C) > 14, "predict": np.ones(3 * C, bool)}
    _, (said,) = found(oof, "roc_auc", scores, complete=complete)
    assert "that were scored: 0, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 4 more. These config" in said
    assert found(oof, "roc_auc", scores, complete=complete, warned=True)[1] == []


def test_predictions_in_a_file_are_left_out_in_another_file(tmp_path):
    """There may be more of them than memory."""
    wrong = swapped(SCORES, (1, 2))
    file = MatrixFile(tmp_path, SCORES.shape, SCORES.dtype, 0)
    for config, scores in enumerate(wrong):
        file.row(config)[...] = scores
    metric, on_disk = as_metric("roc_auc"), file.finish()
    scores = metric.bind(predictions(SCORES)).fold_scores()
    oof = with_fields(
        predictions(SCORES),
        responses={"decision_function": on_disk, "predict": LABELS},
        fold_scores={"roc_auc": scores},
    )
    with pytest.warns(RecordingWarning, match="cannot win"):
        left = verified(oof, {"roc_auc": Unbound(metric, oof)}, {"roc_auc": 0}, np.nan)
    found = left.responses["decision_function"]
    assert is_in_file(found) and not np.shares_memory(found, on_disk)
    assert np.argwhere(np.isnan(found)).tolist() == [[2, row] for row in np.flatnonzero(FOLD == 1)]
    np.testing.assert_array_equal(on_disk, wrong)
    assert left.responses["predict"] is LABELS  # not what the metric was computed from


# ---------------------------------------------------------------------- in a search
def change(monkeypatch, which, how):
    write = _assembly.ResponseSheet.write

    def changing(self, config, split, responses):
        if which(config, split):
            responses = how(responses)
        if responses is not None:
            write(self, config, split, responses)

    monkeypatch.setattr(_assembly.ResponseSheet, "write", changing)


def backwards(responses):
    responses.arrays = {name: array[::-1] for name, array in responses.arrays.items()}
    return responses


@pytest.fixture(scope="module")
def plain():
    """A search whose predictions are those that were scored."""
    return search(scoring="neg_log_loss", ci=None).fit(X, Y)


@pytest.mark.parametrize("how", [backwards, lambda responses: None], ids=["wrong", "missing"])
def test_a_loser_costs_itself_and_the_winner_all(monkeypatch, how, plain):
    best, *_, worst = np.argsort(-plain.cv_results_["mean_test_score"], kind="stable").tolist()
    with monkeypatch.context() as patch:
        change(patch, lambda config, split: (config, split) == (worst, 2), how)
        with pytest.warns(RecordingWarning, match="cannot win") as caught:
            found = search(scoring="neg_log_loss", ci=None).fit(X, Y)
    ours = [each for each in caught if each.category is RecordingWarning]
    assert len(ours) == 1 and ours[0].filename == __file__
    assert str(worst) in str(ours[0].message)
    assert np.isnan(found.oof_.responses["predict_proba"][worst]).sum() == 18
    assert found.ci_.method == "bbc" and found.ci_.details["n_valid"] == 3
    assert found.best_score_ == plain.best_score_
    change(monkeypatch, lambda config, split: (config, split) == (best, 0), how)
    with pytest.warns(RecordingWarning, match="best configuration is among them"):
        found = search(scoring="neg_log_loss", ci=None).fit(X, Y)
    assert not found.oof_.responses and found.ci_.method == "bbcf"
    with pytest.raises(AttributeError, match="are not those that were scored"):
        found.bbc_score_  # noqa: B018


def test_when_nothing_is_complete_the_fold_scores_are_left(monkeypatch):
    change(monkeypatch, lambda config, split: split == config % 5, lambda responses: None)
    with pytest.warns(RecordingWarning, match="0, 1, 2, 3. Since the best"):
        assert search(ci=None).fit(X, Y).ci_.method == "bbcf"


def test_an_own_score_that_is_accuracy_for_most_models_is_named(monkeypatch):
    change(monkeypatch, lambda config, split: (config, split) == (3, 1), backwards)
    with pytest.warns(RecordingWarning, match=r"accuracy for most .* configuration 3 \(fold 1\)"):
        found = search(scoring=None, ci=None).fit(X, Y)
    assert found.ci_.method == "bbcf"
