//! The input of a site: plain data from a competition or from imported results.

use crate::address;
use agon_domain::{Answer, Digest, EntrantKind, Limits, Logic, Ruling, Status, Time, Track};
use agon_score::{DivisionScore, Line, Progress, Scores};
use std::io;

/// The published results of one track.
pub struct Results<'a> {
    /// The competition's title.
    pub title: &'a str,
    /// The rulebook's title.
    pub rules: &'a str,
    /// The track whose results are published.
    pub track: Track,
    /// The limits of a run.
    pub limits: Limits,
    /// The seed, if one was computed.
    pub seed: Option<u32>,
    /// The scores and rankings of the track.
    pub scores: &'a Scores,
    /// The number of pairs with a verdict, and of planned pairs.
    pub progress: Progress,
    /// The reason why the results are out of date, if they are.
    pub stale: Option<&'a str>,
    /// The divisions that were not run, each with its number of benchmarks and the reason.
    pub not_run: &'a [(String, usize, String)],
    /// All solvers.
    pub solvers: &'a [SolverFacts],
    /// All benchmarks with their runs.
    pub benchmarks: &'a [BenchmarkRuns],
    /// Reads the output with this digest.
    pub outputs: &'a dyn Fn(&Digest) -> io::Result<Vec<u8>>,
    /// The difficulty table of the rules of 2014, if the competition has one (D14-6).
    pub difficulty: Option<&'a DifficultyFacts>,
    /// The other tracks of the competition, and the relative URLs of their sites.
    pub other_tracks: &'a [(Track, String)],
}

/// What the site shows about the difficulty table of 2014.
#[derive(Clone, Debug)]
pub struct DifficultyFacts {
    /// The number of this version.
    pub version: usize,
    /// The date of its last change.
    pub changed: String,
    /// The table in the format of 2014.
    pub text: String,
    /// The table as CSV.
    pub csv: Vec<u8>,
    /// The number of benchmarks of each logic by difficulty, in the classes of [`DIFFICULTY_CLASSES`].
    pub logics: Vec<(String, [usize; DIFFICULTY_CLASSES.len()])>,
}

/// The classes of difficulty that the site counts.
pub const DIFFICULTY_CLASSES: [&str; 7] = ["Trivial", "≤ 1 s", "≤ 10 s", "≤ 100 s", "> 100 s", "Unsolved", "Unknown"];

/// What the site shows about a solver.
#[derive(Clone, Debug, Default)]
pub struct SolverFacts {
    /// The name of the solver.
    pub name: String,
    /// The version of the solver; empty if unknown.
    pub version: String,
    /// The team that submitted the solver.
    pub team: String,
    /// How the solver takes part.
    pub kind: EntrantKind,
    /// Authors and affiliations.
    pub authors: Vec<String>,
    /// The solver's web site.
    pub website: Option<String>,
    /// The system description: a file name or a URL.
    pub description: Option<String>,
    /// The solvers that a wrapper calls.
    pub wraps: Vec<String>,
    /// The base solver of a derived solver.
    pub derived_from: Option<String>,
    /// The magic number that the solver contributes to the seed.
    pub magic: Option<u32>,
    /// The digest of the solver's files.
    pub digest: Option<Digest>,
}

/// A benchmark and the runs on it.
#[derive(Clone, Debug)]
pub struct BenchmarkRuns {
    /// The path of the benchmark.
    pub path: String,
    /// The logic of the benchmark.
    pub logic: Logic,
    /// Whether it is in several divisions, of which `logic` names one, and so has several pages.
    pub is_in_several: bool,
    /// The status of the benchmark.
    pub status: Status,
    /// The digest of the prepared file that solvers got.
    pub digest: Option<Digest>,
    /// The settlement of a disagreement on the benchmark, if there was one and it was examined.
    pub settlement: Option<Settlement>,
    /// The runs of all solvers.
    pub runs: Vec<RunFacts>,
}

impl BenchmarkRuns {
    /// The path of the benchmark's page, relative to the site's root.
    pub(crate) fn page(&self) -> String {
        match self.is_in_several {
            true => address::benchmark(&format!("{}/{}", self.logic, self.path)),
            false => address::benchmark(&self.path),
        }
    }
}

/// The settlement of a benchmark on which solvers disagree.
#[derive(Clone, Debug)]
pub struct Settlement {
    /// The correct answer, if there is evidence for one.
    pub answer: Option<Answer>,
    /// The evidence for the answer, or a description of what was tried.
    pub detail: String,
}

/// What the site shows about a run.
#[derive(Clone, Debug)]
pub struct RunFacts {
    /// The name of the solver.
    pub solver: String,
    /// The solver's answer.
    pub answer: Answer,
    /// The ruling, if the run was judged.
    pub ruling: Option<Ruling>,
    /// The time that the leading ranking counts for the run, if it counts as solved there.
    pub solved_in: Option<Time>,
    /// Wall-clock time of the run.
    pub wall: Time,
    /// CPU time of the run.
    pub cpu: Time,
    /// How the run ended.
    pub ending: String,
    /// The reason for the ruling, unless it is self-explanatory.
    pub evidence: Option<String>,
    /// The record in the database; `None` for an imported result.
    pub record: Option<RunRecord>,
}

/// The part of a run that only a competition's database records.
#[derive(Clone, Debug)]
pub struct RunRecord {
    /// The number of the pair.
    pub pair: i64,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// The version of the entrant.
    pub version: Digest,
    /// Peak memory of the process tree, if measured.
    pub memory_bytes: Option<u64>,
    /// The exit code, if the solver exited.
    pub exit: Option<i32>,
    /// The signal, if one killed the solver.
    pub signal: Option<i32>,
    /// The limit that ended the run, if any.
    pub limit: Option<&'static str>,
    /// The machine on which the run took place.
    pub host: String,
    /// The isolation that was in force.
    pub isolation: String,
    /// The digest of stdout.
    pub stdout: Digest,
    /// The digest of stderr.
    pub stderr: Digest,
}

impl std::fmt::Debug for Results<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Results").field("title", &self.title).field("track", &self.track).finish_non_exhaustive()
    }
}

impl Results<'_> {
    /// All runs, each with its benchmark.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (&BenchmarkRuns, &RunFacts)> {
        self.benchmarks.iter().flat_map(|benchmark| benchmark.runs.iter().map(move |run| (benchmark, run)))
    }

    /// The divisions, followed by the logics that are not divisions themselves.
    pub(crate) fn divisions_and_logics(&self) -> impl Iterator<Item = &DivisionScore> {
        let divisions = &self.scores.divisions;
        let is_new = |logic: &&DivisionScore| divisions.iter().all(|division| division.name != logic.name);
        divisions.iter().chain(self.scores.logics.iter().filter(is_new))
    }

    /// The line of a solver in a ranking of a division.
    pub(crate) fn line(&self, division: &str, kind: agon_domain::ScoreKind, solver: &str) -> Option<&Line> {
        let division = self.scores.divisions.iter().find(|found| found.name.0 == division)?;
        division.rankings.get(&kind)?.iter().find(|line| line.solver == solver)
    }
}
