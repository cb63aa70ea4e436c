"""Models that read two texts through a template: language models as judges, rerankers of that kind."""
