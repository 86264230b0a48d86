"""Texts, marks and limits of plots; texts in small axes are smaller, broken, or cut."""

from __future__ import annotations

import dataclasses
import math
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .._text import TURNED_SIDES, MetricWords, metric_words, percent, result_words, shown
from .._utils import got
from ..results._results import ConfidenceInterval

if TYPE_CHECKING:
    from matplotlib.axes import Axes


NARROW = 4.6
"""Axes narrower than this many inches have numbers below names, not at the other side."""
LARGEST, READABLE, SMALLEST = 9.5, 6.5, 5.0
"""Sizes of texts in points; below the second one only in narrow axes."""
LINE = 1.25
"""Height of a line of text, as a multiple of its size."""
NAMES_SHARE = 0.42
"""Part of the width that names beside the rows may take."""
CUT = "\N{HORIZONTAL ELLIPSIS}"


def size_of(ax: Axes) -> tuple[float, float]:
    """Measure the width and height of the axes in points."""
    box, dpi = ax.get_window_extent(), ax.figure.dpi
    return 72 * box.width / dpi, 72 * box.height / dpi


def is_narrow(ax: Axes) -> bool:
    """Check whether there is too little space for texts at both sides."""
    return size_of(ax)[0] < 72 * NARROW


def text_size(ax: Axes, largest: float = 9.0) -> float:
    """Choose the size of texts that have a line to themselves: smaller in small axes."""
    width, height = size_of(ax)
    return max(6.0, min(largest, width / 28, height / 14))


@lru_cache(maxsize=4096)
def text_width(text: str, size: float) -> float:
    """Measure the width of a line of text in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    width, _, _ = text_to_path.get_text_width_height_descent(
        text, FontProperties(size=size), ismath=False
    )
    return float(width)


def fitted(text: str, width: float, size: float, most: int = 99) -> str:
    """Break a text into lines, without its middle where these would be more than `most`."""

    def lines(kept: int) -> list[str]:
        shown = text if kept == len(text) else _without_middle(text, kept)
        return [line for part in shown.split("\n") for line in _lines(part, width, size)]

    kept = len(text)
    if len(lines(kept)) > most:
        # One letter less than the fewest that are too many.
        kept = 1 + bisect_left(range(2, kept), True, key=lambda n: len(lines(n)) > most)
    return "\n".join(lines(kept)[:most]).replace("$", r"\$")


def _without_middle(text: str, kept: int) -> str:
    return f"{text[: kept - kept // 2].rstrip()}{CUT}{text[-(kept // 2) :].lstrip()}"


def _lines(text: str, width: float, size: float) -> list[str]:
    """Break a text between words, within a word only where it is too long for a line."""
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
    share: float = NAMES_SHARE,
) -> float:
    """Write names to the left of rows, as large as the height of a row permits."""
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
    """Break names into lines and choose one size for all of them."""
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


def label_x(ax: Axes, *lines: str, centred: bool = False) -> float:
    """Write the label of the x axis, a line for each text, and give its height in points.

    In narrow axes it ends at the right end of the axis, since names leave space at its left,
    unless it is to be centred within the axis, as between panels.
    """
    width, _ = size_of(ax)
    size = text_size(ax)
    space = 0.9 * width if centred else 1.1 * width
    text = "\n".join(fitted(line, space, size) for line in lines if line)
    options: dict[str, Any] = {"loc": "right"} if is_narrow(ax) and not centred else {}
    ax.set_xlabel(text, fontsize=size, **options)
    ax.tick_params(axis="x", labelsize=size)
    if is_narrow(ax):
        ax.locator_params(axis="x", nbins=3)
    return (1 + text.count("\n")) * LINE * size


def label_y(ax: Axes, text: str) -> None:
    """Write the label of the y axis on as many lines as its height requires."""
    _, height = size_of(ax)
    size = text_size(ax)
    ax.set_ylabel(fitted(text, 0.9 * height, size), fontsize=size)
    ax.tick_params(axis="y", labelsize=size)


def legend_above(ax: Axes, columns: int = 4) -> float:
    """Put the legend above the axes, where it covers nothing, and give its height in points."""
    handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return 0.0
    width, _ = size_of(ax)
    size = text_size(ax)
    space = 1.15 * width
    each = max(text_width(label, size) for label in labels) + 3.2 * size
    columns = max(1, min(columns, len(labels), int(space / each)))
    ax.legend(
        handles, labels, loc="lower right", bbox_to_anchor=(1, 1), ncols=columns, frameon=False,
        fontsize=size, borderaxespad=0.2, handletextpad=0.4, columnspacing=1.0,
        handlelength=1.4, labelspacing=0.25, markerscale=0.8,
    )  # fmt: skip
    height = -(-len(labels) // columns) * LINE * size
    _lift_title(ax, height + 0.6 * size)
    return height


def _lift_title(ax: Axes, height: float) -> None:
    """Keep a title, which may come later, above a legend of so many points above the axes.

    Matplotlib puts titles above all child axes: an empty one stands where the legend is.
    """
    from matplotlib.transforms import ScaledTranslation

    top_left: Any = ax.transAxes
    inches = ax.figure.dpi_scale_trans + ScaledTranslation(0, 1, top_left)
    empty = ax.inset_axes((0, 0, 0.01, height / 72), transform=inches)
    empty.set_axis_off()
    empty.set_in_layout(False)


def panels(ax: Axes, n: int) -> list[Axes]:
    """Divide axes into so many side by side; the given ones become the first."""
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


# Okabe and Ito's palette: distinct with every kind of colour vision, and in grey by the
# line styles that go with them.
INTERVAL = "#0072B2"
SCORE_MARKS: dict[str, dict[str, Any]] = {
    "best CV score": {"color": "#D55E00", "linestyle": (0, (5, 2))},
    "its folds pooled": {"color": "#CC79A7", "linestyle": (0, (1, 1.5))},
    "held-out score": {"color": "#1A1A1A", "linestyle": "-"},
}


def axis_numbers(*values: float) -> list[str]:
    """Write numbers that stand side by side, with the axis's minus."""
    texts = iter(shown(*(value for value in values if not math.isnan(value))))
    written = ["undefined" if math.isnan(value) else next(texts) for value in values]
    return [text.replace("-", "\N{MINUS SIGN}") for text in written]


