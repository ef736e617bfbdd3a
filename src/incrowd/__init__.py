"""incrowd."""
