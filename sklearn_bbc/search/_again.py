"""Fit configurations of a finished search again, for predictions that it has not kept."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import clone

from .._scorers import SURVIVAL, is_survival_response, record_words, response_words
from .._text import count
from .._utils import is_integer, with_groups
from .._warnings import duration, hold_warnings, release_warnings, warn_user
from ..exceptions import RecordingWarning, UndefinedIntervalError
from ..intervals._bbc import BBC
from ..metrics._scikit_survival import wrapper_in
from ..predictions._predictions import OOFPredictions, with_fields
from ..predictions._sources import last_step
from ..predictions._validation import LacksResponse, in_index_order, lacks_response
from ..recording._finished import FinishedSearch
from ._comparison import recorded_splits
from ._estimate import estimate

PASS_THE_SAME = (
    "If `fit` of the search was given sample_weight, groups or other parameters, pass the same "
    "ones: {}."
)
CLOSE = 1e-6
"""Relative difference of two numbers up to which they come from the same model."""


class Data(NamedTuple):
    """Data of a finished search, and the parameters of its `fit`."""

    X: Any
    y: Any
    params: Mapping[str, Any]


def data_given(
    X: Any, y: Any, params: Mapping[str, Any], call: str, oof: OOFPredictions
) -> Data | None:
    """Check data for fitting again; None where there are none. `call` is the method's name."""
    params = with_groups({name: value for name, value in params.items() if value is not None})
    if X is not None:
        given, _, _ = in_index_order({"X": X, "y": y, **params}, oof.n_samples, oof.indexes)
        return Data(given["X"], given["y"], {name: given[name] for name in params})
    if y is None:
        return None
    raise ValueError(f"y is for fitting again, which needs X, too: {call}(..., X=X, y=y).")


def fitted_again(
    make: Callable[..., Any],
    search: Any,
    params: Sequence[Mapping[str, Any]],
    cv: Any,
    data: Data,
    *,
    advice: str,
    record: Any = True,
    n_jobs: int | None = None,
) -> OOFPredictions:
    """Fit configurations of a search on given splits, by a search of the class `make`.

    `advice` ends the message where they cannot be fitted.
    """
    again = make(
        search.estimator,
        [{name: [value] for name, value in each.items()} for each in params],
        scoring=getattr(search, "scoring", None),
        cv=cv,
        refit=False,
        n_jobs=n_jobs,
        error_score=getattr(search, "error_score", np.nan),
    )
    again.record = record
    try:
        again.fit(data.X, data.y, **data.params)
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


def other_models(n_different: int, n_fitted: int, how: str, advice: str) -> str:
    """Say that models which were fitted again are not those of the search, and warn of it."""
    note = (
        f"{n_different} of {n_fitted} configurations {how}: the data, a "
        "version or an estimator without random_state made other models. The predictions, and "
        f"all results from them, are those of the new models. {advice}"
    )
    warn_user(note, RecordingWarning)
    return note


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
    absent = np.asarray(_missing(values).reshape(len(values), -1).all(axis=1))
    return absent


def _missing(values: np.ndarray) -> np.ndarray:
    """Mark what is missing, -1 among codes of labels."""
    return np.isnan(values) if values.dtype.kind == "f" else values == -1


