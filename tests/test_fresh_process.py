"""What only a process of its own shows; four tests look at one, since imports take a second."""

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
print(json.dumps({"loaded": loaded, "n_rows": n_rows, "print": print_, "n_files": n_files}))
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


def test_a_fingerprint_is_the_same_in_another_process(fresh):
    """Sets are in another order there."""
    assert fresh.print == fingerprint([{"b", "a", "c"}, RandomForestClassifier(5), "text", 1.5])


def test_a_file_of_predictions_goes_with_the_process(fresh):
    assert fresh.n_files == 1
    assert not list(fresh.folder.iterdir())
