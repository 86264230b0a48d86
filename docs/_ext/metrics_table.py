"""Writes the table of scorers and their kernels, asking the code itself."""

import warnings
from pathlib import Path

import numpy as np
from sklearn.metrics import get_scorer_names

from sklearn_bbc import OOFPredictions
from sklearn_bbc.metrics import as_metric

N_SAMPLES, N_CONFIGS = 60, 3
TARGETS = {
    "two classes": "binary",
    "more classes": "multiclass",
    "label sets": "multilabel",
    "one value": "regression",
    "several values": "multioutput",
}


def predictions(kind: str) -> OOFPredictions:
    """Random predictions of a few configurations for one kind of target."""
    rng = np.random.default_rng(0)
    fold = np.arange(N_SAMPLES) % 5
    shape = (N_CONFIGS, N_SAMPLES)
    if kind in ("binary", "multiclass"):
        n_classes = 2 if kind == "binary" else 3
        y = np.arange(N_SAMPLES) % n_classes
        scores = rng.normal(size=(*shape, n_classes)) + np.eye(n_classes)[y]
        proba = np.exp(scores) / np.exp(scores).sum(axis=2, keepdims=True)
        responses = {
            "predict": scores.argmax(axis=2),
            "predict_proba": proba[:, :, 1] if n_classes == 2 else proba,
            "decision_function": scores[:, :, 1] if n_classes == 2 else scores,
        }
        return OOFPredictions.from_rows(y_true=y, responses=responses, fold=fold)
    if kind == "multilabel":
        y = rng.integers(2, size=(N_SAMPLES, 3))
        proba = 0.2 + 0.4 * y + 0.4 * rng.random(size=(*shape, 3))
        responses = {
            "predict": (proba > 0.5).astype(float),
            "predict_proba": proba,
            "decision_function": proba - 0.5,
        }
        return OOFPredictions.from_rows(y_true=y, responses=responses, fold=fold, classes=None)
    size = (N_SAMPLES,) if kind == "regression" else (N_SAMPLES, 2)
    y = rng.gamma(3.0, size=size)
    predict = y * rng.uniform(0.8, 1.2, size=(N_CONFIGS, *size))
    return OOFPredictions.from_rows(
        y_true=y, responses={"predict": predict}, fold=fold, classes=None
    )


def path_of(scoring: str, oof: OOFPredictions) -> str:
    """How a scorer is computed: kernel, replay, or a dash where it makes no sense."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            family = as_metric(scoring).bind(oof).family
    except (ValueError, TypeError):
        return "-"
    return "replay" if family == "replay" else "kernel"


def table() -> str:
    """The table as Markdown."""
    data = {title: predictions(kind) for title, kind in TARGETS.items()}
    lines = [
        "| scorer | " + " | ".join(data) + " |",
        "|---|" + "---|" * len(data),
    ]
    for scoring in get_scorer_names():
        cells = [path_of(scoring, oof) for oof in data.values()]
        lines.append(f"| `{scoring}` | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def write(folder: Path) -> None:
    """Write what `user_guide/metrics.md` includes."""
    (folder / "metrics_table.md").write_text(table(), encoding="utf-8")


if __name__ == "__main__":
    print(table())
