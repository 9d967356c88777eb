//! Gathers what the store knows and hands it to the scoring and the report.

use crate::commands::batch::track_rules;
use crate::heats::Heats;
use agon_domain::{BenchmarkPath, Digest, Entrant, EntrantKind, EntrantName, Limit, Logic, Ruling, Track};
use agon_score::{BenchmarkFacts, End, Run, Scores, Solver, TrackResults};
use agon_store::{Competition, Recorded};
use std::collections::{BTreeSet, HashMap};

/// A competition's entrants and their runs.
pub struct Gathered {
    pub track: Track,
    pub entrants: Vec<Entrant>,
    pub runs: Vec<Recorded>,
    left_out: usize,
    in_open_heats: usize,
}

/// Reads everything that scoring needs: the runs of the versions that are entered, under the limits that hold.
pub fn gather(competition: &Competition) -> anyhow::Result<Gathered> {
    let entrants = competition.entrants()?;
    let store = competition.store()?;
    let limits = track_rules(competition)?.limits;
    let mut runs = store.recorded(competition.track(), &limits)?;
    let all = runs.len();
    let is_entered = |name: &EntrantName, version: Digest| {
        entrants.iter().any(|entrant| entrant.name == *name && entrant.digest == Some(version))
    };
    runs.retain(|run| is_entered(&run.pair.entrant, run.pair.version));
    let entered = runs.len();
    let heats = Heats::of(competition)?;
    let queue = store.queue(competition.track(), &limits)?;
    let of_entered = queue.pending.iter().filter(|pending| {
        let (name, version) = queue.entrant(pending);
        is_entered(name, *version)
    });
    let incomplete = heats.incomplete(of_entered.map(|pending| queue.prepared(pending)));
    runs.retain(|run| !incomplete.has(&run.pair));
    Ok(Gathered {
        track: competition.track(),
        left_out: all - entered,
        in_open_heats: entered - runs.len(),
        entrants,
        runs,
    })
}

impl Gathered {
    /// Says that some runs do not count, if some do not.
    pub fn tell_what_is_left_out(&self) {
        if self.left_out > 0 {
            say!(
                "{} runs are of solvers or versions no longer entered, and do not count; 'agon run' runs the new ones",
                self.left_out
            );
        }
        let unjudged = self.runs.iter().filter(|run| run.verdict.is_none()).count();
        if unjudged > 0 {
            say!("{unjudged} outcomes are not judged yet and do not count; run 'agon judge'");
        }
        if self.in_open_heats > 0 {
            say!("{} runs are in heats that are not complete, and do not count (R19-6.8)", self.in_open_heats);
        }
    }

    /// The scores of all runs that have a verdict.
    pub fn score(&self, competition: &Competition) -> anyhow::Result<Scores> {
        Ok(agon_score::score(&self.results(competition)?))
    }

