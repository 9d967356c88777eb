-- What a verdict is worth, and by what evidence; what validation solvers say of unsat cores.

ALTER TABLE verdict ADD COLUMN points INTEGER NOT NULL DEFAULT 0;
ALTER TABLE verdict ADD COLUMN evidence TEXT;

-- By the digest of the script that a core leaves: solvers often find the same.
CREATE TABLE vote (
    script BLOB NOT NULL,
    solver TEXT NOT NULL,
    answer TEXT NOT NULL,
    wall INTEGER NOT NULL,
    PRIMARY KEY (script, solver)
) STRICT, WITHOUT ROWID;

-- What settles a question on which solvers, or a solver and a status, differ. By the prepared benchmark.
CREATE TABLE settlement (
    prepared BLOB PRIMARY KEY,
    answer TEXT,
    detail TEXT NOT NULL
) STRICT, WITHOUT ROWID;
