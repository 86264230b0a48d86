"""Random data and metrics such as people really have, and worse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import fbeta_score, make_scorer, mean_pinball_loss, roc_auc_score

from sklearn_bbc._scorers import scorer_names
from sklearn_bbc.metrics import as_metric


def pick(rng: np.random.Generator, options: Any) -> Any:
    return options[int(rng.integers(len(options)))]


def target(rng: np.random.Generator, n: int) -> tuple[str, Any]:
    """Kind of the target, and the target."""
    kind = pick(rng, ["binary"] * 5 + ["classes"] * 2 + ["values"] * 3 + ["labels", "survival"])
    if kind == "binary":
        share = pick(rng, [0.5, 0.5, 0.2, 0.05, 0.0])
        y: Any = rng.random(n) < share
        if rng.random() < 0.5 and n > 2:
            y[rng.choice(n, 2, replace=False)] = [True, False]
        y = pick(rng, [y, y.astype(int), np.where(y, "yes", "no"), y * 2.0 - 1, y.astype(object),
                       pd.Series(y.astype(int), index=rng.permutation(n))])  # fmt: skip
    elif kind == "classes":
        k = int(rng.integers(3, 7))
        y = rng.choice(k, size=n, p=rng.dirichlet(np.full(k, pick(rng, [0.3, 1.0, 10.0]))))
        y = pick(rng, [y, y - 1, np.array(list("abcdefg"))[y], y.astype(float)])
    elif kind == "values":
        y = pick(rng, [
            lambda: rng.normal(size=n), lambda: rng.integers(-3, 4, n),
            lambda: np.full(n, pick(rng, [0.0, 1.0, 1e300])),
            lambda: rng.exponential(size=n), lambda: rng.normal(size=n) * 1e200,
            lambda: rng.normal(size=(n, 2)), lambda: rng.random(n).astype(np.float32),
            lambda: np.ma.masked_array(rng.normal(size=n), mask=rng.random(n) < 0.05),
        ])()  # fmt: skip
        if rng.random() < 0.08:
            y = np.array(y, dtype=float)
            y[int(rng.integers(n))] = pick(rng, [np.nan, np.inf, -np.inf])
    elif kind == "labels":
        y = rng.integers(2, size=(n, 3))
    else:
        y = np.empty(n, dtype=[("event", bool), ("time", float)])
        y["event"] = rng.random(n) < pick(rng, [0.0, 0.3, 1.0])
        y["time"] = pick(rng, [rng.exponential(size=n), np.ones(n), rng.integers(0, 4, n)])
    return kind, y


def predictions(rng: np.random.Generator, kind: str, y: Any, c: int, response: str) -> np.ndarray:
    """Predictions of `c` configurations, of shape (n_samples, c[, n_outputs])."""
    n = len(y)
    if kind in ("binary", "classes"):
        labels, codes = np.unique(np.asarray(y).astype(str), return_inverse=True)
        labels = np.unique(np.asarray(y)) if np.asarray(y).dtype.kind != "O" else labels
        k = max(len(labels), 2)
        what = {"predict": "labels", "predict_proba": "table"}.get(response, "scores")
        if response == "predict_proba" and k == 2 and rng.random() < 0.7:
            what = "proba"
        if rng.random() < 0.2:
            what = pick(rng, ["scores", "labels", "table", "perfect"])
        if what == "labels":
            right = rng.random((n, c)) < pick(rng, [0.0, 0.5, 0.9, 1.0])
            codes = np.where(right, codes[:, None], rng.integers(len(labels), size=(n, c)))
            return np.asarray(labels)[codes]
        if what == "table":
            return rng.dirichlet(np.full(k, pick(rng, [0.05, 1.0])), size=(n, c))
        if what == "perfect":
            return np.repeat(codes[:, None].astype(float), c, axis=1)
        proba = what == "proba" or rng.random() < 0.3
        pred = rng.random((n, c)) if proba else rng.normal(size=(n, c)) * 3
        pred = pred + pick(rng, [0.0, 0.3]) * codes[:, None]
        return np.clip(pred, 0, 1) if proba else pred
    if kind == "labels":
        return rng.random((n, c, 3)) if rng.random() < 0.5 else rng.integers(2, size=(n, c, 3))
    time = y["time"] if kind == "survival" else np.ma.filled(np.asarray(y, dtype=float), 0.0)
    with np.errstate(all="ignore"):
        time = time[:, None] if time.ndim == 1 else time[:, None, :]
        noise = rng.normal(size=(n, c) + time.shape[2:])
        return np.asarray(time * pick(rng, [0.0, 1.0, -1.0]) + noise * pick(rng, [0.0, 1.0]))


def spoiled(rng: np.random.Generator, pred: np.ndarray) -> Any:
    """The predictions with something that real ones have now and then."""
    if pred.dtype.kind not in "fiu":
        return pred
    how = pick(rng, ["", "", "", "", "constant", "nan", "nan column", "inf", "huge", "ties",
                     "float32", "masked", "int", "tiny"])  # fmt: skip
    if how in ("float32", "int"):
        with np.errstate(all="ignore"):
            return pred.astype({"float32": np.float32, "int": int}[how])
    if how == "masked":
        return np.ma.masked_array(pred, mask=rng.random(pred.shape) < 0.05)
    pred = pred.astype(float)
    column = (slice(None), int(rng.integers(pred.shape[1])))
    if how == "constant":
        pred[column] = pick(rng, [0.0, 0.5, 1.0, -7.0])
    elif how == "nan":
        pred[rng.random(pred.shape) < 0.03] = np.nan
    elif how == "nan column":
        pred[column] = np.nan
    elif how == "inf":
        pred[rng.random(pred.shape) < 0.03] = pick(rng, [np.inf, -np.inf])
    elif how in ("huge", "tiny"):
        pred = pred * {"huge": 1e300, "tiny": 1e-310}[how]
    elif how == "ties":
        pred = np.round(pred, 1)
    return pred


def fold_labels(rng: np.random.Generator, n: int) -> Any:
    k = int(rng.integers(2, 8))
    return pick(rng, [
        lambda: rng.integers(k, size=n), lambda: np.arange(n) % k, lambda: np.arange(n) * k // n,
        lambda: np.arange(n), lambda: np.zeros(n, int), lambda: None,
        lambda: np.array(list("abcdefgh"))[rng.integers(k, size=n)],
        lambda: rng.integers(-1, k, size=n),
    ])()  # fmt: skip


def arguments(rng: np.random.Generator) -> tuple[str, Any, dict[str, Any]]:
    """Kind of the target, a metric, and keyword arguments for `OOFPredictions`."""
    n, c = pick(rng, [1, 2, 3, 5, 8, 12, 20, 30, 50]), pick(rng, [1, 1, 2, 3, 6])
    kind, y = target(rng, n)
    scoring = scorer(rng, kind)
    response = pick(rng, as_metric(scoring).response_method or ("predict",))
    given: dict[str, Any] = {"y_true": y}
    pred = spoiled(rng, predictions(rng, kind, y, c, response))
    form = rng.random()
    if form < 0.7:
        given.update(y_pred=pred, fold=fold_labels(rng, n))
        if form < 0.05 and c == 1 and pred.ndim == 2:
            given["y_pred"] = pred[:, 0]
    elif form < 0.8:
        repeated = [pred, pred[:, ::-1]] if pred.ndim == 2 else [pred]
        given["y_pred"] = np.stack(repeated) if len(repeated) > 1 else pred
        if given["y_pred"].ndim == 3 and pred.ndim == 2:
            given["fold"] = np.stack([rng.integers(3, size=n), rng.integers(3, size=n)])
    elif pred.dtype.kind == "f":  # some samples several times, some never
        rows = rng.integers(n, size=max(1, int(n * pick(rng, [0.5, 1.5]))))
        rows = np.sort(rows) if rng.random() < 0.5 else rows
        name = "predict" if kind in ("values", "survival", "labels") else "decision_function"
        name = "predict_proba" if pred.ndim == 3 and kind != "values" else name
        given.update(responses={name: np.moveaxis(np.asarray(pred), 0, 1)[:, rows]},
                     sample=rows, fold=rng.integers(3, size=len(rows)))  # fmt: skip
    else:
        given.update(y_pred=pred, fold=fold_labels(rng, n))
    if rng.random() < 0.2:
        groups = rng.integers(max(1, n // pick(rng, [2, 4])), size=n)
        given["groups"] = pick(rng, [groups, groups.astype(str)])
    if rng.random() < 0.2:
        given["sample_weight"] = pick(rng, [
            rng.random(n), rng.integers(0, 3, n), np.ones(n), rng.random(n) * 1e200,
            np.where(rng.random(n) < 0.8, 0.0, 1.0), rng.random(n).astype(np.float32),
        ])  # fmt: skip
    if rng.random() < 0.1:
        given["failed"] = rng.random(c) < 0.5
    if rng.random() < 0.1:
        given["selected"] = int(rng.integers(c))
    return kind, scoring, given


def scores_only(rng: np.random.Generator) -> tuple[str, dict[str, Any], str]:
    """Predictions that are fold scores alone, and the metric's name."""
    k, c = int(rng.integers(1, 8)), int(rng.integers(1, 5))
    name = pick(rng, ["roc_auc", "accuracy", "r2", "neg_log_loss", "mine"])
    scores = pick(rng, [
        rng.random((k, c)), np.full((k, c), pick(rng, [0.0, 1.0, 0.5])), rng.normal(size=(k, c)),
        rng.normal(size=(k, c)) * 1e300, rng.integers(2, size=(k, c)),
        np.where(rng.random((k, c)) < 0.1, pick(rng, [np.nan, np.inf, -np.inf]), 0.7),
    ])  # fmt: skip
    given: dict[str, Any] = {"y_true": np.empty(0), "classes": None, "fold_scores": {name: scores}}
    if rng.random() < 0.5:
        given["train_size"] = rng.integers(1, 50, size=k)
    return "scores", given, name


