// Move the facts of tags to the tags that have their new keys, with all that was learned on them; a tag that nothing holds then goes.
// Such tags are left when two tags become one: what their chunks gave has been moved already.
// Takes the memory's lock, then asks whether it is still being indexed anew by us.
// Allows: CartesianProduct because each side is one node, found by its unique id or key.
// Returns: facts, the number moved; no row where another program indexes the memory.
:param memory => "demo";
:param normaliser => "none";
:param tags => [[1, "ada kern"]];
MATCH (memory:BambooMemory {name: $memory})
SET memory.writes = memory.writes + 1
WITH memory WHERE memory.normaliser = 'reindexing ' + $normaliser
CALL (memory) {
  UNWIND $tags AS row
  MATCH (tag:Tag {id: row[0]})
  MATCH (target:Tag {memory: $memory, key: row[1]})
  WHERE tag.memory = memory.name AND tag <> target
  CALL (tag, target) {
    MATCH (tag)-[fact:FACT]->(object:Tag)
    WITH target, fact, object, properties(fact) AS properties
    DELETE fact
    CREATE (target)-[moved:FACT]->(object)
    SET moved = properties
    RETURN count(*) AS out
  }
  CALL (tag, target) {
    MATCH (subject:Tag)-[fact:FACT]->(tag)
    WITH target, fact, subject, properties(fact) AS properties
    DELETE fact
    CREATE (subject)-[moved:FACT]->(target)
    SET moved = properties
    RETURN count(*) AS in
  }
  CALL (tag) {
    WITH tag WHERE NOT EXISTS { (tag)<-[:TAGGED]-() } AND NOT EXISTS { (tag)-[:CO_OCCURS|FACT]-() }
    CALL (tag) { MATCH (tag)-[joint:CO_ACTIVATED]-() DELETE joint }
    DELETE tag
  }
  RETURN sum(out + in) AS facts
}
RETURN facts
