"""Comparisons: differences of configurations, searches and models, with tests and intervals."""

from ._base import BaseComparison, as_comparison, registered
from ._compare import compare
from ._pairs import Pair as Pair
from ._refits import RefitComparison, registered_refits
from ._sides import Side as Side
from .folds._bayesian_correlated_t import BayesianCorrelatedT as BayesianCorrelatedT
from .folds._corrected_resampled_t import CorrectedResampledT as CorrectedResampledT
from .folds._five_by_two import FiveByTwo as FiveByTwo
from .folds._k_fold_paired_t import KFoldPairedT as KFoldPairedT
from .searches._bbc_difference import BBCDifference as BBCDifference
from .two_models._mcnemar import McNemar as McNemar
from .two_models._paired_bootstrap import PairedBootstrap as PairedBootstrap
from .two_models._paired_delong import PairedDeLong as PairedDeLong
from .two_models._paired_t import PairedT as PairedT

__all__ = [
    "BBCDifference",
    "BaseComparison",
    "BayesianCorrelatedT",
    "CorrectedResampledT",
    "FiveByTwo",
    "KFoldPairedT",
    "McNemar",
    "Pair",
    "PairedBootstrap",
    "PairedDeLong",
    "PairedT",
    "RefitComparison",
    "Side",
    "as_comparison",
    "compare",
    "registered",
    "registered_refits",
]
