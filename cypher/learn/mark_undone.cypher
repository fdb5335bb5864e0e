// Mark an episode as undone, and by which attempt: running that attempt again finds its own work done.
// What it did before stays readable on it.
// Returns: id.
:param id => "demo:e";
:param undoing => "one attempt";
MATCH (episode:Episode {id: $id})
SET episode.status = 'undone', episode.undoneAt = datetime.realtime(), episode.undoing = $undoing
RETURN episode.id AS id
