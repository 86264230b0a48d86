"""Random hostile data for every method, and what may come out of it.

`run_case(seed)` builds predictions, a metric and a method from the seed, runs them, and
returns what is wrong with the outcome. ``python -m tests.hostile 123`` shows one case.
"""

from __future__ import annotations

import linecache
import re
import sys
import time
import traceback
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import fbeta_score, make_scorer, mean_pinball_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV

import sklearn_bbc
from sklearn_bbc import OOFPredictions
from sklearn_bbc._scorers import scorer_names
from sklearn_bbc.intervals import (
    Arcsine,
    Identity,
    LearnEvaluate,
    LogDistance,
    TopShare,
    holdout_interval,
    recommend,
    registered,
    registered_refits,
)
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.replication import Drop, LinearQuantile, Refuse

ALLOWED = (ValueError,)
"""What a call may raise: `ValueError`, as which `UndefinedIntervalError` counts, by a ``raise``
statement of this package, so that the words are ours and not those of NumPy. What an estimator
raises or warns of while a method trains it or scores it is its own: it passes, as in
`sklearn.model_selection.cross_val_score`."""


def ours(methods):
    """Names of methods that come with the package; other tests register more."""
    return sorted(n for n, cls in methods.items() if cls.__module__.startswith("sklearn_bbc."))


OF_ESTIMATORS = ("intervals/training/_problem.py:fit", "intervals/training/_problem.py:score")
"""Where methods that train models call the estimator and the scorer."""

LONGEST = 30.0
"""Seconds that a call may take."""

FIRST_LARGE, EVERY = 10_000, 250
"""Of the seeds from the first number on, one in so many makes a case with many samples."""

LEAKS = (RuntimeWarning, FutureWarning, DeprecationWarning)
"""Warnings that must not come out of a call."""

PACKAGE = str(Path(sklearn_bbc.__file__).parent)
SETTINGS: dict[str, list[Any]] = {
    "n_bootstraps": [20, 25, 60],
    "confidence_level": [0.5, 0.8, 0.95, 0.999],
    "alternative": ["two-sided", "greater", "less"],
    "config": [None, None, 0, 1],
    "stratify": [False, True],
    "second_stage": [False, True],
    "quantile": [None, LinearQuantile()],
    "degenerate": [None, None, Drop(), Refuse()],
    "scale": [None, None, Arcsine(), Identity(), LogDistance()],
    "selection": [None, None, LearnEvaluate(), LearnEvaluate(TopShare(0.3))],
    "weight_folds": [False, True],
    "repeats": ["aligned", "independent"],
    "interval": ["wald", "profile"],
    "marginal": [False, True],
    "on_logit_scale": [False, True],
    "student": [False, True],
    "logit": [False, True],
    "half_credit": [False, True],
    "variance": ["all-pairs", "within-fold"],
    "r": [0.0, 0.1, 0.7],
    "corrected_t": [False, True],
}
QUICK = {"n_repetitions": 1, "n_folds": 3, "n_outer": 2, "n_inner": 3, "cv": 3, "verbose": 0}
HOLDOUT = ["auto", "percentile", "basic", "normal", "studentised", "bca", "delong", "wald",
           "hanley-mcneil", "takahashi", "wilson", "clopper-pearson", "jeffreys"]  # fmt: skip


@dataclass
class Case:
    """One call: its arguments, how to make it, and what came of it."""

    seed: int
    kind: str = ""
    method: str = ""
    scoring: Any = ""
    settings: dict[str, Any] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)
    fault: str = ""
    detail: str = ""
    outcome: Any = None

    @property
    def signature(self) -> str:
        """What is wrong, without the numbers, so that equal faults look equal."""
        words = re.sub(r"'[^']*'|\"[^\"]*\"", "'..'", self.fault)
        method = "" if " in " in self.fault else f"{self.method}: "
        return method + re.sub(r"-?[0-9][0-9.e+-]*", "#", words)


# ------------------------------------------------------------------------------- the data
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


BOOTSTRAP_FORMS = ["studentised", "percentile", "basic", "normal", "bca"]
FORMS = {
    "hierarchical_bootstrap": BOOTSTRAP_FORMS,
    "pooled_bootstrap": BOOTSTRAP_FORMS,
    "naive_bootstrap": ["bootstrap", "normal"],
    "wald": ["normal", "wilson", "clopper-pearson", "agresti-coull", "jeffreys"],
}


def settings_for(rng: np.random.Generator, method: Any) -> dict[str, Any]:
    own = method.get_params(deep=False)
    chosen = {name: pick(rng, SETTINGS[name]) for name in SETTINGS if name in own}
    chosen = {name: value for name, value in chosen.items() if rng.random() < 0.4}
    if method.name in FORMS:
        chosen["form"] = pick(rng, FORMS[method.name])
    if "n_bootstraps" in own:
        chosen.setdefault("n_bootstraps", 40)
    if "random_state" in own:
        chosen["random_state"] = int(rng.integers(1000))
    chosen.update({name: value for name, value in QUICK.items() if name in own})
    return chosen


