"""Bounds by tilting the bootstrap distribution, and what learns and evaluates on parts."""
