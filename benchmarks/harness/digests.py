"""Whether a change left every bit of every result as it was.

Files move and functions split without any number changing. This command shows it: it runs each
method on many data sets and metrics, and writes a digest of the estimate, the bounds, the draws
and the by-products that are numbers. Written before a change and compared after it, on the same
machine with the same releases, the digests are equal or they name the cases that differ::

    python -m benchmarks.harness.digests write before.json
    python -m benchmarks.harness.digests compare before.json

Digests of another machine or of other releases differ in last bits, so none are kept in the
repository.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from sklearn_bbc import BBCSearchCV, OOFPredictions
from sklearn_bbc.intervals import (
    HierarchicalBootstrap,
    PooledBootstrap,
    Wald,
    holdout_interval,
    registered,
    registered_refits,
)

SEED = 0
N_BOOTSTRAPS = 200
TITLE = {"python": sys.version.split()[0], "numpy": np.__version__}

METRICS = {
    "two classes": ["roc_auc", "accuracy", "f1", "neg_log_loss", "average_precision"],
    "two classes, repeats": ["roc_auc", "balanced_accuracy"],
    "two classes, groups": ["roc_auc", "accuracy", "neg_brier_score"],
    "two classes, weights": ["roc_auc", "matthews_corrcoef"],
    "three classes": ["roc_auc_ovr", "f1_macro", "neg_log_loss"],
    "numbers": ["r2", "neg_mean_absolute_error"],
}


def main(argv: list[str] | None = None) -> int:
    """Write the digests, or compare them with those of a file; 1 when any differs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("what", choices=["write", "compare"])
    parser.add_argument("file", type=Path)
    arguments = parser.parse_args(argv)
    found = {name: digest(outcome) for name, outcome in outcomes()}
    if arguments.what == "write":
        arguments.file.write_text(json.dumps({**TITLE, "cases": found}, indent=1) + "\n")
        print(f"{len(found)} cases written to {arguments.file}")
        return 0
    before = json.loads(arguments.file.read_text())
    for name, version in TITLE.items():
        if before[name] != version:
            print(f"The file was written with {name} {before[name]}, this is {version}.")
    cases = before["cases"]
    differ = [name for name in {**cases, **found} if cases.get(name) != found.get(name)]
    print(f"{len(found)} cases, {len(differ)} differ")
    for name in differ:
        what = "new" if name not in cases else "gone" if name not in found else "differs"
        print(f"  {what}: {name}")
    return 1 if differ else 0


def outcomes() -> Iterator[tuple[str, Any]]:
    """Yield the name of each case and its result, or the error that it ends with."""
    methods = {name: method() for name, method in _ours(registered()).items()}
    methods["pooled_bootstrap, bca"] = PooledBootstrap(form="bca")
    methods["pooled_bootstrap, studentised"] = PooledBootstrap(form="studentised")
    methods["hierarchical, percentile"] = HierarchicalBootstrap(form="percentile")
    methods["wald, wilson"] = Wald(form="wilson")
    for data, oof in data_sets().items():
        for scoring in METRICS[data]:
            for name, method in methods.items():
                yield f"{name} | {scoring} | {data}", _outcome(method, oof, scoring)
    yield from _holdouts()
    yield from _searches()


def _ours(methods: Mapping[str, type]) -> dict[str, type]:
    """Methods of the package, without those that somebody else registered in this process."""
    return {
        name: method
        for name, method in methods.items()
        if method.__module__.startswith("sklearn_bbc.")
    }


def _outcome(method: Any, oof: OOFPredictions, scoring: str) -> Any:
    known = method.get_params()
    settings = {"random_state": SEED, "n_bootstraps": N_BOOTSTRAPS}
    method = method.set_params(**{k: v for k, v in settings.items() if k in known})
    return _caught(method.estimate, oof, scoring)


