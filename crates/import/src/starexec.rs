//! Tables of StarExec, with a line for each run.

use crate::ImportError;
use crate::table::{Counts, Evidence, Identity, Row, Table};
use crate::tables::{Columns, Lines, answer, note_counts, shown, time};
use crate::words;
use agon_domain::{Answer, Time};

/// Results of StarExec, with the columns that the tracks have beside the common ones.
pub(crate) fn runs(table: &mut Table, columns: &Columns, lines: &mut Lines) -> Result<(), ImportError> {
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
