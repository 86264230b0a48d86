"""Which configurations cannot be told from the best: one file per method."""
