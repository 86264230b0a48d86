"""Metrics and their bootstrap kernels.

A kernel family is one file; the import below registers it. The classes of the families are all
private, since users name a scorer and get the kernel for it; `families` lists them. Their base
class `MetricKernel`, from which a kernel of your own inherits, is public.
"""

from ..predictions._predictions import OOFPredictions as OOFPredictions
from . import _calibration as _calibration
from . import _classification as _classification
from . import _confusion as _confusion
from . import _ranking as _ranking
from . import _regression as _regression
from ._base import MetricKernel as MetricKernel
from ._base import families as families
from ._by_fold import FoldTable as FoldTable
from ._by_fold import ScoresByFold as ScoresByFold
from ._by_fold import within_folds as within_folds
from ._calibration import calibration_intercept as calibration_intercept
from ._calibration import calibration_slope as calibration_slope
from ._calibration import expected_calibration_error as expected_calibration_error
from ._calibration import integrated_calibration_index as integrated_calibration_index
from ._concordance import concordance_index_score as concordance_index_score
from ._concordance import concordance_index_scorer as concordance_index_scorer
from ._metric import BoundMetric as BoundMetric
from ._metric import Metric as Metric
from ._metric import as_metric as as_metric
from ._survival import dynamic_auc as dynamic_auc
from ._survival import dynamic_auc_score as dynamic_auc_score
from ._survival import integrated_brier_score as integrated_brier_score
from ._survival import neg_integrated_brier_score as neg_integrated_brier_score
from ._survival import neg_survival_brier_score as neg_survival_brier_score
from ._survival import survival_brier_score as survival_brier_score
from ._survival import uno_concordance as uno_concordance
from ._survival import uno_concordance_score as uno_concordance_score

__all__ = [
    "BoundMetric",
    "Metric",
    "MetricKernel",
    "as_metric",
    "calibration_intercept",
    "calibration_slope",
    "concordance_index_score",
    "dynamic_auc",
    "dynamic_auc_score",
    "expected_calibration_error",
    "integrated_brier_score",
    "integrated_calibration_index",
    "neg_integrated_brier_score",
    "neg_survival_brier_score",
    "survival_brier_score",
    "uno_concordance",
    "uno_concordance_score",
    "within_folds",
]


def __dir__() -> list[str]:
    return list(__all__)
