"""Programs that advice is tried on, as data: the tests hold every answer to what is expected, the docs count them."""
