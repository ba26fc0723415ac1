"""Buckets: which sizes a function is called with, whether padding is safe, what it costs, and the wrapper that pads."""
