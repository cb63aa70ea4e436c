"""Benchmarks that `gmask bench` runs."""
