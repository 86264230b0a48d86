"""Files that are written whole or not at all."""

import os
import stat

import pytest

from sklearn_bbc._utils import replacing


def test_a_new_file_is_there_when_it_is_complete(tmp_path):
    path = tmp_path / "a"
    with replacing(path) as file:
        file.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new" and os.listdir(tmp_path) == ["a"]


def test_a_fault_leaves_the_older_file_and_no_rest(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), replacing(path) as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["a"]


def test_permissions_and_links_stay(tmp_path):
    path, link = tmp_path / "a", tmp_path / "link"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    with replacing(link) as file:
        file.write(b"new")
    assert link.is_symlink() and path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(IsADirectoryError, match="another name"), replacing(tmp_path):
        pass
