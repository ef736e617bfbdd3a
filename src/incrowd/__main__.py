"""The command `incrowd`, also as `python -m incrowd`."""

from incrowd.cli.main import main

if __name__ == "__main__":
    main()
