"""Recall: a question -> cues -> ranked chunks and associations, with no model and no write."""
