//! Computes the difficulty of a benchmark from the results of solvers.

use agon_domain::{Answer, BenchmarkPath, Status};
use std::collections::{BTreeMap, HashSet};

/// The difficulty of 2008: `5(1 − solved/total)`, rounded to the nearest integer, halves up (R08-4.10). `None` if there
/// were no solvers; the organizers then decide (R08-4.11).
pub fn difficulty_2008(solved: usize, total: usize) -> Option<u8> {
    let failed = total.checked_sub(solved)?;
    (total > 0).then(|| ((10 * failed + total) / (2 * total)) as u8)
}

/// The difficulty of 2010 to 2012: `5 ln(1 + A²) / ln(1 + 30²)` for an average time of A minutes. With five or more
/// solvers, the fastest and the slowest are ignored. A failure counts as 30 minutes. Without any solver, the difficulty
/// is 5.
pub fn difficulty_2010(minutes: &[Option<f64>]) -> f64 {
    let mut times: Vec<f64> = minutes.iter().map(|time| time.unwrap_or(30.0).min(30.0)).collect();
    if times.is_empty() {
        return 5.0;
    }
    times.sort_by(f64::total_cmp);
    let kept = if times.len() >= 5 { &times[1..times.len() - 1] } else { &times[..] };
    let average = kept.iter().sum::<f64>() / kept.len() as f64;
    5.0 * (1.0 + average * average).ln() / (1.0_f64 + 30.0 * 30.0).ln()
}

/// One solver's run on one benchmark in an earlier competition.
#[derive(Clone, Debug, PartialEq)]
pub struct PastRun {
    /// The path of the benchmark, starting at its logic.
    pub benchmark: BenchmarkPath,
    /// The name of the solver.
    pub solver: String,
    /// The solver's answer.
    pub answer: Answer,
    /// The status of the benchmark.
    pub status: Status,
    /// CPU time in seconds.
    pub cpu_s: f64,
}

impl PastRun {
    /// Whether the answer is definite and does not contradict the status.
    pub fn is_solved(&self) -> bool {
        self.answer.is_definite() && !self.answer.contradicts(self.status)
    }
}

/// The results of solvers on a benchmark in earlier years.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The number of runs.
    pub total: usize,
    /// The number of runs that solved the benchmark within the limit.
    pub solved: usize,
    /// The CPU time of each run in seconds; `None` if it did not solve the benchmark. Wrong answers are left out.
    pub times: Vec<Option<f64>>,
    /// The longest CPU time of a run that solved the benchmark, in seconds.
    pub slowest_s: f64,
}

impl Record {
    /// Whether at least two solvers ran and all of them solved the benchmark within this time.
    pub fn is_solved_by_all_within(&self, seconds: f64) -> bool {
        self.slowest_of_all_s().is_some_and(|slowest| slowest <= seconds)
    }

    /// The CPU time of the slowest solver in seconds, if there are at least two and all of them solved the benchmark
    /// (R19-6.5).
    pub fn slowest_of_all_s(&self) -> Option<f64> {
        (self.total >= 2 && self.solved == self.total).then_some(self.slowest_s)
    }

    /// The CPU time of the fastest solver in seconds (D14-4).
    pub fn fastest_s(&self) -> Option<f64> {
        self.times.iter().flatten().copied().min_by(f64::total_cmp)
    }
}

