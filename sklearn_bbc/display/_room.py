"""Texts that fit the room they have: smaller, on several lines, and in the end shortened."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NARROW = 4.6
"""Axes narrower than this many inches have numbers below names, not at the other side."""
LARGEST, READABLE, SMALLEST = 9.5, 6.5, 5.0
"""Sizes of texts in points; below the second one only in narrow axes."""
LINE = 1.25
"""Height of a line of text, as a multiple of its size."""
SHARE = 0.42
"""Part of the width that names beside the rows may take."""
CUT = "\N{HORIZONTAL ELLIPSIS}"


def size_of(ax: Axes) -> tuple[float, float]:
    """Width and height of the axes in points."""
    box, dpi = ax.get_window_extent(), ax.figure.dpi
    return 72 * box.width / dpi, 72 * box.height / dpi


def is_narrow(ax: Axes) -> bool:
    """Whether there is too little room for texts at both sides."""
    return size_of(ax)[0] < 72 * NARROW


def rows_of(ax: Axes, points: float, n_rows: float) -> float:
    """How many rows make up so many points, where the axes hold these and `n_rows` others."""
    _, height = size_of(ax)
    return points * n_rows / max(height - points, 0.3 * height)


def rows_in_points(ax: Axes, n_rows: float) -> float:
    """Height of so many units of the y axis."""
    low, high = sorted(ax.get_ylim())
    return n_rows * size_of(ax)[1] / (high - low)


def letters(ax: Axes, largest: float = 9.0) -> float:
    """Size of texts that have a line for themselves: smaller in small axes."""
    width, height = size_of(ax)
    return max(6.0, min(largest, width / 28, height / 14))


@lru_cache(maxsize=4096)
def text_width(text: str, size: float) -> float:
    """Width of a line of text in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    width, _, _ = text_to_path.get_text_width_height_descent(
        text, FontProperties(size=size), ismath=False
    )
    return float(width)


def fitted(text: str, width: float, size: float, most: int = 99) -> str:
    """Break a text into lines.

    Parameters
    ----------
    text : str
        Its own line breaks stay.
    width : float
        Room for a line in points.
    size : float
        Size of the letters in points.
    most : int, default=99
        Number of lines; where there are more, the middle of the text is left out, since names
        of parameters and of files differ at their ends.

    Returns
    -------
    str
        With line breaks. A dollar sign is only a dollar sign.
    """
    lines = _all_lines(text, width, size)
    if len(lines) > most:
        least, too_many = 2, len(text)  # letters that are kept
        while too_many - least > 1:
            kept = (least + too_many) // 2
            fits = len(_all_lines(_without_middle(text, kept), width, size)) <= most
            least, too_many = (kept, too_many) if fits else (least, kept)
        lines = _all_lines(_without_middle(text, least), width, size)
    return "\n".join(lines[:most]).replace("$", r"\$")


def _without_middle(text: str, kept: int) -> str:
    return f"{text[: kept - kept // 2].rstrip()}{CUT}{text[-(kept // 2) :].lstrip()}"


def _all_lines(text: str, width: float, size: float) -> list[str]:
    return [line for part in text.split("\n") for line in _lines(part, width, size)]


def _lines(text: str, width: float, size: float) -> list[str]:
    """Lines that end between words, within a word only where it is too long for a line."""
    words: list[str] = []
    for word in re.findall(r"\S+\s*|\s+", text):
        fits = text_width(word.rstrip(), size) <= width
        words += [word] if fits else re.findall(r"[^_=,;:/(-]*[_=,;:/(-]*", word)[:-1]
    lines, line = [], ""
    for word in words:
        if not line or text_width((line + word).rstrip(), size) <= width:
            line += word
        else:
            lines.append(line.rstrip())
            line = word
        while text_width(line.rstrip(), size) > width and len(line) > 1:
            end = len(line) - 1
            while end > 1 and text_width(line[:end], size) > width:
                end -= 1
            lines.append(line[:end])
            line = line[end:]
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def name_rows(
    ax: Axes,
    at: Sequence[float],
    names: Sequence[str],
    below: Iterable[Sequence[str]] = (),
    *,
    reserved: float = 0.0,
    share: float = SHARE,
) -> float:
    """Write names to the left of rows, as large as the height of a row lets them be.

    Parameters
    ----------
    ax : Axes
        With the limits of its y axis set.
    at : sequence of float
        Heights of the rows.
    names : sequence of str
        Names of the rows; what does not fit is shortened.
    below : iterable of sequences of str, default=()
        Lines below each name, which are never shortened.
    reserved : float, default=0
        Points of the axes' height that its labels will need.
    share : float, default=0.42
        Part of the width of the axes for the names.

    Returns
    -------
    float
        Size of the letters in points.
    """
    width, height = size_of(ax)
    low, high = sorted(ax.get_ylim())
    gaps = [abs(one - other) for one, other in pairwise(at)]
    distance = min(gaps) if gaps else high - low
    row = (height - reserved) * distance / (high - low)
    rest = [list(lines) for lines in below] or [[] for _ in names]
    sizes = (8.0, SMALLEST) if is_narrow(ax) else (LARGEST, READABLE)
    texts, size = fit_names(names, share * width, row, *sizes, below=rest)
    labels = ["\n".join([text, *lines]) for text, lines in zip(texts, rest, strict=True)]
    ax.set_yticks(list(at), labels, fontsize=size)
    return size


