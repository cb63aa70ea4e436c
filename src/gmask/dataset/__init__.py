"""Real sentence-pair data: loading, cleaning, statistics."""
