"""Plain text made fit for Markdown, LaTeX and HTML: everything special is escaped."""

from __future__ import annotations

import math
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd

from .._text import count, method_words, metric_words, percent, positive_classes, printed_score
from .._utils import did_you_mean

_REGISTRY: dict[str, Style] = {}

ALIASES = {"md": "markdown", "method": "methods", "plain": "text", "tex": "latex", "txt": "text"}
"""What people call the styles, in small letters and digits only."""


class Style(ABC):
    """Where a text goes, and so what has to be escaped in it."""

    name: ClassVar[str]

    def __init_subclass__(cls) -> None:
        _REGISTRY[cls.name] = cls()

    @abstractmethod
    def escape(self, text: str) -> str:
        """Plain text so that it reads the same in this style."""


class Text(Style):
    """Plain text."""

    name = "text"

    def escape(self, text: str) -> str:
        return text


class Markdown(Style):
    """CommonMark, GitHub's tables included."""

    name = "markdown"
    _SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&])")

    def escape(self, text: str) -> str:
        return self._SPECIAL.sub(r"\\\1", text)


class Latex(Style):
    """LaTeX, for the body of a text."""

    name = "latex"
    _SPECIAL: ClassVar[dict[str, str]] = {
        "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
        "^": r"\textasciicircum{}", "_": r"\_", "~": r"\textasciitilde{}", "%": r"\%",
        "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
        '"': r"\textquotedbl{}", "²": r"\textsuperscript{2}",
        "\u2212": "$-$",
    }  # fmt: skip
    _NUMBER = re.compile(r"(?<![\w.\-])(-?)(\d[\d,]*(?:\.\d+)?)(?:e([+-]\d+))?(?![\w])")

    def escape(self, text: str) -> str:
        escaped = "".join(self._SPECIAL.get(character, character) for character in text)
        return self._NUMBER.sub(self._number, escaped)

    @staticmethod
    def _number(found: re.Match[str]) -> str:
        """A minus that is none in a word, and powers of ten, in mathematics."""
        sign, digits, power = found.groups()
        if power is not None:
            return rf"${sign}{digits}\times10^{{{int(power)}}}$"
        return f"$-${digits}" if sign else digits


class Html(Style):
    """HTML, for the content of an element or an attribute in quotes."""

    name = "html"

    def escape(self, text: str) -> str:
        return escape(text, quote=True)


def styles() -> dict[str, Style]:
    """All styles by name."""
    return dict(_REGISTRY)


def style_named(name: str, known: tuple[str, ...]) -> str:
    """`name`, if it is one of the known styles."""
    if isinstance(name, str) and name in known:
        return name
    meant = did_you_mean(name, known, ALIASES)
    raise ValueError(f"style must be one of {list(known)}, got {name!r}.{meant}")


COLUMNS = (
    "metric", "method", "best_score", "estimate", "low", "high", "confidence_level", "alternative",
)  # fmt: skip
"""Columns of `intervals_frame` without which there is no table."""
NOT_CORRECTED = "uncorrected cross-validation"
NONE = "no interval could be computed"


