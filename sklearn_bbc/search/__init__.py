"""Searches that keep their predictions."""

from ..predictions import OOFPredictions as OOFPredictions
from ..predictions._predictions import fit_again_by as _fit_again_by
from ..recording._racing import DropClearlyWorse as DropClearlyWorse
from ._mixin import BBCSearchMixin as BBCSearchMixin
from ._recorder import OOFRecorder as OOFRecorder
from ._recorder import predicted_again as _predicted_again
from ._reporting import write_report as write_report
from ._search import BBCSearchCV as BBCSearchCV
from ._threshold import ThresholdResult as ThresholdResult

# Predictions are a layer below: what fits models is handed down to them.
_fit_again_by(_predicted_again)

__all__ = [
    "BBCSearchMixin",
    "DropClearlyWorse",
    "ThresholdResult",
]


def __dir__() -> list[str]:
    return list(__all__)
