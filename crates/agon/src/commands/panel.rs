//! A panel of solvers that is asked about benchmarks outside of any competition.

use super::entrant::Source;
use crate::failure::Usage;
use crate::hosts;
use crate::progress::Progress;
use crate::{interrupt, parallel};
use agon_contain::{Host, Measured};
use agon_dispatch::{job, work_folder};
use agon_domain::{Answer, Entrant, Limits, Time, Track};
use agon_entrant::Details;
use agon_judge::single_answer;
use agon_library::{Entry, read_pinned};
use agon_scramble::{Scrambling, prepare};
use anyhow::Context;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use tempfile::TempDir;

/// Solvers with their files unpacked.
pub struct Panel {
    members: Vec<(Entrant, PathBuf)>,
    /// Files that were unpacked for it; they go with the panel.
    _files: Option<TempDir>,
}

/// What one solver said.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Who, with its version.
    pub solver: String,
    /// What, if it can be read.
    pub answer: Option<Answer>,
    /// Seconds of CPU time.
    pub cpu_s: f64,
    /// Seconds by the clock.
    pub wall_s: f64,
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let answer = self.answer.map_or("nothing", Answer::name);
        write!(f, "{} says {answer} after {:.2} s", self.solver, self.cpu_s)
    }
}

impl Panel {
    /// The solvers of these names, archives or folders.
    pub fn open(sources: &[String]) -> anyhow::Result<Self> {
        let files = tempfile::tempdir()?;
        let mut members = vec![];
        for (number, source) in sources.iter().enumerate() {
            let place = files.path().join(number.to_string());
            std::fs::create_dir(&place)?;
            let entrant = Source::find(source)?.open(&Details::default(), &place)?;
            let is_there = members.iter().any(|(other, _): &(Entrant, PathBuf)| other.name == entrant.name);
            if is_there {
                return Err(Usage(format!("{} is named twice, and would confirm itself", entrant.name)).into());
            }
            members.push((entrant, place));
        }
        Ok(Self { members, _files: Some(files) })
    }

    /// Entrants with their files.
    pub fn of(members: Vec<(Entrant, PathBuf)>) -> Self {
        Self { members, _files: None }
    }

    /// Its solvers, with their versions.
    pub fn names(&self) -> Vec<String> {
        self.members.iter().map(|(entrant, _)| full_name(entrant)).collect()
    }

    /// Gives every benchmark to every solver that takes its logic. For each benchmark, what they said; nothing at all if
    /// it was interrupted.
    pub fn ask_all(
        &self,
        entries: &[&Entry],
        wall_s: f64,
        slots: Option<usize>,
    ) -> anyhow::Result<Option<Vec<Vec<Reply>>>> {
        let limits = limits(wall_s)?;
        let mut host = hosts::this_machine()?;
        let stop = interrupt::listen_for(&mut host)?;
        let slots = slots.unwrap_or_else(|| Host::cores().len());
        let mut progress = Progress::new(entries.len() as u64);
        let mut replies = Vec::with_capacity(entries.len());
        let ask = |(): &mut (), entry: &&Entry| {
            let is_stopped = stop.load(Ordering::Relaxed);
            if is_stopped { Ok(None) } else { self.ask(&host, entry, &limits).map(Some) }
        };
        parallel::in_order(
            entries,
            slots,
            || (),
            ask,
            |_, said: anyhow::Result<Option<Vec<Reply>>>| {
                if said.is_err() {
                    stop.store(true, Ordering::Relaxed);
                }
                replies.extend(said?);
                progress.step(String::new);
                anyhow::Ok(())
            },
        )?;
        progress.finish();
        Ok(Some(replies).filter(|replies| replies.len() == entries.len()))
    }

    /// What all solvers say of one benchmark.
    fn ask(&self, host: &Host, entry: &Entry, limits: &Limits) -> anyhow::Result<Vec<Reply>> {
        let script = read_pinned(&entry.file(), entry.benchmark.digest)?;
        let ready = prepare(&script, Track::SingleQuery.name(), Scrambling::None, 0)
            .with_context(|| entry.file().display().to_string())?;
        let folder = tempfile::tempdir()?;
        let ending = entry.file().extension().map_or("smt2".into(), |end| end.to_string_lossy().into_owned());
        let benchmark = folder.path().join(format!("benchmark.{ending}"));
        std::fs::write(&benchmark, ready.bytes)?;
        let asked =
            self.members.iter().filter(|(entrant, _)| entrant.enters(Track::SingleQuery, &entry.benchmark.logic));
        asked
            .map(|member| {
                reply(host, member, &benchmark, limits)
                    .with_context(|| format!("{} on {}", member.0.name, entry.file().display()))
            })
            .collect()
    }

    /// What those solvers say of a script that are to be asked, whatever its logic.
    pub fn ask_about(&self, script: &[u8], wall_s: f64, is_asked: &dyn Fn(&str) -> bool) -> anyhow::Result<Vec<Reply>> {
        let limits = limits(wall_s)?;
        let mut host = hosts::this_machine()?;
        interrupt::listen_for(&mut host)?;
        let folder = tempfile::tempdir()?;
        let benchmark = folder.path().join("benchmark.smt2");
        std::fs::write(&benchmark, script)?;
        let ask = |member: &(Entrant, PathBuf)| {
            reply(&host, member, &benchmark, &limits).with_context(|| member.0.name.to_string())
        };
        self.members.iter().filter(|(entrant, _)| is_asked(&full_name(entrant))).map(ask).collect()
    }
}

fn full_name(entrant: &Entrant) -> String {
    format!("{} {}", entrant.name, entrant.version)
}

fn limits(wall_s: f64) -> anyhow::Result<Limits> {
    if !(0.1..=31_536_000.0).contains(&wall_s) {
        return Err(Usage(format!("--wall has to be from 0.1 seconds to a year, not {wall_s}")).into());
    }
    Ok(Limits::new(Time::from_nanos((wall_s * 1e9) as u64), 4 << 30, 1))
}

/// What one solver says of a file.
fn reply(
    host: &Host,
    (entrant, files): &(Entrant, PathBuf),
    benchmark: &Path,
    limits: &Limits,
) -> anyhow::Result<Reply> {
    let work = work_folder(host, files, entrant.start_in.as_deref())?;
    let command = entrant.commands.get(&Track::SingleQuery).cloned().unwrap_or_default();
    let measured: Measured =
        host.run(&job(&command, files, &work, benchmark, limits), &agon_dispatch::contained(limits))?;
    Ok(Reply {
        solver: full_name(entrant),
        answer: single_answer(&measured.stdout),
        cpu_s: measured.cpu.as_secs_f64(),
        wall_s: measured.wall.as_secs_f64(),
    })
}
