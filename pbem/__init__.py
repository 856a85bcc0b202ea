"""Games by correspondence."""
