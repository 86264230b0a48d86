"""Plots of results. Each file is a family of plots, and its import registers them."""

from typing import TYPE_CHECKING

from .._lazy import lazily

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

if TYPE_CHECKING:
    from ._base import BaseDisplay
    from ._base import registered as registered
    from ._curves import CurveDisplay, LearningCurveDisplay, OptimismDisplay, StabilityDisplay
    from ._data_sets import BoxesDisplay, CoverageDisplay, CriticalDifferenceDisplay
    from ._forest import DifferencesDisplay, ForestDisplay
    from ._intervals import DrawsDisplay, IntervalsDisplay
    from ._planning import SampleSizeDisplay
    from ._selection import SelectionFrequencyDisplay, TiedSetDisplay
    from ._sequential import SequentialDisplay
    from ._systems import SystemsDisplay
else:
    __getattr__, __dir__ = lazily(
        __name__,
        __all__,
        _base="BaseDisplay registered",
        _curves="CurveDisplay LearningCurveDisplay OptimismDisplay StabilityDisplay",
        _data_sets="BoxesDisplay CoverageDisplay CriticalDifferenceDisplay",
        _intervals="DrawsDisplay IntervalsDisplay",
        _forest="DifferencesDisplay ForestDisplay",
        _planning="SampleSizeDisplay",
        _selection="SelectionFrequencyDisplay TiedSetDisplay",
        _sequential="SequentialDisplay",
        _systems="SystemsDisplay",
    )
