"""The coverage simulations, a file each, and the methods that take part."""
