"""The contract of plots, on every registered one, and what those with marks share."""

import inspect
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from sklearn_bbc import best_of, compare, display, samples_for_width
from sklearn_bbc.comparison import Nemenyi, Side, learning_curve_intervals, tied_with_best
from sklearn_bbc.curves import corrected_curve
from sklearn_bbc.display import (
    BaseDisplay,
    DrawsDisplay,
    IntervalsDisplay,
    OptimismDisplay,
)
from sklearn_bbc.display._intervals import results_of_search
from sklearn_bbc.intervals import BBC, optimism_curve
from sklearn_bbc.testing import checks, example_predictions
from tests.display.hard_cases import stability

PICTURES = {
    name: cls
    for name, cls in display.registered().items()
    if cls.__module__.startswith("sklearn_bbc.display.")
}
SCORES = np.random.default_rng(0).normal(size=(8, 3)) + [0, 1, 2]


@cache
def other_values():
    """Values, by the name of their picture, of pictures of other values than intervals."""
    return {
        "critical_difference": Nemenyi().compare(SCORES),
        "differences": compare(
            example_predictions(), Side(oof=example_predictions(), config=0), "roc_auc",
            n_bootstraps=200, random_state=0,
        ),
        "learning_curve": learning_curve_intervals(
            LogisticRegression(), SCORES[:, :1].repeat(5, axis=0), np.arange(40) % 2, n_repeats=1,
            random_state=0,
        ),
        "boxes": SCORES,
        "curve": corrected_curve(example_predictions(), "roc_auc", method=BBC(n_bootstraps=50)),
        "coverage": pd.DataFrame({"method": list("abcd"), "coverage": [0.5, 0.9, 0.95, 1.0]}),
        "optimism": optimism_curve(example_predictions(), "roc_auc", method=BBC(n_bootstraps=200)),
        "ranks": SCORES,
        "sample_size": samples_for_width(
            example_predictions(), n_samples=[40, 80], scoring="roc_auc", n_studies=20,
            random_state=0,
        ),
        "sequential": pd.DataFrame({"a": [1.0, 1.5, 2.5], "b": [1.0, 0.8, 0.7]}),
        "stability": stability(),
        "systems": best_of(SCORES.repeat(2, axis=0), n_bootstraps=200, random_state=0),
        "tied_set": tied_with_best(example_predictions(), "roc_auc", draws=BBC(n_bootstraps=200)),
    }  # fmt: skip


every_figure = pytest.mark.parametrize("cls", PICTURES.values(), ids=PICTURES)

# What follows from a promise that only some pictures make: a row per result, and scores marked.
WITH_MARKS = {
    name: cls
    for name, cls in PICTURES.items()
    if "best_score" in inspect.signature(cls).parameters
}
with_marks = pytest.mark.parametrize("cls", WITH_MARKS.values(), ids=WITH_MARKS)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("check", checks(BaseDisplay), ids=lambda check: check.__name__)
@every_figure
def test_contract(cls, check):
    check(cls, results=other_values().get(cls.name))


@with_marks
def test_frame_holds_the_numbers(cls, results):
    frame = cls.from_results(results, best_score=0.95, held_out_score=0.92).frame()
    assert list(frame.index) == ["BBC", "BBC-F", "best CV score", "held-out score"]
    assert list(frame["estimate"]) == [0.9, 0.89, 0.95, 0.92]
    assert list(frame["low"].dropna()) == [0.84, 0.8]
    assert list(frame["high"].dropna()) == [0.95, 0.96]


@with_marks
def test_from_search_takes_the_metric_that_selects(cls, search):
    frame = cls.from_search(search, held_out_score=0.9).frame()
    assert list(frame.index) == ["BBC", "BBC-F", "best CV score", "held-out score"]
    assert frame.loc["best CV score", "estimate"] == 0.93
    assert set(frame["metric"]) == {"roc_auc"}


@with_marks
def test_from_search_with_another_metric_marks_that_metric_s_winner(cls, search):
    frame = cls.from_search(search, metric="accuracy").frame()
    assert list(frame["estimate"]) == [0.75, 0.8]


@with_marks
def test_from_search_with_one_metric(cls, search):
    search.refit = True
    del search.ci_results_["accuracy"]
    search.cv_results_ = {"mean_test_score": search.cv_results_["mean_test_roc_auc"]}
    assert cls.from_search(search).frame().loc["best CV score", "estimate"] == 0.93


@with_marks
def test_from_search_says_what_is_missing(cls, search):
    with pytest.raises(
        ValueError, match=r"'f1' is not a metric of this search; its metrics are \['accuracy', "
    ):
        cls.from_search(search, metric="f1")
    del search.ci_results_
    with pytest.raises(
        ValueError, match=r"has no intervals .* give a BBCSearchCV that was fitted"
    ):
        cls.from_search(search)


