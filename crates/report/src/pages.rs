//! The data of the pages: the input of each template.

use crate::plot::{self, Curve, Point};
use crate::{BenchmarkRuns, DIFFICULTY_CLASSES, DifficultyFacts, Results, RunFacts, Settlement, SolverFacts, address};
use agon_domain::{Answer, Answers, Digest, EntrantKind, Ruling, ScoreKind, Status, Time};
use agon_score::{DivisionScore, Line, Place, Progress};
use askama::Template;
use std::collections::HashMap;
use std::io;

/// The number of bytes of an output that a page shows. A longer output gets its own file.
pub(crate) const SHOWN_BYTES: usize = 16 * 1024;

/// The data that all pages need.
pub(crate) struct PageFrame<'a> {
    pub(crate) title: &'a str,
    /// The relative path to the site's root.
    pub(crate) root: String,
    /// Links to the other tracks.
    pub(crate) tracks: Vec<Link>,
    /// The reason why there are no winners yet, if the track is not complete.
    pub(crate) intermediate: Option<String>,
}

impl<'a> PageFrame<'a> {
    fn new(results: &'a Results<'a>, root: String) -> Self {
        let tracks = results
            .other_tracks
            .iter()
            .map(|(track, place)| Link { href: format!("{root}{place}"), words: track.title().to_owned() });
        let Progress { done, planned } = results.progress;
        let intermediate = match results.stale {
            Some(why) => Some(format!("Not up to date: {why}.")),
            None => (done < planned).then(|| format!("{done} of {planned} pairs have been run and judged.")),
        };
        Self { title: results.title, tracks: tracks.collect(), root, intermediate }
    }
}

/// A link with its text.
pub(crate) struct Link {
    pub(crate) href: String,
    pub(crate) words: String,
}

#[derive(Template)]
#[template(path = "difficulty.html")]
pub(crate) struct DifficultyPage<'a> {
    frame: PageFrame<'a>,
    table: &'a DifficultyFacts,
    headings: [&'static str; DIFFICULTY_CLASSES.len()],
}

impl<'a> DifficultyPage<'a> {
    pub(crate) fn new(results: &'a Results<'a>, table: &'a DifficultyFacts) -> Self {
        Self { frame: PageFrame::new(results, String::new()), table, headings: DIFFICULTY_CLASSES }
    }
}

#[derive(Template)]
#[template(path = "index.html")]
pub(crate) struct IndexPage<'a> {
    frame: PageFrame<'a>,
    results: &'a Results<'a>,
    runs: usize,
    kinds: Vec<ScoreKind>,
    divisions: Vec<DivisionRow>,
    solvers: Vec<SolverRow<'a>>,
    recognitions: [Recognition<'a>; 2],
    machines: Vec<String>,
    disagreements: usize,
}

/// A recognition and the solver that receives it in each ranking.
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
    solver: &'a SolverFacts,
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
        let records = results.runs().filter_map(|(_, run)| run.record.as_ref());
        let mut machines: Vec<String> =
            records.map(|record| format!("{}: {}", record.host, record.isolation)).collect();
        machines.sort_unstable();
        machines.dedup();
        let first = |places: &'a std::collections::BTreeMap<ScoreKind, Vec<Place>>| -> Vec<(ScoreKind, &'a Place)> {
            let first = |places: &'a [Place]| places.iter().find(|place| !place.experimental);
            places.iter().filter_map(|(kind, places)| Some((*kind, first(places)?))).collect()
        };
        let recognitions = &results.scores.recognitions;
        Self {
            frame: PageFrame::new(results, String::new()),
            results,
            runs: results.runs().count(),
            kinds,
            divisions,
            solvers: solver_rows(results),
            recognitions: [
                Recognition {
                    name: "Biggest lead",
                    what: "won by the largest margin",
                    first: first(&recognitions.biggest_lead),
                },
                Recognition {
                    name: "Largest contribution",
                    what: "adds the most to the virtual best solver",
                    first: first(&recognitions.largest_contribution),
                },
            ],
            machines,
            disagreements: results.benchmarks.iter().filter(|benchmark| is_disputed(benchmark)).count(),
        }
    }
}

fn division_row(results: &Results<'_>, division: &DivisionScore) -> DivisionRow {
    let winner = |name: &Option<String>| name.as_ref().and_then(|name| solver_link(results, name, ""));
    DivisionRow {
        link: Link { href: address::division(&division.name.0), words: division.name.to_string() },
        benchmarks: division.benchmarks,
        solvers: division.rankings.values().next().map_or(0, Vec::len),
        competitive: division.competitive,
        progress: division.progress.unwrap_or_default(),
        winners: division.winners.values().map(winner).collect(),
        disagreements: division.disagreements.len(),
    }
}

