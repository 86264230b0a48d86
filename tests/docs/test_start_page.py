"""The start page shows what its program gives; the diagram shows the table of `recommend`."""

import re

import pytest

from sklearn_bbc.intervals import BBC, recommendations


@pytest.mark.long
def test_cards_show_what_the_program_of_the_page_gives(docs_ext, tmp_path, monkeypatch):
    start_page = docs_ext("start_page")
    program = start_page.program().replace("range(1, 11)", "[1, 2]").replace("range(1, 16)", "[3]")
    monkeypatch.setattr(start_page, "program", lambda: program.replace("cv=10", "cv=3"))
    start_page.write(tmp_path)
    cards = (tmp_path / "start_cards.md").read_text(encoding="utf-8")
    assert cards.count(":::{container} live-card\n") == len(start_page.CARDS) == 4
    report = (tmp_path / "start" / "report.html").read_text(encoding="utf-8")
    corrected = re.search(r"<td>(0\.\d+) \(0\.\d+ to \d\.\d+\)</td><td>BBC", cards).group(1)
    assert f"it is {corrected} (95% confidence interval" in report
    assert "of 2 configurations" in cards and "LogisticRegression is shown" in cards
    assert '<a href="report.html">' in cards


def test_the_diagram_has_the_answers_of_recommend(docs_ext):
    decision, public = docs_ext("decision"), docs_ext("api_page").public_names()
    branches = decision.branches()
    answers = {(about, repr(method)) for found in branches.values() for about, method in found}
    left_out = []
    for situation, (method, _) in recommendations().items():
        plain = situation.replace("`", "")
        if not any(plain.endswith(about) and repr(method) == how for about, how in answers):
            left_out.append((situation, type(method)))
    # Right before "otherwise", which gives the same method.
    assert [(text[:46], cls) for text, cls in left_out] == [
        ("the winner of several configurations, a metric", BBC)
    ]
    assert [found[-1][0] for found in branches.values()] == ["otherwise"] * 3
    linked = set(re.findall(r'href="\.\./api/([\w.]+)\.html"', decision.svg("../")))
    assert {public[name] for name in linked} == {
        type(how) for how, _ in recommendations().values()
    }


def test_the_printed_cheat_sheet_is_that_of_its_page(docs_ext):
    sheet = docs_ext("cheat_sheet")
    printed = sheet.PDF.read_bytes()
    assert printed.startswith(b"%PDF-"), "python docs/_ext/cheat_sheet.py prints it"
    assert printed.endswith(sheet.source()), "python docs/_ext/cheat_sheet.py prints it again"