@with_marks
def test_labels_tell_results_apart(cls, make_interval):
    def labels(*results):
        return list(cls.from_results(list(results)).frame().index)

    assert labels(make_interval("bbc"), make_interval("bt")) == ["BBC", "bt"]
    assert labels(make_interval(), make_interval(metric="f1")) == ["BBC, ROC AUC", "BBC, F1 score"]
    assert labels(make_interval(), make_interval(alternative="greater")) == [
        "BBC, 95% two-sided",
        "BBC, 95% lower bound",
    ]
    assert labels(make_interval(), make_interval()) == ["1: BBC", "2: BBC"]
    assert list(cls.from_results(make_interval()).frame().index) == ["BBC"]


def minus(text):
    return text.replace("-", "\N{MINUS SIGN}")


@with_marks
def test_losses_have_the_sign_that_people_print(cls, make_interval):
    loss = make_interval(metric="neg_log_loss", estimate=-0.3, low=-0.5, high=-0.2)
    figure = cls.from_results({"BBC": loss}, best_score=-0.25).plot()
    texts = [text.get_text() for text in [*figure.ax_.texts, *figure.ax_.get_yticklabels()]]
    assert any("0.300  [0.200, 0.500]" in text for text in texts)
    assert [t.get_text() for t in figure.ax_.get_legend().get_texts()] == ["best CV score 0.250"]
    assert [2 * [0.25]] == [x.get_xdata() for x in figure.ax_.lines if x.get_linewidth() == 1.6]
    assert figure.ax_.get_xlabel().startswith("log loss (smaller is better)")
    assert figure.frame().loc["BBC", "estimate"] == -0.3, "numbers stay in scorer orientation"
    gain = make_interval(metric="mine", estimate=-0.3, low=-0.5, high=-0.2)
    figure = cls.from_results({"BBC": gain}).plot()
    texts = [text.get_text() for text in [*figure.ax_.texts, *figure.ax_.get_yticklabels()]]
    assert any(minus("-0.300  [-0.500, -0.200]") in text for text in texts)
    assert figure.ax_.get_xlabel().startswith("mine (greater is better)")


plt = pytest.importorskip("matplotlib.pyplot", reason="pictures need the extra 'plot'")


class Plain(BaseDisplay):
    why_no_search = "it shows nothing"

    @classmethod
    def from_results(cls, results):
        return cls()

    def frame(self):
        return pd.DataFrame()

    def plot(self, ax=None):
        self._axes(ax, height=1.5, width=4.0)
        return self


def test_a_figure_of_the_asked_size_or_the_given_axes():
    display = Plain().plot()
    assert display.figure_.get_size_inches().tolist() == [4.0, 1.5]
    assert display.ax_ in display.figure_.axes
    _, (one, other) = plt.subplots(1, 2)
    assert Plain().plot(ax=other).ax_ is other and not one.has_data()


def test_a_search_that_cannot_be_shown_is_refused_with_the_reason():
    with pytest.raises(
        ValueError, match=r"A int cannot be shown as Plain: it shows nothing\. Use"
    ):
        Plain.from_search(3)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (
            lambda: IntervalsDisplay(3),
            TypeError,
            "IntervalsDisplay takes no .*from_search or",
        ),
        (lambda: OptimismDisplay(curv=3), TypeError, r"OptimismDisplay\(curve="),
        (lambda: Plain().plot("x"), ValueError, "ax must be matplotlib Axes or None, got 'x'"),
        (lambda: Plain().plot(np.ones(3)), ValueError, r"got an array of shape \(3,\)"),
    ],
)
def test_what_was_probably_meant(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


@pytest.fixture
def another_winner(search, make_interval):
    """The search selected configuration 0, by a rule of its own; 1 has the best mean."""
    search.ci_results_["roc_auc"] = {"bbc": make_interval(details={"winner": 0})}
    return search


def test_the_mark_is_the_score_of_the_winner(another_winner):
    results, best_score = results_of_search(another_winner)
    assert (best_score, list(results)) == (0.91, ["BBC"])
    for cls in (IntervalsDisplay, DrawsDisplay):
        figure = cls.from_search(another_winner)
        assert figure.best_score == 0.91
        assert figure.frame().loc["best CV score", "estimate"] == 0.91


def test_without_a_winner_the_best_mean_is_marked(search):
    search.cv_results_["mean_test_roc_auc"] = np.array([np.nan, 0.93])
    assert results_of_search(search)[1] == 0.93


@pytest.mark.parametrize("cls", [DrawsDisplay, IntervalsDisplay])
def test_a_result_with_the_label_of_a_mark_keeps_its_row(cls, make_interval):
    results = {"held-out score": make_interval(estimate=0.7), "BBC": make_interval()}
    frame = cls.from_results(results, held_out_score=0.8).frame()
    assert frame.index.tolist() == ["held-out score", "BBC", "held-out score"]
    assert frame["estimate"].tolist() == [0.7, 0.9, 0.8]
    if cls is DrawsDisplay:
        assert frame["n_draws"].isna().tolist() == [False, False, True]
