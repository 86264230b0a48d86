"""Interval methods. A method is one file; the import below registers it."""

from ._base import BaseInterval, BootstrapInterval, as_interval, registered
from ._bayle import BayleCV as BayleCV
from ._bbc import BBC as BBC
from ._bbcf import BBCF as BBCF
from ._corrected_t import CorrectedT as CorrectedT
from ._correlation_adjusted import CorrelationAdjusted as CorrelationAdjusted
from ._cvauc import CVAUC as CVAUC
from ._delong import DeLong as DeLong
from ._fold_glmm import FoldGLMM as FoldGLMM
from ._hanley_mcneil import HanleyMcNeil as HanleyMcNeil
from ._hanley_mcneil import RinkCounts as RinkCounts
from ._hierarchical import HierarchicalBootstrap as HierarchicalBootstrap
from ._learn_evaluate import Best as Best
from ._learn_evaluate import LearnEvaluate as LearnEvaluate
from ._learn_evaluate import SelectionRule as SelectionRule
from ._learn_evaluate import TopShare as TopShare
from ._naive import NaiveBootstrap as NaiveBootstrap
from ._pooled_bootstrap import PooledBootstrap as PooledBootstrap
from ._wald import Wald as Wald

__all__ = [
    "BBC",
    "BBCF",
    "CVAUC",
    "BaseInterval",
    "BayleCV",
    "Best",
    "BootstrapInterval",
    "CorrectedT",
    "CorrelationAdjusted",
    "DeLong",
    "FoldGLMM",
    "HanleyMcNeil",
    "HierarchicalBootstrap",
    "LearnEvaluate",
    "NaiveBootstrap",
    "PooledBootstrap",
    "RinkCounts",
    "SelectionRule",
    "TopShare",
    "Wald",
    "as_interval",
    "registered",
]
