"""The log gives back what was written, whatever happened to its files in between."""

import multiprocessing
import os
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sklearn_bbc.store import CellLog
from sklearn_bbc.store import _folder as log_module
from sklearn_bbc.store._folder import holds_others, write_once

DTYPES = st.sampled_from([np.float64, np.float32, np.int8, np.int64, np.bool_, "U3", "<M8[D]"])


def read(folder):
    return [(cell.facts, cell.arrays) for cell in CellLog(folder).read()]


@settings(max_examples=25)
@given(data=st.data())
def test_what_is_written_is_read(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("log")
    log, written = CellLog(folder), []
    for number in range(data.draw(st.integers(1, 4))):
        array = data.draw(hnp.arrays(data.draw(DTYPES), hnp.array_shapes(min_dims=0, min_side=0)))
        facts = {"number": number, "text": data.draw(st.text(max_size=70))}
        log.append(facts, {"a": array, "none": np.zeros((0, 3))})
        written.append((facts, array))
    found = read(folder)
    assert [facts for facts, _ in found] == [facts for facts, _ in written]
    for (_, arrays), (_, array) in zip(found, written):
        np.testing.assert_array_equal(arrays["a"], array)
        assert arrays["a"].dtype == array.dtype and arrays["none"].shape == (0, 3)


def test_arrays_are_maps_that_cannot_be_changed(tmp_path):
    CellLog(tmp_path).append({}, {"a": np.arange(3.0)})
    array = read(tmp_path)[0][1]["a"]
    base = array
    while not isinstance(base, np.memmap):
        base = base.base
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1
    assert array.ctypes.data % 8 == 0


def test_what_others_add_meanwhile_is_not_damage(tmp_path):
    writer, reader = CellLog(tmp_path), CellLog(tmp_path)
    writer.append({"n": 0})
    reader.read()
    writer.append({"n": 1})
    assert reader.notes == []
    for path in tmp_path.iterdir():
        path.unlink()
    assert reader.notes == []


def test_only_what_is_new(tmp_path):
    writer, reader = CellLog(tmp_path), CellLog(tmp_path)
    writer.append({"n": 0})
    assert [cell.facts["n"] for cell in reader.new()] == [0]
    assert reader.new() == []
    writer.append({"n": 1})
    CellLog(tmp_path).append({"n": 2})
    assert sorted(cell.facts["n"] for cell in reader.new()) == [1, 2]
    assert len(reader.read()) == 3


@pytest.fixture
def five(tmp_path):
    log = CellLog(tmp_path)
    for number in range(5):
        log.append({"n": number}, {"a": np.full(20, number)})
    (path,) = tmp_path.glob("*.cells")
    return path


def numbers(path):
    log = CellLog(path.parent)
    cells = log.read()
    for cell in cells:
        np.testing.assert_array_equal(cell.arrays["a"], np.full(20, cell.facts["n"]))
    return [cell.facts["n"] for cell in cells], log.notes


def test_a_torn_record_costs_itself_only(five):
    whole = five.read_bytes()
    for length in range(len(whole) * 4 // 5 + 1, len(whole), 7):
        five.write_bytes(whole[:length])
        found, notes = numbers(five)
        assert found == [0, 1, 2, 3]
        assert "1 record is damaged or incomplete, as after a crash" in notes[0]
    five.write_bytes(b"")
    assert numbers(five) == ([], [])


def test_a_record_that_is_still_being_written_is_read_later(five):
    whole = five.read_bytes()
    five.write_bytes(whole[:-30])
    log = CellLog(five.parent)
    assert len(log.new()) == 4 and log.notes
    five.write_bytes(whole)
    assert not log.notes  # it was not torn, then
    assert [cell.facts["n"] for cell in log.new()] == [4]
    assert not log.notes


def test_no_flipped_bit_is_believed(five):
    whole = five.read_bytes()
    size, rng = len(whole) // 5, np.random.default_rng(0)
    for bit in rng.choice(8 * len(whole), 100, replace=False):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        five.write_bytes(damaged)
        found, notes = numbers(five)  # what is read is right
        hit = bit // 8 // size
        padding = whole[bit // 8] == 0 and found == [0, 1, 2, 3, 4]
        assert padding or (found == [n for n in range(5) if n != hit] and notes)


def write_cell(log, n, who="me"):
    log.append({"who": who, "n": n}, {"a": np.full(50, n)})


def write_cells(folder, who):
    log = CellLog(folder)
    for n in range(20):
        write_cell(log, n, who)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_each_process_and_thread_may_write(tmp_path):
    context = multiprocessing.get_context("fork" if hasattr(os, "fork") else None)
    process = context.Process(target=write_cells, args=(tmp_path, "a"))
    process.start()
    log = CellLog(tmp_path)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: write_cell(log, n), range(40)))
    process.join()
    assert process.exitcode == 0
    cells = CellLog(tmp_path).read()
    found = sorted((cell.facts["who"], cell.facts["n"]) for cell in cells)
    assert found == [(who, n) for who, count in (("a", 20), ("me", 40)) for n in range(count)]
    assert all((cell.arrays["a"] == cell.facts["n"]).all() for cell in cells)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_writes_a_file_of_its_own(tmp_path):
    log = CellLog(tmp_path)
    log.append({"n": 0})
    child = os.fork()
    if child == 0:
        log.append({"n": 1})
        os._exit(0)
    os.waitpid(child, 0)
    log.append({"n": 2})
    assert len(list(tmp_path.glob("*.cells"))) == 2
    assert sorted(facts["n"] for facts, _ in read(tmp_path)) == [0, 1, 2]


def test_a_full_disk_takes_nothing_back_that_was_written(tmp_path, monkeypatch):
    log = CellLog(tmp_path)
    log.append({"n": 0})
    write = os.write
    monkeypatch.setattr(
        log_module.os, "write", lambda file, data: write(file, data[:40]) and fail()
    )

    def fail():
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="A finished fit could not be stored: No space left"):
        log.append({"n": 1})
    monkeypatch.undo()
    log.append({"n": 2})
    reader = CellLog(tmp_path)
    assert [cell.facts["n"] for cell in reader.read()] == [0, 2] and not reader.notes


