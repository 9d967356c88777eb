//! The difficulty of a benchmark, from the results of solvers.

use agon_domain::{Answer, BenchmarkPath, Status};
use std::collections::{BTreeMap, HashSet};

/// `5(1 − solved/total)`, rounded to the nearest integer, halves up (R08-4.10). `None` if there were no solvers: then
/// someone has to decide (R08-4.11).
pub fn difficulty_2008(solved: usize, total: usize) -> Option<u8> {
    let failed = total.checked_sub(solved)?;
    (total > 0).then(|| ((10 * failed + total) / (2 * total)) as u8)
}

/// The difficulty of 2010 to 2012: `5 ln(1 + A²) / ln(1 + 30²)` for an average of A minutes. Of five or more solvers
/// the fastest and the slowest are left out, a failure counts 30 minutes, and without any solver it is 5.
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
    /// The benchmark, from its logic on.
    pub benchmark: BenchmarkPath,
    /// The solver.
    pub solver: String,
    /// The answer.
    pub answer: Answer,
    /// The status of the benchmark.
    pub status: Status,
    /// CPU time in seconds.
    pub cpu_s: f64,
}

impl PastRun {
    /// Whether it answered, without contradicting the status.
    pub fn is_solved(&self) -> bool {
        self.answer.is_definite() && !self.answer.contradicts(self.status)
    }
}

/// The results of solvers on a benchmark in earlier years.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// How many runs there were.
    pub total: usize,
    /// How many solved it, within the limit.
    pub solved: usize,
    /// The CPU time in seconds of each run that solved it, or `None`; wrong answers are left out.
    pub times: Vec<Option<f64>>,
    /// The longest time of a run that solved it.
    pub slowest_s: f64,
}

impl Record {
    /// Whether at least two solvers ran, and all of them solved it within this time (R19-6.5).
    pub fn is_trivial(&self, within_s: f64) -> bool {
        self.total >= 2 && self.solved == self.total && self.slowest_s <= within_s
    }

    /// The time of the fastest solver (D14-4).
    pub fn fastest_s(&self) -> Option<f64> {
        self.times.iter().flatten().copied().min_by(f64::total_cmp)
    }
}

/// The records of each benchmark from these runs. Runs over `limit_s` seconds of CPU time count as failed, and solvers
/// in `except` do not count at all: those with wrong answers are not in good standing (R08-4.10), and a corrected
/// version may replace one (R08-4.12).
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
    fn r08_4_10_difficulty_from_the_share_that_solved_it() {
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
        let trivial: Vec<&str> =
            records.iter().filter(|(_, record)| record.is_trivial(1.0)).map(|(path, _)| path.0.as_str()).collect();
        assert_eq!(trivial, ["QF_A/x"]);
        assert_eq!(records[&BenchmarkPath("QF_A/w".into())].times, [Some(0.1)]);
    }

    #[test]
    fn r08_4_12_solvers_can_be_left_out_and_limits_set() {
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
        // An answer that came too late is a failure, not a wrong answer.
        assert_eq!(record.times, [Some(5.0), None]);
    }
}
