-- Results apart, so that a job is found without its own, each with a checksum. What was damaged stays so: no checksum is negative.
CREATE TABLE results (
    job TEXT PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
    result TEXT NOT NULL,
    checksum INTEGER NOT NULL
) STRICT;
INSERT INTO results SELECT id, result,
    CASE WHEN checksum IS checksum_of(id, tenant, collection, kind, request, created, finished, result, error)
    THEN checksum_of(result) ELSE -1 END
FROM jobs WHERE result IS NOT NULL;
UPDATE jobs SET checksum =
    CASE WHEN checksum IS checksum_of(id, tenant, collection, kind, request, created, finished, result, error)
    THEN checksum_of(id, tenant, collection, kind, request, created, finished, error) ELSE -1 END;
ALTER TABLE jobs DROP COLUMN result;
-- How many records a collection has, and the number of its last one, which is not given again.
ALTER TABLE collections ADD COLUMN record_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE collections ADD COLUMN last_record INTEGER NOT NULL DEFAULT 0;
UPDATE collections SET (record_count, last_record) =
    (SELECT COUNT(*), COALESCE(MAX(number), 0) FROM records
     WHERE records.tenant = collections.tenant AND records.collection = collections.id);
CREATE TRIGGER record_deleted AFTER DELETE ON records BEGIN
    UPDATE collections SET record_count = record_count - 1 WHERE tenant = OLD.tenant AND id = OLD.collection;
END;
