"""Models of incrowd."""
