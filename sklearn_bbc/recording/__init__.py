"""What a fit leaves behind: predictions, checked against the scores of the search.

Nothing here is called by its users; `sklearn_bbc.search` lists what they need.
"""

from typing import TYPE_CHECKING

from .._lazy import lazily

__all__: list[str] = []

if TYPE_CHECKING:
    from . import _resume as _resume
else:
    __getattr__, __dir__ = lazily(__name__, __all__, _resume="")
