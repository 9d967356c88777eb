//! Prepared benchmarks, the plan of pairs, and the progress of the plan.

use crate::rows::{
    Cells, LIMITS, NEXT_ATTEMPT, PAIR, PAIR_TABLES, limits_id, limits_of, limits_params, pair_of, prepared_of,
};
use crate::{EntrantIx, LimitsIx, Pending, PreparedIx, Queue, Store, StoreError};
use agon_domain::{BenchmarkPath, Digest, EntrantName, Limits, Logic, Pair, PairId, Prepared, Status, Track};
use agon_library::Library;
use rusqlite::{OptionalExtension, Row, Transaction, params};
use std::collections::{BTreeMap, HashMap};

/// The progress of the current plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The number of pairs with an outcome.
    pub done: u64,
    /// The number of pairs in the plan.
    pub planned: u64,
}

/// The limits under which the pairs of each logic run, one after the other (SL19-22): only a pair that reaches the time
/// limit of one runs under the next.
pub type Ladders = BTreeMap<Logic, Vec<Limits>>;

/// The numbers of pairs whose recorded outcomes do not count, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SetAside {
    /// The benchmark is no longer prepared, or is prepared differently.
    pub other_benchmarks: u64,
    /// The solver is no longer entered, or has another version.
    pub other_solvers: u64,
    /// The pair was run under other limits.
    pub other_limits: u64,
}

impl SetAside {
    /// The number of pairs whose outcomes do not count for any reason.
    pub const fn all(&self) -> u64 {
        self.other_benchmarks + self.other_solvers + self.other_limits
    }
}

/// The numbers of pairs that have to be run again, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repeats {
    /// The limits have changed.
    pub limits: u64,
    /// They reached a time limit, and the rules have a longer one (SL19-22).
    pub longer: u64,
    /// The version of the solver has changed.
    pub versions: u64,
    /// The prepared benchmark has changed: another seed, or another file.
    pub benchmarks: u64,
}

