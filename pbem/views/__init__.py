"""Pages of the titles and of recorded games. Each finds, asks the board to draw, renders."""
