"""What stands where a word is gone: one file a way."""
