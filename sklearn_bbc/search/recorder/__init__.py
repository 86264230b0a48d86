"""Recording from tuners of any kind."""
