// Whether tags were used together often enough to grow an edge: asked at a beat of a job, if the memory has changed.
// Joint uses with no edge yet are few, so they are read through; the first that counts ends it. What learn/emerge leaves
// alone, damaged counts and pairs that a fact joins, is no work.
// Returns: due, one row, or none.
:param memory => "demo";
MATCH (a:Tag)-[joint:CO_ACTIVATED]->(b:Tag)
USING INDEX joint:CO_ACTIVATED(src, dst)
WHERE joint.src > 0 AND joint.dst IS NOT NULL AND joint.count >= 3 AND a.memory = $memory
  AND (joint.count IS :: INTEGER NOT NULL AND joint.usedStrength IS NULL AND NOT EXISTS { (a)-[:FACT]-(b) }
       OR joint.usedStrength IS :: INTEGER NOT NULL | FLOAT NOT NULL AND joint.usedStrength >= 0 AND joint.usedStrength <= 1
          AND joint.usedCycle IS :: INTEGER NOT NULL AND joint.activations IS :: INTEGER NOT NULL)
RETURN 1 AS due LIMIT 1
