"""Rules by which tuning selects, as objects that every draw repeats.

A rule is one file; the import below registers it.
"""

from ._as_refit import AsRefit
from ._base import BoundSelection, Selection, as_selection, registered_selections
from ._best import BestScore
from ._cell_scores import MeanCost, SensitivityAt
from ._folds import FoldTable
from ._greedy_ensemble import GreedyEnsemble
from ._one_standard_error import OneStandardError
from ._outcome import Outcome
from ._refit_callable import RefitCallable
from ._selected_by import SelectedBy
from ._simplest_tied import SimplestTied, Tied
from ._threshold import WithThreshold

__all__ = [
    "AsRefit",
    "BestScore",
    "BoundSelection",
    "FoldTable",
    "GreedyEnsemble",
    "MeanCost",
    "OneStandardError",
    "Outcome",
    "RefitCallable",
    "SelectedBy",
    "Selection",
    "SensitivityAt",
    "SimplestTied",
    "Tied",
    "WithThreshold",
    "as_selection",
    "registered_selections",
]
