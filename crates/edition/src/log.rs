//! The append-only log of decisions: one JSON object per line, each with the digest of the previous one.

use crate::decision::{Decision, Person};
use agon_domain::Digest;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The position in the log, from 1.
    pub number: u64,
    /// When the decision was recorded.
    pub at: Timestamp,
    /// Who decided.
    pub by: Vec<Person>,
    /// The organizers who took no part because they are affected (R19-8.1).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recused: Vec<Person>,
    /// The decision.
    #[serde(flatten)]
    pub decision: Decision,
    /// Why it was made.
    pub reason: String,
    /// The digest of the previous entry; that of no bytes for the first entry.
    pub previous: Digest,
}

/// An entry before it is appended.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// Who decides.
    pub by: Vec<Person>,
    /// Who takes no part.
    pub recused: Vec<Person>,
    /// The decision.
    pub decision: Decision,
    /// Why it is made.
    pub reason: String,
}

/// The decisions of a competition, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    entries: Vec<Entry>,
    /// The line of each entry, whose bytes the digests cover.
    lines: Vec<String>,
}

/// A line of the log that does not follow from the ones before it.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// The line is not an entry.
    #[error("line {line}: {why}")]
    Malformed {
        /// The number of the line, from 1.
        line: usize,
        /// Why it cannot be read.
        why: String,
    },
    /// The previous line was changed, removed or inserted after this one was written.
    #[error("line {0}: the digest of the previous entry does not match, so an entry was changed, removed or inserted")]
    Broken(usize),
    /// The line does not have its own position as its number.
    #[error("line {line}: the entry has number {number}")]
    Number {
        /// The number of the line, from 1.
        line: usize,
        /// The number of the entry.
        number: u64,
    },
    /// The last line was not written completely.
    #[error("line {0} is incomplete")]
    Incomplete(usize),
    /// The log does not contain the entry with a digest that was published.
    #[error("no entry has the digest {0}, so the log was cut or replaced")]
    NoHead(Digest),
}

/// The reason why an entry cannot be appended.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The reason is empty.
    #[error("a decision needs a reason")]
    NoReason,
    /// Nobody decides.
    #[error("a decision needs the name of the person who makes it")]
    Nobody,
    /// Somebody both decides and takes no part.
    #[error("{0} cannot both decide and be recused")]
    Recused(Person),
    /// The decision refers to an entry that does not exist.
    #[error("the log has no entry {0}")]
    NoEntry(u64),
    /// The answered entry is not an appeal.
    #[error("entry {0} is not an appeal")]
    NotAnAppeal(u64),
    /// The clock is before the last entry.
    #[error("the clock says {now}, but the last entry is from {last}; correct the clock")]
    Clock {
        /// The time of the clock.
        now: Timestamp,
        /// The time of the last entry.
        last: Timestamp,
    },
}

impl Log {
    /// Reads a log and checks its chain of digests.
    pub fn read(text: &str) -> Result<Self, Damage> {
        let mut log = Self::default();
        for (at, line) in text.split_inclusive('\n').enumerate() {
            let number = at + 1;
            let line = line.strip_suffix('\n').ok_or(Damage::Incomplete(number))?;
            let entry: Entry = serde_json::from_str(line)
                .map_err(|error| Damage::Malformed { line: number, why: error.to_string() })?;
            if entry.previous != log.head() {
                return Err(Damage::Broken(number));
            }
            if entry.number != number as u64 {
                return Err(Damage::Number { line: number, number: entry.number });
            }
            log.entries.push(entry);
            log.lines.push(line.to_owned());
        }
        Ok(log)
    }

    /// The entries, oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The digest of the last entry. Published, it commits to the whole log.
    pub fn head(&self) -> Digest {
        Digest::of(self.lines.last().map_or(b"", |line| line.as_bytes()))
    }

    /// Checks that the log still contains the entry with a digest that was published.
    pub fn contains(&self, head: Digest) -> Result<(), Damage> {
        let is_known = self.lines.iter().any(|line| Digest::of(line.as_bytes()) == head);
        if is_known { Ok(()) } else { Err(Damage::NoHead(head)) }
    }

