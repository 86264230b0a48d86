"""What every draw of a method must hold for its metric, and which classes are too small for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..exceptions import UndefinedIntervalError
from ..metrics import BoundKernel
from ..metrics._class_members import class_members, needs_spread
from ..predictions import OOFPredictions
from ..resampling import DegenerateDraws, Redraw, Spread, chance_of_holding
from ..resampling._units import Units, check_possible

FEW_ACCEPTED = 0.1
"""Where fewer draws than this share would hold all classes, the smallest ones may be lacking."""


FEW_UNITS = 20
"""In a class: with 3 to 10 positives 95% intervals of balanced accuracy held it in 59 to 82%
(`coverage.py rare`), since errors that did not occur among so few are in no draw."""


@dataclass(frozen=True, eq=False)
class DrawStrata:
    """What draws must hold.

    Without the strata of the kernel the metric is undefined. Of the classes that a metric
    treats apart, those with at least 3 units join them, of two classes those with 2 units (with
    1 where nothing is scored out-of-bag): such a class can be in-bag and out-of-bag in a fair
    share of the draws. Smaller ones may be lacking, and so may the smallest of many, where
    hardly any draw holds all.

    Attributes
    ----------
    kind : {"sample", "group"}
        What a unit is.
    indicator : ndarray of shape (n_units, n_strata)
        Which unit holds which stratum; one stratum of everything where there is no other.
    names : list of str
        Names of the strata.
    n_needed : int
        How many of them, the first ones, the metric cannot be defined without.
    may_lack : ndarray of shape (n_units, n_small) or None
        Units of the classes that draws may lack.
    small : list of str
        What these classes are, with their size.
    spread : Spread or None
        Target that must not be constant in a draw.
    smallest : str or None
        The smallest class, with its size, where the metric counts labels by class.
    """

    kind: str
    indicator: np.ndarray
    names: list[str]
    n_needed: int
    may_lack: np.ndarray | None
    small: list[str]
    spread: Spread | None
    smallest: str | None = None

    @classmethod
    def of(
        cls,
        oof: OOFPredictions,
        kernel: BoundKernel,
        units: Units,
        *,
        out_of_bag: bool = True,
        degenerate: DegenerateDraws | None = None,
        also: Sequence[BoundKernel] = (),
    ) -> DrawStrata:
        """Strata of predictions and a metric.

        Parameters
        ----------
        oof : OOFPredictions
            Predictions.
        kernel : BoundKernel
            Metric bound to them.
        units : Units
            What is drawn.
        out_of_bag : bool, default=True
            Whether what is left out is scored too.
        degenerate : DegenerateDraws, default=None
            The policy, for the number of units that must be left out.
        also : sequence of BoundKernel, default=()
            Other metrics whose needs draws must hold, such as the one that selects.
        """
        least = (degenerate or Redraw()).min_out_of_bag
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
        spreads = (_spread_of(oof, each, units) for each in kernels)
        spread = next((each for each in spreads if each is not None), None)
        members = (class_members(each.metric, oof) for each in kernels)
        classes = next((each for each in members if each is not None), None)
        if classes is None:
            return cls(units.kind, needed, names, n_needed, None, [], spread)
        holds = units.indicator(classes[0])
        sizes = holds.sum(axis=0).astype(int)
        known = {column.tobytes() for column in needed.T}
        new = [k for k in range(len(sizes)) if holds[:, k].tobytes() not in known]
        fewest = 2 if len(sizes) == 2 else 3
        if not out_of_bag:
            fewest = 1 if len(sizes) == 2 else 3
        elif least > 1:
            fewest = max(fewest, 1 + least)
        large = [k for k in new if sizes[k] >= fewest]
        if len(sizes) > 2:
            chance = {
                size: chance_of_holding(
                    size, units.n_units, out_of_bag=out_of_bag, min_out_of_bag=least
                )
                for size in set(sizes[large].tolist())
            }
            large = _largest_together(large, sizes, chance)
        small = [k for k in new if k not in set(large)]
        plural = [f"{units.kind}{'s' if size != 1 else ''}" for size in sizes]
        return cls(
            units.kind,
            np.concatenate([needed, holds[:, large]], axis=1),
            names + [classes[1][k] for k in large],
            n_needed,
            holds[:, small] if small else None,
            [f"{classes[1][k]} ({sizes[k]} {plural[k]})" for k in small],
            spread,
            None
            if len(sizes) < 2 or kernel.is_rank or sizes.min() >= FEW_UNITS
            else f"{classes[1][sizes.argmin()]} has {sizes.min()} {plural[sizes.argmin()]}",
        )

    def check_possible(self, method: str, metric: str, degenerate: DegenerateDraws | None) -> None:
        """Raise UndefinedIntervalError when no draw can be scored in-bag and out-of-bag."""
        least = (degenerate or Redraw()).min_out_of_bag
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

    def for_draws(self) -> dict[str, Any]:
        """Arguments of `Draws`."""
        return {"indicator": self.indicator, "may_lack": self.may_lack, "spread": self.spread}

    def tell(self, n_lacking: int, n_draws: int, details: dict[str, Any]) -> None:
        """Write into the details how many draws lack a small class, with a note.

        Parameters
        ----------
        n_lacking, n_draws : int
            Draws without one of the small classes, and all that were kept.
        details : dict
            By-products of the result, with `notes`.
        """
        details["n_lacking_class"] = n_lacking
        if self.smallest is not None:
            details["notes"].append(
                f"{self.smallest}: errors that did not occur among so few are in no draw, so the "
                f"interval can be much too narrow; {FEW_UNITS} or more are better."
            )
        if n_lacking:
            details["notes"].append(
                f"{n_lacking} of {n_draws} draws lack {_listed(self.small)}, too small to be in "
                "every draw: there the metric has its value by convention (0 for 0/0, or the "
                "class left out), which is not a score of the model."
            )


def _spread_of(oof: OOFPredictions, kernel: BoundKernel, units: Units) -> Spread | None:
    if not needs_spread(kernel.metric) or oof.y_true.dtype.kind not in "biuf":
        return None
    of_sample = units.of_sample
    if oof.sample_weight is not None:
        of_sample = np.where(oof.sample_weight > 0, of_sample, -1)
    return Spread(oof.y_true, of_sample, units.n_units)


def _largest_together(
    classes: list[int], sizes: np.ndarray, chance: dict[int, float]
) -> list[int]:
    """The largest classes that a fair share of draws holds; all classes of one size, or none."""
    together, kept = 1.0, set()
    for size in sorted(chance, reverse=True):
        alike = [k for k in classes if sizes[k] == size]
        together *= chance[size] ** len(alike)
        if together >= FEW_ACCEPTED:  # never again after the first that is too much
            kept.update(alike)
    return [k for k in classes if k in kept]


def _listed(names: list[str]) -> str:
    if len(names) > 3:
        return f"one of {len(names)} classes such as {names[0]}"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