def fit_names(
    names: Sequence[str],
    width: float,
    height: float,
    largest: float = LARGEST,
    smallest: float = SMALLEST,
    below: Sequence[Sequence[str]] = (),
) -> tuple[list[str], float]:
    """Break names into lines and choose one size for all of them.

    Parameters
    ----------
    names : sequence of str
        What is written.
    width, height : float
        Points for each of them.
    largest, smallest : float, default=9.5 and 5
        Sizes; letters are smaller only where a row has no room for the smallest.
    below : sequence of sequences of str, default=()
        Lines that will stand below each, which may be wider than `width`.

    Returns
    -------
    texts : list of str
        Shortened where even the smallest letters do not fit.
    size : float
        Size of the letters in points.
    """
    deepest = max(map(len, below), default=0)
    extra = [line for lines in below for line in lines]
    width = max([width, *(text_width(line, smallest) for line in extra)])
    size = largest
    while True:
        lines = max(1, int(height / size / LINE) - deepest)
        texts = [fitted(name, width, size, lines) for name in names]
        whole = all(CUT not in text or CUT in name for text, name in zip(texts, names))
        fits = (lines + deepest) * size * LINE <= height
        fits = fits and all(text_width(line, size) <= width for line in extra)
        if size <= smallest or (whole and fits):
            break
        size = max(smallest, size - 0.5)
    return texts, max(3.5, min(size, height / LINE / (1 + deepest)))


def say_below(ax: Axes, *lines: str, centred: bool = False) -> float:
    """Write the label of the x axis, a line for each thing to say, and give its height in points.

    In narrow axes it ends at the right end of the axis, since names leave room at its left,
    unless it is to be centred within the axis, as between panels.
    """
    width, _ = size_of(ax)
    size = letters(ax)
    room = 0.9 * width if centred else 1.1 * width
    text = "\n".join(fitted(line, room, size) for line in lines if line)
    options: dict[str, Any] = {"loc": "right"} if is_narrow(ax) and not centred else {}
    ax.set_xlabel(text, fontsize=size, **options)
    ax.tick_params(axis="x", labelsize=size)
    if is_narrow(ax):
        ax.locator_params(axis="x", nbins=3)
    return (1 + text.count("\n")) * LINE * size


def say_beside(ax: Axes, text: str) -> None:
    """Write the label of the y axis on as many lines as its height asks for."""
    _, height = size_of(ax)
    size = letters(ax)
    ax.set_ylabel(fitted(text, 0.9 * height, size), fontsize=size)
    ax.tick_params(axis="y", labelsize=size)


def legend_above(ax: Axes, columns: int = 4) -> float:
    """Put the legend above the axes, where it covers nothing, and give its height in points."""
    handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return 0.0
    width, _ = size_of(ax)
    size = letters(ax)
    room = 1.15 * width
    each = max(text_width(label, size) for label in labels) + 3.2 * size
    columns = max(1, min(columns, len(labels), int(room / each)))
    ax.legend(
        handles, labels, loc="lower right", bbox_to_anchor=(1, 1), ncols=columns, frameon=False,
        fontsize=size, borderaxespad=0.2, handletextpad=0.4, columnspacing=1.0,
        handlelength=1.4, labelspacing=0.25, markerscale=0.8,
    )  # fmt: skip
    return -(-len(labels) // columns) * LINE * size


def panels(ax: Axes, n: int) -> list[Axes]:
    """Divide axes into so many side by side; the given ones become the first.

    Parameters
    ----------
    ax : Axes
        Of a grid of subplots, or placed by hand.
    n : int
        Number of panels.
    """
    if n == 1:
        return [ax]
    spec = ax.get_subplotspec()
    if spec is not None:
        parts = spec.subgridspec(1, n)
        ax.set_subplotspec(parts[0])
        return [ax, *(ax.figure.add_subplot(parts[k]) for k in range(1, n))]
    box, gap = ax.get_position(), 0.25
    width = box.width / (n + gap * (n - 1))
    places = [(box.x0 + k * (1 + gap) * width, box.y0, width, box.height) for k in range(n)]
    ax.set_position(places[0])
    return [ax, *(ax.figure.add_axes(place) for place in places[1:])]
