// The ends of facts that a conclusion used, by the facts' ids, which are unique.
// Returns: a row a fact that is there: id, subject and object (names), subjectId and objectId (Tag ids).
:param memory => "demo";
:param facts => ["demo:f"];
UNWIND $facts AS id
MATCH (subject:Tag {memory: $memory})-[fact:FACT]->(object:Tag {memory: $memory})
USING INDEX SEEK fact:FACT(id)
WHERE fact.id = id
RETURN DISTINCT fact.id AS id, subject.name AS subject, subject.id AS subjectId, object.name AS object, object.id AS objectId
