//! Progress events of a step.

use agon_domain::{Answer, EntrantName, Track};
use std::fmt;

/// An event during a step.
#[derive(Debug)]
pub enum Event<'a> {
    /// A long task starts.
    Started {
        /// The kind of work.
        work: Work,
        /// The track that the work belongs to, if any.
        track: Option<Track>,
        /// The number of parts of the task; 0 if it is unknown.
        parts: u64,
    },
    /// One part of the task is finished.
    Advanced,
    /// A pair was run and its outcome recorded.
    Recorded {
        /// The name of the solver.
        solver: &'a EntrantName,
        /// The solver's answer, before judging.
        answer: Option<Answer>,
    },
    /// The states of the jobs on a cluster, for display.
    Jobs(&'a str),
    /// No part of the task has finished for a while.
    Waiting,
    /// The task is finished.
    Finished,
    /// Information for the user, one line.
    Note(String),
    /// A warning for the user, one line.
    Warning(String),
}

/// The kinds of work that report progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Reading benchmark files.
    Index,
    /// Preparing benchmarks.
    Prepare,
    /// Running pre-processors.
    Preprocess,
    /// Running pairs.
    Run,
    /// Judging outcomes.
    Judge,
    /// Looking for evidence on disagreements.
    Settle,
    /// Running the solvers of a panel.
    Ask,
    /// Trying solvers on trivial files.
    Check,
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Index => "reading benchmarks",
            Self::Prepare => "preparing",
            Self::Preprocess => "pre-processing",
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
    /// Reports the start of a task.
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
