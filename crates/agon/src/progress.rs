//! Shows the progress of long work: a bar on a terminal, otherwise a line every few seconds.

use agon_competition::{Event, Work};
use agon_domain::{Answer, EntrantName, Track};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::fmt;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// The interval between lines if stderr is not a terminal.
const LINE_EVERY: Duration = Duration::from_secs(15);

/// An observer that shows progress and notes on stderr.
pub fn observer() -> impl FnMut(Event<'_>) {
    let mut display = Display::default();
    move |event| display.show(event)
}

/// The state of the display.
#[derive(Default)]
struct Display {
    bar: Option<Bar>,
    counts: LiveCounts,
    jobs: String,
}

impl Display {
    fn show(&mut self, event: Event<'_>) {
        match event {
            Event::Started { work, track, parts } => {
                self.finish();
                self.bar = Some(Bar::new(work, track, parts));
            }
            Event::Advanced => self.step(),
            Event::Recorded { solver, answer } => {
                self.counts.add(solver, answer);
                self.step();
            }
            Event::Jobs(states) => states.clone_into(&mut self.jobs),
            Event::Waiting => {
                if let Some(bar) = &self.bar {
                    bar.tick();
                }
            }
            Event::Finished => self.finish(),
            Event::Note(line) => self.say(&line),
            Event::Warning(line) => self.say(&format!("warning: {line}")),
        }
    }

    fn step(&mut self) {
        if let Some(bar) = &mut self.bar {
            let jobs = if self.jobs.is_empty() { String::new() } else { format!("{}; ", self.jobs) };
            bar.step(|| format!("{jobs}{}", self.counts));
        }
    }

    /// Prints a line without disturbing the bar.
    fn say(&self, line: &str) {
        match self.bar.as_ref().and_then(|bar| bar.bar.as_ref()) {
            Some(bar) => bar.suspend(|| say!("{line}")),
            None => say!("{line}"),
        }
    }

    fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish();
        }
        self.counts = LiveCounts::default();
        self.jobs.clear();
    }
}

/// Progress of one piece of work.
pub struct Bar {
    bar: Option<ProgressBar>,
    title: String,
    started: Instant,
    last_line: Instant,
    done: u64,
    all: u64,
}

impl Bar {
    fn new(work: Work, track: Option<Track>, all: u64) -> Self {
        Self::titled(track.map_or_else(|| work.to_string(), |track| format!("{track}: {work}")), all)
    }

    /// A bar with a title and a number of parts.
    pub fn titled(title: String, all: u64) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            // The message comes last and is cut at the edge of the terminal.
            let template = if all == 0 {
                "{prefix} {spinner}"
            } else {
                "{prefix} {bar:20.cyan} {pos}/{len} ({eta} left) {wide_msg}"
            };
            let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new(all).with_style(style).with_prefix(title.clone())
        });
        Self { bar, title, started: Instant::now(), last_line: Instant::now(), done: 0, all }
    }

    /// Counts one more finished part.
    pub fn step(&mut self, message: impl FnOnce() -> String) {
        self.done += 1;
        match &self.bar {
            Some(bar) => {
                bar.set_message(message());
                bar.inc(1);
            }
            None if self.last_line.elapsed() >= LINE_EVERY && self.all > 0 => {
                self.last_line = Instant::now();
                say!("{}: {}/{} ({} left) {}", self.title, self.done, self.all, self.left(), message());
            }
            None => {}
        }
    }

    /// Shows that time passes although nothing happened.
    fn tick(&self) {
        if let Some(bar) = &self.bar {
            bar.tick();
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn left(&self) -> String {
        let per_part = self.started.elapsed().as_secs_f64() / self.done.max(1) as f64;
        format!("{:.0} s", per_part * (self.all - self.done.min(self.all)) as f64)
    }
}

/// Live counts per solver while pairs are run. They show what solvers answer, not whether it is correct.
#[derive(Default)]
struct LiveCounts {
    /// The number of definite answers, and the number of runs.
    by_solver: BTreeMap<EntrantName, [u64; 2]>,
}

impl LiveCounts {
    fn add(&mut self, solver: &EntrantName, answer: Option<Answer>) {
        let [answered, done] = self.by_solver.entry(solver.clone()).or_default();
        *answered += u64::from(answer.is_some_and(Answer::is_definite));
        *done += 1;
    }
}

/// `answered: cvc5 12/13, z3 13/13`
impl fmt::Display for LiveCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (solver, [answered, done])) in self.by_solver.iter().enumerate() {
            let separator = if at == 0 { "answered:" } else { "," };
            write!(f, "{separator} {solver} {answered}/{done}")?;
        }
        Ok(())
    }
}
