"""What is kept, what is left out, and why a metric failed."""

import warnings

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import RecordingWarning
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.search import _assembly
from sklearn_bbc.search._recording import Recording, Round
from sklearn_bbc.search._responses import FoldResponses, Keeper
from sklearn_bbc.search._verify import (
    _without,
    checked_predictions,
    kept_predictions,
    scorer_failures,
)

SPLITS = [(np.array([2, 3]), np.array([0, 1])), (np.array([0, 1]), np.array([2, 3]))]


def kept(cells, y=(0.0, 1.0, 2.0, 3.0), classifier=False, **fields):
    n_configs = len(cells) // 2
    recorded = Recording(
        rounds=[Round(n_configs, SPLITS)], cells=cells, fit_failed=[False] * len(cells), **fields
    )
    results = {"params": [{}] * n_configs, "mean_test_score": np.full(n_configs, 0.5)}
    results |= {f"split{k}_test_score": np.full(n_configs, 0.5) for k in range(2)}
    y = None if y is None else np.array(y)
    given = {"selected": 0, "classifier": classifier}
    return (*kept_predictions(recorded, np.zeros((4, 1)), y, results, **given), recorded)


def cell(*values, **fields):
    return FoldResponses({"predict": np.array(values)}, **fields)


def test_predictions_that_are_there_are_kept():
    oof, _, recorded = kept([cell(0.5, 1.5), cell(2.5, 3.5)])
    assert oof.responses["predict"].tolist() == [[0.5, 1.5, 2.5, 3.5]]
    assert oof.classes_ is None and recorded.cells == [None, None]
    labels, *_ = kept([cell("a", "b"), cell("b", "b")], y=["a", "b", "b", "b"], classifier=True)
    assert labels.classes_.tolist() == ["a", "b"]
    assert labels.responses["predict"].tolist() == [[0, 1, 1, 1]]


@pytest.mark.parametrize("y", [None, (0.0, 1.0, 2.0, 3.0)], ids=["no target", "target"])
@pytest.mark.parametrize(
    ("wanted", "reason"),
    [(True, "the scorer asked the estimators for no prediction"), (False, "record=False keeps")],
)
def test_that_nothing_was_heard_has_its_reason(y, wanted, reason):
    oof, why, _ = kept([None, None], y=y, classifier=True, wanted=wanted)
    assert not oof.responses and why.startswith(reason)
    assert oof.n_samples == (0 if y is None else 4)


@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.RecordingWarning")
def test_a_stopped_keeper_leaves_the_scores_per_fold():
    keeper = Keeper()
    keeper.stopped = True
    oof, why, _ = kept([None, cell(2.5, 3.5)], keeper=keeper)
    assert not oof.responses and oof.n_samples == 4
    assert why == "memory ran out while predictions were recorded"


def test_a_target_that_nobody_understands_costs_the_predictions(monkeypatch):
    def strange(y):
        raise TypeError("what is this")

    monkeypatch.setattr(_assembly, "_target", strange)
    with pytest.warns(RecordingWarning, match=r"\(TypeError: what is this\); only the scores per"):
        oof, why, _ = kept([cell(0.5, 1.5), cell(2.5, 3.5)])
    assert why == "the predictions could not be kept (TypeError: what is this)"
    assert oof.n_samples == 0 and oof.fold_scores["score"].tolist() == [[0.5], [0.5]]
    with pytest.warns(RecordingWarning, match="not enough memory"):
        oof, why, _ = kept([None, cell(2.5, 3.5, out_of_memory=True)])
    assert why == "memory ran out while predictions were recorded" and oof.n_samples == 0


N, C, K = 24, 12, 4
FOLD, TARGET = np.arange(N) % K, np.arange(N) % 3 - 1.0
VALUES = np.random.default_rng(0).normal(size=(C, N))


def finished(wrong=(), unheard=(), problems=False, failed=(), best=0, **fields):
    """A record of which some cells are of other models, compared with its scores."""
    plain = OOFPredictions(y_true=TARGET, responses={"predict": VALUES}, fold=FOLD)
    metric = as_metric("neg_mean_squared_error")
    values = VALUES.copy()
    for config, split in wrong:
        values[config, split == FOLD] += 3
    oof = OOFPredictions(
        y_true=TARGET, responses={"predict": values}, fold=FOLD,
        fold_scores={metric.name: metric.bind(plain).fold_scores()},
        failed=np.isin(np.arange(C), list(failed)),
    )  # fmt: skip
    heard = {"predict": ~np.isin(np.arange(C), list(unheard))}
    recorded = Recording(heard=heard, problems=problems, **fields)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        left = checked_predictions(
            oof, {metric.name: (metric, oof)}, {metric.name: best}, np.nan, recorded
        )
    return oof, left, [str(each.message) for each in caught]


def test_where_everything_agrees_the_record_stays_as_it_is():
    oof, left, told = finished()
    assert left is oof and not told


