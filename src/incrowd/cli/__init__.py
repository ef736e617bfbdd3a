"""Cli of incrowd."""
