"""The 18xx engine: pure, on the standard library alone."""
