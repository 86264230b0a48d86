"""Comparisons: differences of configurations, searches and models, with tests and intervals."""

from ._base import BaseComparison, registered
from ._pairs import Pair as Pair
from ._refits import RefitComparison, registered_refits
from ._sides import Side as Side
from .folds._bayesian_correlated_t import BayesianCorrelatedT as BayesianCorrelatedT
from .folds._corrected_resampled_t import CorrectedResampledT as CorrectedResampledT
from .folds._five_by_two import FiveByTwo as FiveByTwo
from .folds._k_fold_paired_t import KFoldPairedT as KFoldPairedT
from .tied._base import TiedMethod, registered_tied
from .tied._bonferroni import Bonferroni as Bonferroni
from .tied._cvc import CrossValidationWithConfidence as CrossValidationWithConfidence
from .tied._model_confidence_set import ModelConfidenceSet as ModelConfidenceSet
from .tied._softmin import SoftminLeaveOneOut as SoftminLeaveOneOut
from .tied._tied_with_best import tied_with_best

__all__ = [
    "BaseComparison",
    "BayesianCorrelatedT",
    "Bonferroni",
    "CorrectedResampledT",
    "CrossValidationWithConfidence",
    "FiveByTwo",
    "KFoldPairedT",
    "ModelConfidenceSet",
    "Pair",
    "RefitComparison",
    "Side",
    "SoftminLeaveOneOut",
    "TiedMethod",
    "registered",
    "registered_refits",
    "registered_tied",
    "tied_with_best",
]
