//! The database: pairs, outcomes, verdicts.

use crate::outputs::Outputs;
use crate::{Pending, Queue, StoreError};
use agon_domain::{
    Answer, BenchmarkPath, Digest, Ending, EntrantName, Fault, Limit, Limits, Logic, Outcome, Pair, PairId, Prepared,
    Ruling, Status, Time, Track, Verdict,
};
use agon_library::Library;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, Transaction, TransactionBehavior, params};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The steps from one format to the next; the format's number is how many have been taken.
const MIGRATIONS: [&str; 4] = [
    include_str!("../migrations/0001.sql"),
    include_str!("../migrations/0002.sql"),
    include_str!("../migrations/0003.sql"),
    include_str!("../migrations/0004.sql"),
];

/// Outputs up to this length are in the database: in one transaction with their outcome, and without a file each.
const SHORT: usize = 4096;

/// Says "AGON" in the database's header.
const APPLICATION: i32 = 0x4147_4f4e;

/// The database of a competition.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    file: PathBuf,
    long_outputs: Outputs,
}

/// How far the present plan has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Pairs with an outcome.
    pub done: u64,
    /// Pairs in the plan.
    pub planned: u64,
}

/// Pairs whose outcomes are on record and do not count, by why not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SetAside {
    /// Their benchmark is no longer prepared, or is prepared differently.
    pub other_benchmarks: u64,
    /// Their solver is no longer entered, or in another version.
    pub other_solvers: u64,
    /// They were made under other limits.
    pub other_limits: u64,
}

impl SetAside {
    /// All of them.
    pub const fn all(&self) -> u64 {
        self.other_benchmarks + self.other_solvers + self.other_limits
    }
}

/// Pairs that have to be run again, by what has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repeats {
    /// The limits.
    pub limits: u64,
    /// The version of the solver.
    pub versions: u64,
    /// The prepared benchmark: another seed, or another file.
    pub benchmarks: u64,
}

/// A verdict on an attempt, with what it was derived by and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The pair.
    pub pair: PairId,
    /// The attempt.
    pub attempt: u32,
    /// What it was derived by.
    pub basis: String,
    /// The verdict.
    pub verdict: Verdict,
    /// What it rests on, where that is not plain to see.
    pub evidence: Option<String>,
}

/// What settles a question on which solvers differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settlement {
    /// The right answer, if there is evidence for one.
    pub answer: Option<Answer>,
    /// The evidence, or what was tried.
    pub detail: String,
}

/// What a validation solver said of an unsat core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vote {
    /// Who, with its version.
    pub solver: String,
    /// What, if it could be read.
    pub answer: Option<Answer>,
    /// How long it took.
    pub wall: Time,
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
    /// What the verdict rests on, where that is not plain to see.
    pub evidence: Option<String>,
}

/// Switches the journal. Where two do that at once SQLite gives up on one of them without waiting, so this tries again.
fn set_journal(connection: &Connection, mode: &str) -> rusqlite::Result<()> {
    let mut tries = 0;
    loop {
        match connection.pragma_update(None, "journal_mode", mode) {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && tries < 1000 => {
                tries += 1;
                std::thread::sleep(Duration::from_millis(10));
            }
            done => return done,
        }
    }
}

impl Store {
    /// Opens the database, making or upgrading it as needed.
    pub fn open(file: &Path) -> Result<Self, StoreError> {
        let failed = |error| StoreError::sqlite(file, error);
        let mut connection = Connection::open(file).map_err(failed)?;
        connection.busy_timeout(Duration::from_secs(30)).map_err(failed)?;
        connection.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
        // A step may replace a table that others refer to.
        connection.pragma_update(None, "foreign_keys", false).map_err(failed)?;
        // A log that is written ahead is shared through memory, which machines do not share.
        let is_shared = is_on_network(file);
        if is_shared {
            set_journal(&connection, "DELETE").map_err(failed)?;
        }
        if format_of(&connection, file)? < MIGRATIONS.len() as u32 {
            set_journal(&connection, if is_shared { "DELETE" } else { "WAL" }).map_err(failed)?;
            // Another process may be doing the same: whoever is first does it, and the other finds it done.
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
            for step in &MIGRATIONS[format_of(&transaction, file)? as usize..] {
                transaction.execute_batch(step).map_err(failed)?;
            }
            transaction.pragma_update(None, "application_id", APPLICATION).map_err(failed)?;
            transaction.pragma_update(None, "user_version", MIGRATIONS.len() as u32).map_err(failed)?;
            transaction.commit().map_err(failed)?;
        }
        connection.pragma_update(None, "foreign_keys", true).map_err(failed)?;
        let folder = file.parent().unwrap_or(Path::new(".")).join("outputs");
        Ok(Self { connection, file: file.to_owned(), long_outputs: Outputs::new(folder) })
    }