    /// The text of the log's file.
    pub fn to_text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }

    /// Appends a decision, and returns its entry.
    pub fn append(&mut self, proposal: Proposal, now: Timestamp) -> Result<&Entry, Refused> {
        let Proposal { by, recused, decision, reason } = proposal;
        if reason.trim().is_empty() {
            return Err(Refused::NoReason);
        }
        if by.iter().all(|name| name.trim().is_empty()) {
            return Err(Refused::Nobody);
        }
        if let Some(name) = recused.iter().find(|name| by.contains(name)) {
            return Err(Refused::Recused(name.clone()));
        }
        if let Some(number) = decision.refers_to() {
            let entry = number.checked_sub(1).and_then(|at| self.entries.get(at as usize));
            let entry = entry.ok_or(Refused::NoEntry(number))?;
            if matches!(decision, Decision::Answer { .. }) && !matches!(entry.decision, Decision::Appeal { .. }) {
                return Err(Refused::NotAnAppeal(number));
            }
        }
        if let Some(last) = self.entries.last().map(|entry| entry.at).filter(|last| now < *last) {
            return Err(Refused::Clock { now, last });
        }
        let number = self.entries.len() as u64 + 1;
        let entry = Entry { number, at: now, by, recused, decision, reason, previous: self.head() };
        self.lines.push(serde_json::to_string(&entry).expect("an entry is plain data"));
        self.entries.push(entry);
        Ok(&self.entries[self.entries.len() - 1])
    }

    /// The entries that have not been revoked.
    pub fn in_force(&self) -> impl Iterator<Item = &Entry> {
        // A later entry can revoke a revocation, so the last ones are decided first.
        let mut holds = vec![true; self.entries.len()];
        for at in (0..self.entries.len()).rev() {
            if let Decision::Revoke { entry } = self.entries[at].decision
                && holds[at]
            {
                holds[entry as usize - 1] = false;
            }
        }
        self.entries.iter().zip(holds).filter_map(|(entry, holds)| holds.then_some(entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn proposal(decision: Decision) -> Proposal {
        Proposal { by: vec!["Ada".into()], recused: vec!["Bob".into()], decision, reason: "because".into() }
    }

    fn note(subject: &str) -> Proposal {
        proposal(Decision::Note { subject: subject.into() })
    }

    /// A log with three entries, and its text.
    fn three() -> (Log, String) {
        let mut log = Log::default();
        for n in 1..=3 {
            log.append(note(&format!("n{n}")), at(n)).unwrap();
        }
        let text = log.to_text();
        (log, text)
    }

    #[test]
    fn a_log_round_trips() {
        let (log, text) = three();
        assert_eq!(Log::read(&text).unwrap(), log);
        assert_eq!(Log::read("").unwrap(), Log::default());
    }

    #[test]
    fn r19_8_1_every_edit_of_a_log_is_found() {
        let (log, text) = three();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for (edited, expected) in [
            (text.replacen("n1", "n9", 1), Damage::Broken(2)),
            (text.replacen("Bob", "Eve", 1), Damage::Broken(2)),
            (format!("{}{}", lines[0], lines[2]), Damage::Broken(2)),
            (format!("{}{}", lines[1], lines[2]), Damage::Broken(1)),
            (format!("{}{}{}", lines[1], lines[0], lines[2]), Damage::Broken(1)),
            (text.trim_end().to_owned(), Damage::Incomplete(3)),
        ] {
            assert_eq!(Log::read(&edited).unwrap_err(), expected, "{edited}");
        }
        assert!(matches!(Log::read("{}\n"), Err(Damage::Malformed { line: 1, .. })));
        // The last entry is covered by its published digest only.
        for cut in [text.replacen("n3", "n9", 1), lines[..2].concat()] {
            let cut = Log::read(&cut).unwrap();
            assert_eq!(cut.contains(log.head()), Err(Damage::NoHead(log.head())));
        }
        assert_eq!(log.contains(Digest::of(lines[0].trim_end().as_bytes())), Ok(()));
    }

    #[test]
    fn r19_8_1_a_decision_has_a_reason_and_recused_organizers_do_not_decide() {
        let (mut log, _) = three();
        let refused = |log: &mut Log, change: fn(&mut Proposal)| {
            let mut proposal = note("x");
            change(&mut proposal);
            log.append(proposal, at(9)).unwrap_err()
        };
        assert_eq!(refused(&mut log, |p| p.reason = " ".into()), Refused::NoReason);
        assert_eq!(refused(&mut log, |p| p.by.clear()), Refused::Nobody);
        assert_eq!(refused(&mut log, |p| p.recused = vec!["Ada".into()]), Refused::Recused("Ada".into()));
        assert_eq!(refused(&mut log, |p| p.decision = Decision::Revoke { entry: 4 }), Refused::NoEntry(4));
        assert_eq!(refused(&mut log, |p| p.decision = Decision::Revoke { entry: 0 }), Refused::NoEntry(0));
        assert_eq!(refused(&mut log, |p| p.decision = Decision::Answer { appeal: 1 }), Refused::NotAnAppeal(1));
        assert!(matches!(log.append(note("x"), at(2)), Err(Refused::Clock { .. })));
        assert_eq!(log.entries().len(), 3);
    }

    #[test]
    fn a_revocation_can_be_revoked() {
        let (mut log, _) = three();
        log.append(proposal(Decision::Revoke { entry: 2 }), at(4)).unwrap();
        let numbers = |log: &Log| log.in_force().map(|entry| entry.number).collect::<Vec<_>>();
        assert_eq!(numbers(&log), [1, 3, 4]);
        log.append(proposal(Decision::Revoke { entry: 4 }), at(5)).unwrap();
        assert_eq!(numbers(&log), [1, 2, 3, 5]);
    }
}
