"""Files: tables read and written, targets replaced as a whole."""
