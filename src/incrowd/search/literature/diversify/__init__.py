"""l-diverse classes along an order of the rows."""
