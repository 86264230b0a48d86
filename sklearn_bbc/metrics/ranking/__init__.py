"""Kernels of metrics that rank: area under the ROC curve, average precision, concordance."""