def _caught(function: Any, *arguments: Any, **named: Any) -> Any:
    """Result of a call, or the kind of error that it ends with."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*arguments, **named)
        except ValueError as error:
            return type(error).__name__


def _holdouts() -> Iterator[tuple[str, Any]]:
    rng = np.random.default_rng(SEED)
    y = np.arange(60) % 2
    one, other = y + rng.normal(size=(2, 60))
    labels = {"roc_auc": (one, other), "accuracy": (one > 0.5, other > 0.5)}
    options = {"random_state": SEED, "n_bootstraps": N_BOOTSTRAPS}
    for scoring, (a, b) in labels.items():
        a, b = np.asarray(a) * 1, np.asarray(b) * 1
        yield f"holdout | {scoring}", _caught(holdout_interval, y, a, scoring, **options)
        named = {**options, "y_pred_other": b}
        yield f"holdout difference | {scoring}", _caught(holdout_interval, y, a, scoring, **named)
        for kind, more in _holdout_kinds(rng).items():
            for what, (pred, pair) in {"one": (a, None), "pair": (a, b)}.items():
                named = {**options, **more, "y_pred_other": pair}
                if more.get("pool_seeds"):
                    named["y_pred_other"] = None if pair is None else np.stack([pair, pred], 1)
                    pred = np.stack([pred, b], 1)
                name = f"holdout {what}, {kind} | {scoring}"
                yield name, _caught(holdout_interval, y, pred, scoring, **named)


def _holdout_kinds(rng: np.random.Generator) -> dict[str, dict[str, Any]]:
    """Arguments of every form of the bootstrap, and of every way to draw groups."""
    groups = np.arange(60) // 4
    kinds: dict[str, dict[str, Any]] = {
        form: {"method": form} for form in ("percentile", "basic", "normal", "studentised", "bca")
    }
    kinds["weights"] = {"sample_weight": rng.random(60)}
    kinds["one-sided"] = {"method": "percentile", "alternative": "greater"}
    kinds["groups, bca"] = {"method": "bca", "groups": groups}
    for bootstrap in ("cluster", "two-stage", "ferrer-riera"):
        grouped = {"groups": groups, "group_bootstrap": bootstrap}
        kinds[bootstrap] = {**grouped, "method": "percentile"}
        kinds[f"{bootstrap}, basic"] = {**grouped, "method": "basic", "confidence_level": 0.8}
        kinds[f"{bootstrap}, seeds"] = {**grouped, "pool_seeds": True}
    kinds["seeds"] = {"pool_seeds": True}
    return kinds


def _searches() -> Iterator[tuple[str, Any]]:
    X, y = make_classification(60, 5, random_state=SEED)
    search = BBCSearchCV(
        LogisticRegression(), {"C": [0.01, 1, 100]}, scoring="roc_auc", random_state=SEED
    )
    search.fit(X, y)
    yield "search", search.ci_
    yield "search, BBC-F", search.interval("bbcf")
    search.set_params(scoring="accuracy")
    for name, method in _ours(registered_refits()).items():
        few = {"n_repetitions": 1, "n_bootstraps": 20, "n_inner": 2, "n_outer": 2, "cv": 3}
        few |= {"random_state": SEED, "verbose": 0}
        known = method().get_params()
        settings = {key: value for key, value in few.items() if key in known}
        yield f"{name} | accuracy | search", _caught(method(**settings).estimate, search, X, y)


def data_sets() -> dict[str, OOFPredictions]:
    """Make predictions of every kind, from a fixed seed."""
    rng = np.random.default_rng(SEED)
    n, n_configs = 60, 5
    y = (np.arange(n) % 3 == 0).astype(int)
    fold = np.arange(n) // 3 % 5
    skill = np.linspace(0.5, 2, n_configs)[:, None]

    def scores() -> np.ndarray:
        logits = skill * (2 * y - 1) + 1.5 * rng.normal(size=(n_configs, n))
        return 1 / (1 + np.exp(-logits))

    first = scores()
    classes = np.arange(n) % 3
    logits = rng.normal(size=(n_configs, n, 3))
    logits += skill[..., None] * (classes[:, None] == np.arange(3))
    proba = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)
    numbers = rng.normal(size=n)
    values = numbers + rng.normal(size=(n_configs, n)) * np.linspace(0.5, 1, n_configs)[:, None]
    groups = fold * 4 + rng.integers(4, size=n)
    rows = {"sample": np.tile(np.arange(n), 2), "repeat": np.repeat([0, 1], n)}
    rows["fold"] = np.concatenate([fold, 5 + (fold + np.arange(n) // 15) % 5])
    return {
        "two classes": _predictions(y, first, fold=fold),
        "two classes, repeats": _predictions(y, np.hstack([first, scores()]), **rows),
        "two classes, groups": _predictions(y, first, fold=fold, groups=groups),
        "two classes, weights": _predictions(
            y, first, fold=fold, sample_weight=rng.integers(1, 4, n)
        ),
        "three classes": _predictions(classes, proba, fold=fold),
        "numbers": OOFPredictions(y_true=numbers, y_pred=values.T, fold=fold),
    }


def _predictions(y: np.ndarray, proba: np.ndarray, **named: Any) -> OOFPredictions:
    return OOFPredictions(y_true=y, responses={"predict_proba": proba}, **named)


def digest(outcome: Any) -> str:
    """Digest of the numbers of a result, bit by bit; an error is its own name."""
    if isinstance(outcome, str):
        return outcome
    state = hashlib.sha256()
    parts = {
        "estimate": outcome.estimate,
        "low": outcome.low,
        "high": outcome.high,
        "draws": outcome.draws,
        **{f"details {key}": value for key, value in sorted(outcome.details.items())},
    }
    for name, value in parts.items():
        for piece in _numbers(value):
            state.update(name.encode())
            state.update(piece)
    return state.hexdigest()[:16]


def _numbers(value: Any) -> Iterator[bytes]:
    """Bytes of the numbers that a value holds; words and objects may change."""
    if isinstance(value, Mapping):
        for key in sorted(value, key=str):
            yield from _numbers(value[key])
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _numbers(each)
    elif value is not None and not isinstance(value, str):
        array = np.asarray(value)
        if array.dtype.kind in "biuf":
            yield np.ascontiguousarray(array, dtype=np.float64).tobytes()


if __name__ == "__main__":
    sys.exit(main())
