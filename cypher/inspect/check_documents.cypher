// Invariants of a finished document: it has chunks, their ordinals are 0, 1, 2 …, and they are chained in that order.
// A document whose ingest was cut short (contentHash null) is no fault: `bamboo stats` names it, ingesting it again finishes it.
// Returns: a row a fault (where, expected, found).
:param memory => "demo";
MATCH (document:Document)
WHERE document.memory = $memory AND document.id IS NOT NULL AND document.contentHash IS NOT NULL
CALL (document) {
  WITH document, COLLECT {
    MATCH (document)<-[:FROM_DOCUMENT]-(chunk)
    RETURN CASE WHEN chunk.ordinal IS :: INTEGER NOT NULL THEN chunk.ordinal ELSE -1 END AS ordinal ORDER BY ordinal
  } AS ordinals
  WHERE size(ordinals) = 0 OR ordinals <> range(0, size(ordinals) - 1)
  RETURN 'ordinals 0 to ' + toString(size(ordinals) - 1) AS expected, toString(size(ordinals)) + ' chunks, other ordinals' AS found
  UNION ALL
  WITH document
  MATCH (document)<-[:FROM_DOCUMENT]-(chunk:Chunk)
  WITH document, COUNT { (document)<-[:FROM_DOCUMENT]-() } AS chunks,
       CASE WHEN chunk.ordinal IS :: INTEGER NOT NULL THEN chunk.ordinal ELSE -1 END AS ordinal,
       COLLECT { MATCH (chunk)-[:NEXT_CHUNK]->(next) RETURN coalesce(next.ordinal, -1) } AS nexts
  WHERE nexts <> CASE WHEN ordinal + 1 < chunks THEN [ordinal + 1] ELSE [] END
  RETURN 'chunk ' + toString(ordinal) + ' is followed by the next' AS expected, toString(size(nexts)) + ' others follow' AS found
}
RETURN toStringOrNull(document.id) AS where, expected, found ORDER BY where, expected, found
