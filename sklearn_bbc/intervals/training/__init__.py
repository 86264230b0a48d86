"""Methods that train models of their own."""
