// Mark a page of documents of a memory that is indexed anew: each now differs from what an ingest would hash,
// so that ingesting it again looks at all of it. Takes the memory's lock first.
// Returns: until, the page's last document, null after the last page; no row where the memory is not being indexed anew with this normaliser.
:param memory => "demo";
:param normaliser => "none";
:param after => "";
:param limit => 1000;
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
WITH memory WHERE memory.normaliser = 'reindexing ' + $normaliser
CALL (memory) {
  MATCH (document:Document)
  USING INDEX SEEK document:Document(memory, id)
  WHERE document.memory = $memory AND document.id > $after
  WITH document ORDER BY document.memory, document.id LIMIT $limit
  WITH document, document.id AS id
  FOREACH (whole IN CASE WHEN document.contentHash IS NULL THEN [] ELSE [document] END |
    SET whole.contentHash = 'reindexed', whole.tagger = 'reindexed')
  RETURN collect(id)[-1] AS until
}
RETURN until