    /// All runs that have a verdict, as scoring takes them.
    pub fn results<'a>(&self, competition: &'a Competition) -> anyhow::Result<TrackResults<'a>> {
        let mut results = TrackResults {
            rules: competition.rulebook(),
            track: self.track,
            track_rules: track_rules(competition)?,
            deviations: BTreeSet::new(),
            is_incremental: self.track == Track::Incremental,
            solvers: self.entrants.iter().map(|entrant| self.solver(entrant)).collect(),
            logics: vec![],
            benchmarks: vec![],
            runs: vec![],
            entered: vec![],
        };
        // Only these tracks ask how many queries or assertions a benchmark has.
        let is_needed = matches!(self.track, Track::Incremental | Track::UnsatCore);
        let library = if is_needed { Some(competition.library()?) } else { None };
        let entry = |path: &BenchmarkPath| library.as_ref().and_then(|library| library.get(path));
        let queries = |path: &BenchmarkPath| entry(path).map_or(1, |entry| entry.benchmark.statuses.len() as u64);
        let asserts = |path: &BenchmarkPath| entry(path).map_or(0, |entry| entry.benchmark.asserts);
        let numbers: HashMap<&EntrantName, u32> = self.entrants.iter().map(|entrant| &entrant.name).zip(0..).collect();
        for group in self.runs.chunk_by(|one, other| one.pair.prepared.benchmark == other.pair.prepared.benchmark) {
            let prepared = &group[0].pair.prepared;
            let known = results.logics.iter().position(|logic| *logic == prepared.division);
            let logic = known.unwrap_or_else(|| self.enter(&mut results, &prepared.division)) as u32;
            let benchmark = results.benchmarks.len() as u32;
            results.benchmarks.push(BenchmarkFacts {
                name: prepared.benchmark.0.as_str().into(),
                logic,
                status: prepared.status,
                queries: queries(&prepared.benchmark),
                asserts: asserts(&prepared.benchmark),
            });
            results.runs.extend(group.iter().filter_map(|recorded| run(recorded, &numbers, benchmark)));
        }
        Ok(results)
    }

    /// A new logic, with all who enter it.
    fn enter(&self, results: &mut TrackResults<'_>, logic: &Logic) -> usize {
        let place = results.logics.len();
        results.logics.push(logic.clone());
        let entered = (0..self.entrants.len()).filter(|at| self.entrants[*at].enters(self.track, logic));
        results.entered.extend(entered.map(|at| (place as u32, at as u32)));
        place
    }

    fn solver(&self, entrant: &Entrant) -> Solver {
        let base = entrant.derived_from.as_ref();
        let base = base.and_then(|base| self.entrants.iter().position(|other| other.name.to_string() == *base));
        let note = match entrant.kind {
            EntrantKind::Competing => None,
            EntrantKind::NonCompeting => Some("not competing: run for comparison (R19-4.13)".to_owned()),
            EntrantKind::Organizer => Some("not competing: the organizers' own".to_owned()),
        };
        let derived = entrant.derived_from.as_ref().map(|base| format!("derived from {base} (R19-4.3)"));
        let wraps = (!entrant.wraps.is_empty()).then(|| format!("wraps {} (R19-4.2)", entrant.wraps.join(", ")));
        // "name" or "name version" of another entrant; what is none is of an earlier year.
        let entered = |wrapped: &String| {
            self.entrants.iter().position(|other| {
                let name = other.name.to_string();
                *wrapped == name || *wrapped == format!("{name} {}", other.version)
            })
        };
        let notes: Vec<String> = [note, derived, wraps].into_iter().flatten().collect();
        Solver {
            name: entrant.name.to_string(),
            team: entrant.team.clone(),
            competing: entrant.kind.can_win(),
            has_source: entrant.open_source,
            base: base.map(|base| base as u32),
            is_new: entrant.new,
            wraps: entrant.wraps.iter().filter_map(entered).map(|at| at as u32).collect(),
            wraps_older: entrant.wraps.iter().any(|wrapped| entered(wrapped).is_none()),
            won: entrant.won.clone(),
            note: (!notes.is_empty()).then(|| notes.join("; ")),
        }
    }
}

/// A judged run.
fn run(recorded: &Recorded, numbers: &HashMap<&EntrantName, u32>, benchmark: u32) -> Option<Run> {
    let verdict = recorded.verdict?;
    let end = match (verdict.ruling, recorded.outcome.limit) {
        (Ruling::Timeout, _) | (_, Some(Limit::Wall | Limit::Cpu)) => End::Timeout,
        (Ruling::Memout, _) | (_, Some(Limit::Memory)) => End::Memout,
        _ => End::Complete,
    };
    Some(Run {
        solver: *numbers.get(&recorded.pair.entrant)?,
        benchmark,
        answer: verdict.answer,
        end,
        errors: u32::from(verdict.ruling == Ruling::Erroneous),
        points: verdict.points,
        wall: recorded.outcome.wall,
        cpu: recorded.outcome.cpu,
    })
}
