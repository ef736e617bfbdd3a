"""Obviously correct, slow twins of every fast path: plain Python over lists of records."""
