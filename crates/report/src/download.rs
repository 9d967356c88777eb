//! The same results as data.

use crate::Results;
use agon_domain::Ending;
use agon_score::Scores;

/// One line per run.
pub(crate) fn runs_csv(results: &Results<'_>) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(vec![]);
    let mut write = |row: &[String]| writer.write_record(row).expect("writing to memory cannot fail");
    let columns = [
        "pair",
        "track",
        "division",
        "benchmark",
        "status",
        "solver",
        "version",
        "attempt",
        "answer",
        "ruling",
        "wall_s",
        "cpu_s",
        "memory_bytes",
        "exit",
        "signal",
        "limit",
        "host",
        "stdout_sha256",
    ];
    write(&columns.map(str::to_owned));
    for run in results.runs {
        let (pair, outcome) = (&run.pair, &run.outcome);
        let (exit, signal) = match outcome.ending {
            Ending::Exit(code) => (code.to_string(), String::new()),
            Ending::Signal(number) => (String::new(), number.to_string()),
        };
        write(&[
            pair.id.to_string(),
            pair.prepared.track.to_string(),
            pair.prepared.division.to_string(),
            pair.prepared.benchmark.to_string(),
            pair.prepared.status.to_string(),
            pair.entrant.to_string(),
            pair.version.to_string(),
            outcome.attempt.to_string(),
            run.verdict.map_or(String::new(), |verdict| verdict.answer.to_string()),
            run.verdict.map_or(String::new(), |verdict| verdict.ruling.to_string()),
            format!("{:.6}", outcome.wall),
            format!("{:.6}", outcome.cpu),
            outcome.memory_bytes.map_or(String::new(), |bytes| bytes.to_string()),
            exit,
            signal,
            outcome.limit.map_or(String::new(), |limit| limit.name().to_owned()),
            outcome.host.clone(),
            outcome.stdout.to_string(),
        ]);
    }
    writer.into_inner().expect("writing to memory cannot fail")
}

/// One line per solver, division and ranking.
pub fn scores_csv(scores: &Scores) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(vec![]);
    let mut write = |row: &[String]| writer.write_record(row).expect("writing to memory cannot fail");
    let columns = [
        "track",
        "division",
        "ranking",
        "rank",
        "solver",
        "competing",
        "error",
        "correct",
        "wall_s",
        "cpu_s",
        "solved",
        "solved_sat",
        "solved_unsat",
        "unsolved",
        "abstained",
        "timeout",
        "memout",
    ];
    write(&columns.map(str::to_owned));
    for division in &scores.divisions {
        for (kind, lines) in &division.rankings {
            for line in lines {
                write(&[
                    scores.track.to_string(),
                    division.name.to_string(),
                    kind.to_string(),
                    line.rank.map_or(String::new(), |rank| rank.to_string()),
                    line.solver.clone(),
                    line.competing.to_string(),
                    line.error.to_string(),
                    line.correct.to_string(),
                    format!("{:.6}", line.wall),
                    format!("{:.6}", line.cpu),
                    line.solved.to_string(),
                    line.solved_sat.to_string(),
                    line.solved_unsat.to_string(),
                    line.unsolved.to_string(),
                    line.abstained.to_string(),
                    line.timeout.to_string(),
                    line.memout.to_string(),
                ]);
            }
        }
    }
    writer.into_inner().expect("writing to memory cannot fail")
}

/// The scores as `agon score --format json` prints them.
pub(crate) fn scores_json(results: &Results<'_>) -> Vec<u8> {
    let mut json = serde_json::to_vec_pretty(results.scores).expect("scores are plain data");
    json.push(b'\n');
    json
}
