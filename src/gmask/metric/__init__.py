"""How good an explanation is: one file a metric."""
