"""Benchmarks: each prints ratios against a named reference in the same run."""
