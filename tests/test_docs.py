"""What the documentation shows is run: every Python block of every page, in order."""

import contextlib
import doctest
import importlib.util
import io
import re
import sys
import types
from pathlib import Path

import pytest

import sklearn_bbc.comparison._base
import sklearn_bbc.comparison._tied_methods
import sklearn_bbc.display._base
import sklearn_bbc.intervals._base
import sklearn_bbc.metrics._base
import sklearn_bbc.selection._base

DOCS = Path(__file__).resolve().parents[1] / "docs"
BLOCK = re.compile(
    r"^(?:<!-- needs: ([\w ]+) -->\n)?```python\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", re.M | re.S
)
SAME = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
# Design notes show fragments.
PAGES = sorted(
    page.relative_to(DOCS).as_posix()
    for folder in (DOCS / "user_guide", DOCS)
    for page in folder.glob("*.md")
    if BLOCK.search(page.read_text(encoding="utf-8"))
)
PAGES.remove("index.md")  # its program is that of the README, which takes ten seconds
PAGES.append("../README.md")


@pytest.fixture
def own_registries(monkeypatch):
    """Pages define methods, metrics and pictures; other tests must not find them registered."""
    for module, registry in (
        (sklearn_bbc.comparison._tied_methods, "_TIED_METHODS"),
        (sklearn_bbc.intervals._base, "_INTERVALS"),
        (sklearn_bbc.metrics._base, "_FAMILIES"),
        (sklearn_bbc.display._base, "_DISPLAYS"),
        (sklearn_bbc.selection._base, "_SELECTIONS"),
        (sklearn_bbc.comparison._base, "_COMPARISONS"),
    ):
        monkeypatch.setattr(module, registry, dict(getattr(module, registry)))


@pytest.mark.long
@pytest.mark.usefixtures("own_registries")
@pytest.mark.parametrize("page", PAGES)
def test_code_of_the_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (DOCS / page).read_text(encoding="utf-8")
    module = types.ModuleType("docs_page")  # a real one: classes of the page can be pickled
    monkeypatch.setitem(sys.modules, "docs_page", module)
    for block in BLOCK.finditer(text):
        needs, code, shown = block.groups()
        if not all(importlib.util.find_spec(name) for name in (needs or "").split()):
            continue
        line = text[: block.start(2)].count("\n")
        # Line numbers in a traceback are those of the page.
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * line + code, str(DOCS / page), "exec"), vars(module))
        same = doctest.OutputChecker().check_output(shown or "", printed.getvalue(), SAME)
        assert shown is None or same, f"{page}:{line} prints\n{printed.getvalue()}"
        if page == "../README.md":  # each program can be copied by itself
            vars(module).clear()


def test_the_start_page_has_the_program_of_the_readme():
    texts = [(DOCS / page).read_text(encoding="utf-8") for page in ("index.md", "../README.md")]
    ((_, start, number),), ((_, program, shown), *_) = map(BLOCK.findall, texts)
    *same, last = start.splitlines()
    assert same == program.splitlines()[:-1]
    assert last.startswith("print(round(search.score(X[60:], y[60:]), 3))")
    assert shown.split()[-1] == number.strip() + "..."