def test_objects_are_refused(tmp_path):
    log = CellLog(tmp_path)
    with pytest.raises(ValueError, match="'a' holds Python objects"):
        log.append({}, {"a": np.array([None])})
    assert read(tmp_path) == []


def test_a_file_in_the_place_of_the_folder(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(NotADirectoryError, match="is a file; a folder is needed"):
        CellLog(tmp_path / "file")


def test_a_copy_in_another_process_knows_the_folder(tmp_path):
    log = CellLog(tmp_path)
    log.append({"n": 0})
    again = pickle.loads(pickle.dumps(log))
    again.append({"n": 1})
    log.close()
    log.append({"n": 2})
    assert sorted(facts["n"] for facts, _ in read(tmp_path)) == [0, 1, 2]
    assert len(list(tmp_path.glob("*.cells"))) == 3


def test_arrays_of_equal_size_and_other_shapes_and_types_are_distinguished(tmp_path):
    log = CellLog(tmp_path)
    written = [
        np.arange(4.0),
        np.arange(4.0).reshape(2, 2),
        np.arange(4),
        np.arange(4, dtype=">f8"),
    ]
    for array in written:
        log.append({}, {"a": array})
    log.append({}, {"b": written[0], "a": written[2]})
    *found, (_, both) = read(tmp_path)
    for array, (_, arrays) in zip(written, found, strict=True):
        assert arrays["a"].dtype == array.dtype
        np.testing.assert_array_equal(arrays["a"], array)
    np.testing.assert_array_equal(both["b"], written[0])
    np.testing.assert_array_equal(both["a"], written[2])


# --- a file is there whole or not at all, and the first writer wins ---------------------------


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

    monkeypatch.setattr(log_module.os, "link", refuse)
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
