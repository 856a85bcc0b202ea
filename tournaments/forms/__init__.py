"""Forms of events and people: they parse and shape; services decide."""
