// Write documents; contentHash stays null until the last chunk of the document is in.
// A document that comes from another memory brings the time of its ingest with it.
// Returns: documents, the number written.
:param memory => "demo";
:param documents => [{id: "a", uri: "file:///a.md", title: "A", mediaType: "text/plain", contentHash: null, tagger: "", unfinished: null, ingestedAt: null}];
UNWIND $documents AS row
MERGE (document:Document {memory: $memory, id: row.id})
SET document.uri = row.uri, document.title = row.title, document.mediaType = row.mediaType,
    document.contentHash = row.contentHash, document.tagger = row.tagger, document.unfinished = row.unfinished,
    document.ingestedAt = coalesce(datetime(row.ingestedAt), datetime())
RETURN count(*) AS documents
