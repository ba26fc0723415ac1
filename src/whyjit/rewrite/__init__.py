"""Changes of the source: proposed, verified in a process of their own, and applied."""
