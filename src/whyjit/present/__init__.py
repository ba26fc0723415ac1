"""From findings to text: a neutral document, what goes into it, and the renderers that show it."""
