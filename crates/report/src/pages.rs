//! The pages' contents: what each template is given.

use crate::plot::{self, Curve, Point};
use crate::{Results, address};
use agon_domain::{Answer, Entrant, EntrantName, Limit, Ruling, ScoreKind, Status};
use agon_score::{DivisionScore, Line, Place, Progress};
use agon_store::{Recorded, Settlement, StoreError};
use askama::Template;

/// How much of an output stands in a page; the rest is a file beside it.
pub(crate) const SHOWN_BYTES: usize = 16 * 1024;

/// What every page needs.
pub(crate) struct Frame<'a> {
    pub(crate) title: &'a str,
    /// The way to the site's root.
    pub(crate) root: String,
    /// The other tracks.
    pub(crate) tracks: Vec<Link>,
    /// Why there are no winners yet, if the track is not complete.
    pub(crate) intermediate: Option<String>,
}

impl<'a> Frame<'a> {
    fn new(results: &'a Results<'a>, root: String) -> Self {
        let tracks = results
            .other_tracks
            .iter()
            .map(|(track, place)| Link { href: format!("{root}{place}"), words: track.title().to_owned() });
        let Progress { done, planned } = results.progress;
        let intermediate = match results.stale {
            Some(why) => Some(format!("Not up to date: {why}.")),
            None => (done < planned).then(|| format!("{done} of {planned} pairs are run and judged.")),
        };
        Self { title: results.title, tracks: tracks.collect(), root, intermediate }
    }
}

/// A link with its words.
pub(crate) struct Link {
    pub(crate) href: String,
    pub(crate) words: String,
}

#[derive(Template)]
#[template(path = "index.html")]
pub(crate) struct IndexPage<'a> {
    frame: Frame<'a>,
    results: &'a Results<'a>,
    benchmarks: usize,
    kinds: Vec<ScoreKind>,
    divisions: Vec<DivisionRow>,
    solvers: Vec<SolverRow<'a>>,
    recognitions: [Recognition<'a>; 2],
    machines: Vec<String>,
    disagreements: usize,
}

/// A recognition and who comes first in it, by way of scoring.
pub(crate) struct Recognition<'a> {
    name: &'static str,
    what: &'static str,
    first: Vec<(ScoreKind, &'a Place)>,
}

pub(crate) struct DivisionRow {
    link: Link,
    benchmarks: usize,
    solvers: usize,
    competitive: bool,
    progress: Progress,
    winners: Vec<Option<Link>>,
    disagreements: usize,
}

pub(crate) struct SolverRow<'a> {
    link: Link,
    entrant: &'a Entrant,
    solved: usize,
    erroneous: usize,
    runs: usize,
}

impl<'a> IndexPage<'a> {
    pub(crate) fn new(results: &'a Results<'a>) -> Self {
        let kinds: Vec<ScoreKind> = results
            .scores
            .divisions
            .first()
            .map(|division| division.rankings.keys().copied().collect())
            .unwrap_or_default();
        let divisions = results.scores.divisions.iter().map(|division| division_row(results, division)).collect();
        let mut machines: Vec<String> =
            results.runs.iter().map(|run| format!("{}: {}", run.outcome.host, run.outcome.isolation)).collect();
        machines.sort_unstable();
        machines.dedup();
        let first = |places: &'a std::collections::BTreeMap<ScoreKind, Vec<Place>>| -> Vec<(ScoreKind, &'a Place)> {
            let first = |places: &'a [Place]| places.iter().find(|place| !place.experimental);
            places.iter().filter_map(|(kind, places)| Some((*kind, first(places)?))).collect()
        };
        let recognitions = &results.scores.recognitions;
        Self {
            frame: Frame::new(results, String::new()),
            results,
            benchmarks: results.by_benchmark().count(),
            kinds,
            divisions,
            solvers: results.entrants.iter().map(|entrant| solver_row(results, entrant)).collect(),
            recognitions: [
                Recognition { name: "Biggest lead", what: "won by the most", first: first(&recognitions.biggest_lead) },
                Recognition {
                    name: "Largest contribution",
                    what: "would be missed the most",
                    first: first(&recognitions.largest_contribution),
                },
            ],
            machines,
            disagreements: DisagreementsPage::new(results).rows.len(),
        }
    }
}

