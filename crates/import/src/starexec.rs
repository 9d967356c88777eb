//! StarExec's tables, and our own: one line for each run.

use crate::ImportError;
use crate::cells::{self, shown};
use crate::collected::{Collected, Counted, Identity, IdentityIx, Row, Stated};
use crate::table::{Columns, Lines, note_counts, wrong_width};
use crate::write::{ENTERED, UNCHECKED};
use agon_domain::{Answer, Claim, Division, End, Evidence, Time, Validity};
use agon_score::Measured;
use csv::ByteRecord;
use rustc_hash::FxHashMap;

/// Reads a table of runs, with the columns of its track.
pub(crate) fn runs(collected: &mut Collected, columns: &Columns, lines: &mut Lines) -> Result<(), ImportError> {
    let table = RunTable::new(columns);
    note_counts(collected, table.counts, &lines.file)?;
    if let Some(column) = table.lacks() {
        collected.lacks(column);
    }
    // Identities by the bytes of their cells, so that names are parsed once for each solver and not for each line.
    let mut known: FxHashMap<Vec<u8>, IdentityIx> = FxHashMap::default();
    let mut key = vec![];
    lines.each(collected, |collected, line, record| {
        table.check_width(record)?;
        let is_entry = cell(record, table.status) == ENTERED.as_bytes();
        key.clear();
        for at in &table.identity {
            let cell = cell(record, *at);
            key.extend(cell.len().to_le_bytes());
            key.extend(cell);
        }
        let identity = match known.get(&key) {
            Some(identity) => *identity,
            None => {
                let identity = collected.identity(&table.identity(record)?);
                known.insert(key.clone(), identity);
                identity
            }
        };
        if let Ok(track) = std::str::from_utf8(cell(record, table.track)).unwrap_or_default().parse() {
            collected.state_track(track);
        }
        if is_entry {
            if !record[table.benchmark].is_empty() {
                return Err(format!("the status '{ENTERED}' is for lines without a benchmark"));
            }
            let logic = cells::name(cell(record, table.logic), "logic")?;
            collected.enter(line, &logic, identity);
            return Ok(());
        }
        table.row(collected, line, record, identity)
    })?;
    if collected.is_mixed() { Err(ImportError::OtherTrack(lines.file.clone())) } else { Ok(()) }
}

/// A cell; empty if the table does not have the column.
fn cell(record: &ByteRecord, at: Option<usize>) -> &[u8] {
    at.and_then(|at| record.get(at)).unwrap_or(b"")
}

/// The positions of the columns.
struct RunTable<'a> {
    columns: &'a Columns,
    counts: Counted,
    benchmark: usize,
    logic: Option<usize>,
    division: Option<usize>,
    track: Option<usize>,
    status: Option<usize>,
    cpu: usize,
    wall: Option<usize>,
    result: usize,
    expected: Option<usize>,
    queries: Option<usize>,
    asserts: Option<usize>,
    /// Correct and wrong answers to queries.
    answers: [Option<usize>; 2],
    /// The reduction of a core, and whether it is refuted.
    core: [Option<usize>; 2],
    /// What the model validator reports: status, error, exception.
    model: [Option<usize>; 3],
    proof: Option<usize>,
    /// The positions of the columns in [`IDENTITY`], in the same order.
    identity: [Option<usize>; IDENTITY.len()],
}

/// The columns that describe a solver: the first four are StarExec's, the others only occur in our own tables.
const IDENTITY: [&str; 14] = [
    "solver",
    "solver id",
    "configuration",
    "configuration id",
    "team",
    "competing",
    "open source",
    "new entrant",
    "derived from",
    "wraps",
    "wraps older",
    "won",
    "note",
    "disqualified",
];

