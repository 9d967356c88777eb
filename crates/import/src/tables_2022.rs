//! The tables of 2022 and 2023: pairs, and apart from them the benchmarks that they are about.

use crate::ImportError;
use crate::cells::{self, shown};
use crate::collected::{Collected, Counted, Identity, IdentityIx, Row};
use crate::table::{Columns, Lines, note_counts};
use agon_domain::{Answer, Claim, End, Evidence, Time};
use agon_score::{BenchmarkIx, Measured};

/// Pairs whose benchmarks are in another table.
pub(crate) fn pairs(collected: &mut Collected, columns: &Columns, lines: &mut Lines) -> Result<(), ImportError> {
    let (benchmark, configuration) = (columns.needed("benchmark_id"), columns.needed("configuration_id"));
    let (cpu_at, wall_at) = (columns.needed("cpu_time"), columns.needed("wallclock_time"));
    let result = columns.needed("result");
    note_counts(collected, Counted::Answers, &lines.file)?;
    let mut last: Option<(String, IdentityIx)> = None;
    lines.each(collected, |collected, line, record| {
        columns.check_width(record)?;
        let id = cells::number(&record[benchmark])
            .ok_or_else(|| format!("the benchmark '{}' is not a number", shown(&record[benchmark])))?;
        let cpu = cells::time(&record[cpu_at], "CPU time")?;
        let wall = cells::time(&record[wall_at], "wall-clock time")?;
        let answer = cells::answer(&record[result])?;
        let identity = match last.as_ref().filter(|(known, _)| known.as_bytes() == &record[configuration]) {
            Some((_, identity)) => *identity,
            None => {
                let id = String::from_utf8_lossy(&record[configuration]).into_owned();
                if !cells::is_name(&id) {
                    return Err("the configuration has no id, or its id has control characters".to_owned());
                }
                let identity = Identity { solver: id.clone(), configuration_id: id.clone(), ..Identity::default() };
                let number = collected.identity(&identity);
                last = Some((id, number));
                number
            }
        };
        let measured = Measured::of(wall.is_some(), cpu.is_some());
        let (wall, cpu) = (wall.unwrap_or_default(), cpu.unwrap_or_default());
        // These tables have no status. A run that was stopped has the limit as both times.
        let is_stopped =
            answer == Answer::Unknown && cpu == wall && wall.as_nanos() % 1_000_000_000 == 0 && wall > Time::ZERO;
        let end = if is_stopped { End::Timeout } else { End::Complete };
        let claim = Claim { answer, evidence: Evidence::None };
        collected.add_by_id(line, id, Row { identity, benchmark: BenchmarkIx(0), claim, end, wall, cpu, measured });
        Ok(())
    })
}

/// The benchmarks, by their ids.
pub(crate) fn benchmarks(collected: &mut Collected, columns: &Columns, lines: &mut Lines) -> Result<(), ImportError> {
    let (id, path) = (columns.needed("benchmark_id"), columns.needed("benchmark"));
    let expected = columns.needed("expected");
    lines.each(collected, |collected, _, record| {
        columns.check_width(record)?;
        let number =
            cells::number(&record[id]).ok_or_else(|| format!("the id '{}' is not a number", shown(&record[id])))?;
        let path = std::str::from_utf8(&record[path]).map_err(|_| "the benchmark is not UTF-8".to_owned())?;
        let status = cells::status(&record[expected])?;
        let benchmark = collected.benchmark(path).ok_or_else(|| format!("no directory of '{path}' names a logic"))?;
        collected.set_status(benchmark, status)?;
        match collected.ids.insert(number, benchmark) {
            Some(other) if other != benchmark => Err(format!("the id {number} is also that of another benchmark")),
            _ => Ok(()),
        }
    })
}
