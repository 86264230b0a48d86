"""Memory, start-up time, and the bootstrap's share of a search."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd

from sklearn_bbc import BBCSearchCV, OOFPredictions
from sklearn_bbc.intervals import BBC

ROOT = Path(__file__).resolve().parents[2]


def peak_of_interval(n_samples: int, n_configs: int, n_bootstraps: int) -> dict[str, float]:
    """Peak memory of BBC with AUC beside the memory of the predictions.

    Returns
    -------
    dict
        In MB: the matrix of predictions, the growth of the process over its size before the
        matrix was made, once the `OOFPredictions` are there and at its highest from the
        matrix to the end (predictions included), and the ratio of the latter to the matrix.
    """
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n_samples)
    before = resident("VmRSS")
    forget_peak()
    pred = np.empty((n_configs, n_samples))
    rng.standard_normal(out=pred)
    pred += y  # no second array of this size on the way
    size = pred.nbytes / 2**20
    oof = OOFPredictions.from_rows(
        y_true=y, responses={"decision_function": pred}, fold=np.arange(n_samples) % 10
    )
    del pred
    kept = resident("VmRSS") - before
    started = time.process_time()
    BBC(n_bootstraps=n_bootstraps, random_state=0).estimate(oof, "roc_auc")
    seconds = time.process_time() - started
    peak = resident("VmHWM") - before
    return {
        "N": n_samples, "C": n_configs, "B": n_bootstraps, "predictions, MB": size,
        "OOFPredictions, MB": kept, "peak with predictions, MB": peak,
        "peak / predictions": peak / size, "s": seconds,
    }  # fmt: skip


def resident(field: str) -> float:
    """Memory of this process in MB: ``"VmRSS"`` now, ``"VmHWM"`` at its highest."""
    status = Path("/proc/self/status")
    if status.is_file():
        for line in status.read_text(encoding="utf-8").splitlines():
            if line.startswith(field):
                return int(line.split()[1]) / 1024
    # Elsewhere only the highest is known: bytes on macOS, kilobytes on other systems.
    import resource  # not on Windows

    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def forget_peak() -> None:
    """Let the highest memory of this process start again from now, where Linux allows it."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:  # not Linux, or not allowed: the peak then holds what came before
        return


IMPORT = """
import time
started = time.perf_counter()
import sklearn.model_selection
between = time.perf_counter()
import sklearn_bbc
ended = time.perf_counter()
from sklearn_bbc import BBCSearchCV
print(between - started, ended - between, time.perf_counter() - between)
"""

FIRST_CALL = """
import time
import numpy as np
from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import BBC
rng = np.random.default_rng(0)
y = np.tile([0, 1], 250)
oof = OOFPredictions(y_true=y, y_pred=rng.standard_normal((500, 100)), fold=np.arange(500) % 10)
for _ in range(2):
    started = time.perf_counter()
    BBC(random_state=0).estimate(oof, "roc_auc")
    print(time.perf_counter() - started)
"""


def cold_start(runs: int) -> pd.DataFrame:
    """Medians over fresh processes, in milliseconds of real time."""
    fresh(IMPORT)  # writes the bytecode, which an installed package has
    imports = np.array([fresh(IMPORT) for _ in range(runs)]) * 1000
    calls = np.array([fresh(FIRST_CALL) for _ in range(runs)]) * 1000
    numbers = {
        "import sklearn.model_selection": imports[:, 0],
        "import sklearn_bbc after it": imports[:, 1],
        "the same, and BBCSearchCV from it": imports[:, 2],
        "first BBC": calls[:, 0],
        "second BBC": calls[:, 1],
        "first minus second BBC": calls[:, 0] - calls[:, 1],
    }
    return pd.DataFrame(
        {
            "what": what,
            "median, ms": median(values),
            "q25, ms": np.quantile(values, 0.25),
            "q75, ms": np.quantile(values, 0.75),
            "processes": runs,
        }
        for what, values in numbers.items()
    )


def fresh(code: str) -> list[float]:
    """Numbers that a fresh process prints."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    return [float(number) for number in done.stdout.split()]


def share_of_fit() -> dict[str, float]:
    """Times of one search: 100 logistic regressions, 500 samples, 10 folds, one process."""
    from sklearn.datasets import make_classification
    from sklearn.linear_model import LogisticRegression

    X, y = make_classification(n_samples=500, n_features=20, random_state=0)
    search = BBCSearchCV(
        LogisticRegression(max_iter=1000),
        {"C": np.logspace(-4, 4, 100)},
        scoring="roc_auc",
        cv=10,
        random_state=0,
    )
    started = time.perf_counter()
    search.fit(X, y)
    whole = time.perf_counter() - started
    return {
        "configurations": 100,
        "fit, s": whole,
        "interval stage, s": search.interval_time_,
        "share, %": 100 * search.interval_time_ / whole,
    }