def bounds_text(estimate: float, low: float, high: float, alternative: str) -> str:
    """Write an estimate and its bounds; of a one-sided interval only the bound asked for."""
    if math.isnan(low) or math.isnan(high):
        return f"{axis_numbers(estimate)[0]}  no interval"
    # A bound that is not shown is the end of a range, and must not cost decimals.
    bounds = {"greater": (low,), "less": (high,)}.get(alternative, (low, high))
    sign = {"greater": "≥ ", "less": "≤ "}.get(alternative, "")
    one, *others = axis_numbers(estimate, *bounds)
    return f"{one}  [{sign}{', '.join(others)}]"


def interval_text(result: ConfidenceInterval) -> str:
    """Write the estimate and bounds of a result."""
    return bounds_text(result.estimate, result.low, result.high, result.alternative)


def level_text(results: Mapping[str, ConfidenceInterval]) -> str:
    """Name the brackets of `interval_text`, for all results together."""
    levels = {percent(result.confidence_level) for result in results.values()}
    return f"{levels.pop()} interval" if len(levels) == 1 else "interval"


def draw_interval(ax: Axes, y: float, result: ConfidenceInterval) -> None:
    """Draw a dot for the estimate and a bar for the interval at height `y`.

    A side that the interval leaves open has no cap.
    """
    capped = (result.alternative != "less", result.alternative != "greater")
    draw_bar(ax, y, result.estimate, (result.low, result.high), capped)


def draw_bar(
    ax: Axes,
    y: float,
    estimate: float,
    bounds: tuple[float, float],
    capped: tuple[bool, bool] = (True, True),
) -> None:
    """Draw a dot and a bar at height `y`; to an infinite bound an arrow leaves the axes.

    A dot without a bar, where a bound is NaN, is open.
    """
    style: dict[str, Any] = {"color": INTERVAL, "zorder": 3, "clip_on": False}
    has_bar = not any(map(math.isnan, bounds))
    if has_bar:
        ends = []
        for bound, has_cap, edge, arrow in zip(bounds, capped, ax.get_xlim(), "<>", strict=True):
            if math.isinf(bound):
                ax.plot([edge], [y], arrow, **style)
            elif has_cap:
                # In points, so that caps look the same whatever the height of a row is.
                ax.plot([bound], [y], "|", markersize=11, markeredgewidth=2, **style)
            ends.append(edge if math.isinf(bound) else bound)
        ax.plot(ends, [y, y], linewidth=2, solid_capstyle="butt", **style)
    if not math.isnan(estimate):
        face, edge_color = (INTERVAL, "white") if has_bar else ("white", INTERVAL)
        ax.plot([estimate], [y], "o", color=face, markersize=6.5, mec=edge_color, zorder=4)


def write_beside(
    ax: Axes, y: float, text: str, size: float = 9.0, color: str = "black", down: float = 0.0
) -> None:
    """Write a text to the right of the axes, at height `y` or some points below it."""
    ax.annotate(
        text, (1, y), (10, -down), xycoords=("axes fraction", "data"), fontsize=size, color=color,
        textcoords="offset points", va="center", annotation_clip=False,
    )  # fmt: skip


