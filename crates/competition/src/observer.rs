//! What a step tells whoever watches it.

use agon_domain::{Answer, EntrantName, Track};
use std::fmt;

/// Something that happens while a step is carried out, in order.
#[derive(Debug)]
pub enum Event<'a> {
    /// A long piece of work begins; it has this many parts.
    Started {
        /// What is done.
        work: Work,
        /// The track, if the work belongs to one.
        track: Option<Track>,
        /// How many parts there are.
        parts: u64,
    },
    /// One more part is done.
    Advanced,
    /// One more pair is done: its outcome is on record.
    Recorded {
        /// The solver.
        solver: &'a EntrantName,
        /// What it answered, whether right or wrong.
        answer: Option<Answer>,
    },
    /// Jobs on the cluster, as a phrase.
    Jobs(&'a str),
    /// Nothing happened for a while.
    Waiting,
    /// The work that was started is over.
    Finished,
    /// Something the user may want to know: one line.
    Note(String),
    /// Something that may spoil the results: one line.
    Warning(String),
}

/// The kinds of work that take long enough to be watched.
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

/// Whoever watches a step. It is called on the thread that carries out the step.
pub type Observer<'a> = dyn FnMut(Event<'_>) + 'a;

/// Shorter ways to tell an observer something.
pub(crate) trait Tell {
    /// Begins a piece of work.
    fn start(&mut self, work: Work, track: Option<Track>, parts: usize);
    /// Tells something worth knowing.
    fn note(&mut self, line: impl Into<String>);
    /// Tells something that may spoil the results.
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
