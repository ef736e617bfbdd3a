"""Report of incrowd."""
