"""Data sets, real and simulated, and the models that are trained on them."""
