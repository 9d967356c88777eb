//! Panels: solvers that are run on benchmarks outside the plan.

use crate::enter::Source;
use crate::error::{At, Blame};
use crate::observer::{Tell, Work};
use crate::runner::{Scratch, Solver, limits, readable_directory, run_solver};
use crate::{Event, Machine, Observer, StepError, parallel};
use agon_domain::{Answer, Limits, Scrambling, Track};
use agon_entrant::Details;
use agon_judge::single_answer;
use agon_library::{Entry, read_pinned};
use agon_scramble::prepare;
use std::fmt;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A panel of solvers, with their files unpacked.
#[derive(Debug)]
pub struct Panel {
    members: Vec<Solver>,
    /// The unpacked files, which are removed when the panel is dropped.
    _files: TempDir,
}

/// The answer of one solver.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The name and version of the solver.
    pub solver: String,
    /// The solver's answer, if it can be parsed.
    pub answer: Option<Answer>,
    /// CPU time in seconds.
    pub cpu_s: f64,
    /// Wall-clock time in seconds.
    pub wall_s: f64,
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let answer = self.answer.map_or("nothing", Answer::name);
        write!(f, "{} answers {answer} after {:.2} s", self.solver, self.cpu_s)
    }
}

impl Panel {
    /// Opens a panel of solvers, each given by name or as an archive, a directory or a program.
    pub fn open(sources: &[String]) -> Result<Self, StepError> {
        let files = readable_directory()?;
        let mut members: Vec<Solver> = vec![];
        for (number, source) in sources.iter().enumerate() {
            let place = files.path().join(number.to_string());
            fs::create_dir(&place).at(&place)?;
            let submission = Source::find(source)?.open(&Details::default(), &place)?;
            if members.iter().any(|other| other.submission.name == submission.name) {
                return Err(StepError::Usage(format!(
                    "{} is in the panel twice and would confirm its own answers; name it once",
                    submission.name
                )));
            }
            members.push(Solver { submission, files: place, digest: None });
        }
        Ok(Self { members, _files: files })
    }

    pub(crate) fn members(&self) -> &[Solver] {
        &self.members
    }

    /// Runs every solver on every benchmark whose logic it enters. Returns the answers for each benchmark.
    pub fn ask_all(
        &self,
        machine: &Machine,
        entries: &[&Entry],
        wall_s: f64,
        slots: Option<usize>,
        observer: &mut Observer<'_>,
    ) -> Result<Vec<Vec<Reply>>, StepError> {
        let limits = limits(wall_s)?;
        machine.host()?;
        let slots = slots.unwrap_or_else(|| machine.slots());
        observer.start(Work::Ask, None, entries.len());
        let mut replies = Vec::with_capacity(entries.len());
        let ask = |(): &mut (), entry: &&Entry| {
            machine.go_on()?;
            self.ask(machine, entry, &limits)
        };
        let asked = parallel::in_order(
            entries,
            slots,
            || (),
            ask,
            |_, said: Result<Vec<Reply>, StepError>| {
                replies.push(said?);
                observer(Event::Advanced);
                Ok(())
            },
        );
        observer(Event::Finished);
        asked.map(|()| replies)
    }

    /// The answers of the solvers that enter the benchmark's logic.
    fn ask(&self, machine: &Machine, entry: &Entry, limits: &Limits) -> Result<Vec<Reply>, StepError> {
        let file = entry.file();
        let script = read_pinned(&file, entry.benchmark.digest)?;
        let ready = prepare(&script, Track::SingleQuery, Scrambling::None, 0).during(file.display())?;
        let extension = file.extension().map_or("smt2".into(), |end| end.to_string_lossy().into_owned());
        let scratch = Scratch::new(&format!("benchmark.{extension}"), &ready.bytes)?;
        let logic = &entry.benchmark.logic;
        let asked = self.members.iter().filter(|solver| solver.submission.enters(Track::SingleQuery, logic));
        asked
            .map(|solver| {
                reply(machine, solver, &scratch.file, limits).during(format!(
                    "{} on {}",
                    solver.submission.name,
                    file.display()
                ))
            })
            .collect()
    }

    /// The answers of all solvers to a script, regardless of its logic.
    pub fn ask_about(&self, machine: &Machine, script: &[u8], wall_s: f64) -> Result<Vec<Reply>, StepError> {
        let limits = limits(wall_s)?;
        self.members.iter().map(|solver| ask_one(machine, solver, script, &limits)).collect()
    }
}

/// The answer of one solver to a script.
pub(crate) fn ask_one(machine: &Machine, solver: &Solver, script: &[u8], limits: &Limits) -> Result<Reply, StepError> {
    let scratch = Scratch::new("benchmark.smt2", script)?;
    reply(machine, solver, &scratch.file, limits).during(&solver.submission.name)
}

fn reply(machine: &Machine, solver: &Solver, benchmark: &Path, limits: &Limits) -> Result<Reply, StepError> {
    let measured = run_solver(machine, solver, Track::SingleQuery, benchmark, limits, 0)?;
    Ok(Reply {
        solver: solver.full_name(),
        answer: single_answer(&measured.stdout),
        cpu_s: measured.cpu.as_secs_f64(),
        wall_s: measured.wall.as_secs_f64(),
    })
}
