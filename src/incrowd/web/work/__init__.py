"""What the worker does: it opens, counts, searches and writes. The server never imports this."""
