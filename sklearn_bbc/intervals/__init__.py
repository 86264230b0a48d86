"""Interval methods. A method is one file; the import below registers it."""

from ..resampling import DegenerateDraws as DegenerateDraws
from ..resampling import Drop as Drop
from ..resampling import Redraw as Redraw
from ..resampling import Refuse as Refuse
from ._base import BaseInterval, BootstrapInterval, as_interval, registered
from ._bates import BatesNestedCV as BatesNestedCV
from ._bayle import BayleCV as BayleCV
from ._bbc import BBC as BBC
from ._bbcf import BBCF as BBCF
from ._conservative_z import ConservativeZ as ConservativeZ
from ._corrected_t import CorrectedT as CorrectedT
from ._correlation_adjusted import CorrelationAdjusted as CorrelationAdjusted
from ._criterion import MeanOverFolds as MeanOverFolds
from ._criterion import PooledScore as PooledScore
from ._criterion import WinnerCriterion as WinnerCriterion
from ._criterion import with_winner as with_winner
from ._cvauc import CVAUC as CVAUC
from ._delong import DeLong as DeLong
from ._direct_bootstrap import DirectBootstrap as DirectBootstrap
from ._fold_glmm import FoldGLMM as FoldGLMM
from ._hanley_mcneil import HanleyMcNeil as HanleyMcNeil
from ._hanley_mcneil import RinkCounts as RinkCounts
from ._hierarchical import HierarchicalBootstrap as HierarchicalBootstrap
from ._holdout import holdout_interval as holdout_interval
from ._learn_evaluate import LearnEvaluate as LearnEvaluate
from ._mabt import MABT as MABT
from ._naive import NaiveBootstrap as NaiveBootstrap
from ._nested_cv import NestedCV as NestedCV
from ._pooled_bootstrap import PooledBootstrap as PooledBootstrap
from ._published_tilting import PublishedTilting as PublishedTilting
from ._quantiles import LinearQuantile as LinearQuantile
from ._quantiles import NormalScoreQuantile as NormalScoreQuantile
from ._quantiles import OrderStatistic as OrderStatistic
from ._quantiles import QuantileRule as QuantileRule
from ._recommend import Recommendation as Recommendation
from ._recommend import recommend as recommend
from ._recommend import recommendations as recommendations
from ._refit import RefitInterval as RefitInterval
from ._refit import registered_refits as registered_refits
from ._rescaled_bbc import RescaledBBC as RescaledBBC
from ._scales import Arcsine as Arcsine
from ._scales import Identity as Identity
from ._scales import LogDistance as LogDistance
from ._scales import Scale as Scale
from ._selection_rules import Best as Best
from ._selection_rules import SelectionRule as SelectionRule
from ._selection_rules import TopShare as TopShare
from ._takahashi import Takahashi as Takahashi
from ._tibshirani import TibshiraniTibshirani as TibshiraniTibshirani
from ._tilting import BootstrapTilting as BootstrapTilting
from ._wald import Wald as Wald

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
    "Drop",
    "FoldGLMM",
    "HanleyMcNeil",
    "HierarchicalBootstrap",
    "Identity",
    "LearnEvaluate",
    "LinearQuantile",
    "LogDistance",
    "MeanOverFolds",
    "NaiveBootstrap",
    "NestedCV",
    "NormalScoreQuantile",
    "OrderStatistic",
    "PooledBootstrap",
    "PooledScore",
    "PublishedTilting",
    "QuantileRule",
    "Recommendation",
    "Redraw",
    "RefitInterval",
    "Refuse",
    "RescaledBBC",
    "RinkCounts",
    "Scale",
    "SelectionRule",
    "Takahashi",
    "TibshiraniTibshirani",
    "TopShare",
    "Wald",
    "WinnerCriterion",
    "as_interval",
    "holdout_interval",
    "recommend",
    "recommendations",
    "registered",
    "registered_refits",
    "with_winner",
]
