//! Which `:status` belongs to which query.

use crate::command_text::CommandText;
use std::ops::Range;

/// Assigns the values of `(set-info :status …)` to queries. A status belongs to the next query, and to no other; of several
/// before one query the last counts.
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
    /// Notes a status. Returns the one that it replaces, if another precedes the same query.
    pub fn declare(&mut self, value: &[u8]) -> Option<Vec<u8>> {
        self.next.replace(value.to_vec())
    }

    /// Notes a query.
    pub fn query(&mut self) {
        self.all.push(self.next.take());
    }

    /// Notes a command: a status, a query, or neither.
    pub fn see(&mut self, command: &CommandText<'_>) -> Seen {
        match (command.name, command.info()) {
            (b"check-sat" | b"check-sat-assuming" | b"check-unsat", _) => {
                if command.name == b"check-sat" && !self.has_asserted {
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

    /// Whether the script is a problem of separation logic. Such a problem has one status, whatever queries it has.
    pub fn is_separation(&self) -> bool {
        self.is_separation
    }

    /// What a solver must not see, in the order of the script: the statuses, and the `check-sat` of a separation-logic
    /// problem that precedes all assertions. That query is a mark for readers, and a solver would answer it (SL19-13).
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

/// What a command is to [`QueryStatuses`].
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