class ResultsTable:
    """Estimates with their intervals, ready to be printed.

    Made by `results_table` and by the `table` method of a fitted search.

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
        self.rows = [(str(a), str(b), str(c)) for a, b, c in rows]
        self.columns = tuple(map(str, columns))
        self.notes = tuple(map(str, notes))

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
        widths = [max(len(line[k]) for line in lines) for k in range(3)]
        texts = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
                 for line in lines]  # fmt: skip
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
        style = styles()["markdown"]

        def line(cells: Iterable[str]) -> str:
            return "| " + " | ".join(cells) + " |"

        body = [line(map(style.escape, cells)) for cells in (self.columns, *self.rows)]
        body.insert(1, "|" + "---|" * 3)
        notes = [f"\n{style.escape(note)}" for note in self.notes]
        return _written("\n".join(body + notes), path)

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
        style = styles()["latex"]

        def line(cells: Iterable[str]) -> str:
            return " & ".join(cells) + r" \\"

        title, *body = [line(map(style.escape, cells)) for cells in (self.columns, *self.rows)]
        lines = [r"\begin{tabular}{lll}", r"\toprule", title, r"\midrule", *body, r"\bottomrule",
                 r"\end{tabular}"]  # fmt: skip
        lines += [rf"\par\smallskip {style.escape(note)}" for note in self.notes]
        if caption is not None or label is not None:
            head = [] if caption is None else [rf"\caption{{{style.escape(caption)}}}"]
            head += [] if label is None else [rf"\label{{{label}}}"]
            lines = [r"\begin{table}", r"\centering", *head, *lines, r"\end{table}"]
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
        style = styles()["html"]
        head = "".join(f'<th scope="col">{style.escape(name)}</th>' for name in self.columns)
        body = "\n".join(f"<tr>{_cells(row, style)}</tr>" for row in self.rows)
        table = f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
        notes = [f"<p>{style.escape(note)}</p>" for note in self.notes]
        return _written("\n".join([table, *notes]), path)

    def _repr_html_(self) -> str:
        return self.to_html()

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"ResultsTable({count(len(self.rows), 'row')})"


def _cells(row: Iterable[str], style: Style) -> str:
    return "".join(f"<td>{style.escape(cell)}</td>" for cell in row)


def _written(text: str, path: str | os.PathLike[str] | None) -> str:
    if path is not None:
        Path(path).write_text(text + "\n", encoding="utf-8")
    return text


def results_table(frame: pd.DataFrame, *, uncorrected: bool = True) -> ResultsTable:
    """Make a table for a paper from the intervals of a search.

    Parameters
    ----------
    frame : DataFrame
        From `intervals_frame` of a fitted search, or a part of it:
        ``search.intervals_frame().pipe(results_table)``.
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

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from sklearn_bbc import BBCSearchCV
    >>> from sklearn_bbc.report import results_table
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> grid = {"max_depth": [1, 2, 3]}
    >>> search = BBCSearchCV(tree, grid, random_state=0).fit(X, y)
    >>> table = search.intervals_frame().pipe(results_table)
    >>> table.columns
    ('score', 'estimate (95% CI)', 'method')
    >>> [method for _, _, method in table.rows]
    ['uncorrected cross-validation', 'BBC']
    """
    missing = [name for name in COLUMNS if name not in frame.columns]
    if missing:
        raise ValueError(
            f"frame has no column {missing[0]!r}. Pass what intervals_frame() returns, or some "
            "rows of it."
        )
    records: list[dict[str, Any]] = [
        {str(key): value for key, value in row.items()} for row in frame.to_dict("records")
    ]
    levels = {float(row["confidence_level"]) for row in records}
    shared = percent(levels.pop()) if len(levels) == 1 else ""
    rows: list[tuple[str, str, str]] = []
    told: set[tuple[str, str]] = set()
    losses, unaware = [], []
    positive: dict[str, Any] = {}
    for row in records:
        values = [row[name] for name in ("best_score", "estimate", "low", "high")]
        sign = row.get("sign")
        words = metric_words(
            row["metric"], values, None if sign is None or math.isnan(sign) else int(sign)
        )
        printed = printed_score(
            words, row["estimate"], row["low"], row["high"],
            confidence_level=row["confidence_level"],
            alternative=row["alternative"], others=[row["best_score"]],
        )  # fmt: skip
        method = method_words(row["method"]).short
        label = row.get("positive_class")
        if label is not None and not (isinstance(label, float) and math.isnan(label)):
            positive[words.name] = label
        if isinstance(row.get("tuned_by"), str):
            method += ", as if tuned by this metric"
        if uncorrected and not math.isnan(row["best_score"]):
            line = (words.name, printed.others[0], NOT_CORRECTED)
            if (row["metric"], f"{row['best_score']!r}") not in told:
                told.add((row["metric"], f"{row['best_score']!r}"))
                rows.append(line)
        cell = printed.cell() if not math.isnan(row["estimate"]) else NONE
        if not shared and printed.has_interval:
            cell = f"{printed.estimate} ({printed.level} CI {printed.bounds()})"
        rows.append((words.name, cell, method))
        if row.get("selection_aware") is False and cell != NONE and method not in unaware:
            unaware.append(method)
        if words.is_loss and words.name not in losses:
            losses.append(words.name)
    title = f"estimate ({shared} CI)" if shared else "estimate"
    notes = [f"Smaller is better: {', '.join(losses)}."] if losses else []
    if positive:
        notes.append(f"Positive class: {positive_classes(positive)}.")
    if unaware:
        notes.append(f"Not corrected for the selection: {', '.join(unaware)}.")
    return ResultsTable(rows, ("score", title, "method"), notes)
