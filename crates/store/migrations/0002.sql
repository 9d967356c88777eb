-- Limits on the working directory and on processes, the surroundings of a run, and failed attempts.

CREATE TABLE new_limits (
    id INTEGER PRIMARY KEY,
    wall INTEGER NOT NULL,
    memory INTEGER NOT NULL,
    cores INTEGER NOT NULL,
    output INTEGER NOT NULL,
    -- 0 means the default, half of the memory limit.
    disk INTEGER NOT NULL,
    processes INTEGER NOT NULL,
    UNIQUE (wall, memory, cores, output, disk, processes)
) STRICT;
INSERT INTO new_limits SELECT id, wall, memory, cores, output, 0, 4096 FROM limits;

-- Other tables refer to this table, so its name and the ids of its rows must not change.
DROP TABLE limits;
ALTER TABLE new_limits RENAME TO limits;

ALTER TABLE outcome ADD COLUMN system INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outcome ADD COLUMN anonymous INTEGER;
ALTER TABLE outcome ADD COLUMN processes INTEGER;
ALTER TABLE outcome ADD COLUMN surroundings TEXT NOT NULL DEFAULT '{}';
ALTER TABLE outcome ADD COLUMN disturbance TEXT;

-- Attempts that failed because of the machine, not the solver. Their attempt numbers are not reused.
CREATE TABLE fault (
    pair INTEGER NOT NULL REFERENCES pair (id),
    attempt INTEGER NOT NULL,
    started INTEGER NOT NULL,
    host TEXT NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (pair, attempt)
) STRICT, WITHOUT ROWID;

-- The digest of each track's current plan, so that an unchanged plan is not written again.
CREATE TABLE plan (
    track TEXT PRIMARY KEY,
    digest BLOB NOT NULL
) STRICT, WITHOUT ROWID;
