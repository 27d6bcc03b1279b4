CREATE TABLE collections (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    created TEXT NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE keys (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    hash BLOB NOT NULL,
    tenant TEXT NOT NULL,
    role TEXT NOT NULL,
    name TEXT NOT NULL,
    created TEXT NOT NULL,
    revoked TEXT
) STRICT;

CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    collection TEXT NOT NULL,
    kind TEXT NOT NULL,
    request TEXT NOT NULL,
    state TEXT NOT NULL,
    -- Counts how often a worker took the job; what a worker writes with an older number is refused.
    token INTEGER NOT NULL DEFAULT 0,
    -- Milliseconds since 1970 until which the worker has the job.
    leased_until INTEGER NOT NULL DEFAULT 0,
    -- Leases that ended without a result.
    lost INTEGER NOT NULL DEFAULT 0,
    created TEXT NOT NULL,
    finished TEXT,
    result TEXT,
    error TEXT
) STRICT;
CREATE INDEX jobs_by_state ON jobs (state, created);
CREATE INDEX jobs_by_tenant ON jobs (tenant, state);

CREATE TABLE events (
    job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    name TEXT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (job, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE records (
    tenant TEXT NOT NULL,
    collection TEXT NOT NULL,
    number INTEGER NOT NULL,
    document TEXT NOT NULL,
    context_recall REAL,
    faithfulness REAL,
    answer_relevance REAL,
    rag_score REAL,
    auto_fail REAL,
    hallucination REAL,
    PRIMARY KEY (tenant, collection, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    collection TEXT NOT NULL,
    asked TEXT NOT NULL,
    route TEXT NOT NULL,
    question TEXT NOT NULL,
    answered INTEGER NOT NULL,
    milliseconds REAL NOT NULL
) STRICT;
CREATE INDEX history_by_tenant ON history (tenant, id);
