"""Predictions on disk: whole or not at all, checked when read, and strangers are named."""

import errno
import os
import pickle

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.predictions import _files
from tests.made import made

Y = np.tile([0, 1], 6)
FOLD = np.arange(12) // 4
RNG = np.random.default_rng(0)
SCORES = RNG.random((12, 3))


def plain():
    return OOFPredictions(y_true=Y, y_pred=SCORES, fold=FOLD)


def full():
    return made(
        y_true=Y,
        responses={"predict_proba": SCORES.T, "predict": (SCORES.T > 0.5).astype(np.int8)},
        fold=FOLD,
        groups=np.arange(12) // 2,
        sample_weight=SCORES[:, 0],
        params=[{"C": k} for k in range(3)],
        selected=1,
        selected_by="the search",
        failed=[False, False, True],
        train_size=[8, 8, 8],
        fold_scores={"roc_auc": SCORES[:3]},
        notes=["a note"],
    )


# --- written whole or not at all ---------------------------------------------------------


class FullDisk:
    """File that takes some bytes and then has no space left."""

    def __init__(self, file, space):
        self._file, self._space = file, space

    def write(self, data):
        self._space -= len(data)
        if self._space < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self._file.write(data)

    def __getattr__(self, name):
        return getattr(self._file, name)


@pytest.mark.parametrize("space", [0, 100, 1500])
def test_a_full_disk_leaves_the_older_file_and_no_rest(tmp_path, monkeypatch, space):
    full().save(tmp_path / "oof")
    before = (tmp_path / "oof.npz").read_bytes()
    monkeypatch.setattr(_files.zipfile, "ZipFile", _with_room(_files.zipfile.ZipFile, space))
    with pytest.raises(OSError, match="No space left"):
        plain().save(tmp_path / "oof")
    assert os.listdir(tmp_path) == ["oof.npz"]
    assert (tmp_path / "oof.npz").read_bytes() == before


def _with_room(zip_file, space):
    return lambda file, mode: zip_file(FullDisk(file, space), mode)


def test_floats_are_stored_as_they_are_and_codes_are_compressed(tmp_path):
    full().save(tmp_path / "oof")
    with _files.zipfile.ZipFile(tmp_path / "oof.npz") as archive:
        kinds = {member.filename: member.compress_type for member in archive.infolist()}
    assert kinds["response:predict_proba.npy"] == _files.zipfile.ZIP_STORED
    assert kinds["fold_scores:roc_auc.npy"] == _files.zipfile.ZIP_STORED
    assert kinds["response:predict.npy"] == _files.zipfile.ZIP_DEFLATED
    assert kinds["y_true.npy"] == _files.zipfile.ZIP_DEFLATED


# --- the same file -----------------------------------------------------------------------


def test_a_name_means_the_same_file_beside_a_file_or_folder_of_that_name(tmp_path):
    (tmp_path / "file").write_text("something else")
    (tmp_path / "folder").mkdir()
    for name in ("file", "folder"):
        full().save(tmp_path / name)
        assert (tmp_path / f"{name}.npz").is_file()
        assert OOFPredictions.load(tmp_path / name) == full()
        assert OOFPredictions.load(str(tmp_path / f"{name}.npz")) == full()
    assert (tmp_path / "file").read_text() == "something else"


def test_a_renamed_file_is_found(tmp_path):
    full().save(tmp_path / "oof")
    (tmp_path / "oof.npz").rename(tmp_path / "oof.dat")
    assert OOFPredictions.load(tmp_path / "oof.dat") == full()


def test_a_folder_in_the_way_is_named(tmp_path):
    (tmp_path / "run.npz").mkdir()
    with pytest.raises(IsADirectoryError, match=r"run\.npz is a folder"):
        plain().save(tmp_path / "run")
    with pytest.raises(IsADirectoryError, match=r"run\.npz is a folder"):
        OOFPredictions.load(tmp_path / "run")
    assert [path.name for path in tmp_path.iterdir()] == ["run.npz"]


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no file .*nothing\.npz"):
        OOFPredictions.load(tmp_path / "nothing")


