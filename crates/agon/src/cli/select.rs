//! The options of `agon select` and `agon seed`.

use super::{Format, TrackOptions};
use agon_rulebook::GeneratorName;
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Default)]
pub struct SelectOptions {
    /// The seed, instead of the competition's
    #[arg(long)]
    pub seed: Option<u32>,
    /// The rulebook, to select from files without a competition
    #[arg(long, value_name = "RULEBOOK", requires = "benchmarks")]
    pub rules: Option<String>,
    #[command(flatten)]
    pub track: TrackOptions,
    /// The benchmarks: a list of paths from their logic on, the input of the 2012 program, or a difficulty table of
    /// 2014
    #[arg(long, value_name = "FILE", requires = "rules")]
    pub benchmarks: Option<PathBuf>,
    /// A list of the benchmarks that are new this year
    #[arg(long, value_name = "FILE")]
    pub new: Option<PathBuf>,
    /// A family that is new this year: at least one benchmark of it is selected
    #[arg(long = "new-family", value_name = "DIR")]
    pub new_families: Vec<String>,
    /// A table of statuses and numbers of assertions: benchmark, status, number of asserts
    #[arg(long, value_name = "FILE", requires = "benchmarks")]
    pub facts: Option<PathBuf>,
    /// The status of all benchmarks, for lists with a single status
    #[arg(long, value_name = "STATUS", requires = "benchmarks")]
    pub status: Option<agon_domain::Status>,
    /// Results of earlier years, one file per year; they show which benchmarks are trivial
    #[arg(long, value_name = "FILE")]
    pub results: Vec<PathBuf>,
    /// A table of difficulties: benchmark, difficulty, as 'agon library difficulty --format csv' prints it
    #[arg(long, value_name = "FILE")]
    pub difficulty: Option<PathBuf>,
    /// A list of benchmarks of unknown status that a solver of this year settled
    #[arg(long, value_name = "FILE")]
    pub settled: Option<PathBuf>,
    /// A list of benchmarks to remove: one path per line, optionally followed by a tab and the reason
    #[arg(long, value_name = "FILE")]
    pub exclude: Option<PathBuf>,
    /// The random number generator, instead of the rulebook's: c-random, which the rules name, or python, which the
    /// organizers' scripts of 2019 to 2023 used
    #[arg(long)]
    pub generator: Option<GeneratorName>,
    /// Change a rule: FIELD=VALUE, as in policy.share.percent=40 or policy.cells.unknown_checks=true
    #[arg(long = "set", value_name = "RULE")]
    pub changes: Vec<String>,
    /// Print only the selected benchmarks, in the format of published lists
    #[arg(long)]
    pub list: bool,
    /// Divide each division at random into heats of this size, and print each benchmark's heat
    #[arg(long, value_name = "SIZE", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    pub heats: Option<usize>,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

impl SelectOptions {
    /// Converts these to the options of the library.
    pub fn to_select(&self) -> agon_competition::SelectOptions {
        agon_competition::SelectOptions {
            seed: self.seed,
            new: self.new.clone(),
            new_families: self.new_families.clone(),
            results: self.results.clone(),
            difficulty: self.difficulty.clone(),
            settled: self.settled.clone(),
            exclude: self.exclude.clone(),
            generator: self.generator,
            heats: self.heats,
        }
    }
}

#[derive(Args)]
pub struct SeedOptions {
    /// The opening value of the stock index, if the rules use one
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub index: Option<String>,
    /// The trading day of the index value, as YYYY-MM-DD; published in the ledger
    #[arg(long, value_name = "DATE", requires = "index")]
    pub index_date: Option<String>,
    /// Where the index value was published; published in the ledger
    #[arg(long, value_name = "URL", requires = "index_date")]
    pub index_source: Option<String>,
    /// Replace a seed that was drawn before; everything prepared with it is then run again
    #[arg(long)]
    pub replace: bool,
    /// Read the magic numbers from this file instead of the competition's entrants
    #[arg(long, value_name = "FILE")]
    pub numbers: Option<PathBuf>,
    /// The rulebook of the edition, for numbers from a file
    #[arg(long, value_name = "RULEBOOK", default_value = "smtcomp-2019", requires = "numbers")]
    pub rules: String,
    /// Deviate from the rules in the same way as the organizers did for the published seed
    #[arg(long)]
    pub as_published: bool,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Args)]
pub struct RandomOptions {
    /// The seed, as for srandom()
    #[arg(long)]
    pub seed: u32,
    /// How many numbers to print
    #[arg(long, default_value_t = 10)]
    pub count: u64,
    /// The generator: c-random, or python for its Mersenne twister
    #[arg(long, default_value = "c-random")]
    pub generator: GeneratorName,
}
