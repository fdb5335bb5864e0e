"""Reason: from a question to an answer that its evidence carries, or to none."""
