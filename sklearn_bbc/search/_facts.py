"""What a search remembers of its fit, and how a missing result explains itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["ExplainedAttribute", "FitFacts"]


class ExplainedAttribute:
    """Attribute of the instance that, where it is missing, says why instead of just failing.

    Not a data descriptor: what `fit` sets on the instance comes first.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, search: Any, owner: type | None = None) -> Any:
        if search is None:
            return self
        raise search._why_missing(self.name)


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
