"""Searches that keep their predictions."""

from ._mixin import BBCSearchMixin
from ._search import BBCSearchCV
from ._threshold import ThresholdResult
from .recorder._recorder import OOFRecorder

__all__ = ["BBCSearchCV", "BBCSearchMixin", "OOFRecorder", "ThresholdResult"]
