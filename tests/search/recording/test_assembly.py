"""The arrays of all configurations, in memory or in a file, and what goes along."""

import errno
import warnings

import numpy as np
import pytest

from sklearn_bbc.exceptions import RecordingWarning
from sklearn_bbc.predictions._files import MatrixFile, is_in_file
from sklearn_bbc.recording import _assembly as _sheet
from sklearn_bbc.recording._assembly import ResponseSheet, assemble
from sklearn_bbc.recording._capture import FoldResponses
from sklearn_bbc.recording._recording import Record, Round

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
    return Record(rounds=rounds, cells=cells, fit_failed=failed or [False] * len(cells))


def put_together(recorded, y=Y, selected=0, classifier=True, n_splits=2):
    n_configs = sum(each.n_configs for each in recorded.rounds)
    X, scores = np.zeros((len(Y), 1)), results(n_configs, n_splits)
    return assemble(recorded, X, y, scores, selected=selected, classifier=classifier)


def test_cells_go_to_their_rows():
    oof = put_together(recording([cell([0, 1]), cell([1, 0]), cell([1, 1]), cell([0, 0])])).oof
    assert oof.sample.tolist() == [0, 1, 2, 3]
    assert oof.fold.tolist() == [0, 0, 1, 1]
    # The second test fold is in the order 3, 2.
    assert oof.responses["predict"].tolist() == [[0, 1, 0, 1], [1, 1, 0, 0]]
    assert oof.train_size.tolist() == [2, 2]
    assert oof.params == ({"a": 0}, {"a": 1})


def test_what_cannot_be_aligned_is_reported_once_and_left_out():
    decisions = {"decision_function": np.array([0.5, -0.5])}
    cells = [
        FoldResponses(decisions, CLASSES),
        FoldResponses(decisions, CLASSES[:1]),
        FoldResponses(decisions, CLASSES),
        FoldResponses({}, problem="TypeError: strange"),
    ]
    with pytest.warns(RecordingWarning) as caught:
        kept = put_together(recording(cells))
    assert len(caught) == 1 and kept.warned
    message = str(caught[0].message)
    assert "did not see every class" in message and "TypeError: strange (1 model)" in message
    np.testing.assert_array_equal(
        np.isnan(kept.oof.responses["decision_function"]), [[False, False, True, True]] * 2
    )


@pytest.mark.parametrize(("selected", "failed"), [(0, [False, True]), (1, [True, False])])
@pytest.mark.parametrize("others", [SPLITS[::-1], [SPLITS[0], SPLITS[1][::-1]]])
def test_of_rounds_on_other_splits_the_winners_is_kept(selected, failed, others):
    cells = [cell([0, 1]), cell([1, 0]), cell([1, 1]), cell([0, 0])]
    rounds = [Round(1, SPLITS), Round(1, others)]
    oof = put_together(recording(cells, rounds), selected=selected).oof
    assert oof.failed.tolist() == failed
    assert np.isnan(oof.fold_scores["score"]).all(axis=0).tolist() == failed


def test_without_a_target_only_scores_are_kept():
    oof = put_together(recording([cell([0, 1]), cell([1, 0])]), y=None).oof
    assert not oof.responses and oof.n_samples == 0
    assert oof.fold_scores["score"].tolist() == [[0.5], [0.5]]


def test_it_is_known_who_was_heard_in_every_fold():
    decisions = FoldResponses({"decision_function": np.array([0.5, 1.5])}, CLASSES)
    recorded = recording([cell([0, 1]), None, cell([0, 1]), cell([0, 1]), decisions, decisions])
    kept = put_together(recorded)
    assert {name: each.tolist() for name, each in kept.complete.items()} == {
        "predict": [False, True, False],
        "decision_function": [False, False, True],
    }
    assert not kept.warned
    assert kept.oof.responses["predict"].tolist() == [[0, 1, -1, -1], [0, 1, 1, 0], [-1] * 4]
    np.testing.assert_array_equal(
        kept.oof.responses["decision_function"], [[np.nan] * 4] * 2 + [[0.5, 1.5, 1.5, 0.5]]
    )


