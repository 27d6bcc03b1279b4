-- Counts how often a worker prolonged its lease: whether it still does, each server sees by its own clock.
ALTER TABLE jobs RENAME COLUMN leased_until TO prolonged;
-- What each row was when it was written: a flipped bit is told, not read.
ALTER TABLE jobs ADD COLUMN checksum INTEGER;
UPDATE jobs SET checksum = checksum_of(id, tenant, collection, kind, request, created, finished, result, error);
ALTER TABLE records ADD COLUMN checksum INTEGER;
UPDATE records SET checksum = checksum_of(tenant, collection, number, document, context_recall, faithfulness,
    answer_relevance, rag_score, auto_fail, hallucination);
