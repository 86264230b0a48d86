"""The values that come out: what interval methods and comparisons return."""

from ._arrays import frozen_array as frozen_array
from ._comparison import ComparisonResult
from ._interval import ConfidenceInterval
from ._learning_curve import LearningCurveResult
from ._optimism_curve import OptimismCurve
from ._ranking import RankingResult
from ._tied_set import TiedSet

__all__ = [
    "ComparisonResult",
    "ConfidenceInterval",
    "LearningCurveResult",
    "OptimismCurve",
    "RankingResult",
    "TiedSet",
]
