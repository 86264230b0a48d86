"""Rules by which tuning selects, as objects that every draw repeats.

A rule is one file; the import below registers it.
"""

from ._base import BestScore as BestScore
from ._base import BoundSelection as BoundSelection
from ._base import Outcome as Outcome
from ._base import Selection as Selection
from ._base import as_selection as as_selection
from ._base import registered_selections as registered_selections
from ._ensemble import GreedyEnsemble as GreedyEnsemble
from ._rules import OneStandardError as OneStandardError
from ._rules import RefitCallable as RefitCallable
from ._rules import SelectedBy as SelectedBy
from ._rules import SimplestTied as SimplestTied
from ._rules import Tied as Tied
from ._threshold import MeanCost as MeanCost
from ._threshold import SensitivityAt as SensitivityAt
from ._threshold import WithThreshold as WithThreshold

__all__ = [
    "BoundSelection",
    "GreedyEnsemble",
    "OneStandardError",
    "Outcome",
    "RefitCallable",
    "SelectedBy",
    "Selection",
    "SensitivityAt",
    "SimplestTied",
    "WithThreshold",
]


def __dir__() -> list[str]:
    return list(__all__)