def test_training_samples_are_listed_where_a_split_leaves_some_unused():
    splits = [(np.array([-2, -1]), np.arange(4) < 2), (np.array([0]), np.array([3, 2]))]
    kept = put_together(recording([cell([0, 1]), cell([1, 0])], [Round(1, splits)]))
    all_others, few = kept.trains
    assert all_others is None and few.tolist() == [0]
    assert kept.held_out.tolist() == [True] * 4
    fewer = [(np.array([1, 2, 3]), np.array([0])), (np.array([0, 1]), np.array([], dtype=int))]
    cells = [cell([0]), cell([])]
    kept = put_together(recording(cells, [Round(1, fewer)]))
    assert kept.trains == [None] and kept.held_out.tolist() == [True, False, False, False]


def test_what_cannot_be_kept_of_one_method_costs_no_other():
    both = {"decision_function": np.array([0.5, -0.5]), "predict": np.array([0, 0], np.uint8)}
    cells = [FoldResponses(dict(both), CLASSES[:1], coded=True) for _ in range(4)]
    with pytest.warns(RecordingWarning, match=r"every class .* \(4 models\)"):
        oof = put_together(recording(cells)).oof
    assert set(oof.responses) == {"predict"}
    assert oof.responses["predict"].tolist() == [[0] * 4] * 2


PLACES = [np.array([0, 3]), np.array([2, 1])]
SIZE = _sheet.IN_FILE_BYTES


def test_problems_are_counted_and_reported_in_one_warning():
    sheet = ResponseSheet(2, PLACES, None)
    sheet.write(0, 0, FoldResponses({}, problem="no memory"))
    sheet.write(0, 1, FoldResponses({"predict": np.array(["a", "b"])}, problem="no memory"))
    wide, long = np.zeros((2, 3)), np.zeros(3)
    sheet.write(1, 0, FoldResponses({"predict": np.zeros(2), "predict_proba": wide}))
    both = {"predict_proba": np.zeros((2, 2)), "predict": np.ones(2), "decision_function": long}
    sheet.write(1, 1, FoldResponses(both))
    assert dict(sheet.problems) == {
        "no memory": 2,
        "predict returned values of type <U1": 1,
        "predict_proba returned shape (2, 2) where other models returned ('n', 3)": 1,
        "decision_function returned 3 rows for 2 samples": 1,
    }
    with pytest.warns(RecordingWarning) as noted:
        sheet.warn_about_problems()
    assert len(noted) == 1
    assert "no memory (2 models); predict returned" in str(noted[0].message)
    sheet.mark_missing()
    assert list(sheet.arrays) == ["predict", "predict_proba"]
    np.testing.assert_array_equal(sheet.arrays["predict"], [[np.nan] * 4, [0, 1, 1, 0]])
    expected = np.full((2, 4, 3), np.nan)
    expected[1, [0, 3]] = 0
    np.testing.assert_array_equal(sheet.arrays["predict_proba"], expected)
    assert sheet.written["predict"].tolist() == [[False, False], [True, True]]
    assert sheet.written["predict_proba"].tolist() == [[False, False], [True, False]]
    assert sheet.written["predict"].dtype == bool


# ---------------------------------------------------------------------- small types
@pytest.mark.parametrize(
    ("n_classes", "dtype"),
    [(2, np.int8), (128, np.int8), (129, np.int16), (2**15, np.int16), (2**15 + 1, np.int32)],
)
def test_labels_take_as_few_bytes_as_their_classes_allow(n_classes, dtype):
    classes = np.arange(n_classes)
    sheet = ResponseSheet(1, [np.arange(2), np.arange(2, 4)], classes)
    sheet.write(0, 0, FoldResponses({"predict": np.array([0, n_classes - 1])}))
    sheet.mark_missing()
    assert sheet.arrays["predict"].dtype == dtype
    assert sheet.arrays["predict"].tolist() == [[0, n_classes - 1, -1, -1]]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["f4", "f4"], "f4"), (["f8", "f8"], "f8"), (["f2", "f2"], "f4"), (["i4", "i4"], "f8"),
        (["f4", "f8"], "f8"), (["f8", "f4"], "f8"), (["?", "f4"], "f8"), (["f4", "i8"], "f8"),
    ],
)  # fmt: skip
def test_scores_keep_their_precision_and_mixed_ones_take_the_larger(given, kept):
    sheet = ResponseSheet(1, [np.arange(2), np.arange(2, 4)], None)
    values = np.array([1, 0])
    for split, dtype in enumerate(given):
        sheet.write(0, split, FoldResponses({"predict": values.astype(dtype)}))
    sheet.mark_missing()
    assert sheet.arrays["predict"].dtype == np.dtype(kept)
    assert sheet.arrays["predict"].tolist() == [[1, 0, 1, 0]]


