"""The search for releases that a world's people protect."""
