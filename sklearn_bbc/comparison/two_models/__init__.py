"""Tests of two models on the same samples: a test set, or predictions of two configurations."""
