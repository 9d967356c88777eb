//! The steps of a competition, in order, as functions over its directory.
//!
//! The steps are [`index`], [`enter`], [`draw_seed`], [`select`], [`prepare`], [`run`], [`judge`], [`settle`],
//! [`gather`] (and score) and [`report`]. [`go`] performs all remaining ones. Each step takes a
//! [`Competition`](agon_store::Competition), its options and an [`Observer`] for progress, returns data, and prints
//! nothing.
//!
//! Every step uses the current [`Plan`], which is derived from the entrants, the limits and the prepared benchmarks.
//! Programs that run outside the plan (panels, votes on cores, settlements, proof checkers, trials of entrants) share
//! one [`Machine`].

mod candidates;
mod check;
mod cluster;
mod cores;
mod decide;
mod difficulty_table;
mod enter;
mod entries;
mod error;
mod freeze;
mod gate;
mod gather;
mod go;
mod heats;
mod index;
mod judge;
mod machine;
mod observer;
mod panel;
pub mod parallel;
mod past_runs;
mod plan;
mod prepare;
mod preprocess;
mod proofs;
mod publish;
mod readiness;
mod report;
mod rerun;
mod round;
mod run;
mod runner;
mod seed;
mod select;
mod settle;
mod status;

pub use candidates::ListOptions;
pub use check::{Checked, check_entrant, check_source};
pub use cores::reduced;
pub use decide::{decide, entry_states};
pub use difficulty_table::{DifficultyTable, difficulty_table};
pub use enter::{Source, enter, on_this_machine, withdraw};
pub use entries::entry_shortfalls;
pub use error::StepError;
pub use freeze::{Frozen, freeze};
pub use gather::{Finality, Gathered, NOT_IN_HEATS, gather};
pub use go::{GoOptions, Gone, Step, UnknownStep, found_all, go, refuse};
pub use index::{IndexOptions, Indexed, index, nominate, remove};
pub use judge::{JudgeOptions, JudgeSummary, judge};
pub use machine::{Interrupts, Machine, REMEDY, Walls};
pub use observer::{Event, Observer, Work};
pub use panel::{Panel, Reply};
pub use past_runs::past_runs;
pub use plan::{Plan, Tracks, counted, default_track, repeated_because, track_rules};
pub use prepare::{Preparation, prepare};
pub use proofs::check_proof;
pub use publish::{Publishing, publish};
pub use readiness::{Freshness, Readiness};
pub use report::{Published, report, report_results};
pub use rerun::{Again, Repeat, Repetition};
pub use round::{Round, rounds, start_round};
pub use run::{RunOptions, RunSummary, SlurmOptions, run, warn_without_groups};
pub use runner::{find_program, plain_environment};
pub use seed::{SeedOptions, draw_seed};
pub use select::{SelectOptions, Selected, select, select_from_files, selection_rules};
pub use settle::{Review, Suspect, printable, review, settle};
pub use status::{Next, SolverStatus, TrackStatus, next_step, status};
