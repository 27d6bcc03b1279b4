-- Answers of the portal, which can be opened again, graded and compared.
CREATE TABLE answers (
    id TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    number INTEGER NOT NULL,
    asked TEXT NOT NULL,
    question TEXT NOT NULL,
    -- Why there is no answer; null for an answer.
    refusal TEXT,
    -- The papers that it cites, one on each line.
    cited TEXT NOT NULL,
    document TEXT NOT NULL,
    grade INTEGER,
    note TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE UNIQUE INDEX answers_by_tenant ON answers (tenant, number);
-- Quotes that readers keep.
CREATE TABLE evidence (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    list TEXT NOT NULL,
    claim TEXT NOT NULL,
    quote TEXT NOT NULL,
    source_id TEXT NOT NULL,
    paper TEXT NOT NULL,
    place TEXT NOT NULL,
    page INTEGER,
    verified INTEGER NOT NULL,
    confidence TEXT NOT NULL,
    answer TEXT NOT NULL,
    cite INTEGER NOT NULL,
    note TEXT NOT NULL DEFAULT '',
    verdict TEXT NOT NULL DEFAULT '',
    UNIQUE (tenant, list, answer, cite)
) STRICT;
-- Browsers that are logged in.
CREATE TABLE sessions (
    hash BLOB PRIMARY KEY,
    key INTEGER NOT NULL REFERENCES keys (id),
    opened TEXT NOT NULL
) STRICT, WITHOUT ROWID;
