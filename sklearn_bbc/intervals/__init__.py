"""Interval methods. The import of a method's module registers it."""

from typing import TYPE_CHECKING

from .._lazy import lazily
from ..resampling import Redraw as Redraw

__all__ = [
    "CVAUC",
    "MABT",
    "BaseInterval",
    "BatesNestedCV",
    "BayleCV",
    "BootstrapInterval",
    "BootstrapTilting",
    "ConservativeZ",
    "CorrectedT",
    "CorrelationAdjusted",
    "DeLong",
    "DirectBootstrap",
    "FoldGLMM",
    "HanleyMcNeil",
    "HierarchicalBootstrap",
    "LearnEvaluate",
    "NestedCV",
    "NormalScoreQuantile",
    "PooledBootstrap",
    "RefitInterval",
    "ShrunkenBBC",
    "Takahashi",
    "TibshiraniTibshirani",
    "TopShare",
    "Wald",
    "optimism_curve",
    "published_intervals",
]

if TYPE_CHECKING:
    from ._analytic import BayleCV, Takahashi, Wald
    from ._auc import CVAUC, DeLong, HanleyMcNeil
    from ._base import BaseInterval, BootstrapInterval, NormalScoreQuantile
    from ._base import OrderStatistic as OrderStatistic
    from ._base import QuantileRule as QuantileRule
    from ._base import registered as registered
    from ._bbc import BBC as BBC
    from ._bbc import bbc as bbc
    from ._bbc import optimism_curve
    from ._bbcf import BBCF as BBCF
    from ._bbcf import TibshiraniTibshirani
    from ._bootstrap import HierarchicalBootstrap, PooledBootstrap
    from ._fold_scores import CorrectedT, CorrelationAdjusted, FoldGLMM
    from ._holdout import holdout_interval as holdout_interval
    from ._learn_evaluate import Best as Best
    from ._learn_evaluate import LearnEvaluate, TopShare
    from ._learn_evaluate import SelectionRule as SelectionRule
    from ._recommend import Recommendation as Recommendation
    from ._recommend import as_interval as as_interval
    from ._recommend import published_intervals
    from ._recommend import recommend as recommend
    from ._recommend import recommendations as recommendations
    from ._refit_base import RefitInterval
    from ._refit_base import registered_refits as registered_refits
    from ._refits import BatesNestedCV, ConservativeZ, DirectBootstrap, NestedCV
    from ._shrunken_bbc import ShrunkenBBC
    from ._tilting import MABT, BootstrapTilting
else:
    __getattr__, __dir__ = lazily(
        __name__,
        __all__,
        _auc="CVAUC DeLong HanleyMcNeil",
        _analytic="BayleCV Takahashi Wald",
        _base=(
            "BaseInterval BootstrapInterval NormalScoreQuantile OrderStatistic QuantileRule "
            "registered"
        ),
        _bbc="BBC bbc optimism_curve",
        _fold_scores="CorrectedT CorrelationAdjusted FoldGLMM",
        _bbcf="BBCF TibshiraniTibshirani",
        _bootstrap="HierarchicalBootstrap PooledBootstrap",
        _holdout="holdout_interval",
        _learn_evaluate="Best LearnEvaluate SelectionRule TopShare",
        _recommend="Recommendation as_interval published_intervals recommend recommendations",
        _refit_base="RefitInterval registered_refits",
        _refits="BatesNestedCV ConservativeZ DirectBootstrap NestedCV",
        _shrunken_bbc="ShrunkenBBC",
        _tilting="BootstrapTilting MABT",
    )
