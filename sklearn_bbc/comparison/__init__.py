"""Comparisons: differences of configurations, searches and models, with tests and intervals."""

from ._base import BaseComparison, Pair, Side
from ._base import as_comparison as as_comparison
from ._base import registered as registered
from ._bbc_difference import BBCDifference
from ._compare import compare as compare
from ._data_sets import (
    BayesianSignedRank,
    BonferroniDunn,
    DataSetsComparison,
    Friedman,
    Holm,
    Nemenyi,
    Wilcoxon,
    critical_difference,
)
from ._data_sets import (
    registered_on_data_sets as registered_on_data_sets,
)
from ._learning_curve import learning_curve_intervals
from ._sequential import SequentialBestOf as SequentialBestOf
from ._sequential import evidence_not_best
from ._systems import best_of as best_of
from ._tied import tied_with_best as tied_with_best
from ._tied_methods import (
    Bonferroni,
    CrossValidationWithConfidence,
    ModelConfidenceSet,
    SoftminLeaveOneOut,
    TiedMethod,
)
from ._tied_methods import (
    registered_tied as registered_tied,
)
from ._two_learners import BayesianCorrelatedT, CorrectedResampledT, FiveByTwo, KFoldPairedT
from ._two_models import DieboldMariano, McNemar, PairedBootstrap, PairedDeLong, PairedT

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
    "DieboldMariano",
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
    "critical_difference",
    "evidence_not_best",
    "learning_curve_intervals",
]


def __dir__() -> list[str]:
    return list(__all__)
