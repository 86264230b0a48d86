"""Comparisons of what tuning selects, with the selection repeated in every draw."""
