//! The command line. `commands` implements it.

mod calendar;
mod compare;
mod decide;
mod exec;
mod go;
mod import;
mod judge;
mod library;
mod rules;
mod run;
mod score;
mod scramble;
mod select;
mod trace;
mod track;

use agon_domain::{EntrantKind, EntrantName};
use agon_library::TrackShape;
use agon_smtlib::Dialect;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

pub use calendar::{CalendarOptions, FreezeOptions, PublishOptions, RoundOptions};
pub use compare::CompareOptions;
pub use decide::{DecideCommand, LogCommand, Made};
pub use exec::{ExecFormat, ExecOptions};
pub use go::GoOptions;
pub use import::{ExportOptions, ImportFormat, ImportOptions, ReadingOptions};
pub use judge::{JudgeCommand, JudgedFiles};
pub use library::{AuditOptions, DifficultyOptions, Filter, Formula, LibraryCommand};
pub use rules::RulesCommand;
pub use run::{PlaceOptions, RunOptions, WorkerOptions};
pub use score::ScoreOptions;
pub use scramble::{Compat, ScrambleOptions, TermAnnot, in_our_spelling};
pub use select::{RandomOptions, SeedOptions, SelectOptions};
pub use trace::TraceOptions;
pub use track::{TrackChoice, TrackOptions};

/// The heading of options that every command takes.
const GLOBAL: &str = "Global options";

