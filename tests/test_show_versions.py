"""show_versions: what a bug report needs, without loading anything for it."""

import subprocess
import sys

import numpy as np
import pytest

import sklearn_bbc


def test_tells_versions_and_kernels(capsys):
    sklearn_bbc.show_versions()
    text = capsys.readouterr().out
    assert f"sklearn-bbc: {sklearn_bbc.__version__}" in text
    assert f"numpy: {np.__version__}" in text
    assert f"python: {sys.version.split()[0]}" in text
    assert "kernels: " in text
    for name in ("scikit-learn", "scipy", "pandas", "joblib", "threadpoolctl", "matplotlib"):
        assert f"{name}: " in text


def test_what_is_not_installed_is_said_not_raised(capsys, monkeypatch):
    monkeypatch.setattr("sklearn_bbc._show_versions.OPTIONAL", ("no-such-distribution",))
    sklearn_bbc.show_versions()
    assert "no-such-distribution: not installed" in capsys.readouterr().out


@pytest.mark.long
def test_numpy_can_be_forced():
    code = "import sklearn_bbc; sklearn_bbc.show_versions()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"SKLEARN_BBC_NATIVE": "0", "PATH": "", "PYTHONPATH": ":".join(sys.path)},
    )
    assert "kernels: NumPy (SKLEARN_BBC_NATIVE=0)" in done.stdout
