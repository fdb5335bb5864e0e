"""Facts: triples stated in files or by programs, read line by line and written under the memory's lock."""