/// Collects the runs of each benchmark. Runs over `limit_s` seconds of CPU time count as failed. Solvers in `except` do
/// not count at all: those with wrong answers are not in good standing (R08-4.10), and a corrected version may replace
/// a solver (R08-4.12).
pub fn records(runs: &[PastRun], limit_s: Option<f64>, except: &HashSet<String>) -> BTreeMap<BenchmarkPath, Record> {
    let mut records: BTreeMap<BenchmarkPath, Record> = BTreeMap::new();
    for run in runs.iter().filter(|run| !except.contains(&run.solver)) {
        let record = records.entry(run.benchmark.clone()).or_default();
        let is_solved = run.is_solved() && limit_s.is_none_or(|limit| run.cpu_s <= limit);
        record.total += 1;
        if is_solved {
            record.solved += 1;
            record.slowest_s = record.slowest_s.max(run.cpu_s);
        }
        let is_wrong = run.answer.contradicts(run.status);
        if !is_wrong {
            record.times.push(is_solved.then_some(run.cpu_s));
        }
    }
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r08_4_10_difficulty_from_the_share_of_solvers() {
        for (solved, total, difficulty) in
            [(0, 1, 5), (1, 1, 0), (1, 2, 3), (9, 10, 1), (19, 20, 0), (3, 10, 4), (1, 10, 5), (7, 10, 2), (4, 5, 1)]
        {
            assert_eq!(difficulty_2008(solved, total), Some(difficulty), "{solved} of {total}");
        }
        assert_eq!(difficulty_2008(0, 0), None);
        assert_eq!(difficulty_2008(2, 1), None);
    }

    #[test]
    fn the_difficulty_of_2010() {
        assert_eq!(difficulty_2010(&[]), 5.0);
        assert_eq!(difficulty_2010(&[None, None]), 5.0);
        assert_eq!(difficulty_2010(&[Some(0.0)]), 0.0);
        let five = difficulty_2010(&[Some(0.0), Some(1.0), Some(1.0), Some(1.0), None]);
        assert!((five - 5.0 * 2_f64.ln() / 901_f64.ln()).abs() < 1e-12);
    }

    /// Runs from lines of benchmark, solver, CPU time, answer and status.
    fn runs(lines: &[(&str, &str, f64, &str, &str)]) -> Vec<PastRun> {
        let run = |(benchmark, solver, cpu_s, answer, status): &(&str, &str, f64, &str, &str)| PastRun {
            benchmark: BenchmarkPath((*benchmark).into()),
            solver: (*solver).into(),
            answer: answer.parse().unwrap(),
            status: status.parse().unwrap(),
            cpu_s: *cpu_s,
        };
        lines.iter().map(run).collect()
    }

    #[test]
    fn r19_6_5_trivial_means_solved_by_all_within_a_second() {
        let runs = runs(&[
            ("QF_A/x", "a", 0.9, "sat", "sat"),
            ("QF_A/x", "b", 1.0, "sat", "unknown"),
            ("QF_A/y", "a", 0.1, "sat", "sat"),
            ("QF_A/y", "b", 1.1, "sat", "sat"),
            ("QF_A/z", "a", 0.1, "sat", "sat"),
            ("QF_A/w", "a", 0.1, "sat", "sat"),
            ("QF_A/w", "b", 0.1, "unsat", "sat"),
            ("QF_A/v", "a", 0.1, "unknown", "sat"),
            ("QF_A/v", "b", 0.1, "sat", "sat"),
        ]);
        let records = records(&runs, None, &HashSet::new());
        let trivial: Vec<&str> = records
            .iter()
            .filter(|(_, record)| record.is_solved_by_all_within(1.0))
            .map(|(path, _)| path.0.as_str())
            .collect();
        assert_eq!(trivial, ["QF_A/x"]);
        assert_eq!(records[&BenchmarkPath("QF_A/w".into())].times, [Some(0.1)]);
    }

    #[test]
    fn r08_4_12_solvers_can_be_excluded_and_a_limit_set() {
        let runs = runs(&[
            ("QF_A/x", "a", 5.0, "sat", "unknown"),
            ("QF_A/x", "b", 900.0, "sat", "unknown"),
            ("QF_A/x", "c", 1.0, "unknown", "unknown"),
        ]);
        let path = BenchmarkPath("QF_A/x".into());
        let except = HashSet::from(["c".to_owned()]);
        let record = &records(&runs, Some(600.0), &except)[&path];
        assert_eq!((record.solved, record.total), (1, 2));
        assert_eq!(record.fastest_s(), Some(5.0));
        // An answer after the limit is a failure, not a wrong answer.
        assert_eq!(record.times, [Some(5.0), None]);
    }
}
