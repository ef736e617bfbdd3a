"""Kernels of incrowd."""
