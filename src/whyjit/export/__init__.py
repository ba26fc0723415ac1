"""What JAX traced and compiled, handed on to other systems while the program runs."""
