"""How good is the answer: one file a metric."""
