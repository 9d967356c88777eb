//! `agon score`

use crate::cli::{Format, ScoreOptions};
use crate::failure::{NO, Usage};
use crate::opened::open_competition;
use crate::print::{numbers, print_json, print_rows, table};
use crate::reading::{check_queries, read};
use agon_competition::{Finality, Gathered, NOT_IN_HEATS, gather};
use agon_domain::ScoreKind;
use agon_rulebook::{Deviation, Rulebook};
use agon_score::{DivisionScore, Line, Rules, Scores, TrackResults, explain, score, scores_csv};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub fn run(directory: &Path, options: &ScoreOptions) -> anyhow::Result<ExitCode> {
    let rulebooks: Vec<Rulebook> = options
        .rules
        .iter()
        .map(|name| Rulebook::named(name))
        .collect::<Result<_, _>>()
        .map_err(|error| Usage(error.to_string()))?;
    if options.explain.is_some() && rulebooks.len() > 1 {
        return Err(Usage("--explain takes one rulebook at a time".into()).into());
    }
    if !options.files.is_empty() {
        let Some(first) = rulebooks.first() else {
            return Err(Usage("--rules RULEBOOK is required; 'agon rules list' lists them".into()).into());
        };
        let Some(imported) = read(&options.files, options.reading)? else {
            return Ok(ExitCode::from(NO));
        };
        let track = options.track.of_results(&imported, first)?;
        let (mut results, registered) = imported.into_results(track).map_err(|misfit| Usage(misfit.to_string()))?;
        if results.runs.is_empty() {
            say!("agon: there is nothing left to score");
            return Ok(ExitCode::from(NO));
        }
        let mut scores = vec![];
        for rulebook in &rulebooks {
            let rules =
                Rules::new(rulebook, track, &deviations(rulebook, options)).map_err(|e| Usage(e.to_string()))?;
            registered.enter(&mut results, rulebook);
            check_queries(&results, &rules)?;
            if let Some(words) = &options.explain {
                return print_explanation(&results, &rules, words, None, options);
            }
            scores.push(score(&results, &rules));
        }
        return print(&scores, options);
    }
    let competition = open_competition(directory)?;
    let finality = if options.is_final { Finality::Final } else { Finality::WhenComplete };
    let mut scores = vec![];
    for track in options.track.of(&competition)? {
        let gathered = gather(&competition, track, finality)?;
        if options.is_final && !gathered.is_in_heats {
            return Err(Usage(NOT_IN_HEATS.into()).into());
        }
        for note in gathered.notes() {
            say!("{note}");
        }
        let under = if rulebooks.is_empty() { vec![competition.rulebook()] } else { rulebooks.iter().collect() };
        let results = gathered.results(&competition)?;
        for rulebook in under {
            let rules = gathered.rules(rulebook, &deviations(rulebook, options))?;
            if let Some(words) = &options.explain {
                return print_explanation(&results, &rules, words, Some(&gathered), options);
            }
            scores.push(gathered.score_under(&results, &rules));
        }
    }
    if options.format == Format::Text && scores.iter().all(|scores| scores.divisions.is_empty()) {
        say!("there is nothing to score yet; 'agon status' shows what is left to do");
        return Ok(ExitCode::SUCCESS);
    }
    print(&scores, options)
}

/// The deviations from the text of a rulebook that the user asked for.
fn deviations(rules: &Rulebook, options: &ScoreOptions) -> BTreeSet<Deviation> {
    let published = rules.published.iter().filter(|_| options.as_published);
    options.deviation.iter().chain(published).copied().collect()
}

