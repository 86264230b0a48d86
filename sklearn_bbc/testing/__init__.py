"""Checks for interval methods, comparisons, metrics, rules and displays of your own.

The package's own tests run them on everything registered. Nothing imports this module.
"""

from ._common import example_predictions as example_predictions
from ._contract import check_contract as check_contract
from ._contract import check_metric as check_metric
from ._contract import checks as checks

__all__ = ["check_contract", "check_metric", "checks", "example_predictions"]


def __dir__() -> list[str]:
    return list(__all__)
