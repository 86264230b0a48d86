"""Comparisons: differences of configurations, searches and models, with tests and intervals."""

from ._base import BaseComparison, registered
from ._pairs import Pair as Pair
from ._sides import Side as Side
from .folds._corrected_resampled_t import CorrectedResampledT as CorrectedResampledT
from .two_models._mcnemar import McNemar as McNemar
from .two_models._paired_bootstrap import PairedBootstrap as PairedBootstrap
from .two_models._paired_delong import PairedDeLong as PairedDeLong
from .two_models._paired_t import PairedT as PairedT

__all__ = [
    "BaseComparison",
    "CorrectedResampledT",
    "McNemar",
    "Pair",
    "PairedBootstrap",
    "PairedDeLong",
    "PairedT",
    "Side",
    "registered",
]
