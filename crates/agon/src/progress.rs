//! How far a long piece of work has come: a bar on a terminal, a line now and then elsewhere.

use agon_domain::{Answer, EntrantName};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// How often a line is written where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(15);

/// Progress of a known number of steps, on standard error.
pub struct Progress {
    bar: Option<ProgressBar>,
    started: Instant,
    last_line: Instant,
    done: u64,
    all: u64,
}

impl Progress {
    pub fn new(all: u64) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{bar:30.cyan} {pos}/{len} ({eta} left) {wide_msg}");
            ProgressBar::new(all).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        Self { bar, started: Instant::now(), last_line: Instant::now(), done: 0, all }
    }

    /// One more step is done.
    pub fn step(&mut self, message: impl FnOnce() -> String) {
        self.done += 1;
        match &self.bar {
            Some(bar) => {
                bar.set_message(message());
                bar.inc(1);
            }
            None if self.last_line.elapsed() >= LINE_EVERY => {
                self.last_line = Instant::now();
                say!("{}/{} ({} left) {}", self.done, self.all, self.left(), message());
            }
            None => {}
        }
    }

    /// Nothing happened; lets the bar show that time goes by.
    pub fn tick(&self) {
        if let Some(bar) = &self.bar {
            bar.tick();
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn left(&self) -> String {
        let per_step = self.started.elapsed().as_secs_f64() / self.done.max(1) as f64;
        format!("{:.0} s", per_step * (self.all - self.done.min(self.all)) as f64)
    }
}

/// Live counts per solver while pairs are run. They show what solvers say, not whether it is right.
#[derive(Default)]
pub struct Counts {
    /// Definite answers, of so many runs.
    by_solver: BTreeMap<EntrantName, [u64; 2]>,
}

impl Counts {
    /// Counts one outcome.
    pub fn add(&mut self, solver: &EntrantName, answer: Option<Answer>) {
        let [answered, done] = self.by_solver.entry(solver.clone()).or_default();
        *answered += u64::from(answer.is_some_and(Answer::is_definite));
        *done += 1;
    }
}

/// `answered: cvc5 12/13, z3 13/13`
impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, (solver, [answered, done])) in self.by_solver.iter().enumerate() {
            let separator = if at == 0 { "answered:" } else { "," };
            write!(f, "{separator} {solver} {answered}/{done}")?;
        }
        Ok(())
    }
}
