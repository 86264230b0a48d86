"""What a search records: predictions heard while scorers run, put together and checked."""
