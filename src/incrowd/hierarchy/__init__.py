"""Hierarchy of incrowd."""
