"""Interval methods. A method is one file; the import below registers it."""

from .._published import moved
from ..resampling import DegenerateDraws as DegenerateDraws
from ..resampling import Redraw as Redraw
from ._base import BaseInterval, BootstrapInterval, registered
from ._bbc_on_arrays import bbc as bbc
from ._criterion import MeanOverFolds as MeanOverFolds
from ._criterion import PooledScore as PooledScore
from ._criterion import WinnerCriterion as WinnerCriterion
from ._criterion import with_winner as with_winner
from ._holdout import holdout_interval as holdout_interval
from ._named import as_interval
from ._optimism_curve import optimism_curve as optimism_curve
from ._quantiles import NormalScoreQuantile as NormalScoreQuantile
from ._quantiles import OrderStatistic as OrderStatistic
from ._quantiles import QuantileRule as QuantileRule
from ._recommend import Recommendation as Recommendation
from ._recommend import recommend as recommend
from ._recommend import recommendations as recommendations
from .single._bayle import BayleCV as BayleCV
from .single._corrected_t import CorrectedT as CorrectedT
from .single._correlation_adjusted import CorrelationAdjusted as CorrelationAdjusted
from .single._cvauc import CVAUC as CVAUC
from .single._delong import DeLong as DeLong
from .single._fold_glmm import FoldGLMM as FoldGLMM
from .single._hanley_mcneil import HanleyMcNeil as HanleyMcNeil
from .single._hierarchical import HierarchicalBootstrap as HierarchicalBootstrap
from .single._naive import NaiveBootstrap as NaiveBootstrap
from .single._pooled_bootstrap import PooledBootstrap as PooledBootstrap
from .single._takahashi import Takahashi as Takahashi
from .single._wald import Wald as Wald
from .tilting._bootstrap_tilting import BootstrapTilting as BootstrapTilting
from .tilting._candidates import Best as Best
from .tilting._candidates import SelectionRule as SelectionRule
from .tilting._candidates import TopShare as TopShare
from .tilting._learn_evaluate import LearnEvaluate as LearnEvaluate
from .tilting._mabt import MABT as MABT
from .training._base import RefitInterval as RefitInterval
from .training._base import registered_refits as registered_refits
from .training._bates import BatesNestedCV as BatesNestedCV
from .training._conservative_z import ConservativeZ as ConservativeZ
from .training._direct_bootstrap import DirectBootstrap as DirectBootstrap
from .training._nested_cv import NestedCV as NestedCV
from .winner._bbc import BBC as BBC
from .winner._bbcf import BBCF as BBCF
from .winner._rescaled_bbc import RescaledBBC as RescaledBBC
from .winner._scales import Arcsine as Arcsine
from .winner._scales import Identity as Identity
from .winner._scales import LogDistance as LogDistance
from .winner._scales import Scale as Scale
from .winner._tibshirani import TibshiraniTibshirani as TibshiraniTibshirani

__all__ = [
    "BBC",
    "BBCF",
    "CVAUC",
    "MABT",
    "Arcsine",
    "BaseInterval",
    "BatesNestedCV",
    "BayleCV",
    "Best",
    "BootstrapInterval",
    "BootstrapTilting",
    "ConservativeZ",
    "CorrectedT",
    "CorrelationAdjusted",
    "DeLong",
    "DegenerateDraws",
    "DirectBootstrap",
    "FoldGLMM",
    "HanleyMcNeil",
    "HierarchicalBootstrap",
    "Identity",
    "LearnEvaluate",
    "LogDistance",
    "MeanOverFolds",
    "NaiveBootstrap",
    "NestedCV",
    "NormalScoreQuantile",
    "OrderStatistic",
    "PooledBootstrap",
    "PooledScore",
    "QuantileRule",
    "Recommendation",
    "Redraw",
    "RefitInterval",
    "RescaledBBC",
    "Scale",
    "SelectionRule",
    "Takahashi",
    "TibshiraniTibshirani",
    "TopShare",
    "Wald",
    "WinnerCriterion",
    "as_interval",
    "bbc",
    "holdout_interval",
    "optimism_curve",
    "recommend",
    "recommendations",
    "registered",
    "registered_refits",
    "with_winner",
]

__getattr__ = moved(
    __name__, ["Drop", "LinearQuantile", "PublishedTilting", "Refuse", "RinkCounts"]
)
