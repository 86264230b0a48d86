"""Record more of a finished search: fit configurations again, and answer questions with that."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import clone, is_classifier

from .._notes import with_notes
from .._scorers import SURVIVAL, is_survival_response, record_words, response_words
from .._text import count
from .._utils import check_arrays, got, is_integer, with_groups
from .._warnings import duration, hold_warnings, release_warnings, warn_user
from ..exceptions import RecordingWarning, UndefinedIntervalError
from ..intervals._bbc import BBC
from ..metrics._metric import Metric
from ..metrics._scikit_survival import wrapper_in
from ..predictions._predictions import OOFPredictions, with_fields
from ..predictions._sources import last_step
from ..predictions._validation import LacksResponse, in_index_order, lacks_response
from ..recording._checks import config_position, wanted_responses
from ..recording._finished import FinishedSearch
from ..recording._search import RecordedGrid, finished_of
from ._comparison import recorded_splits
from ._estimate import estimate, requested_methods

PASS_THE_SAME = (
    "If `fit` of the search was given sample_weight, groups or other parameters, pass the same "
    "ones: {}."
)
CLOSE = 1e-6
"""Relative difference of two numbers up to which they come from the same model."""
MOST_LISTED = 8
"""Configurations that a message lists by their positions."""


def record_again(
    search: Any,
    X: Any,
    y: Any,
    record: Any,
    configs: Any,
    fit_params: Mapping[str, Any],
    n_jobs: int | None = None,
) -> None:
    """Fit configurations of a finished search again, and keep what `record` names in it."""
    finished = finished_of(search)
    _, methods = wanted_responses(record)
    if not methods:
        raise ValueError(
            "record must name what to record, such as 'predict_proba' or ['predict', "
            f"'predict_proba'], got {got(record)}."
        )
    if X is None:
        raise ValueError("X is missing: record_again needs X and y, as `fit` of the search.")
    check_arrays(X=X, y=y)
    params = with_groups({name: v for name, v in fit_params.items() if v is not None})
    given, _, _ = in_index_order(
        {"X": X, "y": y, **params}, finished.oof.n_samples, finished.oof.indexes
    )
    params = {name: given[name] for name in params}
    splits = recorded_splits(search, finished, given["X"], given["y"], "record_again")
    chosen = _chosen_configs(search, finished, configs)
    lack = {
        m: set(np.flatnonzero(lacking(finished.oof, [m], derived=False)).tolist()) for m in methods
    }
    fitted = [
        c for c in chosen if any(c in lack[m] and (c, m) not in finished.again for m in methods)
    ]
    able = [c for c in fitted if answers(_model(search, c), methods)]
    kept = [values for (_, m), values in finished.again.items() if m in methods]
    if fitted and not able and all(values is None for values in kept):
        raise _refusal("record_again", search, finished, methods, fitted)
    finished.again.update({(c, m): None for c in fitted for m in methods if c in lack[m]})
    if able:
        n_jobs = finished.n_jobs if n_jobs is None else n_jobs
        _fit(search, finished, given["X"], given["y"], params, splits, able, methods, n_jobs)
    for method in methods:
        if lack[method] and all((c, method) in finished.again for c in lack[method]):
            # As if it had been recorded: the predictions of the search have it from now on.
            notes = [*search.oof_.notes, *finished.again_notes.values()]
            finished = replace(finished, oof=search.oof_)
            search.oof_ = with_fields(
                filled(finished, sorted(lack[method]), [method]),
                notes=tuple(dict.fromkeys(notes)),
            )


def _chosen_configs(search: Any, finished: FinishedSearch, configs: Any) -> list[int]:
    """Return the positions of the configurations that `configs` of `record_again` names."""
    params = search.cv_results_["params"]
    if isinstance(configs, str) and configs == "all":
        return list(range(len(params)))
    if isinstance(configs, str) and configs == "winners":
        winners = winners_of(search, finished)
        if not winners:
            raise ValueError(
                "No metric of this search selects a configuration, so there are no winners of "
                "draws to record: record_again(..., configs='all')."
            )
        return sorted(winners)
    if isinstance(configs, str) or not isinstance(configs, (Sequence, np.ndarray)):
        raise ValueError(
            "configs must be 'winners', 'all' or a list of positions or parameters of "
            f"configurations, as in cv_results_['params'], got {got(configs)}."
        )
    return sorted({config_position(each, params, "configs") for each in configs})


def winners_of(search: Any, finished: FinishedSearch) -> set[int]:
    """Find what wins draws of BBC of a search by its own selection, and what it selected."""
    of_primary = vars(search).get("ci_results_", {}).get(finished.primary, {})
    method = BBC()
    for asked, result in zip(requested_methods(search), of_primary.values()):
        if isinstance(asked, BBC) and asked.selection is None:
            if "won" in result.details:
                return used_by(result)
            method = asked
    own = set() if finished.best_index is None else {finished.best_index}
    with hold_warnings():
        try:
            return own | used_by(estimate(finished, finished.ask(), clone(method)))
        except ValueError:  # a rule or a metric that cannot be repeated
            return own


def _fit(
    search: Any,
    finished: FinishedSearch,
    X: Any,
    y: Any,
    params: Mapping[str, Any],
    splits: Any,
    configs: Sequence[int],
    methods: Sequence[str],
    n_jobs: int | None,
) -> None:
    """Fit configurations again, keep their responses, and note where they are other models."""
    oof = finished.oof
    times = [search.cv_results_[f"mean_{kind}_time"][configs].sum() for kind in ("fit", "score")]
    seconds = float(np.nansum(times)) * oof.n_splits / effective_n_jobs(n_jobs)
    took = f"about {duration(seconds)}" if seconds > 1 else "less than a second"
    print(
        f"Fitting {count(len(configs), 'configuration')} again on the {oof.n_splits} splits of "
        f"the search: {count(len(configs) * oof.n_splits, 'fit')}, {took}.",
        file=sys.stderr,
    )
    advice = PASS_THE_SAME.format("record_again(X, y, ..., sample_weight=...)")
    new = fitted_again(
        search, [oof.params[c] for c in configs], splits, X, y, params,
        advice=advice, record=list(methods), n_jobs=n_jobs,
    )  # fmt: skip
    old = {name: scores[:, configs] for name, scores in oof.fold_scores.items()}
    n_different, worst = others_than_before(old, new.fold_scores)
    how = f"score otherwise than in the search (by up to {worst:.3g})"
    if not n_different:
        n_different, how = _n_others(oof, new, configs), "predict otherwise than in the search"
    note = other_models(n_different, len(configs), how, advice) if n_different else None
    for k, config in enumerate(configs):
        for method in methods:
            if method in new.responses:
                finished.again[config, method] = new.responses[method][k]
        if note is not None:
            finished.again_notes[config] = note


def fitted_again(
    search: Any,
    params: Sequence[Mapping[str, Any]],
    cv: Any,
    X: Any,
    y: Any,
    fit_params: Mapping[str, Any],
    *,
    advice: str,
    record: Any = True,
    n_jobs: int | None = None,
) -> OOFPredictions:
    """Fit configurations of a search on given splits; return their predictions.

    `advice` ends the message where they cannot be fitted.
    """
    again = RecordedGrid(
        search.estimator,
        [{name: [value] for name, value in each.items()} for each in params],
        scoring=getattr(search, "scoring", None),
        cv=cv,
        n_jobs=n_jobs,
        error_score=getattr(search, "error_score", np.nan),
        record=record,
        shows_progress=True,
    )
    try:
        again.fit(X, y, **fit_params)
    except Exception as error:
        # Where all fits failed, scikit-learn's last line is the error of one of them.
        *more, last = str(error).strip().splitlines() or [""]
        why = last if more else f"{type(error).__name__}: {last}"
        raise ValueError(
            f"The configurations could not be fitted again ({why}). {advice}"
        ) from error
    return again.oof_


def others_than_before(
    old: Mapping[str, np.ndarray], new: Mapping[str, np.ndarray]
) -> tuple[int, float]:
    """Count configurations with other scores per fold, and find the largest difference.

    `old`, `new`: metric -> (n_splits, n_configs), in the same order.
    """
    worst, different = 0.0, np.zeros(0, dtype=bool)
    for before, after in zip(old.values(), new.values()):
        apart = ~np.isclose(before, after, rtol=CLOSE, atol=CLOSE, equal_nan=True)
        different = apart.any(axis=0) | (different if len(different) else False)
        worst = max(worst, float(np.nanmax(np.abs(before - after)[apart], initial=0.0)))
    return int(different.sum()), worst


def _n_others(oof: OOFPredictions, new: OOFPredictions, configs: Sequence[int]) -> int:
    """Count the configurations whose recorded predictions are not those of the new models."""
    different = np.zeros(len(configs), dtype=bool)
    for method, values in new.responses.items():
        old = oof.responses.get(method)
        if old is not None and old.shape[2:] == values.shape[2:]:
            apart = ~np.isclose(old[configs], values, rtol=CLOSE, atol=CLOSE, equal_nan=True)
            apart &= ~_missing_answers(old[configs])
            different |= apart.reshape(len(configs), -1).any(axis=1)
    return int(different.sum())


def other_models(n_different: int, n_fitted: int, how: str, advice: str) -> str:
    """Say that models which were fitted again are not those of the search, and warn of it."""
    note = (
        f"{n_different} of {n_fitted} configurations {how}: the data, a "
        "version or an estimator without random_state made other models. The predictions, and "
        f"all results from them, are those of the new models. {advice}"
    )
    warn_user(note, RecordingWarning)
    return note


# --- questions -------------------------------------------------------------------------------


def answered(
    search: Any,
    finished: FinishedSearch,
    methods: Sequence[str],
    compute: Callable[[FinishedSearch], Any],
    what: str,
    *,
    config: int | None = None,
    of_all: bool = False,
) -> Any:
    """Compute a result of a finished search, where that needs with what was recorded again.

    A configuration must give one of the response methods `methods`, which `what` needs. The
    result rests on `config`, on all configurations where `of_all`, else on what wins draws.
    """
    lack, unknown = _lack_and_unknown(finished, methods) if finished.again else ([], [])
    known = set(lack) - set(unknown)
    if not known:
        try:
            return compute(finished)
        except (LacksResponse, UndefinedIntervalError) as error:
            lack, _ = _lack_and_unknown(finished, methods)
            needed = lack if config is None else [config]
            if config is None and lack and not of_all:
                needed = sorted(winners_of(search, finished) & set(lack)) or lack
            able = bool(lack) and answers(_model(search, needed[0]), methods)
            if able or (lack and isinstance(error, LacksResponse)):
                raise _refusal(what, search, finished, methods, needed) from None
            raise
    if config in unknown or (of_all and unknown):
        needed = unknown if config is None else [config]
        raise _refusal(what, search, finished, methods, needed)
    # Others get the answers of one that is known, only to find out who wins: draws choose by
    # what was recorded in the search, and where one of them wins there is no result.
    stand_in = finished.best_index if finished.best_index in known else min(known)
    with hold_warnings() as held:
        result = compute(replace(finished, oof=filled(finished, lack, methods, stand_in)))
    used = used_by(result)
    if others := sorted(used & set(unknown)):
        raise _refusal(what, search, finished, methods, others, result)
    release_warnings(held)
    rests_on = sorted(known if of_all else used & known)
    notes = dict.fromkeys(finished.again_notes.get(c, "") for c in rests_on)
    notes.pop("", None)
    if hasattr(result, "ci"):
        return replace(result, ci=with_notes(result.ci, notes))
    return with_notes(result, notes)


def check_answers(
    search: Any, finished: FinishedSearch, metric: Metric, owner: str = "search"
) -> None:
    """Raise where predictions lack what a metric needs of all configurations.

    The message has the line that records it, as a call of `owner`.
    """
    methods = metric.response_method or ()
    if not methods or not finished.oof.responses:
        return
    try:
        finished.oof.response(methods)
    except LacksResponse:
        lack, unknown = _lack_and_unknown(finished, methods)
        if not lack:
            raise
        needed = unknown or lack
        raise _refusal(metric.name, search, finished, methods, needed, owner=owner) from None


def _lack_and_unknown(
    finished: FinishedSearch, methods: Sequence[str]
) -> tuple[list[int], list[int]]:
    """List the configurations that lack responses, and those of which none was recorded again."""
    lack = np.flatnonzero(lacking(finished.oof, methods)).tolist()
    return lack, [c for c in lack if not any((c, m) in finished.again for m in methods)]


def with_again(finished: FinishedSearch) -> OOFPredictions:
    """Return the predictions of a search as if all had given what some were recorded again for."""
    for method in dict.fromkeys(m for _, m in finished.again):
        lack = np.flatnonzero(lacking(finished.oof, [method], derived=False)).tolist()
        known = [c for c in lack if finished.again.get((c, method)) is not None]
        if known:
            finished = replace(finished, oof=filled(finished, lack, [method], known[0]))
    return finished.oof


def filled(
    finished: FinishedSearch,
    lack: Sequence[int],
    methods: Sequence[str],
    stand_in: int | None = None,
) -> OOFPredictions:
    """Add the responses that were recorded again to the configurations that `lack` them.

    Those that were not recorded again get those of `stand_in`; None leaves them without.
    """
    oof, again = finished.oof, finished.again
    responses: dict[str, np.ndarray] = {}
    for method in methods:
        parts = {c: values for c in lack if (values := again.get((c, method))) is not None}
        if not parts:
            continue
        example = next(iter(parts.values()))
        known = oof.responses.get(method)
        if known is None:
            empty = -1 if example.dtype.kind in "iu" else np.nan
            values = np.full((oof.n_configs, *example.shape), empty, dtype=example.dtype)
        else:
            values = known.astype(np.promote_types(known.dtype, example.dtype))
        for config in lack:
            if config in parts:
                values[config] = parts[config]
            elif stand_in is not None and (config, method) not in again:
                values[config] = parts.get(stand_in, example)
        responses[method] = values
    if not responses:
        return oof
    return with_fields(oof, responses=MappingProxyType({**oof.responses, **responses}))


def lacking(oof: OOFPredictions, methods: Sequence[str], *, derived: bool = True) -> np.ndarray:
    """Mark the configurations (n_configs,) that did not fail and gave none of the responses.

    `derived` is whether labels that follow from other responses count.
    """
    if not oof.responses or not methods:
        return np.zeros(oof.n_configs, dtype=bool)
    # A model whose every answer is NaN has been asked, and would answer the same again.
    silent = np.stack([_absent(array) for array in oof.responses.values()])
    usable = np.logical_not(oof.failed | np.asarray(silent.all(axis=0)))
    if not derived and oof.responses.keys().isdisjoint(methods):
        return usable
    try:
        values, _ = oof.response(methods)
    except ValueError:  # none of them was recorded
        return usable
    return np.logical_and(_absent(values), usable)


def _absent(values: np.ndarray) -> np.ndarray:
    """Mark the configurations (n_configs,) without any prediction."""
    absent = np.asarray(_missing_answers(values).reshape(len(values), -1).all(axis=1))
    return absent


def _missing_answers(values: np.ndarray) -> np.ndarray:
    """Mark what is missing, -1 among codes of labels."""
    return np.isnan(values) if values.dtype.kind == "f" else values == -1


def _model(search: Any, config: int) -> Any:
    params = clone(dict(search.cv_results_["params"][config]), safe=False)
    return clone(search.estimator).set_params(**params)


def answers(model: Any, methods: Sequence[str]) -> bool:
    """Check whether a model, not fitted, has one of the response methods.

    One of survival is asked of the last step of a pipeline, and a wrapper of scikit-survival
    answers as what it is around.
    """
    wrapper = wrapper_in(model)
    model = model if wrapper is None else wrapper.estimator
    return any(
        hasattr(last_step(model), SURVIVAL)
        if is_survival_response(method)
        else hasattr(model, method)
        for method in methods
    )


def _refusal(
    what: str,
    search: Any,
    finished: FinishedSearch,
    methods: Sequence[str],
    needed: Sequence[int],
    result: Any = None,
    owner: str = "search",
) -> ValueError:
    """Make the error that says what `needed` lack, and the line of `owner` that records it.

    `result` is that of which they win draws.
    """
    responses = finished.oof.responses
    able = [c for c in needed if answers(_model(search, c), methods)]
    if not able:
        name = type(last_step(_model(search, needed[0]))).__name__
        advice = f"{name} has no {' or '.join(map(response_words, methods))}."
        if methods[-1] == "predict_proba" and is_classifier(search.estimator):
            advice += (
                f" Search again with CalibratedClassifierCV({name}()) of sklearn.calibration "
                "in its place, whose parameters are then named estimator__..., and with "
                "record='predict_proba'."
            )
        return lacks_response(what, methods, responses, advice)
    method = next(m for m in reversed(methods) if answers(_model(search, able[0]), (m,)))
    unknown = set(_lack_and_unknown(finished, methods)[1])
    configs = ""
    if set(needed) != winners_of(search, finished) & unknown:
        configs = f", configs={able}"
        if len(needed) > MOST_LISTED or set(needed) == unknown:
            configs, able = ", configs='all'", [*unknown]
    record = method if response_words(method) == method else f"{SURVIVAL}(t1, t2, ...)"
    call = (
        f"Call {owner}.record_again(X, y, {record!r}{configs}) with the data of the search: "
        f"{count(len(able) * finished.oof.n_splits, 'fit')} on its splits."
    )
    if result is None:
        advice = f"{call} In the next search {record_words(method)} keeps it."
        return lacks_response(what, methods, responses, advice)
    interval = getattr(result, "ci", result)
    share = sum(interval.details.get("won", {}).get(c, 0.0) for c in needed)
    n_draws = round(share * (interval.n_bootstraps or 0))
    return ValueError(
        f"{what} needs {response_words(method)}, which was not recorded again of "
        f"{count(len(needed), 'configuration')}"
        + f" that win {n_draws:,} of {interval.n_bootstraps:,} draws" * bool(n_draws)
        + f". {call}"
    )


def used_by(result: Any) -> set[int]:
    """Find the configurations that win draws of a result, and the one that it is about."""
    details = result.ci.details if hasattr(result, "ci") else result.details
    named = (details.get("winner"), details.get("config"))
    return {int(config) for config in (*details.get("won", ()), *named) if is_integer(config, 0)}
