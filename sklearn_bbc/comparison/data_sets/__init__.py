"""Comparisons of learners over several data sets."""
