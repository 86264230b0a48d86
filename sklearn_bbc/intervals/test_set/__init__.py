"""What `holdout_interval` is made of: models on a test set that are judged on common draws."""
