"""Probes that watch JAX work, and the observer that owns them. They see everything and disturb nothing."""
