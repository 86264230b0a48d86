"""Comparisons: differences of configurations, searches and models, with tests and intervals."""

from ._base import BaseComparison, registered
from ._pairs import Pair as Pair
from ._sides import Side as Side
from .folds._corrected_resampled_t import CorrectedResampledT as CorrectedResampledT
from .tied._base import TiedMethod, registered_tied
from .tied._bonferroni import Bonferroni
from .tied._cvc import CrossValidationWithConfidence
from .tied._model_confidence_set import ModelConfidenceSet
from .tied._softmin import SoftminLeaveOneOut
from .tied._tied_with_best import tied_with_best

__all__ = [
    "BaseComparison",
    "Bonferroni",
    "CorrectedResampledT",
    "CrossValidationWithConfidence",
    "ModelConfidenceSet",
    "Pair",
    "Side",
    "SoftminLeaveOneOut",
    "TiedMethod",
    "registered",
    "registered_tied",
    "tied_with_best",
]