/// Runs a solver competition from benchmark files to a results site, or any single step of it.
///
/// Exit codes: 0 success; 1 success, and the answer is no; 2 wrong usage; 3 something is missing or broken (the message
/// names it and the remedy); 130 interrupted.
#[derive(Parser)]
#[command(name = "agon", version, max_term_width = 100)]
pub struct Cli {
    /// The competition's directory
    #[arg(short = 'C', long = "competition", value_name = "DIR", default_value = ".", global = true)]
    #[arg(help_heading = GLOBAL, display_order = 1000)]
    pub competition: PathBuf,
    /// Run programs without confinement: they can affect this machine. Every outcome records it, and a competition has
    /// to allow it in agon.toml
    #[arg(long, global = true, help_heading = GLOBAL, display_order = 1000)]
    pub unconfined: bool,
    /// Take a step outside its window in the calendar; the reason is recorded in the log of decisions
    #[arg(long = "override", value_name = "REASON", global = true, help_heading = GLOBAL, display_order = 1000)]
    pub override_reason: Option<String>,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Run a small, real competition from end to end
    ///
    /// Writes a benchmark pack, fetches solvers (or uses those on this machine), runs every pair, and ends with a
    /// results site. After an interruption the same command continues.
    #[command(after_help = "Example:\n  agon demo my-demo\n  agon demo my-demo --offline --wall 2")]
    Demo(DemoOptions),
    /// Do all remaining steps of a competition, in order
    ///
    /// Draws the seed, selects, prepares, runs, judges, settles disagreements and writes the site, for every track that
    /// can be run. Steps that are up to date are skipped, so after an interruption the same command continues.
    /// 'agon status' shows what it would do next. Exit code 1: something needs attention (wrong answers, suspected
    /// statuses).
    #[command(after_help = "Example:\n  agon go -C my-comp --index 12888.51\n  agon go -C my-comp --until prepare\n  \
        agon go -C my-comp --track incremental --slots 2")]
    Go(GoOptions),
    /// Show what is done, what is left and what 'agon go' would do next
    #[command(after_help = "Example:\n  agon status -C my-comp\n  agon status -C my-comp --track all\n  \
        agon status -C my-comp --pairs")]
    Status(StatusOptions),
    /// Create a new competition
    #[command(after_help = "Example:\n  agon init my-comp --rules smtcomp-2019 --title 'My competition'")]
    Init(InitOptions),
    /// Manage benchmarks: index, search, audit, rate, release, generate
    Library {
        #[command(subcommand)]
        command: LibraryCommand,
    },
    /// Manage solvers: fetch, enter, check
    Entrant {
        #[command(subcommand)]
        command: EntrantCommand,
    },
    /// Show the dates of the competition, and what is due
    ///
    /// The dates are in [calendar] of agon.toml. A step outside its window is refused; --override REASON takes it
    /// anyway.
    #[command(after_help = "Example:\n  agon calendar -C my-comp\n  agon calendar -C my-comp --ical > my-comp.ics")]
    Calendar(CalendarOptions),
    /// Freeze the versions and magic numbers of the entrants
    ///
    /// Their digests go into the log of decisions. Until the freeze is revoked, entrants cannot be added, changed or
    /// removed, and the seed and the runs use exactly these versions.
    #[command(after_help = "Example:\n  agon freeze -C my-comp\n  agon freeze -C my-comp --round pre-final")]
    Freeze(FreezeOptions),
    /// Publish something on its day in the calendar
    ///
    /// Writes it to the directory 'published' with its checksums, whose digest goes into the log of decisions.
    #[command(after_help = "Example:\n  agon publish -C my-comp checksums\n  agon publish -C my-comp results")]
    Publish(PublishOptions),
    /// Start a round, in which every pair runs again, or list the rounds
    ///
    /// The results of the round before are moved to the directory 'rounds'. SL-COMP has a training, a pre-final and a
    /// final round.
    #[command(after_help = "Example:\n  agon round -C my-comp\n  agon freeze -C my-comp --round final && \
        agon round -C my-comp final")]
    Round(RoundOptions),
    /// Record a decision of the organizers, which takes effect at once
    Decide {
        #[command(subcommand)]
        command: DecideCommand,
    },
    /// Show the log of decisions, or verify it
    ///
    /// Each entry contains the digest of the previous one, so that a later change can be detected.
    #[command(after_help = "Example:\n  agon log -C my-comp\n  agon log verify -C my-comp")]
    Log {
        /// Output format
        #[arg(long, value_enum, default_value_t)]
        format: Format,
        #[command(subcommand)]
        command: Option<LogCommand>,
    },
    /// Compute the competition's seed from the magic numbers
    ///
    /// Prints the whole sum, so that anyone can check it.
    #[command(after_help = "Example:\n  agon seed -C my-comp --index 12888.51\n  \
        agon seed --numbers numbers.tsv --index 12888.51 --rules smtcomp-2020\n\n\
        A numbers file has a line per entrant: its name, a tab and its number; a third column is its kind: competing, \
        non-competing, organizer or competing-organizer.")]
    Seed(SeedOptions),
    /// Select the benchmarks to run, with a reason for each
    ///
    /// From a competition's library, or from files with --rules and --benchmarks. Malformed lines of these files are
    /// reported and left out; the exit code is then 1.
    #[command(after_help = "Example:\n  agon select -C my-comp\n  agon select -C my-comp --format json\n  \
        agon select --rules smtcomp-2019 --track incremental --seed 912681576 --generator python \\\n      \
        --benchmarks all.txt --new new.txt --list\n  \
        agon select --rules smtcomp-2012 --seed 1 --benchmarks eligible.txt --list")]
    Select(SelectOptions),
    /// Prepare the selected benchmarks for solvers
    ///
    /// Scrambles each with the competition's seed, removes its status and gives it a meaningless name.
    #[command(after_help = "Example:\n  agon prepare -C my-comp")]
    Prepare(TrackOptions),
    /// Run all pairs that have no outcome yet
    ///
    /// Press Ctrl-C once to let running pairs finish, twice to stop at once. Run it again to continue.
    #[command(after_help = "Example:\n  agon run -C my-comp --slots 2\n  \
        agon run -C my-comp --on slurm --sbatch=--partition=long --job-length 1800")]
    Run(RunOptions),
    /// Judge all outcomes, or one output
    ///
    /// Ends with a list of what needs attention: wrong answers by solver, suspected statuses, solvers that abort on
    /// everything. Exit code 1: the list is not empty.
    #[command(after_help = "Example:\n  agon judge -C my-comp\n  \
        agon judge -C my-comp --track proof --checker 'alethe=carcara check {proof} {benchmark}'\n  \
        agon judge single --benchmark file.smt2 --output solver.log")]
    Judge {
        #[command(flatten)]
        track: TrackOptions,
        /// A solver that votes on unsat cores, stored for later calls; 'entrants', the default, means all entrants that
        /// are sound on single queries
        #[arg(long, value_name = "SOLVER")]
        panel: Vec<String>,
        /// Time limit for each panel solver on a core, in seconds (R19-5.27)
        #[arg(long, value_name = "S", default_value_t = 300.0)]
        panel_wall: f64,
        /// A shell command that checks proofs: those of entrants with this proof_format, or all. {benchmark} and
        /// {proof} are replaced by the paths of the files; it prints valid, holey or invalid as its first line
        #[arg(long, value_name = "[FORMAT=]COMMAND")]
        checker: Vec<String>,
        /// Time limit for checking a proof, in seconds
        #[arg(long, value_name = "S", default_value_t = 1200.0)]
        checker_wall: f64,
        #[command(subcommand)]
        command: Option<JudgeCommand>,
    },
    /// Rank the solvers of a competition or of result files
    ///
    /// Files may be StarExec tables, the data of SMT-COMP since 2014, or BenchExec results, together with registries of
    /// solvers and lists of benchmarks, queries, statuses and exclusions, compressed or not. The format of each file is
    /// detected.
    #[command(
        after_help = "Example:\n  agon score -C my-comp\n  agon score -C my-comp --format json > scores.json\n  \
        agon score --rules smtcomp-2019 --track unsat-core results.csv.xz solvers.csv --as-published\n  \
        agon score -C my-comp --explain QF_BV z3 --ranking parallel\n  \
        agon score -C my-comp --rules smtcomp-2019 --rules smtcomp-2023 --diff"
    )]
    Score(ScoreOptions),
    /// Write the results site
    ///
    /// Static pages that work from a file path, offline, and on any web server.
    #[command(after_help = "Example:\n  agon report -C my-comp\n  agon report -C my-comp --to /srv/www/results\n  \
        agon report --from results.csv.xz --rules smtcomp-2019 --to site")]
    Report(ReportOptions),
    /// Run pairs again, as new attempts
    ///
    /// Shows the exact command line. The latest attempt counts; earlier ones stay on record.
    #[command(after_help = "Example:\n  agon rerun -C my-comp 17 --reason 'node was swapping'\n  \
        agon rerun -C my-comp z3:factoring-sat-007 --show\n  agon rerun -C my-comp --disturbed")]
    Rerun(RerunOptions),
    /// Write the results of a competition as one table
    ///
    /// 'agon score', 'agon compare' and 'agon import' read it.
    #[command(after_help = "Example:\n  agon export -C my-comp --track single-query > results.csv")]
    Export(ExportOptions),
    /// Run one chunk of pairs as a Slurm job
    ///
    /// Runs the pairs of the chunk that are not in its journal yet, on the cores of this process.
    #[command(after_help = "Example:\n  agon worker my-comp/slurm/agon-1790000000-4711 3\n\n\
        'agon run --on slurm' submits such jobs itself.")]
    Worker(WorkerOptions),
    /// Check benchmark files: syntax, sorts, logic, and a track's commands
    ///
    /// Reports every error with its line, column and code; docs/errors/ has a page for each code. Exit code 1: some
    /// file is not well-formed.
    #[command(after_help = "Example:\n  agon check file.smt2\n  agon check ~/smt-lib --quiet\n  \
        agon check --track incremental --format json *.smt2 > report.jsonl")]
    Check(CheckOptions),
    /// Translate a benchmark to another version of the language
    ///
    /// The result has the same meaning, and thus the same answer. Anything that the other version cannot express is an
    /// error.
    #[command(after_help = "Example:\n  agon translate old.smt --to v2 > new.smt2\n  \
        agon translate new.smt2 --to v1 > old.smt")]
    Translate(TranslateOptions),
    /// Rename and reorder a benchmark so that its origin cannot be recognized
    ///
    /// The result has the same meaning and depends only on the seed. Exit code 1: the file is rejected, and nothing is
    /// printed.
    #[command(
        args_override_self = true,
        after_help = "Example:\n  agon scramble file.smt2 --seed 42 --track single-query\n  \
        agon scramble file.smt2 --seed 42 --track unsat-core --names names.tsv > scrambled.smt2\n  \
        agon scramble --restore names.tsv solver.log\n  \
        agon scramble --compat smtcomp -seed 42 -term_annot pattern < file.smt2"
    )]
    Scramble(ScrambleOptions),
    /// Run one command under limits and isolation, and report what it used
    ///
    /// The command sees only its own processes, has no network, and can write only to its own directory. Restrictions
    /// that this machine cannot enforce are reported. Exit code 0: the command was run, however it ended.
    #[command(after_help = "Example:\n  agon exec --wall 60 --memory 4G -- z3 file.smt2\n  \
        agon exec --cpu 10 --cores 1 --format json --output answer.txt -- ./solver file.smt2\n  \
        agon exec --cpu 10 --format runexec -- ./solver file.smt2")]
    Exec(ExecOptions),
    /// Send a script to a solver command by command, waiting for each answer
    ///
    /// Prints the answers as they arrive. Exit codes are those of the official trace executor. 0: all queries were
    /// answered; 1: unreadable answer, the solver exited, or the script is malformed; 2: an answer is wrong; 124: the
    /// time limit was reached.
    #[command(after_help = "Example:\n  agon trace script.smt2 --wall 60 -- z3 -in\n  \
        agon trace script.smt2 --policy 2011 --log commands.tsv -- yices-smt2 --incremental")]
    Trace(TraceOptions),
    /// Compare two sets of results: gained, lost, faster, slower, disagreements
    ///
    /// Solvers are matched by name; if each set has one solver, these two are compared. Exit code 1: something was
    /// lost, or is wrong now.
    #[command(after_help = "Example:\n  agon compare yesterday.csv today.csv\n  \
        agon compare old.csv new.csv --from z3-4.12 --to z3-4.13 --format json")]
    Compare(CompareOptions),
    /// Read results of other systems and write them as one table
    ///
    /// Reports what the files contain and every malformed line.
    #[command(after_help = "Example:\n  agon import auto results.csv.xz solvers.csv --to results.csv\n  \
        agon import benchexec results.2025-06-01.xml.bz2 --to results.csv")]
    Import(ImportOptions),
    /// List, show and compare rulebooks
    #[command(after_help = "Example:\n  agon rules list\n  agon rules show smtcomp-2019\n  \
        agon rules diff smtcomp-2019 smtcomp-2020")]
    Rules {
        #[command(subcommand)]
        command: RulesCommand,
    },
    /// Print random numbers as C's random() or Python's random module generates them
    #[command(after_help = "Example:\n  agon random --seed 42 --count 5\n  agon random --seed 42 --generator python")]
    Random(RandomOptions),
    /// Test what this machine can enforce on runs, and what disturbs them
    ///
    /// Starts a run that tries to escape, and runs that exceed each limit. Names the remedy for every problem. Exit
    /// code 1: a limit did not hold, or something disturbs runs.
    #[command(after_help = "Example:\n  agon doctor\n  agon doctor --format json")]
    Doctor(DoctorOptions),
    /// Print a completion script for a shell
    #[command(after_help = "Example:\n  agon completions bash > ~/.local/share/bash-completion/completions/agon")]
    Completions { shell: clap_complete::Shell },
    /// Write a manual page for every command
    #[command(after_help = "Example:\n  agon man ~/.local/share/man/man1")]
    Man {
        /// The directory to write to; it is created if necessary
        directory: PathBuf,
    },
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// For spreadsheets
    Csv,
}

