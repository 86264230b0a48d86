"""Metrics and their bootstrap kernels.

A kernel family is one file; the import below registers it. The classes of the families are all
private, since users name a scorer and get the kernel for it; `families` lists them. What a kernel
of your own inherits from, `MetricKernel`, is public.
"""

from .._published import moved
from . import _confusion as _confusion
from . import _order_statistics as _order_statistics
from ._base import MetricKernel, families
from ._bound import BoundKernel
from ._metric import Metric, as_metric
from ._scores_by_fold import ScoresByFold
from ._within_folds import within_folds
from .means import _classification as _classification
from .means import _explained as _explained
from .means import _explained_probability as _explained_probability
from .means import _given_values as _given_values
from .means import _regression as _regression
from .ranking import _average_precision as _average_precision
from .ranking import _multiclass_auc as _multiclass_auc
from .ranking import _roc_auc as _roc_auc
from .ranking._concordance import concordance_index_score, concordance_index_scorer

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
