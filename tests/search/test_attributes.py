"""The attributes that say why they are missing, as a type checker and as a program see them."""

import inspect
import subprocess
import sys
from importlib.util import find_spec

import pytest

from sklearn_bbc import BBCSearchCV

SNIPPET = """
from typing import reveal_type
from sklearn_bbc import BBCSearchCV
from sklearn.svm import SVC

search = BBCSearchCV(SVC(), {"C": [1.0]}).fit([[0.0]], [1])
reveal_type(search)
reveal_type(search.bbc_score_)
reveal_type(search.bbcf_score_)
reveal_type(search.optimism_)
reveal_type(search.ci_)
reveal_type(search.ci_results_)
reveal_type(search.oof_)
reveal_type(search.interval())
reveal_type(search.summary())
"""
REVEALED = [
    "sklearn_bbc.search._search.BBCSearchCV",
    "float",
    "float",
    "float",
    "sklearn_bbc.results._results.ConfidenceInterval",
    "dict[str, dict[str, sklearn_bbc.results._results.ConfidenceInterval]]",
    "sklearn_bbc.predictions._predictions.OOFPredictions",
    "sklearn_bbc.results._results.ConfidenceInterval",
    "str",
]


def test_public_attributes_and_fit_have_types():
    assert inspect.signature(BBCSearchCV.fit).return_annotation == "Self"
    annotations = {}
    for owner in reversed(BBCSearchCV.__mro__):
        annotations.update(vars(owner).get("__annotations__", {}))
    assert annotations["interval_time_"] == annotations["bbc_score_"] == "float"
    with pytest.raises(AttributeError, match="has no attribute 'neither_'"):
        BBCSearchCV(None, {}).neither_  # noqa: B018


@pytest.mark.slow
@pytest.mark.skipif(find_spec("mypy") is None, reason="needs mypy")
def test_a_type_checker_sees_what_a_user_reads(repository, tmp_path):
    path = tmp_path / "snippet.py"
    path.write_text(SNIPPET)
    options = ["--ignore-missing-imports", "--follow-imports=silent", "--config-file="]
    cache = f"--cache-dir={tmp_path / 'cache'}"
    command = [sys.executable, "-m", "mypy", *options, cache, str(path)]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
    notes = [line.split('"')[1] for line in done.stdout.splitlines() if "Revealed type" in line]
    notes = [note.replace("builtins.", "") for note in notes]
    assert notes == REVEALED, done.stdout + done.stderr
