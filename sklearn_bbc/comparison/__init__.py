"""Comparisons: differences of configurations, searches and models, with tests and intervals."""

from ._base import BaseComparison, as_comparison, registered
from ._compare import compare
from ._pairs import Pair as Pair
from ._refits import RefitComparison, registered_refits
from ._sides import Side as Side
from .data_sets._base import DataSetsComparison, registered_on_data_sets
from .data_sets._base import RankTable as RankTable
from .data_sets._bayesian_signed_rank import BayesianSignedRank as BayesianSignedRank
from .data_sets._bonferroni_dunn import BonferroniDunn as BonferroniDunn
from .data_sets._friedman import Friedman as Friedman
from .data_sets._holm import Holm as Holm
from .data_sets._nemenyi import Nemenyi as Nemenyi
from .data_sets._nemenyi import critical_difference as critical_difference
from .data_sets._wilcoxon import Wilcoxon as Wilcoxon
from .folds._bayesian_correlated_t import BayesianCorrelatedT as BayesianCorrelatedT
from .folds._corrected_resampled_t import CorrectedResampledT as CorrectedResampledT
from .folds._five_by_two import FiveByTwo as FiveByTwo
from .folds._k_fold_paired_t import KFoldPairedT as KFoldPairedT
from .learning._learning_curve import learning_curve_intervals
from .searches._bbc_difference import BBCDifference as BBCDifference
from .tied._base import TiedMethod, registered_tied
from .tied._bonferroni import Bonferroni as Bonferroni
from .tied._cvc import CrossValidationWithConfidence as CrossValidationWithConfidence
from .tied._model_confidence_set import ModelConfidenceSet as ModelConfidenceSet
from .tied._softmin import SoftminLeaveOneOut as SoftminLeaveOneOut
from .tied._tied_with_best import tied_with_best
from .two_models._mcnemar import McNemar as McNemar
from .two_models._paired_bootstrap import PairedBootstrap as PairedBootstrap
from .two_models._paired_delong import PairedDeLong as PairedDeLong
from .two_models._paired_t import PairedT as PairedT

__all__ = [
    "BBCDifference",
    "BaseComparison",
    "BayesianCorrelatedT",
    "BayesianSignedRank",
    "Bonferroni",
    "BonferroniDunn",
    "CorrectedResampledT",
    "CrossValidationWithConfidence",
    "DataSetsComparison",
    "FiveByTwo",
    "Friedman",
    "Holm",
    "KFoldPairedT",
    "McNemar",
    "ModelConfidenceSet",
    "Nemenyi",
    "Pair",
    "PairedBootstrap",
    "PairedDeLong",
    "PairedT",
    "RankTable",
    "RefitComparison",
    "Side",
    "SoftminLeaveOneOut",
    "TiedMethod",
    "Wilcoxon",
    "as_comparison",
    "compare",
    "critical_difference",
    "learning_curve_intervals",
    "registered",
    "registered_on_data_sets",
    "registered_refits",
    "registered_tied",
    "tied_with_best",
]
