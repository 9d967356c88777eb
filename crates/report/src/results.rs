//! The input of a site: plain data, of a competition or of imported results.

use agon_domain::{Answer, Digest, EntrantKind, Limits, Logic, Ruling, Status, Time, Track};
use agon_score::{DivisionScore, Line, Progress, Scores};
use std::io;

/// The published results of one track.
pub struct Results<'a> {
    /// The competition's title.
    pub title: &'a str,
    /// The rulebook's title.
    pub rules: &'a str,
    /// The track.
    pub track: Track,
    /// The limits of a run.
    pub limits: Limits,
    /// The seed, if one was computed.
    pub seed: Option<u32>,
    /// The scores.
    pub scores: &'a Scores,
    /// How many pairs have a verdict, and how many are planned.
    pub progress: Progress,
    /// Why the selection that was run is out of date, if it is.
    pub stale: Option<&'a str>,
    /// Divisions with benchmarks that were not run, with their number of benchmarks, and why.
    pub not_run: &'a [(String, usize, String)],
    /// All solvers.
    pub solvers: &'a [SolverFacts],
    /// All benchmarks with their runs.
    pub benchmarks: &'a [BenchmarkRuns],
    /// Reads a solver's output.
    pub outputs: &'a dyn Fn(&Digest) -> io::Result<Vec<u8>>,
    /// The other tracks of the competition, and the relative addresses of their sites.
    pub other_tracks: &'a [(Track, String)],
}

/// A solver, as far as it is described.
#[derive(Clone, Debug, Default)]
pub struct SolverFacts {
    /// Its name.
    pub name: String,
    /// The version of the solver, if known.
    pub version: String,
    /// Its team.
    pub team: String,
    /// Its kind.
    pub kind: EntrantKind,
    /// Authors and affiliations.
    pub authors: Vec<String>,
    /// Its web site.
    pub website: Option<String>,
    /// The system description.
    pub description: Option<String>,
    /// The solvers that it calls.
    pub wraps: Vec<String>,
    /// The base solver that it extends.
    pub derived_from: Option<String>,
    /// Its number in the seed.
    pub magic: Option<u32>,
    /// The digest of its files.
    pub digest: Option<Digest>,
}

/// A benchmark and the runs on it.
#[derive(Clone, Debug)]
pub struct BenchmarkRuns {
    /// Its path.
    pub path: String,
    /// Its logic.
    pub logic: Logic,
    /// Its status.
    pub status: Status,
    /// The digest of the file as solvers saw it.
    pub digest: Option<Digest>,
    /// What settles a disagreement on it.
    pub settlement: Option<Settlement>,
    /// The runs.
    pub runs: Vec<RunFacts>,
}

/// The settlement of a benchmark on which solvers disagree.
#[derive(Clone, Debug)]
pub struct Settlement {
    /// The correct answer, if there is evidence for one.
    pub answer: Option<Answer>,
    /// The evidence, or what was tried.
    pub detail: String,
}

/// One run.
#[derive(Clone, Debug)]
pub struct RunFacts {
    /// The solver.
    pub solver: String,
    /// Its answer.
    pub answer: Answer,
    /// The ruling, if it was judged.
    pub ruling: Option<Ruling>,
    /// The time that the leading ranking counts for it, if it solved the benchmark there.
    pub solved_in: Option<Time>,
    /// Wall-clock time.
    pub wall: Time,
    /// CPU time.
    pub cpu: Time,
    /// How it ended.
    pub ending: String,
    /// The reason for the ruling, unless it is self-explanatory.
    pub evidence: Option<String>,
    /// Further records, if it was run here.
    pub record: Option<RunRecord>,
}

/// The records of a run that was made here.
#[derive(Clone, Debug)]
pub struct RunRecord {
    /// The number of the pair.
    pub pair: i64,
    /// The attempt.
    pub attempt: u32,
    /// The version of the entrant.
    pub version: Digest,
    /// Peak memory.
    pub memory_bytes: Option<u64>,
    /// The exit code.
    pub exit: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// The limit that ended it, or that it reached.
    pub limit: Option<&'static str>,
    /// The machine.
    pub host: String,
    /// The isolation in force.
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
    /// All runs with their benchmarks.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (&BenchmarkRuns, &RunFacts)> {
        self.benchmarks.iter().flat_map(|benchmark| benchmark.runs.iter().map(move |run| (benchmark, run)))
    }

    /// The divisions, and the logics that make them up if those have other names.
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
