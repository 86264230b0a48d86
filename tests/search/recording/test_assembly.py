import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from sklearn_bbc.exceptions import RecordingWarning
from sklearn_bbc.search._assembly import assemble
from sklearn_bbc.search._recording import Recording, Round
from sklearn_bbc.search._responses import FoldResponses

SPLITS = [(np.array([2, 3]), np.array([0, 1])), (np.array([0, 1]), np.array([3, 2]))]
Y = np.array(["no", "yes", "no", "yes"])
CLASSES = np.array(["no", "yes"])


def results(n_configs, n_splits=2, **scores):
    columns = scores or {"score": np.full((n_splits, n_configs), 0.5)}
    return {
        "params": [{"a": i} for i in range(n_configs)],
        **{f"mean_test_{name}": np.mean(values, axis=0) for name, values in columns.items()},
        **{
            f"split{k}_test_{name}": np.asarray(values)[k]
            for name, values in columns.items()
            for k in range(n_splits)
        },
    }


def cell(codes, classes=CLASSES):
    return FoldResponses({"predict": np.array(codes, dtype=np.uint8)}, classes, coded=True)


def recording(cells, rounds=None, failed=None):
    rounds = rounds or [Round(len(cells) // 2, SPLITS)]
    return Recording(rounds=rounds, cells=cells, fit_failed=failed or [False] * len(cells))


def put_together(recorded, y=Y, selected=0, classifier=True, n_splits=2):
    n_configs = sum(each.n_configs for each in recorded.rounds)
    X, scores = np.zeros((len(Y), 1)), results(n_configs, n_splits)
    return assemble(recorded, X, y, scores, selected=selected, classifier=classifier)


def test_cells_go_to_their_rows():
    oof = put_together(recording([cell([0, 1]), cell([1, 0]), cell([1, 1]), cell([0, 0])]))
    assert oof.sample.tolist() == [0, 1, 2, 3]
    assert oof.fold.tolist() == [0, 0, 1, 1]
    # The second test fold is in the order 3, 2.
    assert oof.responses["predict"].tolist() == [[0, 1, 0, 1], [1, 1, 0, 0]]
    assert oof.train_size.tolist() == [2, 2]
    assert oof.params == ({"a": 0}, {"a": 1})


def test_predictions_are_in_memory_once():
    """Written where they stay, whatever the order of the splits."""
    n_samples, n_configs = 20_000, 40
    everything = np.random.default_rng(0).permutation(n_samples)
    splits = [(everything[:0], test) for test in np.split(everything, 2)]
    cells = [FoldResponses({"predict": test * 1.0}) for _, test in splits] * n_configs
    recorded = recording(cells, [Round(n_configs, splits)])
    y = np.arange(n_samples) * 1.0
    tracemalloc.start()
    try:
        oof = assemble(recorded, y, y, results(n_configs), selected=0, classifier=False)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (oof.responses["predict"] == y).all()
    assert peak < 1.5 * oof.responses["predict"].nbytes


def test_what_cannot_be_aligned_is_told_once_and_left_out():
    decisions = {"decision_function": np.array([0.5, -0.5])}
    cells = [
        FoldResponses(decisions, CLASSES),
        FoldResponses(decisions, CLASSES[:1]),
        FoldResponses(decisions, CLASSES),
        FoldResponses({}, problem="TypeError: strange"),
    ]
    recorded = recording(cells)
    with pytest.warns(RecordingWarning) as caught:
        oof = put_together(recorded)
    assert len(caught) == 1 and recorded.problems
    message = str(caught[0].message)
    assert "did not see every class" in message and "TypeError: strange (1 models)" in message
    np.testing.assert_array_equal(
        np.isnan(oof.responses["decision_function"]), [[False, False, True, True]] * 2
    )


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        (np.zeros(3), "3 rows for 2 samples"),
        (np.zeros((2, 4)), "shape"),
    ],
)
def test_answers_of_another_shape_are_left_out(second, reason):
    cells = [FoldResponses({"predict": np.zeros(2)}), FoldResponses({"predict": second})]
    with pytest.warns(RecordingWarning, match=reason):
        oof = put_together(recording(cells), y=np.arange(4.0), classifier=False)
    assert np.isnan(oof.responses["predict"][0, 2:]).all()


@pytest.mark.parametrize(("selected", "failed"), [(0, [False, True]), (1, [True, False])])
@pytest.mark.parametrize("others", [SPLITS[::-1], [SPLITS[0], SPLITS[1][::-1]]])
def test_of_rounds_on_other_splits_the_winners_is_kept(selected, failed, others):
    cells = [cell([0, 1]), cell([1, 0]), cell([1, 1]), cell([0, 0])]
    oof = put_together(recording(cells, [Round(1, SPLITS), Round(1, others)]), selected=selected)
    assert oof.failed.tolist() == failed
    assert np.isnan(oof.fold_scores["score"]).all(axis=0).tolist() == failed


def test_without_a_target_only_scores_are_kept():
    oof = put_together(recording([cell([0, 1]), cell([1, 0])]), y=None)
    assert not oof.responses and oof.n_samples == 0
    assert oof.fold_scores["score"].tolist() == [[0.5], [0.5]]


def test_a_sparse_target_becomes_dense():
    target = sparse.csr_matrix(np.eye(4)[:, :2])
    cells = [FoldResponses({"predict": np.zeros((2, 2))})] * 2
    oof = put_together(recording(cells), y=target)
    np.testing.assert_array_equal(oof.y_true, target.toarray())
    assert oof.classes_ is None


def test_it_is_known_who_was_heard_in_every_fold():
    decisions = FoldResponses({"decision_function": np.array([0.5, 1.5])}, CLASSES)
    recorded = recording([cell([0, 1]), None, cell([0, 1]), cell([0, 1]), decisions, decisions])
    oof = put_together(recorded)
    assert {name: each.tolist() for name, each in recorded.recorded.items()} == {
        "predict": [False, True, False],
        "decision_function": [False, False, True],
    }
    assert not recorded.problems
    assert oof.responses["predict"].tolist() == [[0, 1, -1, -1], [0, 1, 1, 0], [-1] * 4]
    np.testing.assert_array_equal(
        oof.responses["decision_function"], [[np.nan] * 4] * 2 + [[0.5, 1.5, 1.5, 0.5]]
    )


def test_repeats_are_found_in_the_splits():
    cells = [cell([0, 1])] * 4
    oof = put_together(recording(cells, [Round(1, SPLITS * 2)]), n_splits=4)
    assert oof.repeat.tolist() == [0] * 4 + [1] * 4
    assert oof.fold.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert oof.sample.tolist() == [0, 1, 2, 3] * 2


def test_what_cannot_be_kept_of_one_method_costs_no_other():
    both = {"decision_function": np.array([0.5, -0.5]), "predict": np.array([0, 0], np.uint8)}
    cells = [FoldResponses(dict(both), CLASSES[:1], coded=True) for _ in range(4)]
    with pytest.warns(RecordingWarning, match=r"every class .* \(4 models\)"):
        oof = put_together(recording(cells))
    assert set(oof.responses) == {"predict"}
    assert oof.responses["predict"].tolist() == [[0] * 4] * 2
