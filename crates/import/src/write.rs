//! Writes results as a table that can be imported again.

use agon_domain::{Answer, End, Evidence, Status, Time, Track, Validity};
use agon_score::{BenchmarkFacts, LogicIx, Run, Solver, SolverIx, TrackResults};
use std::collections::HashSet;
use std::io;

/// Writes one line for each run, with StarExec's columns and a few of our own. Importing the table reproduces the
/// scores under every rulebook, by the text and as published.
pub fn write_csv(results: &TrackResults, out: impl io::Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let optional: Vec<&SolverColumn> = SOLVER_COLUMNS.iter().filter(|column| column.is_used(results)).collect();
    let mut columns = vec!["benchmark", "logic", "solver", "team", "competing"];
    columns.extend(optional.iter().map(|column| column.name));
    columns.extend(["status", "cpu time", "wallclock time", "result", "expected"]);
    columns.extend(track_columns(results));
    // A benchmark may be in several divisions, and then has runs in each.
    let names = results.benchmarks.iter().map(|facts| &facts.name);
    let states_division = names.clone().collect::<HashSet<_>>().len() < names.len();
    if states_division {
        columns.push("division");
    }
    let states_track = matches!(results.track, Track::Parallel | Track::Cloud) || results.track.is_nominated();
    if states_track {
        columns.push("track");
    }
    writer.write_record(&columns)?;
    for run in &results.runs {
        let (benchmark, solver) = (results.benchmark_of(run), results.solver_of(run));
        let mut row = vec![
            benchmark.name.to_string(),
            results.logic_of(benchmark).to_string(),
            solver.name.clone(),
            solver.team.clone(),
            yes_or_no(solver.competing),
        ];
        row.extend(optional.iter().map(|column| (column.cell)(results, solver)));
        row.extend([
            match run.end {
                End::Complete => "complete",
                End::Timeout => "timeout",
                End::Memout => "memout",
            }
            .to_owned(),
            time(run.measured.has_cpu().then_some(run.cpu)),
            time(run.measured.has_wall().then_some(run.wall)),
            match (run.claim.answer, run.claim.evidence) {
                (_, Evidence::Failure) => "failure",
                (Answer::Unknown, _) => "starexec-unknown",
                (answer, _) => answer.name(),
            }
            .to_owned(),
            match benchmark.status {
                Status::Unknown => "starexec-unknown",
                status => status.name(),
            }
            .to_owned(),
        ]);
        row.extend(track_cells(results, run, benchmark));
        row.extend(states_division.then(|| results.logic_of(benchmark).to_string()));
        row.extend(states_track.then(|| results.track.name().to_owned()));
        writer.write_record(&row)?;
    }
    // Solvers that entered a logic and have no runs in it.
    let with_runs: HashSet<(LogicIx, SolverIx)> =
        results.runs.iter().map(|run| (results.benchmark_of(run).logic, run.solver)).collect();
    for (logic, number) in results.entered.iter().filter(|entry| !with_runs.contains(entry)) {
        let solver = &results.solvers[*number];
        let mut row = vec![
            String::new(),
            results.logics[*logic].to_string(),
            solver.name.clone(),
            solver.team.clone(),
            yes_or_no(solver.competing),
        ];
        row.extend(optional.iter().map(|column| (column.cell)(results, solver)));
        row.push(ENTERED.to_owned());
        row.resize(columns.len(), String::new());
        writer.write_record(&row)?;
    }
    writer.flush()
}

/// The status of a line without a run, which states that its solver entered the logic.
pub(crate) const ENTERED: &str = "entered";

/// The cell for a proof that was not checked.
pub(crate) const UNCHECKED: &[u8] = b"unchecked";

/// A time, or -1 if it was not measured.
fn time(time: Option<Time>) -> String {
    time.map_or("-1".to_owned(), |time| format!("{time:.9}"))
}

/// A column about solvers that is omitted if it is empty or `no` for all of them.
struct SolverColumn {
    name: &'static str,
    cell: fn(&TrackResults, &Solver) -> String,
}

