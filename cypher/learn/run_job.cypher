// Run one batch of a scheduled procedure: what a job inside Neo4j does at each beat.
// Needs: APOC, whose scheduler drops a job for good at its first error. So the batch runs in a transaction of its own,
// any error of it, one of syntax too, is caught and written down, and the job lives on.
// Nothing is run, written or locked while the memory is as it was when nothing was left to do; a job whose memory or
// whose record is gone does nothing. The memory is looked up in a transaction that ends at once: the seek of a query that
// writes locks what it finds, and the batch would wait for that for ever.
// Returns: a row if it ran: job, batches (0: nothing was due) and error, null where all went well.
:param job => "bamboo/demo/decay";
MATCH (job:BambooJob {id: $job})
CALL (job) {
  MATCH (memory:BambooMemory {name: job.memory})
  WHERE memory.wiping IS NULL AND memory.importing IS NULL AND memory.cycle IS :: INTEGER NOT NULL
    AND (job.idleSince IS NULL OR job.idleSince <> memory.writes)
  RETURN memory.writes AS writes
} IN TRANSACTIONS OF 1 ROW ON ERROR CONTINUE
WITH job, writes WHERE writes IS NOT NULL
CALL (job) {
  CALL apoc.cypher.run(job.due, {memory: job.memory}) YIELD value
  RETURN count(value) AS due
} IN TRANSACTIONS OF 1 ROW ON ERROR CONTINUE REPORT STATUS AS asked
CALL (job, due) {
  WITH job, due WHERE due > 0
  CALL apoc.periodic.iterate('UNWIND range(1, $due) AS batch RETURN batch', job.statement,
    {batchMode: 'BATCH_SINGLE', batchSize: 1, retries: 2, params: {memory: job.memory, limit: job.limit, due: due}})
  YIELD batches, errorMessages
  RETURN max(batches) AS batches, head(collect(keys(errorMessages)[0])) AS failed
} IN TRANSACTIONS OF 1 ROW ON ERROR CONTINUE REPORT STATUS AS done
WITH job, writes, coalesce(batches, 0) AS batches, coalesce(asked.errorMessage, done.errorMessage, failed) AS error
CALL (job, writes, batches, error) {
  SET job.ranAt = datetime(), job.error = error,
      job.failures = job.failures + CASE WHEN error IS NULL THEN 0 ELSE 1 END,
      job.idleSince = CASE WHEN error IS NULL AND batches = 0 THEN writes END
} IN TRANSACTIONS OF 1 ROW ON ERROR CONTINUE
RETURN job.id AS job, batches, error
