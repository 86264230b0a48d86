"""Tables of Stata, SAS, SPSS, Excel and R: the event that is taken, and what is missing."""

import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_bbc.predictions.readers._clinical import event_of
from sklearn_bbc.predictions.readers._recognise import table_in

N = 40
RNG = np.random.default_rng(0)
DEATH = RNG.integers(0, 2, N)
FRAME = pd.DataFrame(
    {
        "death": DEATH.astype(float),
        "a": DEATH * 0.3 + RNG.random(N) * 0.7,
        "site": ["A", "Bö"] * 20,
    }
)
FRAME.loc[2, "a"] = 0.0
LABELS = {0: "survived", 1: "died"}


def package(name):
    return pytest.importorskip(name, reason=f"the optional package {name} is not installed")


def write_stata(path, frame=FRAME, labels=LABELS):
    frame.to_stata(path, write_index=False, value_labels={"death": labels}, version=118)


def write_xport(path):
    package("pyreadstat").write_xport(FRAME, str(path), file_format_version=5)


def write_new_xport(path):
    package("pyreadstat").write_xport(FRAME, str(path), file_format_version=8)


def write_spss(path, frame=FRAME, **options):
    package("pyreadstat").write_sav(
        frame, str(path), variable_value_labels={"death": LABELS}, **options
    )


def write_excel(path, frame=FRAME):
    package("openpyxl")
    frame.to_excel(path, index=False)


def write_r(path):
    package("pyreadr").write_rds(str(path), FRAME)


WRITE = {
    "x.dta": write_stata, "x.xpt": write_xport, "new.xpt": write_new_xport, "x.sav": write_spss,
    "x.xlsx": write_excel, "x.rds": write_r,
}  # fmt: skip


@pytest.mark.parametrize("name", WRITE)
def test_values_are_read_as_they_were_written(name, tmp_path):
    WRITE[name](tmp_path / name)
    table = table_in(tmp_path / name)
    assert table.name == name
    assert list(table.frame) == ["death", "a", "site"]
    assert_array_equal(table.frame["death"], FRAME["death"])
    assert_allclose(table.frame["a"], FRAME["a"], rtol=1e-15)
    assert table.frame["a"][2] == 0  # not 5.4e-79
    assert table.frame["site"].tolist() == FRAME["site"].tolist()
    has_labels = name in ("x.dta", "x.sav")
    assert dict(table.labels.get("death", {})) == (LABELS if has_labels else {})


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (LABELS, "1 (died) of column 'death'; 0 (survived) is not"),
        ({1: "died"}, "1 (died) of column 'death'; 0 is not"),
        ({0: "alive"}, "1 of column 'death'; 0 (alive) is not"),
    ],
)
def test_the_event_is_the_larger_code_and_named(labels, words, tmp_path):
    write_stata(tmp_path / "x.dta", labels=labels)
    table = table_in(tmp_path / "x.dta")
    assert table.frame["death"].dtype.kind == "i"  # no mixture of text and numbers
    event, said = event_of(table.labels, "death", table.frame["death"].to_numpy())
    assert event == 1
    assert said == f"The event is {words}."


@pytest.mark.parametrize(
    ("given", "event"),
    [(None, 1), ("died", 1), ("survived", 0), ("0", 0), ("1.0", 1), (" died ", 1)],
)
def test_a_label_or_a_code_names_the_event(given, event):
    assert event_of({"death": LABELS}, "death", DEATH.astype(float), given)[0] == event


def test_an_event_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match=r"--pos-label dead: .*0 \(survived\) and 1 \(died\)"):
        event_of({"death": LABELS}, "death", DEATH, "dead")


def test_more_than_two_classes_have_no_event():
    assert event_of({}, "stage", np.array([0, 1, 2])) == (None, "")


def test_levels_of_a_factor_keep_their_order(tmp_path):
    package("pyreadr")
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed")
    program = """
    d <- data.frame(
      death = factor(c("survived", "died", "died", "survived"), levels = c("survived", "died")),
      told = c(TRUE, NA, FALSE, TRUE), all = c(TRUE, FALSE, FALSE, TRUE), n = c(1L, NA, 0L, 2L)
    )
    saveRDS(d, "x.rds"); e <- d; rownames(e) <- paste0("p", 4:1); saveRDS(e, "named.rds")
    save(d, e, file = "two.RData"); saveRDS(list(1), "list.rds")
    """
    subprocess.run(["Rscript", "-e", program], cwd=tmp_path, check=True)
    table = table_in(tmp_path / "x.rds")
    event, said = event_of(table.labels, "death", table.frame["death"].to_numpy())
    assert event == "died"
    assert said == "The event is died of column 'death'; survived is not."
    assert_array_equal(table.frame["told"], [1.0, np.nan, 0.0, 1.0])
    assert table.frame["all"].tolist() == [True, False, False, True]
    assert_array_equal(table.frame["n"], [1.0, np.nan, 0.0, 2.0])
    assert table_in(tmp_path / "named.rds").frame["rownames"].tolist() == ["p4", "p3", "p2", "p1"]
    with pytest.raises(ValueError, match=r"two.RData has 2 data frames \(d, e\)"):
        table_in(tmp_path / "two.RData")


