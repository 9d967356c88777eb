//! Outcomes, the outputs of solvers, and failed attempts.

use crate::rows::{
    Cells, LIMITS, NEXT_ATTEMPT, OUTCOME, PAIR, PAIR_TABLES, VERDICT, judgement_of, limits_id, limits_of, outcome_of,
    pair_of,
};
use crate::{Store, StoreError};
use agon_domain::{
    Answer, Digest, Ending, FailedAttempt, Limit, Limits, Outcome, Pair, PairId, Ruling, Time, Track, Verdict,
};
use rusqlite::{OptionalExtension, Transaction, params};
use std::collections::HashMap;

/// Outputs up to this length are stored in the database, in the same transaction as their outcome. Longer ones are
/// files.
pub(crate) const SHORT: usize = 4096;

/// A pair with its latest outcome and the judgement on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The pair that was run.
    pub pair: Pair,
    /// The outcome of the latest attempt.
    pub outcome: Outcome,
    /// The judgement on the outcome, if it was judged.
    pub judgement: Option<Judgement>,
}

impl Recorded {
    /// The verdict on the outcome, if it was judged.
    pub fn verdict(&self) -> Option<Verdict> {
        self.judgement.as_ref().map(|judgement| judgement.verdict)
    }

    /// The solver's answer, if the outcome was judged.
    pub fn answer(&self) -> Option<Answer> {
        self.verdict().map(|verdict| verdict.answer())
    }

    /// Whether the outcome was judged with this ruling.
    pub fn is_ruled(&self, ruling: Ruling) -> bool {
        self.verdict().is_some_and(|verdict| verdict.ruling == ruling)
    }
}

/// A recorded verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The claim and the ruling on it.
    pub verdict: Verdict,
    /// An explanation, unless the verdict is self-explanatory.
    pub evidence: Option<String>,
    /// The inputs that the verdict depends on: the version of the judge, the status, the panel.
    pub basis: String,
}

impl Store {
    /// The number of the next attempt at a pair.
    pub fn next_attempt(&self, pair: PairId) -> Result<u32, StoreError> {
        let sql = format!("SELECT {NEXT_ATTEMPT} FROM pair WHERE id = ?1");
        self.connection.query_row(&sql, [pair.0], |row| row.get(0)).map_err(|error| self.failed(error))
    }

    /// Records outcomes, outputs and failed attempts in one transaction. Fails if one of the outcomes is already
    /// recorded.
    pub fn record(
        &mut self,
        outcomes: &[Outcome],
        outputs: &[&[u8]],
        faults: &[FailedAttempt],
    ) -> Result<(), StoreError> {
        let (short, long): (Vec<&[u8]>, Vec<&[u8]>) = outputs.iter().partition(|output| output.len() <= SHORT);
        // Files are written first, so that the outputs of a recorded outcome are always on disk.
        for output in long {
            self.long_outputs.put(output)?;
        }
        let mut twice = None;
        let recorded = self.whole(|transaction| {
            for output in short {
                insert_output(transaction, output)?;
            }
            for fault in faults {
                insert_fault(transaction, fault)?;
            }
            for outcome in outcomes {
                let inserted = insert_outcome(transaction, outcome)?;
                if !inserted {
                    twice = Some(StoreError::Twice(outcome.pair, outcome.attempt));
                    return Err(rusqlite::Error::StatementChangedRows(0));
                }
            }
            Ok(())
        });
        match twice {
            Some(error) => Err(error),
            None => recorded,
        }
    }

    /// The latest outcome of every planned pair under its limits, sorted by benchmark and division.
    pub fn recorded(&self, track: Track) -> Result<Vec<Recorded>, StoreError> {
        let sql = format!(
            "SELECT {PAIR}, {OUTCOME}, {VERDICT}
             FROM {PAIR_TABLES}
             JOIN latest ON latest.pair = pair.id
             JOIN outcome ON outcome.pair = latest.pair AND outcome.attempt = latest.attempt
             JOIN host ON host.id = outcome.host
             JOIN limits ON limits.id = outcome.limits
             LEFT JOIN verdict ON verdict.pair = outcome.pair AND verdict.attempt = outcome.attempt
             WHERE prepared.track = '{track}'
             ORDER BY prepared.benchmark, prepared.division, entrant.name"
        );
        self.query(&sql, [], |row| {
            let cells = &mut Cells::of(row);
            let pair = pair_of(cells)?;
            Ok(Recorded { outcome: outcome_of(pair.id, cells)?, judgement: judgement_of(cells)?, pair })
        })
    }

    /// The limits under which a planned pair must be run.
    pub fn limits(&self, pair: PairId) -> Result<Limits, StoreError> {
        let sql = format!("SELECT {LIMITS} FROM limits WHERE id = (SELECT limits FROM pair WHERE id = ?1)");
        let found = self.connection.query_row(&sql, [pair.0], |row| limits_of(&mut Cells::of(row)));
        found.map_err(|error| self.failed(error))
    }

