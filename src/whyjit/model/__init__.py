"""Value types that every layer shares: plain, frozen, and free of JAX objects."""
