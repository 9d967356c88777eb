//! Reads the runs of earlier competitions, from results in any format that can be imported.

use crate::StepError;
use agon_domain::{BenchmarkPath, from_logic};
use agon_library::PastRun;
use agon_score::Run;
use std::path::{Path, PathBuf};

/// Reads the runs in a file, a directory, a pattern or an archive of results. Returns them with the malformed lines.
pub fn past_runs(file: &Path) -> Result<(Vec<PastRun>, Vec<String>), StepError> {
    let mut imported = agon_import::read(&[PathBuf::from(file)])?;
    // If a pair has several runs, all of them count.
    imported.count_duplicates();
    let mut errors: Vec<String> = imported.errors().map(ToString::to_string).collect();
    let more = imported.error_count() - errors.len() as u64;
    if more > 0 {
        errors.push(format!("{}: and {more} more malformed lines", file.display()));
    }
    let results = imported.past_runs();
    let past = |run: &Run| {
        let facts = results.benchmark_of(run);
        let path = from_logic(&facts.name);
        PastRun {
            benchmark: BenchmarkPath(path.to_owned()),
            solver: results.solver_of(run).name.clone(),
            answer: run.claim.answer,
            status: facts.status,
            cpu_s: run.cpu.as_secs_f64(),
        }
    };
    let (measured, others): (Vec<&Run>, Vec<&Run>) = results.runs.iter().partition(|run| run.measured.has_cpu());
    if !others.is_empty() {
        errors.push(format!("{}: {} runs have no CPU time (-1)", file.display(), others.len()));
    }
    Ok((measured.into_iter().map(past).collect(), errors))
}
