"""What all benchmarks share: journals, tables, published numbers, verdicts."""
