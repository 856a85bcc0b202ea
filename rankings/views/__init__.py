"""The pages of seasons: standings, publications, honours, history, cups and teams."""
