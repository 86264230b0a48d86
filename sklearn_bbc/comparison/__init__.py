"""Comparisons: differences of configurations, searches and models, with tests and intervals."""

from ._base import BaseComparison, registered
from ._pairs import Pair as Pair
from ._sides import Side as Side
from .folds._corrected_resampled_t import CorrectedResampledT as CorrectedResampledT

__all__ = [
    "BaseComparison",
    "CorrectedResampledT",
    "Pair",
    "Side",
    "registered",
]
