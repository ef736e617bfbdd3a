"""The page: `incrowd ui`. A small server shows it; a worker process holds the table and works."""
