"""Which configurations cannot be told from the best; one file per method."""

from ._base import TiedMethod, registered
from ._bonferroni import Bonferroni
from ._cross_validation_with_confidence import CrossValidationWithConfidence
from ._model_confidence_set import ModelConfidenceSet
from ._softmin_leave_one_out import SoftminLeaveOneOut

__all__ = [
    "Bonferroni",
    "CrossValidationWithConfidence",
    "ModelConfidenceSet",
    "SoftminLeaveOneOut",
    "TiedMethod",
    "registered",
]
