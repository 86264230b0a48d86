"""Values that interval methods and comparisons return."""

from ._planning import CriteriaResult as CriteriaResult
from ._planning import SampleSizeResult as SampleSizeResult
from ._results import ComparisonResult as ComparisonResult
from ._results import ConfidenceInterval as ConfidenceInterval
from ._results import frozen_array as frozen_array
from ._sets import LearningCurveResult as LearningCurveResult
from ._sets import OptimismCurve as OptimismCurve
from ._sets import RankingResult as RankingResult
from ._sets import TiedSet as TiedSet
from ._systems import BestOfResult as BestOfResult

__all__ = [
    "BestOfResult",
    "CriteriaResult",
    "LearningCurveResult",
    "OptimismCurve",
    "RankingResult",
    "SampleSizeResult",
    "TiedSet",
]


def __dir__() -> list[str]:
    return list(__all__)
