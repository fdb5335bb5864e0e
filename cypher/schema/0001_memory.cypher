// The constraints and indexes of schema version 1; all of them exist in Neo4j Community 5.26.
// Each is created by itself and IF NOT EXISTS, so that a migration that was cut short is simply run again.
// CO_OCCURS (src, dst) makes the upsert of an edge one index seek, also between two hubs.
// CO_OCCURS (src, rank, dst) and (dst, rank, src) give a tag's strongest neighbours in order without reading a hub;
// the third column breaks ties inside the index.
// Returns: nothing.
CREATE CONSTRAINT bamboo_memory_name IF NOT EXISTS FOR (m:BambooMemory) REQUIRE m.name IS UNIQUE;
CREATE CONSTRAINT bamboo_schema_id IF NOT EXISTS FOR (s:BambooSchema) REQUIRE s.id IS UNIQUE;
CREATE CONSTRAINT document_memory_id IF NOT EXISTS FOR (d:Document) REQUIRE (d.memory, d.id) IS UNIQUE;
CREATE CONSTRAINT chunk_id IF NOT EXISTS FOR (c:Chunk) REQUIRE c.id IS UNIQUE;
CREATE CONSTRAINT tag_id IF NOT EXISTS FOR (t:Tag) REQUIRE t.id IS UNIQUE;
CREATE CONSTRAINT tag_memory_key IF NOT EXISTS FOR (t:Tag) REQUIRE (t.memory, t.key) IS UNIQUE;
CREATE CONSTRAINT word_memory_name IF NOT EXISTS FOR (w:Word) REQUIRE (w.memory, w.name) IS UNIQUE;
CREATE CONSTRAINT episode_id IF NOT EXISTS FOR (e:Episode) REQUIRE e.id IS UNIQUE;
CREATE CONSTRAINT mind_map_id IF NOT EXISTS FOR (m:MindMap) REQUIRE m.id IS UNIQUE;
CREATE CONSTRAINT question_id IF NOT EXISTS FOR (q:Question) REQUIRE q.id IS UNIQUE;
CREATE CONSTRAINT fact_id IF NOT EXISTS FOR ()-[f:FACT]-() REQUIRE f.id IS UNIQUE;
CREATE CONSTRAINT co_occurs_pair IF NOT EXISTS FOR ()-[r:CO_OCCURS]-() REQUIRE (r.src, r.dst) IS UNIQUE;
CREATE CONSTRAINT co_activated_pair IF NOT EXISTS FOR ()-[r:CO_ACTIVATED]-() REQUIRE (r.src, r.dst) IS UNIQUE;
CREATE INDEX co_occurs_src_rank IF NOT EXISTS FOR ()-[r:CO_OCCURS]-() ON (r.src, r.rank, r.dst);
CREATE INDEX co_occurs_dst_rank IF NOT EXISTS FOR ()-[r:CO_OCCURS]-() ON (r.dst, r.rank, r.src);
CREATE INDEX co_occurs_src_strength IF NOT EXISTS FOR ()-[r:CO_OCCURS]-() ON (r.src, r.strength);
CREATE INDEX co_occurs_dst_strength IF NOT EXISTS FOR ()-[r:CO_OCCURS]-() ON (r.dst, r.strength);
CREATE INDEX episode_status IF NOT EXISTS FOR (e:Episode) ON (e.memory, e.status);
CREATE INDEX tag_name IF NOT EXISTS FOR (t:Tag) ON (t.name);
CREATE FULLTEXT INDEX chunk_terms IF NOT EXISTS FOR (c:Chunk) ON EACH [c.terms, c.memory]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}};
