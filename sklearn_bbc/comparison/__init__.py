"""Comparisons of configurations."""
