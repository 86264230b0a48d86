"""Checks that a method, a metric, a rule or a picture of yours keeps the promises of ours.

The package's own tests run them on everything registered. Nothing imports this module.
"""

from ._common import example_predictions as example_predictions
from ._contract import check_comparison as check_comparison
from ._contract import check_interval as check_interval
from ._contract import comparison_checks as comparison_checks
from ._contract import interval_checks as interval_checks
from ._contract import refit_checks as refit_checks
from ._displays import check_display as check_display
from ._displays import display_checks as display_checks
from ._rules import check_metric as check_metric
from ._rules import check_selection as check_selection
from ._rules import check_tied_method as check_tied_method
from ._rules import selection_checks as selection_checks
from ._rules import tied_checks as tied_checks

__all__ = [
    "check_comparison",
    "check_display",
    "check_interval",
    "check_metric",
    "check_selection",
    "check_tied_method",
    "example_predictions",
]


def __dir__() -> list[str]:
    return list(__all__)
