//! Which `:status` belongs to which query.

use crate::command_text::CommandText;

/// Assigns the values of `(set-info :status …)` to queries. A status belongs to the next query, and to no other; of several
/// before one query the last counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryStatuses {
    next: Option<Vec<u8>>,
    all: Vec<Option<Vec<u8>>>,
}

impl QueryStatuses {
    /// Notes a status. Returns the one that it replaces, if another stands before the same query.
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
                self.query();
                Seen::Query
            }
            (_, Some((b":status", value))) => Seen::Status { replaced: self.declare(value.unwrap_or_default()) },
            _ => Seen::Other,
        }
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
