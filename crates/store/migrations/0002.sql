-- Limits on the working folder and on processes; what went on around a run.

CREATE TABLE new_limits (
    id INTEGER PRIMARY KEY,
    wall INTEGER NOT NULL,
    memory INTEGER NOT NULL,
    cores INTEGER NOT NULL,
    output INTEGER NOT NULL,
    -- 0 where it is the usual part of the memory.
    disk INTEGER NOT NULL,
    processes INTEGER NOT NULL,
    UNIQUE (wall, memory, cores, output, disk, processes)
) STRICT;
INSERT INTO new_limits SELECT id, wall, memory, cores, output, 0, 4096 FROM limits;

-- The table that others refer to keeps its name, and its rows their numbers.
DROP TABLE limits;
ALTER TABLE new_limits RENAME TO limits;

ALTER TABLE outcome ADD COLUMN system INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outcome ADD COLUMN anonymous INTEGER;
ALTER TABLE outcome ADD COLUMN processes INTEGER;
ALTER TABLE outcome ADD COLUMN surroundings TEXT NOT NULL DEFAULT '{}';
ALTER TABLE outcome ADD COLUMN disturbance TEXT;

-- Attempts that came to nothing through no fault of the solver's. They use up their number.
CREATE TABLE fault (
    pair INTEGER NOT NULL REFERENCES pair (id),
    attempt INTEGER NOT NULL,
    started INTEGER NOT NULL,
    host TEXT NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (pair, attempt)
) STRICT, WITHOUT ROWID;

-- The digest of each track's present plan, so that an unchanged one is not made again.
CREATE TABLE plan (
    track TEXT PRIMARY KEY,
    digest BLOB NOT NULL
) STRICT, WITHOUT ROWID;