def scorer(rng: np.random.Generator, kind: str) -> Any:
    fitting = {
        "binary": ["roc_auc", "accuracy", "f1", "balanced_accuracy", "neg_log_loss", "recall",
                   "average_precision", "matthews_corrcoef", "precision", "jaccard",
                   "d2_log_loss_score", "neg_brier_score", "d2_brier_score"],
        "classes": ["accuracy", "f1_macro", "roc_auc_ovr", "balanced_accuracy", "neg_log_loss"],
        "values": ["r2", "neg_mean_absolute_error", "neg_root_mean_squared_error",
                   "neg_median_absolute_error", "neg_mean_squared_log_error"],
        "labels": ["f1_samples", "f1_macro", "accuracy", "roc_auc"],
        "survival": ["concordance_index"],
    }[kind]  # fmt: skip
    draw, known = rng.random(), set(scorer_names())
    if draw < 0.7:
        return pick(rng, [name for name in fitting if name in known])  # older releases have fewer
    if draw < 0.9:
        return pick(rng, scorer_names())
    return pick(rng, [
        make_scorer(fbeta_score, beta=2, average="macro"),
        make_scorer(mean_pinball_loss, alpha=0.3, greater_is_better=False),
        make_scorer(roc_auc_score, response_method="predict_proba", max_fpr=0.3),
        make_scorer(fbeta_score, beta=0.5, pos_label="yes", zero_division=np.nan),
    ])  # fmt: skip
