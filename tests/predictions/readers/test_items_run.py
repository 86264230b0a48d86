"""Tools that score items, run as the files of the tests were made: their own means again."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sklearn_bbc import OOFPredictions

OF_TOOLS = Path(__file__).parent / "of_tools"
TOOLS = {
    "inspect": ("inspect_ai", "logs", lambda path: OOFPredictions.from_inspect(path, **RUNS)),
    "deepeval": ("deepeval", "res", lambda path: OOFPredictions.from_deepeval(path, **RUNS)),
    "lm_eval": (
        "lm_eval", "results",
        lambda path: OOFPredictions.from_lm_eval(path, score="exact_match,strict-match"),
    ),
}  # fmt: skip
RUNS = {"missing": "drop_runs"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_that_runs_has_the_means_of_its_files(tool, tmp_path):
    package, folder, read = TOOLS[tool]
    # Another Python may have the tools: they need older releases of what we need.
    python = os.environ.get(f"SKLEARN_BBC_PYTHON_OF_{package.upper()}", sys.executable)
    if python == sys.executable and importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed, and no Python that has it is named")
    (tmp_path / "tasks").mkdir()
    (tmp_path / "data").mkdir()
    program = (OF_TOOLS / f"made_by_{tool}.txt").read_text(encoding="utf-8")
    (tmp_path / "run.py").write_text(program, encoding="utf-8")
    subprocess.run([python, "run.py"], cwd=tmp_path, check=True, capture_output=True)
    found, kept = read(tmp_path / folder), read(OF_TOOLS / tool)
    assert found.tool_scores == kept.tool_scores
    assert [params["configuration"] for params in found.params] == [
        params["configuration"] for params in kept.params
    ]
    assert found.responses["plain"].tolist() == kept.responses["plain"].tolist()
