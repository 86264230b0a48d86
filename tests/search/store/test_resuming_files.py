"""The folder of a resumed search: what is written, taken, closed and told."""

import copy
import datetime

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.model_selection import KFold

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.exceptions import RecordingWarning
from sklearn_bbc.recording import _resume as _resuming
from sklearn_bbc.recording._resume import Resuming
from sklearn_bbc.recording._tasks import WithSplit
from sklearn_bbc.store._folder import FitFolder
from tests.search.store.resumed import Silent, resumed

from .tallied import FEW, GRID, TREE, X, Y, assert_same, cells_in, search, tally


class Dated(Silent):
    """Answers with objects that no log holds."""

    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = np.array([datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)])
        return self

    def predict(self, X):
        return self.classes_[np.zeros(len(X), int)]


def predicts(estimator, X, y):
    return float(len(estimator.predict(X)))


@pytest.mark.filterwarnings("ignore:Some predictions could not be kept")
def test_fits_that_cannot_be_stored_are_reported_and_complete(tmp_path):
    model = search(Dated(), {"max_depth": [1, 2]}, scoring=predicts, store=tmp_path / "store")
    with pytest.warns(RecordingWarning) as noted:
        model.fit(X, Y)
    texts = [str(each.message) for each in noted if "could not be stored" in str(each.message)]
    assert len(texts) == 2  # at once, and when all is done
    assert f"A finished fit could not be stored in {tmp_path / 'store'}: classes holds" in texts[0]
    assert texts[1].startswith("6 finished fits could not be stored in")
    assert "objects of type date" in texts[1] and "results of this search are complete" in texts[1]
    assert (model.cv_results_["mean_test_score"] == 30).all()
    assert cells_in(tmp_path / "store") == {}


def test_rounds_of_one_search_have_splits_of_their_own(tmp_path):
    class Twice(BBCSearchCV):
        """Evaluates twice on the splits of a splitter that gives others each time."""

        def _run_search(self, evaluate_candidates, *, callback_ctx=None):
            for depth in (1, 2):
                evaluate_candidates([{"max_depth": depth}])

    cv = KFold(3, shuffle=True)
    model = Twice(TREE, GRID, cv=cv, ci=[], refit=False, store=tmp_path / "store").fit(X, Y)
    splits = sorted((tmp_path / "store").glob("splits-*.npz"))
    assert len(splits) == 2 and splits[0].read_bytes() != splits[1].read_bytes()
    assert [path.stem[-2:] for path in splits] == ["-0", "-1"]
    tally.begin()
    again = Twice(TREE, GRID, cv=cv, ci=[], refit=False, store=tmp_path / "store").fit(X, Y)
    assert tally.n == 0
    assert_same(model, again)


def test_early_dropping_goes_on(tmp_path):
    """What is dropped depends on stored predictions as on new ones."""
    rule = pytest.importorskip("sklearn_bbc.recording._racing", reason="no early dropping")
    x, y = make_classification(n_samples=300, n_features=8, flip_y=0.1, random_state=0)
    grid = {"max_depth": [1, 12], "min_samples_leaf": [1, 140]}
    model = search(grid=grid, cv=6, ci=FEW, drop=rule.DropClearlyWorse())
    tally.begin()
    unbroken = copy.copy(model).fit(x, y)
    n_fits = tally.n
    assert n_fits < 6 * 4  # some were dropped
    assert resumed(model, (x, y), tmp_path / "store", n_fits // 2) == n_fits
    assert_same(unbroken, model)
    tally.begin()
    all_of_it = search(grid=grid, cv=6, ci=FEW, store=tmp_path / "store").fit(x, y)
    assert tally.n == 6 * 4 - n_fits
    assert_same(search(grid=grid, cv=6, ci=FEW).fit(x, y), all_of_it)


def test_a_folder_that_cannot_be_written_is_refused_before_the_first_fit(tmp_path, monkeypatch):
    search(store=tmp_path).fit(X, Y)

    def refused(self):
        raise PermissionError(13, "store= cannot be written", str(self.folder))

    monkeypatch.setattr(FitFolder, "check_writable", refused)
    search(store=tmp_path).fit(X, Y)  # all is there
    with pytest.raises(PermissionError, match="cannot be written"):
        search(grid={"max_depth": [1, 2, 3, 4, 5, 6, 7]}, store=tmp_path).fit(X, Y)


def opened(folder, record=True):
    model = search(store=folder, record=record)
    one = Resuming(model, X, Y, {}, record)
    one.open(KFold(3))
    return one


def test_the_first_of_two_equal_fits_is_taken(tmp_path):
    """As when two searches have begun at the same time."""
    facts = {"config": "c", "split": "s", "recorded": True, "error_score": "raise"}
    log = opened(tmp_path)._folder
    for number, recorded in enumerate([False, True, True]):
        log.append({**facts, "recorded": recorded, "test_scores": float(number)})
    log.close()
    one = opened(tmp_path)
    assert {key: cell.facts["test_scores"] for key, cell in one._known.items()} == {
        ("c", "s"): 1.0
    }
    one.close()
    assert one._known == {}


def test_files_of_killed_processes_are_deleted(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(_resuming, "remove_leftovers", asked.append)
    assert opened(tmp_path).path == tmp_path and asked == [tmp_path]


def test_pages_of_the_log_are_given_back(tmp_path, monkeypatch):
    """They would count as memory of the process."""
    read = []

    class Walk(_resuming.PageReleaser):
        def has_read(self, array):
            read.append(array.tolist())

        def end(self):
            read.append("end")

    log = opened(tmp_path)._folder
    facts = {"config": "c", "split": "s", "recorded": True, "error_score": "raise"}
    log.append({**facts, "test_scores": 0.5}, {"predict": np.array([1.0, 2.0])})
    log.close()
    monkeypatch.setattr(_resuming, "PageReleaser", Walk)
    opened(tmp_path)
    assert read == [[1.0, 2.0], "end"]


def test_a_splitter_with_stored_splits_is_the_splitter_in_all_else():
    class Own(list):
        random_state = 3

        def get_n_splits(self, X=None, y=None, groups=None):
            return 7

    stored = WithSplit(Own([1]), lambda *data: "stored")
    assert (stored.split(X), stored.get_n_splits(), stored.random_state) == ("stored", 7, 3)
    # What Python asks for by itself is not passed on, as when it is copied.
    assert not hasattr(stored, "__len__")
    assert copy.copy(stored).get_n_splits() == 7
    with pytest.raises(AttributeError, match="_splitter"):
        _ = WithSplit.__new__(WithSplit).random_state
