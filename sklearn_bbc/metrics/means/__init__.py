"""Kernels of metrics that are means over samples, or made of such means."""
