-- Answers of the portal, which can be opened again, graded and compared.
CREATE TABLE answers (
    id TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    number INTEGER NOT NULL,
    asked TEXT NOT NULL,
    question TEXT NOT NULL,
    document TEXT NOT NULL,
    grade INTEGER,
    note TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE UNIQUE INDEX answers_by_tenant ON answers (tenant, number);
