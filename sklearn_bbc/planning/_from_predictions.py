"""How many samples an interval takes: studies of another size, drawn from predictions."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import clone
from sklearn.isotonic import isotonic_regression

from .._notes import warned
from .._parameters import CONFIDENCE, JOBS, SHARE_RANGE, Constraints, Number, Whole, constrained
from .._text import count, number
from .._utils import explain_arguments, got, is_integer
from .._warnings import duration, hold_warnings, no_warnings, warn_user
from ..comparison._base import Side, with_settings
from ..comparison._compare import compare_sides, sides_of
from ..contest._question import metric_for
from ..contest._strata import FEW_UNITS
from ..exceptions import SlowMetricWarning, UndefinedIntervalError
from ..intervals._base import BaseInterval
from ..intervals._bbc import BBC
from ..intervals._notes import unit_of
from ..intervals._recommend import as_interval
from ..intervals._shrunken_bbc import ShrunkenBBC
from ..metrics._base import class_members
from ..metrics._consumed import Unbound
from ..metrics._metric import SLOW_SECONDS, Metric, as_metric
from ..metrics._survival import events_that_count
from ..predictions._predictions import OOFPredictions, taken
from ..resampling import Streams, Units, entropy_of, in_threads
from ..results._planning import SampleSizeResult, quantiles

KEY = 37
"""Of the streams of the studies, apart from those of the draws within a study."""
FEWEST_UNITS_DRAWN = 10
"""Units of the smallest study that is looked at."""
FARTHEST_STUDY = 10
"""Times the units at hand up to which studies are drawn; beyond, the square root law holds."""
TOO_FAR = 1000
"""Times the units at hand from which on no number is given."""
NEAR = 1.05
"""Ratio of two numbers of units between which bisection ends."""
USUAL_SIZES = 8
"""Sizes that a bisection takes, for the time that is expected."""
STUDIES: Constraints = {
    "confidence_level": CONFIDENCE,
    "n_studies": Whole(20),
    "n_bootstraps": Whole(20),
    "n_jobs": JOBS,
}
"""Of studies of any kind."""
AT_HAND = 2000
"""Draws for the interval at hand, as elsewhere by default: there is only one."""
NOTE_ON_MODELS = (
    "The scores are those of today's models: models that learn from more samples may score "
    "otherwise, which is not counted."
)
OBSERVED = (
    "The difference at hand is taken as the true one. Where it was the reason to look, it is "
    "probably too large, and the number too small."
)


@dataclass(frozen=True, eq=False)
class Study:
    """Interval of one study: its width, and the side of zero on which it lies (0: on none)."""

    width: float
    side: int
    estimate: float


@dataclass(frozen=True, eq=False)
class Population:
    """Samples at hand as the population from which studies of any size are drawn.

    Samples (or groups) are drawn with replacement. The first m picks of study k are the same for
    all sizes, so that its width changes smoothly with m.
    """

    units: Units
    noun: str
    """What a unit is called."""
    entropy: int
    n_studies: int
    n_jobs: int | None
    analyse: Callable[[np.ndarray, np.ndarray | None, int], Study]
    members: list[np.ndarray]

    @classmethod
    def of(cls, oof: OOFPredictions, analyse: Any, **settings: Any) -> Population:
        """Take the units of predictions, and a function that analyses a study."""
        units = Units.of(oof)
        order = np.argsort(units.of_sample, kind="stable")
        order = order[np.count_nonzero(units.of_sample < 0) :]
        sizes = np.bincount(units.of_sample[order], minlength=units.n_units)
        members = np.split(order, np.cumsum(sizes)[:-1])
        return cls(units, unit_of(oof), analyse=analyse, members=members, **settings)

    @property
    def samples_per_unit(self) -> float:
        return float(np.mean([len(each) for each in self.members]))

    def studies(self, n_units: int) -> list[Study | None]:
        """Draw studies of this size and analyse each; None where it has no interval."""

        def study(k: int) -> Study | None:
            rng = Streams(self.entropy, KEY).of(k)
            picks = (rng.random(n_units) * self.units.n_units).astype(np.intp)
            samples = np.concatenate([self.members[unit] for unit in picks])
            groups = None
            if self.units.kind == "group":
                groups = np.repeat(np.arange(n_units), [len(self.members[u]) for u in picks])
            seed = np.random.SeedSequence(self.entropy, spawn_key=(KEY, k, 0))
            try:
                with hold_warnings():  # of a study that nobody has
                    return self.analyse(samples, groups, entropy_of(seed))
            except ValueError:  # on all the data it worked
                return None

        todo = [(k,) for k in range(self.n_studies)]
        with no_warnings():
            return in_threads(study, todo, effective_n_jobs(self.n_jobs))


class CurveOfSizes:
    """Studies of the sizes that were looked at, and where their curve crosses a target."""

    def __init__(self, population: Population, goal: Callable[[list[Study | None]], float]):
        self.population, self.goal = population, goal
        self.studies: dict[int, list[Study | None]] = {}

    def at(self, size: int) -> float:
        """Compute the value at a number of units, from its studies alone."""
        if size not in self.studies:
            self.studies[size] = self.population.studies(size)
        return self.goal(self.studies[size])

    @property
    def sizes(self) -> np.ndarray:
        return np.array(sorted(self.studies))

    def smoothed(self, *, increasing: bool) -> np.ndarray:
        """Make the values of all sizes monotone, (n_sizes,): more samples are never worse."""
        values = np.array([self.at(size) for size in self.sizes])
        known = np.isfinite(values)
        if known.any():
            values[known] = isotonic_regression(values[known], increasing=increasing)
        return values

    def widths(self) -> np.ndarray:
        """Collect the widths, (n_sizes, n_studies)."""
        return np.array(
            [
                [np.nan if each is None else each.width for each in self.studies[size]]
                for size in self.sizes
            ]
        )

    def crossing(self, is_met: Callable[[float], bool], largest: int) -> tuple[int, int]:
        """Bisect for two numbers of units, the larger of which meets the target.

        The first is 0 where the smallest study meets it, the second 0 where the largest does not.
        """
        size = self.population.units.n_units
        if is_met(self.at(size)):
            high, low = size, 0
            while high > FEWEST_UNITS_DRAWN:
                half = max(FEWEST_UNITS_DRAWN, high // 2)
                if not is_met(self.at(half)):
                    low = half
                    break
                high = half
        else:
            high, low = 0, size
            while low < largest:
                double = min(2 * low, largest)
                if is_met(self.at(double)):
                    high = double
                    break
                low = double
        while low and high and high > max(low + 1, NEAR * low):
            middle = round(math.sqrt(low * high))
            if is_met(self.at(middle)):
                high = middle
            else:
                low = middle
        return low, high


def place_of(sizes: np.ndarray, values: np.ndarray, target: float) -> float:
    """Find where increasing values (n_sizes,) reach a target, between two sizes."""
    met = np.flatnonzero(values >= target)
    last = int(met[0]) if len(met) else len(sizes) - 1
    if not last or not len(met) or not np.isfinite(values[last - 1]):
        return float(sizes[last])
    share = (target - values[last - 1]) / (values[last] - values[last - 1])
    ends = np.log(sizes[last - 1 : last + 1])
    return float(np.exp(ends[0] + share * (ends[1] - ends[0])))


@explain_arguments()
@constrained(
    width=Number(
        above=0,
        hint="It is the distance between the bounds; no number of samples makes an interval a "
        "point.",
    ),
    assurance=SHARE_RANGE, **STUDIES,
)  # fmt: skip
def samples_for_width(
    predictions: Any,
    width: float = 0.1,
    *,
    n_samples: int | Sequence[int] | None = None,
    scoring: Any = None,
    method: Any = None,
    assurance: float = 0.5,
    confidence_level: float = 0.95,
    n_studies: int = 50,
    n_bootstraps: int = 500,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> SampleSizeResult:
    """Find how many samples an interval of a given width takes, from the predictions at hand.

    Studies of another size are drawn from the samples at hand, and the interval of each is
    computed as it would be in that study, with the selection among all configurations. Nothing is
    refitted.

    Parameters
    ----------
    predictions : fitted BBCSearchCV, OOFPredictions or Side
        A search is asked for its own metric and its own rule of selection.
    width : float, default=0.1
        Distance between the bounds, in the unit of the metric. Not used with `n_samples`.
    n_samples : int or sequence of int, default=None
        Numbers of samples, at least 10 (or 10 groups): the other way round, their widths.
    scoring : str, scorer or Metric, default=None
        The metric. None is that by which the search selects.
    method : str or BaseInterval, default=None
        Method of the interval: a registered name, or an object with parameters of its own. None
        is `BBC`, and `ShrunkenBBC` for a table of scores, as `best_of` has it.
    assurance : float in (0, 1), default=0.5
        Share of the studies whose interval shall be at most as wide as `width`.
    confidence_level : float in (0, 1), default=0.95
        Level of the intervals. Not used where `method` is an object.
    n_studies : int, default=50
        Number of studies of each size, at least 20.
    n_bootstraps : int, default=500
        Draws within each study, at least 20. Not used where `method` is an object.
    random_state : int, RandomState instance or None, default=None
        Seed of the studies and of the draws within them.
    n_jobs : int or None, default=None
        Number of threads, each of which analyses a study; the result does not depend on it.

    Returns
    -------
    SampleSizeResult
        ``n_samples``, and by ``frame()`` the widths of all numbers that were looked at.

    Raises
    ------
    ValueError
        If the width is not positive, is not smaller than the range of the metric, or would take
        more than 1,000 times the samples at hand; if a number of samples is too small, or there
        are no predictions.
    UndefinedIntervalError
        If the interval at hand is a point, or half of the studies of a size have no interval, for
        example since a class is missing.

    Warns
    -----
    IntervalWarning
        If the number is more than 10 times that of the samples at hand.

    See Also
    --------
    samples_for_power : The same for the difference of two sides.
    sklearn_bbc.planning.validate_binary : For a study that has no data yet.
    sklearn_bbc.display.SampleSizeDisplay : Draws width against number.

    Notes
    -----
    A study of m samples is drawn from the n at hand with replacement [1]_, for m below n, too. Its
    interval is that of the method on these m samples: the out-of-bag scores of `BBC` use about
    0.37 m of them. With groups, whole groups are drawn, and m counts the samples of as many
    groups as that takes, of the mean size.

    Studies drawn from n samples vary by (n - 1) / n of the variance between samples, so widths are
    multiplied by the square root of n / (n - 1) [2]_. Where the metric compares classes, n is the
    size of the smallest class, and of survival metrics the number of events.

    The number is found by doubling or halving n, then by bisection until two numbers differ by at
    most 5%; between these it is read off the monotone curve through all sizes (isotonic
    regression, since medians of `n_studies` widths have noise). Beyond 10 n nothing is drawn: the
    width falls with the square root of the number from there.

    What is predicted is about the models at hand, fixed: they do not learn from more samples. It
    rests on n samples, so it has an error of its own; `frame` says how far single studies
    differ.

    References
    ----------
    .. [1] P. J. Bickel, F. Gotze, W. R. van Zwet, "Resampling fewer than n observations: gains,
       losses, and remedies for losses", Statistica Sinica 7, 1-31 (1997).
    .. [2] T. C. Hesterberg, "What teachers should know about the bootstrap: resampling in the
       undergraduate statistics curriculum", The American Statistician 69, 371-386 (2015).
       :doi:`10.1080/00031305.2015.1089789`

    Examples
    --------
    >>> from sklearn_bbc import samples_for_width
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions()
    >>> result = samples_for_width(oof, 0.2, scoring="roc_auc", n_studies=20, random_state=0)
    >>> oof.n_samples, result.n_samples
    (60, 59)
    """
    side, metric, notes = _side_of(predictions, scoring)
    metric = metric.with_classes(side.oof.classes_)
    by_name = method is None or isinstance(method, str)
    interval = _method_of(method, side, confidence_level, n_bootstraps)
    settings = _checked_studies(side.oof, n_studies, n_jobs, random_state)
    wanted = _wanted_numbers(n_samples)
    if wanted is None:
        _check_width(width, metric)
    elif width != 0.1:
        raise ValueError(
            f"Give width={width!r} or n_samples, not both: one is found for the other."
        )
    oof = side.oof
    largest = metric.bounds[1] - metric.bounds[0]

    def estimate(of: OOFPredictions, **settings: Any) -> Any:
        return with_settings(clone(interval), **settings).estimate(of, metric)

    def analyse(samples: np.ndarray, groups: np.ndarray | None, seed: int) -> Study:
        result = estimate(_drawn(oof, samples, groups), random_state=seed)
        if not np.isfinite(result.estimate) or np.isnan(result.width):
            raise UndefinedIntervalError("There is no interval.")
        return Study(min(unbiased * result.width, largest), 0, result.estimate)

    population = Population.of(oof, analyse, **settings)
    unbiased = _unbiased(Unbound(metric, oof), population.units)
    started = time.perf_counter()
    draws = {"n_bootstraps": max(n_bootstraps, AT_HAND)} if by_name else {}
    at_hand = estimate(oof, random_state=population.entropy, **draws)
    share = n_bootstraps / draws["n_bootstraps"] if draws else 1.0
    _warn_if_slow(share * (time.perf_counter() - started), population, wanted)
    _check_at_hand(at_hand.width, at_hand.details.get("reason"))
    curve = CurveOfSizes(population, lambda found: _quantile(found, assurance))
    details = {"n_configs": oof.n_configs}
    return _found(
        curve, Unbound(metric, oof), wanted, details, [*_of_models(side.oof), *notes],
        lambda notes: _units_for_width(curve, float(width), notes), target=float(width),
        assurance=assurance, at_hand=at_hand.width, method=interval.name,
        confidence_level=interval.confidence_level,
    )  # fmt: skip


@explain_arguments()
@constrained(power=SHARE_RANGE, **STUDIES)
def samples_for_power(
    first: Any,
    second: Any,
    power: float = 0.8,
    *,
    n_samples: int | Sequence[int] | None = None,
    scoring: Any = None,
    method: Any = "auto",
    confidence_level: float = 0.95,
    n_studies: int = 200,
    n_bootstraps: int = 500,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> SampleSizeResult:
    """Find how many samples show the difference of two sides, if it is the one at hand.

    Studies of another size are drawn from the samples at hand, and both sides are compared in each
    as `compare` does. The power is the share of studies whose interval excludes zero, on the side
    of the difference at hand.

    Parameters
    ----------
    first, second : fitted BBCSearchCV, OOFPredictions, Side or array
        As in `compare`; two arrays hold the score or loss of each sample.
    power : float in (0, 1), default=0.8
        Probability with which a study shall show the difference. Not used with `n_samples`.
    n_samples : int or sequence of int, default=None
        Numbers of samples, at least 10 (or 10 groups): the other way round, their power.
    scoring : str, scorer or Metric, default=None
        The metric. None is that by which the searches select.
    method : str or BaseComparison, default="auto"
        As in `compare`. What fits the data at hand is used for all studies.
    confidence_level : float in (0, 1), default=0.95
        Level of the intervals.
    n_studies : int, default=200
        Number of studies of each size, at least 20.
    n_bootstraps : int, default=500
        Draws within each study, of methods that draw.
    random_state : int, RandomState instance or None, default=None
        Seed of the studies and of the draws within them.
    n_jobs : int or None, default=None
        Number of threads, each of which analyses a study; the result does not depend on it.

    Returns
    -------
    SampleSizeResult
        ``n_samples``, and by ``frame()`` power and widths of all numbers that were looked at.

    Raises
    ------
    ValueError
        If `power` is not between 0 and 1, the sides cannot be compared, or the difference at hand
        is so small that more than 10 times the samples at hand would not show it.
    UndefinedIntervalError
        If half of the studies of a size have no interval.

    See Also
    --------
    samples_for_width : The same for the width of one interval.
    sklearn_bbc.compare : The comparison on the data at hand.

    Notes
    -----
    A difference at hand is no true difference. Planning with it is sound where it is also the
    smallest that matters, and misleading where it was the reason to look: then it is probably too
    large. Sizes and studies are those of `samples_for_width`; bounds move away from the difference
    at hand by the same factor.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import samples_for_power
    >>> rng = np.random.default_rng(0)
    >>> one, other = rng.random((2, 60)) < [[0.8], [0.6]]  # right answers of two models
    >>> result = samples_for_power(one * 1, other * 1, n_studies=50, random_state=0)
    >>> result.n_samples
    33
    """
    (one, other), metric, notes = sides_of(first, second, scoring, {})
    for side in (one, other):
        _check_side(side)
    settings = _checked_studies(one.oof, n_studies, n_jobs, random_state)
    wanted = _wanted_numbers(n_samples)
    if wanted is not None and power != 0.8:
        raise ValueError(
            f"Give power={power!r} or n_samples, not both: one is found for the other."
        )
    chosen = method

    def compared(sides: tuple[Side, Side], seed: int, n_bootstraps: int) -> Any:
        how = clone(chosen) if hasattr(chosen, "get_params") else chosen
        return compare_sides(
            *sides, metric, how, [], random_state=seed, n_bootstraps=n_bootstraps,
            confidence_level=confidence_level,
        )  # fmt: skip

    def analyse(samples: np.ndarray, groups: np.ndarray | None, seed: int) -> Study:
        drawn = _drawn(one.oof, samples, groups)
        beside = drawn if other.oof is one.oof else _drawn(other.oof, samples, groups)
        sides = replace(one, oof=drawn), replace(other, oof=beside)
        result = compared(sides, seed, n_bootstraps)
        if np.isnan(result.width):
            raise UndefinedIntervalError("There is no interval.")
        true = at_hand.difference  # of studies, so that their spread about it is unbiased
        low, high = (true + unbiased * (bound - true) for bound in result)
        return Study(high - low, int(low > 0) - int(high < 0), result.difference)

    unbiased = _unbiased(Unbound(metric, one.oof), Units.of(one.oof))
    population = Population.of(one.oof, analyse, **settings)
    started = time.perf_counter()
    many = max(n_bootstraps, AT_HAND)
    at_hand = compared((one, other), population.entropy, many)
    expected = (time.perf_counter() - started) * n_bootstraps / many
    _warn_if_slow(expected, population, wanted)
    _check_at_hand(at_hand.width, None)
    if chosen == "auto" and not (one.oof.score_sign and (one.is_tuned or other.is_tuned)):
        chosen = at_hand.method
    side_of_zero = int(np.sign(at_hand.difference))

    def share(found: list[Study | None]) -> float:
        return float(np.mean([_shows(each, side_of_zero) for each in found]))

    curve = CurveOfSizes(population, share)
    details = {"difference": at_hand.difference, "names": at_hand.names}
    return _found(
        curve, Unbound(metric, one.oof), wanted, details, [OBSERVED, *_of_models(one.oof), *notes],
        lambda notes: _units_for_power(curve, power, at_hand), target=power,
        at_hand=at_hand.width, method=at_hand.method, confidence_level=confidence_level,
        side_of_zero=side_of_zero,
    )  # fmt: skip


def _of_models(oof: OOFPredictions) -> list[str]:
    """Note that models may learn; systems that are fixed do not."""
    return [NOTE_ON_MODELS] if oof.score_sign is None else []


def _found(
    curve: CurveOfSizes,
    scored: Unbound,
    wanted: list[int] | None,
    details: dict[str, Any],
    notes: list[str],
    search: Callable[[list[str]], int],
    *,
    target: float,
    side_of_zero: int | None = None,
    **fields: Any,
) -> SampleSizeResult:
    """Search the number of units, or look at those that are wanted; make the result."""
    population, (metric, oof) = curve.population, scored
    kind, each = population.units.kind, population.samples_per_unit
    noun = "sample" if oof.score_sign is None else "item"
    if kind == "group":
        n_groups = population.units.n_units
        notes.append(
            f"Groups are drawn, {count(n_groups, 'group')} of {number(each)} {noun}s in the mean: "
            f"more {noun}s of the same groups would help less."
        )
    rare = _rarest(oof)
    if rare is not None:
        notes.append(
            f"Class {rare[0]} has {count(rare[1], 'sample')} at hand: with so few, the score of "
            "the best configuration at hand is often too good, and then the widths are too small."
        )
    if wanted is None:
        n_units = search(notes)
        n_samples = math.ceil(n_units * each - 1e-9)
        value = curve.at(n_units) if n_units in curve.studies else target
    else:
        n_units, n_samples = _look_at(curve, wanted, notes), max(wanted)
        value = curve.at(n_units)
    excludes = None
    if side_of_zero is not None:
        studies = [curve.studies[size] for size in curve.sizes]
        excludes = np.array(
            [[_shows(each, side_of_zero) for each in of_size] for of_size in studies]
        )
    return SampleSizeResult(
        target=None if wanted is not None else target,
        n_samples=n_samples,
        value=value,
        sizes=curve.sizes,
        widths=curve.widths(),
        excludes=excludes,
        n_at_hand=population.units.n_units,
        metric=metric.name,
        details={
            "unit": kind,
            "samples_per_unit": each,
            "noun": noun,
            **({"sign": -1} if metric.sign < 0 else {}),
            **details,
            "seed": population.entropy,
            "notes": notes,
        },
        **fields,
    )


def _unbiased(scored: Unbound, units: Units) -> float:
    """Find the factor by which widths of studies drawn from few units are too small.

    Draws from n units vary by (n - 1) / n of the variance between units. Where the metric compares
    classes, or only events count, n is the number of units in the smallest class, or with events.
    """
    events, classes = events_that_count(scored), class_members(scored)
    members = scored.oof.tested[None]
    if events is not None:
        members = events[0][None]
    elif classes is not None:
        members = classes[0]
    fewest = int(units.indicator(members).sum(axis=0).min())
    return math.sqrt(fewest / max(fewest - 1, 1))


def _rarest(oof: OOFPredictions) -> tuple[Any, int] | None:
    """Find the smallest class and its size, where it has few samples."""
    if oof.classes_ is None:
        return None
    labels, sizes = np.unique(oof.y_true[oof.tested], return_counts=True)
    smallest = int(np.argmin(sizes))
    if sizes[smallest] >= FEW_UNITS:
        return None
    return labels[smallest], int(sizes[smallest])


def _shows(study: Study | None, side_of_zero: int) -> bool:
    return study is not None and side_of_zero != 0 and study.side == side_of_zero


def _quantile(found: list[Study | None], level: float) -> float:
    widths = [np.nan if study is None else study.width for study in found]
    return float(quantiles(np.array([widths]), level)[0])


def _units_for_width(curve: CurveOfSizes, width: float, notes: list[str]) -> int:
    """Find the number of units whose intervals are so wide."""
    n, noun = curve.population.units.n_units, curve.population.noun
    low, high = curve.crossing(lambda value: value <= width, FARTHEST_STUDY * n)
    if low and high:
        with np.errstate(divide="ignore"):
            values = -np.log(curve.smoothed(increasing=False))
        return math.ceil(place_of(curve.sizes, values, -math.log(width)) - 1e-9)
    if high:
        notes.append(
            f"Studies of {high} {noun}s reach it already; smaller ones were not looked at."
        )
        return high
    last = curve.at(low)
    if not np.isfinite(last):
        raise UndefinedIntervalError(
            f"Too many studies of {count(low, noun)} drawn from the {n:,} at hand have no "
            "interval of finite width, so none can be planned."
        )
    far = low * (last / width) ** 2
    if far > TOO_FAR * n:
        raise ValueError(
            f"width={width:g} would take about {count(math.ceil(far), noun)}, more than "
            f"{TOO_FAR:,} times the {n:,} at hand, from which nothing can be said about so many. "
            f"With {FARTHEST_STUDY * n:,} the width is {number(last)}: ask for a wider interval."
        )
    _warn_of_far(notes, n, noun)
    return math.ceil(far)


def _drawn(oof: OOFPredictions, samples: np.ndarray, groups: np.ndarray | None) -> OOFPredictions:
    """Take samples (n_drawn,) as another study; a group that is drawn twice is two `groups`."""
    return taken(oof, samples=samples, groups=groups, order=None, block_length=None)


def _warn_of_far(notes: list[str], n: int, noun: str) -> None:
    far = (
        f"More than {FARTHEST_STUDY} times the {n:,} {noun}s at hand: a number so far away "
        "rests on few data, and beyond that on the square root law."
    )
    notes.append(warned(far))


def _units_for_power(curve: CurveOfSizes, power: float, at_hand: Any) -> int:
    """Find the number of units whose studies show the difference so often."""
    n, noun = curve.population.units.n_units, curve.population.noun
    low, high = curve.crossing(lambda value: value >= power, FARTHEST_STUDY * n)
    if low and high:
        smoothed = curve.smoothed(increasing=True)
        return math.ceil(place_of(curve.sizes, smoothed, power) - 1e-9)
    if high:
        return high
    raise ValueError(
        f"With {count(low, noun)}, {FARTHEST_STUDY} times those at hand, the power is "
        f"{curve.at(low):.0%}, not {power:.0%}: the difference at hand, "
        f"{number(at_hand.difference)} ({number(at_hand.low)} to {number(at_hand.high)}), is too "
        "small to plan with. Plan for the width of its interval that would settle the question."
    )


def _look_at(curve: CurveOfSizes, wanted: list[int], notes: list[str]) -> int:
    """Draw studies of the numbers of samples that are wanted; return the largest, in units."""
    population = curve.population
    n, noun = population.units.n_units, population.noun
    units = sorted({math.ceil(m / population.samples_per_unit - 1e-9) for m in wanted})
    if units[0] < FEWEST_UNITS_DRAWN:
        raise ValueError(
            f"n_samples must be at least {count(FEWEST_UNITS_DRAWN, noun)}, got {min(wanted)}"
            + (f", about {count(units[0], noun)}." if noun == "group" else ".")
        )
    if units[-1] > FARTHEST_STUDY * n:
        _warn_of_far(notes, n, noun)
    for size in units:
        curve.at(size)
        undefined = float(np.mean([study is None for study in curve.studies[size]]))
        if undefined > 0.5:
            raise UndefinedIntervalError(
                f"{undefined:.0%} of the studies of {count(size, noun)} have no interval: the "
                "metric needs more, for example two samples of each class. Ask for more samples."
            )
    return units[-1]


def _side_of(predictions: Any, scoring: Any) -> tuple[Side, Metric, list[str]]:
    """Make a side of what was given, its metric, and the notes of a search."""
    if hasattr(predictions, "_comparison_side"):
        metric = predictions._own_metric(scoring)
        side, notes = predictions._comparison_side(metric, "predictions")
        _check_side(side)
        return side, metric, notes
    if isinstance(predictions, OOFPredictions):
        predictions = Side(oof=predictions)
    elif hasattr(predictions, "cv_results_"):
        predictions = Side(oof=OOFPredictions.from_search(predictions))
    if not isinstance(predictions, Side):
        raise ValueError(
            f"predictions must be a fitted search or an OOFPredictions, got {got(predictions)}. "
            "Make one with OOFPredictions(y_true=..., y_pred=...), of a table of scores with "
            "OOFPredictions.from_scores(table)."
        )
    _check_side(predictions)
    if scoring is None and predictions.oof.score_sign is None:
        raise ValueError("scoring must be given, for example 'roc_auc' or 'accuracy'.")
    oof = predictions.oof
    return predictions, metric_for(oof, scoring) if scoring is None else as_metric(scoring), []


def _check_side(side: Side) -> None:
    """Raise where studies cannot be drawn from a side."""
    if not side.oof.responses:
        raise ValueError(
            "Studies are drawn from the predictions of samples, but there are only scores per "
            "fold. OOFPredictions.from_search(search, X, y) fits a search again and keeps its "
            "predictions; BBCSearchCV keeps them at once."
        )
    if side.oof.block_length is not None:
        raise ValueError(
            "The predictions have blocks: a longer series is no draw of the one at hand. "
            "with_blocks(None) takes its samples as independent, which would promise too much."
        )


def _method_of(
    method: Any, side: Side, confidence_level: float, n_bootstraps: int
) -> BaseInterval:
    """Make the method of the interval in all studies."""
    if method is None:
        method = BBC.name if side.oof.score_sign is None else ShrunkenBBC.name
    interval = clone(as_interval(method))
    known = interval.get_params(deep=False)
    if isinstance(method, str):
        with_settings(interval, confidence_level=confidence_level, n_bootstraps=n_bootstraps)
    if interval.alternative != "two-sided":
        raise ValueError(
            f"A one-sided interval has no width: method has alternative={interval.alternative!r}. "
            "Use 'two-sided'."
        )
    for name in ("selection", "config"):
        if getattr(side, name) is not None:
            if name not in known:
                raise ValueError(
                    f"{type(interval).__name__} takes no {name}, which the given side has. Use "
                    f"{'BBC' if name == 'selection' else 'DeLong, Wald or PooledBootstrap'}."
                )
            if known[name] is None:
                interval.set_params(**{name: getattr(side, name)})
    return interval


def _checked_studies(
    oof: OOFPredictions, n_studies: int, n_jobs: Any, random_state: Any
) -> dict[str, Any]:
    """Check what all studies have in common; raise where there are too few samples at hand."""
    n = Units.of(oof).n_units
    if n < FEWEST_UNITS_DRAWN:
        raise ValueError(
            f"There are only {count(n, unit_of(oof))} at hand; studies are drawn from at least "
            f"{FEWEST_UNITS_DRAWN}."
        )
    return {"n_studies": n_studies, "n_jobs": n_jobs, "entropy": entropy_of(random_state)}


def _wanted_numbers(n_samples: Any) -> list[int] | None:
    """Return the numbers of samples that are wanted; None where one is to be found."""
    if n_samples is None:
        return None
    given = list(n_samples) if np.iterable(n_samples) else [n_samples]
    if not given or not all(is_integer(each, 1) for each in given):
        raise ValueError(
            f"n_samples must be a whole number of samples, or several, got {got(n_samples)}."
        )
    return [int(each) for each in given]


def _check_width(width: float, metric: Metric) -> None:
    """Raise for a width that any number of samples reaches."""
    low, high = metric.bounds
    if width >= high - low:
        raise ValueError(
            f"width={width:g} asks for nothing: {metric.name} is between {low:g} and {high:g}, so "
            "no interval is wider. Ask for less, such as 0.1."
        )


def _check_at_hand(width: float, reason: str | None) -> None:
    """Raise where the interval at hand says nothing about the spread."""
    if not np.isfinite(width) or width <= 0:
        why = reason or "All draws score the same, so no spread can be seen."
        raise UndefinedIntervalError(
            f"The width of the interval on the data at hand is {width:g}, so nothing can be said "
            f"about more or less data. {why}"
        )


def _warn_if_slow(seconds: float, population: Population, wanted: list[int] | None) -> None:
    """Warn of long times, by that of the analysis of the data at hand."""
    n_sizes = USUAL_SIZES if wanted is None else len(wanted)
    expected = seconds * n_sizes * population.n_studies / effective_n_jobs(population.n_jobs)
    if expected > 10 * SLOW_SECONDS:
        warn_user(
            f"The interval is computed for about {n_sizes * population.n_studies:,} studies: "
            f"expect about {duration(expected)}. More n_jobs, fewer n_studies or n_bootstraps are "
            "faster.",
            SlowMetricWarning,
        )
