"""Runs every benchmark, one after the other."""

import importlib
import pkgutil

import benchmarks


def main() -> None:
    """Run all of them, in the order of their names."""
    for found in pkgutil.iter_modules(benchmarks.__path__):
        if not found.name.startswith("_"):
            print(f"\n== {found.name} ==", flush=True)
            importlib.import_module(f"benchmarks.{found.name}").main()


main()
