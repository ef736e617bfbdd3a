"""The browser of all tests here."""

from page_server import chromium

__all__ = ["chromium"]
