//! Converts database rows to domain types. Columns are read in the order in which they are selected.

use crate::outcomes::Judgement;
use agon_domain::{
    Answer, BenchmarkPath, Claim, Digest, Ending, EntrantName, Limits, Logic, Outcome, Pair, PairId, Prepared, Time,
    Verdict,
};
use rusqlite::types::{FromSql, Type};
use rusqlite::{Row, Transaction};

pub(crate) const PAIR_TABLES: &str =
    "pair JOIN entrant ON entrant.id = pair.entrant JOIN prepared ON prepared.id = pair.prepared";

/// The columns that [`pair_of`] reads.
pub(crate) const PAIR: &str = "pair.id, entrant.name, entrant.digest,
                    prepared.track, prepared.benchmark, prepared.division, prepared.digest, prepared.status";

/// The columns that [`outcome_of`] reads.
pub(crate) const OUTCOME: &str =
    "outcome.attempt, outcome.reason, outcome.started, outcome.wall, outcome.cpu, outcome.memory,
                       outcome.exit_code, outcome.signal, outcome.limit_hit, outcome.stdout, outcome.stderr,
                       host.name, host.isolation, limits.wall, limits.memory, limits.cores, limits.output,
                       limits.disk, limits.processes, outcome.system, outcome.anonymous, outcome.processes,
                       outcome.surroundings, outcome.disturbance";

/// A subquery for the number of the next attempt at a pair.
pub(crate) const NEXT_ATTEMPT: &str =
    "1 + max(coalesce((SELECT max(attempt) FROM outcome WHERE outcome.pair = pair.id), 0),
                                    coalesce((SELECT max(attempt) FROM fault WHERE fault.pair = pair.id), 0))";

/// The columns that [`judgement_of`] reads.
pub(crate) const VERDICT: &str =
    "verdict.answer, verdict.ruling, verdict.points, verdict.claim, verdict.evidence, verdict.basis";

/// The columns that [`limits_of`] reads.
pub(crate) const LIMITS: &str = "wall, memory, cores, output, disk, processes";

/// The id of limits. Inserts them if necessary.
pub(crate) fn limits_id(transaction: &Transaction<'_>, limits: &Limits) -> rusqlite::Result<i64> {
    let key = limits_params(limits);
    transaction
        .prepare_cached(&format!(
            "INSERT INTO limits ({LIMITS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING"
        ))?
        .execute(key)?;
    transaction
        .prepare_cached(
            "SELECT id FROM limits WHERE wall = ?1 AND memory = ?2 AND cores = ?3 AND output = ?4 AND disk = ?5
             AND processes = ?6",
        )?
        .query_row(key, |row| row.get(0))
}

pub(crate) fn limits_params(limits: &Limits) -> [i64; 6] {
    let Limits { wall, memory_bytes, cores, output_bytes, disk_bytes, processes } = *limits;
    let [memory, output, disk] = [memory_bytes, output_bytes, disk_bytes.unwrap_or(0)].map(u64::cast_signed);
    [wall.as_nanos().cast_signed(), memory, i64::from(cores), output, disk, processes.cast_signed()]
}

/// The cells of a row, read one after another.
pub(crate) struct Cells<'a> {
    row: &'a Row<'a>,
    at: usize,
}

impl<'a> Cells<'a> {
    pub(crate) fn of(row: &'a Row<'a>) -> Self {
        Self { row, at: 0 }
    }

    /// Reads the next cell.
    pub(crate) fn take<T: FromSql>(&mut self) -> rusqlite::Result<T> {
        self.at += 1;
        self.row.get(self.at - 1)
    }

    /// Reads the next cell as a non-negative number.
    pub(crate) fn unsigned(&mut self) -> rusqlite::Result<u64> {
        self.take().map(i64::cast_unsigned)
    }

    fn maybe_unsigned(&mut self) -> rusqlite::Result<Option<u64>> {
        Ok(self.take::<Option<i64>>()?.map(i64::cast_unsigned))
    }

