"""The page on the best of several systems."""

from __future__ import annotations

import io
from html import escape
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

from .._text import fixed, percent
from .._utils import check_place, replacing
from ..display._systems import SystemsDisplay
from ..results._systems import BestOfResult

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""What a browser may load or run for the page: nothing from elsewhere, and no scripts."""
STYLE = (
    "body{font-family:sans-serif;max-width:60em;margin:2em auto;line-height:1.5;padding:0 1em}"
    "table{border-collapse:collapse}td,th{padding:.15em .8em;text-align:right;"
    "font-variant-numeric:tabular-nums}td{white-space:nowrap}th:first-child,td:first-child"
    "{text-align:left;white-space:normal}svg{max-width:100%}"
    "code{overflow-wrap:anywhere}"
)


def write_systems(path: str | Path, result: BestOfResult, name: str, code: str) -> Path:
    """Write the sentences, the plot and the table of all systems to an HTML page."""
    page = Path(path)
    check_place(page)
    notes = "".join(f"<p>Note: {escape(note)}</p>" for note in result.details["notes"])
    html = (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f"<title>Best of {len(result.names)} systems</title><style>{STYLE}</style></head><body>"
        f"<h1>Best of {len(result.names)} systems</h1><p>Scores in {escape(name)}</p>"
        f"<p>{escape(result.summary())}</p>{notes}{_picture(result)}"
        f"{_systems_table(result).to_html(index=False, border=0)}"
        f"<p><code>{escape(code)}</code></p></body></html>"
    )
    with replacing(page) as file:
        file.write(html.encode())
    return page


def _systems_table(result: BestOfResult) -> pd.DataFrame:
    """Write the numbers of all systems in columns that fit on a page."""
    frame, level = result.frame(), percent(result.interval.confidence_level)

    def ends(low: str, high: str) -> list[str]:
        return [f"{fixed(a)} to {fixed(b)}" for a, b in zip(frame[low], frame[high])]

    columns = {
        "system": list(frame.index),
        result.words.name: list(map(fixed, frame["score"])),
        f"{level} interval, for it alone": ends("low", "high"),
        "best in so many draws": [f"{fixed(100 * share, 1)}%" for share in frame["won"]],
        "may be the best": ["yes" if each else "no" for each in frame["tied"]],
    }
    if "tool_score" in frame:
        columns[f"by {result.details['tool']}"] = [
            "" if np.isnan(own) else fixed(own) for own in frame["tool_score"]
        ]
    if "missing" in frame:
        columns["missing scores or runs"] = [f"{n:,}" for n in frame["missing"]]
    if result.baseline is not None:
        is_base = frame.index == result.baseline
        both = zip(frame["difference"], ends("difference_low", "difference_high"))
        columns[f"better than {result.baseline} by ({level} for all at once)"] = [
            "" if base else f"{fixed(value, sign='+')} ({interval})"
            for base, (value, interval) in zip(is_base, both)
        ]
    return pd.DataFrame(columns)


def _picture(result: BestOfResult) -> str:
    """Draw the plot as SVG; nothing without matplotlib."""
    if find_spec("matplotlib") is None:
        return ""
    import matplotlib.pyplot as plt

    file = io.StringIO()
    figure, ax = plt.subplots(figsize=(7.2, 1.5 + 0.3 * min(len(result.names), 30)))
    figure.set_layout_engine("constrained")
    SystemsDisplay(result=result).plot(ax)
    figure.savefig(file, format="svg")
    plt.close(figure)
    text = file.getvalue()
    return text[text.index("<svg") :]
