"""Runs the program of the start page, and writes what it gives into the four cards there."""

import ast
import html
import os
import re
from contextlib import chdir, redirect_stdout
from pathlib import Path

INDEX = Path(__file__).resolve().parents[1] / "index.md"
CARDS = (
    ("Corrected score", "user_guide/corrected", "search.table()"),
    ("Configurations that may be the best", "user_guide/tied", "search.tied_with_best()"),
    ("Comparison", "user_guide/comparing",
     "from sklearn.linear_model import LogisticRegression\n\n"
     "search.compare(LogisticRegression(), X[:60], y[:60])"),
    ("Report", "user_guide/reporting", 'search.report("report.html")'),
)  # fmt: skip
"""Title, page with more, and code that goes on from the program of the start page."""


def program() -> str:
    """The program of the start page."""
    return re.search(r"^```python\n(.*?)^```", INDEX.read_text("utf-8"), re.M | re.S).group(1)


def shown(value: object) -> str:
    """A result as HTML: a table, a page in a frame, or its sentence."""
    if isinstance(value, os.PathLike):
        return (
            f'<iframe src="{value}" title="Report of the search" loading="lazy" tabindex="-1">'
            f'</iframe>\n<p><a href="{value}">Open the report</a></p>'
        )
    to_html = getattr(value, "to_html", None)
    return to_html() if to_html else f"<p>{html.escape(str(value))}</p>"


def cards(folder: Path) -> str:
    """The cards, with what their code gives; files that it writes are put into `folder`."""
    names: dict[str, object] = {}
    lines = ["::::{container} live-cards"]
    with chdir(folder):
        with redirect_stdout(None):
            exec(program(), names)
        for title, page, code in CARDS:
            *before, last = ast.parse(code).body
            exec(compile(ast.Module(before, []), title, "exec"), names)
            value = eval(compile(ast.Expression(last.value), title, "eval"), names)
            lines += [":::{container} live-card", f"{{doc}}`{title} <{page}>`", ""]
            lines += ["```python", code, "```", "", shown(value), ":::"]
    return "\n".join([*lines, "::::", ""])


def write(folder: Path) -> None:
    """Write the cards, and in the folder `start` the report that one of them shows."""
    report = folder / "start"
    report.mkdir(exist_ok=True)
    (folder / "start_cards.md").write_text(cards(report), encoding="utf-8")