fn division_row(results: &Results<'_>, division: &DivisionScore) -> DivisionRow {
    let winner = |name: &Option<String>| name.as_ref().and_then(|name| solver_link(results, name, ""));
    DivisionRow {
        link: Link { href: address::division(&division.name), words: division.name.to_string() },
        benchmarks: division.benchmarks,
        solvers: division.rankings.values().next().map_or(0, Vec::len),
        competitive: division.competitive,
        progress: division.progress.unwrap_or_default(),
        winners: division.winners.values().map(winner).collect(),
        disagreements: division.disagreements.len(),
    }
}

fn solver_row<'a>(results: &Results<'_>, entrant: &'a Entrant) -> SolverRow<'a> {
    let own = || results.runs.iter().filter(|run| run.pair.entrant == entrant.name);
    let count =
        |ruling: Ruling| own().filter(|run| run.verdict.is_some_and(|verdict| verdict.ruling == ruling)).count();
    SolverRow {
        link: Link { href: address::solver(&entrant.name), words: entrant.name.to_string() },
        entrant,
        solved: count(Ruling::Solved),
        erroneous: count(Ruling::Erroneous),
        runs: own().count(),
    }
}

/// The link to a solver's page, where it has one.
fn solver_link(results: &Results<'_>, name: &str, root: &str) -> Option<Link> {
    let entrant = results.entrants.iter().find(|entrant| entrant.name.as_str() == name)?;
    Some(Link { href: format!("{root}{}", address::solver(&entrant.name)), words: name.to_owned() })
}

#[derive(Template)]
#[template(path = "division.html")]
pub(crate) struct DivisionPage<'a> {
    frame: Frame<'a>,
    results: &'a Results<'a>,
    division: &'a DivisionScore,
    /// The logics that make it up, where it is not one.
    logics: Vec<Link>,
    rankings: Vec<(ScoreKind, Option<Link>, Vec<RankingRow<'a>>)>,
    cactus: String,
    scatter: String,
    solvers: Vec<&'a str>,
    benchmarks: Vec<BenchmarkRow>,
}

pub(crate) struct RankingRow<'a> {
    link: Link,
    line: &'a Line,
    winner: bool,
}

pub(crate) struct BenchmarkRow {
    link: Link,
    status: Status,
    /// In the order of the solvers; nothing where a solver did not run.
    cells: Vec<Option<Cell>>,
}

/// A run in a table.
pub(crate) struct Cell {
    class: &'static str,
    words: String,
    seconds: String,
}

