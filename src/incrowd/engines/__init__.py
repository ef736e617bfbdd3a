"""Where the rows live: an engine codes them once and releases them once."""
