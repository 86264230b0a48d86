"""Checks that a method or a metric of your own keeps the promises that ours keep.

The package's own tests run them on everything registered. Nothing imports this module.
"""

from ._data import example_predictions
from ._intervals import check_interval, interval_checks
from ._metrics import check_metric
from ._refits import refit_checks
from ._selections import check_selection, selection_checks

__all__ = [
    "check_interval",
    "check_metric",
    "check_selection",
    "example_predictions",
    "interval_checks",
    "refit_checks",
    "selection_checks",
]