def test_cells_of_losers_are_treated_as_not_recorded():
    _, left, (told,) = finished(wrong=[(3, 1), (5, 2)])
    assert "configuration 3 (fold 1), configuration 5 (fold 2)" in told
    assert "cannot win in a bootstrap draw" in told and "BBC-F's" not in told
    missing = np.isnan(left.responses["predict"])
    assert np.flatnonzero(missing.any(axis=1)).tolist() == [3, 5]
    np.testing.assert_array_equal(missing[3], FOLD == 1)


@pytest.mark.parametrize("best", [0, None])
def test_a_cell_of_the_winner_costs_the_predictions(best):
    _, left, (told,) = finished(wrong=[(0, 1)], best=best)
    if best is None:  # nobody won
        assert np.isnan(left.responses["predict"]).any(axis=1).tolist() == [True] + [False] * 11
        assert "cannot win" in told
    else:
        assert not left.responses and left.n_rows == 0
        assert "the best configuration is among them" in told and "cannot win" not in told


def test_when_no_configuration_is_left_that_did_not_fail_nothing_is():
    wrong = [(config, 0) for config in range(C - 1)]
    _, left, _ = finished(wrong=wrong, failed=[C - 1], best=None)
    assert not left.responses
    _, left, _ = finished(wrong=wrong, best=None)
    assert set(left.responses) == {"predict"}


def test_configurations_that_were_not_heard_are_listed():
    oof, left, (told,) = finished(unheard=[2, 4])
    assert left is oof
    assert "that were scored: 2, 4. These configurations cannot win" in told
    _, left, (told,) = finished(unheard=range(1, 12))
    assert "1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 1 more. These" in told
    _, _, (told,) = finished(unheard=range(2, 12))
    assert "10, 11. These" in told
    _, left, (told,) = finished(unheard=[0, 4])
    assert not left.responses and "scored: 0, 4. Since the best" in told


def test_unheard_losers_and_wrong_cells_are_both_told():
    _, left, told = finished(unheard=[2], wrong=[(3, 1)])
    assert len(told) == 2 and "2. These" in told[0] and "configuration 3" in told[1]
    assert np.isnan(left.responses["predict"][3]).sum() == N // K


def test_only_the_methods_that_were_wrong_are_lost():
    oof, *_ = finished()
    both = oof._with_fields(responses={**oof.responses, "predict_proba": np.abs(VALUES)})
    left = _without(both, {"predict"})
    assert set(left.responses) == {"predict_proba"} and left.n_rows == N
    nothing = _without(both, {"predict", "predict_proba"})
    assert not nothing.responses and nothing.n_rows == 0 and nothing.n_samples == N


class Searched:
    """A finished search: its scorers, and the winner when it was fitted again."""

    def __init__(self, scorer, error_score=np.nan, refitted=True):
        self.scorer_, self.error_score = scorer, error_score
        if refitted:
            self.best_estimator_ = "the winner"


def failing(estimator, X, y, **params):
    assert (estimator, X, y) == ("the winner", "X", "y")
    raise RuntimeError(f"  given {sorted(params)}\nand more  ")


def failures(scores, search, responses=None, failed=(False, False), y="y", **params):
    fold_scores = {name: np.array(each, dtype=float) for name, each in scores.items()}
    oof = OOFPredictions(y_true=np.arange(4.0), fold_scores=fold_scores, failed=failed)
    if responses:
        oof = oof._with_fields(responses=responses)
    return scorer_failures(search, Recording(score_params=params), oof, "X", y)


NONE = [[np.nan, np.nan], [np.nan, np.nan]]


def test_each_metric_that_failed_everywhere_has_the_scorers_words():
    scorers = {
        "good": failing,
        "bad": failing,
        "fine": lambda *given, **named: 0.5,
        "worse": failing,
    }
    scores = {"good": [[0.5, np.nan]] * 2, "bad": NONE, "fine": NONE, "worse": NONE}
    found = failures(scores, Searched(scorers), a=1, b=2)
    words = "Every score of the search failed, with RuntimeError: given ['a', 'b']"
    assert found == {"bad": words, "worse": words}


@pytest.mark.parametrize(("error_score", "told"), [(-1, True), (-1.0, True), (0, False)])
def test_an_error_score_counts_where_nothing_was_heard(error_score, told):
    scores = {"score": [[-1, np.nan], [-1, -1]]}
    assert bool(failures(scores, Searched(failing, error_score))) == told
    heard = {"predict": np.zeros((2, 4))}
    assert not failures(scores, Searched(failing, error_score), heard)
    assert not failures(scores, Searched(failing, "raise"))


def test_without_a_winner_it_is_told_only_where_nothing_was_heard():
    search = Searched(failing, refitted=False)
    found = failures({"a": NONE, "b": [[1, 1]] * 2, "c": NONE}, search)
    assert list(found) == ["a", "c"] and 'error_score="raise" stops' in found["a"]
    assert not failures({"score": NONE}, search, {"predict": np.zeros((2, 4))})
