"""A file is there whole or not at all, and the first writer wins."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from sklearn_bbc.store import _log as _once
from sklearn_bbc.store._log import holds_others, write_once


def text(content):
    return lambda file: file.write(content)


def test_the_first_one_wins(tmp_path):
    assert write_once(tmp_path / "about", text(b"one"))
    assert not write_once(tmp_path / "about", text(b"other"))
    assert [path.name for path in tmp_path.iterdir()] == ["about"]
    assert (tmp_path / "about").read_bytes() == b"one"


def test_of_many_at_once_one_wins(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        contents = [bytes([number]) * 5000 for number in range(16)]
        won = list(pool.map(lambda each: write_once(tmp_path / "about", text(each)), contents))
    assert sum(won) == 1
    assert (tmp_path / "about").read_bytes() == contents[won.index(True)]
    assert len(list(tmp_path.iterdir())) == 1


def test_a_failure_leaves_nothing(tmp_path):
    def fail(file):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        write_once(tmp_path / "about", fail)
    assert list(tmp_path.iterdir()) == []
    assert write_once(tmp_path / "about", text(b"whole"))


def test_without_hard_links(tmp_path, monkeypatch):
    def refuse(*paths):
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(_once.os, "link", refuse)
    assert write_once(tmp_path / "about", text(b"one"))
    assert not write_once(tmp_path / "about", text(b"other"))
    assert os.listdir(tmp_path) == ["about"]
    assert (tmp_path / "about").read_bytes() == b"one"


def test_one_that_appears_meanwhile_stays(tmp_path):
    def write(file):
        (tmp_path / "about").write_bytes(b"the other's")
        file.write(b"mine")

    assert not write_once(tmp_path / "about", write)
    assert (tmp_path / "about").read_bytes() == b"the other's"


def test_what_a_killed_writer_leaves_counts_for_nothing(tmp_path):
    def look(file):
        assert not holds_others(tmp_path)
        assert [path.suffix for path in tmp_path.iterdir()] == [".part"]

    assert not holds_others(tmp_path / "none") and not holds_others(tmp_path)
    write_once(tmp_path / "about", look)
    assert holds_others(tmp_path)