def test_a_file_of_stata_that_ends_behind_its_rows_is_refused(tmp_path):
    write_stata(tmp_path / "x.dta")
    content = (tmp_path / "x.dta").read_bytes()
    for end in range(content.index(b"</data>"), len(content), 5):
        (tmp_path / "x.dta").write_bytes(content[:end])
        with pytest.raises(ValueError, match=r"does not end with </stata_dta>|cannot be read"):
            table_in(tmp_path / "x.dta")


def test_an_xport_file_that_is_cut_between_records_of_80_bytes_is_refused_within_a_row(tmp_path):
    write_xport(tmp_path / "x.xpt")
    content = (tmp_path / "x.xpt").read_bytes()
    start = content.index(b"OBS     HEADER RECORD") // 80 * 80 + 80
    n_bytes = len(content[start:].rstrip(b" ")) // N  # of a row; text at its end has no blanks
    for end in range(start + 80, len(content) - 80, 80):
        (tmp_path / "x.xpt").write_bytes(content[:end])
        if (end - start) % n_bytes:  # else nothing says that rows are missing
            with pytest.raises(ValueError, match="ends within a row"):
                table_in(tmp_path / "x.xpt")


def test_missing_values_of_several_kinds_are_said(tmp_path):
    frame = FRAME.assign(b=FRAME["a"].where(np.arange(N) > 3))
    write_stata(tmp_path / "plain.dta", frame)
    assert table_in(tmp_path / "plain.dta").how == ""
    content = (tmp_path / "plain.dta").read_bytes()
    dot = np.array(2.0**1023, "<f8").tobytes()  # Stata's missing value of a double, and .a
    first = content.index(dot, content.index(b"<data>"))
    dot_a = np.array(0x7FE0010000000000, "<u8").tobytes()
    (tmp_path / "kinds.dta").write_bytes(content[:first] + dot_a + content[first + 8 :])
    table = table_in(tmp_path / "kinds.dta")
    assert table.how == ". and .a all taken as missing"
    assert table.frame["b"].isna().sum() == 4


def test_values_that_spss_declares_missing_are_missing_and_said(tmp_path):
    frame = FRAME.copy()
    frame.loc[:1, "death"] = 9
    write_spss(tmp_path / "x.sav", frame, missing_ranges={"death": [9], "a": [{"lo": 2, "hi": 3}]})
    table = table_in(tmp_path / "x.sav")
    assert table.frame["death"].isna().sum() == 2
    assert table.how == "declared missing and taken as that: death 9, a 2 to 3"


def test_formulas_that_were_never_computed_are_refused(tmp_path):
    openpyxl = package("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["y", "risk"])
    for row in range(5):
        book.active.append([row % 2, f"=A{row + 2}*0.5"])
    book.save(tmp_path / "x.xlsx")
    with pytest.raises(ValueError, match="column 'risk' has a formula without a value in row 2"):
        table_in(tmp_path / "x.xlsx")


def test_the_first_sheet_is_taken_and_named(tmp_path):
    package("openpyxl")
    with pd.ExcelWriter(tmp_path / "x.xlsx") as book:
        FRAME.to_excel(book, sheet_name="data", index=False)
        FRAME.iloc[:3].to_excel(book, sheet_name="other", index=False)
    table = table_in(tmp_path / "x.xlsx")
    assert len(table.frame) == N
    assert table.how == "sheet 'data', not other"


@pytest.mark.parametrize("share", [0, 0.02, 0.5, 0.95])
@pytest.mark.parametrize("name", WRITE)
def test_half_of_a_file_gives_no_table(name, share, tmp_path):
    WRITE[name](tmp_path / name)
    path = tmp_path / name
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(
        ValueError, match=rf"{name} (is empty|cannot be read|ends within|does not end)"
    ):
        table_in(path)


@pytest.mark.parametrize(
    ("name", "needs"), [("x.sav", "pyreadstat"), ("x.xlsx", "openpyxl"), ("x.rds", "pyreadr")]
)
def test_a_package_that_is_missing_is_named(name, needs, tmp_path, monkeypatch):
    (tmp_path / name).write_bytes(b"any")
    monkeypatch.setitem(sys.modules, needs, None)
    with pytest.raises(ImportError, match=rf"{name} is a file of .*needs {needs}: .*pip install"):
        table_in(tmp_path / name)


def test_options_of_text_are_refused_for_other_files(tmp_path):
    write_stata(tmp_path / "x.dta")
    with pytest.raises(ValueError, match="--sep is for files of text"):
        table_in(tmp_path / "x.dta", sep=";")
