//! The tables of 2022 and 2023: pairs, and apart from them the benchmarks that they are about.

use crate::ImportError;
use crate::table::{Counts, Evidence, Identity, Row, Table};
use crate::tables::{Columns, Lines, answer, note_counts, shown, time};
use crate::words;
use agon_domain::{Answer, Time};
use agon_score::End;

/// Pairs whose benchmarks are in another table.
pub(crate) fn pairs(table: &mut Table, columns: &Columns, lines: &mut Lines) -> Result<(), ImportError> {
    let need = |name: &str| columns.at(name).unwrap_or(usize::MAX);
    let (benchmark, configuration) = (need("benchmark_id"), need("configuration_id"));
    let (cpu_at, wall_at, result) = (need("cpu_time"), need("wallclock_time"), need("result"));
    let file = table.file();
    note_counts(table, Counts::Answers, &lines.file)?;
    let mut last = (String::new(), u32::MAX);
    lines.each(table, |table, line, record| {
        if record.len() < columns.0.len() {
            return Err(format!("the line has {} cells, and the headings {}", record.len(), columns.0.len()));
        }
        let id = words::number(&record[benchmark])
            .ok_or_else(|| format!("the benchmark '{}' is no number", shown(&record[benchmark])))?;
        let (cpu, wall) = (time(&record[cpu_at], "CPU time")?, time(&record[wall_at], "wall-clock time")?);
        let answer = answer(&record[result])?;
        if last.1 == u32::MAX || last.0.as_bytes() != &record[configuration] {
            let id = String::from_utf8_lossy(&record[configuration]).into_owned();
            if !words::is_name(&id) {
                return Err("there is no configuration".to_owned());
            }
            let number =
                table.identity(&Identity { solver: id.clone(), configuration_id: id.clone(), ..Identity::default() });
            last = (id, number);
        }
        let identity = last.1;
        // These tables have no status: who was stopped has the limit as both times.
        let is_stopped =
            answer == Answer::Unknown && cpu == wall && wall.as_nanos() % 1_000_000_000 == 0 && wall > Time::ZERO;
        let end = if is_stopped { End::Timeout } else { End::Complete };
        let evidence = Evidence::None;
        let row = Row { identity, benchmark: 0, answer, end, evidence, wrong: 0, count: 0, wall, cpu, file, line };
        match table.ids.get(&id) {
            Some(benchmark) => table.rows.push(Row { benchmark: *benchmark, ..row }),
            None => table.waiting.push((id, row)),
        }
        Ok(())
    })
}

/// The benchmarks, by their ids.
pub(crate) fn benchmarks(table: &mut Table, columns: &Columns, lines: &mut Lines) -> Result<(), ImportError> {
    let need = |name: &str| columns.at(name).unwrap_or(usize::MAX);
    let (id, path, expected) = (need("benchmark_id"), need("benchmark"), need("expected"));
    lines.each(table, |table, _, record| {
        if record.len() < columns.0.len() {
            return Err(format!("the line has {} cells, and the headings {}", record.len(), columns.0.len()));
        }
        let number =
            words::number(&record[id]).ok_or_else(|| format!("the id '{}' is no number", shown(&record[id])))?;
        let path = std::str::from_utf8(&record[path]).map_err(|_| "the benchmark is not UTF-8".to_owned())?;
        let status = words::status(&record[expected])
            .ok_or_else(|| format!("the expected result '{}' is none that is known", shown(&record[expected])))?;
        let benchmark =
            table.benchmark(path).ok_or_else(|| format!("the benchmark '{path}' is in no folder of a logic"))?;
        if table.set_status(benchmark, status) {
            return Err(format!("'{path}' is expected to be {status} here, and something else before"));
        }
        match table.ids.insert(number, benchmark) {
            Some(other) if other != benchmark => Err(format!("the id {number} is that of another benchmark, too")),
            _ => Ok(()),
        }
    })
}
