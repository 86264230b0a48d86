"""A folder of fits knows what it is about."""

import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_bbc.store import _folder
from sklearn_bbc.store._folder import Fact, FitFolder, differences, text_of

A = Fact("a")
FACTS = {"y": Fact("a"), "cv": Fact("b", "5")}


def test_the_first_search_says_what_it_is_about(tmp_path):
    first = FitFolder("search", tmp_path / "store", FACTS)
    again = FitFolder("search", tmp_path / "store", FACTS)
    assert first.seed == again.seed and 0 <= first.seed < 2**31
    assert first.folder.is_absolute()
    assert FitFolder("search", tmp_path / "other", FACTS).seed != first.seed
    assert [path.name for path in first.folder.iterdir()] == ["search.json"]


def test_a_folder_named_from_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert FitFolder("search", "store", FACTS).folder == tmp_path / "store"


def test_another_problem(tmp_path):
    FitFolder("search", tmp_path, FACTS)
    with pytest.raises(ValueError, match=r"another problem: cv 5 to 3\. Take another folder"):
        FitFolder("search", tmp_path, {**FACTS, "cv": Fact("c", "3")})
    seeds = FitFolder(
        "search", tmp_path / "b", {"cv": Fact("b", parts={"": A, "random_state": A})}
    )
    assert seeds.notes == []
    with pytest.raises(ValueError, match=r"cv's random_state changed.* a whole number as random"):
        FitFolder(
            "search", tmp_path / "b", {"cv": Fact("c", parts={"": A, "random_state": Fact("d")})}
        )


SIDE = st.lists(st.integers(-8, 7), max_size=8).map(lambda side: np.array(side, dtype=np.int64))
SPLITS = [(np.arange(3), np.arange(3, 6))]


@pytest.mark.long
@settings(max_examples=40)
@given(splits=st.lists(st.tuples(SIDE, SIDE), max_size=4))
def test_the_first_splits_are_those_of_all(splits, tmp_path_factory):
    folder = FitFolder("search", tmp_path_factory.mktemp("splits"), FACTS)
    for made in (splits, SPLITS):
        found = folder.splits("k-0", lambda made=made: made)
        for split, its in zip(splits, found, strict=True):
            for side, its_side in zip(split, its, strict=True):
                np.testing.assert_array_equal(side, its_side)
                assert its_side.dtype == (side.dtype if side.size else np.intp)


def test_masks_and_lists_become_positions(tmp_path):
    mask, folder = np.array([True, False, True]), FitFolder("search", tmp_path, FACTS)
    found = folder.splits("k-0", lambda: [(~mask, mask), ([0, 1], [])])
    assert [[side.tolist() for side in split] for split in found] == [[[1], [0, 2]], [[0, 1], []]]


