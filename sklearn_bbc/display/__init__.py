"""Pictures of results. A picture is one file; the import below registers it."""

from ._base import BaseDisplay, registered
from ._critical_difference import CriticalDifferenceDisplay as CriticalDifferenceDisplay
from ._differences import DifferencesDisplay as DifferencesDisplay
from ._draws import DrawsDisplay as DrawsDisplay
from ._forest import ForestDisplay as ForestDisplay
from ._intervals import IntervalsDisplay as IntervalsDisplay
from ._learning_curve import LearningCurveDisplay as LearningCurveDisplay
from ._optimism import OptimismDisplay as OptimismDisplay
from ._selection_frequency import SelectionFrequencyDisplay as SelectionFrequencyDisplay
from ._tied_set import TiedSetDisplay as TiedSetDisplay
from .data_sets._boxes import BoxesDisplay as BoxesDisplay
from .data_sets._coverage import CoverageDisplay as CoverageDisplay
from .data_sets._ranks import RanksDisplay as RanksDisplay

__all__ = [
    "BaseDisplay",
    "BoxesDisplay",
    "CoverageDisplay",
    "CriticalDifferenceDisplay",
    "DifferencesDisplay",
    "DrawsDisplay",
    "ForestDisplay",
    "IntervalsDisplay",
    "LearningCurveDisplay",
    "OptimismDisplay",
    "RanksDisplay",
    "SelectionFrequencyDisplay",
    "TiedSetDisplay",
    "registered",
]
