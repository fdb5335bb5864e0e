// Write documents; contentHash stays null until the last chunk of the document is in.
// Returns: documents, the number written.
:param memory => "demo";
:param documents => [{id: "a", uri: "file:///a.md", title: "A", mediaType: "text/markdown", contentHash: null, tagger: "rules", unfinished: null}];
UNWIND $documents AS row
MERGE (document:Document {memory: $memory, id: row.id})
SET document.uri = row.uri, document.title = row.title, document.mediaType = row.mediaType,
    document.contentHash = row.contentHash, document.tagger = row.tagger, document.unfinished = row.unfinished,
    document.ingestedAt = datetime()
RETURN count(*) AS documents
