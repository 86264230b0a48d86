"""Arguments of `OOFPredictions` from other predictions (`concat`) and from fitted searches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from sklearn.base import (
    BaseEstimator,
    is_classifier,
    is_regressor,
)
from sklearn.model_selection import BaseShuffleSplit

from .._notes import warned
from .._utils import got, same
from ._parts import arguments_of_fields, fields_of_part
from ._validation import (
    IN_TIME,
    as_pairs,
    in_other_order,
    repeat_of_rows,
    same_metadata,
    without_repetition,
)

RESELECTED = (
    "Predictions were put together from several sources; the winner is selected again by the "
    "metric."
)


def arguments_of_joined(parts: Sequence[Any]) -> dict[str, Any]:
    """Make the arguments of `OOFPredictions` that join several of them."""
    if len(parts) < 2:
        raise ValueError(f"concat needs at least two OOFPredictions, got {len(parts)}.")
    for part in parts:
        if not hasattr(part, "split_repeat"):
            raise ValueError(f"concat takes OOFPredictions only, got {type(part).__name__}.")
    first = parts[0]
    for number, part in enumerate(parts[1:], 1):
        _check_parts(first, part, number)
    orders = [_splits_in_order_of(first, part) for part in parts]
    names = {name for part in parts for name in part.fold_scores}
    common = [name for name in first.fold_scores if all(name in p.fold_scores for p in parts)]
    notes = [note for part in parts for note in part.notes] + [RESELECTED]
    if lost := sorted(names - set(common)):
        notes.append(f"Fold scores of {', '.join(lost)} are not in all parts: left out.")
    more_repeats = any(order is None for order in orders)
    return {
        **arguments_of_fields(fields_of_part(first)),
        "notes": without_repetition(notes),
        **(_more_repeats(parts, common) if more_repeats else _more_configs(parts, orders, common)),
    }


def _check_parts(first: Any, part: Any, number: int) -> None:
    for name, what in (
        ("y_true", "targets"),
        ("classes_", "classes"),
        ("groups", "groups"),
        ("sample_weight", "sample weights"),
        ("pos_label", "positive classes"),
        ("score_sign", "kinds of values"),
        ("order", "orders in time"),
        ("block_length", "lengths of blocks"),
        ("block_kind", "kinds of blocks"),
    ):
        if not same(getattr(first, name), getattr(part, name)):
            raise ValueError(
                f"Part {number} has other {what} ({name}) than part 0: concat needs the same "
                "samples in the same order."
            )
    if in_other_order(first.indexes, part.indexes):
        raise ValueError(
            f"Part {number} has the index of part 0 in another order: concat needs the same "
            "samples in the same order."
        )
    if not same_metadata(first.metadata, part.metadata):
        raise ValueError(
            f"Part {number} has other metadata of scorers ({sorted(part.metadata)}) than part 0 "
            f"({sorted(first.metadata)}): concat needs the same values for the same samples."
        )
    if bool(first.responses) != bool(part.responses):
        raise ValueError(
            f"Part {0 if not first.responses else number} has only scores per fold, but another "
            "part has predictions: record all parts in the same way."
        )
    if ("plain" in first.responses) != ("plain" in part.responses):
        raise ValueError(
            "Some parts were made from y_pred and others from responses, so it is not known "
            "whether they hold the same kind of prediction. Make all of them in one way."
        )


def _splits_in_order_of(first: Any, part: Any) -> np.ndarray | None:
    """Find the number in `part` of each split of `first`; None when the splits differ."""
    if part.n_splits != first.n_splits:
        return None
    if not len(first.sample):  # scores per fold only: splits are what they are called
        return np.arange(first.n_splits) if same(first.split_repeat, part.split_repeat) else None
    if not np.array_equal(first.sample, part.sample) or not np.array_equal(
        first.repeat, part.repeat
    ):
        return None
    pairs = np.unique(np.stack([first.fold, part.fold]), axis=1)
    if pairs.shape[1] != first.n_splits or len(np.unique(pairs[1])) != first.n_splits:
        return None
    return pairs[1]


def _more_configs(parts: Sequence[Any], orders: Sequence[Any], common: list[str]) -> Any:
    """Join other configurations on the same splits, whose `orders` (n_splits,) may differ."""
    first = parts[0]
    if any(part.params and same(part.params, first.params) for part in parts[1:]):
        raise ValueError(
            "The parts have the same splits and the same configurations (params). To add repeats, "
            "split the samples anew for each part; to add configurations, give other params."
        )
    names = {name: None for part in parts for name in part.responses}
    sizes = [None if p.train_size is None else p.train_size[o] for p, o in zip(parts, orders)]
    all_named = all(part.params for part in parts)
    return {
        "responses": {name: _stacked_responses(parts, name) for name in names} or None,
        "params": [each for part in parts for each in part.params] if all_named else None,
        "failed": np.concatenate([part.failed for part in parts]),
        "train_size": sizes[0] if all(same(sizes[0], each) for each in sizes) else None,
        "fold_scores": {
            name: np.concatenate([p.fold_scores[name][o] for p, o in zip(parts, orders)], axis=1)
            for name in common
        },
    }


def _stacked_responses(parts: Sequence[Any], name: str) -> np.ndarray:
    """Join one response of all configurations; missing where a part does not have it."""
    known = [part.responses[name] for part in parts if name in part.responses]
    if len({array.shape[2:] for array in known}) > 1:
        raise ValueError(
            f"The parts have {name} of different shapes, {[a.shape for a in known]}: they must "
            "have the same classes or outputs."
        )
    missing, dtype = (-1, np.int8) if known[0].dtype.kind in "iu" else (np.nan, np.float32)
    return np.concatenate(
        [
            part.responses[name]
            if name in part.responses
            else np.full((part.n_configs, *known[0].shape[1:]), missing, dtype=dtype)
            for part in parts
        ]
    )


def _more_repeats(parts: Sequence[Any], common: list[str]) -> dict[str, Any]:
    """Join the same configurations on other splits."""
    first = parts[0]
    for number, part in enumerate(parts[1:], 1):
        if part.n_configs != first.n_configs:
            raise ValueError(
                f"Part {number} has other splits than part 0, so it would add repeats, but it has "
                f"{part.n_configs} configurations instead of {first.n_configs}. More "
                "configurations need the same splits; more repeats the same configurations."
            )
        if part.params and first.params and not same(part.params, first.params):
            raise ValueError(
                f"Part {number} has other splits than part 0, so it would add repeats, but its "
                "params are not those of part 0. More configurations need the same splits; more "
                "repeats the same configurations in the same order."
            )
        if set(part.responses) != set(first.responses):
            raise ValueError(
                f"Part {number} has the responses {sorted(part.responses)}, part 0 "
                f"{sorted(first.responses)}: repeats must be recorded alike."
            )
    splits = np.cumsum([0, *(part.n_splits for part in parts)])
    repeats = np.cumsum([0, *(part.n_repeats for part in parts)])
    sizes = [part.train_size for part in parts]
    joined = {
        "params": next((part.params for part in parts if part.params), None),
        "failed": np.any([part.failed for part in parts], axis=0),
        "train_size": None if any(s is None for s in sizes) else np.concatenate(sizes),
        "fold_scores": {
            name: np.concatenate([part.fold_scores[name] for part in parts]) for name in common
        },
    }
    if not first.responses:
        return joined | {
            "sample": None,
            "fold": None,
            "repeat": np.concatenate([p.split_repeat + r for p, r in zip(parts, repeats)]),
        }
    return joined | {
        "responses": {
            name: np.concatenate([part.responses[name] for part in parts], axis=1)
            for name in first.responses
        },
        "sample": np.concatenate([part.sample for part in parts]),
        "fold": np.concatenate([part.fold + s for part, s in zip(parts, splits)]),
        "repeat": np.concatenate([part.repeat + r for part, r in zip(parts, repeats)]),
    }


_MEAN_PREFIX = "mean_test_"

SHARED_SAMPLES = "The splits share samples: their scores depend on each other."
UNKNOWN = (
    "The splits of the search are not known any more. If they were of repeated cross-validation, "
    "the repeats are taken as folds of one pass, and the interval is too narrow."
)


ADAPTIVE = (
    "{} configurations by looking at the scores of earlier ones; the method assumes that they are "
    "fixed beforehand, so some optimism may remain."
)
"""Note on a search or tuner, after who it is and "chose"."""
REDRAWN = (
    "{name} may have scored each configuration on other folds: cv={cv} draws new ones whenever it "
    "is asked, so the best one may have had the easiest folds. Give it an integer random_state."
)
EARLIER = (
    "{} of {} configurations were fitted on fewer samples than the last ones, in earlier rounds. "
    "Their scores cannot be compared with those of the last ones: they are left out."
)
LAST_ROUND = (
    "{} of {} configurations are left out: they belong to earlier rounds of the search, of which "
    "cv_results_ has only the last one."
)
PRUNED = (
    "{} of {} configurations are left out: they were pruned before they were trained to the end, "
    "so the search could not select them."
)
FAILED_IN_PART = (
    "The search selected configuration {}, which has no score in some fold, by its scores in the "
    "other folds. It cannot win here, since folds differ in how hard they are."
)
OWN_SCORES = {
    "ClassifierMixin.score": "accuracy",
    "DummyClassifier.score": "accuracy",
    "KNeighborsClassifier.score": "accuracy",
    "RegressorMixin.score": "r2",
    "DummyRegressor.score": "r2",
}
"""What ``score`` of scikit-learn's models computes, unless a class defines another one."""
FIXED_SEARCHES = {"GridSearchCV", "RandomizedSearchCV"}
"""Names of searches that fix their configurations beforehand, of any package."""
FORWARD = {"TimeSeriesSplit", "RollingTimeSeriesSplit", "WalkForward"}
"""Names of splitters that train on samples before those they test, of any package."""


