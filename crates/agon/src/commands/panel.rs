//! A panel of solvers that is asked about benchmarks outside of any competition.

use super::entrant::Source;
use crate::interrupt;
use crate::progress::Progress;
use agon_contain::{Host, Measured};
use agon_dispatch::{WorkFolder, job};
use agon_domain::{Answer, Entrant, Limits, Time, Track};
use agon_entrant::Details;
use agon_judge::single_answer;
use agon_library::{Entry, read_pinned};
use agon_scramble::{Scrambling, prepare};
use anyhow::Context;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use tempfile::TempDir;

/// Solvers with their files unpacked.
pub struct Panel {
    members: Vec<(Entrant, PathBuf)>,
    /// The files; they go with the panel.
    _files: TempDir,
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
            members.push((entrant, place));
        }
        Ok(Self { members, _files: files })
    }

    /// Gives every benchmark to every solver that takes its logic. For each benchmark, what they said; nothing at all if
    /// it was interrupted.
    pub fn ask_all(
        &self,
        entries: &[&Entry],
        wall_s: f64,
        slots: Option<usize>,
    ) -> anyhow::Result<Option<Vec<Vec<Reply>>>> {
        let host = Host::probe();
        let stop = interrupt::listen(&host)?;
        let limits = Limits {
            wall: Time::from_nanos((wall_s.clamp(0.1, 1e6) * 1e9) as u64),
            memory_bytes: 4 << 30,
            cores: 1,
            output_bytes: 1 << 20,
        };
        let slots = slots.unwrap_or_else(|| Host::cores().len());
        let mut progress = Progress::new(entries.len() as u64);
        let next = AtomicUsize::new(0);
        let replies = Arc::new(Mutex::new(vec![vec![]; entries.len()]));
        let failed = thread::scope(|scope| -> anyhow::Result<()> {
            let (sender, receiver) = mpsc::channel();
            for _ in 0..slots.max(1) {
                let (sender, next, stop, replies, host) = (sender.clone(), &next, &stop, &replies, &host);
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(entry) = entries.get(at) else { return };
                        let said = self.ask(host, entry, &limits);
                        let sent = said.map(|said| {
                            replies.lock().unwrap_or_else(PoisonError::into_inner)[at] = said;
                        });
                        if sender.send(sent).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            for sent in &receiver {
                if sent.is_err() {
                    stop.store(true, Ordering::Relaxed);
                }
                sent?;
                progress.step(String::new);
            }
            Ok(())
        });
        progress.finish();
        failed?;
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let replies = std::mem::take(&mut *replies.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(Some(replies))
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
            .map(|(entrant, files)| {
                let work = WorkFolder::new(files, entrant.start_in.as_deref())?;
                let command = entrant.commands.get(&Track::SingleQuery).cloned().unwrap_or_default();
                let measured: Measured = host
                    .run(&job(&command, files, work.place(), &benchmark, limits), &agon_dispatch::contained(limits))
                    .with_context(|| format!("{} on {}", entrant.name, entry.file().display()))?;
                Ok(Reply {
                    solver: format!("{} {}", entrant.name, entrant.version),
                    answer: single_answer(&measured.stdout),
                    cpu_s: measured.cpu.as_secs_f64(),
                })
            })
            .collect()
    }
}
