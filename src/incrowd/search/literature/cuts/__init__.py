"""Global recoding by buckets of values."""