def test_damaged_splits_are_reported(tmp_path):
    folder = FitFolder("search", tmp_path, FACTS)
    folder.splits("k-0", lambda: SPLITS)
    path = tmp_path / "splits-k-0.npz"
    whole, n_noted = path.read_bytes(), 0
    flipped = [bytearray(whole) for _ in range(0, 8 * len(whole), 97)]
    for number, content in enumerate(flipped):
        content[number * 97 // 8] ^= 1 << number * 97 % 8
    for content in (b"", b"x" * 300, whole[:-30], *flipped):
        path.write_bytes(content)
        try:
            np.testing.assert_array_equal(folder.splits("k-0", lambda: SPLITS), SPLITS)
        except ValueError as error:
            assert "is damaged" in str(error) and "nothing was changed in this one" in str(error)
            n_noted += 1
    assert n_noted > 20


def test_splits_of_python_objects_are_not_loaded_and_no_advice_is_given_to_do_so(tmp_path):
    folder = FitFolder("search", tmp_path, FACTS)
    objects = {"n_splits": np.array(1), "train0": np.array([{}], dtype=object)}
    np.savez(tmp_path / "splits-k-0.npz", **objects)
    with pytest.raises(
        ValueError, match=r"k-0.npz is damaged \(it holds Python objects\)"
    ) as error:
        folder.splits("k-0", lambda: SPLITS)
    assert "pickle" not in str(error.value)


def test_of_two_that_begin_at_the_same_time_one_wins(tmp_path):
    folder = FitFolder("recorder", tmp_path, FACTS)

    def make():
        folder.splits("cv", lambda: SPLITS)
        return [(np.arange(2), np.arange(2))]

    np.testing.assert_array_equal(folder.splits("cv", make), SPLITS)


def test_cells_come_back(tmp_path):
    folder = FitFolder("recorder", tmp_path, FACTS)
    folder.append({"config": "c"}, {"plain": np.arange(3)})
    for cells in (folder.new(), folder.read()):
        assert [cell.facts for cell in cells] == [{"config": "c"}]
        np.testing.assert_array_equal(cells[0].arrays["plain"], np.arange(3))
    assert folder.new() == [] and folder.notes == []


def test_whether_it_can_be_written(tmp_path, monkeypatch):
    folder = FitFolder("search", tmp_path, FACTS)
    folder.check_writable()
    assert [path.name for path in tmp_path.iterdir()] == ["search.json"]

    def refuse(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.touch", refuse)
    with pytest.raises(
        PermissionError, match="cannot be written, and not every fit is in it: Per"
    ):
        folder.check_writable()


@pytest.mark.parametrize(
    ("name", "whose"), [("recorder.json", "those of an OOFRecorder"), ("notes.txt", "none of a")]
)
def test_files_of_others_are_said_and_stay(name, whose, tmp_path):
    (tmp_path / name).write_bytes(b"mine")
    with pytest.raises(ValueError, match=f"holds files, but {whose}"):
        FitFolder("search", tmp_path, FACTS)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [(name, b"mine")]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[1]", "list indices"),
        ("{}", "'format'"),
        ("nothing", "Expecting value"),
        ("[" * 100_000, ""),  # the words are other ones in each Python
        ('{"seed": 1, "format": 1, "problem": {}}', "its checksum is another one"),
    ],
)
def test_a_damaged_description_is_reported(text, what, tmp_path):
    about = tmp_path / "search.json"
    about.write_text(text)
    with pytest.raises(ValueError, match=rf"search\.json is damaged \(.*{what}.*is not known"):
        FitFolder("search", tmp_path, FACTS)
    assert [path.name for path in tmp_path.iterdir()] == ["search.json"]
    assert about.read_text() == text


@settings(max_examples=40)
@given(st.data())
def test_whatever_stands_in_the_description_is_reported(data):
    """Any part of a good one replaced by any other JSON gives the same, or a clear error."""
    with tempfile.TemporaryDirectory() as folder:
        facts = {"cv": Fact("b", "5", parts={"": Fact("c")})}
        seed = FitFolder("search", folder, facts).seed
        about = Path(folder) / "search.json"
        content = json.loads(about.read_text())
        paths = [()]
        for path in paths:
            here = _at(content, path)
            paths += [(*path, name) for name in here] if isinstance(here, dict) else []
        path = data.draw(st.sampled_from(paths))
        other = data.draw(ANY_JSON)
        if path:
            _at(content, path[:-1])[path[-1]] = other
        else:
            content = other
        about.write_text(json.dumps(content))
        before = about.read_bytes()
        try:
            assert FitFolder("search", folder, facts).seed == seed
        except ValueError as error:
            assert "damaged" in str(error) or "upgrade" in str(error)
        assert about.read_bytes() == before


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda some: st.lists(some, max_size=2) | st.dictionaries(st.text(max_size=3), some),
    max_leaves=4,
)


def _at(content, path):
    for name in path:
        content = content[name]
    return content


def test_a_folder_of_a_newer_version_says_so(tmp_path):
    FitFolder("search", tmp_path, FACTS)
    about = tmp_path / "search.json"
    about.write_text(about.read_text().replace('"format": 1', '"format": 2'))
    with pytest.raises(ValueError, match="has format 2, this version reads up to 1: upgrade"):
        FitFolder("search", tmp_path, FACTS)


