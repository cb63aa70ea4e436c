"""How to ask: one file a method."""