impl SolverColumn {
    fn is_used(&self, results: &TrackResults) -> bool {
        results.solvers.iter().any(|solver| !matches!((self.cell)(results, solver).as_str(), "" | "no"))
    }
}

const SOLVER_COLUMNS: [SolverColumn; 8] = [
    SolverColumn { name: "open source", cell: |_, solver| yes_or_no(solver.has_source) },
    SolverColumn { name: "new entrant", cell: |_, solver| yes_or_no(solver.is_new) },
    SolverColumn { name: "derived from", cell: |results, solver| names(results, solver.base.iter()) },
    SolverColumn { name: "wraps", cell: |results, solver| names(results, solver.wraps.iter()) },
    SolverColumn { name: "wraps older", cell: |_, solver| yes_or_no(solver.wraps_older) },
    SolverColumn {
        name: "won",
        cell: |_, solver| solver.won.iter().map(|division| division.0.as_str()).collect::<Vec<_>>().join(";"),
    },
    SolverColumn { name: "disqualified", cell: |_, solver| solver.disqualified.clone().unwrap_or_default() },
    SolverColumn { name: "note", cell: |_, solver| solver.note.clone().unwrap_or_default() },
];

fn yes_or_no(is_so: bool) -> String {
    if is_so { "yes" } else { "no" }.to_owned()
}

fn names<'a>(results: &TrackResults, solvers: impl Iterator<Item = &'a SolverIx>) -> String {
    solvers.map(|solver| results.solvers[*solver].name.as_str()).collect::<Vec<_>>().join(";")
}

/// The columns of a track in addition to those that all tracks have.
fn track_columns(results: &TrackResults) -> &'static [&'static str] {
    if results.is_incremental {
        return &["wrong-answers", "correct-answers", "num_check_sat"];
    }
    match results.track {
        Track::UnsatCore => &["result-is-erroneous", "reduction", "number-of-assert-commands"],
        Track::ModelValidation => &["model_validator_status", "model_validator_error", "model_validator_exception"],
        Track::Proof => &["proof-validation-result"],
        Track::SingleQuery
        | Track::Incremental
        | Track::IndustryChallenge
        | Track::IndustryChallengeIncremental
        | Track::Parallel
        | Track::Cloud => &[],
    }
}

/// The cells for [`track_columns`].
fn track_cells(results: &TrackResults, run: &Run, benchmark: &BenchmarkFacts) -> Vec<String> {
    let count = |count: Option<u64>| count.map_or("-".to_owned(), |count| count.to_string());
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    match run.claim.evidence {
        _ if track_columns(results).is_empty() => vec![],
        Evidence::Queries { correct, wrong } => {
            vec![wrong.to_string(), correct.to_string(), count(benchmark.queries)]
        }
        Evidence::Core(reduction) => vec!["0".to_owned(), reduction.to_string(), count(benchmark.asserts)],
        Evidence::RefutedCore => vec!["1".to_owned(), "0".to_owned(), count(benchmark.asserts)],
        Evidence::Model(Validity::Valid) => words(&["VALID", "-", "-"]),
        Evidence::Model(Validity::Invalid) => words(&["INVALID", "invalid", "-"]),
        // The official validator reports this for an output that ends too early.
        Evidence::Model(Validity::CutOff) => words(&["INVALID", "unhandled_exception", "-"]),
        Evidence::Model(Validity::Undecided) => words(&["UNKNOWN", "-", "-"]),
        Evidence::Proof(Validity::Valid) => words(&["valid"]),
        Evidence::Proof(Validity::Invalid | Validity::CutOff) => words(&["invalid"]),
        Evidence::Proof(Validity::Undecided) => words(&["-"]),
        Evidence::None if results.track == Track::Proof => words(&["unchecked"]),
        Evidence::None | Evidence::Failure => track_columns(results).iter().map(|_| "-".to_owned()).collect(),
    }
}
