-- Tables over papers: questions that are asked of each paper, and what each says.
CREATE TABLE tables (
    id TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    created TEXT NOT NULL,
    name TEXT NOT NULL,
    -- The papers, one on each line; empty for all that there are.
    papers TEXT NOT NULL,
    -- The job that asks what is not asked yet, or did; empty for none.
    job TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX tables_by_tenant ON tables (tenant, created);
CREATE TABLE table_columns (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    table_id TEXT NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    question TEXT NOT NULL
) STRICT;
CREATE INDEX columns_by_table ON table_columns (table_id, number);
CREATE TABLE cells (
    column_number INTEGER NOT NULL REFERENCES table_columns (number) ON DELETE CASCADE,
    source_id TEXT NOT NULL,
    -- Names the version of the paper that was asked.
    version TEXT NOT NULL,
    cell TEXT NOT NULL,
    PRIMARY KEY (column_number, source_id)
) STRICT, WITHOUT ROWID;
-- The papers of a library at the time of an answer, by their hash: many answers share one.
CREATE TABLE libraries (
    tenant TEXT NOT NULL,
    hash TEXT NOT NULL,
    papers TEXT NOT NULL,
    PRIMARY KEY (tenant, hash)
) STRICT, WITHOUT ROWID;
ALTER TABLE answers ADD COLUMN library TEXT NOT NULL DEFAULT '';
-- The papers that were opened last, the last one with the largest number.
CREATE TABLE opened (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    collection TEXT NOT NULL,
    source_id TEXT NOT NULL,
    UNIQUE (tenant, collection, source_id)
) STRICT;