impl Store {
    /// Replaces the prepared benchmarks of a track. Benchmarks that do not change keep their pairs. `statuses` contains
    /// the statuses of each benchmark's queries; empty for a single query. `basis` is the digest of the inputs of the
    /// preparation.
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
                let Prepared { benchmark, logic, digest, status, .. } = one;
                let of_one = Library::statuses_text(statuses.get(at).map(Vec::as_slice).unwrap_or_default());
                let key = params![track.name(), benchmark.0, digest.as_bytes()];
                let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?));
                if let Some((id, old_status, old_statuses)) = known.query_row(key, read).optional()?
                    && (old_status != status.name() || old_statuses != of_one)
                {
                    // Verdicts based on the old status are invalid.
                    forget.execute([id])?;
                }
                upsert.execute(params![track.name(), benchmark.0, logic.0, digest.as_bytes(), status.name()])?;
                if !of_one.is_empty() {
                    of_queries.execute(params![prepared_id(transaction, one)?, of_one])?;
                }
            }
            let made = params![track.name(), basis.as_bytes()];
            transaction.execute("INSERT OR REPLACE INTO preparation VALUES (?1, ?2)", made)?;
            Ok(())
        })
    }

    /// The digest of the inputs of a track's preparation; `None` if the track was never prepared.
    pub fn prepared_basis(&self, track: Track) -> Result<Option<Digest>, StoreError> {
        let sql = "SELECT basis FROM preparation WHERE track = ?1";
        let found = self.connection.query_row(sql, [track.name()], |row| Cells::of(row).digest()).optional();
        found.map_err(|error| self.failed(error))
    }

    /// The statuses of the queries of an incremental benchmark; empty for a single query.
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
        statuses.map_err(|error| StoreError::Invalid(self.file.clone(), error.to_string()))
    }

    /// Changes the statuses of prepared benchmarks.
    pub fn set_statuses(&mut self, track: Track, statuses: &[(BenchmarkPath, Status)]) -> Result<(), StoreError> {
        self.whole(|transaction| {
            let sql = "UPDATE prepared SET status = ?3 WHERE track = ?1 AND benchmark = ?2 AND status <> ?3";
            let mut update = transaction.prepare(sql)?;
            for (benchmark, status) in statuses {
                update.execute(params![track.name(), benchmark.0, status.name()])?;
            }
            Ok(())
        })
    }

    /// The prepared benchmarks of the current selection, sorted by path.
    pub fn prepared(&self, track: Track) -> Result<Vec<Prepared>, StoreError> {
        let sql = "SELECT track, benchmark, division, digest, status FROM prepared WHERE track = ?1 AND chosen ORDER BY benchmark";
        self.query(sql, [track.name()], |row| prepared_of(&mut Cells::of(row)))
    }

    /// Replaces the plan of a track. `plan` yields the pairs as indices into `entrants` and `prepared`, and `ladders`
    /// has the limits of each logic, shortest first. Existing pairs keep their numbers and outcomes.
    pub fn set_plan(
        &mut self,
        track: Track,
        entrants: &[(EntrantName, Digest)],
        prepared: &[Prepared],
        plan: impl Iterator<Item = (usize, usize)> + Clone,
        ladders: &Ladders,
    ) -> Result<(), StoreError> {
        let digest = plan_digest(entrants, prepared, plan.clone(), ladders);
        self.whole(|transaction| {
            let known: Option<[u8; 32]> = transaction
                .query_row("SELECT digest FROM plan WHERE track = ?1", [track.name()], |row| row.get(0))
                .optional()?;
            if known == Some(*digest.as_bytes()) {
                return Ok(());
            }
            let entrants =
                entrants.iter().map(|entrant| entrant_id(transaction, entrant)).collect::<Result<Vec<_>, _>>()?;
            let mut first: HashMap<&Logic, i64> = HashMap::new();
            for (logic, ladder) in ladders {
                if let Some(limits) = ladder.first() {
                    first.insert(logic, limits_id(transaction, limits)?);
                }
            }
            let limits: Vec<Option<i64>> = prepared.iter().map(|one| first.get(&one.logic).copied()).collect();
            let prepared =
                prepared.iter().map(|prepared| prepared_id(transaction, prepared)).collect::<Result<Vec<_>, _>>()?;
            transaction.execute(
                "UPDATE pair SET planned = 0
                 WHERE planned AND prepared IN (SELECT id FROM prepared WHERE track = ?1)",
                [track.name()],
            )?;
            let mut upsert = transaction.prepare(
                "INSERT INTO pair (entrant, prepared, planned, limits, rung) VALUES (?1, ?2, 1, ?3, 0)
                 ON CONFLICT (prepared, entrant) DO UPDATE SET planned = 1, limits = excluded.limits, rung = 0",
            )?;
            for (entrant, benchmark) in plan {
                upsert.execute(params![entrants[entrant], prepared[benchmark], limits[benchmark]])?;
            }
            transaction
                .execute("INSERT OR REPLACE INTO plan VALUES (?1, ?2)", params![track.name(), digest.as_bytes()])?;
            Ok(())
        })?;
        self.climb(track, ladders)
    }

    /// Moves the planned pairs whose latest run reached a time limit to the next limits of their logic (SL19-22), so
    /// that they are pending again.
    pub fn climb(&mut self, track: Track, ladders: &Ladders) -> Result<(), StoreError> {
        if ladders.values().all(|ladder| ladder.len() < 2) {
            return Ok(());
        }
        self.whole(|transaction| {
            let mut step = transaction.prepare(
                "UPDATE pair SET limits = ?4, rung = rung + 1
                 WHERE planned AND limits = ?3
                 AND prepared IN (SELECT id FROM prepared WHERE track = ?1 AND division = ?2 AND chosen)
                 AND (SELECT limit_hit FROM outcome WHERE outcome.pair = pair.id AND outcome.limits = ?3
                      ORDER BY attempt DESC LIMIT 1) IN ('wall', 'cpu')",
            )?;
            for (logic, ladder) in ladders {
                for rungs in ladder.windows(2) {
                    let (from, to) = (limits_id(transaction, &rungs[0])?, limits_id(transaction, &rungs[1])?);
                    step.execute(params![track.name(), logic.0, from, to])?;
                }
            }
            Ok(())
        })
    }

    /// The planned pairs of a track without an outcome under their limits, sorted by benchmark.
    pub fn queue(&self, track: Track) -> Result<Queue, StoreError> {
        let sql = "SELECT id, name, digest FROM entrant
                   WHERE id IN (SELECT DISTINCT entrant FROM pair WHERE planned
                                AND prepared IN (SELECT id FROM prepared WHERE track = ?1)) ORDER BY name, id";
        let entrants = self.query(sql, [track.name()], |row| {
            let mut cells = Cells::of(row);
            Ok((cells.take::<i64>()?, (cells.parsed::<EntrantName>()?, cells.digest()?)))
        })?;
        let sql = "SELECT id, track, benchmark, division, digest, status FROM prepared
                   WHERE track = ?1 AND EXISTS (SELECT 1 FROM pair WHERE pair.prepared = prepared.id AND planned)
                   ORDER BY benchmark, id";
        let prepared = self.query(sql, [track.name()], |row| {
            let mut cells = Cells::of(row);
            Ok((cells.take::<i64>()?, prepared_of(&mut cells)?))
        })?;
        let places = |ids: &mut dyn Iterator<Item = i64>| ids.zip(0..).collect::<HashMap<i64, u32>>();
        let entrant_at = places(&mut entrants.iter().map(|(id, _)| *id));
        let prepared_at = places(&mut prepared.iter().map(|(id, _)| *id));
        let limits = self.query(&format!("SELECT id, {LIMITS} FROM limits ORDER BY id"), [], |row| {
            let mut cells = Cells::of(row);
            Ok((cells.take::<i64>()?, limits_of(&mut cells)?))
        })?;
        let limits_at = places(&mut limits.iter().map(|(id, _)| *id));
        let sql = format!(
            "SELECT id, entrant, prepared, limits, {NEXT_ATTEMPT} FROM pair WHERE planned
             AND NOT EXISTS (SELECT 1 FROM outcome WHERE outcome.pair = pair.id AND outcome.limits = pair.limits)"
        );
        let pending = self.query(&sql, [], |row| {
            let (entrant, prepared) = (entrant_at.get(&row.get(1)?), prepared_at.get(&row.get(2)?));
            let limits = row.get::<_, Option<i64>>(3)?.and_then(|id| limits_at.get(&id));
            let place = entrant.zip(prepared).zip(limits);
            let (pair, attempt) = (PairId(row.get(0)?), row.get(4)?);
            Ok(place.map(|((entrant, prepared), limits)| {
                let (entrant, prepared) = (EntrantIx(*entrant), PreparedIx(*prepared));
                Pending { pair, attempt, entrant, prepared, limits: LimitsIx(*limits) }
            }))
        })?;
        // Pairs of other tracks have no index in these tables and are dropped.
        let mut pending: Vec<Pending> = pending.into_iter().flatten().collect();
        pending.sort_unstable_by_key(|pending| (pending.prepared, pending.entrant));
        Ok(Queue {
            entrants: entrants.into_iter().map(|(_, entrant)| entrant).collect(),
            prepared: prepared.into_iter().map(|(_, prepared)| prepared).collect(),
            limits: limits.into_iter().map(|(_, limits)| limits).collect(),
            pending,
        })
    }

    /// All planned pairs of a track, sorted by benchmark.
    pub fn planned(&self, track: Track) -> Result<Vec<Pair>, StoreError> {
        let sql = format!(
            "SELECT {PAIR} FROM {PAIR_TABLES} WHERE pair.planned AND prepared.track = '{track}'
             ORDER BY prepared.benchmark, entrant.name"
        );
        self.query(&sql, [], |row| pair_of(&mut Cells::of(row)))
    }

    /// Finds a planned pair by its number, or by `ENTRANT:BENCHMARK` with any part of the benchmark's path.
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

    /// The progress of the current plan.
    pub fn progress(&self, track: Track) -> Result<Progress, StoreError> {
        let of_track = format!("prepared IN (SELECT id FROM prepared WHERE track = '{track}')");
        let sql = format!(
            "SELECT (SELECT count(*) FROM latest JOIN pair ON pair.id = latest.pair WHERE {of_track}),
                    (SELECT count(*) FROM pair WHERE planned AND {of_track})"
        );
        let read = |row: &Row<'_>| {
            let count = |at| row.get(at).map(i64::cast_unsigned);
            Ok(Progress { done: count(0)?, planned: count(1)? })
        };
        self.connection.query_row(&sql, [], read).map_err(|error| self.failed(error))
    }

    /// The number of planned pairs of each logic.
    pub fn planned_by_logic(&self, track: Track) -> Result<Vec<(Logic, u64)>, StoreError> {
        let sql = "SELECT prepared.division, count(*) FROM pair JOIN prepared ON prepared.id = pair.prepared
                   WHERE pair.planned AND prepared.track = ?1
                   GROUP BY prepared.division ORDER BY prepared.division";
        self.query(sql, [track.name()], |row| Ok((Logic(row.get(0)?), row.get(1).map(i64::cast_unsigned)?)))
    }

    /// The numbers of pairs whose outcomes do not count under the current plan, by reason. Outcomes under the shorter
    /// limits of a ladder are not among them.
    pub fn set_aside(&self, track: Track) -> Result<SetAside, StoreError> {
        let sql = format!(
            "SELECT coalesce(sum(NOT chosen), 0), coalesce(sum(chosen AND NOT planned), 0),
                    coalesce(sum(chosen AND planned AND rung = 0 AND NOT EXISTS
                        (SELECT 1 FROM outcome WHERE outcome.pair = pair.id AND outcome.limits = pair.limits)), 0)
             FROM pair JOIN prepared ON prepared.id = pair.prepared
             WHERE prepared.track = '{track}' AND EXISTS (SELECT 1 FROM outcome WHERE outcome.pair = pair.id)"
        );
        let read = |row: &Row<'_>| {
            let count = |at| row.get(at).map(i64::cast_unsigned);
            Ok(SetAside { other_benchmarks: count(0)?, other_solvers: count(1)?, other_limits: count(2)? })
        };
        self.connection.query_row(&sql, [], read).map_err(|error| self.failed(error))
    }

    /// The numbers of pending pairs that have to be run again, by cause. The queries start from the outcomes that do
    /// not count, which are few compared with the pairs of a large plan.
    pub fn repeats(&self, track: Track) -> Result<Repeats, StoreError> {
        let aside = self.set_aside(track)?;
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
        let longer = format!(
            "SELECT count(*) FROM pair JOIN prepared ON prepared.id = pair.prepared
             WHERE planned AND rung > 0 AND prepared.track = '{track}'
             AND NOT EXISTS (SELECT 1 FROM outcome WHERE outcome.pair = pair.id AND outcome.limits = pair.limits)"
        );
        Ok(Repeats {
            limits: aside.other_limits,
            longer: count(&longer)?,
            versions: if aside.other_solvers > 0 { count(&versions)? } else { 0 },
            benchmarks: if aside.other_benchmarks > 0 { count(&benchmarks)? } else { 0 },
        })
    }
}

/// The id of a version of an entrant. Inserts it if necessary.
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

/// A digest that identifies a plan.
fn plan_digest(
    entrants: &[(EntrantName, Digest)],
    prepared: &[Prepared],
    plan: impl Iterator<Item = (usize, usize)>,
    ladders: &Ladders,
) -> Digest {
    let mut text = vec![];
    for (logic, ladder) in ladders {
        text.extend(logic.0.as_bytes());
        text.extend(ladder.iter().flat_map(limits_params).flat_map(i64::to_le_bytes));
    }
    for (name, digest) in entrants {
        text.extend([name.as_str().as_bytes(), digest.as_bytes()].concat());
    }
    for prepared in prepared {
        text.extend([prepared.benchmark.0.as_bytes(), prepared.digest.as_bytes()].concat());
    }
    let mut whole = Digest::of(&text);
    // Plans can have millions of pairs, so they are hashed in chunks, each together with the digest of the previous
    // one.
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
