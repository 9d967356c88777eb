//! Results of others, as far as difficulty needs them.

use agon_domain::{Answer, BenchmarkPath, RowError, Status};

/// One solver's run on one benchmark in an earlier competition.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The benchmark, from its logic on.
    pub benchmark: BenchmarkPath,
    /// The solver.
    pub solver: String,
    /// `sat` or `unsat`, if it said so.
    pub answer: Option<Answer>,
    /// What was expected, if it was known.
    pub expected: Option<Status>,
    /// Seconds of CPU time.
    pub cpu_s: f64,
}

impl Run {
    /// Whether it answered, and not against what was expected.
    pub fn is_solved(&self) -> bool {
        self.answer.is_some_and(|answer| self.expected.is_none_or(|expected| answer == expected))
    }
}

/// Reads the runs of a table with the columns `benchmark`, `solver`, `cpu time`, `result` and, if it has that,
/// `expected`: what StarExec and the competitions have published. Rows that make no sense are left out and given back.
pub fn read_runs(table: &[u8]) -> (Vec<Run>, Vec<RowError>) {
    let (mut runs, mut errors) = (vec![], vec![]);
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(table);
    let headings = match reader.headers() {
        Ok(headings) => headings.clone(),
        Err(error) => return (runs, vec![RowError { line: 1, message: error.to_string() }]),
    };
    let column = |name: &str| headings.iter().position(|heading| heading.trim() == name);
    let wanted = ["benchmark", "solver", "cpu time", "result"];
    let [Some(benchmark), Some(solver), Some(cpu), Some(result)] = wanted.map(column) else {
        let message = format!("the columns have to be {}, and may be others", wanted.join(", "));
        return (runs, vec![RowError { line: 1, message }]);
    };
    let expected = column("expected");
    for row in reader.into_records() {
        let line = match &row {
            Ok(row) => row.position().map_or(0, csv::Position::line),
            Err(error) => error.position().map_or(0, csv::Position::line),
        };
        let run = row.map_err(|error| error.to_string()).and_then(|row| {
            let cell = |at: usize| row.get(at).unwrap_or_default().trim();
            let definite = |word: &str| word.parse().ok().filter(|answer: &Answer| answer.is_definite());
            let path = cell(benchmark);
            Ok(Run {
                benchmark: BenchmarkPath::from_logic(path).ok_or_else(|| format!("no part of '{path}' is a logic"))?,
                solver: cell(solver).to_owned(),
                answer: definite(cell(result)),
                expected: expected.map(cell).and_then(definite),
                cpu_s: time(cell(cpu)).ok_or_else(|| format!("'{}' is no CPU time", cell(cpu)))?,
            })
        });
        match run {
            Ok(run) => runs.push(run),
            Err(message) => errors.push(RowError { line, message }),
        }
    }
    (runs, errors)
}

fn time(text: &str) -> Option<f64> {
    text.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0)
}
