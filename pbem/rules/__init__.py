"""Rules of play by correspondence."""
