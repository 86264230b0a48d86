"""Learning curves: what more data would bring."""
