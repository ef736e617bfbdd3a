"""Policy of incrowd."""
