"""Stop fitting configurations that are clearly worse than the best one."""
