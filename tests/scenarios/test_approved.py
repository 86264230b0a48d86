"""Every word that a search prints is that of its approved file.

After a change of a sentence, ``python -m pytest tests/scenarios --approve`` writes the files anew:
read their diff, since that is the review.
"""

import re

import pytest

from sklearn_bbc.report import _page
from tests.scenarios.approval import APPROVED, check_approved, in_lines, text_of_html
from tests.scenarios.cases import SCENARIOS

ELSEWHERE = r"(?s)References +\[1\].*?\n|For the TRIPOD\+AI checklist.*?(?=To repeat it)"
"""Parts of the page that other tests look at, or other texts of the file."""


def printed(scenario, folder, monkeypatch):
    """All texts of a scenario, each under its name."""
    search = scenario.search
    yield "warnings", "\n".join(scenario.said)
    yield "notes of the predictions", "\n".join(getattr(search.oof_, "notes", ()))
    yield "summary", words_of(search.summary)
    yield "methods", words_of(search.summary, "methods").partition("\n\nReferences\n")[0]
    yield "table", words_of(search.table, show=scenario.shown)
    for metric, results in getattr(search, "ci_results_", {}).items():
        for name, result in results.items():
            yield f"{metric}, {name}", result.summary()
            yield f"{metric}, {name}: notes", "\n".join(result.details.get("notes", ()))
    items = search.tripod_ai(show=scenario.shown)
    yield "tripod", "\n".join(f"{row.item:4}{row.text}" for row in items.itertuples())
    for what, result in scenario.asked.items():
        yield f"asked: {what}", result.summary()
    if scenario.page:
        yield "report, what was not said above", report_of(scenario, folder, monkeypatch)


def words_of(call, *arguments, **options):
    """What a method gives, or why there is nothing."""
    try:
        return str(call(*arguments, **options))
    except AttributeError as error:
        return f"{type(error).__name__}: {error}"


def report_of(scenario, folder, monkeypatch):
    """The text of the page, without plots and references."""
    monkeypatch.setattr(
        _page, "_as_picture", lambda display, size, caption, **options:
        {"caption": caption, "failed": "", "address": "data:,"}
    )  # fmt: skip
    path = scenario.search.report(folder / "page.html", show=scenario.shown)
    return re.sub(ELSEWHERE, "", text_of_html(path.read_text(encoding="utf-8")))


def approved_form(parts):
    """The file: a heading for each text; of the report the lines that were not there before."""
    found, said = [], set()
    for name, text in parts:
        lines = in_lines(text)
        if name.startswith("report"):
            lines = [line for line in lines if line not in said]
        said.update(lines)
        found += [f"## {name}", *lines, ""] if lines else []
    return "\n".join(found)


@pytest.mark.one_in(2)
def test_every_word_is_that_of_the_approved_file(scenario, request, tmp_path, monkeypatch):
    pytest.importorskip("jinja2", reason="report needs jinja2, extra report")
    text = approved_form(printed(scenario, tmp_path, monkeypatch))
    check_approved(request, APPROVED / f"{scenario.name}.txt", text)


def test_every_file_has_its_scenario(request):
    known = {*SCENARIOS, "facts written by hand"}
    for path in APPROVED.glob("*.txt"):
        if request.config.getoption("approve") and path.stem not in known:
            path.unlink()
    assert {path.stem for path in APPROVED.glob("*.txt")} == known
