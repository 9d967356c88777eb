-- The digest of the inputs of each track's preparation.
CREATE TABLE preparation (
    track TEXT PRIMARY KEY,
    basis BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- The statuses of the queries of an incremental benchmark. Solvers never see them.
CREATE TABLE query_status (
    prepared INTEGER PRIMARY KEY REFERENCES prepared (id),
    statuses TEXT NOT NULL
) STRICT;

-- The solvers that the organizers chose to vote on unsat cores. If empty, the sound entrants vote.
CREATE TABLE panel (
    solver TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
