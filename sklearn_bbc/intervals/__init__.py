"""Interval methods. The import of a method's module registers it."""

from ..resampling import DegenerateDraws, Redraw
from ._analytic import BayleCV, Takahashi, Wald
from ._auc import CVAUC, DeLong, HanleyMcNeil
from ._base import (
    BaseInterval,
    BootstrapInterval,
    NormalScoreQuantile,
    OrderStatistic,
    QuantileRule,
    registered,
)
from ._bbc import BBC, bbc, optimism_curve
from ._bbcf import BBCF, NaiveBootstrap, TibshiraniTibshirani
from ._bootstrap import HierarchicalBootstrap, PooledBootstrap
from ._fold_glmm import FoldGLMM
from ._fold_scores import CorrectedT, CorrelationAdjusted
from ._holdout import holdout_interval
from ._learn_evaluate import Best, LearnEvaluate, SelectionRule, TopShare
from ._notes import MeanOverFolds, PooledScore, WinnerCriterion, with_winner
from ._recommend import Recommendation, as_interval, recommend, recommendations
from ._refit_base import RefitInterval, registered_refits
from ._refits import BatesNestedCV, ConservativeZ, DirectBootstrap, NestedCV
from ._rescaled_bbc import Arcsine, Identity, LogDistance, RescaledBBC, Scale
from ._tilting import MABT, BootstrapTilting

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
