"""Searches that keep their predictions."""

from ._mixin import BBCSearchMixin
from ._search import BBCSearchCV
from ._threshold import ThresholdResult

__all__ = ["BBCSearchCV", "BBCSearchMixin", "ThresholdResult"]