# ------------------------------------------------------------------------------- one case
def run_case(seed: int) -> Case:
    """Build the case of a seed and run it."""
    rng, case = np.random.default_rng([seed, 7]), Case(seed)
    leaked: list[str] = []

    def note(message: Any, category: type, *_: Any, **__: Any) -> None:
        where = place(traceback.extract_stack())
        if issubclass(category, LEAKS) and where not in OF_ESTIMATORS:
            leaked.append(f"{category.__name__} in {where}: {message}")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call = build(rng, case)
        warnings.simplefilter("always")
        warnings.showwarning = note
        started = time.process_time()  # whatever else the machine is doing
        try:
            case.outcome = call()
        except Exception as error:
            case.outcome = error
            case.fault = fault_of_error(error)
            case.detail = "".join(traceback.format_exception(error))
        took = time.process_time() - started
    if not case.fault and leaked:
        case.fault = leaked[0]
    if not case.fault and took > LONGEST:
        case.fault = f"took more than {LONGEST:g} s of processor time"
    if not case.fault and not isinstance(case.outcome, Exception):
        case.fault = fault_of_result(case)
        case.detail = repr(case.outcome)
    return case


def build(rng: np.random.Generator, case: Case) -> Any:
    """Fill in the case and return the call."""
    what = rng.random()
    methods = ours(registered())
    if case.seed >= FIRST_LARGE and case.seed % EVERY == 0:
        return large(rng, case)
    if what < 0.04:
        return train(rng, case)
    if what < 0.16:
        return hold_out(rng, case)
    if what < 0.24:
        case.kind, case.data, case.scoring = scores_only(rng)
    else:
        case.kind, case.scoring, case.data = arguments(rng)
    if what < 0.27:
        case.method = "recommend"
        return lambda: recommend(OOFPredictions(**case.data), case.scoring)
    case.method = pick(rng, methods)
    method = registered()[case.method]()
    if rng.random() < 0.8:
        make_suitable(rng, case, method)
    case.settings = settings_for(rng, method)
    method.set_params(**case.settings)
    return lambda: method.estimate(OOFPredictions(**case.data), case.scoring)


POINTWISE = ["accuracy", "neg_log_loss", "neg_brier_score", "neg_mean_absolute_error"]
SUITED = {
    "wald": POINTWISE,
    "bayle_cv": [*POINTWISE, "neg_root_mean_squared_error"],
    "fold_glmm": ["accuracy", "recall"],
    "takahashi": ["f1", "precision", "recall", "f1_macro"],
}


def make_suitable(rng: np.random.Generator, case: Case, method: Any) -> None:
    """Take away what the method refuses for good reasons, so that most cases are computed."""
    needs = method.requires
    wanted = ["roc_auc"] if "auc" in needs else SUITED.get(method.name)
    no_predictions = "predictions" in needs and case.kind == "scores"
    if wanted or no_predictions:
        for _ in range(200):
            case.kind, case.scoring, case.data = arguments(rng)
            enough = len(case.data["y_true"]) > 4
            binary = case.kind == "binary" or "binary" not in needs
            if enough and binary and (wanted is None or case.scoring in wanted):
                break
    if "ungrouped" in needs:
        case.data.pop("groups", None)
    if "unweighted" in needs:
        case.data.pop("sample_weight", None)
    if "folds" in needs and "y_pred" in case.data:
        y, pred = case.data["y_true"], np.asarray(case.data["y_pred"])
        if len(pred) == len(y) > 4:
            plain = np.ndim(y) == 1 and case.kind != "survival"
            order = np.argsort(np.asarray(y).astype(str)) if plain else np.arange(len(y))
            fold = np.empty(len(y), dtype=int)
            fold[order] = np.arange(len(y)) % int(rng.integers(2, 6))
            case.data["fold"] = fold


