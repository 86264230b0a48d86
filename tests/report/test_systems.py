"""The page on the best of several systems: its numbers, its words, nothing that is not escaped."""

import dataclasses
import re
from html import unescape
from pathlib import Path

import pytest

from sklearn_bbc import report
from sklearn_bbc.report._systems import write_systems
from tests.results.test_systems import BASELINE, best_of_losses, best_of_three


@pytest.fixture
def page(tmp_path):
    def written(result, *notes, name="scores.csv", code="the call"):
        noted = dataclasses.replace(result, details={**result.details, "notes": notes})
        return write_systems(tmp_path / "page.html", noted, name, code).read_text(encoding="utf-8")

    return written


@pytest.fixture
def no_matplotlib(monkeypatch):
    monkeypatch.setattr("sklearn_bbc.report._systems.find_spec", lambda name: None)


def cells(text):
    """Titles and rows of the only table."""
    rows = re.findall(r"<tr.*?</tr>", text, flags=re.S)
    return [[*map(unescape, re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row))] for row in rows]


def test_the_table_has_the_best_system_first(page, no_matplotlib):
    assert cells(page(best_of_three())) == [
        ["system", "mean score", "90% interval, for it alone", "best in so many draws",
         "may be the best"],
        ["b", "0.750", "0.600 to 0.850", "90.0%", "yes"],
        ["a", "0.500", "0.400 to 0.650", "10.0%", "yes"],
        ["c", "0.250", "0.100 to 0.300", "0.0%", "no"],
    ]  # fmt: skip
    losses = cells(page(best_of_losses()))
    assert [row[:3] for row in losses[:2]] == [
        ["system", "cost", "90% interval, for it alone"], ["b", "0.250", "0.150 to 0.400"]
    ]  # fmt: skip
    title, *column = [row[-1] for row in cells(page(best_of_three(**BASELINE)))]
    assert title == "better than c by (90% for all at once)"
    assert column == ["+0.500 (0.200 to 0.800)", "+0.250 (-0.100 to 0.600)", ""]


def test_the_page_has_the_sentences_the_plot_and_the_notes_escaped(page):
    pytest.importorskip("matplotlib", reason="plots need matplotlib")
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    result = best_of_three(names=["<a>", "b", "c"], tied=["b"])
    text = page(result, "One & two.", name="<scores>.csv", code="best_of('<scores>')")
    assert plt.get_fignums() == before
    assert f"<p>{result.summary()}</p><p>Note: One &amp; two.</p><svg" in text
    assert "<title>Best of 3 systems</title>" in text and "Scores in &lt;scores&gt;.csv<" in text
    assert "<code>best_of(&#x27;&lt;scores&gt;&#x27;)</code>" in text
    assert text.count("<svg") == text.count("</svg>") == 1
    assert "<a>" not in text and "<scores>" not in text and "&lt;a&gt;" in text


@pytest.mark.long
def test_a_plot_grows_with_its_rows_up_to_thirty_systems(page):
    pytest.importorskip("matplotlib", reason="plots need matplotlib")

    def height(n):
        arrays = {key: [*range(n)] for key in ("scores", "low", "high", "p_values", "won")}
        text = page(best_of_three(names=range(n), selected="0", tied=["0"], **arrays))
        return float(re.search(r'<svg [^>]*height="([\d.]+)pt"', text)[1])

    assert [height(n) for n in (2, 30, 31)] == pytest.approx([72 * 2.1, 72 * 10.5, 72 * 10.5])


def test_without_matplotlib_the_page_has_no_plot(page, no_matplotlib):
    text = page(best_of_three())
    assert "<svg" not in text and len(cells(text)) == 4


def test_the_page_loads_nothing_and_runs_no_script(page):
    """As the report of a search."""
    policy = r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">'
    template = Path(report.__file__).with_name("templates") / "report.html"
    (of_search,) = re.findall(policy, template.read_text(encoding="utf-8"))
    head, _, body = page(best_of_three()).partition("<style>")
    assert re.findall(policy, head) == [of_search]
    assert of_search.startswith("default-src 'none'; ") and "script" not in of_search
    assert not re.search(policy, body)


def test_missing_runs_have_a_column(page, no_matplotlib):
    result = best_of_three()
    details = {**result.details, "n_missing": {"a": 1234, "b": 0, "c": 2}}
    rows = cells(page(dataclasses.replace(result, details=details)))
    assert [row[-1] for row in rows] == ["missing scores or runs", "0", "1,234", "2"]
    assert "most are lacked by a 1,234, c 2." in page(dataclasses.replace(result, details=details))
