"""Pages of the base app, and those made of several apps."""