def large(rng: np.random.Generator, case: Case) -> Any:
    """Many samples: what takes long, or is refused only after long, shows here."""
    n = int(rng.choice([2000, 5000, 10_000]))
    case.kind = pick(rng, ["pairs", "rare", "values"])
    if case.kind == "pairs":  # many classes of two samples
        y = np.arange(n) // 2
        pred: Any = np.where(
            rng.random((n, 2)) < 0.7, y[:, None], rng.integers(n // 2, size=(n, 2))
        )
        case.scoring = pick(rng, ["accuracy", "balanced_accuracy", "f1_macro", "recall_macro"])
    elif case.kind == "rare":
        y = (np.arange(n) % (n // 5) == 0).astype(int)
        pred = rng.random((n, 3))
        case.scoring = pick(rng, ["roc_auc", "average_precision", "neg_log_loss"])
    else:
        y, pred = rng.normal(size=n), rng.normal(size=(n, 3))
        case.scoring = pick(rng, ["r2", "neg_median_absolute_error"])
    case.data = {"y_true": y, "y_pred": pred, "fold": rng.integers(5, size=n)}
    case.method = pick(rng, ours(registered()))
    method = registered()[case.method]()
    case.settings = settings_for(rng, method)
    method.set_params(**case.settings)
    return lambda: method.estimate(OOFPredictions(**case.data), case.scoring)


def hold_out(rng: np.random.Generator, case: Case) -> Any:
    case.method = "holdout_interval"
    case.kind, case.scoring, given = arguments(rng)
    pred = given.get("y_pred")
    if pred is None or np.ndim(pred) < 2 or len(pred) != len(given["y_true"]):
        pred = rng.random((len(given["y_true"]), 2))
    one = pred[:, 0]
    case.data = {"y_true": given["y_true"], "y_pred": one}
    case.data.update({k: given[k] for k in ("groups", "sample_weight") if k in given})
    case.settings = {
        "method": pick(rng, HOLDOUT), "n_bootstraps": 40, "random_state": 0,
        "confidence_level": pick(rng, SETTINGS["confidence_level"]),
        "alternative": pick(rng, SETTINGS["alternative"]),
    }  # fmt: skip
    if rng.random() < 0.2:
        case.settings["y_pred_other"] = pred[:, -1]
    return lambda: holdout_interval(**case.data, scoring=case.scoring, **case.settings)


def train(rng: np.random.Generator, case: Case) -> Any:
    case.kind, y = "labels", None
    while case.kind not in ("binary", "classes", "values"):
        case.kind, y = target(rng, pick(rng, [6, 12, 30, 40]))
    case.method = pick(rng, ours(registered_refits()))
    method = registered_refits()[case.method]()
    case.settings = settings_for(rng, method)
    if "n_bootstraps" in case.settings:
        case.settings["n_bootstraps"] = 20
    method.set_params(**case.settings)
    values = case.kind == "values"
    estimator = pick(rng, [
        LinearRegression() if values else LogisticRegression(),
        DummyRegressor() if values else DummyClassifier(),
        GridSearchCV(DummyRegressor(), {"strategy": ["mean", "median"]}, cv=2) if values
        else GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}, cv=2),
    ])  # fmt: skip
    case.scoring = scorer(rng, case.kind)
    X = rng.normal(size=(len(y), 2))
    case.data = {"estimator": estimator, "X": X, "y": y}
    return lambda: method.estimate(estimator, X, y, scoring=case.scoring)


# ------------------------------------------------------------------------------- judgement
def fault_of_error(error: Exception) -> str:
    """Empty where the error is ours and documented."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    line = linecache.getline(frame.filename, frame.lineno or 0).strip()
    ours = frame.filename.startswith(PACKAGE) and line.startswith("raise")
    if isinstance(error, ALLOWED) and ours and len(str(error)) > 15:
        return ""
    where = place(traceback.extract_tb(error.__traceback__))
    if where in OF_ESTIMATORS:
        return ""
    first = str(error).strip().partition("\n")[0][:120]
    return f"{type(error).__name__} in {where}: {first}"


def place(frames: traceback.StackSummary) -> str:
    """File and function of the package nearest to where it happened."""
    inside = [frame for frame in frames if frame.filename.startswith(PACKAGE)]
    return f"{inside[-1].filename.removeprefix(PACKAGE)[1:]}:{inside[-1].name}" if inside else "?"


def fault_of_result(case: Case) -> str:
    """Empty where the result keeps its promises."""
    result = case.outcome
    if case.method == "recommend":
        return "" if isinstance(result.reason, str) and result.reason else "no reason given"
    reasons = " ".join(str(result.details.get(k, "")) for k in ("reason", "notes"))
    if np.isinf(result.estimate):
        return f"estimate {result.estimate}"
    if np.isnan(result.estimate) and not result.details.get("reason"):
        return "estimate NaN without details['reason']"
    if np.isnan([result.low, result.high]).any():
        return "" if reasons.strip("[] ") else "bounds NaN without a reason"
    if result.low > result.high:
        return f"low {result.low} above high {result.high}"
    endless = np.isinf([result.low, result.high]).any()
    if result.alternative == "two-sided" and endless and not result.details.get("reason"):
        return f"infinite bound of a two-sided interval: {result.low}, {result.high}"
    slack = 1e-9 * (1 + abs(result.estimate))
    inside = result.low - slack <= result.estimate <= result.high + slack
    # A one-sided bound of a low level may well lie beyond the estimate.
    if result.confidence_level >= 0.8 and not inside and not reasons.strip("[] "):
        return "estimate outside its interval, without a note"
    if case.settings.get("y_pred_other") is not None or case.scoring == "mine":
        return ""
    least, most = as_metric(case.scoring).bounds
    for name in ("low", "high") if np.isnan(result.estimate) else ("estimate", "low", "high"):
        if not least - 1e-9 <= getattr(result, name) <= most + 1e-9:
            return f"{name} outside the metric's range"
    return ""


def describe(case: Case) -> str:
    """Everything about a case, to be read."""
    np.set_printoptions(threshold=60, edgeitems=20, linewidth=110)
    data = "\n".join(f"  {name} = {value!r}" for name, value in case.data.items())
    return (
        f"seed {case.seed}: {case.method}({case.settings}) on {case.scoring!r}, {case.kind}\n"
        f"{data}\n-> {case.fault or 'as it should be'}\n{case.detail}"
    )


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        print(describe(run_case(int(argument))))