@dataclass(frozen=True)
class Again:
    """Answer one question about a finished search, with predictions that it may lack.

    `call` is the method that was called and `what` needs the responses, for messages; `make` is
    the class of the search that fits again.
    """

    search: Any
    finished: FinishedSearch
    make: Callable[..., Any]
    data: Data | None
    call: str
    what: str

    def best_answers(self, method: str) -> bool:
        """Check whether the selected configuration has a response method."""
        best = self.finished.best_index
        return best is not None and answers(self._model(best), (method,))

    def answer(
        self,
        methods: Sequence[str],
        compute: Callable[[FinishedSearch], Any],
        *,
        draws: BBC | None = None,
        first: int | None = None,
        everything: bool = False,
    ) -> Any:
        """Compute a result, after fitting again what it rests on and what lacks responses.

        A configuration must give one of the response methods `methods`. `draws` has the draws of
        the result, `first` is used in any case, and `everything` is whether all are.
        """
        finished = self.finished
        lack = np.flatnonzero(lacking(finished.oof, methods)).tolist()
        if not lack:
            return compute(finished)
        first = finished.best_index if first is None else first
        needed = set(lack) if everything else {first if first in lack else lack[0]}
        known = {c for c in lack if (c, methods[0]) in finished.again}
        try:
            with hold_warnings() as held:
                result = compute(replace(finished, oof=self._filled(lack, methods)))
            rests_on = set(lack) if everything else used_by(result) & set(lack)
            if self.data is None or rests_on <= known:
                release_warnings(held)
                return self._with_notes(result, known)
        except ValueError as error:
            if not isinstance(error, (LacksResponse, UndefinedIntervalError)):
                raise  # about something else, before anything is fitted
            if self.data is None:
                able = answers(self._model(min(needed)), methods)
                if isinstance(error, LacksResponse) or able:
                    raise self._refusal(min(needed), methods, able) from None
                raise
        if draws is not None and not everything:
            needed |= self._winners(draws) & set(lack)
        while True:
            if missing := [c for c in sorted(needed) if (c, methods[0]) not in finished.again]:
                self._fit(missing, methods)
            result = compute(replace(finished, oof=self._filled(lack, methods, min(needed))))
            # Draws choose by what was recorded, so it is known now who wins all of them.
            if used_by(result) & set(lack) <= needed:
                return self._with_notes(result, needed)
            needed |= used_by(result) & set(lack)

    def _with_notes(self, result: Any, configs: set[int]) -> Any:
        """Add the notes on models that were fitted again."""
        notes = [
            self.finished.again_notes[c] for c in sorted(configs) if c in self.finished.again_notes
        ]
        if hasattr(result, "ci"):
            return replace(result, ci=_with_notes(result.ci, notes))
        return _with_notes(result, list(dict.fromkeys(notes)))

    def recorded(self, methods: Sequence[str]) -> OOFPredictions:
        """Return the predictions of the search with responses of all configurations."""
        oof, notes = self.finished.oof, self.finished.again_notes
        for method in methods:
            lack = np.flatnonzero(lacking(oof, [method], derived=False)).tolist()
            if missing := [c for c in lack if (c, method) not in self.finished.again]:
                self._fit(missing, [method])
            if lack:
                oof = replace(self, finished=replace(self.finished, oof=oof))._filled(
                    lack, [method]
                )
        return with_fields(oof, notes=tuple(dict.fromkeys([*oof.notes, *notes.values()])))

    def _winners(self, method: BBC) -> set[int]:
        """Find what wins draws by the metric that selects: nearly always those of the result."""
        with hold_warnings():
            try:
                return used_by(estimate(self.finished, self.finished.ask(), clone(method)))
            except ValueError:  # a rule or a metric that cannot be repeated; the result says so
                return set()

    def _fit(self, configs: Sequence[int], methods: Sequence[str]) -> None:
        """Fit configurations again and keep their responses."""
        search, finished, oof = self.search, self.finished, self.finished.oof
        able = [c for c in configs if answers(self._model(c), methods)]
        none = {(c, m): None for c in configs if c not in able for m in methods}
        if not able and any(each is not None for each in finished.again.values()):
            finished.again.update(none)  # undefined in the draws that they win, as if recorded
            return
        if not able or self.data is None:
            raise self._refusal(configs[0], methods, bool(able))
        finished.again.update(none)
        splits = recorded_splits(search, finished, self.data.X, self.data.y, "Fitting again")
        n_fits = len(able) * oof.n_splits
        times = [search.cv_results_[f"mean_{kind}_time"][able].sum() for kind in ("fit", "score")]
        seconds = float(np.nansum(times)) * oof.n_splits / effective_n_jobs(finished.n_jobs)
        took = f"about {duration(seconds)}" if seconds > 1 else "less than a second"
        print(
            f"Fitting {count(len(able), 'configuration')} again on the {oof.n_splits} splits of "
            f"the search: {count(n_fits, 'fit')}, {took}.",
            file=sys.stderr,
        )
        advice = PASS_THE_SAME.format(f"{self.call}(..., X=X, y=y, sample_weight=...)")
        new = fitted_again(
            self.make, search, [oof.params[c] for c in able], splits, self.data,
            advice=advice, record=list(methods), n_jobs=finished.n_jobs,
        )  # fmt: skip
        old = {name: scores[:, able] for name, scores in oof.fold_scores.items()}
        n_different, worst = others_than_before(old, new.fold_scores)
        how = f"score otherwise than in the search (by up to {worst:.3g})"
        if not n_different:
            n_different, how = self._n_others(new, able), "predict otherwise than in the search"
        note = other_models(n_different, len(able), how, advice) if n_different else None
        for k, config in enumerate(able):
            for method in methods:
                known = method in new.responses
                finished.again[config, method] = new.responses[method][k] if known else None
            if note is not None:
                finished.again_notes[config] = note

    def _model(self, config: int) -> Any:
        params = clone(dict(self.finished.oof.params[config]), safe=False)
        return clone(self.search.estimator).set_params(**params)

    def _n_others(self, new: OOFPredictions, configs: Sequence[int]) -> int:
        """Count the configurations whose recorded predictions are not those of the new models."""
        different = np.zeros(len(configs), dtype=bool)
        for method, values in new.responses.items():
            old = self.finished.oof.responses.get(method)
            if old is not None and old.shape[2:] == values.shape[2:]:
                apart = ~np.isclose(old[configs], values, rtol=CLOSE, atol=CLOSE, equal_nan=True)
                apart &= ~_missing(old[configs])
                different |= apart.reshape(len(configs), -1).any(axis=1)
        return int(different.sum())

    def _filled(
        self, lack: Sequence[int], methods: Sequence[str], first: int | None = None
    ) -> OOFPredictions:
        """Add responses to the configurations that lack them.

        Those that were not fitted get the responses of `first` in their place, only to find out
        who wins: where one of them does, the result is not used. None leaves them without.
        """
        oof, again = self.finished.oof, self.finished.again
        responses = dict(oof.responses)
        for method in methods:
            parts = {c: values for c in lack if (values := again.get((c, method))) is not None}
            if not parts:
                continue
            example = next(iter(parts.values()))
            example = example if first is None else parts.get(first, example)
            known = responses.get(method)
            if known is None:
                empty = -1 if example.dtype.kind in "iu" else np.nan
                filled = np.full((oof.n_configs, *example.shape), empty, dtype=example.dtype)
            else:
                filled = known.astype(np.promote_types(known.dtype, example.dtype))
            for config in lack:
                if config in parts:
                    filled[config] = parts[config]
                elif first is not None and (config, method) not in again:
                    filled[config] = example
            responses[method] = filled
        return with_fields(oof, responses=MappingProxyType(responses))

    def _refusal(self, config: int, methods: Sequence[str], able: bool) -> ValueError:
        """Make the error that names what lacks: pass the data, or search with another model."""
        name = type(last_step(self._model(config))).__name__
        method = methods[-1]
        advice = (
            f"Pass the data, {self.call}(..., X=X, y=y): what wins the draws is fitted again on "
            f"the splits of the search. In the next search {record_words(method)} keeps it."
        )
        if not able:
            advice = f"{name} has no {' or '.join(map(response_words, methods))}."
            if method == "predict_proba":
                advice += (
                    f" Search again with CalibratedClassifierCV({name}()) of sklearn.calibration "
                    "in its place, whose parameters are then named estimator__..., and with "
                    "record='predict_proba'."
                )
        return lacks_response(self.what, methods, self.finished.oof.responses, advice)


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


def used_by(result: Any) -> set[int]:
    """Find the configurations that win draws of a result, and the one that it is about."""
    details = result.ci.details if hasattr(result, "ci") else result.details
    named = (details.get("winner"), details.get("config"))
    return {int(config) for config in (*details.get("won", ()), *named) if is_integer(config, 0)}


def _with_notes(result: Any, notes: list[str]) -> Any:
    """Add notes to the details of a result."""
    if not notes:
        return result
    notes = [*result.details.get("notes", []), *notes]
    return replace(result, details={**result.details, "notes": notes})
