"""mu-Argus: rare pairs and triples of columns."""
