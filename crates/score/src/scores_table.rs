//! Scores as CSV.

use crate::Scores;

/// Writes scores as CSV, with one line per division, ranking and solver.
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