def limits(values: list[float], margin: float = 0.04) -> tuple[float, float]:
    """Choose the limits of the axis of scores around all finite values."""
    finite = [value for value in values if math.isfinite(value)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    pad = margin * (high - low) or 0.05 * abs(high) or 0.05
    return low - pad, high + pad


def draw_marks(ax: Axes, marks: Mapping[str, float]) -> float:
    """Draw a line across the axes for each mark, named above; give the points of the names."""
    for label, value in marks.items():
        text = f"{label} {axis_numbers(value)[0]}"
        ax.axvline(value, linewidth=1.6, zorder=2, label=text, **SCORE_MARKS[label])
    return legend_above(ax, columns=2)


def beside_each_other(values: np.ndarray, width: float) -> np.ndarray:
    """Choose heights between -0.32 and 0.32 that keep dots with nearly equal values apart.

    `values` (n,).
    """
    bins = np.floor(values / width) if width > 0 else np.zeros(len(values))
    heights = np.zeros(len(values))
    for each in np.unique(bins):
        here = np.flatnonzero(bins == each)
        ranks = np.arange(len(here)) - (len(here) - 1) / 2
        step = min(0.16, 0.64 / max(len(here) - 1, 1))
        heights[here[np.argsort(values[here], kind="stable")]] = step * ranks
    return heights


def framed(ax: Axes, hidden: Sequence[str] = ("right", "top"), grid: Any = "both") -> None:
    """Leave the frame of a curve open at the top and the right, with a faint grid."""
    ax.spines[list(hidden)].set_visible(False)
    ax.grid(axis=grid, color="0.91", linewidth=0.8)
    ax.set_axisbelow(True)


def bare(ax: Axes) -> None:
    """Leave only what carries information: the axis of scores and a faint grid."""
    framed(ax, ("left", "right", "top"), "x")
    ax.tick_params(axis="y", length=0)
    ax.locator_params(axis="x", nbins=6)  # long numbers need room
    ax.ticklabel_format(axis="x", style="plain", useOffset=False)  # nothing to add in the head


AnyResult = TypeVar("AnyResult")

SIDE_NAMES = {"two-sided": "two-sided", "greater": "lower bound", "less": "upper bound"}


def labelled_results(
    results: Any,
    kind: type[AnyResult],
    made: Callable[[list[AnyResult]], list[str]],
    hint: str = "",
) -> dict[str, AnyResult]:
    """Give each result the label under which it is shown; those of a mapping are its keys."""
    values = results.values() if isinstance(results, Mapping) else results
    single = isinstance(values, kind) or not isinstance(values, Iterable)
    several: list[Any] = [values] if single else list(values)
    if not several:
        raise ValueError(f"results is empty: give at least one {kind.__name__}.")
    for each in several:
        if not isinstance(each, kind):
            raise ValueError(
                f"results must be {kind.__name__} objects, got {got(each)}."
                + (f" {hint}" if hint else "")
            )
    labels = [str(label) for label in results] if isinstance(results, Mapping) else made(several)
    if len(set(labels)) < len(labels):
        raise ValueError(f"results must have different labels, got {list(results)}.")
    return dict(zip(labels, several, strict=True))


def check_kind(name: str, value: Any, kind: type, maker: str) -> None:
    """Raise unless a plot of one result is given such a result."""
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise ValueError(
            f"{name} must be {article} {kind.__name__}, got {got(value)}. {maker} makes one."
        )


def labelled(results: Any) -> dict[str, ConfidenceInterval]:
    """Label intervals: the method, and as much as distinguishes them."""

    def labels(several: list[ConfidenceInterval]) -> list[str]:
        return distinct([result_words(each).short for each in several], several)

    return labelled_results(results, ConfidenceInterval, labels)


def distinct(names: list[str], results: Sequence[Any], *parts: list[str]) -> list[str]:
    """Make labels of as few parts as distinguish all results."""
    metrics = [f", {metric_words(result.metric).name}" for result in results]
    levels = [f", {percent(r.confidence_level)} {SIDE_NAMES[r.alternative]}" for r in results]
    following = [*parts, metrics, levels]
    several = [following[:k] for k in range(2, len(following) + 1)]
    for more in ([], *([part] for part in following), *several):
        labels = ["".join(texts) for texts in zip(names, *more, strict=True)]
        if len(set(labels)) == len(labels):
            return labels
    return [f"{k + 1}: {name}" for k, name in enumerate(names)]


def label_in_search(name: str, result: ConfidenceInterval) -> str:
    """Label a result by its name in a search, such as ``"bbc"`` or ``"bbc_2"``."""
    short, number = result_words(result).short, name.removeprefix(f"{result.method}_")
    if name == result.method:
        return short
    return name if number == name else f"{short} ({number})"


def words_of(
    results: Iterable[ConfidenceInterval], given: MetricWords | None = None
) -> MetricWords:
    """Find the printed metric of all results; "score" where they have several."""
    if given is not None:
        return given
    results = list(results)
    metrics = {result.metric for result in results}
    if len(metrics) > 1:
        return MetricWords("score")
    values = [value for r in results for value in (r.estimate, r.low, r.high)]
    return metric_words(metrics.pop(), values)


def direction(words: MetricWords) -> str:
    """Write the label of an axis of scores: the metric, and which end is better."""
    return f"{words.name} ({'smaller' if words.is_loss else 'greater'} is better)"


def in_print(result: ConfidenceInterval, words: MetricWords) -> ConfidenceInterval:
    """Give a result the sign that people print: for a loss, everything is reversed."""
    if not words.is_loss:
        return result
    low, high = words.natural_bounds(result.low, result.high)
    return dataclasses.replace(
        result,
        estimate=words.natural(result.estimate),
        low=low,
        high=high,
        alternative=TURNED_SIDES.get(result.alternative, result.alternative),
        draws=None if result.draws is None else 0.0 - result.draws,
    )