    /// The outcomes of all attempts at a pair, in order.
    pub fn attempts(&self, pair: PairId) -> Result<Vec<Outcome>, StoreError> {
        let sql = format!(
            "SELECT {PAIR}, {OUTCOME} FROM {PAIR_TABLES}
             JOIN outcome ON outcome.pair = pair.id JOIN host ON host.id = outcome.host
             JOIN limits ON limits.id = outcome.limits
             WHERE pair.id = ?1 ORDER BY outcome.attempt"
        );
        self.query(&sql, [pair.0], |row| {
            let cells = &mut Cells::of(row);
            outcome_of(pair_of(cells)?.id, cells)
        })
    }

    /// Whether an attempt at a pair is recorded, as an outcome or as a failed attempt.
    pub fn is_recorded(&self, pair: PairId, attempt: u32) -> Result<bool, StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM outcome WHERE pair = ?1 AND attempt = ?2)
                   OR EXISTS (SELECT 1 FROM fault WHERE pair = ?1 AND attempt = ?2)";
        let found = self
            .connection
            .prepare_cached(sql)
            .and_then(|mut query| query.query_row(params![pair.0, attempt], |row| row.get(0)));
        found.map_err(|error| self.failed(error))
    }

    /// The failed attempts at a pair, in order.
    pub fn faults(&self, pair: PairId) -> Result<Vec<FailedAttempt>, StoreError> {
        let sql = "SELECT pair, attempt, started, host, message FROM fault WHERE pair = ?1 ORDER BY attempt";
        self.query(sql, [pair.0], |row| {
            let pair = PairId(row.get(0)?);
            Ok(FailedAttempt {
                pair,
                attempt: row.get(1)?,
                started: row.get(2)?,
                host: row.get(3)?,
                message: row.get(4)?,
            })
        })
    }

    /// The longest recorded wall time of each pair, under any limits.
    pub fn wall_times(&self) -> Result<HashMap<PairId, Time>, StoreError> {
        let rows = self.query("SELECT pair, max(wall) FROM outcome GROUP BY pair", [], |row| {
            Ok((PairId(row.get(0)?), Time::from_nanos(row.get::<_, i64>(1)?.cast_unsigned())))
        })?;
        Ok(rows.into_iter().collect())
    }

    /// The solver output with this digest.
    pub fn output(&self, digest: &Digest) -> Result<Vec<u8>, StoreError> {
        let found: Option<Vec<u8>> = self
            .connection
            .prepare_cached("SELECT bytes FROM output WHERE digest = ?1")
            .and_then(|mut query| query.query_row([digest.as_bytes()], |row| row.get(0)).optional())
            .map_err(|error| self.failed(error))?;
        match found {
            None => self.long_outputs.get(digest),
            Some(bytes) if Digest::of(&bytes) == *digest => Ok(bytes),
            Some(_) => Err(StoreError::LostOutput(*digest, self.file.clone())),
        }
    }
}

/// Stores a short output. If it is already stored but its bytes are corrupt, they are repaired.
fn insert_output(transaction: &Transaction<'_>, output: &[u8]) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO output VALUES (?1, ?2) ON CONFLICT DO UPDATE SET bytes = excluded.bytes
             WHERE bytes <> excluded.bytes",
        )?
        .execute(params![Digest::of(output).as_bytes(), output])?;
    Ok(())
}

fn insert_fault(transaction: &Transaction<'_>, fault: &FailedAttempt) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("INSERT INTO fault VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING")?
        .execute(params![fault.pair.0, fault.attempt, fault.started, fault.host, fault.message])?;
    Ok(())
}

/// Inserts an outcome with its host and limits. Returns false if the attempt is already recorded.
fn insert_outcome(transaction: &Transaction<'_>, outcome: &Outcome) -> rusqlite::Result<bool> {
    transaction
        .prepare_cached("INSERT INTO host (name, isolation) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
        .execute([&outcome.host, &outcome.isolation])?;
    let limits = limits_id(transaction, &outcome.limits)?;
    let (exit_code, signal) = match outcome.ending {
        Ending::Exit(code) => (Some(code), None),
        Ending::Signal(number) => (None, Some(number)),
    };
    let rows = transaction
        .prepare_cached(
            "INSERT INTO outcome
             SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, host.id, ?16, ?17, ?18, ?19, ?20 FROM host
             WHERE host.name = ?14 AND host.isolation = ?15
             ON CONFLICT DO NOTHING",
        )?
        .execute(params![
            outcome.pair.0,
            outcome.attempt,
            outcome.reason,
            limits,
            outcome.started,
            outcome.wall.as_nanos().cast_signed(),
            outcome.cpu.as_nanos().cast_signed(),
            outcome.memory_bytes.map(u64::cast_signed),
            exit_code,
            signal,
            outcome.limit.map(Limit::name),
            outcome.stdout.as_bytes(),
            outcome.stderr.as_bytes(),
            outcome.host,
            outcome.isolation,
            outcome.system.as_nanos().cast_signed(),
            outcome.anonymous_bytes.map(u64::cast_signed),
            outcome.processes.map(u64::cast_signed),
            outcome.surroundings,
            outcome.disturbance,
        ])?;
    Ok(rows == 1)
}
