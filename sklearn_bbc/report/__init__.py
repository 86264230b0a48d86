"""Sentences, tables and pages for papers, from the results of a search."""

from typing import TYPE_CHECKING

from .._lazy import lazily

__all__ = ["ResultsTable"]

if TYPE_CHECKING:
    from ._sentences import SearchFacts as SearchFacts
    from ._sentences import methods_paragraph as methods_paragraph
    from ._sentences import summary_of as summary_of
    from ._sentences import tripod_frame as tripod_frame
    from ._table import ESCAPES as ESCAPES
    from ._table import ResultsTable
    from ._table import style_named as style_named
else:
    __getattr__, __dir__ = lazily(
        __name__,
        __all__,
        _sentences="SearchFacts methods_paragraph summary_of tripod_frame",
        _table="ResultsTable ESCAPES style_named",
    )
