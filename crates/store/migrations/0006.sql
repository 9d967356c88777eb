-- The limits under which the outcome of a pair counts. Pairs of different divisions have different limits, and a pair
-- that reaches a time limit may have to run again under a longer one: `rung` is the number of such steps.

ALTER TABLE pair ADD COLUMN limits INTEGER REFERENCES limits (id);
ALTER TABLE pair ADD COLUMN rung INTEGER NOT NULL DEFAULT 0;

-- The latest attempt at each planned pair under its limits.
DROP VIEW latest;
CREATE VIEW latest AS
    SELECT pair.id AS pair, max(outcome.attempt) AS attempt
    FROM pair JOIN outcome ON outcome.pair = pair.id AND outcome.limits = pair.limits
    WHERE pair.planned
    GROUP BY pair.id;

-- Plans without limits are written again.
DELETE FROM plan;
