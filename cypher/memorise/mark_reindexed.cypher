// End of indexing a memory anew: it has its new normaliser.
// Every document now differs from what an ingest would hash, so that ingesting it again looks at all of it.
// Returns: documents, the number marked.
:param memory => "demo";
:param normaliser => "none";
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1, memory.normaliser = $normaliser
WITH memory
CALL (memory) {
  MATCH (document:Document)
  WHERE document.memory = memory.name AND document.id IS NOT NULL AND document.contentHash IS NOT NULL
  SET document.contentHash = 'reindexed', document.tagger = 'reindexed'
  RETURN count(*) AS documents
}
RETURN documents