#[derive(Args)]
pub struct FormatOptions {
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Args)]
pub struct DoctorOptions {
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Try to escape from the run that this process is part of, to this directory and port outside
    #[arg(long, hide = true, num_args = 2, value_names = ["DIR", "PORT"])]
    pub inside: Vec<String>,
}

#[derive(Args)]
pub struct CheckOptions {
    /// Files, directories, or - for stdin
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The language of the files
    #[arg(long, value_enum, default_value_t)]
    pub dialect: DialectName,
    /// Check the commands that this track allows, by the rules of 2019
    #[arg(long)]
    pub track: Option<TrackShape>,
    /// Reject what the standard does not allow, even if solvers accept it
    #[arg(long)]
    pub strict: bool,
    /// Print nothing about files without errors
    #[arg(long, short)]
    pub quiet: bool,
    /// The number of concurrent files; by default one per core
    #[arg(long, short, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=4096))]
    pub jobs: Option<usize>,
    /// How to print the result; JSON has one object per line
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Args)]
pub struct TranslateOptions {
    /// The file, or - for stdin
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The language to write
    #[arg(long, value_enum)]
    pub to: Target,
    /// The language of the file
    #[arg(long, value_enum, default_value_t)]
    pub dialect: DialectName,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// SMT-LIB 2
    V2,
    /// SMT-LIB 1.2
    V1,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DialectName {
    /// Detected from the file
    #[default]
    Auto,
    /// SMT-LIB 2.0 to 2.7
    V2,
    /// SMT-LIB 1.2
    V1,
    /// SMT-LIB 2 with SL-COMP's separation logic
    Sl,
}

impl From<DialectName> for Dialect {
    fn from(name: DialectName) -> Self {
        match name {
            DialectName::Auto => Self::Auto,
            DialectName::V2 => Self::V2,
            DialectName::V1 => Self::V1,
            DialectName::Sl => Self::Sl,
        }
    }
}

#[derive(Args)]
pub struct DemoOptions {
    /// The directory to create
    #[arg(default_value = "agon-demo")]
    pub directory: PathBuf,
    /// Wall-clock limit of a run in seconds
    #[arg(long, default_value_t = 3.0)]
    pub wall: f64,
    /// The number of concurrent runs; by default one per core
    #[arg(long, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=4096))]
    pub slots: Option<usize>,
    /// Fetch nothing: use solvers fetched before and those on the search path
    #[arg(long)]
    pub offline: bool,
    /// The solvers to enter; by default z3, cvc5, yices and bitwuzla
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub solvers: Vec<String>,
}

#[derive(Args)]
pub struct InitOptions {
    /// The directory to create
    pub directory: PathBuf,
    /// The rulebook of the edition
    #[arg(long, value_name = "RULEBOOK")]
    pub rules: String,
    /// The competition's title
    #[arg(long)]
    pub title: Option<String>,
}

/// A kind of checksum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Algorithm {
    #[default]
    Sha256,
    Md5,
}

