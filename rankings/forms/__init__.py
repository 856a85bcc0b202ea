"""What the pages of seasons ask for."""
