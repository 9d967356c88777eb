//! Progress events of a step.

use agon_domain::{Answer, EntrantName, Track};
use std::fmt;

/// An event during a step, in order.
#[derive(Debug)]
pub enum Event<'a> {
    /// A long task starts.
    Started {
        /// The kind of work.
        work: Work,
        /// The track, if there is one.
        track: Option<Track>,
        /// The number of parts.
        parts: u64,
    },
    /// One part is done.
    Advanced,
    /// A pair is done and its outcome is recorded.
    Recorded {
        /// The solver.
        solver: &'a EntrantName,
        /// Its answer, right or wrong.
        answer: Option<Answer>,
    },
    /// The states of the cluster's jobs, as text.
    Jobs(&'a str),
    /// Nothing has happened for a while.
    Waiting,
    /// The task is finished.
    Finished,
    /// Information for the user, one line.
    Note(String),
    /// A warning for the user, one line.
    Warning(String),
}

/// Kinds of work with progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Benchmark files are read.
    Index,
    /// Benchmarks are made ready.
    Prepare,
    /// Pairs are run.
    Run,
    /// Outcomes are judged.
    Judge,
    /// Disagreements are looked into.
    Settle,
    /// Solvers are asked about benchmarks.
    Ask,
    /// Solvers are tried on trivial files.
    Check,
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Index => "reading benchmarks",
            Self::Prepare => "preparing",
            Self::Run => "running",
            Self::Judge => "judging",
            Self::Settle => "settling disagreements",
            Self::Ask => "asking solvers",
            Self::Check => "trying solvers",
        })
    }
}

/// A callback for events. It is called on the thread that runs the step.
pub type Observer<'a> = dyn FnMut(Event<'_>) + 'a;

/// Shorthands for common events.
pub(crate) trait Tell {
    /// Starts a task.
    fn start(&mut self, work: Work, track: Option<Track>, parts: usize);
    /// Sends a note.
    fn note(&mut self, line: impl Into<String>);
    /// Sends a warning.
    fn warn(&mut self, line: impl Into<String>);
}

impl Tell for Observer<'_> {
    fn start(&mut self, work: Work, track: Option<Track>, parts: usize) {
        self(Event::Started { work, track, parts: parts as u64 });
    }

    fn note(&mut self, line: impl Into<String>) {
        self(Event::Note(line.into()));
    }

    fn warn(&mut self, line: impl Into<String>) {
        self(Event::Warning(line.into()));
    }
}
