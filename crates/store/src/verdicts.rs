//! Verdicts, votes of panels, and settlements of disagreements.

use crate::rows::Cells;
use crate::{Store, StoreError};
use agon_domain::{Answer, Digest, PairId, Time, Track, Verdict};
use rusqlite::params;
use std::collections::HashMap;

/// A verdict on an attempt, with its basis and explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The pair that was judged.
    pub pair: PairId,
    /// The number of the attempt that was judged.
    pub attempt: u32,
    /// The inputs that the verdict depends on: the version of the judge, the status, the panel.
    pub basis: String,
    /// The claim and the ruling on it.
    pub verdict: Verdict,
    /// An explanation, unless the verdict is self-explanatory.
    pub evidence: Option<String>,
}

/// The settlement of a benchmark on which solvers disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settlement {
    /// The correct answer, if there is evidence for one.
    pub answer: Option<Answer>,
    /// The evidence for the answer, or a description of what was tried.
    pub detail: String,
}

/// A validation solver's vote on an unsat core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vote {
    /// The name and version of the solver.
    pub solver: String,
    /// The solver's answer, if it could be parsed.
    pub answer: Option<Answer>,
    /// The wall-clock time that the solver took.
    pub wall: Time,
}

impl Store {
    /// The number of planned pairs with an outcome under their limits but without a verdict.
    pub fn unjudged(&self, track: Track) -> Result<u64, StoreError> {
        let sql = format!(
            "SELECT count(*) FROM latest JOIN pair ON pair.id = latest.pair
             WHERE pair.prepared IN (SELECT id FROM prepared WHERE track = '{track}')
             AND NOT EXISTS (SELECT 1 FROM verdict WHERE verdict.pair = latest.pair AND verdict.attempt = latest.attempt)"
        );
        let count = self.connection.query_row(&sql, [], |row| row.get(0).map(i64::cast_unsigned));
        count.map_err(|error| self.failed(error))
    }

    /// The votes on the script that consists of an unsat core.
    pub fn votes(&self, script: &Digest) -> Result<Vec<Vote>, StoreError> {
        let sql = "SELECT solver, answer, wall FROM vote WHERE script = ?1 ORDER BY solver";
        self.query(sql, [script.as_bytes()], |row| {
            let answer: String = row.get(1)?;
            let wall = Time::from_nanos(row.get::<_, i64>(2)?.cast_unsigned());
            Ok(Vote { solver: row.get(0)?, answer: answer.parse().ok(), wall })
        })
    }

    /// The settlement of each benchmark that was examined.
    pub fn settlements(&self) -> Result<HashMap<Digest, Settlement>, StoreError> {
        let rows = self.query("SELECT prepared, answer, detail FROM settlement", [], |row| {
            let answer: Option<String> = row.get(1)?;
            let answer = answer.and_then(|answer| answer.parse().ok());
            Ok((Cells::of(row).digest()?, Settlement { answer, detail: row.get(2)? }))
        })?;
        Ok(rows.into_iter().collect())
    }

    /// Records the result of examining a benchmark.
    pub fn settle(&mut self, prepared: &Digest, settlement: &Settlement) -> Result<(), StoreError> {
        let Settlement { answer, detail } = settlement;
        let row = params![prepared.as_bytes(), answer.map(Answer::name), detail];
        let done = self.connection.execute("INSERT OR REPLACE INTO settlement VALUES (?1, ?2, ?3)", row);
        done.map(|_| ()).map_err(|error| self.failed(error))
    }

    /// Records votes on the script that consists of an unsat core.
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

    /// The stored panel for unsat cores; empty means the sound entrants.
    pub fn panel(&self) -> Result<Vec<String>, StoreError> {
        self.query("SELECT solver FROM panel ORDER BY solver", [], |row| row.get(0))
    }

    /// Replaces the panel for unsat cores; empty means the sound entrants.
    pub fn set_panel(&mut self, solvers: &[String]) -> Result<(), StoreError> {
        self.whole(|transaction| {
            transaction.execute("DELETE FROM panel", [])?;
            for solver in solvers {
                transaction.execute("INSERT OR IGNORE INTO panel VALUES (?1)", [solver])?;
            }
            Ok(())
        })
    }

    /// Records verdicts, replacing earlier ones on the same attempts.
    pub fn set_verdicts(&mut self, verdicts: &[Judged]) -> Result<(), StoreError> {
        self.whole(|transaction| {
            let mut insert =
                transaction.prepare("INSERT OR REPLACE INTO verdict VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?;
            for Judged { pair, attempt, basis, verdict: Verdict { claim, ruling, points }, evidence } in verdicts {
                let (points, answer) = (points.cast_signed(), claim.answer.name());
                let claim = claim.evidence.to_string();
                insert.execute(params![pair.0, attempt, basis, answer, ruling.name(), points, evidence, claim])?;
            }
            Ok(())
        })
    }
}
