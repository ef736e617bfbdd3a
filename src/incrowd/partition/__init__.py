"""Classes of rows: what columns induce, how classes are refined, compressed rows."""
