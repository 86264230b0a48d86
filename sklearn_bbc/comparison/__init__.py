"""Comparisons: differences of configurations, searches and models, with tests and intervals."""

from typing import TYPE_CHECKING

from .._lazy import lazily

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

if TYPE_CHECKING:
    from ._base import BaseComparison, Pair, Side
    from ._base import as_comparison as as_comparison
    from ._base import registered as registered
    from ._bbc_difference import BBCDifference
    from ._compare import ONLY_SCORES as ONLY_SCORES
    from ._compare import compare as compare
    from ._compare import compare_sides as compare_sides
    from ._compare import with_names as with_names
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
    from ._data_sets import registered_on_data_sets as registered_on_data_sets
    from ._learning_curve import learning_curve_intervals
    from ._sequential import SequentialBestOf as SequentialBestOf
    from ._sequential import evidence_not_best
    from ._systems import best_of as best_of
    from ._tied import tied_of as tied_of
    from ._tied import tied_with_best as tied_with_best
    from ._tied_methods import (
        Bonferroni,
        CrossValidationWithConfidence,
        ModelConfidenceSet,
        SoftminLeaveOneOut,
        TiedMethod,
    )
    from ._tied_methods import registered_tied as registered_tied
    from ._two_learners import BayesianCorrelatedT, CorrectedResampledT, FiveByTwo, KFoldPairedT
    from ._two_models import DieboldMariano, McNemar, PairedBootstrap, PairedDeLong, PairedT
else:
    __getattr__, __dir__ = lazily(
        __name__,
        __all__,
        _base="BaseComparison Pair Side as_comparison registered",
        _bbc_difference="BBCDifference",
        _compare="compare compare_sides with_names ONLY_SCORES",
        _data_sets=(
            "BayesianSignedRank BonferroniDunn DataSetsComparison Friedman Holm Nemenyi "
            "Wilcoxon critical_difference registered_on_data_sets"
        ),
        _learning_curve="learning_curve_intervals",
        _sequential="SequentialBestOf evidence_not_best",
        _systems="best_of",
        _tied="tied_with_best tied_of",
        _tied_methods=(
            "Bonferroni CrossValidationWithConfidence ModelConfidenceSet SoftminLeaveOneOut "
            "TiedMethod registered_tied"
        ),
        _two_learners="BayesianCorrelatedT CorrectedResampledT FiveByTwo KFoldPairedT",
        _two_models="DieboldMariano McNemar PairedBootstrap PairedDeLong PairedT",
    )
