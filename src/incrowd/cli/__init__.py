"""The command line: parse a request, show a result; no logic."""
