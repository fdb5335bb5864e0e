"""Evaluate: data sets, measures and baselines for retrieval."""
