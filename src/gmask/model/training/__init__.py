"""Training sentence-pair classifiers: one loop, two kinds of model."""
