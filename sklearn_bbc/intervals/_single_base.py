"""Base of methods for one configuration: which one, on which samples, after which selection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm

from .._parameters import By, Kind
from .._text import of_systems
from .._utils import is_integer, suppress_fp_warnings
from ..contest._contest import Contest
from ..contest._notes import caveats, facts_of, lonely_configuration, noun_of
from ..contest._question import Question
from ..exceptions import UndefinedIntervalError
from ..metrics._alike import as_one
from ..metrics._metric import BoundMetric
from ..predictions._predictions import OOFPredictions, taken, with_fields
from ..predictions._validation import frozen_mapping
from ..results._results import ConfidenceInterval
from ._base import BaseInterval, check_given, contest_for
from ._learn_evaluate import LearnEvaluate
from ._notes import explained

OF_ONE = "score on new samples of one configuration, fixed in advance, by the models of its folds"
OF_TWO = "difference on new samples of two configurations, fixed in advance"
OF_REPORTED = "score on new samples of the configuration that a learn and evaluate split reports"
NOT_ACCOUNTED = (
    "The configuration is the winner of several, chosen on these samples; the interval does "
    "not account for that, as BBC's does, and tends to lie too high."
)


def check_config(config: Any) -> None:
    """Raise unless `config` can be the index of a configuration, or None."""
    if config is not None and not is_integer(config, 0):
        raise ValueError(
            f"config must be the index of a configuration or None for the winner, got {config!r}."
        )


def check_exists(config: int, oof: OOFPredictions) -> None:
    """Raise unless the predictions have a configuration of this index."""
    if config >= oof.n_configs:
        raise ValueError(
            f"config={config} does not exist: the configurations are 0 to {oof.n_configs - 1}."
        )


def check_not_infinite(score: float, metric: str, where: str = "on these data") -> None:
    """Raise when a score is infinite, as after a division by zero: it has no interval."""
    if np.isinf(score):
        raise UndefinedIntervalError(
            f"{metric} is {score} {where}, so it has no interval. A metric that divides by what "
            "may be zero should return NaN there."
        )


def _failed(config: int) -> str:
    return f"Configuration {config} failed in some fold or predicts NaN, so it has no score."


@dataclass(frozen=True, kw_only=True, eq=False)
class OneConfigTask:
    """Configuration that a method is about, and the predictions that it is computed on.

    These are all, or those of the candidates in the evaluation part of a selection step, whose
    `label` is added to the name of the method; `config` is counted in them. Bounds have the level
    `confidence_level`. `turned` marks predictions that hold reversed scores. The method
    may extend `details` and its notes.
    """

    oof: OOFPredictions
    kernel: BoundMetric
    config: int
    confidence_level: float
    details: dict[str, Any]
    turned: bool = False
    label: str | None = None

    @property
    def estimate(self) -> float:
        """Score of the configuration on the samples of the target; an infinite one is an error."""
        score = self.kernel.score_on_data(self.config)
        check_not_infinite(score, self.kernel.metric.name)
        return score


def _turned(oof: OOFPredictions, turned: np.ndarray) -> OOFPredictions:
    """Reverse the scores of some configurations (n_configs,); codes of labels stay."""
    if not turned.any():
        return oof
    responses = dict(oof.responses)
    for name, values in responses.items():
        if values.dtype.kind == "f":
            responses[name] = np.where(
                turned.reshape(-1, *[1] * (values.ndim - 1)), -values, values
            )
    return with_fields(oof, responses=frozen_mapping(responses))


class OneConfigInterval(BaseInterval):
    """Base of methods for one configuration: the winner, a given one, or a reported one.

    A subclass has a parameter `config`, and a parameter `selection` when it may be combined with a
    selection step; `abbreviation` is its name in results then, for example ``"DL"``. With `pairs`
    it has a paired form, see `difference`, and implements `_difference`; `not_for_pairs` are the
    parameters that a difference cannot use.
    """

    estimand = OF_ONE
    selection_aware = False
    abbreviation: ClassVar[str]
    pairs: ClassVar[bool] = False
    not_for_pairs: ClassVar[tuple[str, ...]] = ("config", "selection")

    config: int | None
    selection: LearnEvaluate | None = None

    _constraints = {
        "config": By(check_config),
        "selection": Kind(LearnEvaluate, "LearnEvaluate()", or_none=True),
    }

    def _validate(self) -> None:
        super()._validate()
        config, selection = self.config, self.selection
        if selection is not None and config is not None:
            raise ValueError(
                f"Give either config (got {config}) or selection (got {selection!r}): the "
                "selection step chooses the configuration itself."
            )

    @property
    def _selects(self) -> bool:
        return self._step() is not None

    def difference(
        self, oof: OOFPredictions, scoring: Any = None, first: int = 0, second: int = 1
    ) -> ConfidenceInterval:
        """Estimate the score of one configuration minus that of another.

        Both are judged on the same samples, and taken as fixed in advance.

        Parameters
        ----------
        oof : OOFPredictions
            Predictions of both.
        scoring : str, scorer or Metric
            The metric. It must be given.
        first, second : int, default=0, 1
            The configurations.

        Returns
        -------
        ConfidenceInterval
            Greater than zero where the first is better. ``details`` has ``scores`` (both),
            ``standard_error``, ``p_value`` (two-sided, of no difference), ``unit`` and
            ``notes``.

        Raises
        ------
        ValueError
            If the method has no paired form, or a parameter or configuration does not fit.
        UndefinedIntervalError
            If the data cannot support the interval.
        """
        self.check_pairs()
        check_given(self, oof, scoring)
        for name, config in (("first", first), ("second", second)):
            if not is_integer(config, 0) or config >= oof.n_configs:
                raise ValueError(
                    f"{name} must be the index of a configuration, 0 to {oof.n_configs - 1}, got "
                    f"{config!r}."
                )
        if first == second:
            raise ValueError(
                f"first and second are both configuration {first}: a difference needs two."
            )
        pair = taken(oof, configs=np.array([first, second]))
        contest = contest_for(self, Question(oof=pair, metric=scoring))
        if (one := as_one(contest.scored)) is not contest.oof:
            contest = Question(oof=one, metric=contest.scored.metric).open()
        for config, valid in zip((first, second), contest.scored.valid, strict=True):
            if not valid:
                raise ValueError(_failed(config))
        with suppress_fp_warnings():
            result = self._difference(contest)
        return explained(result, contest.scored, is_difference=True)

    def check_pairs(self) -> None:
        """Raise ValueError unless the method, with these parameters, judges differences."""
        if not self.pairs:
            raise ValueError(
                f"{self!r} is for one model and has no paired form. Use DeLong() for two areas "
                "under the ROC curve, or PooledBootstrap() for any metric."
            )
        given = [getattr(self, name) for name in self.not_for_pairs]
        if any(value is not None and value is not False for value in given):  # config=0 counts
            *most, last = self.not_for_pairs
            listed = f"{', '.join(most)} and {last} at their defaults"
            raise ValueError(
                f"{self!r} cannot be used for a difference: leave "
                f"{listed if most else f'{last} at its default'}."
            )

    def _difference(self, contest: Contest) -> ConfidenceInterval:
        """Compute the difference of the first and the second of two configurations."""
        raise NotImplementedError

    def _target(self, contest: Contest, seed: Any = None) -> OneConfigTask:
        """Find the configuration and the samples."""
        oof, kernel = contest.oof, contest.scored
        winner, how = contest.selected
        details: dict[str, Any] = {
            "winner": winner, "winner_by": how, **facts_of(kernel),
            "notes": caveats(kernel),
        }  # fmt: skip
        if (step := self._step()) is not None:
            return self._reported(step, contest, seed, details)
        config = winner if self.config is None else int(self.config)
        check_exists(config, oof)
        if not kernel.valid[config]:
            raise ValueError(_failed(config))
        chosen_here = config == winner and details["n_valid"] > 1
        if chosen_here:
            is_table = oof.score_sign is not None
            details["notes"].append(of_systems(NOT_ACCOUNTED) if is_table else NOT_ACCOUNTED)
        details |= {"config": config, "selection_accounted_for": not chosen_here}
        return OneConfigTask(
            oof=oof, kernel=kernel, config=config, confidence_level=self.confidence_level,
            details=details,
        )  # fmt: skip

    def _step(self) -> LearnEvaluate | None:
        """Return the selection step to use."""
        return self.selection

    def _reported(
        self,
        step: LearnEvaluate,
        contest: Contest,
        seed: Any,
        details: dict[str, Any],
    ) -> OneConfigTask:
        oof, kernel = contest.oof, contest.scored
        selected = step.select(contest.selecting, seed)
        if details["n_valid"] == 1:
            details["notes"].append(lonely_configuration(oof.n_configs, noun_of(oof)))
        evaluation = _turned(
            taken(oof, configs=selected.candidates, samples=selected.evaluate), selected.turned
        )
        config = int(np.flatnonzero(selected.candidates == selected.reported)[0])
        level = selected.sidak_level(self.confidence_level)
        details |= {
            "config": selected.reported,
            "selection_accounted_for": True,
            "candidates": selected.candidates,
            "learn_score": float(selected.learn_scores[selected.reported]),
            "n_learn": int(selected.learn.sum()),
            "n_evaluate": int(selected.evaluate.sum()),
            "adjusted_level": level,
            "selection_seed": selected.seed,
        }
        return OneConfigTask(
            oof=evaluation, kernel=kernel.metric.bind(evaluation), config=config,
            confidence_level=level, details=details, turned=bool(selected.turned[config]),
            label=step.label,
        )  # fmt: skip

    def _names(self, target: OneConfigTask) -> dict[str, Any]:
        """Return the fields `method` and `estimand` of the result."""
        if target.label is None:
            return {"method": self.name, "estimand": self.estimand}
        return {"method": f"{self.abbreviation}{target.label}", "estimand": OF_REPORTED}

    def _normal(
        self,
        target: OneConfigTask,
        estimate: float,
        standard_error: float,
        *,
        level: float | None = None,
        on_logit_scale: bool = False,
    ) -> ConfidenceInterval:
        """Compute the normal interval."""
        tail = self._tail(target.confidence_level if level is None else level)
        half = float(norm.ppf(1 - tail)) * standard_error
        details = {**target.details, "standard_error": standard_error}
        low, high = estimate - half, estimate + half
        if on_logit_scale and 0 < estimate < 1:
            half /= estimate * (1 - estimate)
            low, high = (float(expit(logit(estimate) + step)) for step in (-half, half))
        elif on_logit_scale:
            low = high = np.nan
            details["reason"] = f"The log odds of an estimate of {estimate:g} are infinite."
        if not np.isnan(low):
            low, high = self._sided(low, high, target.kernel.metric.bounds)
        return self._result(
            target.kernel.metric, estimate, low, high, details=details, **self._names(target)
        )
