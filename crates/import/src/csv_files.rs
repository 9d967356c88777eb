//! Tables with a line for each run, and the lists that belong to them. The headings say what a table is.

use crate::ImportError;
use crate::registry::Entry;
use crate::source::Source;
use crate::table::{Counts, Evidence, Identity, Row, Table};
use crate::words;
use agon_domain::{Answer, Status, Time};
use agon_score::End;
use csv::ByteRecord;
use std::path::Path;

pub(crate) fn read(table: &mut Table, source: Source, file: &Path) -> Result<(), ImportError> {
    let mut reader =
        csv::ReaderBuilder::new().flexible(true).has_headers(false).buffer_capacity(1 << 16).from_reader(source);
    let failed = |error: csv::Error| match error.into_kind() {
        csv::ErrorKind::Io(error) => ImportError::Io(file.to_owned(), error),
        other => ImportError::Strange(file.to_owned(), format!("{other:?}")),
    };
    let mut headings = ByteRecord::new();
    reader.read_byte_record(&mut headings).map_err(failed)?;
    let names: Vec<String> = headings.iter().map(|name| String::from_utf8_lossy(name).trim().to_lowercase()).collect();
    if let Some(twice) = names.iter().enumerate().find(|(at, name)| !name.is_empty() && names[..*at].contains(name)) {
        return Err(ImportError::Strange(file.to_owned(), format!("two of its columns are called '{}'", twice.1)));
    }
    let columns = Columns(names);
    let mut lines = Lines { reader, file: file.to_owned() };
    match columns.kind() {
        Some(Kind::Runs) => runs(table, &columns, &mut lines),
        Some(Kind::Pairs) => pairs(table, &columns, &mut lines),
        Some(Kind::Benchmarks) => benchmarks(table, &columns, &mut lines),
        Some(Kind::Registry) => registry(table, &columns, &mut lines),
        Some(Kind::Queries) => queries(table, &mut lines),
        Some(Kind::Decided) => decided(table, &mut lines),
        Some(Kind::Excluded) => {
            table.excluded.insert(from_logic(&headings[0]));
            lines.each(table, |table, _, record| {
                table.excluded.insert(from_logic(&record[0]));
                Ok(())
            })
        }
        None => {
            let shown: String = columns.0.join(",").chars().take(100).collect();
            Err(ImportError::Strange(file.to_owned(), format!("its first line is '{shown}'")))
        }
    }
}

/// What a table is.
enum Kind {
    Runs,
    Pairs,
    Benchmarks,
    Registry,
    Queries,
    Decided,
    Excluded,
}

struct Columns(Vec<String>);

impl Columns {
    fn at(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|found| found == name)
    }

    fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.at(name).is_some())
    }

    fn kind(&self) -> Option<Kind> {
        Some(match () {
            () if self.has(&["benchmark", "solver", "status", "cpu time", "wallclock time", "result"]) => Kind::Runs,
            () if self.has(&["benchmark_id", "configuration_id", "cpu_time", "wallclock_time", "result"]) => {
                Kind::Pairs
            }
            () if self.has(&["benchmark_id", "benchmark", "expected"]) => Kind::Benchmarks,
            () if self.has(&["solver name", "competing"]) => Kind::Registry,
            () if self.0 == ["benchmark", "num_check_sat"] => Kind::Queries,
            () if self.0 == ["benchmark", "status"] => Kind::Decided,
            () if self.0.len() == 1 && self.0[0].ends_with(".smt2") => Kind::Excluded,
            () => return None,
        })
    }
}

/// The lines of a table.
struct Lines {
    reader: csv::Reader<Source>,
    file: std::path::PathBuf,
}

impl Lines {
    /// Does something with each line. What it refuses is a fault.
    fn each(
        &mut self,
        table: &mut Table,
        mut take: impl FnMut(&mut Table, u32, &ByteRecord) -> Result<(), String>,
    ) -> Result<(), ImportError> {
        let mut record = ByteRecord::new();
        loop {
            match self.reader.read_byte_record(&mut record) {
                Ok(false) => return Ok(()),
                Ok(true) => {
                    let line = record.position().map_or(0, csv::Position::line);
                    if record.as_slice().contains(&b' ') {
                        record.trim();
                    }
                    if record.as_slice().contains(&b'\n') {
                        table.fault(line, "a cell goes over several lines: a quotation mark is not closed");
                        continue;
                    }
                    if let Err(message) = take(table, line as u32, &record) {
                        table.fault(line, message);
                    }
                }
                Err(error) => {
                    let line = error.position().map_or(0, csv::Position::line);
                    match error.into_kind() {
                        // Half a compressed file, say: what was there before is whole, and not all.
                        csv::ErrorKind::Io(error) => {
                            let line = if line > 0 { line } else { self.reader.position().line() };
                            table.fault(line, format!("the file breaks off here: {error}"));
                            return Ok(());
                        }
                        other => return Err(ImportError::Strange(self.file.clone(), format!("{other:?}"))),
                    }
                }
            }
        }
    }
}

