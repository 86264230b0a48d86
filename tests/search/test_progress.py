"""What a search shows while it runs."""

import pytest
import sklearn
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.fixes import parse_version

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.intervals import BBC, BBCF
from sklearn_bbc.search import DropClearlyWorse

X, Y = make_classification(n_samples=200, n_features=5, flip_y=0.1, random_state=0)
TREE = DecisionTreeClassifier(random_state=0)
GRID = {"max_depth": [1, 3, 5], "criterion": ["gini", "entropy"]}
SOME = [BBC(n_bootstraps=50), BBCF()]
CLEAR = {"max_leaf_nodes": [2, 8], "splitter": ["best"], "min_samples_leaf": [1, 90]}
needs_bars = pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.9"),
    reason="callbacks came with scikit-learn 1.9",
)
pytestmark = pytest.mark.filterwarnings("ignore:n_bootstraps")


def search(grid=GRID, **options):
    return BBCSearchCV(TREE, grid, **{"cv": 3, "ci": SOME, "random_state": 0, **options})


def dropping():
    """Of four configurations two are no better than a guess."""
    return search(CLEAR, cv=5, drop=DropClearlyWorse(), scoring="roc_auc")


# ---------------------------------------------------------------------- lines
def test_lines_tell_of_fits_and_of_each_interval(tmp_path, capsys):
    search(verbose=1, scoring=["roc_auc", "accuracy"], refit="roc_auc", store=tmp_path).fit(X, Y)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:-1] == [
        "Fitting 3 folds for each of 6 candidates, totalling 18 fits",
        f"Taking 0 of 18 fits from {tmp_path}",
        "Interval 1 of 4: bbc for roc_auc",
        "Interval 2 of 4: bbcf for roc_auc",
        "Interval 3 of 4: bbc for accuracy",
        "Interval 4 of 4: bbcf for accuracy",
    ]
    assert lines[-1].startswith("Intervals took ") and lines[-1].endswith(" s")


def test_lines_tell_of_what_was_dropped_and_taken(tmp_path, capsys):
    subject = dropping().set_params(verbose=1, store=tmp_path, ci=None)
    for taken in (0, 14):
        subject.fit(X, Y)
        lines = capsys.readouterr().out.splitlines()
        assert lines[1] == f"Taking {taken} of 20 fits from {tmp_path}"
        assert any(line.endswith(": 2 candidates dropped, 2 left") for line in lines)
        assert lines[-2] == "Interval 1 of 1: bbc for roc_auc"


def test_without_verbose_nothing_is_printed(capsys, tmp_path):
    dropping().set_params(store=tmp_path).fit(X, Y)
    assert capsys.readouterr().out == ""


# ---------------------------------------------------------------------- bars
class Recorded:
    """Puts what a progress bar is told into a list."""

    def __init__(self, monkeypatch):
        pytest.importorskip("rich", reason="the progress bar is drawn by rich")
        from sklearn.callback import ProgressBar, _progressbar

        self.bar, self.begun, self.ended = ProgressBar(), [], []
        draw = _progressbar.RichProgressMonitor

        class Monitor(draw):
            def _on_task_begin(monitor, info):
                self.begun.append((info["task_name"], info["max_subtasks"]))
                super()._on_task_begin(info)

            def _on_task_end(monitor, info):
                self.ended.append(len(info["path"]))
                super()._on_task_end(info)

        monkeypatch.setattr(_progressbar, "RichProgressMonitor", Monitor)


@needs_bars
def test_a_bar_goes_on_with_the_intervals(monkeypatch):
    noted = Recorded(monkeypatch)
    fitted = search().set_callbacks(noted.bar).fit(X, Y)
    assert noted.begun[0][0] == "fit" and noted.begun[-1] == ("intervals", 2)
    assert noted.ended[-3:] == [2, 2, 1]  # two intervals, then their bar
    noted.begun.clear()
    fitted.set_params(ci=[]).fit(X, Y)
    assert "intervals" not in dict(noted.begun)
    assert fitted.set_params(ci=SOME).fit(X, Y).ci_ == search().fit(X, Y).ci_


@needs_bars
def test_a_bar_is_full_when_fits_were_dropped_or_taken(monkeypatch, tmp_path):
    subject = dropping().set_params(store=tmp_path, ci=[])
    for _ in range(2):
        noted = Recorded(monkeypatch)
        subject.set_callbacks(noted.bar).fit(X, Y)
        assert ("search", 20) in noted.begun
        assert noted.ended.count(3) == 20
    assert (subject.cv_results_["n_splits_done"] < 5).sum() == 2


@needs_bars
def test_a_bar_that_fails_costs_nothing(monkeypatch):
    noted = Recorded(monkeypatch)
    end = type(noted.bar).on_fit_task_end

    def broken(bar, estimator, context):
        if context.task_name.startswith("interval"):
            raise OSError("the terminal is gone")
        end(bar, estimator, context)

    monkeypatch.setattr(type(noted.bar), "on_fit_task_end", broken)
    fitted = search().set_callbacks(noted.bar).fit(X, Y)
    assert fitted.ci_ == search().fit(X, Y).ci_


@needs_bars
def test_a_bar_of_an_outer_search_is_left_to_it(monkeypatch):
    noted = Recorded(monkeypatch)
    outer = GridSearchCV(search(), {"cv": [2, 3]}, cv=2).set_callbacks(noted.bar)
    assert outer.fit(X, Y).best_estimator_.ci_ is not None
    assert "intervals" not in dict(noted.begun)
