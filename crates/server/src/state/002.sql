-- When the last job of each tenant was taken, as a number that grows; questions and other work take turns apart.
CREATE TABLE turns (
    tenant TEXT NOT NULL,
    quick INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    PRIMARY KEY (tenant, quick)
) STRICT, WITHOUT ROWID;
