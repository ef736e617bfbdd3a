"""Io of incrowd."""