# --- what was written by others ----------------------------------------------------------


def _npy(path):
    with open(path, "wb") as file:
        np.save(file, SCORES)


def _npz_of_objects(path):
    with open(path, "wb") as file:
        np.savez(file, header=np.array([{}], dtype=object))


def _npz_with_a_header(path):
    with open(path, "wb") as file:
        np.savez(file, header=np.array("a title"))


@pytest.mark.parametrize(
    "write, message",
    [
        (lambda path: path.touch(), "it is empty"),
        (_npy, r"one NumPy array \(\.npy\).*numpy\.load.*y_pred"),
        (lambda path: path.write_text("a,b\n1,2\n"), "text file such as CSV"),
        (lambda path: path.write_text("ä" * 400), "text file"),
        (lambda path: path.write_bytes(pickle.dumps(SCORES)), "a pickle, and pickles are not"),
        (lambda path: path.write_bytes(bytes(range(255, 0, -1))), "of another kind"),
        (lambda path: np.savez(path, x=1, y=2), "archive of x.npy, y.npy, without a header"),
        (_npz_with_a_header, "its header is of another kind"),
        (_npz_of_objects, r"'header' cannot be read \(it holds Python objects\)"),
    ],
)
def test_strangers_are_named(tmp_path, write, message):
    path = tmp_path / "other.npz"
    write(path)
    with pytest.raises(ValueError, match=message) as info:
        OOFPredictions.load(path)
    assert str(path) in str(info.value)
    assert "allow_pickle" not in str(info.value)


def test_a_file_that_was_cut_is_damaged(tmp_path):
    full().save(tmp_path / "oof")
    data = (tmp_path / "oof.npz").read_bytes()
    (tmp_path / "oof.npz").write_bytes(data[: len(data) // 2])
    with pytest.raises(ValueError, match=r"oof\.npz is damaged: its table of contents"):
        OOFPredictions.load(tmp_path / "oof")


# --- flipped bits ------------------------------------------------------------------------


def _check_flips(tmp_path, bits):
    original, path = full(), tmp_path / "flipped.npz"
    original.save(path)
    data = path.read_bytes()
    n_refused = 0
    for bit in bits(8 * len(data)):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        try:
            again = OOFPredictions.load(path)
        except ValueError as error:
            assert str(path) in str(error)
            n_refused += 1
        else:
            assert again == original, bit
    return n_refused


def test_a_flipped_bit_is_an_error_or_changes_nothing(tmp_path):
    rng = np.random.default_rng(0)
    assert _check_flips(tmp_path, lambda n: rng.choice(n, size=120, replace=False)) > 40


def test_a_flipped_bit_in_the_table_of_contents_never_drops_an_array(tmp_path):
    rng = np.random.default_rng(1)
    assert _check_flips(tmp_path, lambda n: n - 1 - rng.choice(n // 3, 80, replace=False)) > 20


def test_an_array_that_is_not_there_is_named(tmp_path):
    full().save(tmp_path / "oof")
    with np.load(tmp_path / "oof.npz") as file:
        arrays = {name: file[name] for name in file.files if name != "groups"}
    np.savez(tmp_path / "oof.npz", **arrays)
    with pytest.raises(ValueError, match="damaged: 'groups' should be in it"):
        OOFPredictions.load(tmp_path / "oof")


def test_more_than_the_array_is_damage(tmp_path):
    full().save(tmp_path / "oof")
    with _files.zipfile.ZipFile(tmp_path / "oof.npz") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["groups.npy"] += b"\0"
    with _files.zipfile.ZipFile(tmp_path / "oof.npz", "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    with pytest.raises(ValueError, match="damaged: the array 'groups' cannot be read"):
        OOFPredictions.load(tmp_path / "oof")


@pytest.mark.filterwarnings("error")
def test_loading_does_not_warn_again(tmp_path):
    with pytest.warns(UserWarning, match="split between folds"):
        oof = OOFPredictions(y_true=Y, y_pred=SCORES, fold=FOLD, groups=Y)
    oof.save(tmp_path / "oof")
    assert OOFPredictions.load(tmp_path / "oof") == oof
