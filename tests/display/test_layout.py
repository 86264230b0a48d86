"""Texts, numbers, labels and marks that plots share."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_bbc.display._layout import (
    CUT,
    beside_each_other,
    fit_names,
    fitted,
    label_in_search,
    labelled,
    name_rows,
    text_width,
)

plt = pytest.importorskip("matplotlib.pyplot", reason="pictures need the extra 'plot'")
LONG = "select__estimator__histgradientboosting__min_samples_leaf=20"


def axes(width, height):
    figure = plt.figure(figsize=(10, 10))
    return figure.add_axes((0, 0, width / 10, height / 10))


@settings(max_examples=60, deadline=None)
@given(
    st.text(alphabet="ab _=,(1.", max_size=60),
    st.floats(20, 200),
    st.integers(1, 4),
)
def test_no_line_is_wider_than_its_room_and_there_are_not_too_many(text, width, most):
    lines = fitted(text, width, 8.0, most).split("\n")
    assert len(lines) <= most
    assert all(text_width(line, 8.0) <= width for line in lines if len(line) > 1)


def test_lines_end_between_words_and_nothing_is_lost():
    text = "linear discriminant analysis (4.17)"
    assert fitted(text, 80, 8.0).split("\n") == ["linear discriminant", "analysis (4.17)"]
    assert fitted(LONG, 120, 8.0).replace("\n", "") == LONG
    assert fitted(LONG, 160, 8.0).split("\n")[0].endswith("_"), "a name is broken at its parts"


def test_what_does_not_fit_keeps_its_end():
    first, second = (fitted(f"{LONG}{k}", 90, 8.0, 1) for k in (1, 2))
    assert first.startswith("select") and first.endswith("=201") and CUT in first
    assert second.endswith("=202")


def test_a_dollar_is_no_formula():
    ax = axes(3, 2)
    label = ax.set_xlabel(fitted("a $x$ and $y$", 200, 8.0))
    ax.figure.draw_without_rendering()
    assert label.get_text().count(r"\$") == 4


def test_names_are_as_large_as_they_can_be():
    texts, size = fit_names(["short", "names"], 100, 30)
    assert (texts, size) == (["short", "names"], 9.5)
    texts, size = fit_names([LONG], 100, 24)
    assert 5 <= size < 9.5 and texts[0].replace("\n", "") == LONG
    texts, size = fit_names([LONG], 60, 10)
    assert size == 5 and CUT in texts[0]
    _, size = fit_names([LONG], 60, 10, below=[["0.9 [0.8, 1.0]"]])
    assert size == pytest.approx(10 / 1.25 / 2), "what stands below is never left out"


def test_letters_are_smaller_before_a_name_is_shortened():
    ax = axes(3, 1.6)
    ax.set_ylim(-3.6, 0.6)
    names = [f"select__min_samples_leaf={k}, learning_rate=0.1" for k in range(4)]
    size = name_rows(ax, [0, -1, -2, -3], names)
    labels = ["".join(label.get_text().split()) for label in ax.get_yticklabels()]
    assert labels == ["".join(name.split()) for name in names] and 5 <= size < 8


def test_equal_scores_are_putbeside_each_other():
    heights = beside_each_other(np.array([0.5, 0.5, 0.5, 0.9]), 0.01)
    assert sorted(heights[:3]) == pytest.approx([-0.16, 0, 0.16]) and heights[3] == 0
    many = beside_each_other(np.full(200, 0.5), 0.01)
    assert len(np.unique(many)) == 200 and np.abs(many).max() <= 0.32
    assert (beside_each_other(np.full(1, 0.5), 0.0) == 0).all()


def test_names_in_a_search(make_interval):
    assert label_in_search("bbc", make_interval("bbc")) == "BBC"
    assert label_in_search("bbc_2", make_interval("bbc")) == "BBC (2)"
    assert label_in_search("median_bbc", make_interval("median_bbc")) == "median_bbc"
    assert label_in_search("mine", make_interval("bbc")) == "mine"


def test_labels_that_are_printed_alike_are_refused(make_interval):
    with pytest.raises(ValueError, match=r"must have different labels, got \[1, '1'\]"):
        labelled({1: make_interval(), "1": make_interval()})
