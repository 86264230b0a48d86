"""The tables of 'Choosing a method' hold what `recommend` does and every method's limits."""

import pytest

from sklearn_bbc import comparison, intervals
from sklearn_bbc.intervals import (
    published_intervals,
    recommendations,
    registered,
    registered_refits,
)


@pytest.fixture
def methods_table(docs_ext):
    return docs_ext("methods_table")


def ours():
    methods = registered() | registered_refits()
    return {n: cls for n, cls in methods.items() if cls.__module__.startswith("sklearn_bbc.")}


def test_the_table_of_choices_is_that_of_recommend(methods_table):
    head, _, *lines = methods_table.choices().strip().splitlines()
    assert head == "| situation | method |"
    for line, (situation, (method, _)) in zip(lines, recommendations().items(), strict=True):
        assert line.startswith(f"| {situation} | ")
        assert f".{type(method).__name__}>`" in line
    assert "form='wilson'" in methods_table.choices()


def test_every_published_interval_has_a_line_with_its_call(methods_table):
    lines = methods_table.published().splitlines()[2:]
    assert len(lines) == len(published_intervals()) == len(set(lines))
    assert (
        "| Agresti-Coull interval | `Wald(form='agresti-coull')` | `\"agresti-coull\"` |" in lines
    )
    named = {eval(call, vars(intervals)).name for call in published_intervals()["call"]}
    assert named == set(ours()), "`PUBLISHED` in intervals/_recommend.py lists them"


def test_the_page_shows_the_tables(methods_table, repository):
    folder = repository / "docs" / "user_guide"
    pages = ("choosing", "methods")
    page = "".join((folder / f"{name}.md").read_text() for name in pages)
    for name in methods_table.tables():
        assert f"../generated/{name}" in page, f"{name} is made but not shown"
    assert "| situation | method |" not in page, "a second table would be a second truth"


def test_every_method_has_a_line_with_what_its_class_says(methods_table):
    tables = methods_table.tables()
    parts = [tables[f"methods_{name}.md"].splitlines() for name in ("aware", "unaware", "refit")]
    lines = [line for part in parts for line in part[2:]]
    assert len(lines) == len(ours())
    for name, cls in ours().items():
        line = next(line for line in lines if f".{cls.__name__}>`" in line)
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert cells[0].endswith(f' "{name}"')
        assert cells[2:] == [cls.meant_for, cls.cost, cls.limits]
        assert all(cells)


def test_every_comparison_has_a_line_with_what_its_class_says(methods_table):
    lines = methods_table.comparisons().splitlines()[2:]
    known = (
        comparison.registered()
        | {"five_by_two": comparison.FiveByTwo}
        | comparison.registered_on_data_sets()
    )
    classes = [cls for cls in known.values() if cls.__module__.startswith("sklearn_bbc.")]
    assert len(lines) == len(classes) > 10
    for cls in classes:
        line = next(line for line in lines if f".{cls.__name__}>`" in line)
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert cells[1:] == [cls.estimand, cls.meant_for, cls.cost, cls.limits] and all(cells)