/// One row per solver. All runs are counted in one pass.
fn solver_rows<'a>(results: &'a Results<'a>) -> Vec<SolverRow<'a>> {
    let mut counts: HashMap<&str, [usize; 3]> = HashMap::new();
    for (_, run) in results.runs() {
        let own = counts.entry(&run.solver).or_default();
        own[0] += 1;
        own[1] += usize::from(run.ruling == Some(Ruling::Solved));
        own[2] += usize::from(run.ruling == Some(Ruling::Erroneous));
    }
    let row = |solver: &'a SolverFacts| {
        let [runs, solved, erroneous] = counts.get(solver.name.as_str()).copied().unwrap_or_default();
        let link = Link { href: address::solver(&solver.name), words: solver.name.clone() };
        SolverRow { link, solver, solved, erroneous, runs }
    };
    results.solvers.iter().map(row).collect()
}

/// The link to a solver's page, if it has one.
fn solver_link(results: &Results<'_>, name: &str, root: &str) -> Option<Link> {
    let solver = results.solvers.iter().find(|solver| solver.name == name)?;
    Some(Link { href: format!("{root}{}", address::solver(&solver.name)), words: name.to_owned() })
}

/// The definite answers of all solvers to a benchmark.
fn answers(benchmark: &BenchmarkRuns) -> Answers {
    benchmark.runs.iter().filter(|run| counts_as_answer(run)).map(|run| run.answer).collect()
}

/// Whether the answer of a run counts in disagreements: the run was judged as solved or erroneous.
fn counts_as_answer(run: &RunFacts) -> bool {
    matches!(run.ruling, Some(Ruling::Solved | Ruling::Erroneous))
}

/// Whether solvers contradict each other or the benchmark's status.
fn is_disputed(benchmark: &BenchmarkRuns) -> bool {
    answers(benchmark).dispute(benchmark.status)
}

#[derive(Template)]
#[template(path = "division.html")]
pub(crate) struct DivisionPage<'a> {
    frame: PageFrame<'a>,
    results: &'a Results<'a>,
    division: &'a DivisionScore,
    /// Links to the logics of the division, unless it consists of one logic with the same name.
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
    /// One cell per solver, in the order of the columns; `None` if the solver did not run.
    cells: Vec<Option<Cell>>,
}

/// The cell of a table that shows a run.
pub(crate) struct Cell {
    class: &'static str,
    words: String,
    seconds: String,
}