impl<'a> DivisionPage<'a> {
    pub(crate) fn new(results: &'a Results<'a>, division: &'a DivisionScore) -> Self {
        let page = address::division(&division.name);
        let root = address::root_of(&page);
        // The order of the parallel ranking is the order of the solvers everywhere on the page.
        let leading = division.rankings.get(&ScoreKind::Parallel).or_else(|| division.rankings.values().next());
        let solvers: Vec<&str> = leading.into_iter().flatten().map(|line| line.solver.as_str()).collect();
        let groups: Vec<&[Recorded]> =
            results.by_benchmark().filter(|runs| division.logics.contains(&runs[0].pair.prepared.division)).collect();
        // What was removed counts in no plot, as it counts in no ranking.
        let is_removed = |runs: &[Recorded]| division.disagreements.contains(&runs[0].pair.prepared.benchmark.0);
        let counted: Vec<&[Recorded]> = groups.iter().copied().filter(|runs| !is_removed(runs)).collect();
        let find = |runs: &'a [Recorded], name: &str| runs.iter().find(|run| run.pair.entrant.as_str() == name);
        let solved_in = |run: &Recorded| {
            let solved = run.verdict.is_some_and(|verdict| verdict.ruling == Ruling::Solved);
            solved.then(|| run.outcome.wall.as_secs_f64())
        };
        let limit = results.limits.wall.as_secs_f64();
        let curves: Vec<Curve<'_>> = solvers
            .iter()
            .map(|name| Curve {
                name,
                times: counted.iter().filter_map(|runs| find(runs, name)).filter_map(solved_in).collect(),
            })
            .collect();
        let points: Vec<Point> = counted
            .iter()
            .map(|runs| {
                let path = &runs[0].pair.prepared.benchmark;
                Point {
                    name: path.to_string(),
                    page: format!("{root}{}", address::benchmark(path)),
                    class: known(runs).name(),
                    times: solvers.iter().map(|name| find(runs, name).and_then(solved_in)).collect(),
                }
            })
            .collect();
        let benchmarks = groups
            .iter()
            .map(|runs| {
                let path = &runs[0].pair.prepared.benchmark;
                BenchmarkRow {
                    link: Link { href: format!("{root}{}", address::benchmark(path)), words: short(&path.0) },
                    status: runs[0].pair.prepared.status,
                    cells: solvers.iter().map(|name| find(runs, name).map(cell)).collect(),
                }
            })
            .collect();
        let rankings = division.rankings.iter().map(|(kind, lines)| {
            let winner = division.winners.get(kind).cloned().flatten();
            let rows = lines.iter().filter_map(|line| {
                let winner = winner.as_ref() == Some(&line.solver);
                Some(RankingRow { link: solver_link(results, &line.solver, &root)?, line, winner })
            });
            (*kind, winner.as_ref().and_then(|name| solver_link(results, name, &root)), rows.collect())
        });
        let logic = |logic: &agon_domain::Logic| Link {
            href: format!("{root}{}", address::division(logic)),
            words: logic.to_string(),
        };
        let is_group = division.logics.len() > 1 || division.logics.first() != Some(&division.name);
        Self {
            logics: division.logics.iter().filter(|_| is_group).map(logic).collect(),
            rankings: rankings.collect(),
            cactus: plot::cactus(&curves, limit, counted.len()),
            scatter: plot::scatter(&solvers, &points, limit),
            frame: Frame::new(results, root),
            results,
            division,
            solvers,
            benchmarks,
        }
    }
}

/// The status of a benchmark, or what the solvers say where it is unknown and they agree.
fn known(runs: &[Recorded]) -> Status {
    let status = runs[0].pair.prepared.status;
    let mut answers =
        runs.iter().filter_map(|run| run.verdict).map(|verdict| verdict.answer).filter(|a| a.is_definite());
    match (status, answers.next()) {
        (Status::Unknown, Some(first)) if answers.all(|answer| answer == first) => first,
        _ => status,
    }
}

/// A path without the part that all benchmarks of a division share.
fn short(path: &str) -> String {
    path.splitn(3, '/').nth(2).unwrap_or(path).to_owned()
}

fn cell(run: &Recorded) -> Cell {
    let (class, words) = match run.verdict {
        None => ("unjudged", "not judged".to_owned()),
        Some(verdict) => match verdict.ruling {
            Ruling::Solved => (verdict.answer.name(), verdict.answer.to_string()),
            Ruling::Erroneous => ("erroneous", format!("{} (wrong)", verdict.answer)),
            other => ("unsolved", other.to_string()),
        },
    };
    Cell { class, words, seconds: run.outcome.wall.to_string() }
}

#[derive(Template)]
#[template(path = "solver.html")]
pub(crate) struct SolverPage<'a> {
    frame: Frame<'a>,
    entrant: &'a Entrant,
    kind: &'static str,
    kinds: Vec<ScoreKind>,
    divisions: Vec<(Link, &'a DivisionScore, Vec<Option<&'a Line>>)>,
    runs: Vec<(Link, &'a Recorded, Cell)>,
}

