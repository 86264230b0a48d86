"""Methods for the configuration that tuning selects, the selection accounted for."""
