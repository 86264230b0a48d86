"""Methods for one configuration, as if nothing had been selected."""
