"""Loss of incrowd."""
