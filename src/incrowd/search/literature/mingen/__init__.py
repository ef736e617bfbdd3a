"""MinGen: minimal generalizations, by column and by cell."""
