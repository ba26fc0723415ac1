"""Controlled experiments: one factor changed at a time, each arm in a process of its own."""
