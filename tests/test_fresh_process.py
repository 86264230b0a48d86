"""What only a process of its own shows; these tests look at one, since imports take a second."""

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from sklearn.ensemble import RandomForestClassifier

from sklearn_bbc.store import fingerprint

CODE = """
import json, sys
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV

before = set(sys.modules)  # scikit-learn 1.9 itself loads rich when it is there
import sklearn_bbc
loaded = sorted(set(sys.modules) - before)

from sklearn_bbc import bbc
of_bbc = sorted(set(sys.modules) - before)
from sklearn_bbc import BBCSearchCV
of_search = sorted(set(sys.modules) - before)
from sklearn_bbc import comparison, curves, display, intervals, metrics, selection
refused = []
for base, taken in ((intervals.BaseInterval, "wald"), (curves.Curve, "net_benefit")):
    try:
        type("Mine", (base,), {"name": taken})
    except ValueError:
        refused.append(taken)
registries = [
    intervals.registered, intervals.registered_refits, comparison.registered,
    comparison.registered_on_data_sets, comparison.registered_tied,
    selection.registered_selections, display.registered, curves.registered_curves,
    metrics.families,
]
in_full = [list(each()) for each in registries]
import importlib, pkgutil
for module in pkgutil.walk_packages(sklearn_bbc.__path__, "sklearn_bbc."):
    if module.name.rpartition(".")[2] not in ("__main__", "skore", "_kernels"):
        importlib.import_module(module.name)
after_all = [list(each()) for each in registries]

from sklearn_bbc import OOFPredictions
OOFPredictions(y_true=[1.5, 2, 3], y_pred=[1, 2, 3.0]).matrix("concordance_index")
X, y = np.eye(20), np.arange(20.0)
search = GridSearchCV(Ridge(), {"alpha": [1]}).fit(X, y)
n_rows = OOFPredictions.from_search(search, X, y).n_rows

from sklearn_bbc.store import fingerprint
print_ = fingerprint([{"b", "a", "c"}, RandomForestClassifier(5), "text", 1.5])

from pathlib import Path
from sklearn_bbc.predictions._files import MatrixFile
kept = MatrixFile(sys.argv[1], (2, 3), np.dtype(float), 0).finish()
n_files = len(list(Path(sys.argv[1]).iterdir()))
print(json.dumps({
    "loaded": loaded, "of_bbc": of_bbc, "of_search": of_search, "refused": refused,
    "in_full": in_full, "after_all": after_all,
    "n_rows": n_rows, "print": print_, "n_files": n_files,
}))
"""


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """What the process printed, and the folder that it was given."""
    folder = tmp_path_factory.mktemp("fresh")
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(folder)], capture_output=True, text=True,
        env={**os.environ, "PYTHONHASHSEED": "1"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return SimpleNamespace(folder=folder, **json.loads(done.stdout))


def test_import_needs_and_loads_no_extra(fresh):
    """Whoever installs without extras can import everything, and pays for nothing extra."""
    extras = {"matplotlib", "statsmodels", "scikit_posthocs", "dask", "distributed", "ray",
              "rich", "sksurv", "jinja2", "skore"}  # fmt: skip
    assert "sklearn_bbc" in fresh.loaded
    assert not extras & set(fresh.loaded)


def test_predictions_alone_have_what_layers_above_give_them(fresh):
    """A scorer of ours by its name, and the predictions of a search."""
    loaded = [name for name in fresh.loaded if name.startswith("sklearn_bbc.")]
    assert loaded == ["sklearn_bbc._lazy", "sklearn_bbc._version"], "so far"
    assert fresh.n_rows == 20


def files_in(loaded, *packages):
    """What was loaded of some packages, besides the packages themselves."""
    starts = tuple(f"sklearn_bbc.{package}._" for package in packages)
    return [name for name in loaded if name.startswith(starts)]


def test_a_program_loads_what_it_uses(fresh):
    unused = ("comparison", "curves", "planning", "predictions.readers", "report", "store")
    assert not files_in(fresh.of_bbc, "display", "recording", "search", *unused)
    assert not files_in(fresh.of_search, *unused)
    assert "sklearn_bbc.intervals._bbc" in fresh.of_bbc
    assert "sklearn_bbc.search._search" in fresh.of_search


def test_registries_are_full_when_they_are_read(fresh):
    assert fresh.in_full == fresh.after_all
    assert all(fresh.in_full)


def test_a_name_is_taken_before_its_class_is_loaded(fresh):
    assert fresh.refused == ["wald", "net_benefit"]


def test_a_fingerprint_is_the_same_in_another_process(fresh):
    """Sets are in another order there."""
    assert fresh.print == fingerprint([{"b", "a", "c"}, RandomForestClassifier(5), "text", 1.5])


def test_a_file_of_predictions_goes_with_the_process(fresh):
    assert fresh.n_files == 1
    assert not list(fresh.folder.iterdir())
