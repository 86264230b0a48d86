"""The published comparison of lower bounds, repeated."""
