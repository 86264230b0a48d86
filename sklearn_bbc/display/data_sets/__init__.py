"""Pictures over several data sets."""
