"""Engines of incrowd."""
