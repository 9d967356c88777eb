//! The options of `agon judge`.

use super::Format;
use agon_domain::Status;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Subcommand)]
pub enum JudgeCommand {
    /// Judge the output of a single-query run
    #[command(after_help = "Example:\n  agon judge single --benchmark file.smt2 --output solver.log\n\n\
        Prints what the competition's post-processor prints and, where a status is known, the verdict. \
        Exit code 1: the answer is wrong.")]
    Single {
        #[command(flatten)]
        files: JudgedFiles,
        /// The status, instead of the benchmark's own: sat, unsat or unknown
        #[arg(long)]
        status: Option<Status>,
        /// Without the official reader's defects: two contradictory answers are no answer
        #[arg(long)]
        strict: bool,
    },
    /// Judge the trace executor's output of an incremental run
    #[command(after_help = "Example:\n  agon judge incremental --output trace.log\n\n\
        Prints what the competition's post-processor prints. Exit code 1: an answer is wrong.")]
    Incremental {
        #[command(flatten)]
        files: JudgedFiles,
        /// The statuses of the queries in order, separated by commas, instead of the benchmark's own
        #[arg(long, value_delimiter = ',')]
        status: Vec<Status>,
        /// Without the official reader's defects: whole answers only, each against its own query's status
        #[arg(long)]
        strict: bool,
        /// Like the post-processor of 2014, whose executor counted by itself
        #[arg(long, conflicts_with = "strict")]
        year_2014: bool,
    },
    /// Judge an unsat core
    #[command(
        after_help = "Example:\n  agon judge core --benchmark file.smt2 --output solver.log --panel z3 --panel cvc5\n\n\
        Every name has to be that of an assertion, and be there once; then each solver of the panel is asked whether the \
        core is unsatisfiable. It is refuted if more say sat than unsat. Exit code 1: the result is erroneous."
    )]
    Core {
        #[command(flatten)]
        files: JudgedFiles,
        /// A solver that votes: a name from the catalogue, an archive or a directory
        #[arg(long, value_name = "SOLVER")]
        panel: Vec<String>,
        /// Time limit of each of them, in seconds
        #[arg(long, value_name = "S", default_value_t = 300.0)]
        wall: f64,
        /// Like the official post-processor, which does not notice unknown names
        #[arg(long)]
        compat: bool,
        /// A limit ended the run, so a core that is cut off is not an error
        #[arg(long)]
        cut: bool,
    },
    /// Judge a model
    #[command(after_help = "Example:\n  agon judge model --benchmark file.smt2 --output solver.log\n\n\
        VALID only if every assertion is true in the model; INVALID with the first assertion that is false, or with what \
        is missing or wrong; UNKNOWN where there is no model or it cannot be decided. Exit code 0: VALID, 1: anything else.")]
    Model {
        #[command(flatten)]
        files: JudgedFiles,
        /// A limit ended the run, so a model that is cut off is not an error
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
        /// The command of a checker, for the shell; {benchmark} and {proof} are replaced by the files
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
