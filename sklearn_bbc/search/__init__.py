"""Searches that keep their predictions."""

from ._afterwards import ThresholdResult as ThresholdResult
from ._racing import DropClearlyWorse as DropClearlyWorse
from ._recorder import OOFRecorder as OOFRecorder
from ._reporting import write_report as write_report
from ._search import BBCSearchCV as BBCSearchCV
from ._search import BBCSearchMixin as BBCSearchMixin

__all__ = [
    "BBCSearchMixin",
    "DropClearlyWorse",
    "ThresholdResult",
]


def __dir__() -> list[str]:
    return list(__all__)
