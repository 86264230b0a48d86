"""Searches that keep their predictions."""

from ..predictions import OOFPredictions as OOFPredictions
from ..recording._racing import DropClearlyWorse as DropClearlyWorse
from ._mixin import BBCSearchMixin as BBCSearchMixin
from ._recorder import OOFRecorder as OOFRecorder
from ._reporting import write_report as write_report
from ._search import BBCSearchCV as BBCSearchCV

__all__ = [
    "BBCSearchMixin",
    "DropClearlyWorse",
]


def __dir__() -> list[str]:
    return list(__all__)