#[derive(Subcommand)]
pub enum EntrantCommand {
    /// Fetch known public solvers into your store, pinned by version and digest
    #[command(after_help = "Example:\n  agon entrant fetch z3 cvc5\n\n\
        The store is $AGON_HOME, by default ~/.local/share/agon. 'agon entrant list --available' names the solvers.")]
    Fetch {
        /// The names of the solvers; by default all current ones
        names: Vec<String>,
    },
    /// Enter a solver into the competition
    #[command(after_help = "Example:\n  agon entrant add -C my-comp z3\n  \
        agon entrant add -C my-comp mysolver.tar.gz --team 'My team' --magic 42\n  \
        agon entrant add -C my-comp mathsat-5.6.tar.gz --recipe mathsat --solver-version 5.6\n  \
        agon entrant add -C my-comp ./mysolver --command '--smt2 {benchmark}' --command 'incremental={program} -in'\n\n\
        An archive or directory has an entrant.toml (see docs/solver-authors.md) or StarExec's layout, \
        bin/starexec_run_NAME. A program alone is run with the benchmark's file.")]
    Add {
        /// An archive, a directory, a program, or the name of a fetched or installed solver
        source: String,
        /// Its name in the competition
        #[arg(long)]
        name: Option<EntrantName>,
        /// The solver's version
        #[arg(long = "solver-version", value_name = "VERSION")]
        version: Option<String>,
        /// Its team
        #[arg(long)]
        team: Option<String>,
        /// Its kind: competing, non-competing, organizer, or competing-organizer for a solver of the organizers that
        /// can win
        #[arg(long)]
        kind: Option<EntrantKind>,
        /// Its magic number for the seed, 32 bits unsigned
        #[arg(long, allow_negative_numbers = true)]
        magic: Option<u32>,
        /// The recipe of a solver that is published as an archive; 'agon entrant list --available' names them
        #[arg(long, value_name = "NAME")]
        recipe: Option<String>,
        /// The NAME to use if there are several bin/starexec_run_NAME
        #[arg(long, value_name = "NAME")]
        configuration: Option<String>,
        /// The command line of a program: for one track, or for every track whose solvers read a file. {program} and
        /// {benchmark} are replaced by the paths. May be repeated
        #[arg(long, value_name = "[TRACK=]COMMAND", value_parser = given_command, allow_hyphen_values = true)]
        command: Vec<agon_entrant::GivenCommand>,
    },
    /// Remove a solver from the competition
    ///
    /// Its outcomes stay on record, and count again if the same version is added again.
    #[command(after_help = "Example:\n  agon entrant remove -C my-comp mysolver")]
    Remove {
        /// The solver's name in the competition
        name: EntrantName,
    },
    /// List the entrants, or the solvers that can be entered
    #[command(after_help = "Example:\n  agon entrant list -C my-comp\n  agon entrant list --available")]
    List {
        /// List the solvers that can be fetched, that are published as archives, or that are on this machine
        #[arg(long)]
        available: bool,
        /// How to print the result
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Print the checksums of the submitted archives, as md5sum and sha256sum do
    ///
    /// The archives are kept as they were uploaded, below 'uploads'; the paths are relative to the competition.
    #[command(after_help = "Example:\n  agon entrant checksums -C my-comp > SHA256SUMS\n  \
        cd my-comp && sha256sum -c ../SHA256SUMS")]
    Checksums {
        /// The kind of checksum
        #[arg(long, value_enum, default_value_t)]
        algorithm: Algorithm,
    },
    /// Try solvers on trivial files and report problems
    #[command(after_help = "Example:\n  agon entrant check mysolver.tar.gz\n  agon entrant check -C my-comp")]
    Check {
        /// Archives, directories, or names; by default all entrants of the competition
        sources: Vec<String>,
        /// How to print the result
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
}

fn given_command(text: &str) -> Result<agon_entrant::GivenCommand, String> {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (track, words) = match text.split_once('=') {
        Some((track, rest))
            if track.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') && !track.starts_with('-') =>
        {
            (Some(track.parse().map_err(|error: agon_domain::UnknownTrack| error.to_string())?), words(rest))
        }
        _ => (None, words(text)),
    };
    if words.is_empty() { Err("no command was given".into()) } else { Ok((track, words)) }
}

#[derive(Args)]
pub struct ReportOptions {
    /// Where to write the site; by default site/ in the competition
    #[arg(long, value_name = "DIR")]
    pub to: Option<PathBuf>,
    /// Name winners although some heats are not complete: those heats are ignored (R19-6.8)
    #[arg(long = "final", conflicts_with = "from")]
    pub is_final: bool,
    /// Report these results instead of the competition's: files, directories, patterns or archives; requires --rules
    /// and --to
    #[arg(long, value_name = "RESULTS", num_args = 1.., requires = "rules", requires = "to")]
    pub from: Vec<PathBuf>,
    /// The rulebook to score the results of --from by
    #[arg(long, value_name = "RULEBOOK", requires = "from")]
    pub rules: Option<String>,
    #[command(flatten)]
    pub track: TrackOptions,
    /// Score the results of --from like the published results of the edition
    #[arg(long, requires = "from")]
    pub as_published: bool,
    #[command(flatten)]
    pub reading: ReadingOptions,
}

#[derive(Args)]
pub struct StatusOptions {
    #[command(flatten)]
    pub track: TrackOptions,
    /// List every pair
    #[arg(long)]
    pub pairs: bool,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Args)]
pub struct RerunOptions {
    #[command(flatten)]
    pub track: TrackOptions,
    /// The pair: its number, or SOLVER:BENCHMARK with any part of the benchmark's path
    #[arg(required_unless_present = "disturbed")]
    pub pair: Option<String>,
    /// All pairs whose run was disturbed by something else on the machine
    #[arg(long, conflicts_with = "pair")]
    pub disturbed: bool,
    /// The reason, for the record
    #[arg(long, default_value = "requested")]
    pub reason: String,
    /// Only show the command line
    #[arg(long)]
    pub show: bool,
}
