"""Searches that keep their predictions."""

from typing import TYPE_CHECKING

from .._lazy import lazily
from ..predictions._predictions import OOFPredictions as OOFPredictions

__all__ = [
    "BBCSearchMixin",
    "DropClearlyWorse",
]

if TYPE_CHECKING:
    from . import _comparison as _comparison
    from . import _reporting as _reporting
    from . import _threshold as _threshold
    from ._mixin import BBCSearchMixin
    from ._recorder import OOFRecorder as OOFRecorder
    from ._reporting import write_report as write_report
    from ._search import BBCSearchCV as BBCSearchCV
    from ._search import DropClearlyWorse
else:
    __getattr__, __dir__ = lazily(
        __name__,
        __all__,
        _comparison="",
        _mixin="BBCSearchMixin",
        _recorder="OOFRecorder",
        _reporting="write_report",
        _search="BBCSearchCV DropClearlyWorse",
        _threshold="",
    )
