"""Datafly, with its weights and several quasi-identifiers."""
