-- The evidence for a claim in machine-readable form; the column `evidence` is the explanation for readers.
ALTER TABLE verdict ADD COLUMN claim TEXT NOT NULL DEFAULT 'none';

UPDATE verdict SET claim = (
    SELECT CASE prepared.track
        WHEN 'incremental' THEN 'queries ' || verdict.points || ' ' || (verdict.ruling = 'erroneous')
        WHEN 'unsat-core' THEN iif(verdict.ruling = 'erroneous', 'core refuted', 'core ' || verdict.points)
        WHEN 'model-validation' THEN CASE verdict.ruling
            WHEN 'solved' THEN 'model valid' WHEN 'erroneous' THEN 'model invalid' ELSE 'model undecided' END
        WHEN 'proof' THEN CASE verdict.ruling
            WHEN 'solved' THEN 'proof valid' WHEN 'erroneous' THEN 'proof invalid' ELSE 'proof undecided' END
        ELSE 'none' END
    FROM pair JOIN prepared ON prepared.id = pair.prepared WHERE pair.id = verdict.pair
);