impl<'a> SolverPage<'a> {
    pub(crate) fn new(results: &'a Results<'a>, entrant: &'a Entrant) -> Self {
        let root = address::root_of(&address::solver(&entrant.name));
        let divisions: Vec<(Link, &DivisionScore, Vec<Option<&Line>>)> = results
            .scores
            .divisions
            .iter()
            .filter_map(|division| {
                let line = |kind: &ScoreKind| results.line(&division.name.0, *kind, entrant.name.as_str());
                let lines: Vec<Option<&Line>> = division.rankings.keys().map(line).collect();
                let link = Link {
                    href: format!("{root}{}", address::division(&division.name)),
                    words: division.name.to_string(),
                };
                lines.iter().any(Option::is_some).then_some((link, division, lines))
            })
            .collect();
        let runs = results.runs.iter().filter(|run| run.pair.entrant == entrant.name).map(|run| {
            let path = &run.pair.prepared.benchmark;
            let link = Link { href: format!("{root}{}", address::benchmark(path)), words: path.to_string() };
            (link, run, cell(run))
        });
        Self {
            kind: kind_words(entrant),
            kinds: divisions
                .first()
                .map(|(_, division, _)| division.rankings.keys().copied().collect())
                .unwrap_or_default(),
            divisions,
            runs: runs.collect(),
            frame: Frame::new(results, root),
            entrant,
        }
    }
}

fn kind_words(entrant: &Entrant) -> &'static str {
    match entrant.kind {
        agon_domain::EntrantKind::Competing => "competing",
        agon_domain::EntrantKind::NonCompeting => "non-competing",
        agon_domain::EntrantKind::Organizer => "the organizers' own",
    }
}

#[derive(Template)]
#[template(path = "benchmark.html")]
pub(crate) struct BenchmarkPage<'a> {
    frame: Frame<'a>,
    path: String,
    division: Link,
    status: Status,
    digest: String,
    disagreement: bool,
    settlement: Option<&'a Settlement>,
    runs: Vec<RunRow<'a>>,
}

/// The benchmarks on which solvers contradict each other, or the status.
#[derive(Template)]
#[template(path = "disagreements.html")]
pub(crate) struct DisagreementsPage<'a> {
    frame: Frame<'a>,
    rows: Vec<DisagreementRow<'a>>,
}

pub(crate) struct DisagreementRow<'a> {
    link: Link,
    status: Status,
    removed: bool,
    sat: Vec<&'a str>,
    unsat: Vec<&'a str>,
    settlement: Option<&'a Settlement>,
    /// The settlement contradicts the status.
    suspected: bool,
}

impl<'a> DisagreementsPage<'a> {
    pub(crate) fn new(results: &'a Results<'a>) -> Self {
        let mut rows = vec![];
        for runs in results.by_benchmark() {
            let prepared = &runs[0].pair.prepared;
            let who = |answer: Answer| -> Vec<&str> {
                let said = |run: &&Recorded| {
                    run.verdict.is_some_and(|verdict| {
                        verdict.answer == answer && matches!(verdict.ruling, Ruling::Solved | Ruling::Erroneous)
                    })
                };
                runs.iter().filter(said).map(|run| run.pair.entrant.as_str()).collect()
            };
            let (sat, unsat) = (who(Answer::Sat), who(Answer::Unsat));
            let is_open = !sat.is_empty() && (!unsat.is_empty() || prepared.status == Status::Unsat)
                || !unsat.is_empty() && prepared.status == Status::Sat;
            if !is_open {
                continue;
            }
            let settlement = results.settlements.get(&prepared.digest);
            let mut divisions = results.scores.divisions.iter();
            rows.push(DisagreementRow {
                link: Link { href: address::benchmark(&prepared.benchmark), words: prepared.benchmark.to_string() },
                status: prepared.status,
                removed: divisions.any(|division| division.disagreements.contains(&prepared.benchmark.0)),
                sat,
                unsat,
                settlement,
                suspected: settlement.and_then(|s| s.answer).is_some_and(|answer| answer.contradicts(prepared.status)),
            });
        }
        Self { frame: Frame::new(results, String::new()), rows }
    }
}

