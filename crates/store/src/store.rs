//! The database: pairs, outcomes, verdicts.

use crate::StoreError;
use agon_domain::{
    Answer, BenchmarkPath, Digest, Ending, EntrantName, Limit, Logic, Outcome, Pair, PairId, Prepared, Ruling, Time,
    Track, Verdict,
};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The steps from one format to the next; the format's number is how many have been taken.
const MIGRATIONS: [&str; 1] = [include_str!("../migrations/0001.sql")];

/// Says "AGON" in the database's header.
const APPLICATION: i32 = 0x4147_4f4e;

/// The database of a competition.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    file: PathBuf,
}

/// How far the present plan has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Pairs with an outcome.
    pub done: u64,
    /// Pairs in the plan.
    pub planned: u64,
}

/// A pair with its latest outcome, and the verdict on it where there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The pair.
    pub pair: Pair,
    /// What happened at the latest attempt.
    pub outcome: Outcome,
    /// What it is worth.
    pub verdict: Option<Verdict>,
}

impl Store {
    /// Opens the database, making or upgrading it as needed.
    pub fn open(file: &Path) -> Result<Self, StoreError> {
        let failed = |error| StoreError::sqlite(file, error);
        let mut connection = Connection::open(file).map_err(failed)?;
        connection.busy_timeout(Duration::from_secs(30)).map_err(failed)?;
        let format: u32 = connection.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(failed)?;
        let application: i32 = connection.query_row("PRAGMA application_id", [], |row| row.get(0)).map_err(failed)?;
        let tables: u32 =
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(failed)?;
        if tables > 0 && application != APPLICATION {
            return Err(StoreError::Foreign(file.to_owned()));
        }
        let known = MIGRATIONS.len() as u32;
        if format > known {
            return Err(StoreError::Newer(file.to_owned(), format, known));
        }
        connection.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
        connection.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
        connection.pragma_update(None, "foreign_keys", true).map_err(failed)?;
        let transaction = connection.transaction().map_err(failed)?;
        for step in &MIGRATIONS[format as usize..] {
            transaction.execute_batch(step).map_err(failed)?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION).map_err(failed)?;
        transaction.pragma_update(None, "user_version", known).map_err(failed)?;
        transaction.commit().map_err(failed)?;
        Ok(Self { connection, file: file.to_owned() })
    }

    /// Does something in one transaction: all of it happens, or nothing.
    fn whole<T>(&mut self, act: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let file = &self.file;
        let failed = |error| StoreError::sqlite(file, error);
        let transaction = self.connection.transaction().map_err(failed)?;
        let result = act(&transaction).map_err(failed)?;
        transaction.commit().map_err(failed)?;
        Ok(result)
    }

    fn failed(&self, error: rusqlite::Error) -> StoreError {
        StoreError::sqlite(&self.file, error)
    }

    /// Replaces the prepared benchmarks of a track. Those that were there before keep their pairs.
    pub fn set_prepared(&mut self, track: Track, prepared: &[Prepared]) -> Result<(), StoreError> {
        self.whole(|transaction| {
            transaction.execute("UPDATE prepared SET chosen = 0 WHERE track = ?1", [track.name()])?;
            let mut upsert = transaction.prepare(
                "INSERT INTO prepared (track, benchmark, division, digest, chosen) VALUES (?1, ?2, ?3, ?4, 1)
                 ON CONFLICT (track, benchmark, digest) DO UPDATE SET chosen = 1, division = excluded.division",
            )?;
            for Prepared { benchmark, division, digest, .. } in prepared {
                upsert.execute(params![track.name(), benchmark.0, division.0, digest.as_bytes()])?;
            }
            Ok(())
        })
    }

    /// The prepared benchmarks of the present selection, in the library's order.
    pub fn prepared(&self, track: Track) -> Result<Vec<Prepared>, StoreError> {
        let sql =
            "SELECT track, benchmark, division, digest FROM prepared WHERE track = ?1 AND chosen ORDER BY benchmark";
        self.query(sql, [track.name()], |row| prepared_of(row, 0))
    }

