"""Metrics and their bootstrap kernels.

A kernel family is one file; the import below registers it.
"""

from ._base import MetricKernel, families
from ._bound import BoundKernel
from ._concordance import ConcordanceIndex as ConcordanceIndex
from ._concordance import concordance_index_score, concordance_index_scorer
from ._confusion import BalancedAccuracy as BalancedAccuracy
from ._confusion import CohenKappa as CohenKappa
from ._confusion import Matthews as Matthews
from ._confusion import PrecisionRecall as PrecisionRecall
from ._errors import MeanError as MeanError
from ._errors import RootMeanError as RootMeanError
from ._explained import R2 as R2
from ._explained import D2AbsoluteError as D2AbsoluteError
from ._explained import D2Tweedie as D2Tweedie
from ._explained import ExplainedVariance as ExplainedVariance
from ._explained_probability import D2LogLoss as D2LogLoss
from ._given_values import MeanOfValues as MeanOfValues
from ._metric import Metric, as_metric
from ._multiclass_auc import RocAUCMicro as RocAUCMicro
from ._multiclass_auc import RocAUCOneVsOne as RocAUCOneVsOne
from ._multiclass_auc import RocAUCOneVsRest as RocAUCOneVsRest
from ._pointwise import Accuracy as Accuracy
from ._pointwise import Brier as Brier
from ._pointwise import Hinge as Hinge
from ._pointwise import LogLoss as LogLoss
from ._pointwise import TopK as TopK
from ._ranking import AveragePrecision as AveragePrecision
from ._ranking import AveragePrecisionMicro as AveragePrecisionMicro
from ._ranking import AveragePrecisionOneVsRest as AveragePrecisionOneVsRest
from ._regression import MaxError as MaxError
from ._regression import MedianAbsoluteError as MedianAbsoluteError
from ._replay import ReplayKernel as ReplayKernel
from ._roc_auc import RocAUC as RocAUC
from ._scores_by_fold import ScoresByFold
from ._single_precision import single_precision
from ._within_folds import within_folds

__all__ = [
    "BoundKernel",
    "Metric",
    "MetricKernel",
    "ScoresByFold",
    "as_metric",
    "concordance_index_score",
    "concordance_index_scorer",
    "families",
    "single_precision",
    "within_folds",
]
