//! Writes the results site.

use crate::difficulty_table::difficulty_facts;
use crate::gather::{Finality, Gathered, NOT_IN_HEATS, gather};
use crate::{Observer, StepError, observer::Tell};
use agon_domain::{Digest, End, Ending, Entrant, EntrantKind, Limit, Outcome, Ruling, Time, Track};
use agon_report::{BenchmarkRuns, DifficultyFacts, Results, RunFacts, RunRecord, SolverFacts, write_site};
use agon_score::{Progress, Rules, Run, Scores, TrackResults, score, solved_times};
use agon_store::{Competition, Recorded, Settlement, write_again};
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};

/// The published results.
#[derive(Debug)]
pub struct Published {
    /// The directory of the site.
    pub site: PathBuf,
    /// The scores of each track, in the rulebook's order.
    pub scores: Vec<Scores>,
}

/// Scores every track that has outcomes and writes the site.
pub fn report(
    competition: &Competition,
    to: Option<&Path>,
    finality: Finality,
    observer: &mut Observer<'_>,
) -> Result<Published, StepError> {
    let site = to.map_or_else(|| competition.site(), Path::to_owned);
    let mut tracks = vec![];
    let mut has_heats = false;
    for track in competition.rulebook().tracks.keys().copied() {
        let gathered = gather(competition, track, finality)?;
        has_heats |= gathered.is_in_heats;
        gathered.notes().into_iter().for_each(|note| observer.note(note));
        if !gathered.runs.is_empty() {
            tracks.push(gathered);
        }
    }
    if finality == Finality::Final && !has_heats {
        return Err(StepError::Usage(NOT_IN_HEATS.into()));
    }
    let Some(main) = tracks.first().map(|gathered| gathered.track) else {
        let message = format!("{} has no outcomes to report yet; run 'agon run'", competition.directory().display());
        return Err(StepError::Missing(message));
    };
    let names: Vec<Track> = tracks.iter().map(|gathered| gathered.track).collect();
    let mut scores = vec![];
    for gathered in tracks {
        let track = gathered.track;
        // The pages of the first track are at the root, and those of the other tracks in subdirectories.
        let (up, place) = if track == main { ("", site.clone()) } else { ("../", site.join(track.name())) };
        let others = names.iter().filter(|other| **other != track).map(|other| {
            let directory = if *other == main { String::new() } else { format!("{other}/") };
            (*other, format!("{up}{directory}index.html"))
        });
        let difficulty = if track == main { difficulty_facts(competition)? } else { None };
        scores.push(report_track(competition, &gathered, &place, &others.collect::<Vec<_>>(), difficulty.as_ref())?);
    }
    Ok(Published { site, scores })
}

fn report_track(
    competition: &Competition,
    gathered: &Gathered,
    site: &Path,
    other_tracks: &[(Track, String)],
    difficulty: Option<&DifficultyFacts>,
) -> Result<Scores, StepError> {
    let results = gathered.results(competition)?;
    let rules = gathered.rules(competition.rulebook(), &BTreeSet::new())?;
    let scores = gathered.score_under(&results, &rules);
    let store = competition.store()?;
    let not_run: Vec<(String, usize, String)> = gathered
        .not_run
        .iter()
        .map(|(logic, benchmarks, why)| (logic.to_string(), *benchmarks, why.to_string()))
        .collect();
    let solvers: Vec<SolverFacts> = gathered.entrants.iter().map(solver_facts).collect();
    let benchmarks = benchmark_runs(gathered, &store.settlements()?, &solved_times(&results, &rules));
    let outputs = |digest: &Digest| store.output(digest).map_err(io::Error::other);
    let results = Results {
        title: competition.title(),
        rules: &competition.rulebook().title,
        track: gathered.track,
        limits: gathered.limits,
        seed: gathered.seed,
        scores: &scores,
        progress: gathered.total(),
        stale: gathered.stale.as_deref(),
        not_run: &not_run,
        solvers: &solvers,
        benchmarks: &benchmarks,
        outputs: &outputs,
        difficulty,
        other_tracks,
    };
    write_site(&results, site, &write_again)?;
    Ok(scores)
}

fn solver_facts(entrant: &Entrant) -> SolverFacts {
    SolverFacts {
        name: entrant.name.to_string(),
        version: entrant.version.clone(),
        team: entrant.team.clone(),
        kind: entrant.kind,
        authors: entrant.authors.clone(),
        website: entrant.website.clone(),
        description: entrant.description.clone(),
        wraps: entrant.wraps.clone(),
        derived_from: entrant.derived_from.clone(),
        magic: entrant.magic,
        digest: Some(entrant.files),
    }
}

