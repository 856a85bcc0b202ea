"""What events add up to."""
