//! The results as CSV and JSON files.

use crate::{Results, RunRecord};

/// The runs as a CSV table, one line per run.
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
    for (benchmark, run) in results.runs() {
        let record = |cell: fn(&RunRecord) -> Option<String>| run.record.as_ref().and_then(cell).unwrap_or_default();
        write(&[
            record(|record| Some(record.pair.to_string())),
            results.track.to_string(),
            benchmark.logic.to_string(),
            benchmark.path.clone(),
            benchmark.status.to_string(),
            run.solver.clone(),
            record(|record| Some(record.version.to_string())),
            record(|record| Some(record.attempt.to_string())),
            run.ruling.map_or(String::new(), |_| run.answer.to_string()),
            run.ruling.map_or(String::new(), |ruling| ruling.to_string()),
            format!("{:.6}", run.wall),
            format!("{:.6}", run.cpu),
            record(|record| record.memory_bytes.map(|bytes| bytes.to_string())),
            record(|record| record.exit.map(|code| code.to_string())),
            record(|record| record.signal.map(|number| number.to_string())),
            record(|record| record.limit.map(str::to_owned)),
            record(|record| Some(record.host.clone())),
            record(|record| Some(record.stdout.to_string())),
        ]);
    }
    writer.into_inner().expect("writing to memory cannot fail")
}

/// The scores as JSON, as `agon score --format json` prints them.
pub(crate) fn scores_json(results: &Results<'_>) -> Vec<u8> {
    let mut json = serde_json::to_vec_pretty(results.scores).expect("scores are plain data");
    json.push(b'\n');
    json
}
