//! Results as a table that can be read again.

use agon_domain::{Answer, Track};
use agon_score::{End, TrackResults};
use std::io;

/// Writes one line for each run, in StarExec's columns and ours. Reading it gives the same rankings under the rules by which
/// the runs were judged; what recognitions and winners need beside that (open source, new entrants, bases of derived
/// solvers) it does not have.
pub fn write_csv(results: &TrackResults<'_>, out: impl io::Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let mut columns =
        vec!["benchmark", "solver", "team", "competing", "status", "cpu time", "wallclock time", "result", "expected"];
    let track: &[&str] = match results.track {
        _ if results.is_incremental => &["wrong-answers", "correct-answers", "num_check_sat"],
        Track::UnsatCore => &["result-is-erroneous", "reduction", "number-of-assert-commands"],
        Track::ModelValidation => &["model_validator_status"],
        Track::Proof => &["proof-validation-result"],
        _ => &[],
    };
    columns.extend(track);
    writer.write_record(&columns)?;
    for run in &results.runs {
        let benchmark = &results.benchmarks[run.benchmark as usize];
        let solver = &results.solvers[run.solver as usize];
        let word = |answer: Answer| if answer == Answer::Unknown { "starexec-unknown" } else { answer.name() };
        let status = match run.end {
            End::Complete => "complete",
            End::Timeout => "timeout",
            End::Memout => "memout",
        };
        let mut row = vec![
            benchmark.name.to_string(),
            solver.name.clone(),
            solver.team.clone(),
            if solver.competing { "yes" } else { "no" }.to_owned(),
            status.to_owned(),
            format!("{:.9}", run.cpu),
            format!("{:.9}", run.wall),
            word(run.answer).to_owned(),
            word(benchmark.status).to_owned(),
        ];
        match results.track {
            _ if results.is_incremental => {
                row.extend([run.errors.to_string(), run.points.to_string(), benchmark.queries.to_string()]);
            }
            Track::UnsatCore => {
                row.extend([run.errors.to_string(), run.points.to_string(), benchmark.asserts.to_string()]);
            }
            Track::Proof => row.push(if run.points > 0 { "valid" } else { "-" }.to_owned()),
            Track::ModelValidation => {
                // That an answer is wrong, answer and status say.
                let is_wrong = run.answer.contradicts(benchmark.status);
                let verdict = match (run.points, run.errors) {
                    (1.., _) => "VALID",
                    (_, 1..) if !is_wrong => "INVALID",
                    _ => "-",
                };
                row.push(verdict.to_owned());
            }
            _ => {}
        }
        writer.write_record(&row)?;
    }
    writer.flush()
}
