"""The browser and the server of all tests here."""

from browser import chromium
from page_server import pages

__all__ = ["chromium", "pages"]