pub(crate) struct RunRow<'a> {
    link: Link,
    run: &'a Recorded,
    cell: Cell,
    ending: String,
    memory: String,
    stdout: Excerpt,
    stderr: Excerpt,
}

/// The start of an output, and where all of it is if that is not all.
pub(crate) struct Excerpt {
    text: String,
    bytes: usize,
    rest: Option<String>,
}

/// An output that is too long for its page, and the file that it goes to.
pub(crate) struct LongOutput {
    pub(crate) file: String,
    pub(crate) bytes: Vec<u8>,
}

impl<'a> BenchmarkPage<'a> {
    pub(crate) fn new(results: &'a Results<'a>, runs: &'a [Recorded]) -> Result<(Self, Vec<LongOutput>), StoreError> {
        let prepared = &runs[0].pair.prepared;
        let page = address::benchmark(&prepared.benchmark);
        let root = address::root_of(&page);
        let mut long = vec![];
        let mut rows = vec![];
        for run in runs {
            let mut excerpt = |digest: &agon_domain::Digest, stream: &str| -> Result<Excerpt, StoreError> {
                let bytes = results.store.output(digest)?;
                let file = format!("outputs/{}-{stream}.txt", run.pair.id);
                let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN_BYTES)]).into_owned();
                let rest = (bytes.len() > SHOWN_BYTES).then(|| format!("{root}{file}"));
                let excerpt = Excerpt { text: shown, bytes: bytes.len(), rest };
                if excerpt.rest.is_some() {
                    long.push(LongOutput { file, bytes });
                }
                Ok(excerpt)
            };
            let (stdout, stderr) = (excerpt(&run.outcome.stdout, "stdout")?, excerpt(&run.outcome.stderr, "stderr")?);
            rows.push(RunRow {
                link: entrant_link(&run.pair.entrant, &root),
                run,
                cell: cell(run),
                ending: ending(run),
                memory: run.outcome.memory_bytes.map_or("-".into(), |bytes| format!("{:.1}", bytes as f64 / 1e6)),
                stdout,
                stderr,
            });
        }
        let scored = results.divisions_and_logics().find(|division| division.name == prepared.division);
        let page = Self {
            path: prepared.benchmark.to_string(),
            division: Link {
                href: format!("{root}{}", address::division(&prepared.division)),
                words: prepared.division.to_string(),
            },
            status: prepared.status,
            digest: prepared.digest.to_string(),
            settlement: results.settlements.get(&prepared.digest),
            disagreement: scored.is_some_and(|division| division.disagreements.contains(&prepared.benchmark.0))
                || disagree(runs),
            runs: rows,
            frame: Frame::new(results, root),
        };
        Ok((page, long))
    }
}

fn disagree(runs: &[Recorded]) -> bool {
    let said = |answer: Answer| runs.iter().filter_map(|run| run.verdict).any(|verdict| verdict.answer == answer);
    said(Answer::Sat) && said(Answer::Unsat)
}

fn entrant_link(name: &EntrantName, root: &str) -> Link {
    Link { href: format!("{root}{}", address::solver(name)), words: name.to_string() }
}

fn ending(run: &Recorded) -> String {
    match run.outcome.limit {
        Some(Limit::Wall) => "wall limit".into(),
        Some(Limit::Cpu) => "CPU limit".into(),
        Some(Limit::Memory) => "memory limit".into(),
        Some(Limit::Output) => "output limit".into(),
        Some(limit @ (Limit::Disk | Limit::Processes)) => format!("{}, {} limit", run.outcome.ending, limit.name()),
        None => run.outcome.ending.to_string(),
    }
}
