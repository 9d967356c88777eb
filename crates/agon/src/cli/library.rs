//! The options of `agon library`.

use super::{Format, FormatOptions};
use agon_domain::Status;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Subcommand)]
pub enum LibraryCommand {
    /// Write a pack of benchmarks with known status
    #[command(after_help = "Example:\n  agon library generate pack\n  \
        agon library generate pack --family factoring --size 12 --size 14")]
    Generate {
        /// The directory to write to
        directory: PathBuf,
        /// Only these families; by default all
        #[arg(long)]
        family: Vec<String>,
        /// Only these sizes; by default each family's own
        #[arg(long)]
        size: Vec<u32>,
    },
    /// List the families that can be generated
    #[command(after_help = "Example:\n  agon library families")]
    Families(FormatOptions),
    /// Index a directory of benchmarks
    ///
    /// Files that have not changed since the last call are not read again, nor are those read before an interruption.
    /// Removed, moved and corrected benchmarks are recorded in the list of changes. Exit code 1: some files were left
    /// out; each is named with the reason.
    #[command(after_help = "Example:\n  agon library add -C my-comp ~/smt-lib\n  \
        agon library add -C my-comp ~/smt-lib --reason 'wrong status, see issue 12'")]
    Add {
        /// The directory, in SMT-LIB's layout or any other
        directory: PathBuf,
        /// The reason, for the list of changes
        #[arg(long)]
        reason: Option<String>,
        /// Read all files, even those whose size and modification time have not changed
        #[arg(long)]
        reread: bool,
        /// Add benchmarks again that 'agon library remove' removed
        #[arg(long)]
        restore: bool,
    },
    /// Remove a benchmark, with a reason
    #[command(after_help = "Example:\n  agon library remove -C my-comp \
        non-incremental/QF_UF/agon/pigeons/pigeons-sat-006.smt2 --reason 'not in its logic'")]
    Remove {
        /// A benchmark's path in the library, a directory of the library, or the path of a file or directory on disk
        path: String,
        /// The reason, for the list of changes
        #[arg(long)]
        reason: String,
    },
    /// Nominate benchmarks for the challenge, or list the nominations
    ///
    /// The industry challenge runs on exactly these (R19-5.24).
    #[command(after_help = "Example:\n  agon library nominate -C my-comp non-incremental/QF_BV/chips --by 'Ada' \
        --reason 'unsolved within a week'\n  agon library nominate -C my-comp --format csv")]
    Nominate {
        /// A benchmark's path in the library, or a directory of the library; without it, the nominations are listed
        #[arg(requires = "by", requires = "reason")]
        path: Option<String>,
        /// Who nominates it
        #[arg(long, value_name = "NAME", requires = "path")]
        by: Option<String>,
        /// Why it is of interest, and how long it has stayed unsolved
        #[arg(long, requires = "path")]
        reason: Option<String>,
        /// How to print the result
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Bring the difficulty table of 2014 into step with the library, and print it
    ///
    /// Rows are added, moved, corrected and removed as their files are; each change is a new version in
    /// library/difficulty. Selections by difficulty use the table, and refuse one that is out of step (D14-6, D14-8).
    #[command(after_help = "Example:\n  agon library table -C my-comp --results 2013.csv > difficulty.txt\n  \
        agon library table -C my-comp --format csv")]
    Table {
        /// Results whose fastest solver determines the difficulty. May be repeated
        #[arg(long, value_name = "FILE")]
        results: Vec<PathBuf>,
        /// A table of 2014 to start from
        #[arg(long, value_name = "FILE")]
        base: Option<PathBuf>,
        /// How to print the table; 'text' is the format of 2014
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// List the indexed benchmarks
    #[command(after_help = "Example:\n  agon library list -C my-comp --logic QF_BV --status unsat --format csv\n  \
        agon library list -C my-comp --where 'asserts>=2' --where 'source~Smith' --where 'difficulty=5'\n\n\
        Fields: path, part, logic, family, status, category, difficulty, asserts, check_sats, bytes, license, source, \
        sha256.\nOperators: = != < <= > >= and ~ for 'contains'.")]
    List {
        #[command(flatten)]
        filter: Filter,
        /// How to print the result
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Show everything known about a benchmark
    #[command(after_help = "Example:\n  agon library show -C my-comp \
        non-incremental/QF_UF/agon/pigeons/pigeons-sat-006.smt2")]
    Show {
        /// The benchmark's path below the library's root
        path: String,
        /// How to print the result
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// List the benchmarks that are in the library more than once
    #[command(after_help = "Example:\n  agon library duplicates -C my-comp")]
    Duplicates(FormatOptions),
    /// Name the library's current state as a release; from then on it can be corrected but not extended
    #[command(after_help = "Example:\n  agon library freeze -C my-comp first-release")]
    Freeze {
        /// The release's name
        name: String,
    },
    /// List what was added, corrected, moved and removed, and why
    #[command(after_help = "Example:\n  agon library changes -C my-comp --since first-release")]
    Changes {
        /// Only changes after this release
        #[arg(long, value_name = "RELEASE")]
        since: Option<String>,
        /// How to print the result
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Confirm statuses with a panel of solvers
    ///
    /// Every solver is run on every benchmark. Exit code 1: some status is contradicted.
    #[command(after_help = "Example:\n  agon library audit -C my-comp --panel z3,cvc5 --wall 60 --logic QF_BV")]
    Audit(AuditOptions),
    /// Compute how difficult benchmarks are, from results or by trial runs
    ///
    /// Results are tables with the columns benchmark, solver, cpu time, result and expected, as StarExec writes them.
    #[command(after_help = "Example:\n  agon library difficulty --formula 2008 results.csv --format csv\n  \
        agon library difficulty --formula 2014 results.csv --table difficulty-2014.txt > updated.txt\n  \
        agon library difficulty -C my-comp --trial z3,cvc5 --where 'source~new'")]
    Difficulty(DifficultyOptions),
}

#[derive(Args)]
pub struct Filter {
    /// Only this logic
    #[arg(long)]
    pub logic: Option<String>,
    /// Only this status: sat, unsat or unknown
    #[arg(long)]
    pub status: Option<Status>,
    /// Only this family (a directory)
    #[arg(long)]
    pub family: Option<String>,
    /// Only benchmarks that meet this condition: FIELD=VALUE, or with != < <= > >= or ~ ('contains') instead of =
    #[arg(long = "where", value_name = "CONDITION")]
    pub conditions: Vec<String>,
}

/// The benchmarks that solvers are run on, and how the result is printed.
#[derive(Args)]
pub struct Over {
    /// The number of concurrent runs; by default one per core
    #[arg(long, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=4096))]
    pub slots: Option<usize>,
    #[command(flatten)]
    pub filter: Filter,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Args)]
pub struct AuditOptions {
    /// The solvers of the panel: names of fetched or installed solvers, archives or directories
    #[arg(long, value_delimiter = ',', default_value = "z3,cvc5")]
    pub panel: Vec<String>,
    /// How many solvers have to confirm a status
    #[arg(long, default_value_t = 2, value_name = "N")]
    pub confirm: usize,
    /// Wall-clock limit of a run in seconds
    #[arg(long, default_value_t = 20.0)]
    pub wall: f64,
    #[command(flatten)]
    pub over: Over,
}

#[derive(Args)]
pub struct DifficultyOptions {
    /// Tables of results
    #[arg(value_name = "RESULTS")]
    pub results: Vec<PathBuf>,
    /// The formula; by default that of 2008, and with --table that of 2014
    #[arg(long, value_enum)]
    pub formula: Option<Formula>,
    /// Count runs over this many seconds of CPU time as failed; by default 600 for 2008, 1800 for 2010
    #[arg(long, value_name = "SECONDS")]
    pub limit: Option<f64>,
    /// Solvers to ignore, such as those not in good standing (R08-4.10)
    #[arg(long, value_delimiter = ',', value_name = "SOLVER")]
    pub except: Vec<String>,
    /// The 2014 table to update
    #[arg(long, value_name = "FILE")]
    pub table: Option<PathBuf>,
    /// Instead of reading results, run these solvers on the library's benchmarks; for new benchmarks without results
    #[arg(long, value_delimiter = ',', value_name = "SOLVER", conflicts_with = "results")]
    pub trial: Vec<String>,
    /// Wall-clock limit of a trial in seconds
    #[arg(long, default_value_t = 60.0)]
    pub wall: f64,
    #[command(flatten)]
    pub over: Over,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Formula {
    /// 5(1 - solved/total), to the nearest integer
    #[value(name = "2008")]
    Y2008,
    /// 5 ln(1 + A²) / ln(1 + 30²) for an average of A minutes (2010 to 2012)
    #[value(name = "2010")]
    Y2010,
    /// The time of the fastest solver in seconds, or 'trivial'
    #[value(name = "2014")]
    Y2014,
}
