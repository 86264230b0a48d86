"""Searches that keep their predictions."""

from ._mixin import BBCSearchMixin
from ._search import BBCSearchCV

__all__ = ["BBCSearchCV", "BBCSearchMixin"]
