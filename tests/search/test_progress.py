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
from sklearn_bbc.search import _stage as _progress
from sklearn_bbc.search._resume import skip_callbacks
from sklearn_bbc.search._stage import StageProgress, _bars_of

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
    told = Recorded(monkeypatch)
    fitted = search().set_callbacks(told.bar).fit(X, Y)
    assert told.begun[0][0] == "fit" and told.begun[-1] == ("intervals", 2)
    assert told.ended[-3:] == [2, 2, 1]  # two intervals, then their bar
    told.begun.clear()
    fitted.set_params(ci=[]).fit(X, Y)
    assert "intervals" not in dict(told.begun)
    assert fitted.set_params(ci=SOME).fit(X, Y).ci_ == search().fit(X, Y).ci_


@needs_bars
def test_a_bar_is_full_when_fits_were_dropped_or_taken(monkeypatch, tmp_path):
    subject = dropping().set_params(store=tmp_path, ci=[])
    for _ in range(2):
        told = Recorded(monkeypatch)
        subject.set_callbacks(told.bar).fit(X, Y)
        assert ("search", 20) in told.begun
        assert told.ended.count(3) == 20
    assert (subject.cv_results_["n_splits_done"] < 5).sum() == 2


@needs_bars
def test_a_bar_that_fails_costs_nothing(monkeypatch):
    told = Recorded(monkeypatch)
    end = type(told.bar).on_fit_task_end

    def broken(bar, estimator, context):
        if context.task_name.startswith("interval"):
            raise OSError("the terminal is gone")
        end(bar, estimator, context)

    monkeypatch.setattr(type(told.bar), "on_fit_task_end", broken)
    fitted = search().set_callbacks(told.bar).fit(X, Y)
    assert fitted.ci_ == search().fit(X, Y).ci_


@needs_bars
def test_a_bar_of_an_outer_search_is_left_to_it(monkeypatch):
    told = Recorded(monkeypatch)
    outer = GridSearchCV(search(), {"cv": [2, 3]}, cv=2).set_callbacks(told.bar)
    assert outer.fit(X, Y).best_estimator_.ci_ is not None
    assert "intervals" not in dict(told.begun)


# ---------------------------------------------------------------------- by itself
class Context:
    """Remembers what it is told."""

    def __init__(self):
        self.told = []

    def call_on_fit_task_begin(self, *, estimator):
        self.told.append(("begin", estimator))

    def call_on_fit_task_end(self, *, estimator):
        self.told.append(("end", estimator))


def test_callbacks_hear_of_a_fit_that_is_not_made():
    context = Context()
    skip_callbacks({"callback_ctx": context, "caller": "search"})
    assert context.told == [("begin", "search"), ("end", "search")]
    skip_callbacks({"callback_ctx": None})
    skip_callbacks({})  # before scikit-learn 1.9


def test_intervals_are_numbered_only_where_somebody_reads(capsys):
    for verbose in (0, 1):
        with StageProgress(search(verbose=verbose), 2) as progress:
            progress.begin("bbc", "roc_auc")
            progress.begin("bbcf", "roc_auc")
    assert capsys.readouterr().out.splitlines() == [
        "Interval 1 of 2: bbc for roc_auc",
        "Interval 2 of 2: bbcf for roc_auc",
    ]


class Bar:
    """In place of a progress bar: remembers what it is told."""

    def __init__(self, broken=()):
        self.told, self.broken = [], broken

    def hear(self, what, context):
        self.told.append((what, context.task_name, context.task_id, context.max_subtasks))
        if what in self.broken:
            raise OSError("the terminal is gone")

    def setup(self, estimator, context):
        self.hear("setup", context)

    def teardown(self, estimator, context):
        self.hear("teardown", context)

    def on_fit_task_begin(self, estimator, context):
        self.hear("begin", context)

    def on_fit_task_end(self, estimator, context):
        self.hear("end", context)


ALL_OF_IT = [
    ("setup", "intervals", 0, 2),
    ("begin", "intervals", 0, 2),
    ("end", "interval", 0, 0),
    ("end", "interval", 1, 0),
    ("end", "intervals", 0, 2),
    ("teardown", "intervals", 0, 2),
]


def two_intervals(bars, monkeypatch):
    monkeypatch.setattr(_progress, "_bars_of", lambda search: bars)
    progress = StageProgress(search(), 2)
    with progress:
        progress.begin("bbc", "roc_auc")
        assert all("interval" not in [name for _, name, *_ in bar.told] for bar in bars)
        progress.begin("bbcf", "roc_auc")
    progress.__exit__()  # nothing is left to be closed


@needs_bars
def test_what_a_bar_is_told(monkeypatch):
    bars = [Bar(), Bar()]
    two_intervals(bars, monkeypatch)
    assert bars[0].told == bars[1].told == ALL_OF_IT


@needs_bars
@pytest.mark.parametrize("broken", ["setup", "begin", "end", "teardown"])
def test_a_bar_that_breaks_is_closed_all_the_same(monkeypatch, broken):
    bar = Bar([broken])
    two_intervals([bar], monkeypatch)
    expected = ALL_OF_IT[:1] if broken == "setup" else ALL_OF_IT
    assert bar.told == expected


@needs_bars
def test_without_bars_no_task_is_begun():
    """It would become a part of the tasks of an outer search."""
    with StageProgress(search(), 2) as progress:
        assert progress._context is None


@needs_bars
def test_the_bars_of_a_search_are_its_progress_bars():
    pytest.importorskip("rich", reason="ProgressBar needs rich, extra progress")
    from sklearn.callback import ProgressBar

    class Search:
        pass

    one, bar = Search(), ProgressBar()
    assert _bars_of(one) == []
    one._skl_callbacks = [Bar(), bar]
    assert _bars_of(one) == [bar]
    one._parent_callback_ctx = None  # it is a part of something that has bars
    assert _bars_of(one) == []
