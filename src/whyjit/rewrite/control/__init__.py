"""Rewrites of the expression that a traced value failed in: one file for each kind, with its own examples."""
