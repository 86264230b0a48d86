"""Sentences, tables and pages for papers, from the results of a search."""

from ._sentences import SearchFacts as SearchFacts
from ._table import ResultsTable as ResultsTable

__all__ = ["ResultsTable"]


def __dir__() -> list[str]:
    return list(__all__)