fn print(scores: &[Scores], options: &ScoreOptions) -> anyhow::Result<ExitCode> {
    if options.diff {
        let [one, other] = scores else {
            return Err(Usage("--diff needs two rulebooks: --rules A --rules B --diff".into()).into());
        };
        return print_difference(one, other, options.format);
    }
    if let Some(kind) = options.ranking
        && !scores.iter().flat_map(|scores| &scores.divisions).any(|division| division.rankings.contains_key(&kind))
    {
        return Err(Usage(format!("there is no {kind} ranking under these rules")).into());
    }
    if let (Format::Json, [_, _, ..]) = (options.format, scores) {
        print_json(&serde_json::to_value(scores)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    for one in scores {
        match options.format {
            Format::Json => print_json(&serde_json::to_value(one)?)?,
            Format::Text => {
                if scores.len() > 1 {
                    writeln!(std::io::stdout(), "{}, {}\n", one.rules, one.track)?;
                }
                print_text(one, options.ranking)?;
            }
            Format::Csv => print_csv(one)?,
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn print_explanation(
    results: &TrackResults,
    rules: &Rules<'_>,
    words: &[String],
    gathered: Option<&Gathered>,
    options: &ScoreOptions,
) -> anyhow::Result<ExitCode> {
    let (division, solver) = (&words[0], &words[1]);
    let explained = explain(results, rules, division, solver, options.ranking);
    let (kind, parts) = explained.map_err(|error| Usage(error.to_string()))?;
    let rows = parts.iter().map(|part| {
        json!({
            "benchmark": part.benchmark,
            "status": part.status,
            "answer": part.answer,
            "error": part.score.error,
            "correct": part.score.correct,
            "wall": part.score.wall,
            "cpu": part.score.cpu,
            "why": match gathered.and_then(|gathered| gathered.decision_on(&part.benchmark)) {
                Some(decision) => format!("{}; {decision}", part.why),
                None => part.why.to_owned(),
            },
        })
    });
    let removed = gathered.map(Gathered::removed).unwrap_or_default();
    let removed = removed.into_iter().map(|(benchmark, decision)| {
        json!({"benchmark": benchmark, "status": "-", "answer": "-", "error": 0, "correct": 0, "wall": 0, "cpu": 0,
               "why": decision})
    });
    let columns = ["benchmark", "status", "answer", "error", "correct", "wall", "cpu", "why"];
    print_rows(rows.chain(removed).collect(), &columns, options.format)?;
    let sum = parts.iter().fold(agon_domain::Score::default(), |sum, part| sum + part.score);
    if options.format == Format::Text {
        writeln!(
            std::io::stdout(),
            "{kind}: {} runs, {} wrong, {} correct, {:.3} s wall, {:.3} s CPU",
            parts.len(),
            sum.error,
            sum.correct,
            sum.wall,
            sum.cpu
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints solvers with different places, and winners that change. Rankings that only one of the rulebooks has are named
/// once. Exit code 1 if there is any difference.
fn print_difference(one: &Scores, other: &Scores, format: Format) -> anyhow::Result<ExitCode> {
    // If only one of them groups logics into divisions, logics are compared.
    let (ours, theirs) = match (one.logics.is_empty(), other.logics.is_empty()) {
        (true, false) => (&one.divisions, &other.logics),
        (false, true) => (&one.logics, &other.divisions),
        _ => (&one.divisions, &other.divisions),
    };
    let (ours, theirs) = (Placed::of(ours), Placed::of(theirs));
    let only_in = |own: &Placed<'_>, others: &Placed<'_>, rules: &str| {
        let missing: Vec<&str> = own.kinds().difference(&others.kinds()).map(|kind| kind.name()).collect();
        if !missing.is_empty() {
            say!("only {rules} has these rankings: {}", missing.join(", "));
        }
        !missing.is_empty()
    };
    let kinds_differ = only_in(&ours, &theirs, &one.rules) | only_in(&theirs, &ours, &other.rules);
    let columns = Difference::columns(&one.rules, &other.rules);
    let common: BTreeSet<ScoreKind> = ours.kinds().intersection(&theirs.kinds()).copied().collect();
    let keys: BTreeSet<_> = ours.0.keys().chain(theirs.0.keys()).filter(|key| common.contains(&key.1)).collect();
    let rows: Vec<Value> = keys
        .into_iter()
        .map(|key| Difference { key: *key, before: ours.0.get(key), after: theirs.0.get(key) })
        .filter(Difference::is_one)
        .map(|difference| difference.row(&columns))
        .collect();
    let differs = kinds_differ || !rows.is_empty();
    if rows.is_empty() && format == Format::Text {
        say!("no place and no winner differs");
    } else {
        print_rows(rows, &columns.each_ref().map(String::as_str), format)?;
    }
    Ok(ExitCode::from(if differs { NO } else { 0 }))
}

/// A division, a ranking and a solver.
type Key<'a> = (&'a str, ScoreKind, &'a str);

/// The lines of rankings, and whether each wins.
struct Placed<'a>(BTreeMap<Key<'a>, (&'a Line, bool)>);

impl<'a> Placed<'a> {
    fn of(divisions: &'a [DivisionScore]) -> Self {
        let mut all = BTreeMap::new();
        for division in divisions {
            for (kind, lines) in &division.rankings {
                let winner = division.winners.get(kind).and_then(Option::as_ref);
                for line in lines {
                    let key = (division.name.0.as_str(), *kind, line.solver.as_str());
                    all.insert(key, (line, winner == Some(&line.solver)));
                }
            }
        }
        Self(all)
    }

    fn kinds(&self) -> BTreeSet<ScoreKind> {
        self.0.keys().map(|(_, kind, _)| *kind).collect()
    }
}

/// A solver in a ranking, under two rulebooks.
struct Difference<'a> {
    key: Key<'a>,
    before: Option<&'a (&'a Line, bool)>,
    after: Option<&'a (&'a Line, bool)>,
}

impl Difference<'_> {
    /// The column headings, with the names of the rulebooks.
    fn columns(one: &str, other: &str) -> [String; 10] {
        let of = |what: &str, rules: &str| format!("{what} {rules}");
        [
            "division".into(),
            "ranking".into(),
            "solver".into(),
            of("place", one),
            of("place", other),
            of("correct", one),
            of("correct", other),
            of("error", one),
            of("error", other),
            "wins".into(),
        ]
    }

    fn is_one(&self) -> bool {
        match (self.before, self.after) {
            (Some((a, wins)), Some((b, then_wins))) => a.rank != b.rank || wins != then_wins,
            _ => true,
        }
    }

    fn row(&self, columns: &[String; 10]) -> Value {
        let facts: [fn(&Line) -> Value; 3] =
            [|line| json!(line.rank), |line| json!(line.correct), |line| json!(line.error)];
        let cells = facts
            .iter()
            .flat_map(|fact| [self.before, self.after].map(|found| found.map_or(Value::Null, |(line, _)| fact(line))));
        let wins = match (self.before.is_some_and(|line| line.1), self.after.is_some_and(|line| line.1)) {
            (true, false) => "no longer",
            (false, true) => "now",
            _ => "",
        };
        let (division, ranking, solver) = self.key;
        let cells =
            [json!(division), json!(ranking.name()), json!(solver)].into_iter().chain(cells).chain([json!(wins)]);
        Value::Object(columns.iter().cloned().zip(cells).collect())
    }
}

fn print_text(scores: &Scores, only: Option<ScoreKind>) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    for division in &scores.divisions {
        let rankings = division.rankings.iter().filter(|(kind, _)| only.is_none_or(|only| only == **kind));
        for (kind, lines) in rankings {
            let has_points = lines.iter().any(|line| line.points.is_some());
            let has_weights = lines.iter().any(|line| line.weighted.is_some());
            let extra: &[&str] = match (has_points, has_weights) {
                (true, _) => &["points"],
                (_, true) => &["weighted wrong", "weighted correct"],
                _ => &[],
            };
            let headings = ["rank", "solver", "wrong", "correct", "wall s", "CPU s", "unsolved", "timeouts", "memouts"];
            let mut table = table(headings.iter().chain(extra).copied());
            for line in lines {
                let solver = match &line.note {
                    Some(note) => format!("{} ({note})", line.solver),
                    None if line.competing => line.solver.clone(),
                    None => format!("{} (non-competing)", line.solver),
                };
                let mut row = vec![
                    line.rank.map_or("–".to_owned(), |rank| rank.to_string()),
                    solver,
                    line.error.to_string(),
                    line.correct.to_string(),
                    line.wall.to_string(),
                    line.cpu.to_string(),
                    line.unsolved.to_string(),
                    line.timeout.to_string(),
                    line.memout.to_string(),
                ];
                row.extend(line.points.map(|points| points.to_string()));
                row.extend(
                    line.weighted.iter().flat_map(|values| values[..2].iter().map(|value| format!("{value:.3}"))),
                );
                table.add_row(row);
            }
            numbers(&mut table, [0].into_iter().chain(2..headings.len() + extra.len()));
            let winner = division.winners.get(kind).cloned().flatten();
            let stage = division.progress.filter(|progress| !progress.is_complete());
            let winner = match (winner, stage) {
                (Some(name), _) => format!("winner {name}"),
                (None, Some(progress)) => format!("INTERMEDIATE, {} of {} pairs", progress.done, progress.planned),
                (None, None) if !division.competitive => "no winner: too few teams".to_owned(),
                (None, None) => "no winner".to_owned(),
            };
            let source = division.open_source_winners.get(kind).cloned().flatten();
            let source = source.map_or(String::new(), |name| format!(", open-source winner {name}"));
            let queries = division.queries.map_or(String::new(), |queries| format!(" of {queries} queries"));
            writeln!(out, "{}, {}{queries}: {winner}{source}\n{table}\n", division.name, kind.title().to_lowercase())?;
        }
    }
    winners(scores, &mut out)?;
    recognitions(scores, &mut out)
}

/// Prints the first place of each recognition, and the rankings over all divisions.
fn recognitions(scores: &Scores, out: &mut impl Write) -> anyhow::Result<()> {
    let found = &scores.recognitions;
    for (name, places) in [("biggest lead", &found.biggest_lead), ("largest contribution", &found.largest_contribution)]
    {
        for (kind, places) in places {
            if let Some(first) = places.iter().find(|place| !place.experimental) {
                writeln!(
                    out,
                    "{name}, {}: {} in {} ({:.8}, {:.8})",
                    kind.title().to_lowercase(),
                    first.solver,
                    first.division,
                    first.correctness,
                    first.time
                )?;
            }
        }
    }
    for (kind, newcomers) in &found.new_entrants {
        for newcomer in newcomers {
            let beats = newcomer.beats.join(", ");
            writeln!(out, "new entrant, {}: {} in {} beats {beats}", kind.name(), newcomer.solver, newcomer.division)?;
        }
    }
    for (kind, places) in &scores.overall {
        let mut table = table(["rank", "solver", "errors", "score"]);
        for place in places {
            let solver =
                if place.competing { place.solver.clone() } else { format!("{} (non-competing)", place.solver) };
            table.add_row([
                place.rank.to_string(),
                solver,
                format!("{:.3}", place.errors),
                format!("{:.3}", place.score),
            ]);
        }
        numbers(&mut table, [0, 2, 3]);
        writeln!(out, "all divisions, {}\n{table}\n", kind.title().to_lowercase())?;
    }
    Ok(())
}

/// Prints one line per division, with the winner of each ranking.
pub fn winners(scores: &Scores, out: &mut impl Write) -> anyhow::Result<()> {
    let kinds = scores
        .divisions
        .first()
        .map(|division| division.winners.keys().copied().collect::<Vec<_>>())
        .unwrap_or_default();
    let done = if scores.intermediate { &["done", "planned"][..] } else { &[] };
    let headings = ["division", "benchmarks"].into_iter().chain(done.iter().copied());
    let mut table = table(headings.chain(kinds.iter().map(|kind| kind.title())));
    for division in &scores.divisions {
        let stage = division.progress.filter(|_| scores.intermediate);
        let stage = stage.map_or(vec![], |stage| vec![stage.done.to_string(), stage.planned.to_string()]);
        let winners = division.winners.values().map(|winner| winner.clone().unwrap_or_else(|| "–".into()));
        let names = [division.name.to_string(), division.benchmarks.to_string()];
        table.add_row(names.into_iter().chain(stage).chain(winners));
    }
    if !scores.withheld.is_empty() {
        let names = scores.withheld.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        writeln!(out, "Not reported, since too few solvers entered (A11-18): {names}")?;
    }
    if scores.intermediate {
        writeln!(out, "INTERMEDIATE: not every pair is run and judged, so nobody has won yet.")?;
    }
    numbers(&mut table, 1..2 + done.len());
    Ok(writeln!(out, "{table}")?)
}

fn print_csv(scores: &Scores) -> anyhow::Result<()> {
    Ok(std::io::stdout().write_all(&scores_csv(scores))?)
}