/// A benchmark's path from its logic on, as lists may have it with folders above.
fn from_logic(cell: &[u8]) -> Box<str> {
    let path = String::from_utf8_lossy(cell);
    words::logic(&path).map_or(&*path, |(_, from_logic)| from_logic).into()
}

fn shown(cell: &[u8]) -> String {
    String::from_utf8_lossy(&cell[..cell.len().min(60)]).into_owned()
}

fn time(cell: &[u8], what: &str) -> Result<Time, String> {
    words::seconds(cell).map_err(|fault| format!("the {what} '{}' {fault}", shown(cell)))
}

fn answer(cell: &[u8]) -> Result<Answer, String> {
    words::answer(cell).ok_or_else(|| format!("the result '{}' is none that is known", shown(cell)))
}

/// Results of StarExec, with the columns that the tracks have beside the common ones.
fn runs(table: &mut Table, columns: &Columns, lines: &mut Lines) -> Result<(), ImportError> {
    let at = |name: &str| columns.at(name);
    let need = |name: &str| columns.at(name).unwrap_or(usize::MAX);
    let (benchmark_at, solver_at) = (need("benchmark"), need("solver"));
    let (status_at, cpu_at, wall_at, result_at) =
        (need("status"), need("cpu time"), need("wallclock time"), need("result"));
    let ids = [at("solver id"), at("configuration"), at("configuration id")];
    let (team, competing, queries) = (at("team"), at("competing"), at("num_check_sat"));
    let asserts = at("number-of-assert-commands");
    let expected = at("expected");
    let (wrong, correct) = (at("wrong-answers"), at("correct-answers"));
    let (reduction, erroneous) = (at("reduction"), at("result-is-erroneous"));
    let model = [at("model_validator_status"), at("model_validator_error"), at("model_validator_exception")];
    let proof = at("proof-validation-result").or_else(|| at("checker-status"));
    // Tables of machines that do not count CPU time have -1.
    let may_lack_cpu = at("pair id").is_none();
    let counts = match () {
        () if correct.is_some() => Counts::Queries,
        () if reduction.is_some() => Counts::Reductions,
        () if model[0].is_some() => Counts::Models,
        () if proof.is_some() => Counts::Proofs,
        () => Counts::Answers,
    };
    note_counts(table, counts, &lines.file)?;
    let file = table.file();
    let width = columns.0.len();
    // Some tables leave out the last cell where no exception was thrown, or do not quote the commas in it.
    let has_free_text = columns.0.last().is_some_and(|name| name == "model_validator_exception");
    let mut last = (Identity::default(), u32::MAX);
    lines.each(table, |table, line, record| {
        let is_one_less = has_free_text && record.len() + 1 == width;
        if record.len() < width && !is_one_less || record.len() > width && !has_free_text {
            return Err(format!("the line has {} cells, and the headings {width}", record.len()));
        }
        let cell = |at: Option<usize>| at.and_then(|at| record.get(at)).unwrap_or(b"");
        let path = std::str::from_utf8(&record[benchmark_at]).map_err(|_| "the benchmark is not UTF-8".to_owned())?;
        let end = words::end(&record[status_at])
            .ok_or_else(|| format!("the status '{}' is none that is known", shown(&record[status_at])))?;
        let wall = time(&record[wall_at], "wall-clock time")?;
        let cpu = match &record[cpu_at] {
            b"-1" | b"-1.0" if may_lack_cpu => Time::ZERO,
            other => time(other, "CPU time")?,
        };
        let answer = if counts == Counts::Queries { Answer::Unknown } else { answer(&record[result_at])? };
        let count = |at: Option<usize>, what: &str| match cell(at) {
            b"-" | b"" => Ok(0),
            other => words::number(other)
                .filter(|count| *count <= u64::from(u32::MAX))
                .ok_or_else(|| format!("{what} '{}' is no number that makes sense", shown(other))),
        };
        let (wrong, count) = match counts {
            Counts::Queries => (count(wrong, "wrong-answers")?, count(correct, "correct-answers")?),
            Counts::Reductions => (count(erroneous, "result-is-erroneous")?, count(reduction, "reduction")?),
            _ => (0, 0),
        };
        let evidence = match counts {
            Counts::Models => evidence(cell(model[0]), cell(model[1]), cell(model[2]))?,
            Counts::Proofs if cell(proof) == b"valid" => Evidence::Valid,
            Counts::Answers if words::is_failure(&record[result_at]) => Evidence::Failure,
            _ => Evidence::None,
        };
        if last.1 == u32::MAX
            || last.0.solver.as_bytes() != &record[solver_at]
            || last.0.solver_id.as_bytes() != cell(ids[0])
            || last.0.configuration_id.as_bytes() != cell(ids[2])
            || last.0.configuration.as_bytes() != cell(ids[1])
            || last.0.team.as_bytes() != cell(team)
            || last.0.is_out != (cell(competing) == b"no")
        {
            let text = |cell: &[u8]| String::from_utf8_lossy(cell).into_owned();
            let identity = Identity {
                solver: text(&record[solver_at]),
                solver_id: text(cell(ids[0])),
                configuration: text(cell(ids[1])),
                configuration_id: text(cell(ids[2])),
                team: text(cell(team)),
                is_out: cell(competing) == b"no",
            };
            if !words::is_name(&identity.solver) {
                return Err("there is no solver, or its name has control characters".to_owned());
            }
            if !matches!(cell(competing), b"" | b"yes" | b"no") {
                return Err(format!("'{}' under competing is neither yes nor no", shown(cell(competing))));
            }
            let number = table.identity(&identity);
            last = (identity, number);
        }
        let status = words::status(cell(expected))
            .ok_or_else(|| format!("the expected result '{}' is none that is known", shown(cell(expected))))?;
        let benchmark =
            table.benchmark(path).ok_or_else(|| format!("the benchmark '{path}' is in no folder of a logic"))?;
        if table.set_status(benchmark, status) {
            return Err(format!("'{path}' is expected to be {status} here, and something else before"));
        }
        for (at, set) in [(queries, Table::set_queries as fn(&mut Table, u32, u64)), (asserts, Table::set_asserts)] {
            match cell(at) {
                b"" | b"-" => {}
                number => set(
                    table,
                    benchmark,
                    words::number(number).ok_or_else(|| format!("'{}' is no number", shown(number)))?,
                ),
            }
        }
        let identity = last.1;
        let wrong = u32::try_from(wrong).map_err(|_| "there are too many wrong answers".to_owned())?;
        table.rows.push(Row { identity, benchmark, answer, end, evidence, wrong, count, wall, cpu, file, line });
        Ok(())
    })
}

