"""Pictures of a report, as texts that stand in the page itself."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

from ..display._labels import label_in_search
from ..results import TiedSet
from ._facts import SearchFacts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["NO_MATPLOTLIB", "Picture", "pictures_of"]

NO_MATPLOTLIB = (
    "Pictures are left out, since matplotlib is not installed: pip install sklearn-bbc[plot] "
    "brings it."
)
WIDTH = 7.6
ROW, HEAD = 0.46, 1.35
"""Inches per row, and around the rows."""
MOST_FAMILIES = 10


@dataclass(frozen=True)
class Picture:
    """A picture in a page.

    Parameters
    ----------
    address : str
        The picture itself, as a ``data:`` address.
    caption : str
        What it shows.
    failed : str
        Why there is no picture, where there is none.
    """

    address: str
    caption: str
    failed: str = ""


def pictures_of(facts: SearchFacts, tied: TiedSet | None) -> dict[str, Picture] | None:
    """Draw the intervals of the metric that selects, and the tied set.

    Parameters
    ----------
    facts : SearchFacts
        The search.
    tied : TiedSet or None
        Its tied set.

    Returns
    -------
    dict of str to Picture or None
        ``"intervals"`` and ``"tied"``, those that there are; None without matplotlib.
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return None
    return dict(_pictures(facts, tied))


def _pictures(facts: SearchFacts, tied: TiedSet | None) -> Iterator[tuple[str, Picture]]:
    from ..display import IntervalsDisplay, TiedSetDisplay

    metric = None if facts.main is None else facts.main.metric
    results = {
        label_in_search(name, result): result
        for name, result in facts.results.get(metric or "", {}).items()
        if "error" not in result.details
    }
    if metric is not None and results:
        best = facts.best_score(next(iter(results.values())))
        words = facts.words(metric)
        shown = IntervalsDisplay.from_results(results, best_score=best)
        shown._words = words
        yield (
            "intervals",
            _picture(
                lambda ax: shown.plot(ax, numbers=False),
                HEAD + ROW * len(results),
                f"Estimates of the {words.name} with their intervals, and the best "
                "cross-validated score, which is not corrected.",
            ),
        )
    if tied is not None:
        words = facts.words(tied.metric)
        families = len(set(tied.families)) or 1
        tied_display = TiedSetDisplay.from_results(tied)
        tied_display._words = words
        yield (
            "tied",
            _picture(
                lambda ax: tied_display.plot(ax, max_families=MOST_FAMILIES),
                HEAD + ROW * min(families, MOST_FAMILIES),
                f"The {words.name} of the configurations, on all held-out predictions together. "
                "Full dots may be the best.",
            ),
        )


def _picture(draw: Callable[[Axes], Any], height: float, caption: str) -> Picture:
    """Draw on a figure that no window and no notebook knows of."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    try:
        with rc_context({"svg.hashsalt": "sklearn-bbc", "svg.fonttype": "path"}):
            figure = Figure(figsize=(WIDTH, height), layout="constrained")
            axes = figure.subplots()
            draw(axes)
            file = BytesIO()
            figure.savefig(file, format="svg", metadata={"Date": None}, bbox_inches="tight")
    # A report without one of its pictures is better than none.
    except Exception as error:
        return Picture("", caption, f"{type(error).__name__}: {error}")
    content = base64.b64encode(file.getvalue()).decode("ascii")
    return Picture(f"data:image/svg+xml;base64,{content}", caption)
