"""Finished fits of a search on disk, and the search that takes them from there."""
