"""Metrics and their bootstrap kernels.

A kernel family is one file; the import below registers it.
"""

from ._base import MetricKernel, families
from ._bound import BoundKernel
from ._metric import Metric, as_metric
from ._replay import ReplayKernel as ReplayKernel

__all__ = ["BoundKernel", "Metric", "MetricKernel", "as_metric", "families"]
