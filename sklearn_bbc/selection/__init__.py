"""Rules by which tuning selects, as objects that every draw repeats.

The import of the file of a rule registers it.
"""

from typing import TYPE_CHECKING

from .._lazy import lazily
from ._base import BestScore as BestScore  # what is meant where no rule is given

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

if TYPE_CHECKING:
    from ._base import BestScore as BestScore
    from ._base import BoundSelection, Outcome, Selection
    from ._base import as_selection as as_selection
    from ._base import registered_selections as registered_selections
    from ._ensemble import GreedyEnsemble
    from ._rules import OneStandardError, RefitCallable, SelectedBy, SimplestTied
    from ._rules import Tied as Tied
    from ._threshold import MeanCost as MeanCost
    from ._threshold import SensitivityAt, WithThreshold
else:
    __getattr__, __dir__ = lazily(
        __name__,
        __all__,
        _base="BestScore BoundSelection Outcome Selection as_selection registered_selections",
        _ensemble="GreedyEnsemble",
        _rules="OneStandardError RefitCallable SelectedBy SimplestTied Tied",
        _threshold="MeanCost SensitivityAt WithThreshold",
    )
