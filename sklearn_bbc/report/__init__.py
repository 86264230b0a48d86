"""Sentences, tables and pages for papers, from the results of a search."""

from ._facts import SearchFacts as SearchFacts
from ._table import ResultsTable, results_table

__all__ = ["ResultsTable", "results_table"]
