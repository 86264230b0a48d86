"""Pictures of results. A picture is one file; the import below registers it."""

from ._base import BaseDisplay, registered
from ._critical_difference import CriticalDifferenceDisplay as CriticalDifferenceDisplay
from ._differences import DifferencesDisplay as DifferencesDisplay
from ._draws import DrawsDisplay as DrawsDisplay
from ._intervals import IntervalsDisplay as IntervalsDisplay
from ._learning_curve import LearningCurveDisplay as LearningCurveDisplay
from ._tied_set import TiedSetDisplay as TiedSetDisplay

__all__ = [
    "BaseDisplay",
    "CriticalDifferenceDisplay",
    "DifferencesDisplay",
    "DrawsDisplay",
    "IntervalsDisplay",
    "LearningCurveDisplay",
    "TiedSetDisplay",
    "registered",
]
