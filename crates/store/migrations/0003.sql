-- The points and the explanation of a verdict, votes of validation solvers on unsat cores, and settlements.

ALTER TABLE verdict ADD COLUMN points INTEGER NOT NULL DEFAULT 0;
ALTER TABLE verdict ADD COLUMN evidence TEXT;

-- Keyed by the digest of the script that consists of a core, because solvers often find the same core.
CREATE TABLE vote (
    script BLOB NOT NULL,
    solver TEXT NOT NULL,
    answer TEXT NOT NULL,
    wall INTEGER NOT NULL,
    PRIMARY KEY (script, solver)
) STRICT, WITHOUT ROWID;

-- The settlement of a benchmark on which solvers disagree with each other or with its status. Keyed by the digest of
-- the prepared benchmark.
CREATE TABLE settlement (
    prepared BLOB PRIMARY KEY,
    answer TEXT,
    detail TEXT NOT NULL
) STRICT, WITHOUT ROWID;
