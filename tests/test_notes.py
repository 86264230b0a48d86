"""Notes are texts that keep the kind by which code finds them."""

import copy
import json
import pickle

import numpy as np
import pytest
from sklearn.model_selection import TimeSeriesSplit

from sklearn_bbc import BBC, OOFPredictions, compare
from sklearn_bbc._notes import Note, has_kind, kind_of, warned, with_notes, without_kind
from sklearn_bbc.comparison import BBCDifference, Side
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.testing import example_predictions

NOTE = Note("All draws are alike.", "alike")


@pytest.mark.parametrize(
    "copied",
    [
        copy.copy,
        copy.deepcopy,
        *(
            lambda note, protocol=protocol: pickle.loads(pickle.dumps(note, protocol))
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
        ),
    ],
)
def test_copies_keep_text_and_kind(copied):
    note = copied(NOTE)
    assert type(note) is Note and note == str(NOTE) and note.kind == "alike"


def test_a_note_is_its_text():
    assert repr(NOTE) == repr(str(NOTE)) and json.dumps([NOTE]) == json.dumps([str(NOTE)])
    assert NOTE == "All draws are alike." and hash(NOTE) == hash("All draws are alike.")


def test_notes_are_found_by_kind_and_not_by_words():
    notes = ["All draws are alike.", Note("Alle Ziehungen sind gleich.", "alike")]
    assert has_kind(notes, "alike") and not has_kind(notes[:1], "alike")
    assert without_kind(notes, "alike") == notes[:1]


def test_a_result_has_each_note_once():
    result = BBC(n_bootstraps=50, random_state=0).estimate(example_predictions(), "roc_auc")
    more = with_notes(result, [NOTE, NOTE], seen=1)
    assert more.details["notes"] == [*result.details["notes"], NOTE] and more.details["seen"] == 1
    assert with_notes(more, [NOTE]) is more
    assert kind_of(pickle.loads(pickle.dumps(more)).details["notes"][-1]) == "alike"


def test_the_user_is_warned_of_a_note_by_name():
    with pytest.warns(IntervalWarning, match=r"^BBC: All draws are alike\.$"):
        assert warned(NOTE, "BBC") is NOTE


def in_time():
    y, rng = np.tile([0, 1], 30), np.random.default_rng(0)
    folds = list(TimeSeriesSplit(4).split(y))
    return OOFPredictions(y_true=y, y_pred=rng.normal(size=(60, 2)), fold=folds)


def saved(oof, folder):
    oof.save(folder / "oof")
    return OOFPredictions.load(folder / "oof")


@pytest.mark.parametrize(
    "way",
    [
        lambda oof, folder: oof,
        saved,
        lambda oof, folder: pickle.loads(pickle.dumps(oof)),
        lambda oof, folder: OOFPredictions.concat([oof, oof]),
        lambda oof, folder: oof.with_blocks(3).with_blocks(None),
    ],
    ids=["as made", "saved", "pickled", "joined", "blocks and back"],
)
def test_blocks_take_the_note_on_independent_samples_away_wherever_it_comes_from(way, tmp_path):
    oof = way(in_time(), tmp_path)
    before = oof.with_blocks(None).notes
    assert any("takes samples as independent" in note for note in before)
    after = oof.with_blocks(3).notes
    assert list(after) == [note for note in before if "as independent" not in note]


def test_a_file_of_a_release_without_kinds_is_read(tmp_path, monkeypatch):
    oof = in_time()
    dumps = json.dumps
    monkeypatch.setattr(
        "sklearn_bbc.predictions._files.json.dumps",
        lambda header: dumps({k: v for k, v in header.items() if k != "kinds"}),
    )
    assert saved(oof, tmp_path).notes == oof.notes


def test_of_fixed_systems_nothing_is_assumed_of_training():
    y = np.tile([0, 1], 20)
    scores = np.random.default_rng(0).normal(size=(40, 2)) + y[:, None]
    trained = compare(scores[:, 0], scores[:, 1], "roc_auc", y_true=y, method="bbc_difference")
    assert kind_of(trained.assumptions[-1]) and "trained" in trained.assumptions[-1]
    fixed = OOFPredictions.from_scores(scores)
    result = BBCDifference(n_bootstraps=50, random_state=0).compare(
        Side(oof=fixed, config=0), Side(oof=fixed, config=1)
    )
    assert not any("trained" in text for text in result.assumptions)
    assert any("test on all items" in note for note in result.details["notes"])
