"""What runs the fits of a search: scikit-learn alone, a bar, a store and `drop`, or all."""

import re

import numpy as np
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV, ParameterGrid

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.recording import _progress, _tasks
from sklearn_bbc.search import DropClearlyWorse
from tests.search.small_search import GRID, TREE, X, Y, search

DROP = DropClearlyWorse(confidence_level=0.6, min_predictions=20)


class InRounds(BBCSearchCV):
    """Evaluates its candidates in two calls."""

    def _run_search(self, evaluate_candidates, *, callback_ctx=None):
        *most, last = ParameterGrid(self.param_grid)
        evaluate_candidates(most)
        evaluate_candidates([last])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", [BBCSearchCV, InRounds])
@pytest.mark.parametrize("drop", [None, DROP])
@pytest.mark.parametrize("stored", [False, True])
def test_all_that_run_fits_do_so_together(tmp_path, monkeypatch, capsys, kind, drop, stored):
    monkeypatch.setattr(_progress, "WAIT", 0.0)
    monkeypatch.setattr(_progress, "EVERY", {True: 0.0, False: 0.0})
    options = {"cv": 3, "ci": [], "drop": drop, "random_state": 0}
    alone = kind(TREE, GRID, **options).fit(X, Y)
    for from_store in range(1 + stored):
        many = kind(TREE, GRID, verbose=1, store=tmp_path if stored else None, **options)
        many.fit(X, Y)
        for name, column in alone.cv_results_.items():
            if "time" not in name:
                np.testing.assert_array_equal(many.cv_results_[name], column)
        shown = capsys.readouterr()
        assert " fits" in shown.err or from_store
    assert ("Taking" in shown.out) == stored
    assert ("dropped" in shown.out) == (drop is not None)


@pytest.mark.parametrize("name", ["store", "drop"])
def test_a_release_that_runs_fits_in_another_way_is_named(monkeypatch, tmp_path, name):
    monkeypatch.setattr(_tasks, "PARALLEL", "renamed")
    model = search(**{name: {"store": tmp_path, "drop": DROP}[name]})
    expected = rf"^{name} cannot be used: BBCSearchCV with scikit-learn {sklearn.__version__} "
    with pytest.raises(RuntimeError, match=re.escape(expected[1:]) + f".*Use {name}=None"):
        model.fit(X, Y)
    plain = model.set_params(**{name: None}, verbose=1).fit(X, Y)  # without a bar
    usual = GridSearchCV(TREE, GRID, scoring="roc_auc", cv=5).fit(X, Y)
    np.testing.assert_array_equal(
        plain.cv_results_["mean_test_score"], usual.cv_results_["mean_test_score"]
    )
