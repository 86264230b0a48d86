"""Interval methods. The import of a method's module registers it."""

from ..resampling import DegenerateDraws as DegenerateDraws
from ..resampling import Redraw as Redraw
from ._analytic import BayleCV as BayleCV
from ._analytic import Takahashi as Takahashi
from ._analytic import Wald as Wald
from ._auc import CVAUC as CVAUC
from ._auc import DeLong as DeLong
from ._auc import HanleyMcNeil as HanleyMcNeil
from ._base import BaseInterval as BaseInterval
from ._base import BootstrapInterval as BootstrapInterval
from ._base import NormalScoreQuantile as NormalScoreQuantile
from ._base import OrderStatistic as OrderStatistic
from ._base import QuantileRule as QuantileRule
from ._base import registered as registered
from ._bbc import BBC as BBC
from ._bbc import bbc as bbc
from ._bbc import optimism_curve as optimism_curve
from ._bbcf import BBCF as BBCF
from ._bbcf import NaiveBootstrap as NaiveBootstrap
from ._bbcf import TibshiraniTibshirani as TibshiraniTibshirani
from ._bootstrap import HierarchicalBootstrap as HierarchicalBootstrap
from ._bootstrap import PooledBootstrap as PooledBootstrap
from ._fold_glmm import FoldGLMM as FoldGLMM
from ._fold_scores import CorrectedT as CorrectedT
from ._fold_scores import CorrelationAdjusted as CorrelationAdjusted
from ._holdout import holdout_interval as holdout_interval
from ._learn_evaluate import Best as Best
from ._learn_evaluate import LearnEvaluate as LearnEvaluate
from ._learn_evaluate import SelectionRule as SelectionRule
from ._learn_evaluate import TopShare as TopShare
from ._notes import MeanOverFolds as MeanOverFolds
from ._notes import PooledScore as PooledScore
from ._notes import WinnerCriterion as WinnerCriterion
from ._notes import with_winner as with_winner
from ._recommend import Recommendation as Recommendation
from ._recommend import as_interval as as_interval
from ._recommend import recommend as recommend
from ._recommend import recommendations as recommendations
from ._refit_base import RefitInterval as RefitInterval
from ._refit_base import registered_refits as registered_refits
from ._refits import BatesNestedCV as BatesNestedCV
from ._refits import ConservativeZ as ConservativeZ
from ._refits import DirectBootstrap as DirectBootstrap
from ._refits import NestedCV as NestedCV
from ._shrunken_bbc import ShrunkenBBC as ShrunkenBBC
from ._tilting import MABT as MABT
from ._tilting import BootstrapTilting as BootstrapTilting

__all__ = [
    "BBC",
    "BBCF",
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
    "NaiveBootstrap",
    "NestedCV",
    "NormalScoreQuantile",
    "PooledBootstrap",
    "QuantileRule",
    "RefitInterval",
    "ShrunkenBBC",
    "Takahashi",
    "TibshiraniTibshirani",
    "TopShare",
    "Wald",
    "optimism_curve",
]


def __dir__() -> list[str]:
    return list(__all__)