impl<'a> RunTable<'a> {
    fn new(columns: &'a Columns) -> Self {
        let at = |name: &str| columns.at(name);
        let answers = [at("correct-answers"), at("wrong-answers")];
        let core = [at("reduction"), at("result-is-erroneous")];
        let model = ["model_validator_status", "model_validator_error", "model_validator_exception"].map(at);
        let proof = at("proof-validation-result").or_else(|| at("checker-status"));
        let counts = if answers.iter().any(Option::is_some) {
            Counted::Queries
        } else if core.iter().any(Option::is_some) {
            Counted::Reductions
        } else if model[0].is_some() {
            Counted::Models
        } else if proof.is_some() {
            Counted::Proofs
        } else {
            Counted::Answers
        };
        Self {
            columns,
            counts,
            benchmark: columns.needed("benchmark"),
            logic: at("logic"),
            division: at("division"),
            track: at("track"),
            status: at("status"),
            cpu: columns.needed("cpu time"),
            wall: at("wallclock time"),
            result: columns.needed("result"),
            expected: at("expected"),
            queries: at("num_check_sat"),
            asserts: at("number-of-assert-commands"),
            answers,
            core,
            model,
            proof,
            identity: IDENTITY.map(at),
        }
    }

    /// A column that scoring needs and that is missing.
    fn lacks(&self) -> Option<&'static str> {
        let of_queries = [(self.answers[0], "correct-answers"), (self.answers[1], "wrong-answers")];
        let of_cores = [(self.core[0], "reduction"), (self.core[1], "result-is-erroneous")];
        let of_track: &[(Option<usize>, &'static str)] = match self.counts {
            Counted::Queries => &of_queries,
            Counted::Reductions | Counted::CoreSizes => &of_cores,
            Counted::Answers | Counted::Models | Counted::Proofs => &[],
        };
        let of_all = [(self.status, "status"), (self.wall, "wallclock time")];
        of_all.iter().chain(of_track).find(|(at, _)| at.is_none()).map(|(_, name)| *name)
    }

    /// Checks the number of cells. Some tables leave out the last cell if no exception was thrown, or do not quote the
    /// commas in it.
    fn check_width(&self, record: &ByteRecord) -> Result<(), String> {
        let width = self.columns.0.len();
        let has_free_text = self.columns.0.last().is_some_and(|name| name == "model_validator_exception");
        let is_one_less = has_free_text && record.len() + 1 == width;
        if record.len() < width && !is_one_less || record.len() > width && !has_free_text {
            return Err(wrong_width(record.len(), width));
        }
        Ok(())
    }

    /// The solver of a line.
    fn identity(&self, record: &ByteRecord) -> Result<Identity, String> {
        let text = |at: usize| String::from_utf8_lossy(cell(record, self.identity[at])).into_owned();
        let stated_text = |at: usize| self.identity[at].map(|_| text(at));
        let list = |text: String| text.split(';').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        let is_yes = |at: usize| cells::yes_or_no(cell(record, self.identity[at]), IDENTITY[at]);
        let solver = cells::name(cell(record, self.identity[0]), "solver")?;
        let states_something = self.identity[4..].iter().any(Option::is_some);
        let stated = Stated {
            team: stated_text(4),
            competing: is_yes(5)?,
            has_source: is_yes(6)?,
            is_new: is_yes(7)?,
            base: stated_text(8),
            wraps: stated_text(9).map(list),
            wraps_older: is_yes(10)?,
            won: stated_text(11).map(|text| list(text).into_iter().map(Division).collect()),
            note: stated_text(12),
            disqualified: stated_text(13),
        };
        Ok(Identity {
            solver,
            solver_id: text(1),
            configuration: text(2),
            configuration_id: text(3),
            stated: states_something.then_some(stated),
        })
    }