/// The runs of each benchmark. `solved` has an entry per judged run, with its time if it solved the benchmark.
fn benchmark_runs(
    gathered: &Gathered,
    settlements: &HashMap<Digest, Settlement>,
    solved: &[Option<Time>],
) -> Vec<BenchmarkRuns> {
    let mut solved = solved.iter();
    // The runs are sorted by benchmark, so one that is in several divisions has groups side by side.
    let groups: Vec<&[Recorded]> =
        gathered.runs.chunk_by(|one, other| one.pair.prepared == other.pair.prepared).collect();
    let path = |at: usize| groups.get(at).map(|runs| &runs[0].pair.prepared.benchmark);
    let is_in_several = |at: usize| path(at + 1) == path(at) || at > 0 && path(at - 1) == path(at);
    let of_benchmark = |(at, runs): (usize, &&[Recorded])| {
        let prepared = &runs[0].pair.prepared;
        let settlement = settlements.get(&prepared.digest);
        BenchmarkRuns {
            path: prepared.benchmark.to_string(),
            logic: prepared.logic.clone(),
            is_in_several: is_in_several(at),
            status: prepared.status,
            digest: Some(prepared.digest),
            settlement: settlement
                .map(|known| agon_report::Settlement { answer: known.answer, detail: known.detail.clone() }),
            runs: runs
                .iter()
                .map(|run| {
                    let solved_in = run.judgement.as_ref().and_then(|_| solved.next().copied().flatten());
                    run_facts(run, solved_in)
                })
                .collect(),
        }
    };
    groups.iter().enumerate().map(of_benchmark).collect()
}

fn run_facts(run: &Recorded, solved_in: Option<Time>) -> RunFacts {
    let Outcome { ending, limit, wall, cpu, .. } = run.outcome;
    let (exit, signal) = match ending {
        Ending::Exit(code) => (Some(code), None),
        Ending::Signal(number) => (None, Some(number)),
    };
    RunFacts {
        solver: run.pair.entrant.to_string(),
        answer: run.answer().unwrap_or_default(),
        ruling: run.verdict().map(|verdict| verdict.ruling),
        solved_in,
        wall,
        cpu,
        ending: match limit {
            Some(Limit::Wall) => "wall limit".into(),
            Some(Limit::Cpu) => "CPU limit".into(),
            Some(Limit::Memory) => "memory limit".into(),
            Some(Limit::Output) => "output limit".into(),
            Some(limit @ (Limit::Disk | Limit::Processes)) => format!("{ending}, {} limit", limit.name()),
            None => ending.to_string(),
        },
        evidence: run.judgement.as_ref().and_then(|judgement| judgement.evidence.clone()),
        record: Some(RunRecord {
            pair: run.pair.id.0,
            attempt: run.outcome.attempt,
            version: run.pair.version,
            memory_bytes: run.outcome.memory_bytes,
            exit,
            signal,
            limit: limit.map(Limit::name),
            host: run.outcome.host.clone(),
            isolation: run.outcome.isolation.clone(),
            stdout: run.outcome.stdout,
            stderr: run.outcome.stderr,
        }),
    }
}

/// Writes the site of imported results. Returns their scores.
pub fn report_results(title: &str, results: &TrackResults, rules: &Rules<'_>, to: &Path) -> Result<Scores, StepError> {
    let scores = score(results, rules);
    let solvers: Vec<SolverFacts> = results
        .solvers
        .iter()
        .map(|solver| SolverFacts {
            name: solver.name.clone(),
            team: solver.team.clone(),
            kind: if solver.competing { EntrantKind::Competing } else { EntrantKind::NonCompeting },
            derived_from: solver.base.map(|base| results.solvers[base].name.clone()),
            ..SolverFacts::default()
        })
        .collect();
    let mut names: HashMap<&str, usize> = HashMap::new();
    results.benchmarks.iter().for_each(|facts| *names.entry(&*facts.name).or_default() += 1);
    let mut benchmarks: Vec<BenchmarkRuns> = results
        .benchmarks
        .iter()
        .map(|facts| BenchmarkRuns {
            path: facts.name.to_string(),
            logic: results.logic_of(facts).clone(),
            is_in_several: names.get(&*facts.name).is_some_and(|count| *count > 1),
            status: facts.status,
            digest: None,
            settlement: None,
            runs: vec![],
        })
        .collect();
    for (run, solved_in) in results.runs.iter().zip(solved_times(results, rules)) {
        benchmarks[run.benchmark.place()].runs.push(imported_run(results, rules, run, solved_in));
    }
    benchmarks.retain(|benchmark| !benchmark.runs.is_empty());
    let site = Results {
        title,
        rules: &rules.rulebook.title,
        track: results.track,
        limits: rules.track_rules.limits,
        seed: None,
        scores: &scores,
        progress: Progress::default(),
        stale: None,
        not_run: &[],
        solvers: &solvers,
        benchmarks: &benchmarks,
        outputs: &|_| Err(io::Error::other("imported runs have no outputs")),
        difficulty: None,
        other_tracks: &[],
    };
    write_site(&site, to, &write_again)?;
    Ok(scores)
}

fn imported_run(results: &TrackResults, rules: &Rules<'_>, run: &Run, solved_in: Option<Time>) -> RunFacts {
    let worth = run.claim.worth(results.benchmark_of(run).status, &rules.claims);
    let ruling = if worth.errors > 0 {
        Ruling::Erroneous
    } else if solved_in.is_some() || worth.points > 0 {
        Ruling::Solved
    } else {
        match run.end {
            End::Complete => Ruling::Unknown,
            End::Timeout => Ruling::Timeout,
            End::Memout => Ruling::Memout,
        }
    };
    RunFacts {
        solver: results.solver_of(run).name.clone(),
        answer: run.claim.answer,
        ruling: Some(ruling),
        solved_in,
        wall: run.wall,
        cpu: run.cpu,
        ending: match run.end {
            End::Complete => "exit",
            End::Timeout => "time limit",
            End::Memout => "memory limit",
        }
        .to_owned(),
        evidence: None,
        record: None,
    }
}
