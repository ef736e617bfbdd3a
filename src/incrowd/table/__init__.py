"""Table: values become codes at one door, and codes become cells at another."""
