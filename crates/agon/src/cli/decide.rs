//! The decisions of `agon decide`, and the subcommands of `agon log`.

use super::Format;
use agon_domain::{Digest, EntrantName, Status, Track};
use clap::{Args, Subcommand};

/// Who decides, and why.
#[derive(Args)]
pub struct Made {
    /// Why; published with the results
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// Who decides; by default the user who runs the command. May be repeated
    #[arg(long, value_name = "NAME")]
    pub by: Vec<String>,
    /// An organizer who takes no part because of a conflict of interest. May be repeated
    #[arg(long, value_name = "NAME")]
    pub recused: Vec<String>,
}

#[derive(Subcommand)]
pub enum DecideCommand {
    /// Remove a benchmark from the results; the others are not drawn again (R19-8.1)
    #[command(
        after_help = "Example:\n  agon decide remove-benchmark non-incremental/QF_BV/f/a.smt2 --reason 'ill-typed'"
    )]
    RemoveBenchmark {
        /// The path of the benchmark in the library
        benchmark: String,
        /// Only in this track
        #[arg(long)]
        track: Option<Track>,
        #[command(flatten)]
        made: Made,
    },
    /// Cut a family to a size before the selection, so that it is not over-represented (R19-6.4)
    #[command(
        after_help = "Example:\n  agon decide cut-family non-incremental/QF_BV/sage --to 500 --reason '60 % of the logic'"
    )]
    CutFamily {
        /// The directory of the family in the library
        family: String,
        /// The number of benchmarks that stay eligible
        #[arg(long, value_name = "COUNT")]
        to: usize,
        /// Only in this track
        #[arg(long)]
        track: Option<Track>,
        #[command(flatten)]
        made: Made,
    },
    /// Record that somebody doubts the status of a benchmark
    #[command(
        after_help = "Example:\n  agon decide challenge-status non-incremental/QF_BV/f/a.smt2 unsat --reason 'two solvers agree'"
    )]
    ChallengeStatus {
        /// The path of the benchmark in the library
        benchmark: String,
        /// The status that is claimed: sat, unsat or unknown
        claimed: Status,
        #[command(flatten)]
        made: Made,
    },
    /// Settle the status of a challenged benchmark: from now on it counts instead of that in the file
    #[command(
        after_help = "Example:\n  agon decide settle-status non-incremental/QF_BV/f/a.smt2 unsat --reason 'a proof was checked'"
    )]
    SettleStatus {
        /// The path of the benchmark in the library
        benchmark: String,
        /// The right status: sat, unsat or unknown
        status: Status,
        #[command(flatten)]
        made: Made,
    },
    /// Accept a submitted solver
    #[command(after_help = "Example:\n  agon decide accept mysolver --reason 'complete and on time'")]
    Accept {
        /// The name of the entrant
        entrant: EntrantName,
        #[command(flatten)]
        made: Made,
    },
    /// Refuse a submitted solver: it is not run, and its results do not count
    #[command(after_help = "Example:\n  agon decide refuse mysolver-2 --reason 'a version of mysolver'")]
    Refuse {
        /// The name of the entrant
        entrant: EntrantName,
        #[command(flatten)]
        made: Made,
    },
    /// Withdraw a solver: it is not run, and its results do not count
    #[command(after_help = "Example:\n  agon decide withdraw mysolver --reason 'its authors asked for it'")]
    Withdraw {
        /// The name of the entrant
        entrant: EntrantName,
        #[command(flatten)]
        made: Made,
    },
    /// Disqualify a solver: its results are shown without a rank
    #[command(
        after_help = "Example:\n  agon decide disqualify mysolver --reason 'recognizes benchmarks' --recused Bob"
    )]
    Disqualify {
        /// The name of the entrant
        entrant: EntrantName,
        #[command(flatten)]
        made: Made,
    },
    /// Ban a team or a solver from later editions
    #[command(after_help = "Example:\n  agon decide ban 'My team' --reason 'recognizes benchmarks'")]
    Ban {
        /// The team or solver
        subject: String,
        #[command(flatten)]
        made: Made,
    },
    /// Record an appeal against a decision
    #[command(after_help = "Example:\n  agon decide appeal 3 --from 'My team' --reason 'the file was ill-typed'")]
    Appeal {
        /// The number of the decision in the log
        against: u64,
        /// Who appeals
        #[arg(long, value_name = "NAME")]
        from: String,
        #[command(flatten)]
        made: Made,
    },
    /// Answer an appeal
    #[command(after_help = "Example:\n  agon decide answer 4 --reason 'the file is well-typed by the standard'")]
    Answer {
        /// The number of the appeal in the log
        appeal: u64,
        #[command(flatten)]
        made: Made,
    },
    /// Recognize an outstanding contribution that no score expresses
    #[command(after_help = "Example:\n  agon decide recognize 'My team' --reason '900 benchmarks from practice'")]
    Recognize {
        /// The person, team or solver
        subject: String,
        #[command(flatten)]
        made: Made,
    },
    /// Record that a team accepts the results of its solver in a round (SL19-7)
    #[command(
        after_help = "Example:\n  agon decide accept-results mysolver --round pre-final --reason 'mail of April 2'"
    )]
    AcceptResults {
        /// The name of the entrant
        entrant: EntrantName,
        /// The name of the round
        #[arg(long, value_name = "NAME")]
        round: String,
        #[command(flatten)]
        made: Made,
    },
    /// Revoke an earlier decision, including a freeze
    #[command(after_help = "Example:\n  agon decide revoke 3 --reason 'the appeal is right'")]
    Revoke {
        /// The number of the decision in the log
        entry: u64,
        #[command(flatten)]
        made: Made,
    },
    /// Record anything else that readers of the results should know
    #[command(after_help = "Example:\n  agon decide note machine --reason 'memory was replaced before the runs'")]
    Note {
        /// What it is about
        subject: String,
        #[command(flatten)]
        made: Made,
    },
}

#[derive(Subcommand)]
pub enum LogCommand {
    /// Check that no entry was changed, removed or inserted
    ///
    /// Prints the digest of the last entry, which commits to the whole log if it is published. Exit code 1: the log was
    /// edited.
    #[command(after_help = "Example:\n  agon log verify -C my-comp\n  agon log verify -C my-comp --head DIGEST")]
    Verify {
        /// A digest that was published earlier; the log must still contain its entry
        #[arg(long, value_name = "DIGEST")]
        head: Option<Digest>,
        /// Output format
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
}
