//! The tables of 2022 and 2023: one of runs, and one of the benchmarks that they refer to by id.

use crate::ImportError;
use crate::cells::{self, shown};
use crate::collected::{Collected, Counted, Identity, IdentityIx, Row};
use crate::table::{Columns, Lines, note_counts};
use agon_domain::{Answer, Claim, End, Evidence, Time};
use agon_score::{BenchmarkIx, Measured};
use rustc_hash::FxHashMap;

/// Reads a table of runs that refer to their benchmarks by id.
pub(crate) fn pairs(collected: &mut Collected, columns: &Columns, lines: &mut Lines) -> Result<(), ImportError> {
    let (benchmark, configuration) = (columns.needed("benchmark_id"), columns.needed("configuration_id"));
    let (cpu_at, wall_at) = (columns.needed("cpu_time"), columns.needed("wallclock_time"));
    let result = columns.needed("result");
    note_counts(collected, Counted::Answers, &lines.file)?;
    let mut known: FxHashMap<Box<[u8]>, IdentityIx> = FxHashMap::default();
    lines.each(collected, |collected, line, record| {
        columns.check_width(record)?;
        let id = cells::number(&record[benchmark])
            .ok_or_else(|| format!("benchmark_id '{}' is not a number", shown(&record[benchmark])))?;
        let cpu = cells::time(&record[cpu_at], "CPU time")?;
        let wall = cells::time(&record[wall_at], "wall-clock time")?;
        let answer = cells::answer(&record[result])?;
        let identity = match known.get(&record[configuration]) {
            Some(identity) => *identity,
            None => {
                let id = cells::name(&record[configuration], "configuration")?;
                let identity = Identity { solver: id.clone(), configuration_id: id, ..Identity::default() };
                let number = collected.identity(&identity);
                known.insert(record[configuration].into(), number);
                number
            }
        };
        let measured = Measured::of(wall.is_some(), cpu.is_some());
        let (wall, cpu) = (wall.unwrap_or_default(), cpu.unwrap_or_default());
        // These tables do not state how a run ended. A run that was stopped has the limit, in whole seconds, as both
        // times.
        let is_stopped =
            answer == Answer::Unknown && cpu == wall && wall.as_nanos() % 1_000_000_000 == 0 && wall > Time::ZERO;
        let end = if is_stopped { End::Timeout } else { End::Complete };
        let claim = Claim { answer, evidence: Evidence::None };
        collected.add_by_id(line, id, Row { identity, benchmark: BenchmarkIx(0), claim, end, wall, cpu, measured });
        Ok(())
    })
}

/// Reads a table of benchmarks with their ids.
pub(crate) fn benchmarks(collected: &mut Collected, columns: &Columns, lines: &mut Lines) -> Result<(), ImportError> {
    let (id, path) = (columns.needed("benchmark_id"), columns.needed("benchmark"));
    let (expected, logic) = (columns.needed("expected"), columns.at("logic"));
    lines.each(collected, |collected, _, record| {
        columns.check_width(record)?;
        let number = cells::number(&record[id])
            .ok_or_else(|| format!("benchmark_id '{}' is not a number", shown(&record[id])))?;
        let path = cells::path(&record[path])?;
        let status = cells::status(&record[expected])?;
        let benchmark = match logic.map_or(&b""[..], |at| &record[at]) {
            b"" => collected.benchmark(path)?,
            logic => collected.benchmark_in(path, &cells::name(logic, "logic")?)?,
        };
        collected.set_status(benchmark, status)?;
        match collected.ids.insert(number, benchmark) {
            Some(other) if other != benchmark => {
                Err(format!("benchmark_id {number} belongs to another benchmark in an earlier line"))
            }
            _ => Ok(()),
        }
    })
}
