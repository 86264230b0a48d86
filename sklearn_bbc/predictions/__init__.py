"""Out-of-fold predictions: the value that searches and other tools pass to the methods."""

from typing import TYPE_CHECKING

from .._lazy import lazily

__all__: list[str] = []

if TYPE_CHECKING:
    from ._moments import ScoreMoments as ScoreMoments
    from ._predictions import OOFPredictions as OOFPredictions
else:
    __getattr__, __dir__ = lazily(
        __name__,
        __all__,
        _moments="ScoreMoments",
        _predictions="OOFPredictions",
    )
