"""Local recoding along an order of the rows."""