    pub(crate) fn time(&mut self) -> rusqlite::Result<Time> {
        self.unsigned().map(Time::from_nanos)
    }

    pub(crate) fn digest(&mut self) -> rusqlite::Result<Digest> {
        self.take().map(Digest::from_bytes)
    }

    /// Reads the next cell and parses its text.
    pub(crate) fn parsed<T>(&mut self) -> rusqlite::Result<T>
    where
        T: std::str::FromStr,
        T::Err: std::error::Error + Send + Sync + 'static,
    {
        let word: String = self.take()?;
        word.parse().map_err(|error: T::Err| self.invalid(error))
    }

    /// The error for an invalid value in the cell that was read last.
    fn invalid(&self, error: impl std::error::Error + Send + Sync + 'static) -> rusqlite::Error {
        rusqlite::Error::FromSqlConversionFailure(self.at - 1, Type::Text, Box::new(error))
    }
}

pub(crate) fn pair_of(cells: &mut Cells<'_>) -> rusqlite::Result<Pair> {
    Ok(Pair {
        id: PairId(cells.take()?),
        entrant: cells.parsed::<EntrantName>()?,
        version: cells.digest()?,
        prepared: prepared_of(cells)?,
    })
}

pub(crate) fn prepared_of(cells: &mut Cells<'_>) -> rusqlite::Result<Prepared> {
    Ok(Prepared {
        track: cells.parsed()?,
        benchmark: BenchmarkPath(cells.take()?),
        logic: Logic(cells.take()?),
        digest: cells.digest()?,
        status: cells.parsed()?,
    })
}

pub(crate) fn limits_of(cells: &mut Cells<'_>) -> rusqlite::Result<Limits> {
    Ok(Limits {
        wall: cells.time()?,
        memory_bytes: cells.unsigned()?,
        cores: cells.take()?,
        output_bytes: cells.unsigned()?,
        disk_bytes: Some(cells.unsigned()?).filter(|bytes| *bytes > 0),
        processes: cells.unsigned()?,
    })
}

/// Reads the outcome of a pair from the columns after those of the pair.
pub(crate) fn outcome_of(pair: PairId, cells: &mut Cells<'_>) -> rusqlite::Result<Outcome> {
    let (attempt, reason, started) = (cells.take()?, cells.take()?, cells.take()?);
    let (wall, cpu, memory_bytes) = (cells.time()?, cells.time()?, cells.maybe_unsigned()?);
    let (exit_code, signal): (Option<i32>, Option<i32>) = (cells.take()?, cells.take()?);
    let limit: Option<String> = cells.take()?;
    let limit = limit.map(|word| word.parse().map_err(|error| cells.invalid(error))).transpose()?;
    Ok(Outcome {
        pair,
        attempt,
        reason,
        started,
        wall,
        cpu,
        memory_bytes,
        ending: signal.map_or(Ending::Exit(exit_code.unwrap_or_default()), Ending::Signal),
        limit,
        stdout: cells.digest()?,
        stderr: cells.digest()?,
        host: cells.take()?,
        isolation: cells.take()?,
        limits: limits_of(cells)?,
        system: cells.time()?,
        anonymous_bytes: cells.maybe_unsigned()?,
        processes: cells.maybe_unsigned()?,
        surroundings: cells.take()?,
        disturbance: cells.take()?,
    })
}

/// Reads the judgement on an outcome; `None` if it was not judged.
pub(crate) fn judgement_of(cells: &mut Cells<'_>) -> rusqlite::Result<Option<Judgement>> {
    let answer: Option<String> = cells.take()?;
    let Some(answer) = answer else { return Ok(None) };
    let answer: Answer = answer.parse().map_err(|error| cells.invalid(error))?;
    let ruling = cells.parsed()?;
    let points = cells.unsigned()?;
    let claim = Claim { answer, evidence: cells.parsed()? };
    let verdict = Verdict { claim, ruling, points };
    Ok(Some(Judgement { verdict, evidence: cells.take()?, basis: cells.take()? }))
}
