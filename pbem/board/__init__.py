"""What lies on the table, drawn: pure functions from a position, or from what a title prints.

They give SVG and plain values, and read no database and no request; their words are translatable.
"""