impl<'a> DivisionPage<'a> {
    pub(crate) fn new(results: &'a Results<'a>, division: &'a DivisionScore) -> Self {
        let page = address::division(&division.name.0);
        let root = address::root_of(&page);
        // All tables and plots of the page list the solvers in the order of the parallel ranking.
        let leading = division.rankings.get(&ScoreKind::Parallel).or_else(|| division.rankings.values().next());
        let solvers: Vec<&str> = leading.into_iter().flatten().map(|line| line.solver.as_str()).collect();
        let own: Vec<&BenchmarkRuns> =
            results.benchmarks.iter().filter(|benchmark| division.logics.contains(&benchmark.logic)).collect();
        // Removed benchmarks do not count in rankings, so plots do not show them either.
        let is_removed = |benchmark: &BenchmarkRuns| division.disagreements.contains(&benchmark.path);
        let counted: Vec<&BenchmarkRuns> = own.iter().copied().filter(|benchmark| !is_removed(benchmark)).collect();
        let find = |benchmark: &'a BenchmarkRuns, name: &str| benchmark.runs.iter().find(|run| run.solver == name);
        // Plots show the times that the rankings count.
        let solved_in = |run: &RunFacts| run.solved_in.map(Time::as_secs_f64);
        let limit = results.limits.wall.as_secs_f64();
        let curves: Vec<Curve<'_>> = solvers
            .iter()
            .map(|name| Curve {
                name,
                times: counted.iter().filter_map(|benchmark| find(benchmark, name)).filter_map(solved_in).collect(),
            })
            .collect();
        let points: Vec<Point> = counted
            .iter()
            .map(|benchmark| Point {
                name: benchmark.path.clone(),
                page: format!("{root}{}", benchmark.page()),
                class: known(benchmark).name(),
                times: solvers.iter().map(|name| find(benchmark, name).and_then(solved_in)).collect(),
            })
            .collect();
        let benchmarks = own
            .iter()
            .map(|benchmark| BenchmarkRow {
                link: Link { href: format!("{root}{}", benchmark.page()), words: short(&benchmark.path) },
                status: benchmark.status,
                cells: solvers.iter().map(|name| find(benchmark, name).map(cell)).collect(),
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
            href: format!("{root}{}", address::division(&logic.0)),
            words: logic.to_string(),
        };
        let is_one = division.logics.len() == 1 && division.name.is_logic(&division.logics[0]);
        Self {
            logics: division.logics.iter().filter(|_| !is_one).map(logic).collect(),
            rankings: rankings.collect(),
            cactus: plot::cactus(&curves, limit, counted.len()),
            scatter: plot::scatter(&solvers, &points, limit),
            frame: PageFrame::new(results, root),
            results,
            division,
            solvers,
            benchmarks,
        }
    }
}

/// The status of a benchmark or, if that is unknown, the answer on which all definite answers agree.
fn known(benchmark: &BenchmarkRuns) -> Status {
    match (benchmark.status, answers(benchmark).agreed()) {
        (Status::Unknown, Some(answer)) => answer.into(),
        (status, _) => status,
    }
}

/// A path without its first two components, which name the part of the library and the logic.
fn short(path: &str) -> String {
    path.splitn(3, '/').nth(2).unwrap_or(path).to_owned()
}

fn cell(run: &RunFacts) -> Cell {
    let (class, words) = match run.ruling {
        None => ("unjudged", "not judged".to_owned()),
        Some(Ruling::Solved) => (run.answer.name(), run.answer.to_string()),
        Some(Ruling::Erroneous) => ("erroneous", format!("{} (wrong)", run.answer)),
        Some(other) => ("unsolved", other.to_string()),
    };
    Cell { class, words, seconds: run.wall.to_string() }
}

#[derive(Template)]
#[template(path = "solver.html")]
pub(crate) struct SolverPage<'a> {
    frame: PageFrame<'a>,
    solver: &'a SolverFacts,
    kind: &'static str,
    kinds: Vec<ScoreKind>,
    divisions: Vec<(Link, &'a DivisionScore, Vec<Option<&'a Line>>)>,
    runs: Vec<(Link, &'a RunFacts, Cell)>,
}

impl<'a> SolverPage<'a> {
    pub(crate) fn new(results: &'a Results<'a>, solver: &'a SolverFacts) -> Self {
        let root = address::root_of(&address::solver(&solver.name));
        let divisions: Vec<(Link, &DivisionScore, Vec<Option<&Line>>)> = results
            .scores
            .divisions
            .iter()
            .filter_map(|division| {
                let line = |kind: &ScoreKind| results.line(&division.name.0, *kind, &solver.name);
                let lines: Vec<Option<&Line>> = division.rankings.keys().map(line).collect();
                let link = Link {
                    href: format!("{root}{}", address::division(&division.name.0)),
                    words: division.name.to_string(),
                };
                lines.iter().any(Option::is_some).then_some((link, division, lines))
            })
            .collect();
        let runs = results.runs().filter(|(_, run)| run.solver == solver.name).map(|(benchmark, run)| {
            let href = format!("{root}{}", benchmark.page());
            (Link { href, words: benchmark.path.clone() }, run, cell(run))
        });
        Self {
            kind: match solver.kind {
                EntrantKind::Competing => "competing",
                EntrantKind::NonCompeting => "non-competing",
                EntrantKind::Organizer => "submitted by the organizers",
                EntrantKind::CompetingOrganizer => "competing, submitted by the organizers",
            },
            kinds: divisions
                .first()
                .map(|(_, division, _)| division.rankings.keys().copied().collect())
                .unwrap_or_default(),
            divisions,
            runs: runs.collect(),
            frame: PageFrame::new(results, root),
            solver,
        }
    }
}

#[derive(Template)]
#[template(path = "benchmark.html")]
pub(crate) struct BenchmarkPage<'a> {
    frame: PageFrame<'a>,
    path: String,
    division: Link,
    status: Status,
    digest: Option<String>,
    disagreement: bool,
    settlement: Option<&'a Settlement>,
    runs: Vec<RunRow<'a>>,
}

/// The page of the benchmarks on which solvers contradict each other or the status.
#[derive(Template)]
#[template(path = "disagreements.html")]
pub(crate) struct DisagreementsPage<'a> {
    frame: PageFrame<'a>,
    rows: Vec<DisagreementRow<'a>>,
}