    /// Does something in one transaction: all of it happens, or nothing.
    fn whole<T>(&mut self, act: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let file = &self.file;
        let failed = |error| StoreError::sqlite(file, error);
        // Asked for at once: one who reads first and then finds another writing is refused without waiting.
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let result = act(&transaction).map_err(failed)?;
        transaction.commit().map_err(failed)?;
        Ok(result)
    }

    fn failed(&self, error: rusqlite::Error) -> StoreError {
        StoreError::sqlite(&self.file, error)
    }

    /// Replaces the prepared benchmarks of a track, which were made from `basis`. Those that were there before keep their
    /// pairs. `statuses` has the statuses of the queries of each, empty where there is one query.
    pub fn set_prepared(
        &mut self,
        track: Track,
        prepared: &[Prepared],
        statuses: &[Vec<Status>],
        basis: &Digest,
    ) -> Result<(), StoreError> {
        self.whole(|transaction| {
            transaction.execute("UPDATE prepared SET chosen = 0 WHERE track = ?1", [track.name()])?;
            let mut upsert = transaction.prepare(
                "INSERT INTO prepared (track, benchmark, division, digest, status, chosen) VALUES (?1, ?2, ?3, ?4, ?5, 1)
                 ON CONFLICT (track, benchmark, digest)
                 DO UPDATE SET chosen = 1, division = excluded.division, status = excluded.status",
            )?;
            let mut known = transaction.prepare(
                "SELECT prepared.id, status, coalesce(statuses, '') FROM prepared
                 LEFT JOIN query_status ON query_status.prepared = prepared.id
                 WHERE track = ?1 AND benchmark = ?2 AND digest = ?3",
            )?;
            let mut forget =
                transaction.prepare("DELETE FROM verdict WHERE pair IN (SELECT id FROM pair WHERE prepared = ?1)")?;
            let mut of_queries = transaction.prepare("INSERT OR REPLACE INTO query_status VALUES (?1, ?2)")?;
            for (at, one) in prepared.iter().enumerate() {
                let Prepared { benchmark, division, digest, status, .. } = one;
                let of_one = Library::statuses_text(statuses.get(at).map(Vec::as_slice).unwrap_or_default());
                let key = params![track.name(), benchmark.0, digest.as_bytes()];
                let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?));
                if let Some((id, old_status, old_statuses)) = known.query_row(key, read).optional()?
                    && (old_status != status.name() || old_statuses != of_one)
                {
                    // Verdicts based on another status are invalid.
                    forget.execute([id])?;
                }
                upsert.execute(params![track.name(), benchmark.0, division.0, digest.as_bytes(), status.name()])?;
                if !of_one.is_empty() {
                    of_queries.execute(params![prepared_id(transaction, one)?, of_one])?;
                }
            }
            let made = params![track.name(), basis.as_bytes()];
            transaction.execute("INSERT OR REPLACE INTO preparation VALUES (?1, ?2)", made)?;
            Ok(())
        })
    }

    /// What the prepared benchmarks of a track were made from, if there are any.
    pub fn prepared_basis(&self, track: Track) -> Result<Option<Digest>, StoreError> {
        let sql = "SELECT basis FROM preparation WHERE track = ?1";
        let found = self.connection.query_row(sql, [track.name()], |row| digest(row, 0)).optional();
        found.map_err(|error| self.failed(error))
    }

    /// The statuses of the queries of a prepared benchmark that may have several.
    pub fn query_statuses(&self, prepared: &Prepared) -> Result<Vec<Status>, StoreError> {
        let sql = "SELECT statuses FROM query_status JOIN prepared ON prepared.id = query_status.prepared
                   WHERE track = ?1 AND benchmark = ?2 AND digest = ?3";
        let key = params![prepared.track.name(), prepared.benchmark.0, prepared.digest.as_bytes()];
        let found: Option<String> = self
            .connection
            .prepare_cached(sql)
            .and_then(|mut query| query.query_row(key, |row| row.get(0)).optional())
            .map_err(|error| self.failed(error))?;
        let statuses = found.map_or(Ok(vec![]), |text| Library::statuses_of(&text));
        statuses.map_err(|error| StoreError::Senseless(self.file.clone(), error))
    }

    /// The prepared benchmarks of the present selection, in the library's order.
    pub fn prepared(&self, track: Track) -> Result<Vec<Prepared>, StoreError> {
        let sql = "SELECT track, benchmark, division, digest, status FROM prepared WHERE track = ?1 AND chosen ORDER BY benchmark";
        self.query(sql, [track.name()], |row| prepared_of(row, 0))
    }

    /// Replaces the plan of a track: which of these entrants on which of these prepared benchmarks, by their places.
    /// Pairs that are in it already keep their numbers and outcomes.
    pub fn set_plan(
        &mut self,
        track: Track,
        entrants: &[(EntrantName, Digest)],
        prepared: &[Prepared],
        plan: impl Iterator<Item = (usize, usize)> + Clone,
    ) -> Result<(), StoreError> {
        let digest = plan_digest(entrants, prepared, plan.clone());
        self.whole(|transaction| {
            let known: Option<[u8; 32]> = transaction
                .query_row("SELECT digest FROM plan WHERE track = ?1", [track.name()], |row| row.get(0))
                .optional()?;
            if known == Some(*digest.as_bytes()) {
                return Ok(());
            }
            let entrants =
                entrants.iter().map(|entrant| entrant_id(transaction, entrant)).collect::<Result<Vec<_>, _>>()?;
            let prepared =
                prepared.iter().map(|prepared| prepared_id(transaction, prepared)).collect::<Result<Vec<_>, _>>()?;
            transaction.execute(
                "UPDATE pair SET planned = 0
                 WHERE planned AND prepared IN (SELECT id FROM prepared WHERE track = ?1)",
                [track.name()],
            )?;
            let mut upsert = transaction.prepare(
                "INSERT INTO pair (entrant, prepared, planned) VALUES (?1, ?2, 1)
                 ON CONFLICT (prepared, entrant) DO UPDATE SET planned = 1",
            )?;
            for (entrant, benchmark) in plan {
                upsert.execute([entrants[entrant], prepared[benchmark]])?;
            }
            transaction
                .execute("INSERT OR REPLACE INTO plan VALUES (?1, ?2)", params![track.name(), digest.as_bytes()])?;
            Ok(())
        })
    }

    /// The planned pairs of a track without an outcome under these limits, benchmark by benchmark.
    pub fn queue(&self, track: Track, limits: &Limits) -> Result<Queue, StoreError> {
        let sql = "SELECT id, name, digest FROM entrant
                   WHERE id IN (SELECT DISTINCT entrant FROM pair WHERE planned
                                AND prepared IN (SELECT id FROM prepared WHERE track = ?1)) ORDER BY name, id";
        let entrants = self.query(sql, [track.name()], |row| {
            Ok((row.get::<_, i64>(0)?, (text(row, 1, str::parse::<EntrantName>)?, digest(row, 2)?)))
        })?;
        let sql = "SELECT id, track, benchmark, division, digest, status FROM prepared
                   WHERE track = ?1 AND EXISTS (SELECT 1 FROM pair WHERE pair.prepared = prepared.id AND planned)
                   ORDER BY benchmark, id";
        let prepared = self.query(sql, [track.name()], |row| Ok((row.get::<_, i64>(0)?, prepared_of(row, 1)?)))?;
        let places = |ids: &mut dyn Iterator<Item = i64>| ids.zip(0..).collect::<HashMap<i64, u32>>();
        let entrant_at = places(&mut entrants.iter().map(|(id, _)| *id));
        let prepared_at = places(&mut prepared.iter().map(|(id, _)| *id));
        let sql = format!(
            "SELECT id, entrant, prepared, {NEXT_ATTEMPT} FROM pair WHERE planned
             AND NOT EXISTS (SELECT 1 FROM outcome WHERE outcome.pair = pair.id AND outcome.limits = {LIMITS_ID})"
        );
        let pending = self.query(&sql, limits_params(limits), |row| {
            let (entrant, prepared) = (entrant_at.get(&row.get(1)?), prepared_at.get(&row.get(2)?));
            let place = entrant.zip(prepared);
            Ok(place.map(|(entrant, prepared)| (*prepared, *entrant)).map(|(prepared, entrant)| {
                Ok::<_, rusqlite::Error>(Pending { pair: PairId(row.get(0)?), attempt: row.get(3)?, entrant, prepared })
            }))
        })?;
        // Pairs of other tracks have no place.
        let mut pending = pending.into_iter().flatten().collect::<Result<Vec<_>, _>>().map_err(|e| self.failed(e))?;
        pending.sort_unstable_by_key(|pending| (pending.prepared, pending.entrant));
        Ok(Queue {
            entrants: entrants.into_iter().map(|(_, entrant)| entrant).collect(),
            prepared: prepared.into_iter().map(|(_, prepared)| prepared).collect(),
            pending,
        })
    }

    /// All planned pairs, benchmark by benchmark.
    pub fn planned(&self, track: Track) -> Result<Vec<Pair>, StoreError> {
        let sql = format!(
            "SELECT {PAIR} FROM {PAIR_TABLES} WHERE pair.planned AND prepared.track = '{track}'
             ORDER BY prepared.benchmark, entrant.name"
        );
        self.query(&sql, [], pair_of)
    }

    /// The planned pair that the words name: its number, or `ENTRANT:BENCHMARK` with any part of the benchmark's path.
    pub fn find(&self, track: Track, words: &str) -> Result<Pair, StoreError> {
        let mut pairs = self.planned(track)?;
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

    /// How far the present plan has come under these limits.
    pub fn progress(&self, track: Track, limits: &Limits) -> Result<Progress, StoreError> {
        let of_track = format!("prepared IN (SELECT id FROM prepared WHERE track = '{track}')");
        let sql = format!(
            "SELECT (SELECT count(*) FROM latest JOIN pair ON pair.id = latest.pair WHERE limits = {LIMITS_ID} AND {of_track}),
                    (SELECT count(*) FROM pair WHERE planned AND {of_track})"
        );
        let read = |row: &Row<'_>| {
            let count = |at| row.get(at).map(i64::cast_unsigned);
            Ok(Progress { done: count(0)?, planned: count(1)? })
        };
        self.connection.query_row(&sql, limits_params(limits), read).map_err(|error| self.failed(error))
    }

    /// How many pairs are planned in each division.
    pub fn planned_by_division(&self, track: Track) -> Result<Vec<(Logic, u64)>, StoreError> {
        let sql = "SELECT prepared.division, count(*) FROM pair JOIN prepared ON prepared.id = pair.prepared
                   WHERE pair.planned AND prepared.track = ?1
                   GROUP BY prepared.division ORDER BY prepared.division";
        self.query(sql, [track.name()], |row| Ok((Logic(row.get(0)?), row.get(1).map(i64::cast_unsigned)?)))
    }

    /// How many planned pairs have an outcome under these limits and no verdict on it.
    pub fn unjudged(&self, track: Track, limits: &Limits) -> Result<u64, StoreError> {
        let sql = format!(
            "SELECT count(*) FROM latest JOIN pair ON pair.id = latest.pair
             WHERE latest.limits = {LIMITS_ID} AND pair.prepared IN (SELECT id FROM prepared WHERE track = '{track}')
             AND NOT EXISTS (SELECT 1 FROM verdict WHERE verdict.pair = latest.pair AND verdict.attempt = latest.attempt)"
        );
        let count = self.connection.query_row(&sql, limits_params(limits), |row| row.get(0).map(i64::cast_unsigned));
        count.map_err(|error| self.failed(error))
    }

    /// Outcomes on record that do not count under the present plan and limits, by why not.
    pub fn set_aside(&self, track: Track, limits: &Limits) -> Result<SetAside, StoreError> {
        let sql = format!(
            "SELECT coalesce(sum(NOT chosen), 0), coalesce(sum(chosen AND NOT planned), 0),
                    coalesce(sum(chosen AND planned AND NOT EXISTS
                        (SELECT 1 FROM outcome WHERE outcome.pair = pair.id AND outcome.limits = {LIMITS_ID})), 0)
             FROM pair JOIN prepared ON prepared.id = pair.prepared
             WHERE prepared.track = '{track}' AND EXISTS (SELECT 1 FROM outcome WHERE outcome.pair = pair.id)"
        );
        let read = |row: &Row<'_>| {
            let count = |at| row.get(at).map(i64::cast_unsigned);
            Ok(SetAside { other_benchmarks: count(0)?, other_solvers: count(1)?, other_limits: count(2)? })
        };
        self.connection.query_row(&sql, limits_params(limits), read).map_err(|error| self.failed(error))
    }

    /// How many pending pairs have to be run again, by what has changed. It starts from the outcomes that were set aside, which
    /// are few compared with the pairs of a large plan.
    pub fn repeats(&self, track: Track, limits: &Limits) -> Result<Repeats, StoreError> {
        let aside = self.set_aside(track, limits)?;
        let is_done = |pair: &str| format!("EXISTS (SELECT 1 FROM outcome WHERE outcome.pair = {pair}.id)");
        let (old_done, new_done) = (is_done("old"), is_done("new"));
        let count = |sql: &str| -> Result<u64, StoreError> {
            let count = self.connection.query_row(sql, [], |row| row.get(0).map(i64::cast_unsigned));
            count.map_err(|error| self.failed(error))
        };
        let versions = format!(
            "SELECT count(DISTINCT new.id) FROM pair AS old JOIN prepared ON prepared.id = old.prepared
             JOIN entrant AS was ON was.id = old.entrant
             JOIN pair AS new ON new.prepared = old.prepared AND new.planned
             JOIN entrant AS now ON now.id = new.entrant AND now.name = was.name
             WHERE NOT old.planned AND prepared.track = '{track}' AND prepared.chosen AND {old_done} AND NOT {new_done}"
        );
        let benchmarks = format!(
            "SELECT count(DISTINCT new.id) FROM pair AS old JOIN prepared AS was ON was.id = old.prepared
             JOIN prepared AS now ON now.track = was.track AND now.benchmark = was.benchmark AND now.chosen
             JOIN pair AS new ON new.prepared = now.id AND new.entrant = old.entrant AND new.planned
             WHERE was.track = '{track}' AND NOT was.chosen AND {old_done} AND NOT {new_done}"
        );
        Ok(Repeats {
            limits: aside.other_limits,
            versions: if aside.other_solvers > 0 { count(&versions)? } else { 0 },
            benchmarks: if aside.other_benchmarks > 0 { count(&benchmarks)? } else { 0 },
        })
    }

    /// The number of the next attempt at a pair.
    pub fn next_attempt(&self, pair: PairId) -> Result<u32, StoreError> {
        let sql = format!("SELECT {NEXT_ATTEMPT} FROM pair WHERE id = ?1");
        self.connection.query_row(&sql, [pair.0], |row| row.get(0)).map_err(|error| self.failed(error))
    }

    /// Records outcomes, what the solvers wrote, and attempts that failed: all of it or nothing, each exactly once.
    pub fn record(&mut self, outcomes: &[Outcome], outputs: &[&[u8]], faults: &[Fault]) -> Result<(), StoreError> {
        let (short, long): (Vec<&[u8]>, Vec<&[u8]>) = outputs.iter().partition(|output| output.len() <= SHORT);
        // The files first: an outcome on record has its outputs on disk.
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

    /// The latest outcome of every planned pair under these limits, benchmark by benchmark.
    pub fn recorded(&self, track: Track, limits: &Limits) -> Result<Vec<Recorded>, StoreError> {
        let sql = format!(
            "SELECT {PAIR}, {OUTCOME}, verdict.answer, verdict.ruling, verdict.points, verdict.evidence
             FROM {PAIR_TABLES}
             JOIN latest ON latest.pair = pair.id AND latest.limits = {LIMITS_ID}
             JOIN outcome ON outcome.pair = latest.pair AND outcome.attempt = latest.attempt
             JOIN host ON host.id = outcome.host
             JOIN limits ON limits.id = outcome.limits
             LEFT JOIN verdict ON verdict.pair = outcome.pair AND verdict.attempt = outcome.attempt
             WHERE prepared.track = '{track}'
             ORDER BY prepared.benchmark, entrant.name"
        );
        self.query(&sql, limits_params(limits), |row| {
            Ok(Recorded {
                pair: pair_of(row)?,
                outcome: outcome_of(row)?,
                verdict: verdict_of(row)?,
                evidence: row.get(35)?,
            })
        })
    }

    /// All attempts at a pair, in order.
    pub fn attempts(&self, pair: PairId) -> Result<Vec<Outcome>, StoreError> {
        let sql = format!(
            "SELECT {PAIR}, {OUTCOME} FROM {PAIR_TABLES}
             JOIN outcome ON outcome.pair = pair.id JOIN host ON host.id = outcome.host
             JOIN limits ON limits.id = outcome.limits
             WHERE pair.id = ?1 ORDER BY outcome.attempt"
        );
        self.query(&sql, [pair.0], outcome_of)
    }

    /// Whether an attempt at a pair is on record, as an outcome or as a fault.
    pub fn is_recorded(&self, pair: PairId, attempt: u32) -> Result<bool, StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM outcome WHERE pair = ?1 AND attempt = ?2)
                   OR EXISTS (SELECT 1 FROM fault WHERE pair = ?1 AND attempt = ?2)";
        let found = self
            .connection
            .prepare_cached(sql)
            .and_then(|mut query| query.query_row(params![pair.0, attempt], |row| row.get(0)));
        found.map_err(|error| self.failed(error))
    }

    /// The attempts at a pair that failed, in order.
    pub fn faults(&self, pair: PairId) -> Result<Vec<Fault>, StoreError> {
        let sql = "SELECT pair, attempt, started, host, message FROM fault WHERE pair = ?1 ORDER BY attempt";
        self.query(sql, [pair.0], |row| {
            let pair = PairId(row.get(0)?);
            Ok(Fault { pair, attempt: row.get(1)?, started: row.get(2)?, host: row.get(3)?, message: row.get(4)? })
        })
    }

    /// The longest wall time on record for each pair, under whatever limits.
    pub fn wall_times(&self) -> Result<HashMap<PairId, Time>, StoreError> {
        let rows = self.query("SELECT pair, max(wall) FROM outcome GROUP BY pair", [], |row| {
            Ok((PairId(row.get(0)?), Time::from_nanos(row.get::<_, i64>(1)?.cast_unsigned())))
        })?;
        Ok(rows.into_iter().collect())
    }

    /// What a solver wrote.
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

    /// What solvers said of a script that a core leaves.
    pub fn votes(&self, script: &Digest) -> Result<Vec<Vote>, StoreError> {
        let sql = "SELECT solver, answer, wall FROM vote WHERE script = ?1 ORDER BY solver";
        self.query(sql, [script.as_bytes()], |row| {
            let answer: String = row.get(1)?;
            let wall = Time::from_nanos(row.get::<_, i64>(2)?.cast_unsigned());
            Ok(Vote { solver: row.get(0)?, answer: answer.parse().ok(), wall })
        })
    }

    /// What settles the question of each benchmark that was looked into: the answer, if there is one, and by what.
    pub fn settlements(&self) -> Result<HashMap<Digest, Settlement>, StoreError> {
        let rows = self.query("SELECT prepared, answer, detail FROM settlement", [], |row| {
            let answer: Option<String> = row.get(1)?;
            let answer = answer.and_then(|answer| answer.parse().ok());
            Ok((digest(row, 0)?, Settlement { answer, detail: row.get(2)? }))
        })?;
        Ok(rows.into_iter().collect())
    }

    /// Records what settles the question of a benchmark, or that nothing does.
    pub fn settle(&mut self, prepared: &Digest, settlement: &Settlement) -> Result<(), StoreError> {
        let Settlement { answer, detail } = settlement;
        let row = params![prepared.as_bytes(), answer.map(Answer::name), detail];
        let done = self.connection.execute("INSERT OR REPLACE INTO settlement VALUES (?1, ?2, ?3)", row);
        done.map(|_| ()).map_err(|error| self.failed(error))
    }

    /// Records what a solver said of such a script.
    pub fn add_votes(&mut self, script: &Digest, votes: &[Vote]) -> Result<(), StoreError> {
        self.whole(|transaction| {
            let mut insert = transaction.prepare("INSERT OR REPLACE INTO vote VALUES (?1, ?2, ?3, ?4)")?;
            for Vote { solver, answer, wall } in votes {
                let answer = answer.map_or("", Answer::name);
                insert.execute(params![script.as_bytes(), solver, answer, wall.as_nanos().cast_signed()])?;
            }
            Ok(())
        })
    }

    /// The stored panel for unsat cores.
    pub fn panel(&self) -> Result<Vec<String>, StoreError> {
        self.query("SELECT solver FROM panel ORDER BY solver", [], |row| row.get(0))
    }

    /// Stores the panel for unsat cores; empty means the sound entrants.
    pub fn set_panel(&mut self, solvers: &[String]) -> Result<(), StoreError> {
        self.whole(|transaction| {
            transaction.execute("DELETE FROM panel", [])?;
            for solver in solvers {
                transaction.execute("INSERT OR IGNORE INTO panel VALUES (?1)", [solver])?;
            }
            Ok(())
        })
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
    pub fn set_verdicts(&mut self, verdicts: &[Judged]) -> Result<(), StoreError> {
        self.whole(|transaction| {
            let mut insert =
                transaction.prepare("INSERT OR REPLACE INTO verdict VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
            for Judged { pair, attempt, basis, verdict: Verdict { answer, ruling, points }, evidence } in verdicts {
                let points = points.cast_signed();
                insert.execute(params![pair.0, attempt, basis, answer.name(), ruling.name(), points, evidence])?;
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

/// Whether a file is on a file system that several machines may share, by the kernel's number for its kind.
fn is_on_network(file: &Path) -> bool {
    const SHARED: [i64; 9] = [
        0x6969,      // NFS
        0xff53_4d42, // CIFS
        0xfe53_4d42, // SMB 2
        0x0bd0_0bd0, // Lustre
        0x4750_4653, // GPFS
        0x1983_0326, // BeeGFS
        0x00c3_6400, // Ceph
        0x5346_414f, // AFS
        0x0102_1997, // 9P
    ];
    rustix::fs::statfs(file).is_ok_and(|kind| SHARED.contains(&kind.f_type))
}

/// The format of a database of ours; a new one has format 0.
fn format_of(connection: &Connection, file: &Path) -> Result<u32, StoreError> {
    let ask = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let failed = |error| StoreError::sqlite(file, error);
    let tables = ask("SELECT count(*) FROM sqlite_schema").map_err(failed)?;
    if tables > 0 && ask("PRAGMA application_id").map_err(failed)? != i64::from(APPLICATION) {
        return Err(StoreError::Foreign(file.to_owned()));
    }
    let format = ask("PRAGMA user_version").map_err(failed)? as u32;
    let known = MIGRATIONS.len() as u32;
    if format > known { Err(StoreError::Newer(file.to_owned(), format, known)) } else { Ok(format) }
}

fn insert_output(transaction: &Transaction<'_>, output: &[u8]) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO output VALUES (?1, ?2) ON CONFLICT DO UPDATE SET bytes = excluded.bytes
             WHERE bytes <> excluded.bytes",
        )?
        .execute(params![Digest::of(output).as_bytes(), output])?;
    Ok(())
}

/// The number of an entrant's version, which it gets if it has none.
fn entrant_id(transaction: &Transaction<'_>, (name, digest): &(EntrantName, Digest)) -> rusqlite::Result<i64> {
    let key = params![name.as_str(), digest.as_bytes()];
    transaction.execute("INSERT INTO entrant (name, digest) VALUES (?1, ?2) ON CONFLICT DO NOTHING", key)?;
    transaction.query_row("SELECT id FROM entrant WHERE name = ?1 AND digest = ?2", key, |row| row.get(0))
}

fn prepared_id(transaction: &Transaction<'_>, prepared: &Prepared) -> rusqlite::Result<i64> {
    let sql = "SELECT id FROM prepared WHERE track = ?1 AND benchmark = ?2 AND digest = ?3";
    let key = params![prepared.track.name(), prepared.benchmark.0, prepared.digest.as_bytes()];
    transaction.prepare_cached(sql)?.query_row(key, |row| row.get(0))
}

/// Says which plan this is.
fn plan_digest(
    entrants: &[(EntrantName, Digest)],
    prepared: &[Prepared],
    plan: impl Iterator<Item = (usize, usize)>,
) -> Digest {
    let mut text = vec![];
    for (name, digest) in entrants {
        text.extend([name.as_str().as_bytes(), digest.as_bytes()].concat());
    }
    for prepared in prepared {
        text.extend([prepared.benchmark.0.as_bytes(), prepared.digest.as_bytes()].concat());
    }
    let mut whole = Digest::of(&text);
    // In pieces, since a plan can be long.
    let mut piece = vec![];
    for (entrant, benchmark) in plan {
        piece.extend((entrant as u32).to_le_bytes());
        piece.extend((benchmark as u32).to_le_bytes());
        if piece.len() >= 1 << 20 {
            piece.extend(whole.as_bytes());
            whole = Digest::of(&piece);
            piece.clear();
        }
    }
    piece.extend(whole.as_bytes());
    Digest::of(&piece)
}

fn insert_fault(transaction: &Transaction<'_>, fault: &Fault) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("INSERT INTO fault VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING")?
        .execute(params![fault.pair.0, fault.attempt, fault.started, fault.host, fault.message])?;
    Ok(())
}

fn insert_outcome(transaction: &Transaction<'_>, outcome: &Outcome) -> rusqlite::Result<bool> {
    transaction
        .prepare_cached("INSERT INTO host (name, isolation) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
        .execute([&outcome.host, &outcome.isolation])?;
    transaction
        .prepare_cached(
            "INSERT INTO limits (wall, memory, cores, output, disk, processes) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT DO NOTHING",
        )?
        .execute(limits_params(&outcome.limits))?;
    let limits: i64 = transaction
        .prepare_cached(&format!("SELECT {LIMITS_ID}"))?
        .query_row(limits_params(&outcome.limits), |row| row.get(0))?;
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

const PAIR_TABLES: &str = "pair JOIN entrant ON entrant.id = pair.entrant JOIN prepared ON prepared.id = pair.prepared";

/// Columns 0 to 7.
const PAIR: &str = "pair.id, entrant.name, entrant.digest,
                    prepared.track, prepared.benchmark, prepared.division, prepared.digest, prepared.status";

/// Columns 8 to 31.
const OUTCOME: &str = "outcome.attempt, outcome.reason, outcome.started, outcome.wall, outcome.cpu, outcome.memory,
                       outcome.exit_code, outcome.signal, outcome.limit_hit, outcome.stdout, outcome.stderr,
                       host.name, host.isolation, limits.wall, limits.memory, limits.cores, limits.output,
                       limits.disk, limits.processes, outcome.system, outcome.anonymous, outcome.processes,
                       outcome.surroundings, outcome.disturbance";

/// The number of the next attempt at a pair.
const NEXT_ATTEMPT: &str = "1 + max(coalesce((SELECT max(attempt) FROM outcome WHERE outcome.pair = pair.id), 0),
                                    coalesce((SELECT max(attempt) FROM fault WHERE fault.pair = pair.id), 0))";

/// The number of the limits that [`limits_params`] gives.
const LIMITS_ID: &str = "(SELECT id FROM limits WHERE wall = ?1 AND memory = ?2 AND cores = ?3 AND output = ?4
                         AND disk = ?5 AND processes = ?6)";

fn limits_params(limits: &Limits) -> [i64; 6] {
    let Limits { wall, memory_bytes, cores, output_bytes, disk_bytes, processes } = *limits;
    let [memory, output, disk] = [memory_bytes, output_bytes, disk_bytes.unwrap_or(0)].map(u64::cast_signed);
    [wall.as_nanos().cast_signed(), memory, i64::from(cores), output, disk, processes.cast_signed()]
}

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
        status: text(row, first + 4, str::parse)?,
    })
}

fn outcome_of(row: &Row<'_>) -> rusqlite::Result<Outcome> {
    let unsigned = |at: usize| row.get(at).map(i64::cast_unsigned);
    let maybe = |at: usize| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(at)?.map(i64::cast_unsigned));
    let time = |at: usize| unsigned(at).map(Time::from_nanos);
    let exit_code: Option<i32> = row.get(14)?;
    let signal: Option<i32> = row.get(15)?;
    let limit: Option<String> = row.get(16)?;
    Ok(Outcome {
        pair: PairId(row.get(0)?),
        attempt: row.get(8)?,
        reason: row.get(9)?,
        started: row.get(10)?,
        wall: time(11)?,
        cpu: time(12)?,
        memory_bytes: maybe(13)?,
        ending: signal.map_or(Ending::Exit(exit_code.unwrap_or_default()), Ending::Signal),
        limit: limit.map(|word| word.parse().map_err(|error| senseless(16, error))).transpose()?,
        stdout: digest(row, 17)?,
        stderr: digest(row, 18)?,
        host: row.get(19)?,
        isolation: row.get(20)?,
        limits: Limits {
            wall: time(21)?,
            memory_bytes: unsigned(22)?,
            cores: row.get(23)?,
            output_bytes: unsigned(24)?,
            disk_bytes: Some(unsigned(25)?).filter(|bytes| *bytes > 0),
            processes: unsigned(26)?,
        },
        system: time(27)?,
        anonymous_bytes: maybe(28)?,
        processes: maybe(29)?,
        surroundings: row.get(30)?,
        disturbance: row.get(31)?,
    })
}

fn verdict_of(row: &Row<'_>) -> rusqlite::Result<Option<Verdict>> {
    let answer: Option<String> = row.get(32)?;
    let Some(answer) = answer else { return Ok(None) };
    let answer: Answer = answer.parse().map_err(|error: String| senseless(32, error))?;
    let ruling: Ruling = text(row, 33, str::parse)?;
    let points = row.get::<_, i64>(34)?.cast_unsigned();
    Ok(Some(Verdict { answer, ruling, points }))
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
