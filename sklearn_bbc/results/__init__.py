"""Values that interval methods and comparisons return."""

from typing import TYPE_CHECKING

from .._lazy import lazily

__all__ = [
    "BestOfResult",
    "CriteriaResult",
    "LearningCurveResult",
    "OptimismCurve",
    "RankingResult",
    "SampleSizeResult",
    "TiedSet",
]

if TYPE_CHECKING:
    from ._curves import Plottable as Plottable
    from ._learning_curves import LearningCurveResult, OptimismCurve
    from ._planning import CriteriaResult, SampleSizeResult
    from ._rankings import RankingResult, TiedSet
    from ._results import ComparisonResult as ComparisonResult
    from ._results import ConfidenceInterval as ConfidenceInterval
    from ._results import frozen_array as frozen_array
    from ._systems import BestOfResult
else:
    __getattr__, __dir__ = lazily(
        __name__,
        __all__,
        _curves="Plottable",
        _learning_curves="LearningCurveResult OptimismCurve",
        _planning="CriteriaResult SampleSizeResult",
        _rankings="RankingResult TiedSet",
        _results="ComparisonResult ConfidenceInterval frozen_array",
        _systems="BestOfResult",
    )