    /// Parses a line and adds it to the rows.
    fn row(
        &self,
        collected: &mut Collected,
        line: u64,
        record: &ByteRecord,
        identity: IdentityIx,
    ) -> Result<(), String> {
        let end = match self.status {
            Some(at) => cells::end(&record[at]).ok_or_else(|| format!("unknown status '{}'", shown(&record[at])))?,
            None => End::Complete,
        };
        let cpu = cells::time(&record[self.cpu], "CPU time")?;
        let wall = match self.wall {
            Some(at) => cells::time(&record[at], "wall-clock time")?,
            None => Some(Time::ZERO),
        };
        let claim = self.claim(record)?;
        let path = cells::path(&record[self.benchmark])?;
        let status = cells::status(cell(record, self.expected))?;
        let queries = count(cell(record, self.queries), "num_check_sat")?;
        let asserts = count(cell(record, self.asserts), "number-of-assert-commands")?;
        let benchmark = match cell(record, self.logic) {
            b"" => collected.benchmark(path)?,
            logic => {
                let logic = std::str::from_utf8(logic).map_err(|_| "the logic is not UTF-8".to_owned())?;
                match cell(record, self.division) {
                    b"" => collected.benchmark_in(path, logic)?,
                    _ => collected.benchmark_of_division(path, logic),
                }
            }
        };
        collected.set_status(benchmark, status)?;
        collected.set_sizes(benchmark, queries, asserts)?;
        let measured = Measured::of(wall.is_some(), cpu.is_some());
        let (wall, cpu) = (wall.unwrap_or_default(), cpu.unwrap_or_default());
        collected.add(line, Row { identity, benchmark, claim, end, wall, cpu, measured });
        Ok(())
    }

    /// The answer of a line, and the evidence for it.
    fn claim(&self, record: &ByteRecord) -> Result<Claim, String> {
        let number = |at: Option<usize>, what: &str| Ok::<u32, String>(count(cell(record, at), what)?.unwrap_or(0));
        let answer = match self.counts {
            Counted::Queries => Answer::Unknown,
            _ => cells::answer(&record[self.result])?,
        };
        let evidence = match self.counts {
            Counted::Answers if cells::is_failure(&record[self.result]) => Evidence::Failure,
            Counted::Answers => Evidence::None,
            Counted::Queries => Evidence::Queries {
                correct: number(self.answers[0], "correct-answers")?,
                wrong: number(self.answers[1], "wrong-answers")?,
            },
            Counted::Reductions | Counted::CoreSizes => {
                let reduction = number(self.core[0], "reduction")?;
                match number(self.core[1], "result-is-erroneous")? {
                    0 => Evidence::Core(reduction),
                    _ => Evidence::RefutedCore,
                }
            }
            Counted::Models => Evidence::Model(model(self.model.map(|at| cell(record, at)))?),
            Counted::Proofs => match cell(record, self.proof) {
                UNCHECKED => Evidence::None,
                b"valid" | b"holey" => Evidence::Proof(Validity::Valid),
                b"invalid" => Evidence::Proof(Validity::Invalid),
                _ => Evidence::Proof(Validity::Undecided),
            },
        };
        Ok(Claim { answer, evidence })
    }
}

/// The count in a cell, or `None` if the cell is empty or `-`.
fn count(cell: &[u8], what: &str) -> Result<Option<u32>, String> {
    match cell {
        b"-" | b"" => Ok(None),
        other => {
            let count = cells::number(other).and_then(|count| u32::try_from(count).ok());
            count.map(Some).ok_or_else(|| format!("{what} '{}' is not a number below 2^32", shown(other)))
        }
    }
}

/// The verdict of the model validator, by its status, error and exception.
fn model([status, error, exception]: [&[u8]; 3]) -> Result<Validity, String> {
    // The official validator throws these exceptions if the output ends where `sat` or the model should begin.
    let is_cut_off = error == b"unhandled_exception"
        && (exception == b"-" || exception.ends_with(b": ( expected") || exception.ends_with(b": sat expected"));
    match status {
        b"VALID" => Ok(Validity::Valid),
        b"INVALID" if is_cut_off => Ok(Validity::CutOff),
        b"INVALID" => Ok(Validity::Invalid),
        b"UNKNOWN" | b"-" | b"" => Ok(Validity::Undecided),
        other => Err(format!("unknown verdict '{}' of the model validator", shown(other))),
    }
}
