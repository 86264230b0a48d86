"""Pictures of results. A picture is one file; the import below registers it."""

from ._base import BaseDisplay, registered
from ._draws import DrawsDisplay as DrawsDisplay
from ._intervals import IntervalsDisplay as IntervalsDisplay
from ._tied_set import TiedSetDisplay as TiedSetDisplay

__all__ = ["BaseDisplay", "DrawsDisplay", "IntervalsDisplay", "TiedSetDisplay", "registered"]
