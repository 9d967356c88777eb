//! The options of `agon judge`.

use super::Format;
use agon_domain::Status;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Subcommand)]
pub enum JudgeCommand {
    /// Judge the output of a single-query run
    #[command(after_help = "Example:\n  agon judge single --benchmark file.smt2 --output solver.log\n\n\
        Prints the same lines as the competition's post-processor and, if the status is known, the verdict. \
        Exit code 1: the answer is wrong.")]
    Single {
        #[command(flatten)]
        files: JudgedFiles,
        /// The status, instead of the benchmark's own: sat, unsat or unknown
        #[arg(long)]
        status: Option<Status>,
        /// Do not reproduce the official reader's defects: two contradictory answers count as no answer
        #[arg(long)]
        strict: bool,
    },
    /// Judge the trace executor's output of an incremental run
    #[command(after_help = "Example:\n  agon judge incremental --output trace.log\n\n\
        Prints the same lines as the competition's post-processor. Exit code 1: an answer is wrong.")]
    Incremental {
        #[command(flatten)]
        files: JudgedFiles,
        /// The statuses of the queries in order, separated by commas, instead of the benchmark's own
        #[arg(long, value_delimiter = ',')]
        status: Vec<Status>,
        /// Do not reproduce the official reader's defects: only complete answers count, each compared with the
        /// status of its own query
        #[arg(long)]
        strict: bool,
        /// Judge like the post-processor of 2014, when the trace executor itself counted correct answers
        #[arg(long, conflicts_with = "strict")]
        year_2014: bool,
    },
    /// Judge an unsat core
    #[command(
        after_help = "Example:\n  agon judge core --benchmark file.smt2 --output solver.log --panel z3 --panel cvc5\n\n\
        Every name in the core must be the name of an assertion and occur only once. Then each solver of the panel is \
        run on the core; the core is refuted if more answer sat than unsat. Exit code 1: the result is erroneous."
    )]
    Core {
        #[command(flatten)]
        files: JudgedFiles,
        /// A solver that votes: a name from the catalogue, an archive or a directory
        #[arg(long, value_name = "SOLVER")]
        panel: Vec<String>,
        /// Time limit of each panel solver, in seconds
        #[arg(long, value_name = "S", default_value_t = 300.0)]
        wall: f64,
        /// Judge like the official post-processor, which accepts unknown names
        #[arg(long)]
        compat: bool,
        /// A limit ended the run, so a truncated core is not an error
        #[arg(long)]
        cut: bool,
    },
    /// Judge a model
    #[command(after_help = "Example:\n  agon judge model --benchmark file.smt2 --output solver.log\n\n\
        VALID only if every assertion is true in the model; INVALID with the first false assertion, or with the part \
        that is missing or wrong; UNKNOWN without a model or a decision. Exit code 0: VALID, 1: anything else.")]
    Model {
        #[command(flatten)]
        files: JudgedFiles,
        /// A limit ended the run, so a truncated model is not an error
        #[arg(long)]
        cut: bool,
    },
    /// Judge a proof, from the log of its checker or by running one
    #[command(after_help = "Example:\n  agon judge proof --output proof.log\n  \
        agon judge proof --benchmark file.smt2 --output proof.alethe --checker 'carcara check {proof} {benchmark}'\n\n\
        Exit code 0: the proof is valid or holey, 1: it is not.")]
    Proof {
        #[command(flatten)]
        files: JudgedFiles,
        /// A shell command that checks the proof; {benchmark} and {proof} are replaced by the paths of the files
        #[arg(long, value_name = "COMMAND")]
        checker: Option<String>,
        /// Time limit of the checker, in seconds
        #[arg(long, value_name = "S", default_value_t = 1200.0)]
        wall: f64,
    },
}

#[derive(Args)]
pub struct JudgedFiles {
    /// The benchmark
    #[arg(long, value_name = "FILE")]
    pub benchmark: Option<PathBuf>,
    /// The solver's output, or - for stdin
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
