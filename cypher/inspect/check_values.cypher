// Invariant: every value that memorising writes is there and of its type, in the memory's own node, in documents, chunks, tags
// and words. Numbers are whole where they count; a salience is above 0 and at most 1. The other checks prove what numbers say.
// Returns: a row a fault (kind, where, expected, found).
:param memory => "demo";
CALL () {
  OPTIONAL MATCH (schema:BambooSchema {id: 'bamboo'})
  OPTIONAL MATCH (memory:BambooMemory {name: $memory})
  UNWIND [
    ['schema', 'BambooSchema', 'version', 'a number', schema.version, schema.version IS :: INTEGER NOT NULL],
    ['schema', 'BambooSchema', 'nextTagId', 'a number', schema.nextTagId, schema.nextTagId IS :: INTEGER NOT NULL],
    ['memory', $memory, 'language', 'a code (bamboo reindex --language CODE)', memory.language, memory.language IS :: STRING NOT NULL],
    ['memory', $memory, 'normaliser', 'its word rules (bamboo reindex)', memory.normaliser, memory.normaliser IS :: STRING NOT NULL],
    ['memory', $memory, 'writes', 'a number', memory.writes, memory.writes IS :: INTEGER NOT NULL],
    ['memory', $memory, 'chunks', 'a number', memory.chunks, memory.chunks IS :: INTEGER NOT NULL],
    ['memory', $memory, 'terms', 'a number', memory.terms, memory.terms IS :: INTEGER NOT NULL],
    ['memory', $memory, 'cycle', 'a number from 0', memory.cycle, memory.cycle IS :: INTEGER NOT NULL AND memory.cycle >= 0],
    ['memory', $memory, 'swept', 'a number from 0 to cycle', memory.swept,
      memory.swept IS :: INTEGER NOT NULL AND memory.swept >= 0 AND NOT memory.swept > memory.cycle],
    ['memory', $memory, 'createdAt', 'a time', memory.createdAt, memory.createdAt IS :: ZONED DATETIME NOT NULL]
  ] AS value
  WITH value, memory WHERE NOT coalesce(value[5], false) AND (value[0] = 'schema' OR memory IS NOT NULL)
  RETURN value
  UNION ALL
  MATCH (document:Document)
  WHERE document.memory = $memory AND document.id IS NOT NULL
  UNWIND [value IN [
    ['document', document.id, 'id', 'a text', document.id, document.id IS :: STRING NOT NULL],
    ['document', document.id, 'uri', 'a text', document.uri, document.uri IS :: STRING NOT NULL],
    ['document', document.id, 'title', 'a text', document.title, document.title IS :: STRING NOT NULL],
    ['document', document.id, 'mediaType', 'a text', document.mediaType, document.mediaType IS :: STRING NOT NULL],
    ['document', document.id, 'contentHash', 'a text or null', document.contentHash, document.contentHash IS :: STRING],
    ['document', document.id, 'tagger', 'a text or null', document.tagger, document.tagger IS :: STRING],
    ['document', document.id, 'unfinished', 'a text or null', document.unfinished, document.unfinished IS :: STRING],
    ['document', document.id, 'ingestedAt', 'a time', document.ingestedAt, document.ingestedAt IS :: ZONED DATETIME NOT NULL]
  ] WHERE NOT value[5]] AS value
  RETURN value
  UNION ALL
  MATCH (chunk:Chunk)
  WHERE chunk.id > $memory + ':' AND chunk.id < $memory + ';'
  UNWIND [value IN [
    ['chunk', chunk.id, 'text', 'a text', chunk.text, chunk.text IS :: STRING NOT NULL AND chunk.text <> ''],
    ['chunk', chunk.id, 'terms', 'a text', chunk.terms, chunk.terms IS :: STRING NOT NULL],
    ['chunk', chunk.id, 'tokens', 'a number from 1', chunk.tokens, chunk.tokens IS :: INTEGER NOT NULL AND chunk.tokens >= 1],
    ['chunk', chunk.id, 'length', 'a number', chunk.length, chunk.length IS :: INTEGER NOT NULL],
    ['chunk', chunk.id, 'ordinal', 'a number from 0', chunk.ordinal, chunk.ordinal IS :: INTEGER NOT NULL AND chunk.ordinal >= 0],
    ['chunk', chunk.id, 'recipe', 'a text or null', chunk.recipe, chunk.recipe IS :: STRING]
  ] WHERE NOT value[5]] AS value
  RETURN value
  UNION ALL
  MATCH (chunk:Chunk)
  WHERE chunk.id > $memory + ':' AND chunk.id < $memory + ';'
  MATCH (chunk)-[link:TAGGED]->(tag:Tag)
  UNWIND [value IN [
    ['link', chunk.id, 'kind', 'entity, date or phrase', link.kind, coalesce(link.kind IN ['entity', 'date', 'phrase'], false)],
    ['link', chunk.id, 'salience', 'a number above 0, at most 1', link.salience,
      coalesce(link.salience IS :: FLOAT NOT NULL AND link.salience > 0 AND link.salience <= 1, false)],
    ['link', chunk.id, 'key of its tag', 'a text', tag.key, tag.key IS :: STRING NOT NULL AND tag.key <> '']
  ] WHERE NOT value[5]] AS value
  RETURN value
  UNION ALL
  MATCH (document:Document)<-[:FROM_DOCUMENT]-(chunk:Chunk)
  WHERE document.memory = $memory AND document.id IS NOT NULL
    AND NOT coalesce(chunk.id IS :: STRING NOT NULL AND chunk.id STARTS WITH $memory + ':', false)
  RETURN ['chunk', document.id, 'id', 'an id that begins with the memory', chunk.id, false] AS value
  UNION ALL
  MATCH (chunk:Chunk)-[:FROM_DOCUMENT]->(document:Document)
  WHERE chunk.id > $memory + ':' AND chunk.id < $memory + ';' AND NOT document.id IS :: STRING NOT NULL
  RETURN ['document', chunk.id, 'id of its document', 'a text', document.id, false] AS value
  UNION ALL
  MATCH (tag:Tag)
  WHERE tag.memory = $memory AND tag.key IS NOT NULL
  UNWIND [value IN [
    ['tag', tag.key, 'key', 'a text', tag.key, tag.key IS :: STRING NOT NULL AND tag.key <> ''],
    ['tag', tag.key, 'name', 'a text', tag.name, tag.name IS :: STRING NOT NULL],
    ['tag', tag.key, 'display', 'a text', tag.display, tag.display IS :: STRING NOT NULL],
    ['tag', tag.key, 'id', 'a number', tag.id, tag.id IS :: INTEGER NOT NULL]
  ] WHERE NOT value[5]] AS value
  RETURN value
  UNION ALL
  MATCH (word:Word)
  WHERE word.memory = $memory AND word.name IS NOT NULL
    AND NOT (word.df IS :: INTEGER NOT NULL AND word.name IS :: STRING NOT NULL)
  RETURN ['word', word.name, 'df', 'a number', word.df, false] AS value
}
RETURN value[0] AS kind,
  CASE WHEN value[1] = '' THEN '(empty)' ELSE coalesce(toStringOrNull(value[1]), 'null') END AS where, value[2] + ': ' + value[3] AS expected,
  CASE WHEN value[4] IS NULL THEN 'null'
    ELSE left(coalesce(toStringOrNull(value[4]), '…'), 60) + ' (' + valueType(value[4]) + ')' END AS found
ORDER BY kind, where, expected, found
