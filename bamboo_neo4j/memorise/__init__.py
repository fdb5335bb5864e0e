"""Memorise: documents -> pieces -> tagged chunks -> one transaction of MERGE statements."""
