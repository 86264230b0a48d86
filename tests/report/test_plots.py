"""Pictures that stand in the page itself."""

import base64
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from sklearn_bbc.comparison import tied_with_best
from sklearn_bbc.display import TiedSetDisplay
from sklearn_bbc.intervals import BBC
from sklearn_bbc.report import _page
from sklearn_bbc.report._page import plots_of
from sklearn_bbc.testing import example_predictions
from tests.display.test_tied_set import tied_set
from tests.report.some_facts import facts, result
from tests.results.test_curves import curve, stability, subgroups
from tests.results.test_planning import sizes

LOSS = {"metric": "neg_log_loss", "estimate": -0.4, "low": -0.5, "high": -0.3}


@pytest.fixture(autouse=True)
def _needs_matplotlib():
    pytest.importorskip("matplotlib", reason="plots need matplotlib")


@pytest.fixture(scope="module")
def tied():
    return tied_with_best(
        example_predictions(), "roc_auc", draws=BBC(n_bootstraps=50, random_state=0)
    )


def svg(plot):
    kind, _, content = plot["address"].partition(",")
    assert kind == "data:image/svg+xml;base64"
    return base64.b64decode(content).decode("utf-8")


@pytest.mark.long
def test_both_plots_are_whole_svg_without_scripts_and_the_same_each_time(tied):
    made = plots_of(facts(), tied)
    assert list(made) == ["intervals", "tied"]
    for plot in made.values():
        text = svg(plot)
        ElementTree.fromstring(text)
        assert "<script" not in text and "ROC AUC" in plot["caption"] and not plot["failed"]
        assert "dc:date" not in text
    assert made == plots_of(facts(), tied)


@pytest.mark.long
def test_what_is_shown_besides_is_drawn_with_its_own_words():
    shown = [curve(), subgroups(), stability(), sizes()]
    made = plots_of(facts(further_results=shown), None)
    assert list(made) == ["intervals", "shown 0", "shown 1", "shown 3"]
    for k in (0, 1, 3):
        plot = made[f"shown {k}"]
        assert plot["caption"] == shown[k].summary() and not plot["failed"]
        ElementTree.fromstring(svg(plot))


@pytest.mark.long
def test_a_plot_grows_with_its_rows_up_to_ten_families(monkeypatch):
    drawn = _page._as_picture

    def only_tied(display, *given, **options):
        return drawn(display, *given, **options) if isinstance(display, TiedSetDisplay) else {}

    monkeypatch.setattr(_page, "_as_picture", only_tied)

    def height(n_families):
        made = plots_of(facts(), tied_set(n_families))["tied"]
        return float(ElementTree.fromstring(svg(made)).get("height").removesuffix("pt"))

    two, four, ten, twelve = map(height, (2, 4, 10, 12))
    assert 60 < four - two < 72 and ten - four == pytest.approx(3 * (four - two))
    assert twelve == ten


def test_families_beyond_ten_are_counted_not_plotted(monkeypatch):
    seen = []
    plot = TiedSetDisplay.plot
    monkeypatch.setattr(
        TiedSetDisplay, "plot", lambda self, ax, **opt: (seen.append(ax), plot(self, ax, **opt))
    )
    plots_of(facts(), tied_set(12))
    assert len(seen[0].get_yticks()) == 10


def test_no_window_and_no_figure_of_pyplot_is_left(tied):
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    plots_of(facts(), tied)
    assert plt.get_fignums() == before


def test_losses_have_their_printed_sign(monkeypatch):
    from sklearn_bbc.display import IntervalsDisplay

    seen = []
    plot = IntervalsDisplay.plot

    def plotted(self, ax=None, **options):
        seen.append(ax)
        return plot(self, ax, **options)

    monkeypatch.setattr(IntervalsDisplay, "plot", plotted)
    plots_of(facts(result(**LOSS), best_score=-0.38), None)
    (ax,) = seen
    assert ax.get_xlabel() == "log loss (smaller is better)"
    assert "best CV score 0.380" in [text.get_text() for text in ax.get_legend().get_texts()]
    assert ax.get_xlim()[0] > 0


def test_a_sign_that_only_the_scorer_knows_reaches_the_plot(monkeypatch):
    from sklearn_bbc.display import IntervalsDisplay

    seen = []
    plot = IntervalsDisplay.plot
    monkeypatch.setattr(
        IntervalsDisplay, "plot", lambda self, ax, **opt: (seen.append(ax), plot(self, ax, **opt))
    )
    own = facts(result(**{**LOSS, "metric": "my_own_loss"}), signs={"my_own_loss": -1})
    plots_of(own, None)
    assert seen[0].get_xlabel() == "my_own_loss (smaller is better)"


def test_results_that_failed_are_left_out():
    failed = result(details={"error": "why"}, estimate=np.nan, low=np.nan, high=np.nan)
    assert plots_of(facts(failed), None) == {}


def test_a_plot_that_fails_says_why(monkeypatch, tied):
    from sklearn_bbc.display import IntervalsDisplay

    def broken(self, ax=None, **options):
        raise RuntimeError("no ink")

    monkeypatch.setattr(IntervalsDisplay, "plot", broken)
    made = plots_of(facts(), tied)
    assert (
        made["intervals"]["failed"] == "RuntimeError: no ink" and not made["intervals"]["address"]
    )
    assert made["tied"]["address"]


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert plots_of(facts(), None) is None