def arguments_of(search: Any) -> dict[str, Any]:
    """Make the arguments of `OOFPredictions` from a fitted search without predictions."""
    if isinstance(search, (Mapping, pd.DataFrame)):
        raise ValueError(
            f"search must be the fitted search itself, got {got(search)}: pass search, not "
            "search.cv_results_."
        )
    results = _results_of(search)
    if not hasattr(search, "_run_search") and results is None:
        raise ValueError(
            f"search must be a fitted search such as GridSearchCV, got {got(search)}. For "
            "predictions that you have use OOFPredictions(y_true=..., y_pred=..., fold=...)."
        )
    if results is None:
        raise ValueError(f"{type(search).__name__} is not fitted: call fit first.")
    names = [key.removeprefix(_MEAN_PREFIX) for key in results if key.startswith(_MEAN_PREFIX)]
    scores = {name: _scores_per_fold(results, name) for name in names}
    if not scores:
        raise ValueError(
            f"cv_results_ of {type(search).__name__} has no mean_test_* and split*_test_* scores."
        )
    # skrub's ParamSearch has the search that it runs as a parameter.
    settings = search if hasattr(search, "scoring") else getattr(search, "search", search)
    scores = _without_empty_splits(getattr(settings, "cv", None), scores)
    failed = np.isnan(np.stack(list(scores.values()))).any(axis=(0, 1))
    scoring = getattr(settings, "scoring", None)
    params = _params_of_searches(search, results, failed.size)
    if names == ["score"]:
        name = scoring if isinstance(scoring, str) else None
        if scoring is None:
            name = _name_of_own_score(getattr(search, "estimator", None), params)
        scores = {name or "score": scores["score"]}
    repeat, notes = _splits(settings, len(next(iter(scores.values()))))
    if not FIXED_SEARCHES & _names_of_classes(settings):
        notes = [*notes, ADAPTIVE.format(f"{type(search).__name__} may have chosen")]
        if _draws_anew(cv := getattr(search, "cv", None)):
            notes = [*notes, REDRAWN.format(name=type(search).__name__, cv=cv)]
    earlier = _of_earlier_rounds(search, results, len(failed))
    if earlier.any():
        notes = [*notes, EARLIER.format(earlier.sum(), len(earlier))]
        failed |= earlier
        for of_metric in scores.values():
            of_metric[:, earlier] = np.nan
    if n_earlier := n_in_earlier_rounds(search):
        notes = [*notes, LAST_ROUND.format(n_earlier, n_earlier + len(failed))]
    pruned = _pruned(search, len(failed))
    if pruned.any():
        notes = [*notes, PRUNED.format(pruned.sum(), len(pruned))]
        failed |= pruned
        for of_metric in scores.values():
            of_metric[:, pruned] = np.nan
    selected = getattr(search, "best_index_", None)
    if selected is not None and failed[selected] and not failed.all():
        notes = [*notes, warned(FAILED_IN_PART.format(selected))]
        selected = None
    return {
        "y_true": np.empty(0),
        "classes": None,
        "fold_scores": scores,
        "params": params,
        "failed": failed,
        "selected": selected,
        **({} if selected is None else {"selected_by": "the search"}),
        "repeat": repeat,
        "notes": notes,
    }


