-- What the prepared benchmarks of a track were made from.
CREATE TABLE preparation (
    track TEXT PRIMARY KEY,
    basis BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- The statuses of the queries of a prepared benchmark that may have several. Solvers never see them.
CREATE TABLE query_status (
    prepared INTEGER PRIMARY KEY REFERENCES prepared (id),
    statuses TEXT NOT NULL
) STRICT;

-- The solvers that the organizers named to vote on unsat cores; none means the sound entrants.
CREATE TABLE panel (
    solver TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
