"""Mappings: the rows of a table put in one order that keeps near rows together, one file each."""