def _results_of(search: Any) -> Mapping[str, Any] | None:
    """Return the table of a search; None where it has none."""
    try:
        return getattr(search, "cv_results_", None)
    except KeyError:  # optuna-integration: some trial ended without scores
        attributes = [trial.user_attrs for trial in search.trials_]
        names = dict.fromkeys(name for each in attributes for name in each)
        return {name: [each.get(name, np.nan) for each in attributes] for name in names}


def _pruned(search: Any, n_configs: int) -> np.ndarray:
    """Mark trials of Optuna that were pruned, whose scores are of models that had not ended."""
    trials = getattr(search, "trials_", None)
    if trials is None or len(trials) != n_configs:
        return np.zeros(n_configs, dtype=bool)
    states = [getattr(getattr(trial, "state", None), "name", "") for trial in trials]
    return np.array([state == "PRUNED" for state in states])


def _draws_anew(cv: Any) -> bool:
    """Say whether a splitter draws other splits each time that it is asked."""
    if not hasattr(cv, "random_state"):
        return False
    return bool(getattr(cv, "shuffle", True)) and not isinstance(cv.random_state, Integral)


def _name_of_own_score(estimator: Any, params: Sequence[Mapping[str, Any]]) -> str | None:
    """Name what ``score`` of every model that was tried computes, where it is scikit-learn's."""
    values = (value for each in params for value in each.values())
    others = (each for each in values if isinstance(each, BaseEstimator))
    models = [estimator, *(each for each in others if is_classifier(each) or is_regressor(each))]
    found = {_name_of_score(getattr(type(last_step(each)), "score", None)) for each in models}
    return found.pop() if len(found) == 1 else None


