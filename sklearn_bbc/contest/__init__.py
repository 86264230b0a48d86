"""What is scored and what chooses, bound once: configurations, a rule and a metric."""
