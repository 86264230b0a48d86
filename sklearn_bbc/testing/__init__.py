"""Checks that a method, a metric, a rule or a picture of yours keeps the promises of ours.

The package's own tests run them on everything registered. Nothing imports this module.
"""

from ._comparisons import check_comparison, comparison_checks
from ._data import example_predictions
from ._displays import check_display, display_checks
from ._intervals import check_interval, interval_checks
from ._metrics import check_metric
from ._refits import refit_checks
from ._selections import check_selection, selection_checks
from ._tied import check_tied_method, tied_checks

__all__ = [
    "check_comparison",
    "check_display",
    "check_interval",
    "check_metric",
    "check_selection",
    "check_tied_method",
    "comparison_checks",
    "display_checks",
    "example_predictions",
    "interval_checks",
    "refit_checks",
    "selection_checks",
    "tied_checks",
]
