"""Full-domain generalization with the least loss of all, proved."""
