"""Table of incrowd."""
