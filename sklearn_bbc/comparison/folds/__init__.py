"""Comparisons of the scores per fold of two learners."""
