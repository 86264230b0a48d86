"""Comparisons: differences of configurations, searches and models, with tests and intervals."""

from ._base import BaseComparison as BaseComparison
from ._base import Pair as Pair
from ._base import Side as Side
from ._base import as_comparison as as_comparison
from ._base import registered as registered
from ._bbc_difference import BBCDifference as BBCDifference
from ._compare import compare as compare
from ._data_sets import BayesianSignedRank as BayesianSignedRank
from ._data_sets import BonferroniDunn as BonferroniDunn
from ._data_sets import DataSetsComparison as DataSetsComparison
from ._data_sets import Friedman as Friedman
from ._data_sets import Holm as Holm
from ._data_sets import Nemenyi as Nemenyi
from ._data_sets import Wilcoxon as Wilcoxon
from ._data_sets import critical_difference as critical_difference
from ._data_sets import registered_on_data_sets as registered_on_data_sets
from ._folds import BayesianCorrelatedT as BayesianCorrelatedT
from ._folds import CorrectedResampledT as CorrectedResampledT
from ._folds import KFoldPairedT as KFoldPairedT
from ._learning_curve import learning_curve_intervals as learning_curve_intervals
from ._refits import FiveByTwo as FiveByTwo
from ._tied import tied_with_best as tied_with_best
from ._tied_methods import Bonferroni as Bonferroni
from ._tied_methods import CrossValidationWithConfidence as CrossValidationWithConfidence
from ._tied_methods import ModelConfidenceSet as ModelConfidenceSet
from ._tied_methods import SoftminLeaveOneOut as SoftminLeaveOneOut
from ._tied_methods import TiedMethod as TiedMethod
from ._tied_methods import registered_tied as registered_tied
from ._two_models import McNemar as McNemar
from ._two_models import PairedBootstrap as PairedBootstrap
from ._two_models import PairedDeLong as PairedDeLong
from ._two_models import PairedT as PairedT

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
    "registered_tied",
    "tied_with_best",
]
