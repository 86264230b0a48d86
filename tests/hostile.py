"""Random hostile data for every method, and what may come out of it.

`run_case(seed)` builds predictions, a metric and a method from the seed, runs them, and
returns what is wrong with the outcome. ``python -m tests.hostile 123`` shows one case.
"""

from __future__ import annotations

import linecache
import re
import sys
import traceback
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV

import sklearn_bbc
from sklearn_bbc.intervals import (
    LearnEvaluate,
    NormalScoreQuantile,
    Redraw,
    TopShare,
    holdout_interval,
    recommend,
    registered,
    registered_refits,
)
from sklearn_bbc.intervals._bootstrap import BOOTSTRAP_FORMS
from sklearn_bbc.metrics import as_metric
from tests.hostile_data import arguments, pick, scorer, scores_only, target
from tests.made import made

ALLOWED = (ValueError,)
"""What a call may raise: `ValueError`, as which `UndefinedIntervalError` counts, by a ``raise``
statement of this package, so that the words are ours and not those of NumPy. What an estimator
raises or warns of while a method trains it or scores it is its own: it passes, as in
`sklearn.model_selection.cross_val_score`."""


def ours(methods):
    """Names of methods that come with the package; other tests register more."""
    return sorted(n for n, cls in methods.items() if cls.__module__.startswith("sklearn_bbc."))


OF_ESTIMATORS = ("intervals/_refit_base.py:fit", "intervals/_refit_base.py:score")
"""Where methods that train models call the estimator and the scorer."""

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
    "quantile": [None, NormalScoreQuantile()],
    "degenerate": [None, None, Redraw(min_out_of_bag=2), Redraw(cap=5)],
    "bounds": [None, None, (0, 1), (-np.inf, np.inf), (-np.inf, 0)],
    "selection": [None, None, LearnEvaluate(), LearnEvaluate(TopShare(0.3))],
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
HOLDOUT = ["auto", *BOOTSTRAP_FORMS, "delong", "wald", "hanley-mcneil",
           "takahashi", "wilson", "clopper-pearson", "jeffreys"]  # fmt: skip


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


FORMS = {
    "hierarchical_bootstrap": BOOTSTRAP_FORMS,
    "pooled_bootstrap": BOOTSTRAP_FORMS,
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
        try:
            case.outcome = call()
        except Exception as error:
            case.outcome = error
            case.fault = fault_of_error(error)
            case.detail = "".join(traceback.format_exception(error))
    if not case.fault and leaked:
        case.fault = leaked[0]
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
        return lambda: recommend(made(**case.data), case.scoring)
    case.method = pick(rng, methods)
    method = registered()[case.method]()
    if rng.random() < 0.8:
        make_suitable(rng, case, method)
    case.settings = settings_for(rng, method)
    method.set_params(**case.settings)
    return lambda: method.estimate(made(**case.data), case.scoring)


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
    return lambda: method.estimate(made(**case.data), case.scoring)


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
