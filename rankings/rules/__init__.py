"""Rules of the seasons' standings: championships and the two-year ranking."""
