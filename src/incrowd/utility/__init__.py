"""What a release keeps of its original: distributions, associations, models, analyses."""
