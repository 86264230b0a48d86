"""What is reported of a finished search, gathered from its attributes."""

from __future__ import annotations

import itertools
import platform
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils._pprint import _EstimatorPrettyPrinter

from .._version import __version__
from .._wording import count, is_usual_positive, shown
from ..intervals import registered
from ..predictions import OOFPredictions
from ..report import SearchFacts
from ..results import ConfidenceInterval
from ._after_search import DYNAMIC_NOTE
from ._stage import IntervalStage
from .dropping._search import dropped_of

__all__ = ["facts_of"]

PACKAGES = ("scikit-learn", "numpy", "scipy", "pandas")
LONGEST_VALUES = 160
"""Characters of the values of one parameter."""
MOST_CLASSES = 20
"""Classes that are listed one by one."""
STRATEGIES = {
    "GridSearchCV": "grid search",
    "RandomizedSearchCV": "random search",
    "HalvingGridSearchCV": "successive halving",
    "HalvingRandomSearchCV": "successive halving",
}


def facts_of(search: Any, stage: IntervalStage, seed: int) -> SearchFacts:
    """Gather what a report says about a finished search.

    Parameters
    ----------
    search : BBCSearchMixin
        The finished search.
    stage : IntervalStage
        Its results as the methods see them.
    seed : int
        Seed of the draws.

    Returns
    -------
    SearchFacts
        Texts and numbers, without estimators and data.
    """
    oof: OOFPredictions = search.oof_
    spaces = _spaces(search)
    results = _by_reported_metric(getattr(search, "ci_results_", {}))
    main = getattr(search, "ci_", None)
    # Of a search in rounds the last one counts; what was left behind has scores, but others.
    scored = np.all([np.isfinite(means) for means in stage.mean_scores.values()], axis=0)
    left_out = oof.failed & scored & (DYNAMIC_NOTE in stage.notes)
    dropped = dropped_of(search.cv_results_)
    tested = oof.tested if oof.n_rows else search._facts.held_out
    if tested is None or len(tested) != oof.n_samples:
        tested = np.ones(oof.n_samples, dtype=bool)
    groups = None if oof.groups is None else len(np.unique(oof.groups[tested]))
    return SearchFacts(
        search=type(search).__name__,
        strategy=_strategy(search),
        estimator=_estimator(search.estimator, spaces),
        space=_space(spaces),
        cv=_cv(search, oof),
        n_samples=oof.n_samples,
        n_configs=oof.n_configs,
        n_failed=int(np.count_nonzero(oof.failed & ~left_out & ~dropped)),
        n_dropped=int(np.count_nonzero(dropped)),
        n_left_out=int(np.count_nonzero(left_out)),
        dynamic=DYNAMIC_NOTE in stage.notes,
        n_splits=oof.n_splits,
        n_repeats=oof.n_repeats,
        n_untested=int(np.count_nonzero(~tested)),
        folds=_folds(oof),
        n_groups=groups,
        n_features=getattr(search, "n_features_in_", None),
        target=_target(oof, tested),
        primary=stage.primary,
        signs={name: metric.sign for name, metric in stage.metrics.items()},
        mean_scores=stage.mean_scores,
        results=results,
        best_scores={
            (metric, name): stage.reported_score(result)
            for metric, by_method in results.items()
            for name, result in by_method.items()
        },
        main=main,
        aware=frozenset(name for name, cls in registered().items() if cls.selection_aware),
        params=oof.params,
        best_index=None if stage.best_index is None else int(stage.best_index),
        seed=seed,
        notes=_distinct(
            note for source in (stage.notes, oof.notes, *_notes(results)) for note in source
        ),
        versions=_versions(),
        code=_code(search, seed),
        positive=_positive(results, oof),
    )


def _positive(
    results: Mapping[str, Mapping[str, ConfidenceInterval]], oof: OOFPredictions
) -> dict[str, Any]:
    """Metric -> class that it takes as positive, where that does not go without saying."""
    classes = [] if oof.classes_ is None else oof.classes_.tolist()
    found = {
        metric: result.details["positive_class"]
        for metric, by_method in results.items()
        for result in by_method.values()
        if "positive_class" in result.details
    }
    return {name: each for name, each in found.items() if not is_usual_positive(each, classes)}


def _by_reported_metric(
    results: Mapping[str, Mapping[str, ConfidenceInterval]],
) -> dict[str, dict[str, ConfidenceInterval]]:
    """Results by the metric that each is about: a threshold has another than the search."""
    sorted_: dict[str, dict[str, ConfidenceInterval]] = {}
    for by_method in results.values():
        for name, result in by_method.items():
            there = sorted_.setdefault(result.metric, {})
            free = (f"{result.method}_{k}" for k in itertools.count(2))
            there[name if name not in there else next(n for n in free if n not in there)] = result
    return sorted_


def _notes(results: Mapping[str, Mapping[str, ConfidenceInterval]]) -> Iterable[Sequence[str]]:
    for by_method in results.values():
        for name, result in by_method.items():
            yield result.details.get("notes", ())
            if "error" in result.details:
                yield [f"No {name} interval for {result.metric}: {result.details['error']}"]


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def _strategy(search: Any) -> str:
    for cls in type(search).__mro__:
        if cls.__name__ == "BBCSearchCV":
            return "grid search" if search.n_iter is None else "random search"
        if cls.__name__ in STRATEGIES:
            return STRATEGIES[cls.__name__]
    return type(search).__name__


