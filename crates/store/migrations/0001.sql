-- Entrants, prepared benchmarks, pairs, outcomes and verdicts. Digests are 32 bytes; times are in nanoseconds.

CREATE TABLE entrant (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    digest BLOB NOT NULL,
    UNIQUE (name, digest)
) STRICT;

-- A benchmark prepared for a track. `chosen` marks the benchmarks of the current selection.
CREATE TABLE prepared (
    id INTEGER PRIMARY KEY,
    track TEXT NOT NULL,
    benchmark TEXT NOT NULL,
    division TEXT NOT NULL,
    digest BLOB NOT NULL,
    status TEXT NOT NULL,
    chosen INTEGER NOT NULL,
    UNIQUE (track, benchmark, digest)
) STRICT;

-- `planned` marks the pairs of the current plan. Other pairs keep their numbers and outcomes.
CREATE TABLE pair (
    id INTEGER PRIMARY KEY,
    entrant INTEGER NOT NULL REFERENCES entrant (id),
    prepared INTEGER NOT NULL REFERENCES prepared (id),
    planned INTEGER NOT NULL,
    UNIQUE (prepared, entrant)
) STRICT;

-- A machine and the isolation that it enforced on runs.
CREATE TABLE host (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    isolation TEXT NOT NULL,
    UNIQUE (name, isolation)
) STRICT;

-- The short outputs of solvers. Equal outputs are stored once. Long outputs are files in outputs/.
CREATE TABLE output (
    digest BLOB PRIMARY KEY,
    bytes BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- The limits of runs. Only outcomes under the current limits count.
CREATE TABLE limits (
    id INTEGER PRIMARY KEY,
    wall INTEGER NOT NULL,
    memory INTEGER NOT NULL,
    cores INTEGER NOT NULL,
    output INTEGER NOT NULL,
    UNIQUE (wall, memory, cores, output)
) STRICT;

-- The primary key ensures that an outcome is recorded at most once.
CREATE TABLE outcome (
    pair INTEGER NOT NULL REFERENCES pair (id),
    attempt INTEGER NOT NULL,
    reason TEXT NOT NULL,
    limits INTEGER NOT NULL REFERENCES limits (id),
    started INTEGER NOT NULL,
    wall INTEGER NOT NULL,
    cpu INTEGER NOT NULL,
    memory INTEGER,
    exit_code INTEGER,
    signal INTEGER,
    limit_hit TEXT,
    stdout BLOB NOT NULL,
    stderr BLOB NOT NULL,
    host INTEGER NOT NULL REFERENCES host (id),
    PRIMARY KEY (pair, attempt)
) STRICT, WITHOUT ROWID;

-- Derived from an outcome. `basis` identifies the inputs of the verdict, which is recomputed when they change.
CREATE TABLE verdict (
    pair INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    basis TEXT NOT NULL,
    answer TEXT NOT NULL,
    ruling TEXT NOT NULL,
    PRIMARY KEY (pair, attempt),
    FOREIGN KEY (pair, attempt) REFERENCES outcome (pair, attempt)
) STRICT, WITHOUT ROWID;

-- The latest attempt at each planned pair under each set of limits.
CREATE VIEW latest AS
    SELECT pair.id AS pair, outcome.limits AS limits, max(outcome.attempt) AS attempt
    FROM pair JOIN outcome ON outcome.pair = pair.id
    WHERE pair.planned
    GROUP BY pair.id, outcome.limits;