def _name_of_score(method: Any) -> str | None:
    ours = getattr(method, "__module__", "").startswith("sklearn.")
    return OWN_SCORES.get(method.__qualname__) if ours else None


def last_step(model: Any) -> Any:
    """Return the last step of a pipeline, which predicts and computes its scores."""
    while isinstance(model, sklearn.pipeline.Pipeline):
        model = model.steps[-1][1]
    return model


def _scores_per_fold(results: Mapping[str, Any], name: str) -> np.ndarray:
    """Stack scores (n_splits, n_configs), for as many splits as there are columns."""
    splits: list[np.ndarray] = []
    while (key := f"split{len(splits)}_test_{name}") in results:
        splits.append(np.ma.asarray(results[key], dtype=float).filled(np.nan))
    if not splits:
        raise ValueError(f"cv_results_ has the mean of {name}, but no split0_test_{name}.")
    return np.stack(splits)


def n_in_earlier_rounds(search: Any) -> int:
    """Count the configurations that only ``all_cv_results_`` of scikit-learn 1.10 has."""
    every = getattr(search, "all_cv_results_", None)
    if not isinstance(every, Mapping) or "params" not in every:
        return 0
    return len(every["params"]) - len(search.cv_results_["params"])


def used_parts_of_samples(search: Any) -> bool:
    """Check whether a search is successive halving by samples, the only one without `resource`."""
    by_samples = getattr(search, "resource", "n_samples") == "n_samples"
    return by_samples and "n_resources" in (_results_of(search) or {})


