"""The search that holds every class against a world."""
