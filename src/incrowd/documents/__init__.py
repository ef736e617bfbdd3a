"""Results for people and for programs: text, JSON and pictures. Nothing is computed here."""

from incrowd.lazy import modules_of

__getattr__ = modules_of(__name__)