def _without_empty_splits(cv: Any, scores: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Leave out the scores of splits that hold out no sample, where the splits are listed."""
    if not isinstance(cv, (list, tuple)) or len(cv) != len(next(iter(scores.values()))):
        return scores
    held = np.array([_holds_out(test) for _, test in cv])
    return {name: each[held] for name, each in scores.items()} if held.any() else scores


def _holds_out(test: Any) -> bool:
    """Check whether one side of a split, positions or a mask, has any sample."""
    mask = isinstance(test, np.ndarray) and test.dtype == bool
    return bool(test.any()) if mask else len(test) > 0


def _of_earlier_rounds(search: Any, results: Mapping[str, Any], n_configs: int) -> np.ndarray:
    """Mark configurations of successive halving that saw fewer samples than the last ones."""
    if not used_parts_of_samples(search):
        return np.zeros(n_configs, dtype=bool)
    n_samples = np.asarray(results["n_resources"])
    return n_samples < n_samples.max()


def _params_of_searches(
    search: Any, results: Mapping[str, Any], n_configs: int
) -> list[dict[str, Any]]:
    """List the configurations; some have a column per parameter, optuna a list of trials."""
    if "params" in results:
        return _with_names_of_skrub(search, results) or list(results["params"])
    trials = getattr(search, "trials_", None)
    if trials is not None and len(trials) == n_configs:
        return [dict(getattr(trial, "params", {})) for trial in trials]
    columns = {
        key.removeprefix("param_"): values
        for key, values in results.items()
        if key.startswith("param_")
    }
    return [
        {name: values[k] for name, values in columns.items() if values[k] is not np.ma.masked}
        for k in range(n_configs)
    ]


def _names_of_classes(value: Any) -> set[str]:
    return {base.__name__ for base in type(value).__mro__}


def _with_names_of_skrub(search: Any, results: Mapping[str, Any]) -> list[dict[str, Any]]:
    """List the choices of skrub's searches by their names; empty where it is none.

    In ``cv_results_`` they are numbers, ``data_op__0``. The table ``results_`` has the names, and
    is sorted by the mean score.
    """
    params = results["params"]
    if not any(str(name).startswith("data_op__") for each in params for name in each):
        return []
    try:
        table = pd.DataFrame(search.results_)
        names = [name for name in table if str(name).startswith(_MEAN_PREFIX)]
        means = {name: np.asarray(results[name], dtype=float) for name in names}
    except (AttributeError, KeyError, ValueError):
        return []
    for scores in means.values():  # one of them sorts it
        order = pd.Series(scores).sort_values(ascending=False, kind="stable").index
        if len(table) == len(params) and all(
            np.array_equal(table[name], each[order], equal_nan=True)
            for name, each in means.items()
        ):
            break
    else:
        return []
    named: list[dict[str, Any]] = [{} for _ in params]
    for config, row in zip(order, table.drop(columns=[*means]).to_dict("records")):
        named[config] = {k: v for k, v in row.items() if not (isinstance(v, float) and v != v)}
    return named


def _splits(search: Any, n_splits: int) -> tuple[np.ndarray | None, list[str]]:
    """Find the repeat of each split, where there are several, and notes on the splits."""
    cv = getattr(search, "cv", None)
    if FORWARD & _names_of_classes(cv):
        return None, [*IN_TIME]
    if isinstance(cv, BaseShuffleSplit):
        return None, [SHARED_SAMPLES]
    n_repeats = getattr(cv, "n_repeats", None)
    n_repeats = int(n_repeats) if isinstance(n_repeats, Integral) else 0
    if n_repeats > 0 and n_splits % n_repeats == 0:
        return np.repeat(np.arange(n_repeats), n_splits // n_repeats), []
    if cv is None or isinstance(cv, Integral) or hasattr(cv, "split"):
        return None, []
    listed = isinstance(cv, (list, tuple))
    pairs = as_pairs([pair for pair in cv if _holds_out(pair[1])]) if listed else None
    if pairs is None or len(pairs.train_size) != n_splits:
        return None, [UNKNOWN]  # a generator is used up by the search
    # Every sample is held out in some repeat, or these are not repeats.
    repeat = repeat_of_rows(pairs.sample, pairs.fold, int(pairs.sample.max()) + 1)
    of_split = np.zeros(n_splits, dtype=np.int64)
    of_split[pairs.fold] = repeat
    overlapping = len(np.unique(pairs.sample)) < len(pairs.sample) and not repeat.any()
    notes: list[str] = [*IN_TIME] if pairs.in_time else [SHARED_SAMPLES] if overlapping else []
    return of_split, notes