def test_a_probe_that_somebody_cleaned_up_is_no_error(tmp_path, monkeypatch):
    folder = FitFolder("search", tmp_path, FACTS)
    monkeypatch.setattr("pathlib.Path.touch", lambda path: None)
    folder.check_writable()


def test_the_description_is_a_file_for_people_too(tmp_path):
    seed = FitFolder("search", tmp_path, {"cv": Fact("b", "5")}).seed
    text = (tmp_path / "search.json").read_text()
    content = json.loads(text)
    assert content.pop("checksum")
    assert content == {
        "format": 1, "seed": seed, "problem": {"cv": {"print": "b", "text": "5"}}
    }  # fmt: skip
    assert len(text.splitlines()) == 11


def test_a_description_that_is_there_is_not_written(tmp_path, monkeypatch):
    """All fits may be in a folder that only can be read."""
    seed = FitFolder("search", tmp_path, FACTS).seed

    def refuse(path, write):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(_folder, "write_once", refuse)
    assert FitFolder("search", tmp_path, FACTS).seed == seed
    with pytest.raises(PermissionError):
        FitFolder("search", tmp_path / "new", FACTS)


def test_changes_are_said_in_whatever_order_they_come():
    before = {"pkg": Fact("1", "1", True), "y": Fact("a"), "n": Fact("b", "5"), "m": Fact("c")}
    now = {"pkg": Fact("2", "2", True), "y": Fact("b"), "n": Fact("c"), "m": Fact("d", "5")}
    assert differences(before, now) == ["y changed", "n changed", "m changed", "pkg 1 to 2"]
    # What looks alike and differs has changed.
    assert differences({"n": Fact("a", "5")}, {"n": Fact("b", "5")}) == ["n changed"]
    of_class = Fact("c", "class A")
    parts = [{"": of_class, "a": Fact(name, "5")} for name in "pq"]
    one, other = ({"e": Fact(str(n), parts=each)} for n, each in enumerate(parts))
    assert differences(one, other) == ["e's a changed"]


def test_what_belongs_to_a_part_that_came_or_went_is_not_named():
    def made(text, **parts):
        return {"e": Fact(text, parts={"": Fact("c", "class P"), **parts})}

    old, new = Fact("o", "class Old"), Fact("n", "class New")
    before = made("1", a=old, a__x=Fact("p", "5"), k=new, k__y=Fact("q", "6"))
    now = made("2", b=new, b__z=Fact("q", "6"), k=new, k__w=Fact("q", "6"))
    assert differences(before, now) == [
        "e's b is new", "e's k__w is new", "e's a is missing", "e's k__y is missing"
    ]  # fmt: skip
    assert differences(made("1", k=new), made("2", k=Fact("m", "class New"))) == [
        "the code of e's k (class New), or what it uses, changed"
    ]


def test_of_another_class_only_that_is_named():
    one, other = (
        {"e": Fact(name, parts={"": Fact(name, f"class {name}"), "a": Fact(name, name)})}
        for name in "AB"
    )
    assert differences(one, other) == ["e class A to class B"]


def test_other_versions_explain_other_code_but_no_other_value():
    assert differences({"scoring": Fact("a")}, {"scoring": Fact("b")}) == ["scoring changed"]
    versions = [{"pkg": Fact(number, number, version=True)} for number in "12"]
    scoring = [{"scoring": Fact("a", "'f1'"), "y": Fact("a")}, {"scoring": Fact("b", "'f1'")}]
    one, other = ({**facts, **version} for facts, version in zip(scoring, versions))
    assert differences(one, {**other, "y": Fact("a")}) == ["pkg 1 to 2"]
    other["scoring"] = Fact("b", "'r2'")
    assert differences(one, {**other, "y": Fact("b")}) == [
        "scoring 'f1' to 'r2'", "y changed", "pkg 1 to 2"
    ]  # fmt: skip


def test_short_values_have_a_text():
    assert text_of(np.float64(0.5)) == "0.5" and text_of([1, "a", None]) == "[1, 'a', None]"
    assert text_of("a" * 38) == repr("a" * 38) and text_of("a" * 39) is None
    assert text_of(np.arange(3)) is None and text_of([1, (2,)]) is None
