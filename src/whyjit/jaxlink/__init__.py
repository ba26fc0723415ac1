"""The only folder that touches JAX. Each contact is a small function with a name, returning a value or `Missing`.

Only modules that `import jax` itself imports may be imported here: others register configuration states, which are part
of the keys of JAX's caches, and importing them in the middle of a program would make it trace everything again.
"""