fn note_counts(table: &mut Table, counts: Counts, file: &Path) -> Result<(), ImportError> {
    if table.set_counts(counts) {
        return Ok(());
    }
    Err(ImportError::Strange(file.to_owned(), "its results are of another track than those before".into()))
}

/// What the validator of models said.
fn evidence(status: &[u8], error: &[u8], exception: &[u8]) -> Result<Evidence, String> {
    let is_cut_off = error == b"unhandled_exception"
        && (exception == b"-" || exception.ends_with(b": ( expected") || exception.ends_with(b": sat expected"));
    match status {
        b"VALID" => Ok(Evidence::Valid),
        b"INVALID" if is_cut_off => Ok(Evidence::CutOff),
        b"INVALID" => Ok(Evidence::Invalid),
        b"UNKNOWN" | b"-" | b"" => Ok(Evidence::None),
        other => Err(format!("the validator's word '{}' is none that is known", shown(other))),
    }
}

/// Pairs whose benchmarks are in another table.
fn pairs(table: &mut Table, columns: &Columns, lines: &mut Lines) -> Result<(), ImportError> {
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

fn benchmarks(table: &mut Table, columns: &Columns, lines: &mut Lines) -> Result<(), ImportError> {
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

fn registry(table: &mut Table, columns: &Columns, lines: &mut Lines) -> Result<(), ImportError> {
    let with = |word: &str| -> Vec<usize> {
        let found = columns.0.iter().enumerate().filter(|(_, name)| name.contains(word));
        found.map(|(at, _)| at).collect()
    };
    let (mut solver_ids, configuration_ids) = (with("solver id"), with("config id"));
    // The id of a preliminary version counts least.
    solver_ids.sort_by_key(|at| columns.0[*at].contains("preliminary"));
    let at = |name: &str| columns.at(name);
    let (name, competing) = (at("solver name"), at("competing"));
    let (variant, wrapper, derived) = (at("variant of"), at("wrapper tool"), at("derived tool"));
    lines.each(table, |table, _, record| {
        let cell =
            |at: Option<usize>| String::from_utf8_lossy(at.and_then(|at| record.get(at)).unwrap_or(b"")).into_owned();
        let competing = match cell(competing).as_str() {
            "yes" => true,
            "no" | "" => false,
            other => return Err(format!("'{other}' under Competing is neither yes nor no")),
        };
        let entry = Entry {
            name: cell(name),
            competing,
            variant_of: cell(variant),
            wraps: cell(wrapper),
            derived_from: cell(derived),
        };
        let ids = |columns: &[usize]| -> Vec<String> { columns.iter().map(|at| cell(Some(*at))).collect() };
        if entry.name.is_empty() {
            return Err("a solver has no name".to_owned());
        }
        table.registry.add(entry, &ids(&solver_ids), &ids(&configuration_ids));
        Ok(())
    })
}

fn queries(table: &mut Table, lines: &mut Lines) -> Result<(), ImportError> {
    lines.each(table, |table, _, record| {
        let count = record.get(1).and_then(words::number).ok_or("there is no number of queries")?;
        table.queries.insert(from_logic(&record[0]), count);
        Ok(())
    })
}

fn decided(table: &mut Table, lines: &mut Lines) -> Result<(), ImportError> {
    lines.each(table, |table, _, record| {
        let status: Option<Status> = record.get(1).and_then(words::status);
        let status = status.ok_or("there is no status")?;
        match table.decided.insert(from_logic(&record[0]), status) {
            Some(other) if other != status => Err("another status was decided before".to_owned()),
            _ => Ok(()),
        }
    })
}