pub(crate) struct DisagreementRow<'a> {
    link: Link,
    status: Status,
    removed: bool,
    sat: Vec<&'a str>,
    unsat: Vec<&'a str>,
    settlement: Option<&'a Settlement>,
    /// Whether the settlement contradicts the status, which is then suspected to be wrong.
    suspected: bool,
}

impl<'a> DisagreementsPage<'a> {
    pub(crate) fn new(results: &'a Results<'a>) -> Self {
        let rows = results.benchmarks.iter().filter(|benchmark| is_disputed(benchmark)).map(|benchmark| {
            let who = |answer: Answer| -> Vec<&str> {
                let own = benchmark.runs.iter().filter(|run| counts_as_answer(run) && run.answer == answer);
                own.map(|run| run.solver.as_str()).collect()
            };
            let settled = benchmark.settlement.as_ref().and_then(|settlement| settlement.answer);
            let mut divisions = results.scores.divisions.iter();
            DisagreementRow {
                link: Link { href: benchmark.page(), words: benchmark.path.clone() },
                status: benchmark.status,
                removed: divisions.any(|division| division.disagreements.contains(&benchmark.path)),
                sat: who(Answer::Sat),
                unsat: who(Answer::Unsat),
                settlement: benchmark.settlement.as_ref(),
                suspected: settled.is_some_and(|answer| answer.contradicts(benchmark.status)),
            }
        });
        Self { rows: rows.collect(), frame: PageFrame::new(results, String::new()) }
    }
}

pub(crate) struct RunRow<'a> {
    link: Link,
    run: &'a RunFacts,
    cell: Cell,
    memory: String,
    attempt: String,
    pair: String,
    /// Excerpts of stdout and stderr, if they were recorded.
    outputs: Option<[Excerpt; 2]>,
}

/// The start of an output, and a link to the whole output if it is longer.
pub(crate) struct Excerpt {
    text: String,
    /// The size of the whole output.
    bytes: usize,
    /// The link to the whole output.
    rest: Option<String>,
}

/// An output that is too long for a page, and the path of its file.
pub(crate) struct LongOutput {
    pub(crate) file: String,
    pub(crate) bytes: Vec<u8>,
}

impl<'a> BenchmarkPage<'a> {
    pub(crate) fn new(results: &'a Results<'a>, benchmark: &'a BenchmarkRuns) -> io::Result<(Self, Vec<LongOutput>)> {
        let root = address::root_of(&benchmark.page());
        let mut long = vec![];
        let mut rows = vec![];
        for run in &benchmark.runs {
            let mut excerpt = |digest: &Digest, pair: i64, stream: &str| -> io::Result<Excerpt> {
                let bytes = (results.outputs)(digest)?;
                let file = format!("outputs/{pair}-{stream}.txt");
                let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN_BYTES)]).into_owned();
                let rest = (bytes.len() > SHOWN_BYTES).then(|| format!("{root}{file}"));
                let excerpt = Excerpt { text: shown, bytes: bytes.len(), rest };
                if excerpt.rest.is_some() {
                    long.push(LongOutput { file, bytes });
                }
                Ok(excerpt)
            };
            let outputs = match &run.record {
                Some(record) => Some([
                    excerpt(&record.stdout, record.pair, "stdout")?,
                    excerpt(&record.stderr, record.pair, "stderr")?,
                ]),
                None => None,
            };
            let record = run.record.as_ref();
            let memory = record.and_then(|record| record.memory_bytes);
            rows.push(RunRow {
                link: Link { href: format!("{root}{}", address::solver(&run.solver)), words: run.solver.clone() },
                run,
                cell: cell(run),
                memory: memory.map_or("-".into(), |bytes| format!("{:.1}", bytes as f64 / 1e6)),
                attempt: record.map_or("-".into(), |record| record.attempt.to_string()),
                pair: record.map_or("-".into(), |record| record.pair.to_string()),
                outputs,
            });
        }
        let page = Self {
            path: benchmark.path.clone(),
            division: Link {
                href: format!("{root}{}", address::division(&benchmark.logic.0)),
                words: benchmark.logic.to_string(),
            },
            status: benchmark.status,
            digest: benchmark.digest.map(|digest| digest.to_string()),
            settlement: benchmark.settlement.as_ref(),
            disagreement: answers(benchmark).disagree(),
            runs: rows,
            frame: PageFrame::new(results, root),
        };
        Ok((page, long))
    }
}
