"""Tables of estimates for papers, escaped for Markdown, LaTeX and HTML."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any, Self

import pandas as pd

from .._parameters import Text, constrained
from .._text import count, method_words, metric_words, percent, positive_classes, printed_score
from .._utils import did_you_mean, got, path_of, replacing

STYLE_ALIASES = {
    "md": "markdown",
    "method": "methods",
    "plain": "text",
    "tex": "latex",
    "txt": "text",
}
"""What people call the styles, in small letters and digits only."""
LATEX = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "^": r"\textasciicircum{}", "_": r"\_", "~": r"\textasciitilde{}", "%": r"\%",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
    "²": r"\textsuperscript{2}", "\u2212": "$-$",
})  # fmt: skip


def _latex_cell(text: str) -> str:
    """Escape plain text for LaTeX; minus signs and powers of ten are set as mathematics."""

    def number(found: re.Match[str]) -> str:
        sign, digits, power = found.groups()
        if power is not None:
            return rf"${sign}{digits}\times10^{{{int(power)}}}$"
        return f"$-${digits}" if sign else digits

    numbers = r"(?<![\w.\-])(-?)(\d[\d,]*(?:\.\d+)?)(?:e([+-]\d+))?(?![\w])"
    return re.sub(numbers, number, text.translate(LATEX))


ESCAPES: dict[str, Callable[[str], str]] = {
    "text": str,
    "markdown": lambda text: re.sub(r"([\\`*_{}\[\]<>#|~$&])", r"\\\1", text),
    "latex": _latex_cell,
    "html": escape,
}
"""Style -> function that makes plain text read the same in it."""


def style_named(name: str, known: tuple[str, ...]) -> str:
    """Return `name` if it is one of the known styles, else raise."""
    if isinstance(name, str) and name in known:
        return name
    meant = did_you_mean(name, known, STYLE_ALIASES)
    raise ValueError(f"style must be one of {list(known)}, got {name!r}.{meant}")


NEEDED_COLUMNS = (
    "metric", "method", "best_score", "estimate", "low", "high", "confidence_level", "alternative",
)  # fmt: skip
"""Columns of `intervals_frame` without which there is no table."""
NOT_CORRECTED = "uncorrected cross-validation"
NONE = "no interval could be computed"


class ResultsTable:
    """Estimates with their intervals, ready to be printed.

    Made by the `table` method of a fitted search, or by `from_frame`.

    Parameters
    ----------
    rows : sequence of tuple of (str, str, str)
        Score, estimate with interval, method: plain text.
    columns : tuple of (str, str, str), default=("score", "estimate", "method")
        Titles of the columns.
    notes : sequence of str, default=()
        Remarks below the table.

    Examples
    --------
    >>> from sklearn_bbc.report import ResultsTable
    >>> table = ResultsTable([("ROC AUC", "0.866 (0.820 to 0.912)", "BBC")])
    >>> print(table.to_markdown())
    | score | estimate | method |
    |---|---|---|
    | ROC AUC | 0.866 (0.820 to 0.912) | BBC |
    """

    def __init__(
        self,
        rows: Sequence[tuple[str, str, str]],
        columns: tuple[str, str, str] = ("score", "estimate", "method"),
        notes: Sequence[str] = (),
    ) -> None:
        try:
            complete = all(len(row) == 3 for row in rows) and not isinstance(rows, str)
        except TypeError:
            complete = False
        if not complete:
            raise ValueError(
                "rows must be a list of texts for three columns, such as "
                f"[('ROC AUC', '0.866 (0.820 to 0.912)', 'BBC')], got {got(rows)}."
            )
        for name, value in (("columns", columns), ("notes", notes)):
            if isinstance(value, str) or not isinstance(value, Iterable):
                raise ValueError(f"{name} must be a list of texts, got {got(value)}.")
        self.rows = [(str(a), str(b), str(c)) for a, b, c in rows]
        self.columns = tuple(map(str, columns))
        self.notes = tuple(map(str, notes))

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, *, uncorrected: bool = True) -> Self:
        """Make a table of the intervals of a search, or of some of them.

        Parameters
        ----------
        frame : DataFrame
            From `intervals_frame` of a fitted search, or a part of it.
        uncorrected : bool, default=True
            Whether a row with the best cross-validated score comes before the estimates of each
            metric.

        Returns
        -------
        ResultsTable
            Three columns: the score, as people print it and with the sign that they print, the
            estimate with its interval, and the method.

        Raises
        ------
        ValueError
            If a column is missing.
        """
        if not isinstance(frame, pd.DataFrame):
            raise ValueError(f"frame must be what intervals_frame() returns, got {got(frame)}.")
        missing = [name for name in NEEDED_COLUMNS if name not in frame.columns]
        if missing:
            raise ValueError(
                f"frame has no column {missing[0]!r}. Pass what intervals_frame() returns, or "
                "some rows of it."
            )
        levels = frame["confidence_level"].astype(float).unique()
        shared = percent(levels[0]) if len(levels) == 1 else ""
        rows: list[tuple[str, str, str]] = []
        best_scores: set[tuple[str, str]] = set()
        losses: dict[str, None] = {}
        unaware: dict[str, None] = {}
        positive: dict[str, Any] = {}
        for row in frame.to_dict("records"):
            score, best = row["estimate"], row["best_score"]
            sign = row.get("sign")
            words = metric_words(
                row["metric"], [best, score, row["low"], row["high"]],
                None if sign is None or math.isnan(sign) else int(sign),
            )  # fmt: skip
            printed = printed_score(
                words, score, row["low"], row["high"], others=[best],
                confidence_level=row["confidence_level"], alternative=row["alternative"],
            )  # fmt: skip
            if not pd.isna(row.get("positive_class")):
                positive[words.name] = row["positive_class"]
            method = row.get("printed_method") or method_words(row["method"]).short
            if isinstance(row.get("tuned_by"), str):
                method += ", as if tuned by this metric"
            same = (row["metric"], repr(best))
            if uncorrected and not math.isnan(best) and same not in best_scores:
                best_scores.add(same)
                rows.append((words.name, printed.others[0], NOT_CORRECTED))
            cell = NONE if math.isnan(score) else printed.cell()
            if not shared and printed.has_interval:
                cell = f"{printed.estimate} ({printed.level} CI {printed.bounds()})"
            rows.append((words.name, cell, method))
            if row.get("selection_aware") is False and cell != NONE:
                unaware[method] = None
            if words.is_loss:
                losses[words.name] = None
        notes = [f"Smaller is better: {', '.join(losses)}."] if losses else []
        if positive:
            notes.append(f"Positive class: {positive_classes(positive)}.")
        if unaware:
            notes.append(f"Not corrected for the selection: {', '.join(unaware)}.")
        title = f"estimate ({shared} CI)" if shared else "estimate"
        return cls(rows, ("score", title, "method"), notes)

    def to_frame(self) -> pd.DataFrame:
        """Return the texts as a data frame.

        Returns
        -------
        DataFrame
            Three columns of text.
        """
        return pd.DataFrame(self.rows, columns=list(self.columns))

    def to_text(self) -> str:
        """Return the table as aligned plain text.

        Returns
        -------
        str
            A line for each row, with a line below the titles.
        """
        lines = [self.columns, *self.rows]
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        texts = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
        texts.insert(1, "  ".join("-" * width for width in widths))
        return "\n".join([*texts, *self.notes])

    def to_markdown(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the table in GitHub's Markdown.

        Parameters
        ----------
        path : str or path-like, default=None
            File to write as well.

        Returns
        -------
        str
            Special characters are escaped.
        """
        head, body, notes = self._escaped("markdown")
        lines = [f"| {' | '.join(cells)} |" for cells in (head, *body)]
        lines.insert(1, "|" + "---|" * 3)
        return _written("\n".join([*lines, *(f"\n{note}" for note in notes)]), path)

    @constrained(caption=Text(or_none=True), label=Text(or_none=True))
    def to_latex(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        caption: str | None = None,
        label: str | None = None,
    ) -> str:
        """Return the table in LaTeX, with the rules of the package booktabs.

        Parameters
        ----------
        path : str or path-like, default=None
            File to write as well.
        caption : str, default=None
            Plain text above the table; with it (or `label`) the table is put into a ``table``.
        label : str, default=None
            Its label, for ``\\\\ref``.

        Returns
        -------
        str
            Needs ``\\\\usepackage{booktabs}``. Special characters are escaped.
        """
        head, body, notes = self._escaped("latex")
        title, *rest = [rf"{' & '.join(cells)} \\" for cells in (head, *body)]
        lines = [r"\begin{tabular}{lll}", r"\toprule", title, r"\midrule", *rest, r"\bottomrule",
                 r"\end{tabular}"]  # fmt: skip
        lines += [rf"\par\smallskip {note}" for note in notes]
        if caption is not None or label is not None:
            above = [] if caption is None else [rf"\caption{{{_latex_cell(caption)}}}"]
            above += [] if label is None else [rf"\label{{{label}}}"]
            lines = [r"\begin{table}", r"\centering", *above, *lines, r"\end{table}"]
        return _written("\n".join(lines), path)

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the table as a fragment of HTML.

        Parameters
        ----------
        path : str or path-like, default=None
            File to write as well.

        Returns
        -------
        str
            A ``<table>`` without styles or scripts, and a paragraph for each note.
        """
        head, body, notes = self._escaped("html")
        titles = "".join(f'<th scope="col">{name}</th>' for name in head)
        rows = ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in body]
        lines = ["<table>", f"<thead><tr>{titles}</tr></thead>", "<tbody>", "\n".join(rows)]
        lines += ["</tbody>", "</table>", *(f"<p>{note}</p>" for note in notes)]
        return _written("\n".join(lines), path)

    def _escaped(self, style: str) -> tuple[list[str], list[list[str]], list[str]]:
        """Escape the titles, rows and notes for a style."""
        titles, *rows = [[*map(ESCAPES[style], cells)] for cells in (self.columns, *self.rows)]
        return titles, rows, [*map(ESCAPES[style], self.notes)]

    def _repr_html_(self) -> str:
        return self.to_html()

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"ResultsTable({count(len(self.rows), 'row')})"


def _written(text: str, path: str | os.PathLike[str] | None) -> str:
    if path is not None:
        with replacing(path_of(path)) as file:
            file.write(f"{text}\n".encode())
    return text
