"""Columns as codes, distinct rows with their counts, and the doors between them and a frame."""
