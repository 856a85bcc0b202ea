"""Rules of an event: how tables are scored, by which regulation."""
