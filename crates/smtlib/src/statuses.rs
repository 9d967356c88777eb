//! Which `:status` belongs to which query.

use crate::command_text::CommandText;
use std::ops::Range;

/// Assigns the values of `(set-info :status …)` to queries. A status belongs only to the next query. If several precede
/// a query, the last one counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryStatuses {
    next: Option<Vec<u8>>,
    all: Vec<Option<Vec<u8>>>,
    status_places: Vec<Range<usize>>,
    early_queries: Vec<Range<usize>>,
    is_separation: bool,
    has_asserted: bool,
}

impl QueryStatuses {
    /// Records a status. Returns the status that it replaces, if there is another one for the same query.
    pub fn declare(&mut self, value: &[u8]) -> Option<Vec<u8>> {
        self.next.replace(value.to_vec())
    }

    /// Records a query.
    pub fn query(&mut self) {
        self.all.push(self.next.take());
    }

    /// Records a command if it is a status or a query.
    pub fn see(&mut self, command: &CommandText<'_>) -> Seen {
        match (command.name, command.info()) {
            (b"check-sat" | b"check-sat-assuming" | b"check-unsat", _) => {
                if command.name != b"check-sat-assuming" && !self.has_asserted {
                    self.early_queries.push(command.place.clone());
                }
                self.query();
                return Seen::Query;
            }
            (_, Some((b":status", value))) => {
                self.status_places.push(command.place.clone());
                return Seen::Status { replaced: self.declare(value.unwrap_or_default()) };
            }
            (b"assert", _) => self.has_asserted = true,
            (b"declare-heap", _) => self.is_separation = true,
            _ => {}
        }
        Seen::Other
    }

    /// Whether the script is a problem of separation logic. Such a problem has one status, even with several queries.
    pub fn is_separation(&self) -> bool {
        self.is_separation
    }

    /// The ranges that must be hidden from a solver, in the order of the script: the statuses, and a `check-sat` or
    /// `check-unsat` before all assertions of a separation-logic problem. That query is only a marker, but a solver would
    /// answer it (SL19-13).
    pub fn hidden(&self) -> Vec<Range<usize>> {
        let mut hidden = self.status_places.clone();
        if self.is_separation && self.has_asserted {
            hidden.extend_from_slice(&self.early_queries);
            hidden.sort_unstable_by_key(|place| place.start);
        }
        hidden
    }

    /// The status of each query, as written.
    pub fn of_queries(&self) -> &[Option<Vec<u8>>] {
        &self.all
    }
}

/// The kind of a command, as far as [`QueryStatuses`] distinguishes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// A query.
    Query,
    /// A status.
    Status {
        /// The status that it replaces.
        replaced: Option<Vec<u8>>,
    },
    /// Anything else.
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Commands;

    #[test]
    fn a_status_belongs_to_the_next_query_and_to_no_other() {
        let script = b"(set-info :status sat)(push 1)(check-sat)(check-sat)(set-info :status sat)\
            (set-info :status\n  unsat )(echo \"(set-info :status sat)\")(check-sat-assuming (p))(set-info :status sat)";
        let mut statuses = QueryStatuses::default();
        let seen: Vec<Seen> = Commands::new(script).map(|command| statuses.see(&command.unwrap())).collect();
        assert_eq!(statuses.of_queries(), [Some(b"sat".to_vec()), None, Some(b"unsat".to_vec())]);
        assert_eq!(seen[5], Seen::Status { replaced: Some(b"sat".to_vec()) });
    }
}
