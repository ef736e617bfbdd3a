"""Release of incrowd."""
