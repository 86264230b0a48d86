"""Searches that keep their predictions."""

from ._mixin import BBCSearchMixin
from ._search import BBCSearchCV
from ._threshold import ThresholdResult
from .dropping._rule import DropClearlyWorse
from .recorder._recorder import OOFRecorder

__all__ = ["BBCSearchCV", "BBCSearchMixin", "DropClearlyWorse", "OOFRecorder", "ThresholdResult"]
