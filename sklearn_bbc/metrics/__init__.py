"""Metrics and their bootstrap kernels.

A kernel family is one file; the import below registers it.
"""

from .._published import moved
from ._base import MetricKernel, families
from ._bound import BoundKernel
from ._confusion import BalancedAccuracy as BalancedAccuracy
from ._confusion import CohenKappa as CohenKappa
from ._confusion import Matthews as Matthews
from ._confusion import PrecisionRecall as PrecisionRecall
from ._metric import Metric, as_metric
from ._order_statistics import MaxError as MaxError
from ._order_statistics import MedianAbsoluteError as MedianAbsoluteError
from ._replay import ReplayKernel as ReplayKernel
from ._scores_by_fold import ScoresByFold
from ._within_folds import within_folds
from .means._classification import Accuracy as Accuracy
from .means._classification import Brier as Brier
from .means._classification import Hinge as Hinge
from .means._classification import LogLoss as LogLoss
from .means._classification import TopK as TopK
from .means._explained import R2 as R2
from .means._explained import D2AbsoluteError as D2AbsoluteError
from .means._explained import D2Tweedie as D2Tweedie
from .means._explained import ExplainedVariance as ExplainedVariance
from .means._explained_probability import D2LogLoss as D2LogLoss
from .means._given_values import MeanOfValues as MeanOfValues
from .means._regression import MeanError as MeanError
from .means._regression import RootMeanError as RootMeanError
from .ranking._average_precision import AveragePrecision as AveragePrecision
from .ranking._average_precision import AveragePrecisionMicro as AveragePrecisionMicro
from .ranking._average_precision import AveragePrecisionOneVsRest as AveragePrecisionOneVsRest
from .ranking._concordance import ConcordanceIndex as ConcordanceIndex
from .ranking._concordance import concordance_index_score, concordance_index_scorer
from .ranking._multiclass_auc import RocAUCMicro as RocAUCMicro
from .ranking._multiclass_auc import RocAUCOneVsOne as RocAUCOneVsOne
from .ranking._multiclass_auc import RocAUCOneVsRest as RocAUCOneVsRest
from .ranking._roc_auc import RocAUC as RocAUC

__all__ = [
    "BoundKernel",
    "Metric",
    "MetricKernel",
    "ScoresByFold",
    "as_metric",
    "concordance_index_score",
    "concordance_index_scorer",
    "families",
    "within_folds",
]

__getattr__ = moved(__name__, ["single_precision"])
