"""Nothing is cut and no text covers another, in axes of any size and with long names."""

import pytest

from sklearn_bbc import display
from tests.display.hard_cases import CASES

plt = pytest.importorskip("matplotlib.pyplot", reason="pictures need the extra 'plot'")


def texts_of(ax):
    """All texts that can be seen, tick labels within the limits only."""
    ticks = []
    for axis, limits in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
        low, high = sorted(limits)
        labels = zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True)
        ticks += [label for at, label in labels if low <= at <= high]
        ticks += [axis.label, axis.get_offset_text()]
    legend = ax.get_legend()
    named = [] if legend is None else legend.get_texts()
    texts = [*ax.texts, *ticks, *named, ax.title]
    return [text for text in texts if text.get_text().strip() and text.get_visible()]


def assert_readable(figure, smallest):
    figure.draw_without_rendering()
    texts = [text for ax in figure.axes for text in texts_of(ax)]
    boxes = [text.get_window_extent() for text in texts]
    assert texts
    for k, (text, box) in enumerate(zip(texts, boxes, strict=True)):
        assert box.x0 >= -1 and box.x1 <= figure.bbox.x1 + 1, f"cut at a side: {text}"
        assert box.y0 >= -1 and box.y1 <= figure.bbox.y1 + 1, f"cut above or below: {text}"
        covered = [str(texts[j]) for j in range(k) if box.overlaps(boxes[j])]
        assert not covered, f"{text} covers {covered}"
        assert text.get_fontsize() >= smallest, f"too small to read: {text}"
    for ax in figure.axes:
        box = ax.get_window_extent()
        assert box.width > figure.bbox.width / 6 and box.height > figure.bbox.height / 5


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
def test_into_small_axes(name):
    figure, ax = plt.subplots(figsize=(3, 2), layout="constrained")
    CASES[name]().plot(ax=ax)
    assert_readable(figure, 3.5)


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
def test_into_a_figure_of_its_own_with_a_title(name):
    shown = CASES[name]().plot()
    if shown.figure_.axes == [shown.ax_]:  # several panels have titles of their own
        shown.ax_.set_title("What tuning costs")
    assert_readable(shown.figure_, 5)


def test_every_picture_has_a_hard_case():
    shown = {type(make()) for make in CASES.values()}
    ours = {
        cls
        for cls in display.registered().values()
        if cls.__module__.startswith("sklearn_bbc.display.")
    }
    assert shown == ours