def _estimator(estimator: Any, spaces: Sequence[Mapping[str, Any]]) -> str:
    """The class of an estimator; of a pipeline those of its steps and of what was tried there."""
    if not isinstance(estimator, Pipeline):
        return type(estimator).__name__
    steps = []
    for name, step in estimator.steps:
        tried = [each for space in spaces for each in _listed(space.get(name, ()))] or [step]
        kinds = dict.fromkeys(
            "no step" if each is None or isinstance(each, str) else type(each).__name__
            for each in tried
        )
        if list(kinds) != ["no step"]:
            steps.append(" or ".join(kinds))
    if len(steps) < 2:
        return f"A pipeline of {steps[0]}" if steps else "A pipeline"
    return f"A pipeline of {', '.join(steps[:-1])} and {steps[-1]}"


def _listed(values: Any) -> Iterable[Any]:
    """Values of a parameter; a distribution has none that could be listed."""
    return () if hasattr(values, "rvs") else values


def _spaces(search: Any) -> list[Mapping[str, Any]]:
    for name in ("param_grid", "param_distributions"):
        space = getattr(search, name, None)
        if space is not None:
            return [space] if isinstance(space, Mapping) else list(space)
    return []


def _space(spaces: Sequence[Mapping[str, Any]]) -> tuple[tuple[str, str], ...]:
    rows = []
    for k, each in enumerate(spaces, start=1):
        where = f" (space {k})" if len(spaces) > 1 else ""
        rows += [(f"{name}{where}", _values(values)) for name, values in each.items()]
    return tuple(rows)


def _values(values: Any) -> str:
    frozen = getattr(values, "dist", None)
    if hasattr(values, "rvs"):
        if frozen is None:
            return _line(values)
        given = [f"{value:g}" if isinstance(value, float) else str(value) for value in values.args]
        given += [f"{name}={value}" for name, value in values.kwds.items()]
        return f"distribution {frozen.name}({', '.join(given)})"
    texts = [_line(value) for value in values]
    listed: list[str] = []
    length = 0
    for text in texts:
        length += len(text) + 2
        if length > LONGEST_VALUES and listed:
            return f"{', '.join(listed)}, ... ({len(texts):,} values)"
        listed.append(text)
    return ", ".join(listed)


def _line(value: Any) -> str:
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    text = " ".join(str(value).split())
    return text if len(text) <= LONGEST_VALUES else text[: LONGEST_VALUES - 3] + "..."


def _folds(oof: OOFPredictions) -> tuple[int, ...]:
    """Number of folds of each repeat; empty where repeats are no whole passes over the samples.

    Without predictions only the sizes of the training sets tell.
    """
    whole = oof.is_partition
    if not oof.n_rows:
        held_out = 0 if oof.train_size is None else np.sum(oof.n_samples - oof.train_size)
        whole = bool(held_out and held_out == oof.n_samples * oof.n_repeats)
    return tuple(np.bincount(oof.split_repeat).tolist()) if whole else ()


def _cv(search: Any, oof: OOFPredictions) -> str:
    """The kind of splits, in words."""
    given = search.cv
    by_number = given is None or isinstance(given, int)
    name = "" if by_number else type(given).__name__
    kinds = []
    if "Stratified" in name or (
        by_number and is_classifier(search.estimator) and oof.classes_ is not None
    ):
        kinds.append("stratified")
    if "Group" in name:
        kinds.append("grouped")
    folds = _folds(oof)
    if oof.n_splits == 1:
        return f"a single split ({name})" if hasattr(given, "split") else "a single split"
    if not folds:
        kind = f"{name} with " if hasattr(given, "split") else ""
        return f"cross-validation ({kind}{count(oof.n_splits, 'split')})"
    if len(set(folds)) > 1:
        sizes = [f"{n:,}" for n in folds]
        return f"cross-validation with repeats of {', '.join(sizes[:-1])} and {sizes[-1]} folds"
    if folds[0] == oof.n_samples:
        return "leave-one-out cross-validation"
    again = f" with {count(len(folds), 'repeat')}" if len(folds) > 1 else ""
    return " ".join([*kinds, f"{folds[0]:,}-fold cross-validation{again}"])


def _target(oof: OOFPredictions, tested: np.ndarray) -> tuple[tuple[str, str], ...]:
    """Describe the target of the held-out samples, a mask of shape (n_samples,)."""
    y = np.asarray(oof.y_true)[tested]
    if not len(y):
        return (("target", "none"),)
    if y.dtype.names is not None:
        event = next(name for name in y.dtype.names if y[name].dtype.kind == "b")
        n_events = int(y[event].sum())
        return (("events", f"{n_events:,}"), ("censored", f"{len(y) - n_events:,}"))
    if y.ndim > 1:
        return (("outputs", f"{y.shape[1]:,}"),)
    if oof.classes_ is not None:
        labels, sizes = np.unique(y, return_counts=True)
        if len(labels) > MOST_CLASSES:
            return (("classes", f"{len(labels):,}"), ("smallest class", f"{sizes.min():,}"))
        return tuple((f"class {label}", f"{size:,}") for label, size in zip(labels, sizes))
    ends = (float(y.min()), float(y.max()))
    _, low, high, mean = shown(max(map(abs, ends)), *ends, float(y.mean()))
    return (("target", f"{low} to {high}, mean {mean}"),)


def _versions() -> dict[str, str]:
    found = {"sklearn-bbc": __version__, "Python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # a build without metadata
            continue
    return found


def _code(search: Any, seed: int) -> str:
    """The call that made the search; whole, where the repr of scikit-learn is cut."""
    whole = _EstimatorPrettyPrinter(compact=True, indent=1, indent_at_name=True)
    made = whole.pformat(search)
    lines = [f"search = {made}", "search.fit(X, y)"]
    if not isinstance(getattr(search, "random_state", None), (int, np.integer)):
        lines.append(f"# random_state was not a number. The seed of the draws was {seed}.")
    return "\n".join(lines)
