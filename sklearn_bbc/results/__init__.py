"""Values that interval methods and comparisons return."""

from ._learning_curves import LearningCurveResult as LearningCurveResult
from ._learning_curves import OptimismCurve as OptimismCurve
from ._planning import CriteriaResult as CriteriaResult
from ._planning import SampleSizeResult as SampleSizeResult
from ._rankings import RankingResult as RankingResult
from ._rankings import TiedSet as TiedSet
from ._results import ComparisonResult as ComparisonResult
from ._results import ConfidenceInterval as ConfidenceInterval
from ._results import frozen_array as frozen_array
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