    /// Replaces the plan of a track: these entrants on these prepared benchmarks. Pairs that are in it already keep
    /// their numbers and outcomes.
    pub fn set_plan<'a>(
        &mut self,
        track: Track,
        plan: impl IntoIterator<Item = (&'a EntrantName, Digest, &'a Prepared)>,
    ) -> Result<(), StoreError> {
        self.whole(|transaction| {
            transaction.execute(
                "UPDATE pair SET planned = 0 WHERE prepared IN (SELECT id FROM prepared WHERE track = ?1)",
                [track.name()],
            )?;
            let mut enter =
                transaction.prepare("INSERT INTO entrant (name, digest) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?;
            let mut upsert = transaction.prepare(
                "INSERT INTO pair (entrant, prepared, planned)
                 SELECT entrant.id, prepared.id, 1 FROM entrant, prepared
                 WHERE entrant.name = ?1 AND entrant.digest = ?2
                   AND prepared.track = ?3 AND prepared.benchmark = ?4 AND prepared.digest = ?5
                 ON CONFLICT (prepared, entrant) DO UPDATE SET planned = 1",
            )?;
            for (name, digest, prepared) in plan {
                enter.execute(params![name.as_str(), digest.as_bytes()])?;
                upsert.execute(params![
                    name.as_str(),
                    digest.as_bytes(),
                    track.name(),
                    prepared.benchmark.0,
                    prepared.digest.as_bytes()
                ])?;
            }
            Ok(())
        })
    }

    /// The planned pairs without an outcome, benchmark by benchmark.
    pub fn pending(&self) -> Result<Vec<Pair>, StoreError> {
        let sql = format!(
            "SELECT {PAIR} FROM {PAIR_TABLES} WHERE pair.planned
             AND NOT EXISTS (SELECT 1 FROM outcome WHERE outcome.pair = pair.id)
             ORDER BY prepared.track, prepared.benchmark, entrant.name"
        );
        self.query(&sql, [], pair_of)
    }

    /// All planned pairs, benchmark by benchmark.
    pub fn planned(&self) -> Result<Vec<Pair>, StoreError> {
        let sql = format!(
            "SELECT {PAIR} FROM {PAIR_TABLES} WHERE pair.planned
             ORDER BY prepared.track, prepared.benchmark, entrant.name"
        );
        self.query(&sql, [], pair_of)
    }

    /// The planned pair that the words name: its number, or `ENTRANT:BENCHMARK` with any part of the benchmark's path.
    pub fn find(&self, words: &str) -> Result<Pair, StoreError> {
        let mut pairs = self.planned()?;
        if let Ok(number) = words.parse() {
            pairs.retain(|pair| pair.id == PairId(number));
        } else {
            let (entrant, benchmark) = words.split_once(':').unwrap_or((words, ""));
            pairs.retain(|pair| pair.entrant.as_str() == entrant && pair.prepared.benchmark.0.contains(benchmark));
        }
        match pairs.len() {
            0 => Err(StoreError::NoPair(words.to_owned())),
            1 => Ok(pairs.remove(0)),
            many => Err(StoreError::ManyPairs(words.to_owned(), many)),
        }
    }

    /// How far the present plan has come.
    pub fn progress(&self) -> Result<Progress, StoreError> {
        let sql = "SELECT (SELECT count(*) FROM latest), (SELECT count(*) FROM pair WHERE planned)";
        self.connection
            .query_row(sql, [], |row| {
                let count = |at| row.get(at).map(i64::cast_unsigned);
                Ok(Progress { done: count(0)?, planned: count(1)? })
            })
            .map_err(|error| self.failed(error))
    }

    /// The number of the next attempt at a pair.
    pub fn next_attempt(&self, pair: PairId) -> Result<u32, StoreError> {
        let sql = "SELECT coalesce(max(attempt), 0) + 1 FROM outcome WHERE pair = ?1";
        self.connection.query_row(sql, [pair.0], |row| row.get(0)).map_err(|error| self.failed(error))
    }

    /// Records outcomes: all of them or none, each exactly once.
    pub fn record(&mut self, outcomes: &[Outcome]) -> Result<(), StoreError> {
        let mut twice = None;
        let recorded = self.whole(|transaction| {
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

    /// The latest outcome of every planned pair, benchmark by benchmark.
    pub fn recorded(&self) -> Result<Vec<Recorded>, StoreError> {
        let sql = format!(
            "SELECT {PAIR}, {OUTCOME}, verdict.answer, verdict.ruling
             FROM {PAIR_TABLES}
             JOIN latest ON latest.pair = pair.id
             JOIN outcome ON outcome.pair = latest.pair AND outcome.attempt = latest.attempt
             JOIN host ON host.id = outcome.host
             LEFT JOIN verdict ON verdict.pair = outcome.pair AND verdict.attempt = outcome.attempt
             ORDER BY prepared.track, prepared.benchmark, entrant.name"
        );
        self.query(&sql, [], |row| {
            Ok(Recorded { pair: pair_of(row)?, outcome: outcome_of(row)?, verdict: verdict_of(row)? })
        })
    }

    /// All attempts at a pair, in order.
    pub fn attempts(&self, pair: PairId) -> Result<Vec<Outcome>, StoreError> {
        let sql = format!(
            "SELECT {PAIR}, {OUTCOME} FROM {PAIR_TABLES}
             JOIN outcome ON outcome.pair = pair.id JOIN host ON host.id = outcome.host
             WHERE pair.id = ?1 ORDER BY outcome.attempt"
        );
        self.query(&sql, [pair.0], outcome_of)
    }

    /// What the verdict on an attempt was derived by, if there is one.
    pub fn verdict_basis(&self, pair: PairId, attempt: u32) -> Result<Option<String>, StoreError> {
        let sql = "SELECT basis FROM verdict WHERE pair = ?1 AND attempt = ?2";
        let found = self
            .connection
            .prepare_cached(sql)
            .and_then(|mut query| query.query_row(params![pair.0, attempt], |row| row.get(0)).optional());
        found.map_err(|error| self.failed(error))
    }

    /// Records verdicts with what they were derived by, replacing older ones.
    pub fn set_verdicts(&mut self, verdicts: &[(PairId, u32, String, Verdict)]) -> Result<(), StoreError> {
        self.whole(|transaction| {
            let mut insert = transaction.prepare("INSERT OR REPLACE INTO verdict VALUES (?1, ?2, ?3, ?4, ?5)")?;
            for (pair, attempt, basis, verdict) in verdicts {
                insert.execute(params![pair.0, attempt, basis, verdict.answer.name(), verdict.ruling.name()])?;
            }
            Ok(())
        })
    }

    fn query<T>(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.connection.prepare(sql).map_err(|error| self.failed(error))?;
        let rows = statement.query_map(parameters, read).map_err(|error| self.failed(error))?;
        rows.collect::<rusqlite::Result<Vec<T>>>().map_err(|error| match error {
            rusqlite::Error::FromSqlConversionFailure(_, _, cause) => {
                StoreError::Senseless(self.file.clone(), cause.to_string())
            }
            other => self.failed(other),
        })
    }
}

fn insert_outcome(transaction: &Transaction<'_>, outcome: &Outcome) -> rusqlite::Result<bool> {
    transaction
        .prepare_cached("INSERT INTO host (name, isolation) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
        .execute([&outcome.host, &outcome.isolation])?;
    let (exit_code, signal) = match outcome.ending {
        Ending::Exit(code) => (Some(code), None),
        Ending::Signal(number) => (None, Some(number)),
    };
    let rows = transaction
        .prepare_cached(
            "INSERT INTO outcome
             SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, host.id FROM host
             WHERE host.name = ?13 AND host.isolation = ?14
             ON CONFLICT DO NOTHING",
        )?
        .execute(params![
            outcome.pair.0,
            outcome.attempt,
            outcome.reason,
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
        ])?;
    Ok(rows == 1)
}

const PAIR_TABLES: &str = "pair JOIN entrant ON entrant.id = pair.entrant JOIN prepared ON prepared.id = pair.prepared";

/// Columns 0 to 6.
const PAIR: &str = "pair.id, entrant.name, entrant.digest,
                    prepared.track, prepared.benchmark, prepared.division, prepared.digest";

/// Columns 7 to 19.
const OUTCOME: &str = "outcome.attempt, outcome.reason, outcome.started, outcome.wall, outcome.cpu, outcome.memory,
                       outcome.exit_code, outcome.signal, outcome.limit_hit, outcome.stdout, outcome.stderr,
                       host.name, host.isolation";

fn pair_of(row: &Row<'_>) -> rusqlite::Result<Pair> {
    Ok(Pair {
        id: PairId(row.get(0)?),
        entrant: text(row, 1, str::parse::<EntrantName>)?,
        version: digest(row, 2)?,
        prepared: prepared_of(row, 3)?,
    })
}

fn prepared_of(row: &Row<'_>, first: usize) -> rusqlite::Result<Prepared> {
    Ok(Prepared {
        track: text(row, first, str::parse)?,
        benchmark: BenchmarkPath(row.get(first + 1)?),
        division: Logic(row.get(first + 2)?),
        digest: digest(row, first + 3)?,
    })
}

fn outcome_of(row: &Row<'_>) -> rusqlite::Result<Outcome> {
    let time = |at: usize| row.get(at).map(|nanos: i64| Time::from_nanos(nanos.cast_unsigned()));
    let exit_code: Option<i32> = row.get(13)?;
    let signal: Option<i32> = row.get(14)?;
    let limit: Option<String> = row.get(15)?;
    Ok(Outcome {
        pair: PairId(row.get(0)?),
        attempt: row.get(7)?,
        reason: row.get(8)?,
        started: row.get(9)?,
        wall: time(10)?,
        cpu: time(11)?,
        memory_bytes: row.get::<_, Option<i64>>(12)?.map(i64::cast_unsigned),
        ending: signal.map_or(Ending::Exit(exit_code.unwrap_or_default()), Ending::Signal),
        limit: limit.map(|word| word.parse().map_err(|error| senseless(15, error))).transpose()?,
        stdout: digest(row, 16)?,
        stderr: digest(row, 17)?,
        host: row.get(18)?,
        isolation: row.get(19)?,
    })
}

fn verdict_of(row: &Row<'_>) -> rusqlite::Result<Option<Verdict>> {
    let answer: Option<String> = row.get(20)?;
    let Some(answer) = answer else { return Ok(None) };
    let answer: Answer = answer.parse().map_err(|error: String| senseless(20, error))?;
    let ruling: Ruling = text(row, 21, str::parse)?;
    Ok(Some(Verdict { answer, ruling }))
}

fn digest(row: &Row<'_>, at: usize) -> rusqlite::Result<Digest> {
    row.get(at).map(Digest::from_bytes)
}

fn text<T, E>(row: &Row<'_>, at: usize, parse: impl Fn(&str) -> Result<T, E>) -> rusqlite::Result<T>
where
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let word: String = row.get(at)?;
    parse(&word).map_err(|error| senseless(at, error))
}

fn senseless(at: usize, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(at, rusqlite::types::Type::Text, error.into())
}

#[cfg(test)]
mod tests;