# ---------------------------------------------------------------------- files
@pytest.fixture(autouse=True)
def _no_size_is_too_small(monkeypatch):
    monkeypatch.setattr(_sheet, "IN_FILE_BYTES", 0)


def cells(seed=0, dtypes=("f8",) * 6):
    """Answers of three configurations on two splits; one is missing."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(6, 2))
    of_cells = [FoldResponses({"predict": v.astype(d)}) for v, d in zip(values, dtypes)]
    of_cells[3] = FoldResponses({"decision_function": values[3]})
    return of_cells


def filled(folder, of_cells):
    sheet = ResponseSheet(3, PLACES, None, folder)
    for cell, responses in enumerate(of_cells):
        sheet.write(*divmod(cell, 2), responses)
    sheet.mark_missing()
    return sheet.arrays


def assert_equal(one, other):
    assert list(one) == list(other)
    for name, array in one.items():
        assert (array.dtype, array.shape) == (other[name].dtype, other[name].shape)
        assert array.tobytes() == other[name].tobytes()


@pytest.mark.parametrize(
    "dtypes",
    [("f8",) * 6, ("f4",) * 6, ("f4", "f4", "f8", "f8", "f4", "f8"), ("f4", "f8") * 3],
    ids="-".join,
)
def test_files_hold_what_memory_would(tmp_path, dtypes):
    found = filled(tmp_path, cells(dtypes=dtypes))
    assert all(map(is_in_file, found.values()))
    assert len(list(tmp_path.iterdir())) == len(found) == 2
    assert_equal(found, filled(None, cells(dtypes=dtypes)))
    assert np.isnan(found["predict"][1, PLACES[1]]).all()


def test_a_full_disk_is_reported_and_memory_takes_over(tmp_path, monkeypatch):
    """At every moment: all writes but the first few fail."""
    write, left = MatrixFile._write, [0]

    def full(self, data):
        if left[0] == 0:
            write(self, bytes(data)[:3])  # as much as there was room for
            raise OSError(errno.ENOSPC, "No space left on device")
        left[0] -= 1
        write(self, data)

    monkeypatch.setattr(MatrixFile, "_write", full)
    dtypes = ("f4", "f4", "f4", "f4", "f8", "f4")
    expected = filled(None, cells(dtypes=dtypes))
    n_written = 0
    while True:
        left[0] = n_written
        with warnings.catch_warnings(record=True) as noted:
            warnings.simplefilter("always")
            found = filled(tmp_path, cells(dtypes=dtypes))
        assert_equal(found, expected)
        if not noted:
            break
        assert str(noted[0].message) == (
            f"Predictions are kept in memory, not in a file in {tmp_path}: No space left on "
            "device. Results are the same."
        )
        assert len(list(tmp_path.iterdir())) == sum(map(is_in_file, found.values()))
        n_written += 1
    assert n_written == 3 + 1 + 3 + 3  # headers, the row before the change, two files


def test_a_folder_that_is_gone_is_reported(tmp_path):
    with pytest.warns(RecordingWarning, match=r"gone: No such file or directory\. Results"):
        found = filled(tmp_path / "gone", cells())
    assert_equal(found, filled(None, cells()))


def test_more_than_64_megabytes_are_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr(_sheet, "IN_FILE_BYTES", SIZE)

    def begun(n_configs, dtype, folder=tmp_path):
        sheet = ResponseSheet(n_configs, [np.arange(8)], None, folder)
        array = sheet._begun((8,), np.dtype(dtype))
        if not isinstance(array, MatrixFile):
            return False
        array.discard()
        return True

    assert not begun(2**20, "f8") and begun(2**20 + 1, "f8")
    assert not begun(2**21, "f4") and begun(2**21 + 1, "f4")
    assert not begun(2**20 + 1, "f8", None)


def test_codes_in_files_are_missing_as_in_memory(tmp_path):
    def codes(folder):
        sheet = ResponseSheet(2, PLACES, np.array([0, 1]), folder)
        sheet.write(0, 1, FoldResponses({"predict": np.array([1, 0])}))
        sheet.write(1, 0, FoldResponses({"predict": np.array([0, 1])}))
        sheet.mark_missing()
        return sheet.arrays

    assert codes(None)["predict"].tolist() == [[-1, 0, 1, -1], [0, -1, -1, 1]]
    assert_equal(codes(tmp_path), codes(None))
    assert is_in_file(codes(tmp_path)["predict"])
