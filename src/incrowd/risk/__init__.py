"""Risk of incrowd."""
