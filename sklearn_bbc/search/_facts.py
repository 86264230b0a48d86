"""What a search remembers of its fit."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ._refit_rule import RefitRule

__all__ = ["FitFacts"]


@dataclass(slots=True)
class FitFacts:
    """What must be remembered of a fit to compute intervals later."""

    seed: int = 0
    default_score: str | None = None
    unweighted: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    why_unrecorded: str = ""
    survival: bool = False
    rule: RefitRule | None = None
    held_out: np.ndarray | None = None
