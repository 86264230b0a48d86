"""Plots of results. Each file is a family of plots, which the import below registers."""

from ._base import BaseDisplay as BaseDisplay
from ._base import registered as registered
from ._curves import CurveDisplay as CurveDisplay
from ._curves import LearningCurveDisplay as LearningCurveDisplay
from ._curves import OptimismDisplay as OptimismDisplay
from ._curves import StabilityDisplay as StabilityDisplay
from ._data_sets import BoxesDisplay as BoxesDisplay
from ._data_sets import CoverageDisplay as CoverageDisplay
from ._data_sets import CriticalDifferenceDisplay as CriticalDifferenceDisplay
from ._forest import DifferencesDisplay as DifferencesDisplay
from ._forest import ForestDisplay as ForestDisplay
from ._intervals import DrawsDisplay as DrawsDisplay
from ._intervals import IntervalsDisplay as IntervalsDisplay
from ._planning import SampleSizeDisplay as SampleSizeDisplay
from ._selection import SelectionFrequencyDisplay as SelectionFrequencyDisplay
from ._selection import TiedSetDisplay as TiedSetDisplay
from ._sequential import SequentialDisplay as SequentialDisplay
from ._systems import SystemsDisplay as SystemsDisplay

__all__ = [
    "BaseDisplay",
    "BoxesDisplay",
    "CoverageDisplay",
    "CriticalDifferenceDisplay",
    "CurveDisplay",
    "DifferencesDisplay",
    "DrawsDisplay",
    "ForestDisplay",
    "IntervalsDisplay",
    "LearningCurveDisplay",
    "OptimismDisplay",
    "SampleSizeDisplay",
    "SelectionFrequencyDisplay",
    "SequentialDisplay",
    "StabilityDisplay",
    "SystemsDisplay",
    "TiedSetDisplay",
]


def __dir__() -> list[str]:
    return list(__all__)
