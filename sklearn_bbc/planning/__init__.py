"""How many samples a study takes: by predictions at hand, or by formulas where there are none."""

from ._formulas import (
    develop_binary,
    develop_continuous,
    develop_survival,
    validate_binary,
    validate_continuous,
)
from ._from_predictions import samples_for_power as samples_for_power
from ._from_predictions import samples_for_width as samples_for_width

__all__ = [
    "develop_binary",
    "develop_continuous",
    "develop_survival",
    "validate_binary",
    "validate_continuous",
]


def __dir__() -> list[str]:
    return list(__all__)
