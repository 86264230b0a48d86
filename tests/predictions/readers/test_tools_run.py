"""R, Orange, Weka and promptfoo, where they are installed: the tool's own scores again.

`.ci/run tools` runs these; R and Weka are of Debian's packages r-cran-caret, r-cran-mlr and weka,
and promptfoo is of npm.
"""

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_bbc import OOFPredictions
from sklearn_bbc.__main__ import main
from tests.predictions.readers.test_tools import FILES, OF_TOOLS, own_scores

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[3] / "docs" / "user_guide" / "r_tools.md"
OF_R = [each[:4] for each in FILES if each[0].startswith(("caret", "mlr"))]
COLUMNS = {
    "roc_auc": ["ROC", "auc.test.mean"], "accuracy": ["Accuracy", "acc.test.mean"],
    "rmse": ["RMSE"], "mse": ["rmse.test.rmse"],
}  # fmt: skip


def r(program, folder, *needed):
    """Run a program of R, if it has these packages."""
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed: apt-get install r-base-core")
    listed = f"c({', '.join(map(repr, needed))})"
    lacking = subprocess.run(
        ["Rscript", "-e", f"cat(setdiff({listed}, rownames(installed.packages())))"],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    if lacking:
        names = " ".join(f"r-cran-{name}" for name in lacking.split())
        pytest.skip(f"R has no package {lacking}: apt-get install --no-install-recommends {names}")
    (folder / "run.R").write_text(program)
    done = subprocess.run(["Rscript", "run.R"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def of_r(tmp_path_factory):
    folder = tmp_path_factory.mktemp("r")
    r((OF_TOOLS / "made.R").read_text(), folder, "caret", "mlr", "rpart")
    return folder


@pytest.mark.parametrize(("file", "n_samples", "metric", "by_fold"), OF_R)
def test_scores_of_a_run_of_r_are_those_of_caret_and_mlr(
    of_r, file, n_samples, metric, by_fold, capsys
):
    oof = OOFPredictions.from_long(of_r / file)
    board = pd.read_csv(of_r / file.replace(".csv", "_scores.csv"))
    (column,) = board.columns.intersection(COLUMNS[metric])
    assert oof.n_samples == n_samples
    assert_allclose(own_scores(oof, metric, by_fold), board[column], rtol=1e-12)
    assert main([str(of_r / file), "--what"]) == 0
    assert f"{n_samples} samples by" in capsys.readouterr().out


BEFORE_CARET = """
library(caret)
set.seed(1)
data <- data.frame(a = rnorm(60), b = rnorm(60))
data$outcome <- factor(ifelse(data$a + rnorm(60) > 0, "ill", "well"))
"""
BEFORE_MLR = """
library(mlr)
set.seed(1)
data <- data.frame(a = rnorm(60), b = rnorm(60))
data$outcome <- factor(ifelse(data$a + rnorm(60) > 0, "ill", "well"))
tree <- function(cp, id) makeLearner("classif.rpart", id = id, predict.type = "prob", cp = cp)
learners <- list(tree(0.01, "one"), tree(0.2, "two"))
task <- makeClassifTask("ill", data, "outcome")
folds <- makeResampleDesc("CV", iters = 5)
"""


@pytest.mark.parametrize(
    ("tool", "before", "n_configs"), [("caret", BEFORE_CARET, 20), ("mlr", BEFORE_MLR, 2)]
)
def test_lines_of_r_on_the_page_give_a_file_that_is_read(
    tool, before, n_configs, tmp_path, capsys
):
    blocks = re.findall(r"^```r\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    (lines,) = [each for each in blocks if f'"{tool}.csv"' in each]
    r(before + lines, tmp_path, tool, "rpart")
    assert OOFPredictions.from_long(tmp_path / f"{tool}.csv").n_configs == n_configs
    assert main([str(tmp_path / f"{tool}.csv"), "--scoring", "roc_auc"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"Corrected for the selection among {n_configs} configurations" in said
    assert "The event is ill" in said


def test_a_run_of_orange_has_its_scores(tmp_path):
    # Another Python may have it: it needs older releases of what we need.
    python = os.environ.get("SKLEARN_BBC_PYTHON_OF_ORANGE", sys.executable)
    if python == sys.executable and find_spec("Orange") is None:
        pytest.skip("Orange is not installed, and no Python that has it is named")
    (tmp_path / "run.py").write_text((OF_TOOLS / "made_by_orange.txt").read_text())
    printed = subprocess.run(
        [python, "run.py"], cwd=tmp_path, check=True, capture_output=True, text=True
    ).stdout
    metrics = {"AUC": "roc_auc", "CA": "accuracy", "RMSE": "rmse"}
    rows = [line.split() for line in printed.splitlines() if line.startswith("orange_")]
    assert len(rows) == 4
    for file, metric, *scores in rows:
        for ending in ("csv", "tab"):
            oof = OOFPredictions.from_orange(tmp_path / f"{file}.{ending}")
            found = own_scores(oof, metrics[metric], by_fold=False)
            assert_allclose(found, np.array(scores, dtype=float), rtol=2e-6)  # of six digits


WEKA = Path(os.environ.get("WEKA_JAR", "/usr/share/java/weka.jar"))


@pytest.mark.parametrize(
    ("classifier", "options"),
    [("bayes.NaiveBayes", []), ("trees.J48", ["-distribution"]), ("trees.REPTree", [])],
)
def test_a_run_of_weka_has_its_scores(classifier, options, tmp_path):
    if shutil.which("java") is None or not WEKA.exists():
        pytest.skip(f"there is no {WEKA}, or no Java: apt-get install weka, or set WEKA_JAR")
    rng = np.random.default_rng(0)
    a, values = rng.normal(size=60), classifier == "trees.REPTree"
    target = 2 * a + rng.normal(size=60)
    y = np.round(target, 3) if values else np.where(target > 0, "yes", "no")
    kind = "numeric" if values else "{yes,no}"
    head = f"@relation r\n@attribute rid numeric\n@attribute a numeric\n@attribute y {kind}\n"
    rows = "".join(f"{k},{x:.4f},{each}\n" for k, (x, each) in enumerate(zip(a, y), start=1))
    (tmp_path / "data.arff").write_text(f"{head}@data\n{rows}")

    def weka(*more):
        command = ["java", "-cp", str(WEKA), f"weka.classifiers.{classifier}", "-t", "data.arff"]
        return subprocess.run(
            [*command, "-x", "5", "-s", "1", *more], cwd=tmp_path, check=True,
            capture_output=True, text=True,
        ).stdout  # fmt: skip

    (tmp_path / "weka.txt").write_text(weka("-p", "1", *options))
    own = weka().partition("ross-validation ===")[2]
    oof = OOFPredictions.from_weka(tmp_path / "weka.txt")
    assert_array_equal(oof.y_true.astype(y.dtype), y)
    if values:
        shown, metric = re.search(r"Root mean squared error +([\d.]+)", own)[1], "rmse"
    else:
        shown, metric = re.search(r"Correctly Classified .* ([\d.]+) +%", own)[1], "accuracy"
    (found,) = own_scores(oof, metric, by_fold=False)
    assert_allclose(found if values else 100 * found, float(shown), rtol=2e-4)


@pytest.mark.filterwarnings("ignore:2 runs of", "ignore:There are only 6")
@pytest.mark.filterwarnings("error:These predictions do not give")
def test_a_run_of_promptfoo_has_the_scores_of_its_files(tmp_path, monkeypatch):
    command = os.environ.get("SKLEARN_BBC_PROMPTFOO", shutil.which("promptfoo"))
    if command is None:
        pytest.skip("SKLEARN_BBC_PROMPTFOO names no promptfoo, and it is not installed")
    for name, value in (
        ("PROMPTFOO_CONFIG_DIR", str(tmp_path / "own")), ("PROMPTFOO_DISABLE_TELEMETRY", "1"),
        ("PROMPTFOO_DISABLE_UPDATE", "1"), ("PROMPTFOO_DISABLE_REMOTE_GENERATION", "1"),
    ):  # fmt: skip
        monkeypatch.setenv(name, value)
    (tmp_path / "run.py").write_text((OF_TOOLS / "made_by_promptfoo.txt").read_text())
    done = subprocess.run(
        [sys.executable, "run.py", command], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    kept = OF_TOOLS / "promptfoo" / "results.json"
    for file in ("results.json", "results.csv"):
        for score in ("pass", "score", "right", "short"):
            options = {"score": score, "missing": "drop_runs", "groups": "answer"}
            found, expected = (
                OOFPredictions.from_promptfoo(path, **options) for path in (tmp_path / file, kept)
            )
            if file.endswith("json"):
                assert found.tool_scores == expected.tool_scores
            tolerance = 0 if file.endswith("json") else 0.006  # two decimals
            assert_allclose(found.responses["plain"], expected.responses["plain"], atol=tolerance)
