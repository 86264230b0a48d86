"""A bar of finished fits, and what an interrupt says."""

import re
from functools import wraps

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.recording import _progress
from sklearn_bbc.recording._progress import FitBar

X, Y = make_classification(60, 4, random_state=0)
GRID = {"max_depth": [1, 2, 3]}


class Clock:
    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(_progress, "WAIT", 0.0)
    monkeypatch.setattr(_progress, "EVERY", {True: 0.0, False: 0.0})


@pytest.mark.parametrize("terminal", [True, False])
def test_a_bar_waits_and_then_says_what_is_left(terminal, capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal, raising=False)
    clock = Clock()
    bar = FitBar(100, now=clock)
    bar.see(5)
    assert capsys.readouterr().err == ""  # most searches are short
    clock.seconds = 10.0
    bar.see(25)
    first = capsys.readouterr().err  # 20 fits in 10 seconds, 75 are left
    assert "25/100 fits, about 38 seconds left" in first and first.count("#") == 10
    bar.see(26)
    assert capsys.readouterr().err == ""  # not at every fit
    clock.seconds = 50.0
    bar.see(90)
    bar.see(100)
    bar.close()
    then = capsys.readouterr().err
    assert "90/100 fits" in then and then.rstrip().endswith("100/100 fits in 50 seconds")
    assert then.startswith("\r") == terminal and then.count("\n") == (1 if terminal else 2)


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        ([(0, 1, 0)], "1/500 fits"),  # nothing can be said of the next
        ([(7, 1, 0), (9, 21, 0)], "21/500 fits, about 48 seconds left"),  # 7 to start workers
        ([(0, 300, 300), (60, 302, 300)], "302/500 fits"),  # the first two of them together
        ([(60, 301, 300), (120, 302, 300)], "302/500 fits, about 3 hours left"),
        ([(60, 301, 300), (120, 402, 400)], "402/500 fits, about 98 minutes left"),  # two rounds
    ],
)
def test_what_is_left_is_told_by_the_fits_that_this_search_made(capsys, at_once, seen, words):
    clock = Clock()
    bar = FitBar(500, now=clock)
    for clock.seconds, done, known in seen:
        bar.see(done, known)
    assert capsys.readouterr().err.splitlines()[-1].endswith(f"] {words}")


def test_a_short_search_shows_nothing(capsys):
    bar = FitBar(10, now=Clock())
    bar.see(10)
    bar.close()
    assert capsys.readouterr().err == ""


def search(**options):
    tree = DecisionTreeClassifier(random_state=0)
    return BBCSearchCV(tree, GRID, cv=4, ci=[], random_state=0, **options)


def counts(text):
    return [int(done) for done in re.findall(r"\] (\d+)/12 fits", text)]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_search_counts_its_fits(at_once, capsys, n_jobs):
    search(verbose=1, n_jobs=n_jobs).fit(X, Y)
    seen = counts(capsys.readouterr().err)
    assert seen[-1] == 12 and seen == sorted(seen) and len(seen) > 2


@pytest.mark.parametrize("verbose", [0, 2])
def test_other_levels_have_no_bar(at_once, capsys, verbose):
    search(verbose=verbose).fit(X, Y)
    assert counts(capsys.readouterr().err) == []


def test_an_interrupt_says_what_a_store_has_kept(at_once, capsys, tmp_path, monkeypatch):
    fit, depths = DecisionTreeClassifier.fit, []

    @wraps(fit)  # scikit-learn looks at the parameters
    def interrupted(self, X, y, **params):
        depths.append(self.max_depth)
        if self.max_depth == 3:  # as somebody would who presses Ctrl-C
            raise KeyboardInterrupt
        return fit(self, X, y, **params)

    with monkeypatch.context() as patch:
        patch.setattr(DecisionTreeClassifier, "fit", interrupted)
        with pytest.raises(KeyboardInterrupt, match=r"^8 of 12 fits are kept in .* go on") as stop:
            search(store=tmp_path).fit(X, Y)
        assert stop.value.__cause__ is None and stop.value.__suppress_context__
        with pytest.raises(KeyboardInterrupt) as plain:  # nothing is kept: nothing is said
            search().fit(X, Y)
        assert not plain.value.args
    capsys.readouterr()
    found = search(store=tmp_path, verbose=1).fit(X, Y)
    seen = counts(capsys.readouterr().err)
    assert seen[0] >= 8 and seen[-1] == 12  # those of the store are done
    expected = search().fit(X, Y).cv_results_["mean_test_score"]
    np.testing.assert_array_equal(found.cv_results_["mean_test_score"], expected)
