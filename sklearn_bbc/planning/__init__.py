"""How many samples a study takes: by predictions at hand, or by formulas where there are none."""

from typing import TYPE_CHECKING

from .._lazy import lazily

__all__ = [
    "develop_binary",
    "develop_continuous",
    "develop_survival",
    "validate_binary",
    "validate_continuous",
]

if TYPE_CHECKING:
    from ._formulas import (
        develop_binary,
        develop_continuous,
        develop_survival,
        validate_binary,
        validate_continuous,
    )
    from ._from_predictions import samples_for_power as samples_for_power
    from ._from_predictions import samples_for_width as samples_for_width
else:
    __getattr__, __dir__ = lazily(
        __name__,
        __all__,
        _formulas=(
            "develop_binary develop_continuous develop_survival validate_binary "
            "validate_continuous"
        ),
        _from_predictions="samples_for_power samples_for_width",
    )
