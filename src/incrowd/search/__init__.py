"""Search of incrowd."""
