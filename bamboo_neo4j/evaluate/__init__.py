"""Evaluate: retrieval, answers and learning, measured on questions with known answers."""
