"""What every draw must contain, and what small classes mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..exceptions import UndefinedIntervalError
from ..metrics._base import class_members, needs_spread
from ..metrics._metric import BoundMetric
from ..metrics._survival import followed_to_tau
from ..resampling import (
    USUAL_REDRAW,
    Redraw,
    TargetRange,
    Units,
    chance_of_holding,
    check_possible,
)

FEW_ACCEPTED = 0.1
"""Where fewer draws than this share would hold all classes, the smallest ones may be lacking."""


FEW_UNITS = 20
"""In a class: with 3 to 10 positives 95% intervals of balanced accuracy held it in 59 to 82%
(`coverage.py rare`), since errors that did not occur among so few are in no draw."""


@dataclass(frozen=True, eq=False)
class DrawStrata:
    """Strata that every draw must contain.

    Without the strata of the kernel the metric is undefined. Of the classes that a metric
    treats apart, those with at least 3 units join them, of two classes those with 2 units (with
    1 where nothing is scored out-of-bag): such a class can be in-bag and out-of-bag in a fair
    share of the draws. Smaller classes may be missing, and so may the smallest of many, where
    hardly any draw contains all of them.
    """

    kind: str  # "sample" or "group"
    indicator: np.ndarray  # unit x stratum; one stratum of everything where there is no other
    names: list[str]
    n_needed: int  # of the strata, the first ones: without them the metric is undefined
    may_lack: np.ndarray | None  # unit x class that draws may lack
    small: list[str]  # these classes, with their size
    spread: TargetRange | None  # target that must not be constant in a draw
    smallest: str | None = None  # class, with its size, where the metric counts labels by class
    tau: float | None = None  # where it is followed until then what draws may lack, not a class

    @classmethod
    def of(
        cls,
        kernel: BoundMetric,
        units: Units,
        *,
        out_of_bag: bool = True,
        degenerate: Redraw | None = None,
        also: Sequence[BoundMetric] = (),
    ) -> DrawStrata:
        """Find the strata of predictions and a metric."""
        least = (degenerate or USUAL_REDRAW).min_out_of_bag
        kernels = list(dict.fromkeys([kernel, *also]))
        strata = {
            members.tobytes(): (members, name)
            for each in kernels
            if each.strata is not None
            for members, name in zip(each.strata, each.strata_names, strict=True)
        }.values()
        needed = units.indicator(np.stack([members for members, _ in strata]) if strata else None)
        names = [name for _, name in strata] or ["the data"]
        n_needed = len(names)
        spreads = (_spread_of(each, units) for each in kernels if needs_spread(each.metric))
        spread = next((each for each in spreads if each is not None), None)
        members = map(class_members, kernels)
        classes = next((each for each in members if each is not None), None)
        if classes is None:
            followed = map(followed_to_tau, kernels)
            late, tau = next((each for each in followed if each is not None), (None, None))
            lack = None if late is None or not late.any() else units.indicator(late[None])
            return cls(units.kind, needed, names, n_needed, lack, [], spread, tau=tau)
        holds = units.indicator(classes[0])
        sizes = holds.sum(axis=0).astype(int)
        known = {column.tobytes() for column in needed.T}
        new = [k for k in range(len(sizes)) if holds[:, k].tobytes() not in known]
        fewest = 3 if len(sizes) != 2 else 2 if out_of_bag else 1
        if out_of_bag and least > 1:
            fewest = max(fewest, 1 + least)
        large = [k for k in new if sizes[k] >= fewest]
        if len(sizes) > 2:
            # All classes of a size or none, from the largest on, that a fair share of draws holds.
            together, kept = 1.0, []
            for size in sorted(set(sizes[large].tolist()), reverse=True):
                alike = [k for k in large if sizes[k] == size]
                chance = chance_of_holding(
                    size, units.n_units, out_of_bag=out_of_bag, min_out_of_bag=least
                )
                together *= chance ** len(alike)
                if together >= FEW_ACCEPTED:  # never again after the first that is too much
                    kept += alike
            large = sorted(kept)
        small = [k for k in new if k not in set(large)]
        plural = [f"{units.kind}{'s' if size != 1 else ''}" for size in sizes]
        smallest = None
        if len(sizes) > 1 and not kernel.is_rank and sizes.min() < FEW_UNITS:
            rarest = sizes.argmin()
            smallest = f"{classes[1][rarest]} has {sizes[rarest]} {plural[rarest]}"
        return cls(
            units.kind,
            np.concatenate([needed, holds[:, large]], axis=1) if large else needed,
            names + [classes[1][k] for k in large],
            n_needed,
            holds[:, small] if small else None,
            [f"{classes[1][k]} ({sizes[k]} {plural[k]})" for k in small],
            spread,
            smallest,
        )

    def check_possible(self, method: str, metric: str, degenerate: Redraw | None) -> None:
        """Raise UndefinedIntervalError when no draw can be scored in-bag and out-of-bag."""
        least = (degenerate or USUAL_REDRAW).min_out_of_bag
        needed = self.indicator[:, : self.n_needed]
        names = self.names[: self.n_needed]
        check_possible(needed, names, self.kind, method, metric, least)
        self.check_varies(method, metric)

    def check_varies(self, method: str, metric: str) -> None:
        """Raise UndefinedIntervalError when the target is constant except in one unit."""
        if self.spread is None:
            return
        others, value = self.spread.fewest_others()
        if others < 2:
            raise UndefinedIntervalError(
                f"{method} cannot bootstrap {metric}: it compares with the spread of the target, "
                f"of which {others} {self.kind}{'s have' if others != 1 else ' has'} another "
                f"value than {value:g}. At least 2 {self.kind}s are needed; an error such "
                "as neg_mean_absolute_error needs none."
            )

    def note(self, n_lacking: int, n_draws: int, details: dict[str, Any]) -> None:
        """Record in the details how many draws lack a small class, and add notes."""
        if self.tau is not None:
            details["n_short_of_tau"] = n_draws if self.may_lack is None else n_lacking
            if n_lacking:
                details["notes"].append(
                    f"In {n_lacking:,} of {n_draws:,} draws nobody was followed until "
                    f"tau={self.tau:g}: there events count up to the end of follow-up. An earlier "
                    "tau is safer."
                )
            n_lacking = 0
        details["n_lacking_class"] = n_lacking
        few = None if self.smallest is None else few_note(self.smallest)
        if few is not None and few not in details["notes"]:  # a threshold says it, too
            details["notes"].append(few)
        if n_lacking:
            details["notes"].append(
                f"{n_lacking} of {n_draws} draws {'lacks' if n_lacking == 1 else 'lack'} "
                f"{_listed_names(self.small)}, too small to be in "
                "every draw: there the metric has its value by convention (0 for 0/0, or the "
                "class left out), which is not a score of the model."
            )


def few_note(smallest: str) -> str:
    """Write what few units of a class mean; `smallest` is the class with its size."""
    return (
        f"{smallest[0].upper()}{smallest[1:]}: errors that did not occur among so few are in no "
        "draw, so the interval can be much too narrow. Report the number with it; "
        f"{FEW_UNITS} or more are better."
    )


def _spread_of(kernel: BoundMetric, units: Units) -> TargetRange | None:
    oof = kernel.oof
    if oof.y_true.dtype.kind not in "biuf":
        return None
    of_sample = units.of_sample
    if oof.sample_weight is not None:
        of_sample = np.where(oof.sample_weight > 0, of_sample, -1)
    return TargetRange(oof.y_true, of_sample, units.n_units)


def _listed_names(names: list[str]) -> str:
    if len(names) > 3:
        return f"one of {len(names)} classes such as {names[0]}"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
