"""Static arguments that are data, that decide nothing, and values that have to be static."""
